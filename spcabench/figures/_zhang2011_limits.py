"""Limit points of block coordinate ascent: claims Z5 and Z8 of Zhang and El Ghaoui (2011)."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from spcabench import api, claims
from spcabench.claims import claim
from spcabench.figures._zhang2011 import penalty, source
from spcabench.run import Run

LEVELS = (1e-1, 1e-2, 1e-3)
SIZES = (8, 14)
SWEEPS, RESIDUAL, STILL = 30_000, 1e-6, 1e-13


# what runs


def runs(family: str, seeds: range) -> Iterator[Run]:
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


def limit_points(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each problem and eps, with the shortfall, the residual, and the worst one.

    The worst residual at an eps is unknown if a run still moves and no other run violates the rule.
    """
    names = ["short", "residual", "moved"]
    rows = table[table.label == "limits"]
    numbers = pd.DataFrame(rows.extra.tolist(), rows.index).reindex(columns=names)
    rows = rows.assign(eps=[LEVELS] * len(rows), **numbers).explode(["eps", *names])
    rows = rows.astype(dict.fromkeys(["eps", *names], float))
    # the residual of a run that still moves is only an upper bound on that of its limit
    still = (rows.residual <= RESIDUAL) | (rows.moved <= STILL)
    at_rest = rows.residual.where(still).groupby(rows.eps)
    worst = at_rest.transform(lambda of: of.max(skipna=of.max() > RESIDUAL))
    return rows.assign(worst=worst)


# what is claimed (as theorems, they are not drawn)

ABOUT_EPS: dict[str, Any] = dict(kind="theorem", at=claims.every("eps", least=len(LEVELS)))
Z5 = claim(
    "Z5",
    "section 3, problems (5) and (6)",
    "if beta = eps/n, then a solution to the above problem is eps-suboptimal for the original "
    "problem",
    measures="largest shortfall of BCA's limit from the optimum, by the exact SDP; largest "
    "variance 1, n = 8 and 14",
    unit="eps",
    rule=claims.at_most(1),
    primary="problem (5)",
    why="problem (6), the problem above, is a variant of (5) in its squared units",
    rows=lambda data: claims.each(
        data.limits, "eps", "short", "eps = {:g}", how="max", reading="problem (5)"
    ),
    **ABOUT_EPS,
)
Z8 = claim(
    "Z8",
    "section 3",
    "every limit point that our block coordinate ascent algorithm converges to is the global "
    "optimizer",
    measures="violation of the optimality conditions of problem (6) at BCA's limit: with U = Tr X "
    "I - beta X^-1 - Sigma, the largest entry of U + clip(X - U, -lambda, lambda)",
    unit="lambda",
    rule=claims.at_most(RESIDUAL),
    primary="where it came to rest",
    why="the sentence is about limit points; a run that still moves gives only a bound",
    rows=lambda data: claims.each(
        data.limits, "eps", "worst", "eps = {:g}", reading="where it came to rest", seed=None
    ),
    **ABOUT_EPS,
)
