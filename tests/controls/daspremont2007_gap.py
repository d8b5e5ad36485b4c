"""Made-up rows for D4, D5, D7, D9 and D11."""

import numpy as np

from spcabench.figures.daspremont2007_gap import LEVELS


def sizes(exponent=1.0, gap=0.9e-3, seconds=None, apart=0.0):
    """DSPCA and both SDP solvers on three sizes; DSPCA's iterations grow like n^exponent."""
    seconds = seconds or dict(SCS=1.0, CLARABEL=100.0)
    for n in (30, 60, 120):
        rho = n**0.5
        steps = int(n**exponent * rho * np.sqrt(np.log(n)) / 1e-3)
        common = dict(label="size", dataset="gaussian", n=n, setup_time=0.0)
        yield common | dict(
            solver="dspca",
            settings=dict(rho=rho, tol=1e-3),
            iterations=steps,
            flops=steps * 10 * n**3,
            relaxation_gap=gap,
            relaxation_value=1.0 - gap,
            relaxation_bound=1.0,
            solve_time=10.0,
        )
        for solver, time in seconds.items():
            yield common | dict(
                solver="exact_sdp",
                settings=dict(rho=rho, solver=solver),
                relaxation_value=1.0 + apart,
                relaxation_bound=1.0 + apart,
                solve_time=time,
            )


def levels(smooth=1.0, plain=2.0):
    """Iterations to each level that grow like a power of 1/eps, for both methods."""
    for seed in range(3):
        common = dict(label="eps", dataset="gaussian", n=30, seed=seed, solve_time=1.0)
        for method, power in (("dspca", smooth), ("dspca_subgradient", plain)):
            for eps in LEVELS:
                yield common | dict(
                    solver=method,
                    settings=dict(rho=5.0, tol=eps),
                    iterations=int(100 * eps**-power),
                    relaxation_gap=0.9 * eps,
                    relaxation_bound=1.0,
                )


def smoothing():
    """What D6 is drawn from: true by construction."""
    yield dict(label="smoothing", dataset="gaussian", extra=dict(least=0.1, most=0.4))


def both(size=None, eps=None):
    """All three kinds of rows."""
    yield from sizes(**(size or {}))
    yield from levels(**(eps or {}))
    yield from smoothing()


def D4(holds):
    """Iterations grow like n rho sqrt(log n), or like n^2 of it."""
    return both(dict(exponent=1.0 if holds else 2.0))


def D5(holds):
    """Exponent 1, or 1.5."""
    return both(eps=dict(smooth=1.0 if holds else 1.5))


def D7(holds):
    """The intervals have a point in common, or are 1 % apart."""
    return both(dict(apart=0.0 if holds else 0.01))


def D9(holds):
    """Clarabel takes 100 s and DSPCA 10 s, or both take longer than a minute."""
    if holds:
        return both()
    return [r | (dict(solve_time=100.0) if r["label"] == "size" else {}) for r in both()]


def D11(holds):
    """Exponents 1 and 2, or 1 and 1.1."""
    return both(eps=dict(plain=2.0 if holds else 1.1))
