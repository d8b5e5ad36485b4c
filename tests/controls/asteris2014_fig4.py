"""Made-up rows for A2, A13, A17 and A19."""

from tests.controls import _asteris2014 as shared


def A2(value):
    """Algorithm 3 is so many percent below EM."""
    return shared.by_k("faces", ratio=1 - value / 100)


def trivial_A2():
    """A random support."""
    return shared.random_support("faces")


def A13(value):
    """Algorithm 3 has so many percent of the bound."""
    return shared.explained("faces", value)


def trivial_A13():
    """A random support."""
    return shared.random_support("faces")


def A17(value):
    """The bound is so many times the a-priori one."""
    return shared.bounded("faces", value)


def trivial_A17():
    """The a-priori bound itself."""
    return shared.bounded("faces", 1.0)


def A19(value):
    """The search of beta hits so large a share of 200 k."""
    for k in range(1, 201):
        reached = k if k <= 200 * value else k + 1
        row = shared.DATA["faces"] | dict(solver="nspca", k=k, cardinality=reached, lambda_1=1.0)
        yield row | dict(variance=0.5, bound=1.0)


def trivial_A19():
    """Truncation, which keeps exactly k."""
    return A19(1.0)
