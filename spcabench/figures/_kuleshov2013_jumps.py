"""Pairs of runs of GPower with neighbouring penalties (Kuleshov 2013, section 3.3).

Runs start at four points of the useful range of penalties, and their penalties differ by 0.9 %.
"""

from typing import Any

from spcabench import claims
from spcabench.claims import claim, meaning
from spcabench.figures import _kuleshov2013 as base
from spcabench.run import Run

STEP = 1.009  # "varying gamma by < 1 %"
LEAST = 20  # minimum number of nonzeros; below it, one nonzero is more than 5 %


def runs(penalty, n, seed, count):
    """Yield runs whose penalties differ by 0.9 % each, starting at four points of the useful range.

    In this range |a_i'x| is of order one.
    """
    # these penalties give components from nearly dense to nearly empty
    for first in (0.3, 0.8, 1.6, 2.6):
        for step in range(count):
            # GPower0 compares the penalty with (a_i'x)^2, so the squared penalty gives the same
            # threshold
            gamma = (first * STEP**step) ** (2 if penalty == "gpower0" else 1)
            settings = dict(gamma=gamma, **base.GPM)
            about: dict[str, Any] = dict(seed=seed, label=f"gamma {first}")
            yield Run(**base.source(n, seed), solver=penalty, settings=settings, **about)


@claim(
    "K11",
    "section 3.3",
    "varying gamma by < 1% in equation (2) sometimes led to changes in the cardinality of the "
    "solution of more than 10%",
    measures=f"pairs of runs, gammas 0.9 % apart, whose k differ by over 10 % (k from {LEAST} on)",
    unit="pairs",
    rule=meaning.ONCE,
    null=0.0,
    changed="pairs with fewer than 20 nonzeros counted too, but one nonzero is over 5 % of them",
)
def K11(data):
    """Count the jumps of k between neighbouring penalties."""
    neighbouring = data.rows[data.rows.label.str.startswith("gamma")]
    for name, rows in base.by_penalty(neighbouring, "solver"):
        # the runs of a pair are adjacent in gamma, so the rows must be sorted
        ordered = rows.assign(gamma=rows.settings.map(lambda s: s["gamma"])).sort_values("gamma")
        k = ordered.groupby(["seed", "label"]).cardinality
        first, jump = k.shift(), k.diff().abs()
        # a step from 19 nonzeros to 17 is over 10 %, but is not evidence of a sensitive penalty
        large = first >= LEAST
        jumps = (large & (jump > 0.1 * first)).sum()
        table = claims.numbers(rows, {f"k from {LEAST} on": jumps}, reading=name)
        yield claims.noted(table, f"Of {large.sum()} pairs.")
