"""Made-up rows for K2 to K6, K11, K12, K15, K17 and K19."""

from tests.controls._kuleshov2013 import SPARSITIES, grid

LARGE = (0.36, 0.42, 0.5)


def K2(holds):
    """Six iterations, or thirty."""
    return grid(iterations_g=6 if holds else 30)


def K3(holds):
    """Fifty times the flops, or five times."""
    return grid(ratio=50.0 if holds else 5.0)


def K4(holds):
    """150 times the flops, or fifty times."""
    return grid(ratio=150.0 if holds else 50.0)


def K5(holds):
    """At large k a third of the flops, or three times."""
    return grid(LARGE, ratio=1 / 3 if holds else 3.0)


def K6(holds):
    """At the loose tolerance twenty times the flops, or five times."""
    return grid(ratio=20.0 if holds else 5.0, label="loose")


def K11(holds):
    """A change of gamma by 0.9 % changes k from 100 to 85, or to 99."""
    for penalty in ("gpower1", "gpower0"):
        for step, k in enumerate((100, 85 if holds else 99)):
            settings = dict(gamma=1.009**step)
            yield dict(solver=penalty, label="gamma 0.3", settings=settings, cardinality=k)


def K12(holds):
    """Four runs of the search, or thirty."""
    return grid(search_runs=4 if holds else 30)


def K15(holds):
    """At large k and small J half of GPower's flops, or twice."""
    for J in (1, 2, 5):
        yield from grid(LARGE, ratio=2.0 if holds else 0.5, finite=dict(J=J), chain=f"J {J}")


def K17(holds):
    """The same ratio at n = 500, or one below ten."""
    yield from grid()
    yield from grid(n=500, label="dimension", ratio=50.0 if holds else 5.0)


def K19(holds):
    """Six iterations at every sparsity, or 24 at all but the one nearest to 4.4 %."""
    for sparsity in SPARSITIES:
        here = sparsity == 0.03
        yield from grid((sparsity,), iterations_g=6 if holds or here else 24)
