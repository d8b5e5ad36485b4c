"""Check that a row that enters a ranking has possible names, amounts and steps.

Rows come from files. A value that would break a page or make a mean meaningless is treated as a
fault of this row only.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from spcabench import registry
from spcabench.comparison import ranking
from spcabench.comparison.jobs import ANSWER, LABEL, SEED
from spcabench.running import rows as results
from spcabench.solving.status import GOOD

NEEDED = ["solver", "item", "asked", "sign", "dataset", "parameters"]  # required in every run
TIMES = ["solve_time", "setup_time"]  # required in every answer


def fault(row: Mapping[str, Any]) -> str:
    """Return what is impossible in a row, in words; empty if nothing is."""
    if row["kind"] in (ANSWER, SEED):
        for name in NEEDED:
            if results.is_empty(row[name]):
                return f"{name}: empty in a run of the suite"
    for name, form in (("solver", LABEL), ("dataset", registry.NAME)):
        if not form.fullmatch(str(row[name])):
            return f"{name}: {row[name]!a:.60} is not a valid name"
    return results.fault(row) or (_fault_of_answer(row) if row["status"] in GOOD else "")


def _fault_of_answer(row: Mapping[str, Any]) -> str:
    """Return what is impossible in a row with a good answer; empty if nothing is."""
    if row["kind"] in ("held_out", "stability"):
        sound = all(isinstance(number, int | float) for number in row["extra"].values())
        return "" if sound else "extra: must hold numbers"
    for name in TIMES:
        if results.is_empty(row[name]):
            return f"{name}: empty in an answer"
    if not isinstance(row["history"], str):
        return ""
    try:
        steps = ranking.steps(row["history"])
    except (TypeError, ValueError, LookupError, RecursionError):
        return "history: it has no steps"
    spent = np.concatenate([steps[name] for name in ("seconds", "flops", "cardinality")])
    return "" if ((spent >= 0.0) & (spent < np.inf)).all() else "history: a cost is invalid"
