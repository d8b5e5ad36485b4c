"""Why a run ended: the one list of statuses."""

from enum import StrEnum, auto


class Status(StrEnum):
    """Why a run ended, and so what its row holds."""

    CONVERGED = auto()  # the stopping rule was met
    FINISHED = auto()  # the solver, or a measure, came to its own end
    MAX_ITERATIONS = auto()  # the driver stopped it after so many iterates: an answer is there
    TIME_LIMIT = auto()  # the driver stopped it after so many seconds: an answer is there
    ZERO = auto()  # the last iterate is zero
    INFEASIBLE = auto()  # the last iterate is no unit vector of what was asked
    ERROR = auto()  # an exception
    CRASH = auto()  # the process died by itself
    MEMORY_LIMIT = auto()  # the process wanted more memory than it may have
    KILLED = auto()  # the process was ended from outside, because it did not come back
    SKIPPED = auto()  # not run: what would happen was known before

    @property
    def good(self) -> bool:
        """Whether there is an answer: a feasible x, or the numbers of a measure."""
        return self in GOOD


GOOD = frozenset({Status.CONVERGED, Status.FINISHED, Status.MAX_ITERATIONS, Status.TIME_LIMIT})
