"""Collect the data of the interactive curves: every run of a comparison, with its iterates."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from spcabench import style
from spcabench.comparison.best_known import CLOSE
from spcabench.comparison.ranking import PAIR, TARGETS
from spcabench.page.comparison_drawing import Looks
from spcabench.running import rows as results
from spcabench.running import schema

NUMBERS = ("cardinality", "variance", "flops", "seconds", "iteration")  # used from each step
STEP = 1e4  # fractions of the best known are rounded down to multiples of 1 / STEP


def data(answers: pd.DataFrame, looks: Looks) -> dict[str, Any]:
    """Return the solvers in the order of their looks, the pairs of problem and k, and the runs."""
    pairs = answers.drop_duplicates(PAIR).reset_index(drop=True)
    place = {
        (item, k): i for i, (item, k) in enumerate(zip(pairs["item"], pairs.asked, strict=True))
    }
    number = {name: i for i, name in enumerate(looks)}
    good = answers[answers.answered & answers.solver.isin(looks)]
    return {
        "kind": "comparison",
        "targets": list(TARGETS),
        "solvers": [solver(name, look) for name, look in looks.items()],
        "pairs": [
            {
                "item": pair.item,
                "k": int(pair.asked),
                "family": pair.family,
                "bound": pair.bound / pair.best if pair.best else None,
                "proven": bool(pair.proven),
            }
            for pair in pairs.itertuples()
        ],
        "runs": [
            {"s": number[run.solver], "p": place[run.item, run.asked], **_run(run)}
            for run in good.itertuples()
        ],
    }


def solver(name: str, look: dict[str, Any]) -> dict[str, Any]:
    """Return a solver with its look; dashes are lengths, as scripts and SVG expect them."""
    line = look["linestyle"]
    dash = [round(3 * length) for length in line[1]] if isinstance(line, tuple) else []
    grey = look["color"] == style.GREY
    return {
        "name": name,
        "colour": None if grey else look["color"],
        "marker": look["marker"],
        "dash": dash,
    }


def _run(run: Any) -> dict[str, Any]:
    """Return a run's cost, [flops, seconds, iterates], and its fraction of the best known value."""
    searched = np.isfinite(run.search_time)
    settings = {k: v for k, v in dict(run.settings).items() if k not in ("time_limit", "seed")}
    return {
        "share": float(np.floor(run.share * (1.0 + CLOSE) * 1e6) / 1e6),
        "value": run.value,
        "k": int(run.cardinality),
        "cost": [run.work, run.time, float("nan") if searched else run.iterations],
        "memory": run.memory,
        "with": results.to_json(settings),
        "steps": [] if searched else _steps(run),
    }


def _steps(run: Any) -> list[Sequence[float]]:
    """Return the points at which the best feasible value increases; costs include the set-up.

    Each point is [flops, seconds, iterates, share].
    """
    if not isinstance(run.history, str) or not run.best:
        return []
    rises: list[Sequence[float]] = []
    highest = 0.0
    setup = (run.setup_flops, run.setup_time)
    for step in schema.steps(run.history, *NUMBERS):
        share = np.floor(step["variance"] / run.best * (1.0 + CLOSE) * STEP) / STEP
        if step["cardinality"] <= run.asked and share > highest:
            highest = share
            flops = step["flops"] + setup[0] if np.isfinite(run.work) else float("nan")
            rises.append((flops, step["seconds"] + setup[1], step["iteration"], share))
    return rises
