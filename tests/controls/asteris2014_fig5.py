"""Made-up rows for A4 to A7, A13, A14 and A17."""

from tests.controls._asteris2014 import by_k, explained, tighter

KS, N = (1, 20, 50, 150, 300, 500, 700, 850, 1000), 12_582


def A4(holds):
    """Algorithm 3 is 3 % above EM, or 3 % below."""
    return by_k(KS, N, ratio=1.03 if holds else 0.97)


def A5(holds):
    """2 % apart, or 10 %."""
    return by_k(KS, N, ratio=1.02 if holds else 1.1)


def A6(holds):
    """45 % of the bound, or 39 % of it and 43.3 % of the other one."""
    return explained(KS, N, 45.0 if holds else 39.0)


def A7(holds):
    """The bound is 0.8 lambda_1, or 0.95."""
    return by_k(KS, N, after=0.3 if holds else 0.45)


def A13(holds):
    """60 % of the bound, or 30 %."""
    return explained(KS, N, 60.0 if holds else 30.0)


def A14(holds):
    """As fast as EM, or ten times slower."""
    yield from by_k(KS, N)
    for solver, seconds in (("spannogram", 1.0 if holds else 10.0), ("em", 1.0)):
        for settings in (dict(restarts=10), dict(restarts=1)):
            row = dict(solver=solver, label="time", settings=settings, samples=3, n=N)
            yield row | dict(setup_time=0.0, solve_time=seconds, lambda_1=1.0, cardinality=50)


def A17(holds):
    """Far below the a-priori bound, or far above."""
    return tighter(KS, N, holds)
