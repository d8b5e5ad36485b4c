"""Count the flops of a stranger's run from outside, on the comparison's own problems."""

from spcabench.checking import audit
from spcabench.running.worker import vector_of
from spcabench.solving.status import Status

LONGER = 4.0  # factor for the time limit, because counting arrays are slower


def flops(problem, *, seed, name, time_limit=float("inf"), **settings):
    """Return the flops of a run, including those missing from its ledger; the function of a `Run`.

    The result also has the vector of the audited run. It is empty if the run did not finish.
    """
    report = audit.audit(
        problem.copied(), name, seed=seed, time_limit=LONGER * time_limit, **settings
    )
    if report.result.status == Status.TIME_LIMIT or not report.result.good:
        return {}
    # a solver may lower the whole ledger, or the part that kernels returned
    unseen = max(report.seen - report.charged, report.seen + report.compiled - report.ledger, 0)
    vector = vector_of(report.result)
    taken = {"taken": report.taken, "vector": vector}
    return {"unseen": unseen, "flops": report.ledger + unseen} | taken
