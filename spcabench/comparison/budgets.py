"""The best solvers within a budget of time or flops, for all problems and for each problem kind."""

from typing import Any

import numpy as np
import pandas as pd

from spcabench.comparison.ranking import DIGITS, PAIR, course

BUDGETS = {
    "time": (1e-3, 1e-2, 1e-1, 1.0, 10.0),  # seconds
    "work": (1e5, 1e6, 1e7, 1e8, 1e9, 1e10),  # flops
}
HEADS = {
    "time": ("1 ms", "10 ms", "100 ms", "1 s", "10 s"),
    "work": ("100,000", "1 million", "10 million", "100 million", "1 billion", "10 billion"),
}
ALL = "all problems"
# the columns that are used here; a row has about eighty columns
READ = [*PAIR, "family", "solver", "answered", "share", "best", "work", "time", "search_time"]
READ += ["history", "setup_flops", "setup_time"]


def best(answers: pd.DataFrame, order: list[str], measure: str) -> list[dict[str, Any]]:
    """Return the best solvers within each budget, for all problems and for each kind of problem.

    The best solvers have the largest mean fraction of the best known value; a missing answer is
    assigned the fraction zero. If solvers agree to six digits, all of them are listed. An element
    of "best" is None if no solver has an answer within the budget.

    answers : as returned by `ranking.standing`. order : the solvers, in the order in which equally
    good solvers are listed. measure : "time" or "work".
    """
    answers = answers[READ]
    tables = [_reached(answers, budget, measure) for budget in BUDGETS[measure]]
    groups = {ALL: answers} | dict(tuple(answers.groupby("family", sort=False)))
    entries = []
    for name, part in groups.items():
        pairs = pd.MultiIndex.from_frame(part[PAIR].drop_duplicates())
        means = [table.loc[pairs].mean().reindex(order).round(DIGITS) for table in tables]
        entries.append({"group": name, "pairs": len(pairs), "best": [*map(_top, means)]})
    return entries


def _top(means: pd.Series) -> dict[str, Any] | None:
    share = float(means.max())
    if not share > 0.0:
        return None
    return {"solvers": [*means.index[means == share]], "share": share}


def _reached(answers: pd.DataFrame, budget: float, measure: str) -> pd.DataFrame:
    """Return a table (pairs, solvers) of the fractions reached within a budget."""
    share = [share_within(row, budget, measure) for row in answers.itertuples()]
    table = answers.assign(reached=np.array(share, dtype=float))
    return table.pivot(index=PAIR, columns="solver", values="reached").fillna(0.0)


def share_within(row: Any, budget: float, measure: str) -> float:
    """Return the fraction of the best known value that a run reaches within a budget.

    If the run finished within the budget, this is that of its refitted answer.
    """
    spent, reached = course(row, measure)
    return float(reached[spent <= budget].max(initial=0.0))
