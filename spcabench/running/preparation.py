"""Untimed preparations of a worker before a run, as functions of a `Run`."""

import ctypes
from contextlib import suppress

from spcabench.problem.problem import Problem
from spcabench.solving import bounds


def ready(problem: Problem, *, seed: int) -> dict[str, float]:
    """Load the problem and compute its bounds, which the time limit of a run should not include."""
    return {"bound": bounds.upper_bound(problem, 1)}


def tidied(problem: Problem, *, seed: int) -> dict[str, float]:
    """Return freed memory to the system, if the C library supports it.

    The peak memory of the process then shows the memory that the next run needs.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    return {}
