"""Locks that give a timed run the machine to itself.

All processes of a user on a machine lock the same two files, whatever folder they work in.
"""

import fcntl
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from spcabench.files import say

TIMING, QUEUE = "timing.lock", "queue.lock"


def home() -> Path:
    """Return the folder of the locks, which is on this machine even if other folders are not."""
    return Path(tempfile.gettempdir()) / f"spcabench-{os.getuid()}"


def alone() -> AbstractContextManager[None]:
    """Lock the machine for a timed run, with no other job running at the same time."""
    return _turn(fcntl.LOCK_EX)


def shared() -> AbstractContextManager[None]:
    """Lock the machine for an untimed job, with no timed run at the same time."""
    return _turn(fcntl.LOCK_SH)


@contextmanager
def _turn(mode: int) -> Iterator[None]:
    # A waiting process holds the lock of the queue, so later processes wait behind it. Otherwise a
    # stream of untimed jobs could keep a timed run waiting forever.
    home().mkdir(mode=0o700, exist_ok=True)
    with (home() / QUEUE).open("w") as queue, (home() / TIMING).open("w") as lock:
        try:
            fcntl.flock(queue, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(lock, mode | fcntl.LOCK_NB)
        except BlockingIOError:
            if sys.stderr.isatty():
                say("waiting for another command of spcabench on this machine", file=sys.stderr)
            fcntl.flock(queue, fcntl.LOCK_EX)
            fcntl.flock(lock, mode)
        fcntl.flock(queue, fcntl.LOCK_UN)
        try:
            yield
        finally:
            # unlock explicitly, because a process forked in the meantime also has the file open
            fcntl.flock(lock, fcntl.LOCK_UN)
