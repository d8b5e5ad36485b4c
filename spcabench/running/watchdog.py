"""A second process, which ends this one if it hangs in compiled code.

Python hears a signal between two steps of its own only, so code that never comes back is ended from
outside. This process writes the time by which it must have come back into a memory that both share,
and the other looks at it. That one is this file, run as a program.
"""

import ctypes
import mmap
import os
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import inf
from time import monotonic, sleep
from typing import Any

LATER = 5.0  # seconds after a limit, in which Python itself may end what takes too long
LOOK = 0.5  # seconds between two looks
TIMES = struct.Struct("dd")  # when this process must have come back, and the limit that it has
_shared: list[Any] = [bytearray(TIMES.pack(inf, inf))]


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Limit the seconds of what is done inside, if a process watches (`watched`)."""
    before = _shared[-1][:]
    TIMES.pack_into(_shared[-1], 0, monotonic() + seconds + LATER, seconds)
    try:
        yield
    finally:
        _shared[-1][:] = before


@contextmanager
def watched(who: str) -> Iterator[None]:
    """Start the process that looks: it says in one line who did not come back, exit code 1."""
    in_memory = getattr(os, "memfd_create", None)  # on Linux
    with os.fdopen(in_memory("times"), "r+b") if in_memory else tempfile.TemporaryFile() as file:
        file.write(TIMES.pack(inf, inf))
        file.flush()
        words = [sys.executable, "-I", __file__, str(file.fileno()), who]
        with (
            mmap.mmap(file.fileno(), TIMES.size) as times,
            subprocess.Popen(
                words,
                pass_fds=[file.fileno()],
                stdin=subprocess.DEVNULL,
                process_group=0,  # which Ctrl-C does not reach
            ) as process,
            _ended_by_a_hangup(),
        ):
            _shared.append(times)
            try:
                yield
            finally:
                _shared.pop()
                process.kill()


@contextmanager
def _ended_by_a_hangup() -> Iterator[None]:
    """Let SIGHUP end this process with exit code 1, without a step of Python's."""
    before = signal.getsignal(signal.SIGHUP)
    if before == signal.SIG_IGN:  # under nohup; it is killed then
        yield
        return
    libc = ctypes.CDLL(None)
    libc.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]
    libc.signal(signal.SIGHUP, ctypes.cast(libc._exit, ctypes.c_void_p))  # gets the number, 1
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


def _end(pid: int, line: str) -> None:
    """End a process and all below it but this one, with a line."""
    import psutil

    process = psutil.Process(pid)
    for child in process.children(recursive=True):
        if child.pid != os.getpid():
            child.kill()
    with suppress(OSError):
        os.write(2, os.fsencode(f"{line}\n"))
    process.send_signal(signal.SIGHUP)
    with suppress(psutil.TimeoutExpired):
        process.wait(1.0)
        return
    process.kill()


def main() -> None:
    """Look at the memory that is named, until the time is over or the process above has ended."""
    home = os.getppid()
    with mmap.mmap(int(sys.argv[1]), TIMES.size) as times:
        while os.getppid() == home:
            over, seconds = TIMES.unpack(times)
            if monotonic() > over:
                line = (
                    f"{sys.argv[2]}: it did not come back within {seconds:g} s, which is its limit"
                )
                _end(home, f"spcabench: {line}")
                return
            sleep(LOOK)


if __name__ == "__main__":
    main()
