"""The truth line of a figure: proven optima, or ranges from the best known value to a bound.

Rows with the label "truth" come from branch_and_bound, which solves every k up to a limit in one
run, from local_search, a heuristic of this suite, or from a function that computes the dual bound.
The search budget is counted in entries of node matrices instead of seconds, which makes the line
reproducible. The best known values include the refitted answers of the figure's own solvers on the
same problem, and the bounds include every certified bound.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from spcabench.problem.problem import Problem
from spcabench.run import Run
from spcabench.solving import bounds
from spcabench.solving.result import PROVEN

LABEL = "truth"
COLUMNS = ["k", "best", "bound", "proven", "nodes", "seconds"]
VISIBLE = 0.005  # a band thinner than this fraction of the largest value is left out of the legend
# search budget for each cardinality, in entries of node matrices
BUDGET = {"quick": 5e7, "paper": 2e9}


def truth(
    scale: str,
    dataset: str,
    parameters: dict[str, Any],
    limit: int,
    ks: Iterable[float] = (),
    **common: Any,
) -> Iterator[Run]:
    """Run the exact search for every k up to a limit, and local search and the dual bound for ks.

    ks : cardinalities, or fractions of n. The dual bound is computed only for cardinalities,
    because fractions are used for problems that are too large for it, and only at paper scale,
    because it takes longer than all other runs of a figure at quick scale.
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
        # the exact search covers every k up to the limit, so the dual bound would add nothing
        if scale == "paper" and isinstance(k, int) and k > limit:
            yield Run(function=dual_bound, settings=dict(k=k, **nonnegative), **common)


def dual_bound(
    problem: Problem, *, k: int, seed: int, nonnegative: bool = False
) -> dict[str, float]:
    """Return the dual bound for k, or an empty dict if too many variables remain for it."""
    results = bounds.dual_bound(problem, k, nonnegative)
    return {"k": k, "dual_bound": results.value, "seconds": results.seconds} if results else {}


@dataclass(eq=False)
class Truth:
    """Known values of one problem, and bounds on its optimum.

    table : for each k the best value, the bound, whether the value is proven optimal, and the nodes
    and seconds of the search. problem : name of the problem. key : the dataset and the parameters,
    which identify the problem.
    """

    table: pd.DataFrame
    problem: str = ""
    key: str = ""

    @classmethod
    def of(cls, rows: pd.DataFrame) -> "Truth":
        """Collect the truth from all rows of a figure; it is empty if no exact search was run."""
        part = rows[(rows.label == LABEL) & (rows.solver == "branch_and_bound")]
        if part.empty:
            return cls(pd.DataFrame(columns=COLUMNS))
        # a figure can have several problems, but the truth belongs to one of them
        exact, key = part.iloc[0], str(_key(part).iloc[0])
        same = rows[_key(rows) == key]
        feasible = (
            # an answer with negative entries can exceed the optimum over x >= 0
            same[same.nonnegative.astype(bool)] if exact.settings.get("nonnegative") else same
        )
        by_k = (
            pd.concat(
                [
                    feasible[["cardinality", "variance_refit"]].set_axis(["k", "best"], axis=1),
                    # a bound applies to the requested k, an answer to its own cardinality
                    same[["bound"]].assign(k=same.k.fillna(same.cardinality)),
                    pd.DataFrame(list(_dual_bounds(same)), columns=["k", "bound"]),
                    pd.DataFrame(list(_settled(exact))),
                ]
            )
            .dropna(subset=["k"])
            .query("k >= 1")
            .groupby("k")
        )
        # the optimum does not decrease with k: carry values to larger k, and bounds to smaller k
        best = by_k.best.max().cummax().ffill()
        bound = by_k.bound.min()[::-1].cummin().ffill()[::-1]
        # lambda_1 is a bound for every k
        bound = bound.fillna(exact.get("lambda_1", np.nan)).fillna(np.inf)
        bound = np.maximum(bound, best)
        proven = best >= bound * (1.0 - PROVEN)
        table = pd.DataFrame(
            {"best": best, "bound": bound.replace(np.inf, np.nan), "proven": proven}
        )
        return cls(
            table.join(by_k[["nodes", "seconds"]].max()).reset_index(), str(exact.problem), key
        )

    def draw(self, axis: Any, unit: float = 1.0, per: float = 1.0) -> None:
        """Plot the line of proven optima, and the band that contains the optima without a proof.

        unit : divisor of the values. per : divisor of the cardinalities.
        """
        table, proven = self.table, self.table.proven.astype(bool)
        if table.empty:
            return
        # columns with missing values have dtype object, which matplotlib rejects
        table = table.astype({name: float for name in ("k", "best", "bound")})
        x = table.k / per
        if not proven.all():
            low, high = table.best / unit, table.bound / unit  # equal if the optimum is proven
            # a legend entry for an invisible band would confuse readers
            seen = (high - low).max() > VISIBLE * high.max()
            axis.fill_between(
                x,
                low,
                high,
                color="#999999",
                alpha=0.22,
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
        """State how far the values of a method are below the optimum.

        Rows of other problems are ignored.
        """
        table = self.table.dropna(subset=["bound"]).set_index("k")
        part = (
            rows[(_key(rows) == self.key) & rows.cardinality.isin(table.index)]
            if self.key
            else rows.iloc[:0]
        )
        if part.empty:
            return f"{name} against the optimum: no run"
        at = table.loc[part.cardinality]
        proven = at.proven.to_numpy(dtype=bool)
        # relative to the optimum if it is proven, otherwise to the bound, which can exceed the
        # optimum
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
    """Return the entries of certified.json for a figure: its known optima and bounds."""
    truth = getattr(data, "truth", None)
    if truth is None:
        return []
    entries = json.loads(truth.table.to_json(orient="records"))
    return [{"problem": truth.problem, "parameters": truth.key, **entry} for entry in entries]


def _key(rows: pd.DataFrame) -> pd.Series:
    """Return the dataset and the parameters of each row as a string that identifies the problem."""
    return rows.dataset + " " + rows.parameters.map(lambda p: json.dumps(p, sort_keys=True))


def _settled(exact: Any) -> Iterator[dict[str, float]]:
    """Yield the result for each cardinality that was covered by one run of the exact search."""
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
    """Yield the dual bounds stored in the rows."""
    for extra in rows[rows.label == LABEL].extra:
        if isinstance(extra, dict) and "dual_bound" in extra:
            yield {"k": int(extra["k"]), "bound": extra["dual_bound"]}


def split(table: pd.DataFrame) -> tuple[pd.DataFrame, Truth]:
    """Return the rows of the figure's own solvers, and the truth that all rows together give."""
    # figures compare solvers, and the exact search is not one of them
    return table[table.label != LABEL].reset_index(drop=True), Truth.of(table)
