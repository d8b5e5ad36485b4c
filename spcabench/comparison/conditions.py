"""The conditions under which times were measured, and whether the times are comparable."""

import pandas as pd

from spcabench.solving.status import GOOD

AGREE = 0.10  # times are comparable if their calibrations differ by at most this fraction
WAITED = 0.05  # a run is disturbed if it waits for the processor for more of its time than this
MOST_WAITED = 0.10  # times of a solver are ranked if at most this fraction of runs was disturbed


def of_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the conditions for each solver and processor.

    calibration : its median. waited : fraction of the runs that waited too long for the processor.
    """
    timed = rows[(rows.kind == "suite") & rows.status.isin(GOOD) & rows.calibration.notna()]
    timed = timed.assign(waited=timed.waited.astype(float) > WAITED)
    table = timed.groupby(["solver", "cpu"], sort=False).agg(
        calibration=("calibration", "median"),
        waited=("waited", "mean"),
    )
    return table.reset_index()


def differences(conditions: pd.DataFrame) -> list[str]:
    """Return the reasons why the times of the solvers cannot be compared, as sentences.

    The list is empty if the times can be compared.
    """
    reasons = []
    if conditions.cpu.nunique() > 1:
        reasons.append("The processors are different.")
    if conditions.calibration.max() > (1.0 + AGREE) * conditions.calibration.min():
        reasons.append(f"The calibrations differ by more than {AGREE:.0%}.")
    late = conditions[conditions.waited > MOST_WAITED]
    if len(late):
        reasons.append(
            f"Other processes disturbed {', '.join(late.solver)}: more than {MOST_WAITED:.0%} of "
            f"the runs waited for the processor for more than {WAITED:.0%} of their time."
        )
    return reasons
