"""The command line: ``spcabench`` and ``python -m spcabench``."""

import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from spcabench import machine
from spcabench.cli import (
    best_known,
    compare,
    doctor,
    figures,
    grade,
    options,
    several,
    solve,
    solvers,
)
from spcabench.errors import InputError
from spcabench.running import supervisor

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # tracebacks are Python's own
    rich_markup_mode="markdown",  # joins the lines of a paragraph
)
COMMANDS: dict[str, dict[str, Callable[..., Any]]] = {
    "Sparse PCA": {"solve": solve.solve, "list": solvers.list_names},
    "Solvers": {
        "new": solvers.new,
        "check": solvers.check,
        "compare": compare.compare,
        "grade": grade.grade,
        "best-known": best_known.best_known,
    },
    "Figures and tables of the papers": {
        "workflow": figures.make_figures,
        "figure": figures.make_figure,
        "verify": figures.verify_run,
        "publish": figures.publish_run,
    },
    "Installation and data": {"data": doctor.data, "doctor": doctor.doctor},
    "Steps of the workflow": {
        "run": figures.run_job,
        "draw": figures.draw_figure,
        "report": figures.write_report,
        "compare-run": compare.run_job,
        "compare-page": compare.write_page,
        "several-run": several.run_job,
        "several-page": several.write_page,
    },
}
for panel, commands in COMMANDS.items():
    for name, command in commands.items():
        app.command(name, rich_help_panel=panel)(command)
# numerical libraries take their number of threads when they are imported
ONE_THREAD = ("run", "check", "compare", "compare-run", "several-run")


@app.callback()
def common_options(
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show the traceback of any error. May follow the command."),
    ] = False,
) -> None:
    """Sparse principal component analysis: solvers, datasets, comparisons, and the papers' figures.

    A wrong argument or file is reported in one line, with exit code 2. Any other error is a bug in
    spcabench, and shows its traceback: please report it.
    """


def _warn(words: str) -> None:
    print(f"spcabench: warning: {words}", file=sys.stderr)


def main() -> None:
    """Run the command that the user typed."""
    words = [word for word in sys.argv[1:] if word != "--debug"]
    if words[:1] and words[0] in ONE_THREAD:
        machine.pin_threads()
    supervisor.raise_on_termination()
    machine.warn_of_mixed_checkouts(_warn)
    try:
        app(options.with_values(words))
    except (InputError, OSError) as error:
        if isinstance(error, OSError) and not _is_about(error, words):
            raise
        if len(words) < len(sys.argv[1:]):
            traceback.print_exc()
        else:
            print(f"spcabench: {_in_one_line(error)}", file=sys.stderr)
        sys.exit(2)


def _is_about(error: OSError, words: list[str]) -> bool:
    """Whether an error is about a file that the user typed, or one in a folder so typed."""
    if not isinstance(error.filename, str | Path):
        return False
    file = Path(error.filename).resolve()
    typed = [Path(word.rpartition("=")[2]).resolve() for word in words[1:] if word]
    return any(path == file or path in file.parents or file in path.parents for path in typed)


def _in_one_line(error: InputError | OSError) -> str:
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())


if __name__ == "__main__":
    main()
