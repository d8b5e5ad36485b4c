"""Atomic writes: a file is complete or absent, even if the process is killed or the disk fills."""

import ctypes
import io
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from spcabench import opening
from spcabench.errors import InputError

PROBE = 4096  # size in bytes of a file that is written to test a folder
LONGEST = 70  # maximum length in bytes of a folder for sockets, whose paths have at most 103 bytes


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


def temporary() -> Path:
    """Return the folder for temporary files; raise InputError if it cannot contain sockets."""
    folder = tempfile.gettempdir()
    if (length := len(os.fsencode(folder))) > LONGEST:
        raise InputError(
            f"TMPDIR: {folder} has {length} bytes; at most {LONGEST} are allowed, because the "
            "paths of sockets are limited"
        )
    return Path(folder)


@contextmanager
def replacing(file: Path | str) -> Iterator[Path]:
    """Yield a temporary path next to a file, and finally rename it to replace the file.

    The temporary path has the suffix of the file, because libraries infer the format from it. It
    also contains the process id, so two processes never write to the same path. After an error, the
    temporary file is removed. If the file is a link, its target is replaced. Raises InputError if
    the file cannot be written, or if it is a device or a pipe, which renaming would replace.
    """
    path = opening.path_named(file)
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


def write_picture(path: Path, figure: Any, **how: Any) -> None:
    """Write a Matplotlib figure atomically.

    The figure is rendered in memory first, because Matplotlib hides the error of a full disk.
    """
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:], **how)
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
