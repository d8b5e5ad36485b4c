"""Made-up rows for A8 to A10, A13 and A17."""

from tests.controls._asteris2014 import by_k, explained, tighter

KS, N = (1, 10, 20, 40, 60, 75, 90, 93), 93


def A8(holds):
    """2 % apart, or 10 %."""
    return by_k(KS, N, ratio=1.02 if holds else 0.9)


def A9(holds):
    """88 % of the bound, or 70 %."""
    return explained(KS, N, 88.0 if holds else 70.0)


def A10(holds):
    """95 % of the bound, or 70 %."""
    return explained(KS, N, 95.0 if holds else 70.0)


def A13(holds):
    """60 % of the bound, or 30 %."""
    return explained(KS, N, 60.0 if holds else 30.0)


def A17(holds):
    """Far below the a-priori bound, or far above."""
    return tighter(KS, N, holds)
