"""The status of a run: why it stopped, and whether it produced an answer."""

from enum import StrEnum


class Status(StrEnum):
    """Why a run stopped.

    meaning : description in words. good : whether the run produced an answer, which is a feasible x
        or, for a measure, its numbers.
    """

    meaning: str
    good: bool

    def __new__(cls, value: str, meaning: str, good: bool) -> "Status":
        """Create a status with its description."""
        status = str.__new__(cls, value)
        status._value_, status.meaning, status.good = value, meaning, good
        return status

    CONVERGED = "converged", "the stopping rule was met", True
    FINISHED = "finished", "the solver, or the measure, stopped by itself", True
    PROVEN = "proven", "an exact search of the suite proved its answer optimal", True
    WORK_LIMIT = "work_limit", "the search reached its limit of operations without a proof", True
    NOT_ATTEMPTED = "not_attempted", "the search did not start: the problem is too large", True
    MAX_ITERATIONS = "max_iterations", "it reached the maximum number of iterations", True
    TIME_LIMIT = "time_limit", "the harness stopped it at the time limit", True
    ZERO = "zero", "its last iterate is zero", False
    INFEASIBLE = "infeasible", "its last iterate violates a constraint", False
    DISAGREES = "disagrees", "its numbers differ from those recomputed from its vector", False
    # only in rows of version 0.3.0 and earlier
    LATE = "late", "a clock outside its process shows that it exceeded the time limit", False
    ERROR = "error", "it raised an exception", False
    CRASH = "crash", "its process died", False
    MEMORY_LIMIT = "memory_limit", "it requested more memory than a process may use", False
    KILLED = "killed", "the harness killed its process because it did not respond", False
    SKIPPED = "skipped", "it was not run because its outcome was already known", False
    NOT_RUN = "not_run", "its process was killed from outside, or its problem not loaded", False


UNPROVEN = frozenset({Status.WORK_LIMIT, Status.NOT_ATTEMPTED})
GOOD = frozenset(status for status in Status if status.good)
