"""Better entries of the table of the best known answers, out of the rows of comparisons."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from spcabench.comparison import best_known as known
from spcabench.comparison.suite import SUITES, Item
from spcabench.problem.problem import Problem
from spcabench.solving import bounds
from spcabench.solving.result import refitted
from spcabench.solving.status import GOOD
from spcabench.vectors import Vector, embed, support

Table = dict[tuple[str, str, int, bool], known.Entry]


def proposed(table: Table, folder: Path, load: Any) -> Table:
    """The table with the better vectors and bounds of all rows below a folder; every entry is
    checked on its problem.

    load : a dataset's name and parameters -> problem. A bound is the harness's own, or of the exact
    search; what another solver claims is not taken. Raises ValueError for an entry that fails.
    """
    files = sorted(folder.glob("*/*.parquet"))
    rows = (
        pd.concat([pd.read_parquet(file) for file in files], ignore_index=True) if files else None
    )
    made = dict(table)
    for item in {(i.name, i.nonnegative): i for items in SUITES.values() for i in items}.values():
        problem = load(item.dataset, **item.parameters)
        if rows is not None:
            mine = rows[
                (rows.kind == "suite") & (rows.item == item.name) & (rows.sign == item.nonnegative)
            ]
            mine = mine[
                mine.status.isin(GOOD)
                & mine.variance_refit.notna()
                & (mine.problem == problem.name)
            ]
            for k, part in mine.groupby("asked"):
                new = _entry(item, problem, int(k), part)
                made[new.key] = known.merged(made.get(new.key), new)
        for entry in made.values():
            if (entry.item, entry.problem, entry.nonnegative) == (
                item.name,
                problem.name,
                item.nonnegative,
            ):
                entry.checked(problem)
    return made


def _entry(item: Item, problem: Problem, k: int, part: pd.DataFrame) -> known.Entry:
    """The best vector of some rows, refitted, and the smallest bound that may be trusted."""
    row = part.loc[part.variance_refit.idxmax()]
    W = np.asarray(row.support, dtype=int)
    x: Vector = refitted(
        problem, embed(np.asarray(row["values"], float), W, problem.n), item.nonnegative
    )
    exact = part.bound[part.solver == known.EXACT]
    bound = min([bounds.upper_bound(problem, k, item.nonnegative, full=True), *exact])
    value = problem.variance(x)
    W = support(x)
    entry = known.Entry(
        item.name,
        problem.name,
        k,
        item.nonnegative,
        value,
        max(bound, value),
        False,
        W.tolist(),
        x[W].tolist(),
        str(row.solver),
        str(row.written)[:10],
    )
    return replace(entry, proven=value >= entry.bound * (1.0 - known.PROVEN))
