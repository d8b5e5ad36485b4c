"""Audits of the flops of third-party solvers on the problems of a comparison."""

from spcabench.checking import audit
from spcabench.running.worker import vector_of
from spcabench.solving.status import Status

LONGER = 4.0  # multiple of the time limit granted to an audit, because counting arrays are slow


def flops(problem, *, seed, name, time_limit=float("inf"), **settings):
    """Return the flops of a run, including flops that its ledger does not contain.

    The signature is that of the function of a `Run`. The result also contains the vector of the
    audited run. If the run did not finish, the result is empty.
    """
    report = audit.audit(
        problem.copied(), name, seed=seed, time_limit=LONGER * time_limit, **settings
    )
    if report.result.status == Status.TIME_LIMIT or not report.result.good:
        return {}
    # a solver can reduce the total of the ledger, or the part of it that is charged by kernels
    unseen = max(report.seen - report.charged, report.seen + report.compiled - report.ledger, 0)
    vector = vector_of(report.result)
    taken = {"taken": report.taken, "vector": vector}
    return {"unseen": unseen, "flops": report.ledger + unseen} | taken
