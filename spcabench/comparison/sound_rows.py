"""What a row that enters a ranking may hold: names, amounts and steps that a run can give.

Rows come from files. What a page would stumble over, or what would make a mean of nothing, is the
fault of its row alone.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from spcabench import registry
from spcabench.comparison import ranking
from spcabench.comparison.jobs import LABEL
from spcabench.running.schema import COLUMNS
from spcabench.solving.run_warnings import Flag
from spcabench.solving.status import GOOD

NEEDED = ["solver", "item", "asked", "sign", "dataset", "parameters"]  # of a run
TIMES = ["solve_time", "setup_time"]  # of every answer
AMOUNTS = [column.name for column in COLUMNS.values() if column.unit]


def fault(row: Mapping[str, Any]) -> str:
    """What a row holds that no run gives; empty if it holds nothing of the kind."""
    if row["kind"] == "suite":
        for name in NEEDED:
            if _is_empty(row[name]):
                return f"{name}: empty in a run of the suite"
    for name, form in (("solver", LABEL), ("dataset", registry.NAME)):
        if not form.fullmatch(str(row[name])):
            return f"{name}: {row[name]!a:.60} is no name"
    for name in AMOUNTS:
        single = not isinstance(row[name], Iterable)
        for amount in [row[name]] if single else row[name]:
            if not (0.0 <= (amount or 0.0) < np.inf or (single and _is_empty(amount))):
                return f"{name}: {amount}; it must be a number of {COLUMNS[name].unit} from 0"
    if unknown := {*(_listed(row["flags"]))} - {*Flag}:
        return f"flags: {min(unknown)!r:.40} is unknown"
    return _fault_of_answer(row) if row["status"] in GOOD else ""


def _fault_of_answer(row: Mapping[str, Any]) -> str:
    """What a row of a good answer holds that none gives."""
    if row["kind"] in ("held_out", "stability"):
        sound = all(isinstance(number, int | float) for number in row["extra"].values())
        return "" if sound else "extra: must hold numbers"
    for name in TIMES:
        if _is_empty(row[name]):
            return f"{name}: empty in an answer"
    if not isinstance(row["history"], str):
        return ""
    try:
        steps = ranking.steps(row["history"])
    except (TypeError, ValueError, LookupError, RecursionError):
        return "history: it has no steps"
    spent = np.concatenate([steps[name] for name in ("seconds", "flops", "cardinality")])
    return "" if ((spent >= 0.0) & (spent < np.inf)).all() else "history: a step costs no amount"


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)


def _listed(values: Any) -> list[str]:
    return [] if _is_empty(values) else [str(value) for value in values]
