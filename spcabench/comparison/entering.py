"""Rows that enter a ranking: their values are computed again from their vectors.

Rows lie in files, which come from elsewhere or may have been changed. What a row says of a value is
not believed; what it says of a bound is believed of rows that were made here by files of this
repository, and of no other. A row that does not agree is dropped with a sentence, and blocks
nobody.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from spcabench import api, registry
from spcabench.comparison import best_known as known
from spcabench.comparison import grading
from spcabench.comparison.best_known import CLOSE, Entry
from spcabench.comparison.suite import Item
from spcabench.problem.problem import Problem
from spcabench.solving import bounds
from spcabench.solving.result import refitted
from spcabench.solving.status import GOOD, Status
from spcabench.vectors import embed

AGREES = 1e-8  # relative: forms of one problem differ by rounding
PAIR = ["item", "asked", "sign"]  # what the suite asks of a solver
MEASURED = [  # what a run that was not made has none of
    *("problem", "k", "cardinality", "variance", "variance_refit", "bound", "gap", "iterations"),
    *("flops", "setup_flops", "solve_time", "setup_time", "round_times", "search_runs"),
    *("search_flops", "search_time", "peak_memory", "history", "support", "values"),
]
DOUBTED = ["variance", "variance_refit", "bound", "gap"]
Load = Callable[..., Problem]
Table = Mapping[tuple[str, str, int, bool], Entry]


def recomputed(
    rows: pd.DataFrame, items: Iterable[Item], table: Table, load: Load, elsewhere: bool = False
) -> tuple[pd.DataFrame, list[str]]:
    """The rows with recomputed values, those that do not agree without any; a sentence for each.

    items : the problems of the suite. table : the best answers known, whose bounds no
    value may exceed. load : a dataset's name and parameters -> problem. elsewhere : whether the
    rows were made on another machine; their bounds are then made again too.
    """
    by_name = {item.name: item for item in items}
    rows, said = complete(rows, by_name.values())
    mine = (rows.kind == "suite") & rows.status.isin(GOOD)
    for name, part in rows[mine].groupby("item", sort=False):
        item = by_name.get(str(name))
        problem = load(item.dataset, **item.parameters) if item else None
        for index, row in zip(part.index, part.to_dict("records"), strict=True):
            found = _of_row(row, item, problem, table, elsewhere)
            if isinstance(found, str):
                said.append(f"{row['solver']}, {name}, k = {row['asked']}: {found}")
                rows.loc[index, ["status", "reason"]] = [str(Status.DISAGREES), found]
                found = dict.fromkeys(DOUBTED, np.nan)
            for column, value in found.items():
                rows.loc[index, column] = value
    return rows, said


def complete(rows: pd.DataFrame, items: Iterable[Item]) -> tuple[pd.DataFrame, list[str]]:
    """One row for each run that the suite asks of a solver, and a sentence for each solver.

    A row that was left out is a failure, like a run that gave no answer; a second one is dropped.
    """
    expected = [(item.name, k, item.nonnegative) for item in items for k in item.ks]
    asked = rows.kind == "suite"
    twice = asked & rows.duplicated(["solver", "kind", *PAIR])
    said = [
        f"{solver}, {count} rows: each is a second one of its run"
        for solver, count in rows.solver[twice].value_counts().items()
    ]
    added = []
    for solver, part in rows[asked].groupby("solver", sort=False):
        there = {*part[PAIR].itertuples(index=False, name=None)}
        lost = [pair for pair in expected if pair not in there]
        if lost:
            said.append(f"{solver}, {len(lost)} rows: they were left out, and count as failures")
            added += [_left_out(part.iloc[:1], pair) for pair in lost]
    return pd.concat([rows[~twice], *added], ignore_index=True), said


def _left_out(like: pd.DataFrame, pair: tuple[str, int, bool]) -> pd.DataFrame:
    """A row of a run of which there is none, of the same solver, machine and settings."""
    kinds = {name: like[name].dtype for name in MEASURED}
    empty = {
        name: pd.Series([None], like.index, "float64" if is_numeric_dtype(kind) else kind)
        for name, kind in kinds.items()
    }
    row = like.assign(**empty, status=str(Status.DISAGREES), reason="its row is left out")
    return row.assign(**dict(zip(PAIR, pair, strict=True)))


def _of_row(
    row: Mapping[str, Any],
    item: Item | None,
    problem: Problem | None,
    table: Table,
    elsewhere: bool,
) -> dict[str, Any] | str:
    """The numbers of a row from its vector, or why it is dropped."""
    if item is None or problem is None:
        return "it is of a problem that the suite does not have"
    if (row["dataset"], row["parameters"]) != (
        item.dataset,
        json.loads(json.dumps(item.parameters)),
    ):
        return "its data are others than those of the problem that it names"
    if row["problem"] != problem.name:
        return f"claimed on {row['problem']!r}, which is not at hand here ({problem.name!r} is)"
    if row["support"] is None or row["values"] is None:
        return "claimed: its vector was not kept"
    W, k, sign = np.asarray(row["support"], dtype=np.intp), int(row["asked"]), bool(row["sign"])
    if len(W) != len(row["values"]) or not ((W >= 0) & (problem.n > W)).all():
        return f"its support is none of {len(row['values'])} among {problem.n} variables"
    x = embed(np.asarray(row["values"], dtype=float), W, problem.n)
    if fault := grading.fault(x, problem.n, k, sign):
        return fault
    value = problem.variance(x)
    if not abs(float(row["variance"]) - value) <= AGREES * abs(value):
        return f"it says variance {row['variance']:.9g}; its vector has {value:.9g}"
    return _numbers(row, problem, table, x, value, elsewhere)


def _numbers(
    row: Mapping[str, Any],
    problem: Problem,
    table: Table,
    x: np.ndarray,
    value: float,
    elsewhere: bool,
) -> dict[str, Any] | str:
    """The numbers of a feasible vector x (n,), or the bound that it would refute."""
    k, sign = int(row["asked"]), bool(row["sign"])
    refit = problem.variance(refitted(problem, x, sign))
    entry = table.get((str(row["item"]), problem.name, k, sign))
    if entry and refit > entry.bound * (1.0 + CLOSE):
        return f"its value {refit:.9g} is above the certified bound {entry.bound:.9g}"
    own = not elsewhere and bool(row["own"])
    bound = float(row["bound"]) if own else bounds.upper_bound(problem, k, sign)
    return {
        "variance": value,
        "variance_refit": refit,
        "bound": bound,
        "gap": (bound - value) / bound,
    }


def references(
    rows: pd.DataFrame, items: Iterable[Item], table: Table, load: Load
) -> dict[tuple[str, str, int, bool], Entry]:
    """Answers of the harness itself to what only strangers have answered, and the table has not.

    Without them, any vector would be the best that is known.
    """
    found = {}
    asked = rows[rows.kind == "suite"]
    by_name = {item.name: item for item in items}
    for (name, k), part in asked.groupby(["item", "asked"], sort=False):
        item = by_name.get(str(name))
        if item is None or part.own.eq(True).any() or not part.status.isin(GOOD).any():
            continue
        problem = load(item.dataset, **item.parameters)
        key = (item.name, problem.name, int(k), item.nonnegative)
        if key not in table:
            solver, settings = registry.quick_solver(item.nonnegative)
            result = api.solve(
                problem, solver, k=int(k), nonnegative=item.nonnegative, refit=True, **settings
            )
            found[key] = known.of_result(item, result)
    return found
