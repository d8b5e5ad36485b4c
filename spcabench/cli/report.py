"""The command `report`, which writes a page about sparse components of the user's data."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spcabench.cli.groups import Data, RunOfReport, Source

if TYPE_CHECKING:
    from spcabench.cli.answer import Answer
    from spcabench.problem.problem import Problem

Out = Annotated[
    Path | None,
    typer.Option(help="File of the page, .html. The default is SOURCE_report.html."),
]


def report(
    context: typer.Context, source: Source, data: Data, run: RunOfReport, out: Out = None
) -> None:
    """Write a page about sparse components of your own data.

    The page shows the choice of k, loadings, stability, scores and bounds, and is a single file
    that works offline. Without `-k`, the number of variables is chosen from the data.

    For example:

    `spcabench report survey.csv --scale --missing rows --label town`

    `spcabench report expression.csv --transpose -k 25 --components 3 --out genes.html`
    """
    from spcabench.cli import answer, output_files
    from spcabench.files import say, write_text

    out = out or Path(f"{Path(source).stem}_report.html")
    output_files.check("--out", out, (".html",), inputs=(source, *data.files()))
    from spcabench.cli import report_page  # its libraries were checked above

    problem = answer.load(source, data)
    found = answer.answer(problem, run)
    page = report_page.text(data.scale, problem, found, _commands(context, problem, found))
    answer.expect_feasible(found.results)
    write_text(out, page)
    say(out)


def _commands(context: typer.Context, problem: "Problem", answer: "Answer") -> dict[str, str]:
    """Return a mapping from descriptions to commands that reproduce the page and its results."""
    chosen = {"k": answer.selection and str(answer.selection.k)} if answer.selection else {}
    commands = {
        "This page": _command(context, "report"),
        "The loadings as a table": _command(context, "solve", out="loadings.csv", **chosen),
    }
    if problem.m is not None and Path(context.params["source"]).is_file():
        model = _command(context, "solve", out="model.npz", **chosen)
        scores = _command(context, "apply", "model.npz", out="scores.csv")
        commands["A model, and the scores of these or new samples"] = f"{model}\n{scores}"
    return commands


def _command(context: Any, command: str, *before: str, **changes: Any) -> str:
    """Return a command line with the typed options that the command accepts, without defaults."""
    typed = context.params | {"out": None, **changes} if command != "report" else context.params
    words = ["spcabench", command, *before, typed["source"]]
    for option in context.parent.command.get_command(context, command).params:
        value = typed.get(option.name)
        if option.name == "source" or value in (None, (), option.default):
            continue
        for word in value if isinstance(value, list | tuple) else [value]:
            words += [option.opts[0]] if isinstance(word, bool) else [option.opts[0], str(word)]
    return shlex.join(words)
