"""Errors that users and authors of solvers can fix, and one-line descriptions of errors."""

import difflib
import json
import textwrap
import traceback
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

LONGEST_MESSAGE = 100  # maximum length of an error's message in characters
LISTED = 75  # maximum length of a list of known names in errors, in characters
LONGEST_QUOTE = 60  # maximum length of a quoted line in characters

Function = TypeVar("Function", bound=Callable[..., Any])


class InputError(ValueError):
    """An invalid argument, file or setting, which the user can fix.

    The message is a single line that states the error and how to fix it. The command line prints it
    and exits with code 2. Any other exception is a bug and is shown with its traceback.

    advice : options with which the command works; the command line prints the whole command.
    """

    def __init__(self, message: str, advice: Sequence[str] = ()) -> None:
        # names of files and columns, and messages of libraries, can contain line breaks
        super().__init__(" ".join(message.splitlines()))
        self.advice = [*advice]


class NotNumbersError(InputError, TypeError):
    """Data that are no matrix of numbers, which scikit-learn's conventions call a TypeError."""


class SolverError(RuntimeError):
    """A violation of the contract by a solver, which its author can fix."""


class CertificateError(ArithmeticError):
    """A certified bound below a value that was reached, which is a bug of this package.

    The message names the solver and the problem, and asks the user to report the bug.
    """


def below(value: float, bound: float, where: str, name: str) -> CertificateError:
    """Return the error for a value that exceeds a certified bound.

    where : the solver and the problem. name : the bound in words.
    """
    return CertificateError(
        f"{where}: variance {value:.12g} exceeds {name}, {bound:.12g}. This is a bug of spcabench; "
        "please report it with these data, and do not use the bound"
    )


def nearest(kind: str, name: str, names: Iterable[str], owner: str = "") -> str:
    """Return an error message that rejects an unknown name and suggests the most similar one.

    owner : the object, such as a solver, that does not have an element with this name.
    """
    names = sorted(names)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    unknown = f"{owner} has no {kind} {shown(name)}" if owner else f"unknown {kind} {shown(name)}"
    if close:
        return f"{unknown}; did you mean {close[0]!r}?"
    return f"{unknown}; choose from {few(names)}" if names else f"{unknown}; none exist"


def few(names: Iterable[str]) -> str:
    """Return a list of names in a sentence, which is cut if it is long."""
    return textwrap.shorten(", ".join(names), LISTED, placeholder=" ...")


def shown(value: Any) -> str:
    """Return a short representation of a value on one line."""
    return f"{' '.join(repr(value).split()):.60}"


@contextmanager
def using_file(file: Path | str) -> Iterator[None]:
    """Convert errors in reading or writing a user's file to an `InputError`.

    These errors include a missing file, a missing permission, a damaged gzip file, text that is not
    UTF-8, and invalid JSON.
    """
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{file}: no such file") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{file}, line {error.lineno}: not JSON ({error.msg})") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not {error.encoding} text ({error.reason})") from error
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}") from error
    except (EOFError, zlib.error) as error:
        raise InputError(f"{file}: damaged file ({error})") from error


def last_frame(error: BaseException, *files: Path) -> str:
    """Return the innermost line of a traceback that is in one of these files, or "".

    For example, "mine.py, line 23: x = A @ y".
    """
    own = {file.resolve() for file in files}
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename).resolve() in own:
        return _line(error.filename, error.lineno, error.text)
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if Path(frame.filename).resolve() in own:
            return _line(frame.filename, frame.lineno, frame.line)
    return ""


def _line(file: str, number: int | None, text: str | None) -> str:
    quoted = (text or "").strip()
    quoted = quoted if len(quoted) <= LONGEST_QUOTE else f"{quoted[: LONGEST_QUOTE - 3]}..."
    return f"{Path(file).name}, line {number}: {quoted}"


def in_one_line(error: BaseException, *files: Path) -> str:
    """Return the type and message of an error, and the line of these files where it occurred.

    For example, "ValueError: operands could not be broadcast together (mine.py, line 23: x = A @
    y)".
    """
    words, where = _words(error), last_frame(error, *files)
    return type(error).__name__ + (f": {words}" if words else "") + (f" ({where})" if where else "")


def _words(error: BaseException) -> str:
    """Return the message of an error as one line that any terminal can display."""
    try:
        text = str(error.msg if isinstance(error, SyntaxError) else error)
    except Exception as another:  # an error class defined in a third-party file can fail itself
        return f"its message cannot be read ({type(another).__name__})"
    text = " ".join(text.split()).encode("utf-8", "backslashreplace").decode("utf-8")
    return (
        text
        if len(text) <= LONGEST_MESSAGE
        else f"{text[: LONGEST_MESSAGE // 2]}...{text[3 - LONGEST_MESSAGE // 2 :]}"
    )


# Names of version 0.3.0 and their present names. They work in this release, with a warning.
ARGUMENTS = {"problem": "X", "name": "solver", "cardinalities": "k", "ks": "k"}
ARGUMENTS |= {"seed": "random_state"}
OF_COST = "flops setup_flops counted solve_time setup_time compile_time cpu_time wall_time waited"
ATTRIBUTES = {  # of a Result
    **{name: f"cost.{name}" for name in f"{OF_COST} phases search flags".split()},
    **{"own": "claim.own", "why": "claim.why"},
    **{"claimed": "claim.bound", "claimed_whp": "claim.bound_whp"},
    **{name: f"traits.{name}" for name in ("rectangular", "formulation")},
}


def deprecated(old: str, new: str) -> None:
    """Warn that an old name still works in this release."""
    warnings.warn(
        f"{old} is deprecated and will be removed in the next release; use {new}",
        DeprecationWarning,
        stacklevel=3,
    )


def earlier_attribute(value: Any, name: str) -> Any:
    """Return an attribute by its earlier name, with a warning."""
    if name not in ATTRIBUTES:
        raise AttributeError(f"{type(value).__name__!r} object has no attribute {name!r}")
    deprecated(f"Result.{name}", f"Result.{ATTRIBUTES[name]}")
    return attrgetter(ATTRIBUTES[name])(value)


def renamed(
    arguments: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None,
) -> Callable[[Function], Function]:
    """Let a function accept the earlier names of its arguments, with a warning.

    arguments : converts other keywords, which were settings of the solver, to arguments.
    """

    def decorate(function: Function) -> Function:
        known = [*signature(function).parameters]

        @wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            # a setting could have the name that an argument has now
            old = {n: given.pop(n) for n in [*given] if n not in known or n in known[: len(args)]}
            for name in [name for name in old if ARGUMENTS.get(name) in known]:
                deprecated(f"{function.__name__}: {name}", ARGUMENTS[name])
                given[ARGUMENTS[name]] = old.pop(name)
            if old and arguments is not None:
                deprecated(
                    f"{function.__name__}: {', '.join(old)}",
                    "settings={...} and limits=Limits(...)",
                )
                given |= arguments({**(given.get("settings") or {}), **old})
                old = {}
            return function(*args, **given, **old)

        return call  # type: ignore[return-value]

    return decorate
