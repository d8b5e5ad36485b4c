"""Flops of a stranger's run, counted from outside at the comparison's own sizes."""

from spcabench.checking import audit


def unseen(problem, *, seed, name, **settings):
    """Flops of a run that its ledger has not charged; the function of a `Run`."""
    found = audit.audit(problem.copied(), name, seed=seed, **settings)
    return {"unseen": found.seen - found.charged}
