"""Confine the process of a stranger's solver with Landlock, which Linux has had since 5.13.

A confined process, and every process that it starts, can write only to its own folder and to
devices. It cannot read the plan, the rows or the workflow's files, look into other processes, send
them signals or open TCP connections. Elsewhere nothing is confined, as `spcabench doctor` reports.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

# numbers of system calls, the same on all architectures of the last ten years; landlock(7)
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION, PATH_BENEATH, NO_NEW_PRIVILEGES = 1, 1, 38
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE = 1, 1 << 1, 1 << 2, 1 << 3, 1 << 14
READ = EXECUTE | READ_FILE | READ_DIR
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE  # rights that a rule for a file may contain
# version of Landlock -> number of rights on files; before version 3 it ignores truncation
RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
TCP, SCOPES = 0b11, 0b11  # binding and connecting; abstract Unix sockets and signals
FIRST_WITH_TCP, FIRST_WITH_SCOPES = 4, 6
PROCESSES, DEVICES = Path("/proc"), Path("/dev")
# /proc/PID/net, also in task, has the addresses of sockets, where processes that fork others listen
OF_NETWORK = ("net", "task")


@lru_cache
def version() -> int:
    """Return the version of Landlock that this system provides; 0 if it provides none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(_call(CREATE_RULESET, None, 0, VERSION), 0)


def confine(folder: Path, hidden: Collection[Path], shown: Collection[Path] = ()) -> None:
    """Confine this process, which must have a single thread, for the rest of its life.

    folder : the only folder in which it can create or change files. hidden : folders that it cannot
    read, except for the files ``shown``.
    """
    if not version():
        return
    rights = (1 << RIGHTS.get(version(), RIGHTS[max(RIGHTS)])) - 1
    tcp = TCP if version() >= FIRST_WITH_TCP else 0
    scopes = SCOPES if version() >= FIRST_WITH_SCOPES else 0
    size = 8 * (1 + (version() >= FIRST_WITH_TCP) + (version() >= FIRST_WITH_SCOPES))
    ruleset = _call(CREATE_RULESET, struct.pack("QQQ", rights, tcp, scopes), size, 0)
    unread = {path.resolve() for path in hidden}
    for path in (*_visible(Path("/"), unread), *_about_this_process(), *shown):
        _allow(ruleset, path.resolve(), READ)
    for path in (folder, DEVICES):
        _allow(ruleset, path.resolve(), rights)
    ctypes.CDLL(None).prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    _call(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _visible(folder: Path, hidden: Collection[Path]) -> Iterator[Path]:
    """Yield the largest folders and the files below a folder that are outside the hidden ones.

    Landlock can only allow, and what it allows for a folder it allows for everything below. Links
    are left out: where they lead, the rule for their target holds.
    """
    for path in _entries(folder):
        if path == PROCESSES:
            yield from (each for each in _entries(path) if not each.name.isdecimal())
        elif not any(other.is_relative_to(path) for other in hidden):
            yield path
        elif path not in hidden:
            yield from _visible(path, hidden)


def _about_this_process() -> Iterator[Path]:
    """Yield the files about this process, but not those about the sockets of others."""
    folder = PROCESSES / str(os.getpid())
    yield from (path for path in _entries(folder) if path.name not in OF_NETWORK)


def _entries(folder: Path) -> list[Path]:
    """Return the files and folders in a folder, without links."""
    with suppress(OSError), os.scandir(folder) as entries:
        return [Path(entry.path) for entry in entries if not entry.is_symlink()]
    return []


def _allow(ruleset: int, path: Path, rights: int) -> None:
    """Grant rights to a file, or to a folder and everything below it, if it exists."""
    with suppress(OSError):
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            rights &= rights if path.is_dir() else OF_FILES
            _call(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", rights, opened), 0)
        finally:
            os.close(opened)


def _call(*words: int | bytes | None) -> int:
    """Make a system call with numbers and buffers; it returns -1 if it fails."""
    kinds: dict[type, Any] = {int: ctypes.c_long, bytes: ctypes.c_char_p}
    arguments = (kinds.get(type(word), ctypes.c_void_p)(word) for word in words)
    return int(ctypes.CDLL(None).syscall(*arguments))
