"""Confine the process of a third-party solver with Landlock, namespaces and a filter, on Linux.

A confined process, and every process that it starts, can only write to its own folder and to
devices such as /dev/null. It cannot read the plan, the rows or the files of the workflow, inspect
other processes, send them signals, or open terminals or TCP connections (Landlock). It has its own
shared memory, message queues, keyrings and network, and the files of the system are read-only
(namespaces), so it cannot leave anything for another process. `spcabench doctor` reports whether
the system provides both; Landlock exists since Linux 5.13.

A filter of system calls (seccomp) ensures that all processes that it starts remain its descendants,
and that the system adds up their processor time. Otherwise, they could compute unnoticed.
"""

import ctypes
import errno
import os
import platform
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from spcabench.running.supervisor import SET_CHILD_SUBREAPER

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
# terminals are missing here, so a process can neither write to them nor read from them
ALLOWED_DEVICES = ("null", "zero", "full", "random", "urandom", "shm")
# namespaces of users, mounts, inter-process communication and networks; unshare(2)
NAMESPACES = 0x10000000 | 0x20000 | 0x8000000 | 0x40000000
# mount(2) and mount_setattr(2)
SET_ATTRIBUTES, HERE, RECURSIVE, READ_ONLY = 442, -100, 0x8000, 1
BIND, PRIVATE, NO_SET_USER, NO_DEVICES = 0x1000, 0x4000 | 0x40000, 2, 4
# capset(2): version of its structures; CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
CAPABILITIES, KEPT = 0x20080522, 0b110
SHARED_MEMORY, SOCKETS = Path("/dev/shm"), Path("/proc/net/unix")
# /proc/PID/net, also in task, has the addresses of sockets, where processes that fork others listen
OF_NETWORK = ("net", "task")
# seccomp(2): a program for each system call, whose instructions have a code, jumps and a number
SET_FILTER, OF_INSTRUCTIONS = 22, 2
LOAD, IF_EQUAL, IF_AT_LEAST, IF_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOWED, REFUSED, MISSING = 0x7FFF0000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
CALL, ARCHITECTURE, FIRST = 0, 4, 16  # positions of the call, and of its first argument
# architecture -> its number, and those of clone, prctl, rt_sigaction, unshare, setns and ptrace
CALLS = {
    "x86_64": (0xC000003E, 56, 157, 13, 272, 308, 101),
    "aarch64": (0xC00000B7, 220, 167, 134, 97, 268, 117),
}
CLONE3, OTHER_CALLS = 435, 0x40000000
# flags of clone(2): the same parent, and new namespaces of all kinds
CLONE_FLAGS = 0x8000 | 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x70000000


def map_users(pid: int) -> None:
    """Give users the same numbers in the namespaces of another process as in those of this one."""
    folder, own = PROCESSES / str(pid), PROCESSES / "self"
    if os.geteuid():  # only root can map users other than itself
        (folder / "setgroups").write_text("deny")
    for name, number in (("uid_map", os.geteuid()), ("gid_map", os.getegid())):
        ranges = [f"{number} {number} 1"]
        if not os.geteuid():
            rows = map(str.split, (own / name).read_text().splitlines())
            ranges = [f"{first} {first} {count}" for first, _, count in rows]
        (folder / name).write_text("\n".join(ranges))


@lru_cache
def version() -> int:
    """Return the version of Landlock that this system provides; 0 if it provides none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(_call(CREATE_RULESET, None, 0, VERSION), 0)


def confine(
    folder: Path, hidden: Collection[Path], shown: Collection[Path], mapped: Callable[[], None]
) -> None:
    """Confine this process, which must have a single thread, for the rest of its life.

    folder : the only folder in which it can create or change files. hidden : folders that it cannot
    read, except for the files and folders ``shown``. mapped : asks another process for `map_users`,
    and returns when that is done.
    """
    separate(folder, mapped)
    if sys.platform.startswith("linux"):
        _library().prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)  # required by the other two
        _keep_descendants()
    if version():
        _restrict(folder, hidden, shown)


def separate(folder: Path, mapped: Callable[[], None]) -> bool:
    """Move this process into namespaces in which only the files of a folder can be changed.

    Its shared memory is empty there, and it has no network. Services that already listen on a
    socket in the file system cannot be reached. Returns whether the system permits all of this.
    """
    if not sys.platform.startswith("linux"):
        return False
    listening = {line.split()[-1] for line in SOCKETS.read_text().splitlines()[1:]}
    if _library().unshare(NAMESPACES):
        return False
    mapped()
    done = [
        _mount(None, "/", None, PRIVATE),
        _mount(folder, folder, None, BIND),
        _set_attributes("/", RECURSIVE, READ_ONLY, 0),
        _set_attributes(folder, 0, 0, READ_ONLY),
        _mount("tmpfs", SHARED_MEMORY, "tmpfs", NO_SET_USER | NO_DEVICES),
        *(_mount(os.devnull, path, None, BIND) for path in listening if os.path.exists(path)),
    ]
    _drop_capabilities()  # otherwise the process could undo all of it
    return all(done)


def can_separate() -> bool:
    """Return whether this system permits all that `separate` does; tried in a new process."""
    if not sys.platform.startswith("linux"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", __spec__.name, folder]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            if process.stdout and process.stdin and process.stdout.readline():
                with suppress(OSError):
                    map_users(process.pid)
                process.stdin.close()
        return process.returncode == 0


def _try_to_separate() -> None:
    """Separate this process, which `can_separate` has started, and exit with 0 on success."""

    def mapped() -> None:
        print("to be mapped", flush=True)
        sys.stdin.read()

    sys.exit(not separate(Path(sys.argv[1]), mapped))


def _restrict(folder: Path, hidden: Collection[Path], shown: Collection[Path]) -> None:
    """Apply the rules of Landlock to this process."""
    rights = (1 << RIGHTS.get(version(), RIGHTS[max(RIGHTS)])) - 1
    tcp = TCP if version() >= FIRST_WITH_TCP else 0
    scopes = SCOPES if version() >= FIRST_WITH_SCOPES else 0
    size = 8 * (1 + (version() >= FIRST_WITH_TCP) + (version() >= FIRST_WITH_SCOPES))
    ruleset = _call(CREATE_RULESET, struct.pack("QQQ", rights, tcp, scopes), size, 0)
    unread = {DEVICES, *(path.resolve() for path in hidden)}
    for path in (*_visible(Path("/"), unread), *_about_this_process(), *shown):
        _allow(ruleset, path.resolve(), READ)
    for path in (folder, *(DEVICES / name for name in ALLOWED_DEVICES)):
        _allow(ruleset, path.resolve(), rights)
    _call(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _keep_descendants() -> None:
    """Refuse the system calls by which a process could leave the descendants of this one unnoticed.

    It could make the parent of its parent its own parent (clone), not be adopted when its parent
    ends (prctl), or end without its processor time being added to that of its parent, if the parent
    ignores SIGCHLD (rt_sigaction, or the end of a namespace). Calls of other architectures, and a
    variant of clone whose arguments a filter cannot read, are refused, too.
    """
    if platform.machine() not in CALLS:
        return
    architecture, clone, prctl, set_signal, *others = CALLS[platform.machine()]
    # code, number of instructions to skip if a test is true and if it is false, operand
    instructions = [
        (LOAD, 0, 0, ARCHITECTURE),
        (IF_EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, REFUSED),
        (LOAD, 0, 0, CALL),
        (IF_AT_LEAST, 0, 1, OTHER_CALLS),
        (RETURN, 0, 0, REFUSED),
        (IF_EQUAL, 0, 1, CLONE3),
        (RETURN, 0, 0, MISSING),
        *_refused(clone, IF_ANY_BIT, CLONE_FLAGS),
        *_refused(prctl, IF_EQUAL, SET_CHILD_SUBREAPER),
        *_refused(set_signal, IF_EQUAL, signal.SIGCHLD),
        *(each for call in others for each in _refused(call, IF_AT_LEAST, 0)),
        (RETURN, 0, 0, ALLOWED),
    ]
    program = b"".join(struct.pack("HBBI", *instruction) for instruction in instructions)
    stored = ctypes.create_string_buffer(program)
    described = struct.pack("HP", len(instructions), ctypes.addressof(stored))
    _library().prctl(SET_FILTER, OF_INSTRUCTIONS, described, 0, 0)


def _refused(call: int, test: int, operand: int) -> list[tuple[int, int, int, int]]:
    """Return the instructions that refuse a system call if its first argument passes a test."""
    return [
        (IF_EQUAL, 0, 4, call),
        (LOAD, 0, 0, FIRST),
        (test, 1, 0, operand),
        (RETURN, 0, 0, ALLOWED),
        (RETURN, 0, 0, REFUSED),
    ]


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


def _mount(source: object, target: object, kind: str | None, flags: int) -> bool:
    """Mount a file system; return whether that succeeded."""
    words = (None if word is None else str(word).encode() for word in (source, target, kind))
    return bool(_library().mount(*words, ctypes.c_ulong(flags), None) == 0)


def _set_attributes(path: object, flags: int, added: int, removed: int) -> bool:
    """Change the attributes of a mounted file system; return whether that succeeded."""
    attributes = struct.pack("4Q", added, removed, 0, 0)
    words = (SET_ATTRIBUTES, HERE, str(path).encode(), flags, attributes, len(attributes))
    return _call(*words) == 0


def _drop_capabilities() -> None:
    """Give up the capabilities of this process, except those to read and write any file."""
    kept = struct.pack("6I", KEPT, KEPT, 0, 0, 0, 0)  # effective, permitted, inheritable; twice 32
    _library().capset(struct.pack("Ii", CAPABILITIES, 0), kept)


@lru_cache
def _library() -> Any:
    """Return the library of C, which has the functions of the system."""
    return ctypes.CDLL(None)


def _call(*words: int | bytes | None) -> int:
    """Make a system call with numbers and buffers; it returns -1 if it fails."""
    kinds: dict[type, Any] = {int: ctypes.c_long, bytes: ctypes.c_char_p}
    arguments = (kinds.get(type(word), ctypes.c_void_p)(word) for word in words)
    return int(_library().syscall(*arguments))


if __name__ == "__main__":
    _try_to_separate()
