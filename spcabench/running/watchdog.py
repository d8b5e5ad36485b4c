"""A second process that kills this process if it hangs in compiled code.

Python handles signals only between two of its own instructions, so a process in compiled code that
never returns must be killed from outside. This process writes its deadline to shared memory, which
the second process checks. The second process runs this file as a program.
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

LATER = 5.0  # seconds after the limit in which Python itself can still interrupt the code
LOOK = 0.5  # seconds between two checks
TIMES = struct.Struct("dd")  # the deadline of this process, and the limit in seconds
_shared: list[Any] = [bytearray(TIMES.pack(inf, inf))]


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Limit the time of the block in seconds, if a second process watches (`watched`)."""
    before = _shared[-1][:]
    TIMES.pack_into(_shared[-1], 0, monotonic() + seconds + LATER, seconds)
    try:
        yield
    finally:
        _shared[-1][:] = before


@contextmanager
def watched(who: str) -> Iterator[None]:
    """Start the second process, which kills this one at a limit, with a message and exit code 1."""
    in_memory = getattr(os, "memfd_create", None)  # on Linux
    with os.fdopen(in_memory("times"), "r+b") if in_memory else tempfile.TemporaryFile() as file:
        file.write(TIMES.pack(inf, inf))
        file.flush()
        words = [sys.executable, "-I", __file__, str(file.fileno()), str(os.getpid()), who]
        with (
            mmap.mmap(file.fileno(), TIMES.size) as times,
            subprocess.Popen(
                words,
                pass_fds=[file.fileno()],
                stdin=subprocess.DEVNULL,
                process_group=0,  # a separate group, which does not receive Ctrl-C
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
    """Make SIGHUP terminate this process with exit code 1, without executing Python code."""
    before = signal.getsignal(signal.SIGHUP)
    if before == signal.SIG_IGN:  # under nohup, SIGHUP remains ignored, and SIGKILL is used
        yield
        return
    libc = ctypes.CDLL(None)
    libc.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]
    # the handler _exit is called with the number of the signal, and SIGHUP is 1
    libc.signal(signal.SIGHUP, ctypes.cast(libc._exit, ctypes.c_void_p))
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


def _end(pid: int, line: str) -> None:
    """Print a line, and kill a process and all its descendants except this process."""
    import psutil

    process = psutil.Process(pid)
    for child in process.children(recursive=True):
        if child.pid != os.getpid():
            child.kill()
    _say(line)
    process.send_signal(signal.SIGHUP)
    with suppress(psutil.TimeoutExpired):
        process.wait(1.0)
        return
    process.kill()


def _say(line: str) -> None:
    with suppress(OSError):
        os.write(2, os.fsencode(f"spcabench: {line}\n"))


def main() -> None:
    """Check the shared memory until the deadline has passed or the parent process has ended."""
    file, home, who = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    with mmap.mmap(file, TIMES.size) as times:
        while os.getppid() == home:  # the parent could have ended before this process started
            over, seconds = TIMES.unpack(times)
            if monotonic() > over:
                _end(home, f"{who}: did not return within its limit of {seconds:g} s")
                return
            sleep(LOOK)
    _say(f"{who}: the process was killed, or compiled code crashed")


if __name__ == "__main__":
    main()
