"""Processes as a test sees them: one may end, or be a zombie, while it is looked at."""

import time
from contextlib import suppress

import psutil


def alive(pid):
    """Whether a process runs: a zombie does not."""
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


def gone(pids, seconds=5.0):
    """Whether none of some processes is left within some seconds."""
    end = time.monotonic() + seconds
    while any(alive(pid) for pid in pids):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def below(pid=None, deep=True):
    """The numbers of a process's children, and all below them; of this one's if none is named."""
    with suppress(psutil.NoSuchProcess):
        return {process.pid for process in psutil.Process(pid).children(recursive=deep)}
    return set()


def called(word):
    """The numbers of all processes whose command line has a word in it."""
    processes = psutil.process_iter(["cmdline"])  # None of what ends meanwhile, and of zombies
    return {p.pid for p in processes if any(word in part for part in p.info["cmdline"] or [])}
