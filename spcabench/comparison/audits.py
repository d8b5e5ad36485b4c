"""Flops of a stranger's run, counted from outside at the comparison's own sizes."""

from spcabench.checking import audit
from spcabench.running.worker import vector_of
from spcabench.solving.status import Status

LONGER = 4.0  # times the limit: arrays that count are slower


def flops(problem, *, seed, name, time_limit=float("inf"), **settings):
    """Flops of a run, those included that its ledger has not charged; the function of a `Run`.

    Beside them is the vector of the run that was watched. Nothing is given for one that came to no
    end.
    """
    report = audit.audit(
        problem.copied(), name, seed=seed, time_limit=LONGER * time_limit, **settings
    )
    if report.result.status == Status.TIME_LIMIT or not report.result.good:
        return {}
    # the ledger may be lowered as a whole, or in the part that kernels returned
    unseen = max(report.seen - report.charged, report.seen + report.compiled - report.ledger, 0)
    vector = vector_of(report.result)
    taken = {"taken": report.taken, "vector": vector}
    return {"unseen": unseen, "flops": report.ledger + unseen} | taken
