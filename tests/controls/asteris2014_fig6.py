"""Made-up rows for A8 to A10, A13 and A17."""

from tests.controls import _asteris2014 as shared

TWO = (20, 90)  # the paper's k


def A8(value):
    """Algorithm 3 is ``value`` percent below EM."""
    return shared.by_k("spectra", ratio=1 - value / 100)


def trivial_A8():
    """A random support."""
    return shared.random_support("spectra")


def A9(value):
    """Algorithm 3 has ``value`` percent of the bound."""
    return shared.explained("spectra", value)


def trivial_A9():
    """A random support."""
    return shared.random_support("spectra")


def A10(value):
    """Algorithm 3 has ``value`` percent of the bound at k = 90, and a tenth less at k = 20."""
    return shared.explained("spectra", (value / 1.1, value), TWO)


def A10_climb(value):
    """Algorithm 3 has 93 % of the bound at k = 90, ``value`` times what it has at k = 20."""
    return shared.explained("spectra", (93 / value, 93), TWO)


def trivial_A10():
    """A random support: nearly all at k = 90, too, but a fifth at k = 20."""
    return shared.explained("spectra", (100 * 20 / 93, 100 * 90 / 93), TWO)


def A13(value):
    """Algorithm 3 has ``value`` percent of the bound."""
    return shared.explained("spectra", value)


def trivial_A13():
    """A random support."""
    return shared.random_support("spectra")


def A17(value):
    """The bound is ``value`` times the a-priori one."""
    return shared.bounded("spectra", value)


def trivial_A17():
    """The a-priori bound itself."""
    return shared.bounded("spectra", 1.0)
