"""Why a run ended: the one list of statuses."""

from enum import StrEnum


class Status(StrEnum):
    """Why a run ended, and therefore what its row contains.

    meaning : description in words. good : whether there is an answer, a feasible x or the numbers
        of a measure.
    """

    meaning: str
    good: bool

    def __new__(cls, value: str, meaning: str, good: bool) -> "Status":
        """A status with its description."""
        status = str.__new__(cls, value)
        status._value_, status.meaning, status.good = value, meaning, good
        return status

    CONVERGED = "converged", "the stopping rule was met", True
    FINISHED = "finished", "the solver, or the measure, came to its own end", True
    PROVEN = "proven", "an exact search of the suite proved its answer optimal", True
    WORK_LIMIT = "work_limit", "the search spent the work that it may have, without a proof", True
    NOT_ATTEMPTED = "not_attempted", "the search did not begin: the problem is too large", True
    MAX_ITERATIONS = "max_iterations", "the harness stopped it after so many iterates", True
    TIME_LIMIT = "time_limit", "the harness stopped it after so many seconds of its own time", True
    ZERO = "zero", "its last iterate is zero", False
    INFEASIBLE = "infeasible", "its last iterate is not a unit vector as asked", False
    DISAGREES = "disagrees", "its numbers are not those of its vector, recomputed", False
    LATE = "late", "its answer came after the time limit, by a clock outside its process", False
    ERROR = "error", "it raised an exception", False
    CRASH = "crash", "its process died", False
    MEMORY_LIMIT = "memory_limit", "it wanted more memory than a process may have", False
    KILLED = "killed", "its process was ended from outside, because it did not come back", False
    SKIPPED = "skipped", "it was not run: what would happen was known before", False


UNPROVEN = frozenset({Status.WORK_LIMIT, Status.NOT_ATTEMPTED})
GOOD = frozenset(status for status in Status if status.good)
