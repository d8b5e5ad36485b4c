"""Locks that give a timed run the machine to itself.

The processes of a workflow take turns by locking two files in its folder, whose names contain that
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
    """For timed work: wait until nothing else runs, and let nothing else start."""
    with _turn(folder, fcntl.LOCK_EX):
        yield


@contextmanager
def shared(folder: Path = Path()) -> Iterator[None]:
    """For work that is not timed: wait until no timing is running."""
    with _turn(folder, fcntl.LOCK_SH):
        yield


@contextmanager
def _turn(folder: Path, mode: int) -> Iterator[None]:
    # A waiting process holds the queue, so later ones wait behind it. Otherwise a stream of shared
    # work could keep a timed run waiting forever.
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
            # a process forked in the meantime has the file open too, so closing is not enough
            fcntl.flock(lock, fcntl.LOCK_UN)
