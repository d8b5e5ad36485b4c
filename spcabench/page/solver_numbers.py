"""What the rows of a scale say about each solver: where it appears, its quality and speed."""

import ast
import re
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from spcabench import registry, style
from spcabench.atomic_files import write_text
from spcabench.running import rows
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
# of the tables for people: long, or the same everywhere
LEFT_OUT = ["history", "values", "u", "machine", "phases"]


def read(files: Iterable[Path]) -> pd.DataFrame:
    """The columns that the pages need, of all files."""
    return rows.read_text(files, COLUMNS)


def seconds(table: pd.DataFrame) -> pd.Series:
    """Seconds inside the solvers that each row took: a timed row stands for several runs."""
    # a search is made once and is in the first round only; later rounds repeat the solve alone
    once = table.solve_time.fillna(0) + table.setup_time.fillna(0)
    return once * table.samples.fillna(1) + table.search_time.fillna(0).where(table.repeat == 0, 0)


def compared(table: pd.DataFrame) -> pd.DataFrame:
    """The runs that found a component, each beside the best of all solvers on its problem.

    share : variance (refitted) over the largest of any run with no more nonzeros, of the same
        signs.
    slower, dearer : time and flops over the least of any run with the same cardinality; nan where
        no other has one.
    """
    good = table.status.isin(GOOD) & table.variance_refit.notna() & (table.repeat == 0)
    runs = table[good].copy()
    # counts by an older convention stand beside no others
    runs["flops"] = runs.flops.where(runs.flops_convention == runs.flops_convention.max())
    problem = ["dataset", "parameters", "nonnegative"]
    place = [*problem, "cardinality"]
    runs["time"] = runs.solve_time + runs.setup_time
    runs["flops"] = runs.flops + runs.setup_flops
    # the best with at most as many nonzeros: a solver must not look good by using more of them
    largest = runs.groupby(place, dropna=False).variance_refit.max()
    best = largest.groupby(level=problem, dropna=False).cummax().rename("best")
    runs["share"] = runs.variance_refit / best.reindex(runs.set_index(place).index).array
    groups = runs.groupby(place, dropna=False)
    # the least of one run is the run itself: no comparison
    several = groups.solver.transform("nunique") > 1
    runs["slower"] = (runs.time / groups.time.transform("min")).where(several)
    runs["dearer"] = (runs.flops / groups.flops.transform("min")).where(several)
    return runs


def solvers(table: pd.DataFrame) -> list[dict[str, Any]]:
    """One entry for each solver with rows: what it is, where it appears, its numbers."""
    # rows may be older than the removal of a solver, which then has no page
    table = table[table.solver.isin(registry.names("solver"))]
    runs = compared(table)
    return [_entry(name, part, runs[runs.solver == name]) for name, part in table.groupby("solver")]


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
    # lines within a paragraph or an item are one
    flowing = re.sub(r"(?<!\n)\n(?!\n|\d+\. )\s*", " ", body.strip())
    # the docstring is read without importing, the traits are data of the module
    traits = asdict(registry.module("solver", name).TRAITS)
    return {
        "what": first.rstrip("."),
        "docstring": flowing,
        "traits": traits,
        "colour": style.look(name)["color"],
    }


def _numbers(table: pd.DataFrame, runs: pd.DataFrame) -> dict[str, Any]:
    """How many rows have an answer, and medians of the runs with a component."""
    middle = runs[["share", "gap", "iterations", "flops", "time", "slower", "dearer"]].median()
    return {
        "runs": len(table),
        "answered": int(table.status.isin(GOOD).sum()),
        "worst": float(runs.share.min()) if len(runs) else None,
        **{name: float(value) if np.isfinite(value) else None for name, value in middle.items()},
    }


def write_table(files: list[Path], out: Path) -> None:
    """The rows of a figure as one CSV, without the columns that are too long for people."""
    table = rows.read_text(files).drop(columns=LEFT_OUT).dropna(axis="columns", how="all")
    write_text(out, table.to_csv(index=False))
