"""The plan of a figure's job, and how its runs are timed."""

from spcabench.errors import InputError
from spcabench.running.figure_jobs import LONG, jobs, runs_of, size
from spcabench.running.row_hash import fingerprint
from spcabench.running.runner import Plan, Protocol

ROUNDS = {"quick": 3, "paper": 15}  # maximum number of timed rounds
MIN_ROUNDS = {"quick": 1, "paper": 2}  # minimum number of timed rounds
TIME_BUDGET = {"quick": 2.0, "paper": 10.0}  # seconds that all rounds of a group may take
JOB_BUDGET = {"quick": 2.0, "paper": 90.0}  # seconds shared by a job's groups, if that is more


def plan(figure: str, scale: str, job: str) -> Plan:
    """Return the plan of a job of a figure.

    Raises InputError if the figure has no such job, and the figure's own error if it cannot be
    read.
    """
    known = jobs(figure, scale, long=job.startswith(LONG))
    groups = known.get(job, {})
    if not any(groups.values()):
        runs_of(figure, scale)  # raises the figure's own error
        raise InputError(
            f"job: figure {figure!r} has no job {job!r}; its jobs are {', '.join(known)}"
        )
    protocol = Protocol(
        # the processor seconds of a long run are those of its first round
        rounds=1 if job.startswith(LONG) else ROUNDS[size(scale)],
        least=MIN_ROUNDS[size(scale)],
        seconds=budget(size(scale), len(groups)),
        restart=size(scale) == "paper",
    )
    labels = {"experiment": figure, "scale": scale}
    return Plan(groups, labels, fingerprint(figure, scale, job), protocol)


def budget(scale: str, groups: int) -> float:
    """Return the seconds for all timed rounds of a group, in a job with this many groups."""
    return max(TIME_BUDGET[scale], JOB_BUDGET[scale] / groups)
