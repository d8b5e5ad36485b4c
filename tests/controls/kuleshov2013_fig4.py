"""Made-up rows for K8, K8b, K9, K20 and K21."""

from spcabench.figures.kuleshov2013_fig4 import COLUMN
from tests.controls._kuleshov2013 import SPARSITIES, grid

SHAPES = ((50, 50), (50, 200), (100, 400), (200, 3200))


def trials(more=1.0, ratio=20.0):
    """GRQI's sparse SVD explains ``more`` times as much; GPower takes ``ratio`` times its flops."""
    for penalty in ("gpower1", "gpower0"):
        for sparsity in (s for s in SPARSITIES if s < 0.05):
            both = dict(label=COLUMN, chain=f"{penalty} {sparsity}", n=1000, iterations=5)
            both |= dict(cardinality=round(1000 * sparsity), lambda_1=1.0)
            for solver, match, factor, flops in (
                (penalty, None, 1.0, 1000 * ratio),
                ("ssvd_grqi", penalty, more, 1000),
            ):
                value = 0.5 * factor
                yield both | dict(
                    solver=solver, match=match, variance=value, variance_refit=value, flops=flops
                )


def K8(value):
    """The sparse SVD explains ``value`` times as much."""
    return trials(more=value)


def trivial_K8():
    """GPower compared with itself, but for rounding."""
    return trials(more=1 + 1e-12)


def K8b(value):
    """The sparse SVD explains ``value`` percent more."""
    return trials(more=1 + value / 100)


trivial_K8b = trivial_K8


def K9(value):
    """GPower takes ``value`` times the flops."""
    return trials(ratio=value)


def trivial_K9():
    """GPower compared with itself."""
    return trials(ratio=1.0)


def K20(value):
    """Flops per iteration grow with ``value`` as the exponent of the formula."""
    for m, n in SHAPES:
        cost = float(m**2 * n + m**3)
        common = dict(dataset="gaussian", solver="ssvd_grqi", label="cost", match=None)
        yield common | dict(m=m, n=n, iterations=5, flops=5 * cost**value, solve_time=1e-9 * cost)


def beside_figure_2(here, there):
    """GPower takes different multiples of the flops here and in Figure 2."""
    yield from trials(ratio=here)
    for row in grid(ratio=there):
        yield row | dict(dataset="gaussian")


def K21(value):
    """The advantage here is ``value`` times that of Figure 2, which is fifty."""
    return beside_figure_2(50.0 * value, 50.0)


def K21_advantage_here(value):
    """GPower takes ``value`` times the flops here."""
    return beside_figure_2(value, 50.0)


def trivial_K21():
    """GPower compared with itself has no advantage at all."""
    return beside_figure_2(1.0, 50.0)
