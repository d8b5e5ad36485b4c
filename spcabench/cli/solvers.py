"""The commands `list`, `new` and `check`."""

import importlib.util
import keyword
import shutil
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from spcabench import registry
from spcabench.cli import options
from spcabench.errors import InputError, using_file
from spcabench.files import say, write_text

TEMPLATE = Path(__file__).parents[1] / "page" / "templates" / "solver.py"
WIDTH = 120  # width of a list in columns if the output is not a terminal
NARROWEST = 60  # minimum width of a list in columns


Limit = Annotated[
    float,
    typer.Option(
        metavar="SECONDS", help="Maximum time of a check.", min=0.01, callback=options.finite
    ),
]


class Kind(StrEnum):
    """A kind of names to list."""

    solvers = "solvers"
    datasets = "datasets"
    figures = "figures"


def list_names(
    kind: Annotated[Kind, typer.Argument(help="The kind of names to list.")],
) -> None:
    """List the solvers, datasets or figures.

    For example:

    `spcabench list solvers`

    `spcabench list datasets`
    """
    listed = _descriptions(kind)
    width = max(map(len, listed), default=0)
    columns = max(shutil.get_terminal_size((WIDTH, 24)).columns, NARROWEST)
    for name, description in listed.items():
        line = f"{name:{width}}  {description}"
        cut = line if len(line) <= columns else f"{line[: columns - 3].rpartition(' ')[0]} ..."
        say(cut)


def _descriptions(kind: Kind) -> dict[str, str]:
    if kind is not Kind.solvers:
        return registry.descriptions("figure" if kind is Kind.figures else "dataset")
    descriptions = registry.descriptions("solver")
    for name, description in descriptions.items():
        if reason := registry.unavailable(name):
            descriptions[name] = f"({reason}) {description}"
    return descriptions


def new(
    kind: Annotated[str, typer.Argument(help="The word solver.", metavar="solver")],
    name: Annotated[str, typer.Argument(help="Name of the solver: letters, digits and _.")],
) -> None:
    """Write a commented template of a solver to the current folder.

    For example:

    `spcabench new solver my_method`
    """
    file = Path(f"{name}.py")
    if kind != "solver" or not name.isidentifier() or not name.isascii():
        raise InputError(
            f"new: {kind} {name!r}; use `new solver NAME`, with letters, digits and _ in NAME"
        )
    with using_file(file):
        if file.exists():
            raise InputError(f"name: {file} already exists")
    # for example, a file numpy.py in this folder would shadow the library
    if keyword.iskeyword(name) or importlib.util.find_spec(name) is not None:
        raise InputError(f"name: {name!r} already has a meaning in Python; choose another name")
    text = TEMPLATE.read_text(encoding="utf-8").replace("NAME", name, 1)
    write_text(file, text)
    say(f"wrote {file}; next: spcabench check {file}, then spcabench compare {file} --draft")


def check(
    solver: Annotated[
        str,
        typer.Argument(help="Name of a solver, or its file."),
    ],
    time: Limit = 30.0,
) -> None:
    """Check that a solver satisfies the contract for solvers.

    Each failure is described in a sentence, which is printed only once. The exit code is 1 if a
    check fails.

    For example:

    `spcabench check grqi`

    `spcabench check my_method.py --time 10`
    """
    from spcabench.checking import conformance

    failed = False
    for outcome in conformance.check(solver, time):
        failed |= outcome.verdict == "fails"
        say(f"{outcome.verdict:11}  {outcome.name}: {outcome.sentence}", flush=True)
    raise typer.Exit(int(failed))
