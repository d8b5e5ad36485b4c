"""Better entries of the table of the best known answers, out of the rows of comparisons."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from spcabench import api
from spcabench.comparison import best_known as known
from spcabench.comparison.suite import SUITES, Item
from spcabench.draw import GOOD
from spcabench.problem import Problem
from spcabench.result import refitted
from spcabench.vectors import embed

Table = dict[tuple[str, int, bool], known.Entry]


def proposed(table: Table, folder: Path) -> Table:
    """The table with the better vectors of all rows below a folder; every entry of it is checked on its problem.

    Bounds are left as they are: a row's may be what its solver claims. Raises ValueError for an entry that fails.
    """
    files = sorted(folder.glob("*/*.parquet"))
    rows = pd.concat([pd.read_parquet(file) for file in files], ignore_index=True) if files else pd.DataFrame()
    made = dict(table)
    for item in {(i.name, i.nonnegative): i for items in SUITES.values() for i in items}.values():
        problem = api.load(item.dataset, **item.parameters)
        if len(rows):
            mine = rows[(rows.kind == "suite") & (rows.item == item.name) & (rows.sign == item.nonnegative)]
            for row in mine[mine.status.isin(GOOD) & mine.variance_refit.notna()].itertuples():
                _take(made, item, problem, row)
        for entry in made.values():
            if entry.problem == problem.name and entry.nonnegative == item.nonnegative:
                entry.checked(problem)
    return made


def _take(table: Table, item: Item, problem: Problem, row: Any) -> None:
    """Put a row's vector into the table, refitted, where it is better than what is there."""
    key = (problem.name, int(row.asked), item.nonnegative)
    old = table.get(key)
    if row.problem != problem.name or (old and row.variance_refit <= old.value * (1.0 + known.CLOSE)):
        return
    x = refitted(
        problem, embed(np.asarray(row.values), np.asarray(row.support, dtype=int), problem.n), item.nonnegative
    )
    result = api.solve(problem, known.HEURISTIC, k=int(row.asked), max_iterations=0)  # for the harness's bound
    entry = known.of_result(item, replace(result, x=x, solver=row.solver, nonnegative=item.nonnegative))
    table[key] = known.merged(old, entry)
    print(json.dumps({"item": item.name, "k": entry.k, "value": entry.value, "who": entry.who}))
