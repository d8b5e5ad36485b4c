"""The truth line of a figure: proven optima, else a band from the best known to a bound.

Rows with the label "truth" are those of branch_and_bound, whose one run settles every k up to a
limit within a budget of node matrix entries (never of seconds: the line repeats), and of
local_search, a heuristic of this suite. A measure with that label is the dual bound. What the
figure's own solvers reached on the same problem, refitted, counts as known too, and so does every
certified bound.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np
import pandas as pd

from spcabench.problem.problem import Problem
from spcabench.run import Run
from spcabench.solving import bounds

LABEL = "truth"
COLUMNS = ["k", "best", "bound", "proven", "nodes", "seconds"]
PROVEN = 1e-8  # relative gap of a proven optimum
VISIBLE = 0.005  # a band thinner than this share of the largest value is not in the legend
BUDGET = {"quick": 5e7, "paper": 2e9}  # entries of node matrices for each cardinality


def truth(
    scale: str,
    dataset: str,
    parameters: dict[str, Any],
    limit: int,
    ks: Iterable[float] = (),
    **common: Any,
) -> Iterator[Run]:
    """Exact search of every cardinality up to a limit, local search and the dual bound at ks.

    ks : numbers, or shares of n; the dual bound is made at numbers alone, because shares are used
        for problems that are too large for it, and at the papers' scale alone: it takes longer than
        all else of a quick figure.
    """
    nonnegative = dict(nonnegative=True) if common.pop("nonnegative", False) else {}
    common |= dict(dataset=dataset, parameters=parameters, label=LABEL)
    yield Run(
        solver="branch_and_bound",
        settings=dict(k=limit, budget=BUDGET[scale], every=True, **nonnegative),
        **common,
    )
    for k in ks:
        yield Run(solver="local_search", settings=dict(k=k, budget=60), **common)
        # up to the limit the exact search has settled k: a bound would add nothing
        if scale == "paper" and isinstance(k, int) and k > limit:
            yield Run(function=dual_bound, settings=dict(k=k, **nonnegative), **common)


def dual_bound(
    problem: Problem, *, k: int, seed: int, nonnegative: bool = False
) -> dict[str, float]:
    """The dual bound at k; nothing if too many variables remain for it."""
    results = bounds.dual_bound(problem, k, nonnegative)
    return {"k": k, "dual_bound": results.value, "seconds": results.seconds} if results else {}


@dataclass(eq=False)
class Truth:
    """The known values and bounds of one problem's optimum.

    table : for each k the best value, the bound, whether it is proven, and nodes and seconds of the
    search. problem : its name. key : what tells it apart.
    """

    table: pd.DataFrame
    problem: str = ""
    key: str = ""

    @classmethod
    def of(cls, rows: pd.DataFrame) -> "Truth":
        """From all rows of a figure; empty without a row of the exact search."""
        part = rows[(rows.label == LABEL) & (rows.solver == "branch_and_bound")]
        if part.empty:
            return cls(pd.DataFrame(columns=COLUMNS))
        # a figure may have several problems; the truth is that of one
        exact, key = part.iloc[0], str(_key(part).iloc[0])
        same = rows[_key(rows) == key]
        feasible = (
            # an answer with signs may exceed the optimum over x >= 0
            same[same.nonnegative.astype(bool)] if exact.settings.get("nonnegative") else same
        )
        by_k = (
            pd.concat(
                [
                    feasible[["cardinality", "variance_refit"]].set_axis(["k", "best"], axis=1),
                    # a bound is on the k asked for, an answer counts at what it used
                    same[["bound"]].assign(k=same.k.fillna(same.cardinality)),
                    pd.DataFrame(list(_dual_bounds(same)), columns=["k", "bound"]),
                    pd.DataFrame(list(_settled(exact))),
                ]
            )
            .dropna(subset=["k"])
            .query("k >= 1")
            .groupby("k")
        )
        # more variables reach what k of them reach, and a bound for more also bounds fewer
        best = by_k.best.max().cummax().ffill()
        bound = np.maximum(by_k.bound.min()[::-1].cummin()[::-1].ffill(), best)
        table = pd.DataFrame(
            {"best": best, "bound": bound, "proven": best >= bound * (1.0 - PROVEN)}
        )
        return cls(
            table.join(by_k[["nodes", "seconds"]].max()).reset_index(), str(exact.problem), key
        )

    def draw(self, axis: Any, unit: float = 1.0, per: float = 1.0) -> None:
        """The line and the band. unit, per : what values and cardinalities are divided by."""
        table, proven = self.table, self.table.proven.astype(bool)
        if table.empty:
            return
        # columns that were empty in some rows come as objects, which matplotlib does not take
        table = table.astype({name: float for name in ("k", "best", "bound")})
        x = table.k / per
        if not proven.all():
            low, high = table.best / unit, table.bound / unit  # the same where it is proven
            # a legend entry for what nobody can see would confuse
            seen = (high - low).max() > VISIBLE * high.max()
            axis.fill_between(
                x,
                low,
                high,
                color="#999999",
                alpha=0.3,
                linewidth=0,
                zorder=0,
                label="optimum: best known to bound" if seen else None,
            )
        y = (table.best / unit).where(proven)
        axis.plot(
            x,
            y,
            color="black",
            linewidth=0.9,
            marker=".",
            markersize=3,
            zorder=3,
            label="optimum, proven",
        )

    def distance(self, rows: pd.DataFrame, column: str, name: str) -> str:
        """How far below the optimum the rows of a method are, in words.

        Rows of other problems are left out.
        """
        table = self.table.set_index("k")
        part = (
            rows[(_key(rows) == self.key) & rows.cardinality.isin(table.index)]
            if self.key
            else rows.iloc[:0]
        )
        if part.empty:
            return f"{name} against the optimum: no run"
        at = table.loc[part.cardinality]
        proven = at.proven.to_numpy(dtype=bool)
        # from the optimum where it is proven, else from the bound, which may say more than is true
        below = 100.0 * (1.0 - part[column].to_numpy() / np.where(proven, at.best, at.bound)).clip(
            min=0.0
        )
        words = []
        if proven.any():
            words.append(
                f"at most {below[proven].max():.2f} % below the proven optimum ({proven.sum()} "
                "runs)"
            )
        if not proven.all():
            words.append(
                f"at most {below[~proven].max():.2f} % below the bound ({(~proven).sum()} runs)"
            )
        return f"{name} {', '.join(words)}"


def certified(data: Any) -> list[dict[str, Any]]:
    """A figure's entries of certified.json: the table of its truth."""
    truth = truth_of(data)
    entries = json.loads(truth.table.to_json(orient="records"))
    return [{"problem": truth.problem, "parameters": truth.key, **entry} for entry in entries]


def _key(rows: pd.DataFrame) -> pd.Series:
    """What tells problems apart."""
    return rows.dataset + " " + rows.parameters.map(lambda p: json.dumps(p, sort_keys=True))


def _settled(exact: Any) -> Iterator[dict[str, float]]:
    """The cardinalities that one run of the exact search settled."""
    for k in range(1, int(exact.k) + 1):
        best, bound, nodes = (exact.extra[f"{name}_{k}"] for name in ("value", "bound", "nodes"))
        yield {
            "k": k,
            "best": best,
            "bound": bound,
            "nodes": nodes,
            "seconds": exact.setup_time + exact.solve_time,
        }


def _dual_bounds(rows: pd.DataFrame) -> Iterator[dict[str, float]]:
    """What the measures among some rows found."""
    for extra in rows[rows.label == LABEL].extra:
        if isinstance(extra, dict) and "dual_bound" in extra:
            yield {"k": int(extra["k"]), "bound": extra["dual_bound"]}


def truth_of(data: Any) -> Truth:
    """The truth that a figure's data carry; empty if they carry none."""
    return getattr(data, "attrs", {}).get("truth", Truth(pd.DataFrame(columns=COLUMNS)))


def with_truth(
    prepare: Callable[[pd.DataFrame], pd.DataFrame],
) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """A figure's ``data`` without the rows of the truth, which `truth_of` finds in its `attrs`."""

    @wraps(prepare)
    def data(table: pd.DataFrame) -> pd.DataFrame:
        # figures compare solvers, among which the exact search is not
        prepared = prepare(table[table.label != LABEL].reset_index(drop=True))
        prepared.attrs["truth"] = Truth.of(
            # what the figure's own solvers reached counts too
            pd.concat([table[table.label == LABEL], prepared], ignore_index=True)
        )
        return prepared

    return data
