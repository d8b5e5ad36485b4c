"""Under which conditions the times of a comparison were taken, and whether they can be compared."""

from collections.abc import Iterable
from pathlib import Path
from statistics import median

import pandas as pd

from spcabench import machine
from spcabench.running import rows as results
from spcabench.solving.status import GOOD

AGREE = 0.10  # by which the calibrations of comparable times may differ, relative
PROBES = 21  # calibrations whose median is that of this moment
COLUMNS = (
    "solver",
    "kind",
    "status",
    "cpu",
    "calibration",
    "load",
    "written",
    "outer_time",
    "round_times",
)


def of_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """For each solver and processor: calibration (median), load (largest), first and last day."""
    timed = rows[(rows.kind == "suite") & rows.status.isin(GOOD) & rows.calibration.notna()]
    table = timed.groupby(["solver", "cpu"], sort=False).agg(
        calibration=("calibration", "median"),
        load=("load", "max"),
        begun=("written", "min"),
        ended=("written", "max"),
        runs=("written", "size"),
    )
    return table.reset_index()


def agree(calibrations: Iterable[float]) -> bool:
    """Whether the calibrations are within 10 % of each other."""
    found = list(calibrations)
    return not found or max(found) <= (1.0 + AGREE) * min(found)


def comparable(conditions: pd.DataFrame) -> bool:
    """Whether the times of all solvers were taken on one processor at one speed."""
    return conditions.cpu.nunique() <= 1 and agree(conditions.calibration)


def now() -> float:
    """The calibration of this moment."""
    return median(machine.calibration() for _ in range(PROBES))


def stale(files: Iterable[Path], missing: bool) -> tuple[list[float], float] | None:
    """What is wrong with the times in kept files of rows; None where they can be used.

    missing : whether other rows will be made now, and compared with them. Returns the calibrations
    that disagree, and the seconds that the runs took.
    """
    kept = [results.read_text([file], COLUMNS) for file in files if file.is_file()]
    conditions = [of_rows(table.assign(solver=str(i))) for i, table in enumerate(kept)]
    found = [float(value) for table in conditions for value in table.calibration]
    found += [now()] if missing and found else []
    if agree(found) and len({cpu for table in conditions for cpu in table.cpu}) <= 1:
        return None
    return found, sum(map(seconds, kept))


def seconds(rows: pd.DataFrame) -> float:
    """Seconds that the runs of some rows took, all rounds of the short ones."""
    rounds = [1 if times is None else max(len(times), 1) for times in rows.round_times]
    return float((rows.outer_time.fillna(0.0) * rounds).sum())
