"""What the figures of Kuleshov (2013) share: runs at equal cardinality, and their pairing."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from spcabench.run import Run

PENALTIES = ("gpower1", "gpower0")
NAMES = {"gpower1": "GPower1", "gpower0": "GPower0", "grqi": "GRQI", "ssvd_grqi": "GRQI-SSVD"}
GPM: dict[str, Any] = dict(max_iterations=3000)
GRQI: dict[str, Any] = dict(max_iterations=150)  # the author's limit
WIDE_EDGES = (0.0, 0.01, 0.02, 0.05, 0.10, 0.15, 0.20, 0.35, 0.51)


def matched(
    penalty: str, n: int, seed: int, k: int, label: str, J: tuple[int, ...] = (), **limits: float
) -> Iterator[Run]:
    """GPower with its penalty searched for k nonzeros, then GRQI at the cardinality reached.

    GRQI runs with J = inf, and with each finite J that is given.
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
    """One row for each GPower run whose GRQI run has the same cardinality.

    Columns: penalty, n, seed, k asked, sparsity; ratio = flops of GPower over those of GRQI; and
    for GPower (``_p``) and GRQI (``_g``) flops, iterations, status, variance, variance_refit.
    """
    chosen = table[table.label == label]
    key = ["group", "chain"]
    p = chosen[chosen.match.isna()]
    finite = chosen.settings.map(lambda s: s.get("J", 0)).astype(int)
    g = chosen[chosen.match.notna() & (finite == (J or 0))]
    kept = ["flops", "iterations", "status", "variance", "variance_refit", "cardinality"]
    both = p.merge(g[key + kept], on=key, suffixes=("_p", "_g"))
    both = both[both.cardinality_p == both.cardinality_g]
    return both.assign(
        asked=[settings["k"] for settings in both.settings],
        penalty=both.solver,
        sparsity=both.cardinality_p / both.n,
        ratio=both.flops_p / both.flops_g.where(both.flops_g > 0),
    )


def flops_of_grqi(n, k, iterations):
    """What Algorithm 1 costs with Sigma given: k^3 + 2 k^2 + n k for each iteration (J = inf)."""
    return iterations * (k**3 + 2 * k**2 + n * k)


def medians(both: pd.DataFrame, values: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Median sparsity and median value over the seeds, for each cardinality asked."""
    return both.groupby("asked").sparsity.median(), values.groupby(both.asked).median()


def k_at(sparsity: float, n: int) -> int:
    """The cardinality of a share of n, at least two."""
    return max(2, round(sparsity * n))


def grid(low: float, high: float, count: int) -> np.ndarray:
    """Sparsities, equally spaced in their logarithm."""
    return np.geomspace(low, high, count)


def in_each_band(count: int, first: float = 0.005) -> np.ndarray:
    """So many sparsities inside each band of `WIDE_EDGES`, the first band from ``first`` on."""
    edges = [first, *WIDE_EDGES[1:-1], 0.5]
    places = (np.arange(count) + 0.5) / count
    inside = [low * (high / low) ** places for low, high in pairwise(edges)]
    return np.concatenate([*inside, [0.5]])


def sizes(scale: str) -> tuple[int, int, np.ndarray, dict[int, int], np.ndarray]:
    """n, seeds, sparsities; other dimensions with their seeds and sparsities."""
    if scale == "paper":
        return 1000, 6, in_each_band(3), {200: 6, 500: 6, 2000: 6}, grid(0.01, 0.19, 6)
    return 300, 2, in_each_band(1), {100: 2, 200: 2}, grid(0.02, 0.19, 4)
