"""Made-up rows for A2, A3, A13, A17 and A19."""

from tests.controls._asteris2014 import by_k, explained, tighter

KS, N = (1, 20, 60, 120, 180, 240, 300, 361), 361
BOTH = dict(labels=("main", "contrast-normalised"))


def A2(holds):
    """1 % apart, or 4 %."""
    return by_k(KS, N, ratio=1.01 if holds else 0.96, **BOTH)


def A3(holds):
    """60 % of the bound, or 50 %."""
    return explained(KS, N, 60.0 if holds else 50.0, **BOTH)


def A13(holds):
    """60 % of the bound, or 30 %."""
    return explained(KS, N, 60.0 if holds else 30.0, **BOTH)


def A17(holds):
    """Far below the a-priori bound, or far above."""
    return tighter(KS, N, holds, **BOTH)


def A19(holds):
    """The search of beta hits one k of three, or all."""
    for place, k in enumerate((20, 180, 361)):
        reached = k - 5 if holds and place else k
        row = dict(label="main", solver="nspca", k=k, cardinality=reached, n=N, lambda_1=1.0)
        yield row | dict(variance=0.5, bound=1.0)
