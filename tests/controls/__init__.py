"""Made-up rows for the statements of the figures, one file for each figure, found by its name.

A function named after a statement ("H6") takes a number and yields rows as dicts. On these rows the
first part of the statement measures this number, at every judged place of the primary reading, and
its other parts hold. A function with the name of another part appended ("H7_speed") does the same
for that part. If the number cannot come within 5 % of a threshold, the attribute ``values`` gives a
pair for each threshold: one number that holds and one that fails.

A function named "trivial_H6" yields rows in which a trivial competitor takes the place of the
method. The statement must not hold there.

``python -m tests.controls`` lists the missing functions.
"""

import importlib
import importlib.util
from dataclasses import replace
from unittest.mock import patch

import numpy as np

from spcabench import registry
from spcabench.claims import Measured, Statement
from spcabench.claims.intervals import LEVEL
from spcabench.page import claims_file
from tests import trial

# what rows hold that a control does not name
DEFAULTS = dict(group="group", label="", dataset="made_up", seed=0, repeat=0, status="converged")
DEFAULTS |= dict(stand_in=False, problem="made up", m=100, n=100, nnz=10_000, form="data")
DEFAULTS |= dict(flops_convention=1)
DICTS = ("parameters", "settings", "extra", "phases")
TRIVIAL = "trivial_"
NEAR = 0.05  # how near to a threshold made-up numbers are, as a share of it


def of(figure):
    """Return the controls of a figure: name -> function; empty if the figure has no file."""
    name = f"{__name__}.{figure}"
    if importlib.util.find_spec(name) is None:
        return {}
    module = importlib.import_module(name)
    return {
        key: value
        for key, value in vars(module).items()
        if callable(value)
        and value.__module__.startswith(__name__)
        and (key[0].isupper() or key.startswith(TRIVIAL))
    }


def statements(figure):
    """Return the statements of a figure by id, without those that state their own null."""
    written = claims_file.statements(registry.module("figure", figure))
    return {s.id: s for s in written if isinstance(s, Statement)}


def can_fail(figure):
    """Return the ids of the statements that need a trivial competitor: no theorems or
    calibrations.
    """
    all_statements = statements(figure).values()
    return [s.id for s in all_statements if s.kind != "theorem" and not s.calibration]


def control(statement, part):
    """Return the name of a part's control: "H7" or "H7_speed"."""
    return f"{statement.id}_{part.name.replace(' ', '_')}" if part.name else statement.id


def wanted(figure):
    """Return the names of all controls that a figure must have."""
    edges = [
        control(s, part)
        for s in statements(figure).values()
        if not s.calibration
        for part in s.parts
    ]
    return [*edges, *(f"{TRIVIAL}{id}" for id in can_fail(figure))]


def without(figure):
    """Return the names of the controls that a figure lacks."""
    return sorted(set(wanted(figure)) - set(of(figure)))


def sides(part, function):
    """Return a pair of numbers for each threshold of a part: just inside its region and just
    outside.
    """
    if hasattr(function, "values"):
        return list(function.values)
    pairs = []
    for edge, inwards in ((part.rule.low, 1), (part.rule.high, -1)):
        if np.isfinite(edge):
            step = inwards * NEAR * abs(edge)
            pairs.append((edge + step, edge - step))
    return pairs


INTERVAL = Measured.interval


def _of_many_problems(measured, level=LEVEL):
    """Return the interval as if there were many problems: the few made-up ones have equal
    values.
    """
    certain = measured.kind == "mean share" or measured.without_spread
    return INTERVAL(replace(measured, kind="exact") if certain else measured, level)


def judged(figure, rows, id):
    """Judge a statement on made-up rows."""
    module = registry.module("figure", figure)
    table = trial.table([DEFAULTS | {name: {} for name in DICTS} | row for row in rows])
    data = getattr(module, "data", lambda rows: rows)(table)
    with patch.object(Measured, "interval", _of_many_problems):
        return statements(figure)[id].judge(data)


def verdict(figure, rows, id):
    """Return the verdict of the primary reading, with a theorem's verdict in the ordinary words."""
    outcome = judged(figure, rows, id)["verdict"]
    return {"checked": "holds", "violated": "fails"}.get(outcome, outcome)
