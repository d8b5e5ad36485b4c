"""The conditions under which times were measured, and whether the times are comparable."""

from collections.abc import Iterable
from pathlib import Path
from statistics import median

import pandas as pd

from spcabench import machine
from spcabench.running import rows as results
from spcabench.solving.status import GOOD

AGREE = 0.10  # times are comparable if their calibrations differ by at most this fraction
WAITED = 0.05  # a run is disturbed if it waits for the processor for more of its time than this
MOST_WAITED = 0.10  # times of a solver are ranked if at most this fraction of runs was disturbed
PROBES = 21  # number of calibrations, whose median is used
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
    """Return the conditions for each solver and processor.

    calibration, load : median calibration and largest load. waited : fraction of the runs that
    waited too long for the processor. begun, ended : dates of the first and the last run. runs :
    number of runs.
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
    """Return the reasons why the times of the solvers cannot be compared, as sentences.

    The list is empty if the times can be compared.
    """
    reasons = []
    if conditions.cpu.nunique() > 1:
        reasons.append("The processors are different.")
    if not agree(conditions.calibration):
        reasons.append(f"The calibrations differ by more than {AGREE:.0%}.")
    late = conditions[conditions.waited > MOST_WAITED]
    if len(late):
        reasons.append(
            f"Other processes disturbed {', '.join(late.solver)}: more than {MOST_WAITED:.0%} of "
            f"the runs waited for the processor for more than {WAITED:.0%} of their time."
        )
    return reasons


def now() -> float:
    """Return the current calibration of the machine."""
    return median(machine.calibration() for _ in range(PROBES))


def stale(files: Iterable[Path], missing: bool) -> tuple[str, float] | None:
    """Return the reason why stored times cannot be used, and the total time of the runs.

    The result is None if the times can be used. Runs that waited for the processor are a reason
    only if the processor is idle now.

    missing : whether additional rows will be computed now and compared with the stored rows.
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
        return "while other processes used the processor", sum(map(seconds, tables))
    return None


def seconds(rows: pd.DataFrame) -> float:
    """Return the total time of the runs in seconds, including all rounds of short runs."""
    rounds = [1 if times is None else max(len(times), 1) for times in rows.round_times]
    return float((rows.outer_time.fillna(0.0) * rounds).sum())
