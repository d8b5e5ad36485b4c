"""The command line application: commands, help panels and error reports."""

import _thread
import errno
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from spcabench import files, machine
from spcabench.cli import (
    advise,
    apply,
    best_known,
    claim,
    compare,
    doctor,
    figures,
    grade,
    options,
    report,
    rerun,
    solve,
    solvers,
)
from spcabench.errors import InputError
from spcabench.files import say

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # show standard Python tracebacks
    rich_markup_mode="markdown",  # rewraps paragraphs
)
COMMANDS: dict[str, dict[str, Callable[..., Any]]] = {
    "Sparse PCA": {
        "solve": solve.solve,
        "report": report.report,
        "apply": apply.apply,
        "advise": advise.advise,
        "list": solvers.list_names,
    },
    "Solvers": {
        "new": solvers.new,
        "check": solvers.check,
        "compare": compare.compare,
        "merge": compare.merge,
        "grade": grade.grade,
        "best-known": best_known.best_known,
        "rerun": rerun.rerun,
    },
    "Figures and tables of the papers": {
        "figure": figures.make_figures,
        "claim": claim.show_claim,
        "verify": figures.verify_run,
        "publish": figures.publish_run,
        "explore": figures.explore,
    },
    "Installation and data": {"data": doctor.data, "doctor": doctor.doctor},
}
STEPS: dict[str, Callable[..., Any]] = {  # called by the Snakefile and hidden from users
    "run": figures.run_job,
    "draw": figures.draw_figure,
    "results-page": figures.write_report,
}
RENAMED = {"solvers": ("list", "solvers", "--long"), "workflow": ("figure",)}  # since 0.3.0
EXAMPLES = {
    "solve": (
        "solve pitprops -k 4 --components 3",
        "solve survey.csv -k 5:20:5 --scale --missing rows --drop id,name --plot path.png",
        "solve expression.csv --transpose --drop-text -k 25 --out loadings.csv",
        "solve survey.csv -k auto --missing rows --out model.npz",
        "solve cov.npy --covariance -k 10 --solver gpower1 --set tol=1e-8",
    ),
    "report": (
        "report survey.csv --scale --missing rows --label town",
        "report expression.csv --transpose -k 25 --components 3 --out genes.html",
    ),
    "apply": ("apply model.npz new.csv --out scores.csv",),
    "advise": ("advise 5,000 x 20,000 text -k 20", "advise genes --budget 0.01"),
    "list": ("list solvers --long", "list datasets --json"),
    "merge": ("merge results/compare/all from_cluster --name both",),
    "new": ("new solver my_method",),
    "check": ("check grqi", "check my_method.py --patience 10"),
    "grade": ("grade loadings.csv --problem pitprops -k 5",),
    "compare": ("compare grqi gpower1 --suite quick", "compare my_method.py --draft"),
    "rerun": ("rerun standard/gaussian-40/10/tpower",),
    "figure": (
        "figure",
        "figure kuleshov2013_fig2",
        "figure kuleshov2013_fig2 --out talk.pdf --width 5",
        "figure kuleshov2013_fig2 --seeds 20:40",
    ),
    "claim": ("claim K3", "claim K3 H4"),
    "publish": ("publish results/paper", "publish results/paper --only kuleshov2013_fig3"),
    "explore": ("explore results/published",),
    "data": ("data", "data --fetch docword.kos.txt.gz"),
}


for panel, commands in COMMANDS.items():
    for name, command in commands.items():
        lines = [f"`spcabench {example}`" for example in EXAMPLES.get(name, ())]
        epilog = "\n\n".join(["Examples:", *lines]) if lines else None
        app.command(name, rich_help_panel=panel, epilog=epilog)(command)
for name, command in STEPS.items():
    app.command(name, hidden=True)(command)
OWN_DATA = ("solve", "report")  # data of any size
LIGHT = (*OWN_DATA, "apply", "list", "data", "doctor", "new", "check")  # need only the core
UNWRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EPIPE)
UNLOADED = ("shared object", "map segment")  # in errors of libraries that run out of memory
TOO_SMALL = "not enough memory for the numerical libraries; raise the limit with `ulimit -v`"
AGAIN = 0.05  # seconds after which a lost interruption is raised again
LONGEST = 200  # maximum number of characters of a word in a message
COMMAND_NAMES = {*STEPS, *(name for commands in COMMANDS.values() for name in commands)}
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
        _check_folder()
        machine.warn_of_mixed_checkouts(_warn)
        if "--help" not in arguments and machine.is_too_small_for_libraries(machine.memory_limit()):
            raise InputError(TOO_SMALL)
        first, *others = arguments or [""]
        present = [*RENAMED[first], *others] if first in RENAMED else arguments
        large = bool(present) and present[0] in OWN_DATA
        limited = machine.limited_memory() if large else nullcontext()
        with limited, _no_interruption_is_lost():
            code = app(options.with_values(present) or ["--help"], standalone_mode=False) or 0
        if present != arguments:  # after the command, because errors must consist of a single line
            new = " ".join(RENAMED[first])
            _warn(f"`{first}` is now `{new}`; the old name will be removed in version 0.4")
        sys.stdout.flush()  # report a full disk here and not when Python exits
        sys.exit(code)
    except (InputError, UsageError, MemoryError, OSError, ImportError) as failure:
        error = _of_the_user(failure, arguments)
        if len(arguments) < len(sys.argv[1:]):
            traceback.print_exc()
        else:
            say(f"spcabench: {_in_one_line(error)}", file=sys.stderr)
        sys.exit(2)


def _raise_on_termination() -> None:
    """Raise an exception on Ctrl-C, SIGTERM or a closed terminal, so that clean-up is executed."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        # under nohup, the process must outlive its terminal
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, frame: sys.exit(128 + number))


@contextmanager
def _no_interruption_is_lost() -> Iterator[None]:
    """Raise Ctrl-C again if it is lost in a callback from compiled code.

    Such a callback, for example during the compilation of a kernel, cannot propagate exceptions.
    Python would print a traceback and continue.
    """
    before = sys.unraisablehook

    def lost(failure: Any) -> None:
        if issubclass(failure.exc_type, KeyboardInterrupt):
            threading.Timer(AGAIN, _thread.interrupt_main).start()
        elif not issubclass(failure.exc_type, InputError):  # from a timer, which raises it again
            before(failure)

    sys.unraisablehook = lost
    try:
        yield
    finally:
        sys.unraisablehook = before


def _check_folder() -> None:
    """Raise InputError if the current folder was removed, which breaks relative paths."""
    try:
        Path.cwd()
    except FileNotFoundError:
        raise InputError("the current folder no longer exists; change to another folder") from None


def _of_the_user(error: Any, arguments: list[str]) -> Any:
    """Return an error that the user can fix; raise any other error, because it is a bug."""
    if isinstance(error, InputError | UsageError | MemoryError):
        return error
    if any(word in str(error) for word in UNLOADED) and machine.memory_limit() < float("inf"):
        return InputError(TOO_SMALL)
    if isinstance(error, ModuleNotFoundError):
        return _of_an_extra(error, arguments[0])
    if isinstance(error, OSError) and error.errno in UNWRITTEN and error.filename is None:
        files.give_up()
        return InputError(f"the output cannot be written ({error.strerror})")
    if isinstance(error, OSError) and _is_about(error, arguments):
        return error
    raise error


def _of_an_extra(error: ModuleNotFoundError, command: str) -> InputError:
    """Return the error for a missing optional library; raise it again for other libraries."""
    library = (error.name or "").partition(".")[0]
    if machine.extra_of(library) == "all":
        raise error
    return machine.missing(library, "" if command in LIGHT else "bench")


def _is_about(error: OSError, arguments: list[str]) -> bool:
    """Whether an error concerns a path in the arguments, or a file inside such a folder."""
    if not isinstance(error.filename, str | Path):
        return False
    file = Path(error.filename).resolve()
    typed = [Path(word.rpartition("=")[2]).resolve() for word in arguments[1:] if word]
    return any(path == file or path in file.parents or file in path.parents for path in typed)


def _in_one_line(error: Exception) -> str:
    """Return the message of an error on one line, with very long words shortened."""
    message = str(error)
    if isinstance(error, OSError):
        message = f"{error.filename}: {error.strerror}"
    elif isinstance(error, MemoryError):
        message = f"not enough memory ({error})"
    elif isinstance(error, UsageError):
        message = error.format_message().rstrip(".").replace("Value error, ", "", 1)
        message = f"{message}. See `{_help_of(error)}`."
    shortened = (
        word if len(word) <= LONGEST else f"{word[:30]}...{word[-30:]}" for word in message.split()
    )
    return " ".join(shortened)


def _help_of(error: Any) -> str:
    path = error.ctx.command_path.split() if error.ctx else []
    return " ".join(["spcabench", *(word for word in path if word in COMMAND_NAMES), "--help"])
