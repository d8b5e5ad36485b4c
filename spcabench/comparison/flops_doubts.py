"""Flops that decide a rank, unless the audit or the clock contradicts them.

Work on vectors is not counted, so a product can be replaced by sums of columns that cost no flops.
They still cost time. A file from outside the repository is therefore not ranked above an equally
good solver by its flops if it is slower, nor if the audit found that its flops may be incomplete.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from spcabench.solving.run_warnings import Flag

INCOMPLETE = {Flag.ledger, Flag.entries, Flag.patched}  # flags that say so of flops
SLOWER = 1.25  # times as long, median of the pairs, which no rounding of clocks explains
QUALITY = ["at 0.999", "equal"]  # columns of the ranking: equal ones are ordered by flops


def believed(answers: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """The flops by which the solvers of a ranking are ordered, one row for each row of `table`.

    believed : their own flops; if faster solvers of the same quality have more, the most of those;
    infinite if the flags of a run say that flops are missing. rival : that faster solver. ratio :
    how many times as long this one takes, median of the pairs.
    """
    flagged = answers.dropna(subset=["flags"])
    incomplete = {*flagged.solver[[not INCOMPLETE.isdisjoint(flags) for flags in flagged["flags"]]]}
    ours = {*answers.solver[answers.own.eq(True)]}
    # in units of the machine's speed at that moment, as rows may be of several machines
    seconds = answers.assign(seconds=answers.time / answers.calibration.fillna(1.0).astype(float))
    seconds = seconds.pivot_table(index=["item", "asked"], columns="solver", values="seconds")
    rows = []
    for solver, quality, flops in zip(table.solver, _qualities(table), table.flops, strict=True):
        row = {"believed": flops, "rival": "", "ratio": np.nan}
        if solver in incomplete:
            row["believed"] = np.inf
        elif solver not in ours and solver in seconds:
            equal = table[[other == quality for other in _qualities(table)]]
            for rival in equal[equal.flops > row["believed"]].sort_values("flops").itertuples():
                ratio = float((seconds[solver] / seconds.get(rival.solver, np.nan)).median())
                if rival.solver not in incomplete and ratio > SLOWER:
                    row = {"believed": rival.flops, "rival": rival.solver, "ratio": ratio}
        rows.append(row)
    return pd.DataFrame(rows, table.index, columns=["believed", "rival", "ratio"])


def _qualities(table: pd.DataFrame) -> Iterator[tuple[float, ...]]:
    return table[QUALITY].itertuples(index=False, name=None)


def sentences(ranking: pd.DataFrame) -> list[tuple[str, str]]:
    """Each solver whose flops are contradicted by the clock, and why, of a ranking."""
    return [
        (
            row.solver,
            f"It has fewer flops than {row.rival}, which finds the same, but takes {row.ratio:.1f} "
            "times as long, so flops do not rank it above. It may do work that is not counted, or "
            "its products may be smaller and slower ones.",
        )
        for row in ranking[ranking.rival != ""].itertuples()
    ]
