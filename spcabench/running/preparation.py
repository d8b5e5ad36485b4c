"""Untimed work of a worker before a run: functions for a `Run`."""

import ctypes
from contextlib import suppress

from spcabench.problem.problem import Problem
from spcabench.solving import bounds


def ready(problem: Problem, *, seed: int) -> dict[str, float]:
    """Load the problem and make its bounds, so that the time limit of no run has to hold them."""
    return {"bound": bounds.upper_bound(problem, 1)}


def tidied(problem: Problem, *, seed: int) -> dict[str, float]:
    """Give freed memory back to the system, if the C library can.

    What the next run needs is then seen in the peak of the process.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    return {}
