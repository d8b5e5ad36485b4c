"""The command line application: commands, help panels and error reports."""

import errno
import faulthandler
import os
import shlex
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import nullcontext
from typing import Annotated, Any

import typer

from spcabench import files, machine
from spcabench.cli import (
    advise,
    apply,
    best_known,
    compare,
    doctor,
    figures,
    gone,
    grade,
    groups,
    merge,
    options,
    report,
    rerun,
    results,
    solve,
    solvers,
    steps,
)
from spcabench.errors import InputError, SolverError
from spcabench.files import say

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # show standard Python tracebacks
    rich_markup_mode="markdown",  # rewraps paragraphs
)
COMMANDS: dict[str, dict[str, Callable[..., Any]]] = {
    "Sparse PCA": {
        "solve": groups.expanded(solve.solve),
        "report": groups.expanded(report.report),
        "apply": groups.expanded(apply.apply),
        "advise": advise.advise,
        "list": solvers.list_names,
    },
    "Solvers": {
        "new": solvers.new,
        "check": solvers.check,
        "compare": compare.compare,
        "merge": merge.merge,
        "grade": groups.expanded(grade.grade),
        "best-known": best_known.best_known,
        "rerun": rerun.rerun,
    },
    "Figures and tables of the papers": {
        "figure": figures.make_figures,
        "claim": results.show_claim,
        "verify": results.verify_run,
        "publish": results.publish_run,
        "explore": results.explore,
    },
    "Installation and data": {"data": doctor.data, "doctor": doctor.doctor},
}
STEPS: dict[str, Callable[..., Any]] = {  # called by the Snakefile and hidden from users
    "run": steps.run_job,
    "draw": steps.draw_figure,
    "results-page": steps.write_report,
}
for panel, commands in COMMANDS.items():
    for name, command in commands.items():
        app.command(name, rich_help_panel=panel)(command)
for name, command in STEPS.items():
    app.command(name, hidden=True)(command)
OWN_DATA = (["solve"], ["report"], ["apply"], ["grade"])  # data of any size
LIGHT = ("solve", "report", "apply", "list", "data", "doctor", "new", "check")  # need only the core
UNWRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EPIPE)
LONGEST = 200  # maximum number of characters of a word in a message
# exceptions for wrong arguments; Typer does not export Click's base class
UsageError: Any = typer.BadParameter.__base__


def _show_version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version

        say(f"spcabench {version('spcabench')}")
        raise typer.Exit


@app.callback()
def common_options(
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show the traceback of an error."),
    ] = False,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", is_eager=True, callback=_show_version),
    ] = False,
) -> None:
    """Sparse PCA: solvers, datasets, comparisons and figures of the papers.

    Start with `solve FILE -k 5` for your own data, `compare my_solver.py` for your own method, or
    `figure NAME` for a figure of a paper. `list` shows all names.

    An invalid argument or file results in a one-line message and exit code 2. A traceback means
    a bug; please report it.
    """


def _warn(warning: str) -> None:
    say(f"spcabench: warning: {warning}", file=sys.stderr)


def main() -> None:
    """Run the command in the arguments of the process."""
    files.accept_every_character()
    arguments = [word for word in sys.argv[1:] if word != "--debug"]
    # Numerical libraries fix their number of threads on import. Two threads needed three times the
    # processor time of one thread for sparse components of a 50,000 x 100,000 matrix.
    machine.pin_threads()
    # pictures are written to files, and a notebook can set a backend that is not installed here
    os.environ["MPLBACKEND"] = "agg"
    _raise_on_termination()
    try:
        machine.warn_of_mixed_checkouts(_warn)
        with machine.limited_memory() if arguments[:1] in OWN_DATA else nullcontext():
            words = options.with_values(arguments) or ["--help"]
            code = app(words, prog_name="spcabench", standalone_mode=False) or 0
        sys.stdout.flush()  # report a full disk here and not when Python exits
        sys.exit(code)
    except (InputError, SolverError, UsageError, MemoryError, OSError, ImportError) as failure:
        error = _of_the_user(failure, arguments)
        if len(arguments) < len(sys.argv[1:]):
            traceback.print_exc()
        else:
            say(f"spcabench: {_in_one_line(error)}", file=sys.stderr)
            if advice := getattr(error, "advice", ()):  # the options that a table needs
                say(f"  spcabench {shlex.join([*arguments, *advice])}", file=sys.stderr)
        sys.exit(2)


def _raise_on_termination() -> None:
    """Raise an exception on Ctrl-C, SIGTERM or a closed terminal, so that clean-up is executed.

    A crash in compiled code, or SIGQUIT where Ctrl-C has no effect, shows the line in Python.
    """
    if sys.__stderr__:
        faulthandler.enable(sys.__stderr__)
        faulthandler.register(signal.SIGQUIT, sys.__stderr__, chain=True)
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        # under nohup, the process must outlive its terminal
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, frame: sys.exit(128 + number))


def _of_the_user(error: Any, arguments: list[str]) -> Any:
    """Return an error that the user can fix; raise any other error, because it is a bug."""
    if isinstance(error, UsageError) and (instead := gone.instead(arguments)):
        return InputError(instead)
    if isinstance(error, SolverError):
        file = next((f"{word}: " for word in arguments if word.endswith(".py")), "")
        return InputError(f"{file}{error}")
    if isinstance(error, InputError | UsageError | MemoryError):
        return error
    if isinstance(error, ModuleNotFoundError):
        library = (error.name or "").partition(".")[0]
        if machine.extra_of(library) != "all":
            return machine.missing(library, "" if arguments[0] in LIGHT else "bench")
    if isinstance(error, OSError) and error.errno in UNWRITTEN and error.filename is None:
        files.give_up()
        return InputError(f"the output cannot be written ({error.strerror})")
    if isinstance(error, OSError) and error.filename is not None:
        return error
    raise error


def _in_one_line(error: Exception) -> str:
    """Return the message of an error on one line, with very long words shortened."""
    message = str(error)
    if isinstance(error, OSError):
        message = f"{error.filename}: {error.strerror}"
    elif isinstance(error, MemoryError):
        message = f"not enough memory ({error})"
    elif isinstance(error, UsageError):
        command = error.ctx.command_path if error.ctx else "spcabench"
        message = f"{error.format_message().rstrip('.')}. See `{command} --help`."
    shortened = (
        word if len(word) <= LONGEST else f"{word[:30]}...{word[-30:]}" for word in message.split()
    )
    return " ".join(shortened)
