"""Flops of a stranger's run, counted from outside at the comparison's own sizes."""

from spcabench.checking import audit


def flops(problem, *, seed, name, **settings):
    """Flops of a run, those included that its ledger has not charged; the function of a `Run`."""
    found = audit.audit(problem.copied(), name, seed=seed, **settings)
    unseen = max(found.seen - found.charged, 0)
    return {"unseen": unseen, "flops": found.ledger + unseen}
