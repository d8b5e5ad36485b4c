"""Untimed work of a worker before a run, as functions for a `Run`."""

import ctypes
from contextlib import suppress

from spcabench.problem.problem import Problem
from spcabench.solving import bounds


def ready(problem: Problem, *, seed: int) -> dict[str, float]:
    """Load the problem and compute its bounds, so that no run's time limit has to include them."""
    return {"bound": bounds.upper_bound(problem, 1)}


def tidied(problem: Problem, *, seed: int) -> dict[str, float]:
    """Return freed memory to the system, if the C library can.

    The peak memory of the process then shows what the next run needs.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    return {}
