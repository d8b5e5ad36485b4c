"""The command `grade`, which grades loadings from any source as if a solver had returned them."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spcabench import registry
from spcabench.cli import options
from spcabench.cli.groups import Data
from spcabench.errors import InputError, nearest
from spcabench.files import regular_file, say, write_text

if TYPE_CHECKING:
    from spcabench.comparison.grading import Grade

Loadings = Annotated[Path, typer.Argument(help="File with a vector, in any format of `solve`.")]
Asked = Annotated[
    str, typer.Option("--problem", help="A problem of the suites, a dataset, or a data file.")
]
Nonzeros = Annotated[
    int | None,
    typer.Option("-k", "--k", min=1, help="Cardinality. The default is the vector's cardinality."),
]
Submit = Annotated[
    Path | None,
    typer.Option(help="Write a proposal for the table of best known answers to this file, .json."),
]
Column = Annotated[str | None, typer.Option(help="Column to read, if the table has several.")]


def grade(
    loadings: Loadings,
    problem: Asked,
    data: Data,
    column: Column = None,
    k: Nonzeros = None,
    nonnegative: options.Nonnegative = False,
    submit: Submit = None,
) -> None:
    """Grade a vector: compute its variance, certified gap and share of the best known value.

    The exit code is 1 if the vector is not feasible.

    For example:

    `spcabench grade loadings.csv --problem pitprops -k 5`
    """
    from spcabench import api
    from spcabench.cli import answer, output_files
    from spcabench.comparison import grading
    from spcabench.readers.user_file import FORMATS

    output_files.check("--submit", submit, inputs=(loadings, problem))
    # report a wrong file before the problem is loaded, which can require a download
    regular_file(loadings, f"a file: {FORMATS}")
    items = grading.items_of(problem, nonnegative)
    if items and data != Data():
        raise InputError(f"the options for files do not apply to {problem!r}")
    if not items:
        _check_name(problem)
        if submit is not None:
            raise InputError(f"--submit: {problem!r} is not a problem of the suites")
        loaded = answer.load(problem, data)
    else:
        loaded = api.load(items[0].dataset, **items[0].parameters)
    x = grading.read(loadings, loaded.n, loaded.features, column)
    verdict = grading.graded(loaded, x, k, nonnegative, items)
    say("\n".join(_lines(verdict, loaded.name)))
    if verdict.fault:
        raise typer.Exit(1)
    if submit is not None:
        entry = grading.proposal(items, loaded, x, verdict.k, "unnamed")
        write_text(submit, json.dumps(asdict(entry), indent=1) + "\n")
        words = f"wrote {submit}; replace 'unnamed' in it by your name, and see CONTRIBUTING.md"
        say(words, file=sys.stderr)


def _check_name(problem: str) -> None:
    """Raise InputError unless a name is a problem of the suites, a dataset or a file."""
    from spcabench.comparison.suite import by_name
    from spcabench.readers import user_file

    names = {*(name for name, _ in by_name()), *registry.names("dataset")}
    if problem not in names and not user_file.is_file(problem):
        raise InputError(f"--problem: {nearest('problem', problem, names)}")


def _lines(verdict: "Grade", name: str) -> list[str]:
    """Return lines of text that describe a grade."""
    head = f"{name}, k = {verdict.k}"
    if verdict.fault:
        return [head, f"not feasible: {verdict.fault}"]
    gap = 1.0 - verdict.refit / verdict.bound
    lines = [
        head,
        f"feasible, {verdict.cardinality} nonzeros",
        f"variance            {verdict.variance:.9g}",
        f"after the refit     {verdict.refit:.9g}",
        f"certified bound     {verdict.bound:.9g}, gap of the refit {gap:.3%}",
    ]
    if verdict.best is not None:
        share = verdict.refit / verdict.best.value
        lines.append(
            f"best known          {verdict.best.value:.9g} by {verdict.best.who}: {share:.6f}"
        )
    return lines
