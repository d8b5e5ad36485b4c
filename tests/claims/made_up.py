"""Claims on made-up tidy tables, and the documented script that recomputes verdicts."""

import importlib.util
from pathlib import Path

import pandas as pd

from spcabench.claims import at_least, claim

FILE = Path(__file__).parents[2] / "docs" / "recompute_verdicts.py"
SPEC = importlib.util.spec_from_file_location("recompute_verdicts", FILE)
script = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(script)

SAME = dict(reading="a", part="", missed=0, problem="made up", stand_in=False, simulated=False)


def table(values, **columns):
    """Return a tidy table with places n = 0, 1, ...: exact numbers, or lists over problems."""
    rows = [
        dict(label=f"n = {x}", x=float(x), value=float(value), seed=seed, over=over)
        for x, replicates in enumerate(values)
        for over, of in (_replicates(replicates),)
        for seed, value in of
    ]
    frame = pd.DataFrame(rows, columns=["label", "x", "value", "seed", "over"])
    return frame.assign(**SAME | columns)


def _replicates(values):
    if isinstance(values, list):
        return "problems", [(str(seed), value) for seed, value in enumerate(values)]
    return "", [(None, values)]


def judged(*tables, rule=None, **options):
    """Judge a claim on tidy tables."""
    about = dict(measures="m", unit="times", rule=rule or at_least(10))
    return claim("X1", "here", "q", rows=lambda data: tables, **about | options).judge(0)


def verdict(*values, **options):
    """Return the verdict of a claim on places n = 0, 1, ..."""
    return judged(table(values), **options)["verdict"]
