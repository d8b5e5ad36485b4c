"""Decide which flops can be used for ranking, given the audit and the clock.

Vector operations are not counted, so a product can be replaced by sums of columns that cost no
flops but still take time. A file from outside the repository is therefore not ranked above an
equally good solver by its flops if it is slower, or if the audit found that its flops may be
incomplete.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from spcabench.solving.run_warnings import Flag

INCOMPLETE = {Flag.ledger, Flag.entries, Flag.patched}  # flags that mean incomplete flops
SLOWER = 1.25  # ratio of times, median over the pairs, that exceeds any rounding of clocks
QUALITY = ["at 0.999", "equal"]  # columns of the ranking; solvers equal in them are sorted by flops


def believed(answers: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Return the flops that rank the solvers, with one row for each row of `table`.

    believed : the solver's own flops; or the largest flops of faster solvers of the same quality,
        if these have more; or infinity if a run is flagged for missing flops. rival : that faster
        solver. ratio : how many times as long this solver takes, as a median over the pairs.
    """
    flagged = answers.dropna(subset=["flags"])
    incomplete = {*flagged.solver[[not INCOMPLETE.isdisjoint(flags) for flags in flagged["flags"]]]}
    ours = {*answers.solver[answers.own.eq(True)]}
    # relative to the machine's speed at that moment, because rows may come from several machines
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
    """Return the solvers of a ranking whose flops the clock contradicts, with a sentence each."""
    return [
        (
            row.solver,
            f"It has fewer flops than {row.rival}, which is as good, but takes {row.ratio:.1f} "
            "times as long, so flops do not rank it higher. It may do work that is not counted, or "
            "its products may be smaller and slower.",
        )
        for row in ranking[ranking.rival != ""].itertuples()
    ]
