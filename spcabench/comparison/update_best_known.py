"""Improve the table of best known answers with the rows of comparisons."""

from pathlib import Path
from time import process_time
from typing import Any

import pandas as pd

from spcabench import api
from spcabench.comparison import best_known as known
from spcabench.comparison import grading
from spcabench.comparison.suite import Item, by_name
from spcabench.problem.problem import Problem
from spcabench.running import rows as results
from spcabench.solving.result import refitted
from spcabench.solving.status import GOOD
from spcabench.vectors import Vector

Table = dict[tuple[str, str, int, bool], known.Entry]


def proposed(table: Table, folder: Path, load: Any, say: Any = print) -> Table:
    """Return the table, improved with all better vectors from the rows in a folder.

    The vectors are verified on their problems. Bounds in rows are never trusted; the harness
    computes its own bounds. If a row shows an answer as proven, an exact search proves the answer
    again, and the time of the search is reported.

    Parameters
    ----------
    table : dict
        The current entries.
    folder : Path
        Folder with the rows of comparisons, SUITE/*.parquet.
    load : callable
        Function that loads a problem from a dataset's name and parameters.
    say : callable
        Function that prints a line for every search and every refuted bound.

    Returns
    -------
    dict
        The improved table.

    Raises
    ------
    RuntimeError
        If an entry does not agree with its problem.
    """
    files = sorted(folder.glob("*/*.parquet"))
    everything = results.read(files)
    better, named = dict(table), set(everything.item)
    for item in by_name().values():
        if item.name not in named:
            continue
        problem = load(item.dataset, **item.parameters)
        for k, answers in _answers(everything, item, problem.name):
            feasible = _feasible(answers, problem, k, item, say)
            if not feasible:
                continue
            row, x = max(feasible, key=lambda pair: pair[0]["variance_refit"])
            x = refitted(problem, x, item.nonnegative)
            bound = known.smallest_bound(problem, k, item.nonnegative, full=True)
            who, when = str(row["solver"]), str(row["written"])[:10]
            new = known.of_vector(item, problem, k, x, who, bound, when)
            old = better.get(new.key)
            if wrong := known.refuted(old, new):
                say(wrong)
            settled = new.proven or (old and old.proven and not wrong)
            if not settled and any(row["shown_proven"] for row, _ in feasible):
                new = _proven_again(item, problem, new, say)
            better[new.key] = known.merged(old, new)
        for entry in better.values():
            if entry.key[:2] == (item.name, problem.name) and entry.nonnegative == item.nonnegative:
                entry.checked(problem)
    return better


def _answers(rows: pd.DataFrame, item: Item, problem: str) -> list[tuple[int, pd.DataFrame]]:
    """Return the rows with good answers to an item for each requested cardinality."""
    of_item = (rows.item == item.name) & (rows.sign == item.nonnegative)
    of_item &= rows.kind.isin(grading.KINDS)
    good = rows.status.isin(GOOD) & (rows.problem == problem)
    answers = rows[of_item & good]
    tight = answers.variance_refit >= answers.bound * (1.0 - known.PROVEN)
    return [(int(k), part) for k, part in answers.assign(shown_proven=tight).groupby("asked")]


def _feasible(
    rows: pd.DataFrame, problem: Problem, k: int, item: Item, say: Any
) -> list[tuple[dict[str, Any], Vector]]:
    """Return the rows with feasible vectors, each paired with its vector; report other rows."""
    feasible = []
    for row in rows.to_dict("records"):
        x = grading.vector_of(row, problem)
        if isinstance(x, str):
            say(f"{item.name}, k = {k}: a row of {row['solver']} was rejected: {x}")
        else:
            feasible.append((row, x))
    return feasible


def _proven_again(item: Item, problem: Problem, entry: known.Entry, say: Any) -> known.Entry:
    """Improve an entry with the bound and the answer of a new exact search."""
    start = process_time()
    settings: dict[str, Any] = dict(k=entry.k, nonnegative=entry.nonnegative, refit=True)
    result = api.solve(problem, known.EXACT, **settings)
    exact = known.of_result(item, result, process_time() - start)
    better = known.merged(entry, exact)
    gap = 1 - better.value / better.bound
    words = "proven again" if better.proven else f"not proven, gap {gap:.2%}"
    say(f"{item.name}, k = {entry.k}: {words}, {process_time() - start:.1f} s of search")
    return better
