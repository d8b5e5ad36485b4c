"""Improve the table of best known answers with the rows of comparisons."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path

import numpy as np

from spcabench import api
from spcabench.comparison import best_known as known
from spcabench.comparison import grading
from spcabench.comparison.suite import by_name
from spcabench.running import rows as results
from spcabench.solving.result import refitted
from spcabench.solving.status import GOOD, Status
from spcabench.vectors import embed

Table = dict[tuple[str, str, int, bool], known.Entry]


def proposed(table: Table, folder: Path, say: Callable[[str], None] = print) -> Table:
    """Return the table, improved with all better vectors from the rows in a folder.

    Values are recomputed from the vectors. Bounds in rows are never trusted; the harness computes
    its own bounds. If a row shows an answer as proven, a new search proves the answer again.

    Parameters
    ----------
    table : dict
        The current entries.
    folder : Path
        Folder with the rows of comparisons, SUITE/*.parquet.
    say : callable
        Function that prints a line for every search, every refuted bound and every row without a
        feasible vector.

    Returns
    -------
    dict
        The improved table.

    Raises
    ------
    RuntimeError
        If an entry does not agree with its problem.
    """
    rows = results.read_table(sorted(folder.glob("*/*.parquet")))
    named = {*rows["item"].to_pylist()}
    items = [item for item in by_name().values() if item.name in named]
    graded = grading.regraded(rows, items).to_pandas()
    graded = graded[graded.kind.isin(grading.KINDS)]
    better = dict(table)
    for item in items:
        problem = api.load_or_stand_in(item.dataset, **item.parameters)
        of_item = (graded.item == item.name) & (graded.sign == item.nonnegative)
        mine = graded[of_item & (graded.problem == problem.name)]
        for row in mine[mine.status == Status.DISAGREES].itertuples():
            say(f"{item.name}, k = {row.asked}: a row of {row.solver} was rejected: {row.reason}")
        for asked, answers in mine[mine.status.isin(GOOD)].groupby("asked"):
            k, row = int(asked), answers.loc[answers.variance_refit.idxmax()]
            x = embed(row["values"], row.support.astype(np.intp), problem.n)
            x = refitted(problem, x, item.nonnegative)
            bound = known.smallest_bound(problem, k, item.nonnegative, full=True)
            who, when = str(row.solver), str(row.written)[:10]
            new = known.of_vector(item, problem, k, x, who, bound, when)
            old = better.get(new.key)
            if wrong := known.refuted(old, new):
                say(wrong)
            settled = new.proven or (old and old.proven and not wrong)
            shown_proven = answers.variance_refit >= answers.bound * (1.0 - known.PROVEN)
            if not settled and shown_proven.any():
                new = reduce(known.merged, known.searched(item, k), new)
                words = "proven again" if new.proven else f"not proven, gap {new.gap:.2%}"
                say(f"{item.name}, k = {k}: {words}")
            better[new.key] = known.merged(old, new)
        for entry in better.values():
            if entry.key[:2] == (item.name, problem.name) and entry.nonnegative == item.nonnegative:
                entry.checked(problem)
    return better
