"""Locks that give a timed run the machine to itself.

The processes of a workflow lock two files in its folder. The names of these files contain the name
of the machine.
"""

import fcntl
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ALONE, QUEUE = ".timing-{}.lock", ".timing-queue-{}.lock"


@contextmanager
def alone(folder: Path = Path()) -> Iterator[None]:
    """Lock the machine for a timed run, with no other job running at the same time."""
    with _turn(folder, fcntl.LOCK_EX):
        yield


@contextmanager
def shared(folder: Path = Path()) -> Iterator[None]:
    """Lock the machine for an untimed job, with no timed run at the same time."""
    with _turn(folder, fcntl.LOCK_SH):
        yield


@contextmanager
def _turn(folder: Path, mode: int) -> Iterator[None]:
    # A waiting process holds the lock of the queue, so later processes wait behind it. Otherwise a
    # stream of untimed jobs could keep a timed run waiting forever.
    place = platform.node()
    with (
        (folder / QUEUE.format(place)).open("w") as queue,
        (folder / ALONE.format(place)).open("w") as lock,
    ):
        fcntl.flock(queue, fcntl.LOCK_EX)
        fcntl.flock(lock, mode)
        fcntl.flock(queue, fcntl.LOCK_UN)
        try:
            yield
        finally:
            # unlock explicitly, because a process forked in the meantime also has the file open
            fcntl.flock(lock, fcntl.LOCK_UN)
