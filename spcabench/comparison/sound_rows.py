"""Checks that a row contains plausible names, numbers and steps before it enters a ranking.

Rows come from files. If a value would break a page or make a mean meaningless, only this row is
rejected.
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
    """Describe an impossible value in a row; return "" if all values are possible."""
    if row["kind"] in (ANSWER, SEED):
        for name in NEEDED:
            if results.is_empty(row[name]):
                return f"{name}: must not be empty in a run of a suite"
    for name, form in (("solver", LABEL), ("dataset", registry.NAME)):
        if not form.fullmatch(str(row[name])):
            return f"{name}: {row[name]!a:.60} is not a valid name"
    return results.fault(row) or (_fault_of_answer(row) if row["status"] in GOOD else "")


def _fault_of_answer(row: Mapping[str, Any]) -> str:
    """Return a description of an impossible value in a row with a good answer, or ""."""
    if row["kind"] in ("held_out", "stability"):
        sound = all(isinstance(number, int | float) for number in row["extra"].values())
        return "" if sound else "extra: must contain numbers"
    for name in TIMES:
        if results.is_empty(row[name]):
            return f"{name}: must not be empty in an answer"
    if not isinstance(row["history"], str):
        return ""
    try:
        steps = ranking.steps(row["history"])
    except (TypeError, ValueError, LookupError, RecursionError):
        return "history: must contain steps"
    spent = np.concatenate([steps[name] for name in ("seconds", "flops", "cardinality")])
    return "" if ((spent >= 0.0) & (spent < np.inf)).all() else "history: contains invalid costs"
