"""Made-up rows for H1 to H3, H14 to H16b, H18 and H19."""

import numpy as np

from tests.controls._he2010 import SEEDS, timed

SIZES = (200, 800, 1200, 2000, 4000)
FORMS = ("sparse", "covariance")


def trials(times, values=None):
    """Every size: seconds of each (solver, form), and the variance of each solver."""
    for p in SIZES:
        for (solver, form), seconds in times.items():
            value = (values or {}).get(solver, 1.0)
            yield from timed(solver, p, seconds, form, n=p, m=p, variance=value)


def phases(first, second=1.0, solver="scol", form="sparse", label="power", loops=10):
    """Flops of both phases of a solver; those of the first are a function of p."""
    for p in SIZES:
        for seed in SEEDS:
            columns = dict(flops=first(p), seconds=1e-9 * first(p), iterates=loops)
            eigenvector = dict(flops=second, seconds=1e-4, iterates=1)
            run = dict(solver=solver, form=form, label=label, seed=seed, cardinality=p // 5)
            both = dict(columns=columns, eigenvector=eigenvector)
            yield run | dict(n=p, m=p, nnz=p * p // 5, phases=both)


def gpower_against(solver, ratio):
    """GPower0 in both of its forms takes ``ratio`` times as long as a solver in both of its
    forms.
    """
    times = {("gpower0", form): ratio for form in ("sparse", "data")}
    return trials(times | {(solver, form): 1.0 for form in FORMS})


def H1(value):
    """GPower0 takes ``value`` times as long as Scol-PCA."""
    return gpower_against("scol", value)


def trivial_H1():
    """The variables of largest variance are taken, a hundred times as fast."""
    return gpower_against("scol", 100.0)


def H2(value):
    """GPower0 takes ``value`` times as long as Mcol-PCA."""
    return gpower_against("mcol", value)


def trivial_H2():
    """GPower0 takes the place of Mcol-PCA."""
    return gpower_against("mcol", 1.0)


def H3(value):
    """``value`` percent of the variance is lost."""
    times = {("scol", "sparse"): 1.0, ("mcol", "sparse"): 1.0}
    return trials(times, {"mcol": 1 - value / 100})


def trivial_H3():
    """The variables of largest variance are taken: 13 to 24 % less on such matrices."""
    return H3(13.0)


def H14(value):
    """Mcol-PCA takes ``value`` loops."""
    return phases(lambda p: 1000, solver="mcol", label="lanczos", loops=value)


H14.values = [(10, 11)]


def H15(value):
    """The first phase takes ``value`` times the flops of the second."""
    return phases(lambda p: 1000 * value, 1000)


def trivial_H15():
    """A random support, which costs one number for each variable."""
    return phases(lambda p: p, 10 * max(SIZES))


def cost(form, p):
    """The formula of the paper for one form of the data."""
    s = p // 5
    return {"covariance": p * s, "data": p * p * s, "sparse": s * (p * p // 5) + p * s}[form]


def H16(value):
    """Flops grow with ``value`` as the exponent of the formulas."""
    for form in ("covariance", "data", "sparse"):
        yield from phases(lambda p, form=form: cost(form, p) ** value, form=form, label="lanczos")


def H16b(value):
    """A share of the possible savings at 20 % nonzeros is achieved."""
    return phases(lambda p: cost("sparse", p) / (5 * value))


def trivial_H16b():
    """Every entry of W is touched at every step."""
    return phases(lambda p: cost("sparse", p))


def H18(value):
    """Mcol-PCA's flops times c are ``value`` times those of Scol-PCA."""
    yield from phases(lambda p: 1e6, form="data", label="lanczos")
    for row in phases(lambda p: value * 1e6 / np.ceil(p // 5 / 10), form="data", label="lanczos"):
        yield row | dict(solver="mcol")


def H19(value):
    """Scol-PCA takes ``value`` times as long as Mcol-PCA."""
    return trials({(s, f): t for s, t in (("scol", value), ("mcol", 1.0)) for f in FORMS})


def trivial_H19():
    """Scol-PCA takes the place of Mcol-PCA."""
    return H19(1.0)
