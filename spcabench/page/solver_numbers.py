"""Summarise the rows of a scale for each solver: where it appears, its quality and its speed."""

import ast
import re
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from spcabench import registry
from spcabench.running import rows
from spcabench.showing import style
from spcabench.solving.status import GOOD

COLUMNS = (
    "experiment",
    "dataset",
    "parameters",
    "solver",
    "measure",
    "nonnegative",
    "settings",
    "status",
    "repeat",
    "cardinality",
    "variance_refit",
    "gap",
    "iterations",
    "flops",
    "setup_flops",
    "flops_convention",
    "solve_time",
    "setup_time",
    "samples",
    "search_time",
)


def read(files: Iterable[Path]) -> pd.DataFrame:
    """Return the columns used by the pages, from all files."""
    return rows.read_text(files, COLUMNS)


def seconds(table: pd.DataFrame) -> pd.Series:
    """Return the seconds inside the solvers for each row; a timed row stands for several runs."""
    # a search runs once, in the first round; later rounds only repeat the solve
    once = table.solve_time.fillna(0) + table.setup_time.fillna(0)
    return once * table.samples.fillna(1) + table.search_time.fillna(0).where(table.repeat == 0, 0)


def compared(table: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that found a component, compared with all solvers on the same problem.

    share : refitted variance over the largest of any run with at most as many nonzeros and the same
        sign constraint.
    slower, dearer : time and flops divided by the smallest of any run with the same cardinality;
        NaN if there is no other run.
    """
    good = table.status.isin(GOOD) & table.variance_refit.notna() & (table.repeat == 0)
    runs = table[good].copy()
    # flops counted by an older convention are not compared
    runs["flops"] = runs.flops.where(runs.flops_convention == runs.flops_convention.max())
    problem = ["dataset", "parameters", "nonnegative"]
    place = [*problem, "cardinality"]
    runs["time"] = runs.solve_time + runs.setup_time
    runs["flops"] = runs.flops + runs.setup_flops
    # at most as many nonzeros, so a solver cannot gain by using more of them
    largest = runs.groupby(place, dropna=False).variance_refit.max()
    best = largest.groupby(level=problem, dropna=False).cummax().rename("best")
    runs["share"] = runs.variance_refit / best.reindex(runs.set_index(place).index).array
    groups = runs.groupby(place, dropna=False)
    # with a single run, the minimum would be the run itself
    several = groups.solver.transform("nunique") > 1
    runs["slower"] = (runs.time / groups.time.transform("min")).where(several)
    runs["dearer"] = (runs.flops / groups.flops.transform("min")).where(several)
    return runs


def solvers(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return an entry for each solver with rows: its description, figures and numbers."""
    # rows can be of a solver that was removed and no longer has a page
    table = table[table.solver.isin(registry.names("solver"))]
    runs = compared(table)
    return [_entry(name, part, runs[runs.solver == name]) for name, part in table.groupby("solver")]


def others(known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return an entry, without numbers, for each solver that no figure runs."""
    names = {solver["name"] for solver in known}
    return [
        _about(name) | {"name": name, "figures": [], "datasets": []}
        for name in registry.names("solver")
        if name not in names
    ]


def _entry(name: str, table: pd.DataFrame, runs: pd.DataFrame) -> dict[str, Any]:
    by_dataset = [
        {"dataset": dataset, **_numbers(part, runs[runs.dataset == dataset])}
        for dataset, part in table.groupby("dataset")
    ]
    return _about(name) | {
        "name": name,
        "figures": sorted(set(table.experiment)),
        "seconds": float(seconds(table).sum()),
        "all": _numbers(table, runs),
        "datasets": by_dataset,
    }


def _about(name: str) -> dict[str, Any]:
    tree = ast.parse(registry.path("solver", name).read_text(encoding="utf-8"))
    first, _, body = (ast.get_docstring(tree) or "").partition("\n\n")
    # join the lines within a paragraph or list item
    flowing = re.sub(r"(?<!\n)\n(?!\n|\d+\. )\s*", " ", body.strip())
    # the docstring is read without importing, but the traits require the module
    traits = asdict(registry.module("solver", name).TRAITS)
    return {
        "what": first.rstrip("."),
        "docstring": flowing,
        "traits": traits,
        "colour": style.look(name)["color"],
    }


def _numbers(table: pd.DataFrame, runs: pd.DataFrame) -> dict[str, Any]:
    """Return the number of rows with an answer, and medians over runs with a component."""
    middle = runs[["share", "gap", "iterations", "flops", "time", "slower", "dearer"]].median()
    return {
        "runs": len(table),
        "answered": int(table.status.isin(GOOD).sum()),
        "worst": float(runs.share.min()) if len(runs) else None,
        **{name: float(value) if np.isfinite(value) else None for name, value in middle.items()},
    }
