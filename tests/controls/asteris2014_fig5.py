"""Made-up rows for A4 to A7, A13, A14 and A17."""

from tests.controls import _asteris2014 as shared

KS = (1, 50, 300, 700, 1000)


def A4(value):
    """Algorithm 3 has ``value`` times the variance of EM."""
    return shared.by_k("genes", ratio=value, ks=KS)


def trivial_A4():
    """EM itself, but for rounding."""
    return shared.by_k("genes", ratio=1 + 1e-12, ks=KS)


def A5(value):
    """Algorithm 3 is ``value`` percent above EM."""
    return shared.by_k("genes", ratio=1 + value / 100, ks=KS)


def trivial_A5():
    """A random support."""
    return shared.random_support("genes", KS)


def A6(value):
    """Algorithm 3 has ``value`` percent of the bound."""
    return shared.explained("genes", value)


def trivial_A6():
    """The variable of largest variance alone: 2.4 % of lambda_1, and the bound is 0.6 here."""
    return shared.by_k("genes", 0.024)


def A7(value):
    """The bound is ``value`` times lambda_1."""
    return shared.by_k("genes", q=0.9 * (value - 0.1))


def trivial_A7():
    """The bound lambda_1 itself."""
    return A7(1.0)


def A13(value):
    """Algorithm 3 has ``value`` percent of the bound."""
    return shared.explained("genes", value)


def trivial_A13():
    """A random support."""
    return shared.random_support("genes")


def times(spannogram, em):
    """Five rounds of Algorithm 3 and of ten restarts of EM, in seconds."""
    for repeat in range(5):
        for solver, seconds in (("spannogram", spannogram), ("em", em)):
            settings = dict(d=3) if solver == "spannogram" else dict(restarts=10)
            row = shared.DATA["genes"] | dict(solver=solver, label="time", settings=settings)
            row |= dict(setup_time=0.0, solve_time=seconds, lambda_1=1.0, cardinality=50)
            yield row | dict(repeat=repeat)


def A14(value):
    """Algorithm 3 takes ``value`` times the second that EM takes."""
    return times(value, 1.0)


def A14_time(value):
    """Both take ``value`` seconds."""
    return times(value, value)


def trivial_A14():
    """A single sample in place of the 9,440 of Algorithm 3."""
    return times(1 / 9440, 1.0)


def A17(value):
    """The bound is ``value`` times the a-priori one."""
    return shared.bounded("genes", value)


def trivial_A17():
    """The a-priori bound itself."""
    return shared.bounded("genes", 1.0)
