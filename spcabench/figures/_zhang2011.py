"""Experiments of Zhang and El Ghaoui (2011) on random covariances: times, and sweeps of BCA."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from spcabench import api, claims
from spcabench.problem.problem import Problem
from spcabench.run import Run
from spcabench.solving.call import arguments

FAMILIES = {"gaussian": "Gaussian, $\\Sigma = F^TF$", "spiked": "spiked, $\\Sigma = uu^T + VV^T/m$"}
GAP = 1e-2
OWN: dict[str, dict[str, Any]] = {
    "bca": dict(K=10**6),
    "bca loose": dict(K=10**6, inner="loose", eps=5e-3),
    "bca_continuation": {},
    "dspca": dict(eps=GAP),
}
# timed sizes, and the number of seeds per size (seeds start at 200, because no solver was tuned on
# these)
SIZES: dict[str, dict[str, tuple[int, ...]]] = {
    "quick": dict.fromkeys(OWN, (25, 50, 100)),
    "paper": {
        "bca": (50, 100, 200, 300),
        "bca loose": (50, 100, 200, 300, 400),
        "bca_continuation": (50, 100, 200, 300, 400, 600, 800),
        "dspca": (50, 100, 200, 300, 400),
    },
}
SEEDS = {"quick": {25: 6, 50: 3}, "paper": {50: 6, 100: 6, 200: 3, 300: 3}}
LIMIT = {"quick": 10.0, "paper": 60.0}
# n -> seed of the problem of the long runs, which take hours; for n = 200 and 300, the paper's BCA
# hits the limit on this problem
LONG: dict[str, dict[int, int]] = {
    "gaussian": {200: 200, 300: 200, 400: 200, 600: 200, 800: 200},
    "spiked": {200: 202, 400: 200, 600: 200, 800: 200},
}
LONG_METHODS, LONG_LIMIT = ("dspca", "bca", "bca loose"), 8 * 3600.0
PROBLEM = ["dataset", "x", "seed"]  # columns that identify a problem
# a tighter gap, and the sizes at which it is feasible
TIGHT, TIGHT_SIZES = 1e-3, (50, 100)


def penalty(family: str, n: int) -> float:
    """Return the penalty that the figures use for a family and a size."""
    return float(
        # the largest of n noise entries is about sqrt(log n) standard deviations, so few variables
        # survive this penalty
        0.58 * np.sqrt(np.log(n)) * (np.sqrt(n) if family == "gaussian" else 1.0 / np.sqrt(n))
    )


def source(family: str, n: int, seed: int) -> dict[str, Any]:
    """Return the arguments of `Run` that specify a problem."""
    # the covariance is the input, because neither algorithm includes forming it
    size = dict(m=n, n=n) if family == "gaussian" else dict(n=n)
    return dict(dataset=family, parameters=dict(**size, seed=seed), seed=seed, form="covariance")


# runs


def timed_runs(family: str, scale: str) -> Iterator[Run]:
    """Yield the timed runs."""
    sizes = SIZES[scale]
    for n in sizes["bca_continuation"]:
        for seed in range(200, 200 + SEEDS[scale].get(n, 1)):
            for method in (m for m in sizes if n in sizes[m]):
                # plain BCA hits its time limit at n = 300, and one problem is enough to show it
                if method != "bca" or n < 300 or seed == 200:
                    yield _timed(family, n, seed, method, scale)


def long_runs() -> Iterator[Run]:
    """Yield a run of each method without a limit for each size of a family, shortest runs first."""
    for n in sorted({n for sizes in LONG.values() for n in sizes}):
        for method in LONG_METHODS:
            for family in (f for f in FAMILIES if n in LONG[f]):
                run = _timed(family, n, LONG[family][n], method, "paper").at(time_limit=LONG_LIMIT)
                yield replace(
                    run, label="long", long=True, one_round=True, timeout=LONG_LIMIT + 3600.0
                )


def _timed(family: str, n: int, seed: int, method: str, scale: str) -> Run:
    """Return a timed run to the gap."""
    solver = method.partition(" ")[0]
    named = {"rho" if solver == "dspca" else "lam": penalty(family, n), "screen": False}
    # no limit on iterations, because the time limit stops the run
    limits = dict(tol=GAP, time_limit=LIMIT[scale], stop="gap", max_iterations=10**6)
    return Run(
        **source(family, n, seed),
        solver=solver,
        settings=named | OWN[method] | limits,
        timed=True,
        # plain BCA has only one problem with n = 300, whose seed is 200
        one_round=n == 200 or (n == 300 and seed > 200),
        label="time",
        # a sweep cannot be interrupted, and takes a long time for the largest n
        timeout=4 * LIMIT[scale],
    )


def tight_runs() -> Iterator[Run]:
    """Yield a call of `to_a_gap` for each family, each of the `TIGHT_SIZES` and six seeds."""
    for family, n, seed in product(FAMILIES, TIGHT_SIZES, range(200, 206)):
        settings = dict(lam=penalty(family, n), tol=TIGHT)
        about: dict[str, Any] = dict(label="tight", timed=True, uses=("bca", "dspca"))
        about |= dict(settings=settings, timeout=3600.0)
        yield Run(**source(family, n, seed), function=to_a_gap, **about)


def to_a_gap(problem: Problem, *, seed: int, lam: float, tol: float) -> dict[str, float]:
    """Return the processor seconds that each method takes to a gap, and whether it missed it."""
    beta: dict[str, Any] = dict(lam=lam, K=10**6, eps=tol / 2)
    own: dict[str, dict[str, Any]] = {
        "dspca": dict(rho=lam, eps=tol),
        "bca": beta,
        "bca loose": dict(beta, inner="loose"),
    }
    found = {}
    for method, settings in own.items():
        # the first run compiles the kernels
        for iterations in (1, 10**6):
            limits = dict(tol=tol, stop="gap", screen=False, max_iterations=iterations)
            solver = method.partition(" ")[0]
            result = api.solve(problem, solver, **arguments({**settings, **limits}))
        found[f"seconds {method}"] = result.cost.cpu_time
        # the gap is recomputed outside the solver, with a different order of summation
        gap = result.relaxation_gap
        found[f"missed {method}"] = float(gap is None or gap > 1.01 * tol)
    return found


# tables


def tight(table: pd.DataFrame) -> pd.DataFrame:
    """Return the ratios of `to_a_gap` in the form of `speedups`."""
    rows = table[(table.label == "tight") & table.extra.map(bool)]
    methods = {"bca": "exact tight", "bca loose": "loose tight"}
    names = [f"{what} {method}" for what in ("seconds", "missed") for method in ("dspca", *methods)]
    found = pd.DataFrame(rows.extra.tolist(), rows.index, names, dtype=float)
    ratios = (
        rows.assign(
            method=called,
            label="time",
            x=rows.n.astype(float),
            ratio=found["seconds dspca"] / found[f"seconds {method}"],
            missed=found["missed dspca"] - found[f"missed {method}"],
        )[~found[["missed dspca", f"missed {method}"]].all(axis=1)]
        for method, called in methods.items()
    )
    return pd.concat(ratios)


def timed(table: pd.DataFrame) -> pd.DataFrame:
    """Return the timed rows with ``method``, ``x`` = n, ``total`` seconds and ``missed``.

    A run that ``missed`` the gap counts with at least its time limit. Long runs replace the other
    runs on a problem.
    """
    loose = table.settings.map(lambda supplied: supplied.get("inner") == "loose")
    rows = table.assign(x=table.n.astype(float), method=table.solver.where(~loose, "bca loose"))
    rows = _with_long_runs(rows[rows.samples.notna()])
    goal, limit = (
        rows.settings.map(lambda s, key=key: s[key]).astype(float) for key in ("tol", "time_limit")
    )
    # the gap is recomputed outside the solver, with a different order of summation
    reached = rows.relaxation_gap.astype(float) <= 1.01 * goal
    total = (rows.setup_time + rows.solve_time).astype(float)
    # long runs take hours on a shared machine, whose other load would distort elapsed times
    total = total.where(~rows.long, rows.cpu_time.astype(float))
    # at least the limit, because the speedup must be a valid bound
    total = total.where(reached, np.maximum(total, limit))
    return rows.assign(missed=~reached, total=total, limit=limit)


def _with_long_runs(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with ``long``; long runs replace a method's other timed runs on a problem.

    A long run is used only if there is a long run of both BCA and DSPCA on its problem, because the
    two times are compared, and the time of a long run is processor time.
    """
    long = rows.label == "long"
    methods = rows[long].groupby(PROBLEM).method.agg(set)
    complete = {of for of, made in methods.items() if {"dspca", "bca"} <= made}
    of_problem = pd.Series([*rows[PROBLEM].itertuples(index=False, name=None)], rows.index)
    # a long run that turned out to be short can have further rounds, which repeat its time
    used = long & of_problem.isin(complete) & rows.repeat.eq(0)
    runs = pd.Series([*zip(of_problem, rows.method, strict=True)], rows.index)
    replaced = (rows.label == "time") & runs.isin({*runs[used]})
    rows = rows.assign(long=long, label=rows.label.where(~used, "time"))
    return rows[~replaced & (~long | used)]


def speedups(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the time of DSPCA divided by that of each other method, for each label and problem.

    Rounds are reduced to their median. A problem is left out if neither method reached the gap.
    """
    key = ["label", *PROBLEM, "repeat"]
    slow = rows.method == "dspca"
    pairs = rows[~slow].merge(rows[slow], on=key, suffixes=("", "_dspca"))
    # the true ratio is larger if only DSPCA hit the limit, smaller if only the other one did; if
    # both did, their ratio is 1, whatever the true ratio is
    missed = pairs.missed_dspca.astype(int) - pairs.missed.astype(int)
    pairs = pairs.assign(ratio=pairs.total_dspca / pairs.total, bound=missed)
    pairs = pairs[~(pairs.missed & pairs.missed_dspca)]
    reduced: dict[str, Any] = {"ratio": "median", "least": "min", "most": "max"}
    reduced |= {"stand_in": "max", "problem": "first", "row": " ".join, "row_dspca": " ".join}
    both = (
        pairs.assign(least=pairs.bound, most=pairs.bound)
        .groupby(["method", *key[:-1]], as_index=False)
        .agg(reduced)
    )
    # nothing is known if different rounds give bounds on both sides
    known = both.least * both.most >= 0
    return both.assign(ratio=both.ratio.where(known), missed=np.sign(both.least + both.most))


def by_family(rows: pd.DataFrame, value: str, **options: Any) -> Iterator[pd.DataFrame]:
    """Yield a tidy table for each family, with a place for each size."""
    for name, part in families(rows):
        yield claims.each(part, "x", value, f"{name}, n = {{:g}}", missed="missed", **options)


def families(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the name and the rows of each family."""
    return [
        (title.partition(",")[0], rows[rows.dataset == family])
        for family, title in FAMILIES.items()
    ]


def growth(rows: pd.DataFrame, **options: Any) -> Iterator[pd.DataFrame]:
    """Yield a tidy table of the exponent with which the flops per sweep grow with n, by family."""
    for name, part in families(rows.assign(cost=rows.flops / rows.iterations)):
        powers = {seed: exponent(of.x, of.cost) for seed, of in part.groupby("seed")}
        part = part.assign(power=part.seed.map(powers))
        yield claims.tidy(part, "power", name, over="seeds", **options)


def exponent(x: pd.Series, y: pd.Series) -> float:
    """Return the exponent with which the median of y grows with x; NaN for fewer than 3 sizes."""
    middle = y.groupby(x).median()
    return claims.slope(middle.index, middle) if len(middle) >= 3 else float("nan")
