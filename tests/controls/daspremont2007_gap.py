"""Made-up rows for D4, D6, D7, D9 and D11."""

from itertools import product

import numpy as np

from spcabench.figures.daspremont2007_gap import LEVELS, SECONDS

EPS = 1e-3


def sizes(share=0.5, grown=0.0, each=0.0, gap=0.9, apart=0.0, dspca=10.0, clarabel=100.0):
    """DSPCA and both SDP solvers at several sizes, in terms of what the statements measure.

    share : of the stated iterations. grown, each : what is added to the exponents of all flops and
    of those of one iteration. gap : in units of eps. apart : distance of the intervals. dspca,
    clarabel : seconds.
    """
    for n, seed in product((30, 60, 120), range(3)):
        rho = n**0.5
        stated = 4 * n * rho * np.sqrt(np.log(n)) / EPS
        common = dict(label="size", dataset="gaussian", n=n, seed=seed, setup_time=0.0)
        work = share * stated * 10.0 * n**3 * n**grown
        ends = dict(relaxation_gap=gap * EPS, relaxation_value=1.0 - gap * EPS)
        costs = dict(iterations=share * stated * n**-each, flops=work, solve_time=dspca)
        run = dict(solver="dspca", settings=dict(rho=rho, tol=EPS), relaxation_bound=1.0)
        yield common | run | ends | costs
        for solver, time in dict(SCS=1.0, CLARABEL=clarabel).items():
            yield common | dict(
                solver="exact_sdp",
                settings=dict(rho=rho, solver=solver),
                relaxation_value=1.0 + apart,
                relaxation_bound=1.0 + apart,
                solve_time=time,
            )


def levels(smooth=1.0, plain=2.0):
    """Iterations to each level grow like a power of 1/eps for both methods."""
    for seed in range(3):
        common = dict(label="eps", dataset="gaussian", n=30, seed=seed, solve_time=1.0)
        for method, power in (("dspca", smooth), ("dspca_subgradient", plain)):
            for eps in LEVELS:
                run = dict(solver=method, settings=dict(rho=5.0, tol=eps), relaxation_bound=1.0)
                yield common | run | dict(iterations=100 * eps**-power, relaxation_gap=0.9 * eps)


def D4(value):
    """DSPCA takes a share of the stated iterations."""
    return sizes(share=value)


def D4_cost(value):
    """Flops grow like this power of n, in as many iterations as stated."""
    return sizes(grown=value - 4, each=0.0 if value < 4.1 else 2.0)


def D4_iteration(value):
    """Flops of an iteration grow like this power of n."""
    return sizes(share=1e-3, each=value - 3)


def trivial_D4():
    """A method that takes n times as many iterations."""
    return [r | dict(iterations=r["iterations"] * r["n"]) for r in sizes() if "flops" in r]


def D6(value):
    """The largest distance is ``value`` times eps."""
    yield dict(label="smoothing", dataset="gaussian", extra=dict(least=0.1, most=value))


def D7(value):
    """The gap is ``value`` times eps."""
    return sizes(gap=value)


def D7_agreement(value):
    """The intervals are ``value`` apart."""
    return sizes(apart=value)


def D9(value):
    """Clarabel takes ``value`` times the practical limit."""
    return sizes(clarabel=value * SECONDS)


def D9_DSPCA(value):
    """DSPCA takes ``value`` times the practical limit."""
    return sizes(dspca=value * SECONDS)


def trivial_D9():
    """DSPCA takes the place of the interior-point solver."""
    return sizes(clarabel=10.0)


def D11(value):
    """DSPCA has this exponent; the subgradient method has one more."""
    return levels(smooth=value, plain=value + 1)


def D11_gain(value):
    """The exponents differ by ``value``."""
    return levels(plain=1 + value)


def trivial_D11():
    """The subgradient method compared with itself."""
    return levels(smooth=2.0, plain=2.0)
