"""Experiments of Kuleshov (2013): pairs of runs of GPower and GRQI with equal cardinality."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from spcabench.api import solve
from spcabench.claims import bands, every, meaning
from spcabench.problem.problem import Problem
from spcabench.run import Run
from spcabench.solving.bounds import leading_eigenvalue
from spcabench.solving.call import arguments
from spcabench.solving.result import refitted

PENALTIES = ("gpower1", "gpower0")
NAMES = {"gpower1": "GPower1", "gpower0": "GPower0", "grqi": "GRQI", "ssvd_grqi": "GRQI-SSVD"}
# GPower converges linearly: with a small penalty it takes thousands of iterations to reach 1e-6
GPM: dict[str, Any] = dict(max_iterations=3000)
GRQI: dict[str, Any] = dict(max_iterations=150)  # the limit in the author's experiments
# the bands are narrow at the sparse end, where the ratio of flops changes fastest
EDGES = (0.0, 0.01, 0.02, 0.05, 0.10, 0.15, 0.20)  # edges of the bands of sparsity
# edges of the bands for variances, which Figure 3 shows for up to half of the variables
WIDE_EDGES = (0.0, 0.01, 0.02, 0.05, 0.10, 0.15, 0.20, 0.35, 0.51)
# the places of K3, K6 and K7, and the range of K2 and K18: the paper calls up to 20 % sparse
BELOW_20 = every("bands of sparsity", high=meaning.SPARSE, least=6)
# thresholds of |a_i'x| that leave about 20 to 0.5 % of the variables
THRESHOLDS = {"gpower1": (1.35, 2.9), "gpower0": (1.6, 3.1)}
# labels of runs without a search
GIVEN, DENSE = "penalty given", "dense"
# suffix of a variance column -> name of the variance
FORMS = {"": "as returned", "_refit": "refitted"}
# options of claims about flops
RATIO: dict[str, Any] = dict(
    measures="flops of GPower / flops of GRQI, with their starts", unit="times", null=1.0
)


def source(n: int, seed: int) -> dict[str, Any]:
    """Return the arguments of `Run` that specify A'A, where A (n, n) is a Gaussian matrix."""
    return dict(dataset="gaussian", parameters=dict(m=n, n=n, seed=seed))


def matched(
    penalty: str, n: int, seed: int, label: str, chosen: Mapping[str, float], **limits: Any
) -> Iterator[Run]:
    """Run GPower, then GRQI with as many nonzeros.

    chosen : the cardinality k, for which a search finds the penalty, or the penalty gamma.
    """
    common: dict[str, Any] = dict(**source(n, seed), seed=seed, label=label)
    yield Run(solver=penalty, settings=dict(**chosen, **GPM, **limits), **common)
    # Sigma is the input, as in the paper: forming it would cost more than all GRQI iterations
    common |= dict(solver="grqi", form="covariance", match=penalty)
    yield Run(settings=dict(**GRQI, **limits), **common)


def given(problem: Problem, *, seed: int, penalty: str, count: int) -> dict[str, Any]:
    """Run both methods with ``count`` penalties that leave at most about 20 % nonzeros."""
    return _both(problem, penalty, np.linspace(*THRESHOLDS[penalty], count))


def dense(problem: Problem, *, seed: int, penalty: str) -> dict[str, Any]:
    """Run both methods with penalties that leave from about half of the variables to all."""
    return _both(problem, penalty, np.linspace(0.0, 0.6, 4))


def _both(problem: Problem, penalty: str, thresholds: Iterable[float]) -> dict[str, Any]:
    """Run GPower with a penalty for each threshold of |a_i'x|, and GRQI with as many nonzeros.

    Each number is a list with an item for each penalty; the suffixes are those of `pairs`.
    """
    Sigma = problem.given_as("covariance")
    found: dict[str, Any] = defaultdict(list)
    for threshold in thresholds:
        # GPower0 compares its penalty with the square
        gamma = float(threshold**2 if penalty == "gpower0" else threshold)
        of_gpower = solve(problem, penalty, **arguments(dict(gamma=gamma, **GPM)))
        of_grqi = solve(Sigma, "grqi", k=of_gpower.cardinality, **arguments(GRQI))
        for side, result in (("p", of_gpower), ("g", of_grqi)):
            found[f"cardinality_{side}"].append(result.cardinality)
            found[f"iterations_{side}"].append(result.iterations)
            found[f"whole_{side}"].append(result.cost.flops + result.cost.setup_flops)
            found[f"variance_{side}"].append(problem.variance(result.x))
            refit = problem.variance(refitted(problem, result.x))
            found[f"variance_refit_{side}"].append(refit)
    return found | {"lambda_1": leading_eigenvalue(problem)}


def pairs(table: pd.DataFrame, label: str) -> pd.DataFrame:
    """Return one row for each GPower run whose GRQI run has the same cardinality.

    The columns include penalty, n, seed, ``asked`` (the requested k, missing if the penalty was
    given; also ``share`` of n), sparsity, ``whole`` (flops of GPower divided by flops of GRQI, both
    with their start), ``ratio`` (without the starts), ``more`` (by how many percent GPower's
    variance exceeds GRQI's, also ``more_refit``), and ``far`` (its absolute value). The columns of
    the two runs have the suffixes ``_p`` for GPower and ``_g`` for GRQI.
    """
    chosen = table[table.label == label]
    key = ["group", "chain"]
    p, g = chosen[chosen.match.isna()], chosen[chosen.match.notna()]
    columns = ["row", "flops", "setup_flops", "iterations", "status", "cardinality"]
    columns += ["variance", "variance_refit"]
    # each GRQI run belongs to the GPower run just before it, whose cardinality it uses
    both = p.merge(g[key + columns], on=key, suffixes=("_p", "_g"))
    asked = both.settings.map(lambda settings: settings.get("k", np.nan))
    both = both.assign(
        whole_p=both.flops_p + both.setup_flops_p, whole_g=both.flops_g + both.setup_flops_g
    )
    both = both.assign(
        asked=asked,
        share=asked / both.n,
        penalty=both.solver,
        # a run without an iteration has no flops, so there is no ratio
        ratio=both.flops_p / both.flops_g.where(both.flops_g > 0),
    )
    return compared(both)


def compared(both: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs with equal cardinality, with their sparsity and the columns that compare."""
    # if GRQI returns fewer nonzeros than requested, the two runs cannot be compared
    both = both[both.cardinality_p == both.cardinality_g]
    both = both.assign(
        sparsity=both.cardinality_p / both.n,
        whole=both.whole_p / both.whole_g,
        more=more(both),
        more_refit=more(both, "_refit"),
    )
    return both.assign(far=both.more.abs(), far_refit=both.more_refit.abs())


def more(both: pd.DataFrame, suffix: str = "") -> pd.Series:
    """Return by how many percent GPower's variance exceeds GRQI's, or 0 for a rounding error."""
    ratio = both[f"variance{suffix}_p"] / both[f"variance{suffix}_g"]
    # two runs that end with the same support differ only in their last digits: this is a tie
    return (100 * (ratio - 1)).round(6)


def by_penalty(table: pd.DataFrame, column: str = "penalty") -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows for each penalty of GPower, with the name of the penalty."""
    for penalty in PENALTIES:
        yield NAMES[penalty], table[table[column] == penalty]


def ratios(both: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the ratio of flops in each band of sparsity, for each penalty, with and without starts.

    Section 4.2 counts products and inversions, and GRQI's start, the largest column, is neither.
    """
    for column, counted in (("whole", ""), ("ratio", ", starts not counted")):
        for name, rows in by_penalty(both[both[column].notna()]):
            yield bands(rows, "sparsity", EDGES, column, reading=f"{name}{counted}")


def other_sizes(both: pd.DataFrame, column: str, **options: Any) -> pd.DataFrame:
    """Return the values of a column for other n, with a place for each n and band of sparsity."""
    # by the requested sparsity, because the sparsity reached can lie outside the band
    tables = [
        bands(rows, "share", EDGES, column, **options).assign(n=n) for n, rows in both.groupby("n")
    ]
    whole = pd.concat(tables)
    labels = [f"n = {n:g}, {label}" for n, label in zip(whole.n, whole.label, strict=True)]
    return whole.assign(label=labels).drop(columns="n")


def weighted(both: pd.DataFrame, hits: pd.Series) -> pd.DataFrame:
    """Return the share of hits for each problem and band of sparsity."""
    # a band has the weight of one run, whatever the number of its runs
    band = np.digitize(both.sparsity, EDGES)
    return (
        both.assign(hit=hits.astype(float), band=band, row=both.row_p + " " + both.row_g)
        .groupby(["seed", "band"], as_index=False)
        .agg({"hit": "mean", "stand_in": "max", "problem": "first", "row": " ".join})
    )


def of_all_problems(table: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs with searched penalties, and those of `given` and `dense`."""
    parts = [pairs(table, "main")]
    for row in table[table.label.isin([GIVEN, DENSE])].to_dict("records"):
        about = {name: row[name] for name in ("seed", "n", "problem", "stand_in", "label")}
        about |= {"row_p": row["row"], "row_g": ""}  # a row has the answers of both solvers
        both = pd.DataFrame(row["extra"]).assign(**about, penalty=row["settings"]["penalty"])
        parts.append(compared(both))
    return pd.concat(parts, ignore_index=True)


def unfolded(table: pd.DataFrame, label: str) -> pd.DataFrame:
    """Return the rows of a function, with the numbers that it returned and k as columns."""
    rows = table[table.label == label]
    numbers = pd.DataFrame(rows.extra.tolist(), index=rows.index)
    k = [settings["k"] for settings in rows.settings]
    return (
        rows[["seed", "stand_in", "problem", "n", "row"]]
        .join(numbers.drop(columns="k", errors="ignore"))
        .assign(k=k)
    )


def sparse(both: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs below 20 % nonzeros."""
    return both[both.sparsity < meaning.SPARSE]


def k_at(sparsity: float, n: int) -> int:
    """Return the cardinality for a sparsity, at least 2."""
    return max(2, round(sparsity * n))


def in_each_band(count: int, first: float = 0.005) -> np.ndarray:
    """Return 0.5 and ``count`` sparsities in each band of `WIDE_EDGES`, starting from ``first``."""
    # geometric spacing within a band, to match the logarithmic axis
    edges = [first, *WIDE_EDGES[1:-1], 0.5]
    places = (np.arange(count) + 0.5) / count
    inside = [low * (high / low) ** places for low, high in pairwise(edges)]
    # the paper's axis ends at half of the variables
    return np.concatenate([*inside, [0.5]])


def sizes(scale: str) -> SimpleNamespace:
    """Return what Figures 2 and 3 run at a scale.

    n, seeds, sparsities : the dimension, the number of problems and the sparsities of the searches.
    problems, given : the number of problems for shares and differences of variances, and the number
    of given penalties on those without a search. starts : the number of problems for random starts.
    others, fewer : the number of problems for each other dimension, and the sparsities there.
    """
    if scale == "paper":
        searches = dict(n=1000, seeds=6, sparsities=in_each_band(3))
        others = dict(others={200: 6, 500: 6, 2000: 6}, fewer=np.geomspace(0.01, 0.19, 6))
        return SimpleNamespace(**searches, problems=60, given=12, starts=16, **others)
    searches = dict(n=300, seeds=3, sparsities=in_each_band(1))
    others = dict(others={100: 3, 200: 3}, fewer=np.geomspace(0.02, 0.19, 4))
    return SimpleNamespace(**searches, problems=12, given=8, starts=6, **others)
