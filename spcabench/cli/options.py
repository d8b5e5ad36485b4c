"""Options that several commands take, and how their words are read."""

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from spcabench.errors import InputError

ROOT = Path(__file__).parents[2]  # of a clone of the repository
CORES = os.cpu_count() or 1
NEW = "new"  # what --fresh holds where no seed is given
FORMS = "10, a list 5,10,20, or a range 5:50 or 5:50:5 (its end included)"

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Cardinalities = Annotated[
    str | None, typer.Option("-k", "--k", metavar="NUMBERS", help=f"Cardinality: {FORMS}.")
]
Jobs = Annotated[
    int, typer.Option(min=1, help="How many jobs run at a time. Timed ones always run alone.")
]
Profile = Annotated[
    str, typer.Option(help="A folder of profiles/: slurm submits the jobs to a cluster.")
]


def cardinalities(text: str | None) -> list[int]:
    """Whole numbers from 1, in increasing order, of a text such as 10, or 5,10,20, or 5:50:5.

    Parts of a list may be ranges, and the end of a range is included: 1:3,10 is 1, 2, 3, 10.
    """
    if text is None:
        return []
    try:
        found = {k for part in text.split(",") for k in _range(part)}
    except ValueError:
        found = set()
    if not found or min(found) < 1:
        raise InputError(f"-k: {text!r}; allowed are whole numbers from 1: {FORMS}")
    return sorted(found)


def _range(text: str) -> range:
    """The numbers of one part. Raises ValueError where there are none."""
    match [int(word) for word in text.split(":")]:
        case [k]:
            found = range(k, k + 1)
        case [first, last]:
            found = range(first, last + 1)
        case [first, last, step] if step > 0:
            found = range(first, last + 1, step)
        case _:
            found = range(0)
    if not found:
        raise ValueError(text)
    return found


def setting(text: str) -> tuple[str, Any]:
    """The name and the value of NAME=VALUE; a value that is not JSON is a word."""
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"--set: {text!r}; allowed is NAME=VALUE")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def with_values(words: list[str]) -> list[str]:
    """The words of the command line; --fresh without a seed asks for a new one."""
    filled: list[str] = []
    for word, following in zip(words, [*words[1:], ""], strict=True):
        filled.append(word)
        if word == "--fresh" and not following.isdecimal():
            filled.append(NEW)
    return filled
