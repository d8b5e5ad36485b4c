"""Atomic writes: a file is complete or absent, even if the process is killed or the disk full."""

import ctypes
import io
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from spcabench import opening
from spcabench.errors import InputError

PROBE = 4096  # bytes of a file by which a folder is tried


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the system refuses in writing a file (a full disk, no permission) into one line.

    Raises InputError.
    """
    try:
        yield
    except OSError as error:
        # libraries in C++ know the number and have words of their own
        reason = os.strerror(error.errno) if error.errno else " ".join(str(error).split())
        if isinstance(error, shutil.Error):  # a list of all files that could not be copied
            reason = re.sub(r"\[Errno \d+\] |: '.*", "", str(error.args[0][0][2]))
        raise InputError(f"{path}: cannot be written ({reason})") from error


@contextmanager
def replacing(file: Path | str) -> Iterator[Path]:
    """A temporary path beside a file, which is renamed at the end, or removed after an error.

    It has the same suffix, from which libraries know the format, and holds the process id, so that
    two processes do not write to the same path. If the file is a link, the link stays and its
    target is replaced. Raises InputError for a device or a pipe, which renaming would replace, and
    if the system refuses to write.
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
    """A folder beside another one, which it replaces at the end.

    Whenever the process is killed, the one or the other is whole there.

    keep : whether it begins as a copy. Raises InputError if the system refuses it.
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
    """Let two folders change names: in one step where the system can, else nearly so."""
    names = (-100, os.fsencode(first.absolute()), -100, os.fsencode(second.absolute()))
    exchange = getattr(ctypes.CDLL(None), "renameat2", None)  # of Linux; 2 is RENAME_EXCHANGE
    if exchange is None or exchange(*names, 2):
        before = second.with_name(f".{second.name}.before")
        shutil.rmtree(before, ignore_errors=True)
        second.rename(before)
        first.rename(second)
        before.rename(first)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole."""
    with replacing(path) as aside:
        aside.write_text(text, encoding="utf-8")


def write_picture(path: Path, figure: Any, **how: Any) -> None:
    """Write a figure of Matplotlib whole.

    It is made in memory: what Matplotlib does on a full disk hides what the system said.
    """
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:], **how)
    with replacing(path) as aside:
        aside.write_bytes(picture.getvalue())


def write_changed(path: Path, text: str) -> None:
    """Write a text file only if its content changes, which keeps its time; make its folder."""
    make_folder(path.parent)
    with writing(path):
        same = path.exists() and path.read_bytes() == text.encode()
    if not same:
        write_text(path, text)


def append(path: Path, text: str) -> None:
    """Append to a text file; if not all of it fits, the file stays as it was."""
    before = path.stat().st_size if path.exists() else None
    try:
        with writing(path), path.open("a", encoding="utf-8") as stream:
            stream.write(text)
    except InputError:
        with suppress(OSError):
            path.unlink(missing_ok=True) if before is None else os.truncate(path, before)
        raise


def make_folder(folder: Path) -> None:
    """Make a folder, and those that it lies in."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)


def check_room(folder: Path) -> None:
    """Make a folder, and raise InputError if not even a small file can be written to it."""
    make_folder(folder)
    probe = folder / f".room.{os.getpid()}"
    try:
        with writing(folder):
            probe.write_bytes(bytes(PROBE))
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)
