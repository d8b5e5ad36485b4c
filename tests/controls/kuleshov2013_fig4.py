"""Made-up rows for K8, K8b, K9 and K21."""

from tests.controls._kuleshov2013 import SPARSITIES, grid


def trials(more=0.0, ratio=1.0):
    """GRQI's sparse SVD explains ``more``; GPower takes ``ratio`` times its flops."""
    for penalty in ("gpower1", "gpower0"):
        for sparsity in (s for s in SPARSITIES if s < 0.05):
            both = dict(label="main", chain=f"{penalty} {sparsity}", n=1000)
            both |= dict(cardinality=round(1000 * sparsity), lambda_1=1.0)
            for solver, match, factor, flops in (
                (penalty, None, 1.0, 1000 * ratio),
                ("ssvd_grqi", penalty, 1.0 + more, 1000),
            ):
                value = 0.5 * factor
                yield both | dict(
                    solver=solver, match=match, variance=value, variance_refit=value, flops=flops
                )


def K8(holds):
    """2 % more, or only as much as rounding leaves."""
    return trials(more=0.02 if holds else 1e-12)


def K8b(holds):
    """2 % more, or 20 %."""
    return trials(more=0.02 if holds else 0.20)


def K9(holds):
    """Fifteen times the flops, or five times."""
    return trials(ratio=15.0 if holds else 5.0)


def K21(holds):
    """Fifteen times the flops where Figure 2 has fifty times, or five times."""
    yield from trials(ratio=15.0)
    for row in grid(ratio=50.0 if holds else 5.0):
        yield row | dict(dataset="gaussian")
