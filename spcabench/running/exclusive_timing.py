"""Locks that give a timed run the machine to itself.

The processes of a workflow take turns by locks on two files in its folder, named after the machine.
"""

import fcntl
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ALONE, QUEUE = ".timing-{}.lock", ".timing-queue-{}.lock"


@contextmanager
def alone(folder: Path = Path()) -> Iterator[None]:
    """Wait until nothing else runs, and let nothing else begin; for timed work."""
    with _turn(folder, fcntl.LOCK_EX):
        yield


@contextmanager
def shared(folder: Path = Path()) -> Iterator[None]:
    """Wait until nothing is being timed; for work that is not timed itself."""
    with _turn(folder, fcntl.LOCK_SH):
        yield


@contextmanager
def _turn(folder: Path, mode: int) -> Iterator[None]:
    # Who waits holds the queue: those that come later wait behind, and a stream of shared work
    # cannot keep a timed run waiting for ever.
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
            # a process that was forked meanwhile has the file too: to close it here is not enough
            fcntl.flock(lock, fcntl.LOCK_UN)
