"""Shared code for the figures of Kuleshov (2013): pairs of runs with equal cardinality."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from spcabench import claims
from spcabench.run import Run

PENALTIES = ("gpower1", "gpower0")
NAMES = {"gpower1": "GPower1", "gpower0": "GPower0", "grqi": "GRQI", "ssvd_grqi": "GRQI-SSVD"}
# GPower converges linearly: with a small penalty it takes thousands of iterations to reach 1e-6
GPM: dict[str, Any] = dict(max_iterations=3000)
GRQI: dict[str, Any] = dict(max_iterations=150)  # the limit in the author's experiments
# the bands are narrow at the sparse end, where the ratio of flops changes fastest
EDGES = (0.0, 0.01, 0.02, 0.05, 0.10, 0.15, 0.20)  # edges of the bands of sparsity
SPARSE = 0.20  # the paper considers sparsities below this
# edges of the bands for variances, which Figure 3 shows for up to half of the variables
WIDE_EDGES = (0.0, 0.01, 0.02, 0.05, 0.10, 0.15, 0.20, 0.35, 0.51)
# suffix of a variance column -> name of the variance
FORMS = {"": "as returned", "_refit": "refitted"}
GPOWER1 = "Figure 1 names GPower1, and sections 4.2 and 4.3 continue with one GPM and one curve"
AS_RETURNED = f"{GPOWER1}; section 4.1 uses what the algorithm returned and mentions no refit"
# options of statements about flops and iterations, then of statements about variances
RATIO: dict[str, Any] = dict(measures="flops of GPower / flops of GRQI", unit="times")
BY_GPOWER1: dict[str, Any] = dict(kind="comparison", primary="GPower1", why=GPOWER1)
FLOPS: dict[str, Any] = dict(where="section 4.2", **RATIO, **BY_GPOWER1)
BY_RETURNED = BY_GPOWER1 | dict(primary="GPower1, as returned", why=AS_RETURNED)


def matched(
    penalty: str, n: int, seed: int, k: int, label: str, J: tuple[int, ...] = (), **limits: float
) -> Iterator[Run]:
    """Run GPower with a penalty found by a search for k nonzeros, then GRQI with equal cardinality.

    GRQI runs once with J = inf, and once with each finite J in ``J``.
    """
    size = dict(m=n, n=n, seed=seed)
    yield Run(
        dataset="gaussian",
        parameters=size,
        solver=penalty,
        settings=dict(k=k, **GPM, **limits),
        seed=seed,
        label=label,
    )
    for extra in ({}, *(dict(J=j) for j in J)):
        # Sigma is the input, as in the paper: forming it would cost more than all GRQI iterations
        yield Run(
            dataset="gaussian",
            parameters=size,
            solver="grqi",
            settings=dict(**GRQI, **limits, **extra),
            seed=seed,
            form="covariance",
            match=penalty,
            label=label,
        )


def pairs(table: pd.DataFrame, label: str, J: int | None = None) -> pd.DataFrame:
    """Return one row for each GPower run whose GRQI run has the same cardinality.

    The columns include penalty, n, seed, ``asked`` (the requested k), sparsity, and ratio (flops of
    GPower divided by flops of GRQI). The columns flops, iterations, status, variance,
    variance_refit and, if available, solve_time have the suffix ``_p`` for GPower and ``_g`` for
    GRQI.
    """
    chosen = table[table.label == label]
    key = ["group", "chain"]
    p = chosen[chosen.match.isna()]
    # settings without J mean J = inf, represented by 0 because integer columns have no infinity
    finite = chosen.settings.map(lambda s: s.get("J", 0)).astype(int)
    g = chosen[chosen.match.notna() & (finite == (J or 0))]
    columns = ["flops", "iterations", "status", "variance", "variance_refit", "cardinality"]
    columns += [name for name in ("solve_time",) if name in table]
    # each GRQI run belongs to the GPower run just before it, whose cardinality it uses
    both = p.merge(g[key + columns], on=key, suffixes=("_p", "_g"))
    # if GRQI returns fewer nonzeros than requested, the two runs cannot be compared
    both = both[both.cardinality_p == both.cardinality_g]
    return both.assign(
        asked=[settings["k"] for settings in both.settings],
        penalty=both.solver,
        sparsity=both.cardinality_p / both.n,
        # a run without an iteration has no flops, so there is no ratio
        ratio=both.flops_p / both.flops_g.where(both.flops_g > 0),
    )


def by_penalty(table: pd.DataFrame, column: str = "penalty") -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows for each penalty of GPower, with the name of the penalty."""
    for penalty in PENALTIES:
        yield NAMES[penalty], table[table[column] == penalty]


def ratio_in_bands(
    both: pd.DataFrame, edges: tuple[float, ...] = EDGES
) -> Iterator[claims.Reading]:
    """Yield a reading for each penalty: the mean ratio of flops in each band of sparsity."""
    for name, rows in by_penalty(both):
        yield claims.Reading(name, claims.banded(rows, "sparsity", edges, typical("ratio")), rows)


def typical(column: str) -> Callable[[pd.DataFrame], claims.Measured]:
    """Return a function that computes the geometric mean of a column over problems."""
    return partial(claims.geometric_mean, column=column, over="seed")


def average(column: str) -> Callable[[pd.DataFrame], claims.Measured]:
    """Return a function that computes the mean of a column over problems."""
    return partial(claims.mean, column=column, over="seed")


def share_of(both: pd.DataFrame, hits: pd.Series) -> claims.Measured:
    """Return the fraction of pairs that are hits; all requested cardinalities weigh the same."""
    # a cardinality has the weight of one pair, even if it has a pair for each penalty
    weighted = both.assign(hit=hits).groupby(["seed", "asked"], as_index=False).hit.mean()
    return claims.share(weighted, "hit", over="seed")


def apart(both: pd.DataFrame, suffix: str = "") -> pd.Series:
    """Return by how many percent GPower's variance exceeds GRQI's, or 0 for a rounding error."""
    ratio = both[f"variance{suffix}_p"] / both[f"variance{suffix}_g"]
    # two runs that end with the same support differ only in their last digits: this is a tie
    return (100 * (ratio - 1)).round(6)


def differences_in_bands(
    both: pd.DataFrame, suffix: str = "", edges: tuple[float, ...] = EDGES, part: str = ""
) -> list[claims.Place]:
    """Return the mean absolute difference between the variances in each band, in percent."""
    far = both.assign(far=apart(both, suffix).abs())
    return claims.banded(far, "sparsity", edges, average("far"), part)


def percent(of_n: float) -> str:
    """Format a sparsity as the label of a place."""
    return f"{100 * of_n:.3g} %"


def flops_of_grqi(n, k, iterations):
    """Return the flops of Algorithm 1 on Sigma: k^3 + 2 k^2 + n k per iteration (J = inf)."""
    return iterations * (k**3 + 2 * k**2 + n * k)


def medians(both: pd.DataFrame, values: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Return the median sparsity and the median value over seeds for each requested cardinality."""
    return both.groupby("asked").sparsity.median(), values.groupby(both.asked).median()


def k_at(sparsity: float, n: int) -> int:
    """Return the cardinality for a sparsity, at least 2."""
    return max(2, round(sparsity * n))


def grid(low: float, high: float, count: int) -> np.ndarray:
    """Return sparsities that are equally spaced on a logarithmic scale."""
    return np.geomspace(low, high, count)


def in_each_band(count: int, first: float = 0.005) -> np.ndarray:
    """Return 0.5 and ``count`` sparsities in each band of `WIDE_EDGES`, starting from ``first``."""
    # geometric spacing within a band, to match the logarithmic axis
    edges = [first, *WIDE_EDGES[1:-1], 0.5]
    places = (np.arange(count) + 0.5) / count
    inside = [low * (high / low) ** places for low, high in pairwise(edges)]
    # the paper's axis ends at half of the variables
    return np.concatenate([*inside, [0.5]])


def sizes(scale: str) -> tuple[int, int, np.ndarray, dict[int, int], np.ndarray]:
    """Return n, seeds and sparsities, then seeds by other dimension and sparsities for these."""
    # more seeds if time allows, because an interval over three problems is wide
    if scale == "paper":
        return 1000, 6, in_each_band(3), {200: 6, 500: 6, 2000: 6}, grid(0.01, 0.19, 6)
    # an interval requires at least three seeds
    return 300, 3, in_each_band(1), {100: 3, 200: 3}, grid(0.02, 0.19, 4)
