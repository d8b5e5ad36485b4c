"""Made-up rows for A2, A13, A17, A19 and A20."""

from tests.controls import _asteris2014 as shared


def A2(value):
    """Algorithm 3 is ``value`` percent below EM."""
    return shared.by_k("faces", ratio=1 - value / 100)


def trivial_A2():
    """A random support."""
    return shared.random_support("faces")


def A13(value):
    """Algorithm 3 has ``value`` percent of the bound."""
    return shared.explained("faces", value)


def trivial_A13():
    """A random support."""
    return shared.random_support("faces")


def A17(value):
    """The bound is ``value`` times the a-priori one."""
    return shared.bounded("faces", value)


def trivial_A17():
    """The a-priori bound itself."""
    return shared.bounded("faces", 1.0)


def A19(value):
    """The search of beta reaches k exactly for a share of 200 values of k."""
    for k in range(1, 201):
        reached = k if k <= 200 * value else k + 1
        row = shared.DATA["faces"] | dict(solver="nspca", k=k, cardinality=reached, lambda_1=1.0)
        yield row | dict(variance=0.5, bound=1.0)


def trivial_A19():
    """Truncation, which keeps exactly k."""
    return A19(1.0)


def accuracy(d=1.5, eps=1.5):
    """The guarantee is ``d`` times that for d = 1 and ``eps`` times that for eps = 0.5."""
    shares = {(3, 0.1): 0.6, (1, 0.1): 0.6 / d, (3, 0.5): 0.6 / eps}
    for (rank, level), share in shares.items():
        extra = dict(d=rank, eps=level, k=180, shares=[share] * 5)
        row = shared.DATA["faces"] | dict(parameters=dict(contrast=True), label="accuracy")
        yield row | dict(extra=extra, measure="guarantee")


def A20(value):
    """The guarantee is ``value`` times that for d = 1."""
    return accuracy(d=value)


def A20_eps(value):
    """The guarantee is ``value`` times that for eps = 0.5."""
    return accuracy(eps=value)


def trivial_A20():
    """The bound is lambda_1, whatever d and eps."""
    return accuracy(1.0, 1.0)
