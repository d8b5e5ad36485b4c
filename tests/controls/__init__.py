"""Made-up rows for the claims of the figures: one file for each figure, found by its name.

A function named as a claim ("H6") takes ``holds``, and returns dicts of what rows need. The claim
holds on the rows for True, and fails on those for False, in every reading. A claim that is judged
in one reading at a time may have a function for each: "H7_speed", "H7_quality".

``python -m tests.controls`` lists the statements that have no made-up rows yet.
"""

import importlib
import importlib.util

from spcabench import registry
from spcabench.page import claims_file
from tests import trial

# what rows hold that a control does not name
DEFAULTS = dict(
    group="group",
    label="",
    dataset="made_up",
    seed=0,
    repeat=0,
    status="converged",
    stand_in=False,
    problem="made up",
    m=100,
    n=100,
    nnz=10_000,
    form="data",
    flops_convention=1,
)
DICTS = ("parameters", "settings", "extra", "phases")


def of(figure):
    """Name of a control -> its function, of a figure; empty where it has no file."""
    name = f"{__name__}.{figure}"
    if importlib.util.find_spec(name) is None:
        return {}
    module = importlib.import_module(name)
    return {
        key: value
        for key, value in vars(module).items()
        if callable(value) and value.__module__ == name and key[0].isupper()
    }


def statements(figure):
    """The statements of a figure that can fail, by their id."""
    found = claims_file.statements(registry.module("figure", figure))
    return {s.id: s for s in found if not s.by_construction}


def without(figure):
    """The ids of the statements of a figure that have no made-up rows."""
    named = {name.partition("_")[0] for name in of(figure)}
    return sorted(set(statements(figure)) - named)


def verdicts(figure, found, control):
    """Reading -> verdict of the claim that a control is for, judged as the figure judges rows."""
    module = registry.module("figure", figure)
    table = trial.table([DEFAULTS | {name: {} for name in DICTS} | row for row in found])
    prepare = getattr(module, "data", lambda rows: rows)
    name, _, variant = control.partition("_")
    return {
        claim.variant: claim.verdict
        for claim in module.claims(prepare(table))
        if claim.statement.id == name and variant in ("", claim.variant)
    }
