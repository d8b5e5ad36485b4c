"""Collect the data of the interactive curves on the solvers' pages, with a point for each run."""

from typing import Any

import numpy as np
import pandas as pd

from spcabench import style
from spcabench.page import comparison_curves, solver_numbers
from spcabench.running import rows as results
from spcabench.running import schema

MEASURES = ("share", "variance_refit", "gap", "time", "flops", "iterations", "cardinality")
PROBLEM = ["dataset", "parameters", "nonnegative"]


def data(table: pd.DataFrame) -> dict[str, Any]:
    """Return all runs of a scale that found a component, by problem, as one file for all pages."""
    runs = solver_numbers.compared(table[table.solver.notna()])
    names = sorted(set(runs.solver))
    number = {name: i for i, name in enumerate(names)}
    numbers = runs[list(MEASURES)].to_numpy(dtype=float, na_value=np.nan)
    groups = runs.groupby(PROBLEM, dropna=False, sort=True)
    return {
        "kind": "runs",
        "solvers": [comparison_curves.solver(name, style.look(name)) for name in names],
        "problems": [_problem(*key) for key, _ in groups],
        "runs": [
            {"s": number[solver], "p": int(p), "f": figure, "with": _settings(text), "v": values}
            for solver, p, figure, text, values in zip(
                runs.solver,
                groups.ngroup(),
                runs.experiment,
                runs.settings,
                numbers.tolist(),
                strict=True,
            )
        ],
    }


def _problem(dataset: str, parameters: Any, nonnegative: Any) -> dict[str, str]:
    """Return a dataset and the name of its problem: "m = 20, n = 10, seed = 0"."""
    values = schema.decoded(parameters) if isinstance(parameters, str) else dict(parameters or {})
    words = [f"{name} = {value}" for name, value in values.items()]
    words += ["nonnegative"] if nonnegative is True or nonnegative == 1 else []
    return {"dataset": dataset, "name": ", ".join(words)}


def _settings(settings: Any) -> str:
    """Return settings as JSON, without those that do not describe the solver."""
    values = (
        schema.decoded(settings, "settings") if isinstance(settings, str) else dict(settings or {})
    )
    return results.to_json({k: v for k, v in values.items() if k not in ("time_limit", "history")})
