"""Compute fractions of the best known value, gaps, costs and ranks of solvers from rows."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from spcabench.comparison import profiles
from spcabench.comparison.best_known import CLOSE, PROVEN, Entry
from spcabench.comparison.entrants import ANSWER, SEED
from spcabench.errors import below
from spcabench.running import schema
from spcabench.solving.status import GOOD, Status
from spcabench.vectors import Vector

TARGET = 0.999  # fraction of the best known value that counts as reaching it in the ranking
TARGETS = (0.9, 0.99, TARGET)
SHIFT = dict(time=0.01, flops=1e5)  # shifts of the geometric means: 10 ms, 1e5 flops
DIGITS = 6  # mean fractions that agree to this number of digits are equal
NOTHING = 10.0**-DIGITS
FEWEST = 10  # minimum number of problems for a bootstrap over problems
DRAWS, TAIL = 2000, 0.025  # number of bootstrap draws, and tail probability of 95 % intervals
TOLD = f"{100 * TARGET:g} %"  # the target in words
HIT = f"at {TARGET:g}"  # column with the fraction of pairs on which the target is reached
RULE = (
    f"Solvers are ordered by the percentage of pairs on which they reach {TOLD} of the best known "
    "value within the limits, then by the mean percentage of the best known value (zero for a "
    "failure, to six digits), and then by "
)
RANK = (
    "A rank is a range. One solver is above another if the percentage of pairs on which it reaches "
    f"{TOLD} is larger and the 95 % interval of the difference excludes zero. (The interval comes "
    "from a bootstrap over problems, with the same draws for both solvers and all cardinalities "
    "of a problem. Each difference is judged separately.) The range starts at one plus the number "
    "of solvers above, and ends at the number of solvers that are not below. Costs do not affect "
    "ranks. A randomised solver runs with several seeds. Its percentages are means over the seeds, "
    "and its costs are those of the first seed. With fewer than ten problems, ranks only compare "
    "the counts on these problems, and nothing is claimed about other problems."
)
LAST = {
    "time": "the shifted geometric mean of the times (shift 10 ms; a failure has the largest time "
    "of all runs).",
    "flops": "the shifted geometric mean of the flops (shift 1e5; a failure has the largest number "
    "of all runs). Times are not ranked, because they were measured under different conditions.",
}
PAIR = ["item", "asked"]
NOT_RUN = "not_run"  # status of a run that the harness could not make


def standing(rows: pd.DataFrame, table: Mapping[tuple[str, str, int, bool], Entry]) -> pd.DataFrame:
    """Return one row per solver and pair: refitted value, fraction of the best, gap, costs, status.

    Status and costs are those of the first seed; see `_over_seeds` for the other seeds. Pairs with
    a run that the harness could not make are left out (`not_run`).

    answered : whether the run has an answer.

    time, work : seconds and flops, NaN if they are unknown.

    best, bound, proven : the best value in the table and in these rows, the smallest certified
        bound, and whether this value and this bound agree.

    Raises CertificateError if a value exceeds a bound, because one of them must then be wrong.
    """
    every = rows[rows.kind.isin((ANSWER, SEED))].sort_values("seed", kind="stable")
    every = every[~_pairs_of(every).isin(not_run(rows))]
    every = every.assign(answered=every.status.isin(GOOD))
    every["value"] = every.variance_refit.where(every.answered)
    pairs = pd.DataFrame(
        [_pair(part, table) | {"item": i, "asked": k} for (i, k), part in every.groupby(PAIR)]
    )
    every = every.drop(columns="bound").merge(pairs, on=PAIR)
    answers = every[every.kind == ANSWER].drop(columns="value")
    answers = answers.merge(_over_seeds(every), how="left", on=[*PAIR, "solver"])
    time = answers.search_time.fillna(answers.solve_time + answers.setup_time)
    work = answers.search_flops.fillna(answers.flops + answers.setup_flops)
    answers["time"] = time.astype(float).where(answers.answered)
    answers["work"] = work.astype(float).where(answers.answered & answers.flops.notna())
    longest = [np.nan if times is None else max(times) for times in answers.round_times]
    longest = pd.Series(longest, answers.index, dtype=float).fillna(answers.time)
    answers["slowest"] = longest.where(answers.answered)
    answers["memory"] = (answers.peak_memory - answers.memory_before).where(answers.answered)
    answers["gap"] = (answers.bound - answers.value) / answers.bound
    return answers


def not_run(rows: pd.DataFrame) -> pd.MultiIndex:
    """Return the pairs with a run that failed because of the harness and not of its solver.

    Such a failure says nothing about the solver, and a mean over other pairs would not be
    comparable, so these pairs are left out for all solvers.
    """
    return _pairs_of(rows[rows.status == NOT_RUN]).unique()


def _pairs_of(rows: pd.DataFrame) -> pd.MultiIndex:
    return pd.MultiIndex.from_frame(rows[PAIR])


def _over_seeds(every: pd.DataFrame) -> pd.DataFrame:
    """Return the means over the seeds for each solver and pair, and a list of all fractions.

    The columns are the mean value, the mean fraction of the best known value, and ``shares``, which
    lists the fraction for each seed. A failure is assigned the fraction zero. The mean fraction is
    NaN if the solver failed with every seed.
    """
    share = (every.value / every.best).fillna(0.0)
    seeds = every.assign(share=share).groupby([*PAIR, "solver"], sort=False)
    means = seeds[["value", "share"]].mean()
    means["share"] = means.share.where(means.value.notna())
    return means.assign(shares=seeds.share.agg(list)).reset_index()


def reached(shares: pd.Series, target: float) -> pd.Series:
    """Return, for each solver and pair, the fraction of seeds with which it reaches the target.

    shares : the column of `standing` with a list of fractions for each solver and pair.
    """
    parts = [np.mean(np.array(of_seeds) >= target * (1.0 - CLOSE)) for of_seeds in shares]
    return pd.Series(parts, shares.index, dtype=float)


def _pair(part: pd.DataFrame, table: Mapping[tuple[str, str, int, bool], Entry]) -> dict[str, Any]:
    """Return the best value for a pair, its source, the best bound, and whether they agree."""
    names, k, sign = part.problem.dropna(), int(part.asked.iloc[0]), bool(part.sign.iloc[0])
    entry = table.get((str(part.item.iloc[0]), names.iloc[0], k, sign)) if len(names) else None
    best = entry.value if entry else 0.0
    top = float(part.value.max())
    who, listed = (entry.who if entry else ""), entry is not None
    if top > best * (1.0 + CLOSE):
        who, listed, best = str(part.solver[part.value.idxmax()]), False, top
    bound = min([*part.bound.dropna(), *([entry.bound] if entry else [])], default=np.nan)
    if best > bound * (1.0 + CLOSE):
        raise below(best, bound, f"{part.item.iloc[0]}, k = {k}", "the smallest certified bound")
    bound = max(bound, best)
    return dict(
        best=best,
        bound=bound,
        proven=best >= bound * (1.0 - PROVEN),
        who=who,
        listed=listed,
        unit=_unit(part),
    )


def _unit(part: pd.DataFrame) -> float:
    """Return the flops of a product with Sigma: 2 per entry of a covariance or 4 per entry of A."""
    first = part.dropna(subset=["nnz"])
    return (
        float("nan") if first.empty else float(first.nnz.min() * (2 if first.m.isna().all() else 4))
    )


def costs(answers: pd.DataFrame, share: float, measure: str) -> pd.DataFrame:
    """Return a table (pairs, solvers) of the costs to reach a fraction of the best known value.

    A cost is inf if the fraction is not reached.

    measure : "time" or "work".
    """
    cost = [_cost(row, share, measure) for row in answers.itertuples()]
    table = answers.assign(cost=np.array(cost, dtype=float))  # float, because inf can be added
    return table.pivot(index=PAIR, columns="solver", values="cost").fillna(np.inf)


def _cost(row: Any, share: float, measure: str) -> float:
    """Return the cost at which a run first reaches a fraction of the best known value, or inf."""
    spent, reached = course(row, measure)
    return max(spent[reached >= share * (1.0 - CLOSE)].min(initial=np.inf), 1e-9)


def course(row: Any, measure: str) -> tuple[Vector, Vector]:
    """Return costs of a run, and the fraction of the best known value that it has at each cost.

    The last ones are those of the refitted answer at the end of the run, and the others those of
    its feasible iterates. A penalty search has no answer until it finishes.

    measure : "time" or "work".
    """
    total = getattr(row, measure)
    if not row.answered or not np.isfinite(total) or not row.best:
        return np.empty(0), np.empty(0)
    if np.isfinite(row.search_time) or not isinstance(row.history, str):
        return np.array([total]), np.array([row.share])
    setup = row.setup_time if measure == "time" else row.setup_flops
    taken = steps(row.history)
    feasible = taken["cardinality"] <= row.asked
    spent = taken["seconds" if measure == "time" else "flops"][feasible] + setup
    reached = np.minimum(taken["variance"][feasible] / row.best, row.share)
    return np.append(np.minimum(spent, total), total), np.append(reached, row.share)


@cache
def steps(history: str) -> dict[str, Vector]:
    """Return the steps of a run as arrays.

    The result is cached, because pictures use the same steps twenty times.
    """
    names = ("cardinality", "variance", "seconds", "flops")
    taken = schema.steps(history, *names)
    return {name: np.array([step[name] for step in taken], dtype=float) for name in names}


def ranking(answers: pd.DataFrame, last: str = "time") -> pd.DataFrame:
    """Return one row per solver that was run, in the order of `RULE`, with ranks by `RANK`.

    last : the criterion that orders solvers of equal quality, "time" or "flops".

    rank, rank_first, rank_last : the range of ranks in words, and its first and last rank.

    seeds, least, most : number of seeds, and the fractions of pairs on which the solver reaches
        `TARGET` with its worst and its best seed.

    `HIT`, "share" : means over the pairs; "share low", ... : limits of their 95 % intervals,
        computed from the bootstrap draws described in `RANK`.
    """
    ran = (answers.status != Status.SKIPPED).groupby(answers.solver).transform("any")
    answers = answers[ran] if ran.any() else answers
    slowest, most = answers.time.max(), answers.work.max()
    entries = []
    for solver, part in answers.groupby("solver"):
        by_seed = pd.DataFrame([*part.shares]) >= TARGET * (1.0 - CLOSE)
        work = part.work.fillna(most if part.work.notna().any() else np.nan)
        entries.append(
            {
                "solver": solver,
                "pairs": len(part),
                "answered": int(part.answered.sum()),
                **{f"at {t:g}": float(reached(part.shares, t).mean()) for t in TARGETS},
                "seeds": by_seed.shape[1],
                "least": float(by_seed.mean().min()),
                "most": float(by_seed.mean().max()),
                "share": float(part.share.fillna(0.0).mean()),
                "worst": float(part.share.min()),
                "gap": float(part.gap.median()),
                "time": profiles.shifted_mean(part.time.fillna(slowest).to_numpy(), SHIFT["time"]),
                "slowest": profiles.shifted_mean(
                    part.slowest.fillna(answers.slowest.max()).to_numpy(), SHIFT["time"]
                ),
                "flops": profiles.shifted_mean(work.to_numpy(), SHIFT["flops"]),
                "memory": float(part.memory.median()),
                "most_memory": float(part.memory.max()),
            }
        )
    table = pd.DataFrame(entries)
    table["equal"] = table.share.round(DIGITS)
    order, down = [HIT, "equal", *dict.fromkeys([last, "time"])], [False, False, True, True]
    table = table.sort_values(order, ascending=down[: len(order)], kind="stable")
    table = table.drop(columns="equal").reset_index(drop=True)
    above = told_apart(_of_pairs(answers, HIT)[list(table.solver)])
    return table.assign(**ranges(above), **_intervals(answers, list(table.solver)))


def _of_pairs(answers: pd.DataFrame, column: str) -> pd.DataFrame:
    """Reshape a column to a table (pairs, solvers), with zero for missing values."""
    answers = answers.assign(**{HIT: reached(answers.shares, TARGET)})
    return answers.set_index([*PAIR, "solver"])[column].fillna(0.0).unstack(fill_value=0.0)


def _means(of_pairs: pd.DataFrame) -> tuple[Vector, Vector]:
    """Return the mean of each column over the pairs, and its bootstrap draws (draws, columns).

    Problems are resampled with all their pairs. With fewer than `FEWEST` problems, there are no
    draws.
    """
    by_problem = of_pairs.groupby("item").sum().to_numpy(float)
    pairs = of_pairs.groupby("item").size().to_numpy(float)
    rng = np.random.default_rng(0)  # a fixed seed, because equal rows must produce the same page
    draws = DRAWS if len(pairs) >= FEWEST else 0
    drawn = rng.multinomial(len(pairs), np.full(len(pairs), 1.0 / len(pairs)), draws)
    return by_problem.sum(axis=0) / pairs.sum(), (drawn @ by_problem) / (drawn @ pairs)[:, None]


def told_apart(of_pairs: pd.DataFrame) -> Any:
    """Return a matrix: which column is above which by `RANK`."""
    means, of_draws = _means(of_pairs)
    if not len(of_draws):
        return means[:, None] - means > NOTHING
    low = [np.quantile(mine[:, None] - of_draws, TAIL, axis=0) for mine in of_draws.T]
    return np.array(low) > NOTHING


def ranges(above: Any) -> dict[str, Any]:
    """Return the columns with the ranks of sorted solvers; see `ranking`."""
    first, last = 1 + above.sum(axis=0), len(above) - above.sum(axis=1)
    return {
        "rank": [f"{a}" if a == b else f"{a} to {b}" for a, b in zip(first, last, strict=True)],
        "rank_first": first,
        "rank_last": last,
    }


def _intervals(answers: pd.DataFrame, solvers: list[str]) -> dict[str, Vector]:
    """Return 95 % intervals of the fractions of each solver; NaN if there are too few problems."""
    ends: dict[str, Vector] = {}
    for column in (HIT, "share"):
        _, of_draws = _means(_of_pairs(answers, column)[solvers])
        empty = np.full((1, len(solvers)), np.nan)
        quantiles = np.quantile(of_draws if len(of_draws) else empty, [TAIL, 1.0 - TAIL], axis=0)
        ends |= dict(zip((f"{column} low", f"{column} high"), quantiles, strict=True))
    return ends


def recovered(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the F1 score of the support for each solver, strength and sparsity of spiked samples.

    sparsity : k / sqrt(n). f1 : the mean over the seeds, with zero for a failure.
    """
    recovery = rows[rows.kind == "recovery"]
    if recovery.empty:
        return pd.DataFrame(columns=["solver", "strength", "sparsity", "f1"])
    parameters = list(recovery.parameters)
    table = recovery.assign(
        f1=[
            float(row.extra["f1"]) if row.status == Status.FINISHED else 0.0
            for row in recovery.itertuples()
        ],
        strength=[p["strength"] for p in parameters],
        sparsity=[p["count"] / p["n"] ** 0.5 for p in parameters],
    )
    return table.groupby(["solver", "strength", "sparsity"]).f1.mean().reset_index()


def resampled(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a table with a row for each solver, item and measure of resampling.

    The measures are the held-out fraction, the optimism and the overlap.
    """
    entries = []
    for row in rows[rows.kind.isin(["held_out", "stability"])].itertuples():
        entries += [
            {"solver": row.solver, "item": row.item, "k": row.asked, "measure": m, "of": v}
            for m, v in row.extra.items()
        ]
    return pd.DataFrame(entries, columns=["solver", "item", "k", "measure", "of"])
