"""The command `report`, which writes a page about sparse components of the user's data."""

import inspect
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spcabench.cli import solve as solving

if TYPE_CHECKING:
    from spcabench.cli.solve import Answer
    from spcabench.problem.problem import Problem

Out = Annotated[
    Path | None,
    typer.Option(help="File of the page, .html. The default is SOURCE_report.html."),
]
NO_OPTIONS = ("plot", "picture", "substitutes", "as_json")  # options of `solve` that do not apply
DEFAULTS: dict[str, Any] = {"k": "auto", "components": 2}


def report(context: typer.Context, **typed: Any) -> None:
    """Write a page about sparse components of your own data.

    The page shows the choice of k, loadings, stability, scores and bounds, and is a single file
    that works offline. The command accepts the options of `solve`. Without `-k`, the number of
    variables is chosen from the data.
    """
    from spcabench.cli import files
    from spcabench.files import say, write_text

    out = typed["out"] or Path(f"{Path(typed['source']).stem}_report.html")
    files.check("--out", out, (".html",), inputs=(typed["source"], typed["names"]))
    from spcabench.cli import report_page  # its libraries were checked above

    options = SimpleNamespace(**context.params, plot=None, picture="loadings")
    problem = solving.read(options)

    def show(answer: "Answer") -> str:
        commands = _commands(context, problem, answer)
        return report_page.text(context.params, problem, answer, commands)

    results, page = solving.answer(problem, options, show)
    solving.expect_feasible(results)
    write_text(out, page)
    say(out)


def _signature() -> inspect.Signature:
    """Return the signature of `report`: the parameters of `solve` that apply to a page."""
    parameters = dict(inspect.signature(solving.solve).parameters)
    for name in NO_OPTIONS:
        del parameters[name]
    for name, default in DEFAULTS.items():
        parameters[name] = parameters[name].replace(default=default)
    parameters["out"] = parameters["out"].replace(annotation=Out)
    return inspect.Signature([*parameters.values()])


report.__signature__ = _signature()  # type: ignore[attr-defined]
report.__annotations__ = {n: p.annotation for n, p in _signature().parameters.items()}


def _commands(context: typer.Context, problem: "Problem", answer: "Answer") -> dict[str, str]:
    """Return a mapping from descriptions to commands that reproduce the page and its results."""
    chosen = {"k": answer.selection and str(answer.selection.k)} if answer.selection else {}
    commands = {
        "This page": _command(context, "report"),
        "The loadings as a table": _command(context, "solve", out="loadings.csv", **chosen),
    }
    if problem.m is not None and Path(context.params["source"]).is_file():
        source = shlex.quote(context.params["source"])
        commands["A model, and the scores of these or new samples"] = "\n".join(
            [
                _command(context, "solve", out="model.npz", **chosen),
                f"spcabench apply model.npz {source} --out scores.csv",
            ]
        )
    return commands


def _command(context: Any, command: str, **changes: Any) -> str:
    """Return a command line with the typed options that the command accepts, without defaults."""
    typed = context.params | {"out": None, **changes} if command != "report" else context.params
    words = ["spcabench", command, typed["source"]]
    for option in context.parent.command.get_command(context, command).params:
        value = typed.get(option.name)
        if option.name == "source" or value in (None, (), option.default):
            continue
        values = value if isinstance(value, list | tuple) else [value]
        for word in values:
            flag = option.opts[0] if word is not False else option.secondary_opts[0]
            words += [flag] if isinstance(word, bool) else [flag, str(word)]
    return shlex.join(words)
