"""Options shared by several commands, and parsers of their values."""

import math
import os
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer

from spcabench import machine
from spcabench.errors import InputError, nearest

# results are written to the clone of the repository or, without one, to the current folder
ROOT = machine.checkout() or Path()
INSTALLED = Path(machine.__file__).with_name("published")  # the published pages in a wheel
CORES = os.cpu_count() or 1
AUTO = "auto"  # value of -k that chooses the cardinality from the data
NEW = "new"  # value of --fresh if no seed is specified
DIGITS = 15  # maximum number of digits of a cardinality
LONGEST_LIST = 10_000  # maximum number of cardinalities of a command
RANGE = re.compile(r"\s*N\s*(?::\s*N\s*(?::\s*N\s*)?)?".replace("N", f"([0-9]{{1,{DIGITS}}})"))
FORMS = "10, a list 5,10,20, or a range 5:50 or 5:50:5 (including 50)"


def published() -> Path:
    """Return the folder of the published results, in the clone or in the installed package."""
    clone = machine.checkout()
    return clone / "results" / "published" if clone else INSTALLED


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
        raise InputError(f"{option}: {nearest(kind, word, words)}")


def cardinalities(text: str | None) -> list[int]:
    """Parse cardinalities such as 10, or 5,10,20, or 5:50:5, and return them in increasing order.

    A list can contain ranges, which include their last number: 1:3,10 means 1, 2, 3, 10.
    """
    return sorted(set(listed(text)))


def listed(text: str | None, option: str = "-k", least: int = 1) -> list[int]:
    """Parse numbers like `cardinalities`, but keep their order and repetitions."""
    if text is None:
        return []
    parts = [_range(part) for part in text.split(",")]
    if sum(map(len, parts)) > LONGEST_LIST:
        raise InputError(f"{option}: {text!r:.60}; at most {LONGEST_LIST:,} numbers are allowed")
    numbers = [k for part in parts for k in part]
    if not all(parts) or min(numbers) < least:
        raise InputError(
            f"{option}: {text!r:.60}; specify whole numbers of at least {least} and at most "
            f"{DIGITS} digits: {FORMS}"
        )
    return numbers


def _range(text: str) -> range:
    """Return the numbers of one part of a list, or an empty range if it is invalid."""
    found = RANGE.fullmatch(text)
    if found is None:
        return range(0)
    first, last, step = found[1], found[2] or found[1], found[3] or 1
    return range(int(first), int(last) + 1, int(step) or -1)


def with_values(arguments: list[str]) -> list[str]:
    """Return the arguments, with a value added to --fresh if it has no seed."""
    filled: list[str] = []
    for word, following in pairwise([*arguments, ""]):
        filled.append(word)
        if word == "--fresh" and not following.isdecimal():
            filled.append(NEW)
    return filled
