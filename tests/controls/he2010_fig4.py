"""Made-up rows for H7 to H9 and H17."""

from tests.controls._he2010 import against, timed

CARDINALITIES = (1, 5, 25, 73, 150, 300, 900)
FORMS = ("sparse", "covariance")


def compared(ratio, share):
    """GPower0 takes ``ratio`` times as long; Scol-PCA has ``share`` of its variance."""
    for k in CARDINALITIES:
        yield from against("scol", ratio, share, ("sparse", "data"), x=k, k=k, cardinality=k)


def ours(solver, seconds, value=1.0):
    """Yield every cardinality with the seconds of one of our solvers and its variance."""
    for k in CARDINALITIES:
        for form in FORMS:
            columns = dict(k=k, cardinality=k, variance=value)
            yield from timed(solver, k, seconds(k), form, **columns)


def H7(value):
    """The solver is ``value`` times as fast, with 1 % more variance."""
    return compared(value, 1.01)


def H7_quality(value):
    """The solver has ``value`` times the variance and is twice as fast."""
    return compared(2.0, value)


def trivial_H7():
    """GPower0 takes the place of Scol-PCA."""
    return compared(1.0, 1.0)


def H8(value):
    """Time grows like k to the power ``value``."""
    return ours("mcol", lambda k: 1e-3 * k**value)


def trivial_H8():
    """One column at a time: time grows like k."""
    return H8(1.0)


def H9(value):
    """``value`` percent of the variance is lost."""
    yield from ours("scol", lambda k: 1.0)
    yield from ours("mcol", lambda k: 1.0, 1 - value / 100)


def trivial_H9():
    """The variables of largest variance are taken: 13 to 24 % less on such matrices."""
    return H9(13.0)


def H17(value):
    """A share of the runs has the requested cardinality."""
    for solver in ("scol", "mcol"):
        for i in range(10):
            yield from timed(solver, i, 1.0, k=20, cardinality=20 if i < 10 * value else 19)


H17.values = [(1, 0.9)]


def H20(value):
    """A search takes ``value`` runs."""
    for k in CARDINALITIES:
        yield from timed("gpower0", k, 1.0, k=k, cardinality=k, search_runs=value)


def trivial_H20():
    """A method that takes k as an argument and needs no search."""
    return H20(1)
