"""Audits of the flops of third-party solvers on the problems of a comparison."""

from spcabench.checking import audit
from spcabench.running.worker import vector_of
from spcabench.solving.status import Status

LONGER = 4.0  # factor of the time limit, because counting arrays are slow


def flops(problem, *, seed, name, time_limit=float("inf"), **settings):
    """Return the flops of a run, including flops that its ledger does not contain.

    This is the function of a `Run`. The result also contains the vector of the audited run. It is
    empty if the run did not finish.
    """
    report = audit.audit(
        problem.copied(), name, seed=seed, time_limit=LONGER * time_limit, **settings
    )
    if report.result.status == Status.TIME_LIMIT or not report.result.good:
        return {}
    # a solver can reduce the total of the ledger, or the part charged by kernels
    unseen = max(report.seen - report.charged, report.seen + report.compiled - report.ledger, 0)
    vector = vector_of(report.result)
    taken = {"taken": report.taken, "vector": vector}
    return {"unseen": unseen, "flops": report.ledger + unseen} | taken
