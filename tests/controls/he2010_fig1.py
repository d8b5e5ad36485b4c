"""Made-up rows for H1 to H3, H15, H16b and H19."""

from tests.controls._he2010 import timed

SIZES = (200, 400, 800, 1200, 1600, 2000)


def trials(times, values=None):
    """Every size: seconds of each (solver, form), and the variance of each solver."""
    for p in SIZES:
        for (solver, form), seconds in times.items():
            value = (values or {}).get(solver, 1.0)
            yield from timed(solver, p, seconds, form, n=p, m=p, variance=value)


def phases(first, second=1, p_flops=None):
    """Scol-PCA's flops in both phases, by Lanczos and by power iteration, on sparse data."""
    for p in SIZES:
        for label in ("lanczos", "power"):
            flops = first if p_flops is None else p_flops(p)
            yield dict(
                solver="scol",
                form="sparse",
                label=label,
                n=p,
                m=p,
                nnz=p * p // 5,
                phases={
                    "columns": dict(flops=flops, seconds=1e-3, iterates=p // 5),
                    "eigenvector": dict(flops=second, seconds=1e-4, iterates=1),
                },
            )


def gpower_against(solver, ratio):
    """GPower0, in both of its forms, takes ``ratio`` times as long as a solver in both of its."""
    times = {("gpower0", form): ratio for form in ("sparse", "data")}
    return trials(times | {(solver, form): 1.0 for form in ("sparse", "covariance")})


def H1(holds):
    """Comparable, or five times as slow."""
    return gpower_against("scol", 1.1 if holds else 0.2)


def H2(holds):
    """Eight times as fast, or alike."""
    return gpower_against("mcol", 8.0 if holds else 1.0)


def H3(holds):
    """2 % are lost, or 9 %."""
    times = {("scol", "sparse"): 1.0, ("mcol", "sparse"): 1.0}
    return trials(times, {"mcol": 0.98 if holds else 0.91})


def H15(holds):
    """The first phase takes 20 times the flops of the second, or twice."""
    return phases(first=2000, second=100 if holds else 1000)


def H16b(holds):
    """A tenth of s nz + ps, or all of it."""
    return phases(0, p_flops=lambda p: (p // 5 * (p * p // 5 + p)) // (10 if holds else 1))


def H19(holds):
    """Scol-PCA takes nine times as long as Mcol-PCA, or twice."""
    return trials(
        {(s, f): t for s, t in (("scol", 9.0 if holds else 2.0), ("mcol", 1.0)) for f in FORMS}
    )


FORMS = ("sparse", "covariance")
