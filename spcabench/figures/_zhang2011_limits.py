"""Limit points of block coordinate ascent: claims Z5 and Z8 of Zhang and El Ghaoui (2011)."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from spcabench import api, claims
from spcabench.claims.words import counted, number
from spcabench.figures._zhang2011 import families, penalty, source
from spcabench.run import Run
from spcabench.style import look

LEVELS = (1e-1, 1e-2, 1e-3)
SIZES = (8, 14)
SWEEPS, RESIDUAL, STILL = 30_000, 1e-6, 1e-13

Z5 = claims.Statement(
    "Z5",
    where="section 3, problems (5) and (6)",
    quote="if beta = eps/n, then a solution to the above problem is eps-suboptimal for the "
    "original problem",
    kind="theorem",
    measures="largest shortfall of BCA's limit from the optimum, by the exact SDP; largest "
    "variance 1, n = 8 and 14",
    unit="eps",
    rule=claims.at_most(1),
    over=claims.every("eps", least=len(LEVELS)),
    primary="problem (5)",
    why="problem (6), the problem above, is a variant of (5) in its squared units",
)


@Z5.measured
def _shortfall(data):
    rows = data[data.label == "limits"]
    if rows.empty:
        return
    worst, plain = (
        np.max([e[name] for e in rows.extra], axis=0) for name in ("short", "short_of_1")
    )
    note = f"For problem (1), in the units of (1), it is up to {number(max(plain), 'eps')}."
    yield claims.Reading(
        "problem (5)", _at_each_eps(lambda i: claims.exact(worst[i])), rows, [note]
    )


Z8 = claims.Statement(
    "Z8",
    where="section 3",
    quote="every limit point that our block coordinate ascent algorithm converges to is the global "
    "optimizer",
    kind="theorem",
    measures="violation of the optimality conditions of problem (6) at BCA's limit: with U = Tr X "
    "I - beta X^-1 - Sigma, the largest entry of U + clip(X - U, -lambda, lambda)",
    unit="lambda",
    rule=claims.at_most(RESIDUAL),
    over=claims.every("eps", least=len(LEVELS)),
    primary="where it came to rest",
    why="the sentence is about limit points; a run that still moves gives only a bound",
)


@Z8.measured
def _at_the_limit(data):
    rows = data[data.label == "limits"]
    if rows.empty:
        return
    sweeps = [
        f"{number(np.median(results))} (at most {number(max(results))}) at eps = {eps:g}"
        for eps, *results in zip(LEVELS, *(e["sweeps"] for e in rows.extra), strict=True)
    ]
    note = f"Sweeps until rest over {counted(len(rows), 'problems')}: {', '.join(sweeps)}."
    places = _at_each_eps(lambda i: _residual(list(rows.extra), i))
    yield claims.Reading("where it came to rest", places, rows, [note])


def _at_each_eps(measure: Callable[[int], claims.Measured]) -> list[claims.Place]:
    return [claims.Place(f"eps = {eps:g}", measure(i), eps) for i, eps in enumerate(LEVELS)]


def _residual(results: list[dict[str, Any]], i: int) -> claims.Measured:
    """Return the largest residual at rest, or only an upper bound if a run is still moving."""
    residual, moved = (np.array([e[name][i] for e in results]) for name in ("residual", "moved"))
    still = (residual <= RESIDUAL) | (moved <= STILL)
    worst = residual[still].max(initial=0.0)
    if still.all() or worst > RESIDUAL:
        return claims.exact(worst)
    return claims.Measured(residual.max(), "at most", count=len(results), over="problems")


def measures(family: str, seeds: range) -> Iterator[Run]:
    """Yield the runs that measure the limit points on small problems of a family."""
    for n in SIZES:
        for seed in seeds:
            yield Run(
                **source(family, n, seed),
                function=limits,
                settings=dict(lam=penalty(family, n)),
                label="limits",
                uses=("bca", "exact_sdp"),
            )


def limits(problem: Any, *, seed: int, lam: float) -> dict[str, Any]:
    """Return sweeps, KKT residual / lam, last movement and shortfalls / eps for each eps."""
    # imported here, because the workflow lists the runs without needing numba
    from spcabench.methods import relaxation

    S = problem.given_as("covariance").matrix.S
    unit = float(S.diagonal().max())
    exact = api.solve(problem, "exact_sdp", rho=lam, solver="CLARABEL")
    # the midpoint between value and bound, which are both certified
    optimum = (float(exact.relaxation_value or 0) + float(exact.relaxation_bound or 0)) / 2 / unit
    results: dict[str, Any] = {
        name: [] for name in ("sweeps", "residual", "moved", "short", "short_of_1")
    }
    for eps in LEVELS:
        X, sweeps, residual, moved = _limit(S / unit, lam / unit, eps)
        value = relaxation.value(S / unit, X, lam / unit)
        results["sweeps"].append(sweeps)
        results["residual"].append(residual)
        results["moved"].append(moved)
        # problem (5) squares the objective of (1); 1e-6 is the accuracy of the optimum used for
        # comparison
        results["short"].append((optimum**2 / 2 - value + np.trace(X) ** 2 / 2 - 1e-6) / eps)
        results["short_of_1"].append((optimum - value / np.trace(X) - 1e-6) / eps)
    return results


def _limit(S: Any, lam: float, eps: float) -> tuple[Any, int, float, float]:
    """Return Algorithm 1's limit X for beta = eps/n, sweeps, residual / lam and last movement."""
    from spcabench.methods import block_ascent

    beta = eps / len(S)
    X, V = block_ascent.identity_start(S, lam)
    sweeps, residual, moved = 0, np.inf, np.inf
    # the rule of Z8 is RESIDUAL; continuing to a tenth of it avoids borderline cases
    while sweeps < SWEEPS and residual > RESIDUAL / 10 and moved > STILL:
        before = X.copy()
        # box QPs are solved to 1e-13, because the statement is about exact coordinate ascent
        block_ascent.sweep(S, X, V, lam, beta, 1000, 1e-13)
        moved = float(np.abs(X - before).max() / np.abs(X).max())
        residual = kkt_residual(S, X, lam, beta) / lam
        sweeps += 1
    return X, sweeps, residual, moved


def kkt_residual(S: Any, X: Any, lam: float, beta: float) -> float:
    """Return the largest violation of the optimality conditions of problem (6) at X (n, n).

    At the optimum, the gradient U of the smooth part lies in -lam times the subdifferential of
    ||X||_1. Equivalently, X is its own proximal step: U + clip(X - U, -lam, lam) = 0.
    """
    U = np.trace(X) * np.eye(len(S)) - beta * np.linalg.inv(X) - S
    return float(np.abs(U + np.clip(X - U, -lam, lam)).max())


def draw_limits(axis: Any, data: pd.DataFrame) -> None:
    """Plot the number of sweeps to a small residual against 1/eps, and the median over problems."""
    rows = data[data.label == "limits"]
    for (family, part), dashes in zip(families(rows), ("-", "--"), strict=False):
        sweeps = np.array([e["sweeps"] for e in part.extra])
        style = look("bca") | dict(linestyle=dashes)
        inverse = 1.0 / np.array(LEVELS)
        axis.plot(inverse, sweeps.T, color=style["color"], alpha=0.15, linewidth=0.6)
        axis.plot(inverse, np.median(sweeps, axis=0), **(style | dict(label=family)))
    axis.set(xscale="log", yscale="log", xlabel=r"$1/\epsilon$, $\beta = \epsilon/n$")
    axis.set(ylabel=r"sweeps of BCA to a KKT residual of $10^{-7}\lambda$")
    last = [e["sweeps"][-1] for e in rows.extra]
    if last:
        axis.set_title(
            f"the residual vanishes after {np.median(last):g} sweeps in the median\n"
            f"(at $\\epsilon = 10^{{-3}}$; at most {max(last)})"
        )
    axis.legend()
