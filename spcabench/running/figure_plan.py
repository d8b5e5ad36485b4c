"""The plan of a job of a figure, and how its runs are timed."""

from spcabench.errors import InputError
from spcabench.running.figure_jobs import LONG, jobs, runs_of, size
from spcabench.running.row_hash import fingerprint
from spcabench.running.runner import Plan, Protocol

ROUNDS = {"quick": 3, "paper": 15}  # maximum number of timed rounds
MIN_ROUNDS = {"quick": 1, "paper": 2}  # minimum number of timed rounds
TIME_BUDGET = {"quick": 2.0, "paper": 10.0}  # minimum budget in seconds for all rounds of a group
JOB_BUDGET = {"quick": 2.0, "paper": 90.0}  # budget in seconds for all groups of a job


def plan(figure: str, scale: str, job: str) -> Plan:
    """Return the plan of a job of a figure.

    Raises InputError if the figure does not have this job. If the figure cannot be imported, its
    own error is raised.
    """
    known = jobs(figure, scale, long=job.startswith(LONG))
    groups = known.get(job, {})
    if not any(groups.values()):
        runs_of(figure, scale)  # raises the figure's own error
        raise InputError(
            f"job: figure {figure!r} has no job {job!r}; its jobs are {', '.join(known)}"
        )
    protocol = Protocol(
        # a long run has a single round, because its processor time is measured there
        rounds=1 if job.startswith(LONG) else ROUNDS[size(scale)],
        least=MIN_ROUNDS[size(scale)],
        seconds=budget(size(scale), len(groups)),
        restart=size(scale) == "paper",
    )
    labels = {"experiment": figure, "scale": scale}
    return Plan(groups, labels, fingerprint(figure, scale, job), protocol)


def budget(scale: str, groups: int) -> float:
    """Return the budget in seconds for all timed rounds of a group, in a job with ``groups``."""
    return max(TIME_BUDGET[scale], JOB_BUDGET[scale] / groups)
