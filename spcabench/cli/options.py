"""Options shared by several commands, and parsers of their values."""

import math
import os
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spcabench import machine
from spcabench.errors import InputError

if TYPE_CHECKING:
    from spcabench.registry import Kind

# results are written to the clone of the repository or, without one, to the current folder
ROOT = machine.checkout() or Path()
INSTALLED = Path(machine.__file__).with_name("published")  # the published pages in a wheel
CORES = os.cpu_count() or 1
AUTO = "auto"  # value of -k that chooses the cardinality from the data
NEW = "new"  # value of --fresh if no seed is specified
DIGITS = 15  # maximum number of digits of a cardinality
LONGEST_LIST = 10_000  # maximum number of cardinalities of a command
FORMS = "10, a list 5,10,20, or a range 5:50 or 5:50:5 (including 50)"


def published() -> Path:
    """Return the folder of the published results, in the clone or in the installed package."""
    clone = machine.checkout()
    return clone / "results" / "published" if clone else INSTALLED


def _names(kind: "Kind") -> Callable[[str], list[str]]:
    """Return a shell completion function for the names of solvers, datasets or figures."""

    def complete(incomplete: str) -> list[str]:
        from spcabench import registry

        return [name for name in registry.names(kind) if name.startswith(incomplete)]

    return complete


solver_names = _names("solver")
dataset_names = _names("dataset")
figure_names = _names("figure")


def finite(value: float | None) -> float | None:
    """Return the value of an option; raise BadParameter if it is not finite."""
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number.")
    return value


Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Cardinalities = Annotated[
    str | None, typer.Option("-k", "--k", metavar="NUMBERS", help=f"Cardinality: {FORMS}.")
]
Nonnegative = Annotated[bool, typer.Option("--nonnegative", help="Require loadings >= 0.")]
Jobs = Annotated[
    int, typer.Option(min=1, help="Number of parallel jobs. Timed runs always run alone.")
]
Profile = Annotated[
    str,
    typer.Option(
        help="Where jobs run: default (this machine), slurm (a cluster), or a folder with your own "
        "config.yaml."
    ),
]


def named_values(option: str, texts: Iterable[str], names: Sequence[str] = ()) -> dict[str, str]:
    """Parse texts of the form NAME=VALUE; raise InputError for another or a repeated name.

    names : the allowed names, or nothing for any name.
    """
    values: dict[str, str] = {}
    for text in texts:
        name, _, value = (word.strip() for word in text.partition("="))
        if not value or not name:
            raise InputError(f"{option}: {text!r:.60}; write NAME=VALUE")
        if name in values:
            raise InputError(f"{option}: {name:.60} is specified twice")
        if names:
            check_word(option, "name", name, names)
        values[name] = value
    return values


def check_word(option: str, kind: str, word: str, words: Sequence[str]) -> None:
    """Raise InputError, with the most similar word, if a word is none of the words."""
    if word not in words:
        from spcabench import validate  # imported here because it loads NumPy

        raise InputError(f"{option}: {validate.nearest(kind, word, words)}")


def cardinalities(text: str | None) -> list[int]:
    """Parse cardinalities such as 10, or 5,10,20, or 5:50:5, and return them in increasing order.

    A list can contain ranges, which include their last number: 1:3,10 means 1, 2, 3, 10.
    """
    return sorted(set(listed(text)))


def listed(text: str | None, option: str = "-k", least: int = 1) -> list[int]:
    """Parse numbers like `cardinalities`, but keep their order and repetitions."""
    if text is None:
        return []
    try:
        parts = [_range(part) for part in text.split(",")]
    except ValueError:
        parts = []
    if sum(map(len, parts)) > LONGEST_LIST:
        raise InputError(f"{option}: {_short(text)}; at most {LONGEST_LIST:,} numbers are allowed")
    numbers = [k for part in parts for k in part]
    if not numbers or min(numbers) < least:
        raise InputError(
            f"{option}: {_short(text)}; specify whole numbers of at least {least} and at most "
            f"{DIGITS} digits: {FORMS}"
        )
    return numbers


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def _range(text: str) -> range:
    """Parse one part of a list; raise ValueError if it contains no numbers."""
    parts = text.split(":")
    # int() also accepts 1_0 and the digits of other scripts
    if not all(re.fullmatch(rf"\s*\+?[0-9]{{1,{DIGITS}}}\s*", word) for word in parts):
        raise ValueError(text)
    match [int(word) for word in parts]:
        case [k]:
            numbers = range(k, k + 1)
        case [first, last]:
            numbers = range(first, last + 1)
        case [first, last, step] if step > 0:
            numbers = range(first, last + 1, step)
        case _:
            numbers = range(0)
    if not numbers:
        raise ValueError(text)
    return numbers


def with_values(arguments: list[str]) -> list[str]:
    """Return the arguments, with a value added to --fresh if it has no seed."""
    filled: list[str] = []
    for word, following in pairwise([*arguments, ""]):
        filled.append(word)
        if word == "--fresh" and not following.isdecimal():
            filled.append(NEW)
    return filled
