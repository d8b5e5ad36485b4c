"""Files and streams: untrusted files are read safely, files are written atomically.

Before a file is read, it is checked to be a regular file of limited size. JSON is validated against
a type, and errors name the invalid field. A written file is complete or absent, even if the process
is killed or the disk fills up. Every text can be printed on every terminal.
"""

import codecs
import ctypes
import io
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spcabench.errors import InputError, using_file

if TYPE_CHECKING:
    from pydantic import TypeAdapter

LARGEST = 64_000_000  # maximum size in bytes of a text file that is read at once
LONGEST_FIELD = 60  # maximum length of a field's name in errors, in characters


def path_named(value: Any) -> Path:
    """Convert a value to a path; raise InputError if it cannot be the name of a file."""
    if not isinstance(value, str | Path) or str(value) in ("", ".") or "\0" in str(value):
        shown = " ".join(repr(value).split())
        raise InputError(f"file: {shown:.80}; it must be a file name or a Path")
    return Path(value)


def regular_file(file: Path | str, expected: str = "a file", largest: float = float("inf")) -> Path:
    """Return the path of a regular file of limited size, without opening it.

    expected : description of the expected file for error messages. largest : maximum size in bytes.

    Raises InputError for anything else, such as a folder, a device or a pipe.
    """
    path = path_named(file)
    with using_file(file):
        about = path.stat()
    if stat.S_ISDIR(about.st_mode):
        raise InputError(f"{file}: a folder; expected {expected}")
    if not stat.S_ISREG(about.st_mode):
        raise InputError(f"{file}: a device or a pipe; expected {expected}")
    if about.st_size > largest:
        raise InputError(f"{file}: {about.st_size:,} bytes; at most {largest:,.0f} are allowed")
    return path


def existing_folder(path: Path | str, expected: str) -> Path:
    """Return the path of an existing folder; raise InputError for anything else."""
    with using_file(path):
        if not Path(path).exists():
            raise InputError(f"{path}: no such folder; expected {expected}")
        if not Path(path).is_dir():
            raise InputError(f"{path}: a file; expected {expected}")
    return Path(path)


def read_bytes(file: Path | str, expected: str = "a text file") -> bytes:
    """Return the bytes of a text file, without a byte order mark."""
    path = regular_file(file, expected, LARGEST)
    with using_file(file):
        return path.read_bytes().removeprefix(codecs.BOM_UTF8)


def read_text(file: Path | str, expected: str = "a text file") -> str:
    """Return the text of a UTF-8 file."""
    with using_file(file):
        return read_bytes(file, expected).decode("utf-8")


def read_json(file: Path | str, of: Any = Mapping[str, Any], expected: str = "a JSON file") -> Any:
    """Read a JSON file as an object of the type ``of``: a dataclass, typed dict or container.

    Raises InputError if the JSON is invalid; the error names the field.
    """
    return from_json(read_bytes(file, expected), of, str(file))


def from_json(text: bytes | str, of: Any, source: str) -> Any:
    """Parse JSON as an object of the type ``of``; an InputError names the source and the field."""
    from pydantic import ValidationError

    try:
        return _adapter(of).validate_json(text, strict=True)
    except ValidationError as error:
        raise InputError(f"{source}: {_said(error)}") from None


def as_type(data: Any, of: Any, source: str) -> Any:
    """Convert plain data to the type ``of``; an InputError names the source and the field."""
    from pydantic import ValidationError

    try:
        return _adapter(of).validate_python(data)
    except ValidationError as error:
        raise InputError(f"{source}: {_said(error)}") from None


@cache
def _adapter(of: Any) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter

    return TypeAdapter(of)


def _said(error: Any) -> str:
    """Return a short description of the first error, such as "grqi.ks.0: input should be ..."."""
    first = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"]))
    if first["type"] == "json_invalid":
        return f"not JSON ({first['msg'].removeprefix('Invalid JSON: ')})"
    value = "" if first["type"] == "missing" else f", not {first['input']!r:.40}"
    return f"{where:.{LONGEST_FIELD}}{': ' if where else ''}{first['msg'].lower()}{value}"


PROBE = 4096  # size in bytes of a file that is written to test a folder


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Convert system errors, such as a full disk or a missing permission, to an InputError."""
    try:
        yield
    except OSError as error:
        # C++ libraries preserve the error number but use another message
        reason = os.strerror(error.errno) if error.errno else " ".join(str(error).split())
        if isinstance(error, shutil.Error):  # it lists all files that could not be copied
            reason = re.sub(r"\[Errno \d+\] |: '.*", "", str(error.args[0][0][2]))
        raise InputError(f"{path}: cannot be written ({reason})") from error


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a temporary folder, and remove those of processes that were killed."""
    own = "spcabench-of-"
    for left in Path(tempfile.gettempdir()).glob(f"{own}*-*"):
        pid = left.name.removeprefix(own).partition("-")[0]
        if pid.isdigit() and not _is_alive(int(pid)):
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{own}{os.getpid()}-") as folder:
        yield Path(folder)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)  # no signal is sent
    except ProcessLookupError:
        return False
    except OSError:  # a process of another user
        return True
    return True


@contextmanager
def replacing(file: Path | str) -> Iterator[Path]:
    """Yield a temporary path next to a file, and finally rename it to replace the file.

    The temporary path has the suffix of the file, because libraries infer the format from it. It
    also contains the process id, so two processes never write to the same path. After an error, the
    temporary file is removed. If the file is a link, its target is replaced. Raises InputError if
    the file cannot be written, or if it is a device or a pipe, which renaming would replace.
    """
    path = path_named(file)
    target = Path(os.path.realpath(path))
    aside = target.with_name(f".{target.stem}.{os.getpid()}{path.suffix}")
    try:
        with writing(path):
            if target.exists() and not (target.is_file() or target.is_dir()):
                raise InputError(f"{path}: cannot be written, because it is a device or a pipe")
            yield aside
            os.replace(aside, target)
    finally:
        with suppress(OSError):
            aside.unlink(missing_ok=True)


@contextmanager
def replacing_folder(folder: Path, keep: bool = False) -> Iterator[Path]:
    """Yield a temporary folder next to a folder, and finally rename it to replace the folder.

    If the process is killed, either the old or the new folder exists and is complete. If ``keep``
    is true, the temporary folder is initially a copy of the folder. Raises InputError if the folder
    cannot be written.
    """
    aside = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        with writing(folder):
            if keep and folder.exists():
                shutil.copytree(folder, aside)
            else:
                aside.mkdir(parents=True)
            yield aside
            if folder.exists():
                _exchange(aside, folder)
            else:
                aside.rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _exchange(first: Path, second: Path) -> None:
    """Swap the names of two folders, atomically if the system supports it."""
    names = (-100, os.fsencode(first.absolute()), -100, os.fsencode(second.absolute()))
    exchange = getattr(ctypes.CDLL(None), "renameat2", None)  # on Linux; 2 is RENAME_EXCHANGE
    if exchange is None or exchange(*names, 2):
        before = second.with_name(f".{second.name}.before")
        shutil.rmtree(before, ignore_errors=True)
        second.rename(before)
        first.rename(second)
        before.rename(first)


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    with replacing(path) as aside:
        aside.write_text(text, encoding="utf-8")


def write_picture(path: Path, figure: Any) -> None:
    """Write a Matplotlib figure atomically.

    The figure is rendered in memory first, because Matplotlib hides the error of a full disk.
    """
    # without a date, the same figure gives the same file, and git shows no change
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix)
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:], metadata=metadata)
    with replacing(path) as aside:
        aside.write_bytes(picture.getvalue())


def write_changed(path: Path, text: str) -> None:
    """Write a text file and create its folder; leave the file untouched if the text is the same."""
    make_folder(path.parent)
    with writing(path):
        same = path.exists() and path.read_bytes() == text.encode()
    if not same:
        write_text(path, text)


def append(path: Path, text: str) -> None:
    """Append to a text file; if the text does not fit on the disk, the file remains unchanged."""
    before = path.stat().st_size if path.exists() else None
    try:
        with writing(path), path.open("a", encoding="utf-8") as stream:
            stream.write(text)
    except InputError:
        with suppress(OSError):
            path.unlink(missing_ok=True) if before is None else os.truncate(path, before)
        raise


def make_folder(folder: Path) -> None:
    """Create a folder and its parents."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)


def check_room(folder: Path) -> None:
    """Create a folder, and raise InputError if a small file cannot be written to it."""
    make_folder(folder)
    probe = folder / f".room.{os.getpid()}"
    try:
        with writing(folder):
            probe.write_bytes(bytes(PROBE))
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)


HANDLER = "spcabench"  # error handler for characters that a stream cannot encode
PLAIN = {
    **dict.fromkeys("─━═╌–−‐", "-"),
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯╷╵", "+"),
    **{"≤": "<=", "≥": ">=", "µ": "u", "μ": "u", "×": "x", "●": "*", "■": "#", "○": "o"},
    **{"…": "...", "’": "'", "“": '"', "”": '"', "Σ": "Sigma", "é": "e"},
}


# characters that move the cursor or change the text direction, except line breaks and tabs
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    r"""Replace control characters, except line breaks and tabs, with codes such as \x1b."""
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def one_line(text: str) -> str:
    """Return a text without line breaks, with which it could imitate other lines of a list."""
    return " ".join(text.split())


def say(*words: Any, **how: Any) -> None:
    """Print untrusted text: call `print` with `plain` applied to each argument."""
    print(*(plain(str(word)) for word in words), **how)


def width() -> int:
    """Return the line width in characters: 20 to 100 in a terminal, and 100 in a file."""
    return max(20, min(shutil.get_terminal_size((100, 24)).columns, 100))


def accept_every_character() -> None:
    """Configure the streams of this process to print any text in any encoding."""
    codecs.register_error(HANDLER, _readable)
    # a stream is None if the shell closed it (`>&-`)
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # a forked process inherits configured streams, which cannot be configured again
        if isinstance(stream, io.TextIOWrapper) and stream.errors != HANDLER:
            stream.reconfigure(errors=HANDLER)


def give_up() -> None:
    """Redirect the output to the null device, because flushing the buffer would fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.__stdout__.fileno() if sys.__stdout__ else 1)


def _readable(error: UnicodeError) -> tuple[str | bytes, int]:
    """Replace characters that a stream cannot encode with similar characters or with codes."""
    assert isinstance(error, UnicodeEncodeError)
    part = error.object[error.start : error.end]
    plain_letters = (PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in part)
    return "".join(plain_letters), error.end
