"""The conditions under which times were taken, and whether the times are comparable."""

from collections.abc import Iterable
from pathlib import Path
from statistics import median

import pandas as pd

from spcabench import machine
from spcabench.running import rows as results
from spcabench.solving.status import GOOD

AGREE = 0.10  # maximum relative difference between calibrations of comparable times
WAITED = 0.05  # share of its time that a run may wait for the processor
MOST_WAITED = 0.10  # maximum share of a solver's runs that waited longer, for ranking its times
PROBES = 21  # number of calibrations whose median is the present one
COLUMNS = (
    "solver",
    "kind",
    "status",
    "cpu",
    "calibration",
    "load",
    "waited",
    "written",
    "outer_time",
    "round_times",
)


def of_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return median calibration, largest load, first and last day for each solver and processor.

    waited : share of the runs whose counted round waited too long for the processor.
    """
    timed = rows[(rows.kind == "suite") & rows.status.isin(GOOD) & rows.calibration.notna()]
    timed = timed.assign(waited=timed.waited.astype(float) > WAITED)
    table = timed.groupby(["solver", "cpu"], sort=False).agg(
        calibration=("calibration", "median"),
        load=("load", "max"),
        waited=("waited", "mean"),
        begun=("written", "min"),
        ended=("written", "max"),
        runs=("written", "size"),
    )
    return table.reset_index()


def agree(calibrations: Iterable[float]) -> bool:
    """Whether all calibrations agree within 10 %."""
    speeds = list(calibrations)
    return not speeds or max(speeds) <= (1.0 + AGREE) * min(speeds)


def differences(conditions: pd.DataFrame) -> list[str]:
    """Return sentences that say why times of solvers cannot be compared; empty if they can."""
    reasons = []
    if conditions.cpu.nunique() > 1:
        reasons.append("The processors are different.")
    if not agree(conditions.calibration):
        reasons.append(f"The calibrations differ by more than {AGREE:.0%}.")
    late = conditions[conditions.waited > MOST_WAITED]
    if len(late):
        reasons.append(
            f"Other work used the processor: for {', '.join(late.solver)}, more than "
            f"{MOST_WAITED:.0%} of the runs waited for it, longer than {WAITED:.0%} of their time."
        )
    return reasons


def now() -> float:
    """Return the present calibration of the machine."""
    return median(machine.calibration() for _ in range(PROBES))


def stale(files: Iterable[Path], missing: bool) -> tuple[str, float] | None:
    """Return why the times in stored rows cannot be used, and the runs' seconds; None if they can.

    missing : whether further rows will be computed now and compared with them. Runs that waited for
        the processor are repeated only if no other work is using it now.
    """
    tables = [results.read_text([file], COLUMNS) for file in files if file.is_file()]
    conditions = [of_rows(table.assign(solver=str(i))) for i, table in enumerate(tables)]
    calibrations = [float(value) for table in conditions for value in table.calibration]
    calibrations += [now()] if missing and calibrations else []
    same_cpu = len({cpu for table in conditions for cpu in table.cpu}) <= 1
    if not agree(calibrations) or not same_cpu:
        speeds = (
            f"calibrations from {1e3 * min(calibrations):.3f} to {1e3 * max(calibrations):.3f} ms"
        )
        return f"at different speeds of the machine ({speeds})", sum(map(seconds, tables))
    late = any((table.waited > MOST_WAITED).any() for table in conditions)
    if late and machine.busy() <= WAITED:
        return "while other work used the processor", sum(map(seconds, tables))
    return None


def seconds(rows: pd.DataFrame) -> float:
    """Return the seconds that runs took, including all rounds of short ones."""
    rounds = [1 if times is None else max(len(times), 1) for times in rows.round_times]
    return float((rows.outer_time.fillna(0.0) * rounds).sum())
