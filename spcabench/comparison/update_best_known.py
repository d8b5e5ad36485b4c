"""Improve the table of best known answers: by searches, by rows of comparisons, or by a proposal.

Values are recomputed from the vectors. Bounds are computed here and never read from rows.
"""

from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from spcabench import api
from spcabench.comparison import best_known as known
from spcabench.comparison import grading
from spcabench.comparison.best_known import EXACT, Entry
from spcabench.comparison.suite import Item, by_name
from spcabench.files import say
from spcabench.running import rows as results
from spcabench.solving.call import arguments
from spcabench.solving.result import Result, refitted
from spcabench.solving.status import GOOD, Status
from spcabench.vectors import embed

HEURISTIC = "local_search"


def adopt(entry: Entry) -> bool:
    """Add an entry to the table if it improves the table, and return whether it did.

    The change is printed and written immediately, so nothing is lost if a search is interrupted.
    """
    table = known.read()  # another process may have changed it in the meantime
    old = table.get(entry.key)
    if wrong := known.refuted(old, entry):
        say(wrong)
    new = known.merged(old, entry)
    if new == old:
        return False
    known.write({**table, entry.key: new}.values())
    say(
        f"{entry.item:15} k = {entry.k:3}: {old.value if old else 0:.9g} -> {new.value:.9g}, "
        f"at most {new.bound:.9g}{', proven' if new.proven else ''} ({new.who})"
    )
    return True


def searched(item: Item, k: int, effort: float = 1.0) -> Iterator[Entry]:
    """Yield the entries found by the exact search and the local search.

    effort : multiple of the default budgets of these searches.
    """
    problem = api.load_or_stand_in(item.dataset, **item.parameters)
    settings: dict[str, Any] = dict(k=k, nonnegative=item.nonnegative, refit=True)
    budgets = {EXACT: 2e11 * effort} | (
        {} if item.nonnegative else {HEURISTIC: round(500 * effort)}
    )
    for solver, budget in budgets.items():
        start = process_time()
        result = api.solve(problem, solver, **arguments({**settings, "budget": budget}))
        seconds = process_time() - start
        if result.good:
            yield of_result(item, result, seconds, full=solver == EXACT)


def of_result(item: Item, result: Result, seconds: float = 0.0, full: bool = False) -> Entry:
    """Return the table entry for a refitted result.

    seconds : processor time of the run. full : whether to compute all bounds of docs/bounds.md if
        there is a gap.
    """
    problem, k = result.problem, int(result.k or result.cardinality)
    bound = (result.bound, result.solver, seconds)
    if full and problem.variance(result.x) < result.bound * (1.0 - known.PROVEN):
        own = known.smallest_bound(problem, k, result.nonnegative, full=True)
        bound = min(bound, own, key=lambda each: each[0])
    return known.of_vector(item, problem, k, result.x, result.solver, bound)


def of_rows(folder: Path) -> Iterator[Entry]:
    """Yield an entry for the best vector of each pair in the rows of comparisons, SUITE/*.parquet.

    If a row shows an answer as proven, a search proves the answer again. Every search and every row
    without a feasible vector is printed.
    """
    table, rows = known.read(), results.read_table(sorted(folder.glob("*/*.parquet")))
    named = {*rows["item"].to_pylist()}
    items = [item for item in by_name().values() if item.name in named]
    graded = grading.regraded(rows, items).to_pandas()
    graded = graded[graded.kind.isin(grading.KINDS)]
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
            yield new
            old = table.get(new.key)
            settled = new.proven or (old and old.proven and not known.refuted(old, new))
            shown_proven = answers.variance_refit >= answers.bound * (1.0 - known.PROVEN)
            if not settled and shown_proven.any():
                say(f"{item.name}, k = {k}: proving again what {who} shows as proven")
                yield from searched(item, k)
