"""Comparisons as folders, which can be copied to another machine and merged there."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from spcabench.comparison.entrants import Entrant
from spcabench.errors import InputError
from spcabench.files import read_json, write_changed
from spcabench.running import rows as results
from spcabench.running import schema

ENTRANTS, ROWS, PLAN = "jobs.json", "rows.parquet", "plan.json"
STEP = ("iteration", "cardinality", "variance", "flops", "seconds")  # the stored fields of a step


@dataclass(frozen=True)
class Plan:
    """What a comparison is about.

    named : labels of the solvers that the user named. sources : for a merged comparison, the name
        of the folder from which the rows of each solver come.
    """

    named: list[str] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Comparison:
    """A comparison: its entrants by the labels of their solvers, its rows and its plan."""

    name: str
    entrants: dict[str, Entrant]
    rows: pd.DataFrame
    plan: Plan

    @classmethod
    def read(cls, folder: Path) -> "Comparison":
        """Read the comparison in a folder; raise InputError if there is no valid comparison."""
        for name in (ENTRANTS, ROWS):
            if not (folder / name).is_file():
                raise InputError(f"{folder}: no {name}; specify the folder of a comparison")
        entrants = read_json(folder / ENTRANTS, dict[str, Entrant], "the solvers of a comparison")
        rows = results.read([folder / ROWS])
        results.check(rows, str(folder / ROWS))
        if not entrants or {*rows.solver} != {*entrants}:
            raise InputError(f"{folder}: {ROWS} must have rows of the solvers in {ENTRANTS}")
        plan = Plan()
        if (folder / PLAN).is_file():
            plan = read_json(folder / PLAN, Plan, "the plan of a comparison")
        return cls(folder.resolve().name, entrants, rows, plan)

    @property
    def terms(self) -> Entrant:
        """An entrant, whose suite, settings and limits are those of all entrants."""
        return next(iter(self.entrants.values()))

    @property
    def files(self) -> dict[str, str]:
        """Paths of the solver files that the user wrote, by label."""
        return {label: e.solver for label, e in self.entrants.items() if e.is_file}

    @property
    def about(self) -> str:
        """A sentence about the problems, and one about the origin of merged rows."""
        seed = self.terms.fresh
        problems = "The problems are the public ones of the suite."
        if seed is not None:
            problems = f"The problems are new: they were drawn with seed {seed} (--fresh {seed})."
        of_source: dict[str, list[str]] = {}
        for label, source in self.plan.sources.items():
            of_source.setdefault(source, []).append(label)
        origins = "; ".join(f"{', '.join(of)} from {source}" for source, of in of_source.items())
        if origins:
            origins = (
                f" Rows were merged: {origins}. Values were recomputed from the vectors; costs "
                "and statuses are as stated in these folders."
            )
        return problems + origins


def write(
    folder: Path, entrants: Mapping[str, Entrant], table: pa.Table, plan: Plan, small: bool = False
) -> None:
    """Write a comparison to a folder.

    small : whether to thin the histories and compress the file as much as possible.
    """
    fields_of = {label: asdict(entrant) for label, entrant in entrants.items()}
    write_changed(folder / ENTRANTS, json.dumps(fields_of, indent=1) + "\n")
    write_changed(folder / PLAN, text(plan))
    results.write_table(thinned(table) if small else table, folder / ROWS, small)


def text(plan: Plan) -> str:
    """Return a plan as JSON."""
    return json.dumps(asdict(plan), indent=1) + "\n"


def thinned(table: pa.Table) -> pa.Table:
    """Remove the steps of histories that the page of a comparison does not use.

    A step is kept if its vector is feasible and better than all earlier feasible vectors, because
    the best value within a budget is attained at such a step. The last feasible step is also kept,
    because curves end at this step.
    """
    kept = [
        None if text is None else results.to_json(_rises(text, k), separators=(",", ":"))
        for text, k in zip(table["history"].to_pylist(), table["asked"].to_pylist(), strict=True)
    ]
    return results.replaced(table, history=kept)


def _rises(history: str, k: int) -> list[dict[str, float]]:
    """Return the feasible steps that improve the best value, and the last feasible step."""
    feasible = [s for s in schema.steps(history, *STEP) if s["cardinality"] <= k]
    tops = np.maximum.accumulate([-np.inf, *(step["variance"] for step in feasible)])
    rises = np.diff(tops) > 0.0
    rises[-1:] = True
    return [{name: s[name] for name in STEP} for s, up in zip(feasible, rises, strict=True) if up]
