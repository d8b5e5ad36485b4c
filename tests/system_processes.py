"""Inspect processes, which can exit or become zombies during the inspection."""

import fcntl
import time
from contextlib import suppress

import psutil


def alive(pid):
    """Return whether a process runs; a zombie does not."""
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


def gone(pids, seconds=5.0):
    """Return whether all given processes end within some seconds."""
    end = time.monotonic() + seconds
    while any(alive(pid) for pid in pids):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def is_free(lock, seconds=5.0):
    """Return whether a lock becomes free; threads of a killed process hold it a little longer."""
    end = time.monotonic() + seconds
    with lock.open() as stream:
        while time.monotonic() < end:
            with suppress(BlockingIOError):
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            time.sleep(0.05)
    return False


def below(pid=None, deep=True):
    """Return the ids of a process's children and, if ``deep``, of all its descendants."""
    with suppress(psutil.NoSuchProcess):
        return {process.pid for process in psutil.Process(pid).children(recursive=deep)}
    return set()
