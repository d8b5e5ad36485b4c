"""Merge comparisons from several machines, and keep the times of each machine separate."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from spcabench import opening
from spcabench.atomic_files import write_text
from spcabench.comparison import entering, ranking
from spcabench.comparison.best_known import CLOSE, Entry
from spcabench.comparison.jobs import Comparison, Job, check_labels
from spcabench.errors import InputError
from spcabench.running import rows as results
from spcabench.running import schema
from spcabench.solving.status import Status

JOBS, ROWS, PLAN = "jobs.json", "rows.parquet", "plan.json"
STEP = ("iteration", "cardinality", "variance", "flops", "seconds")  # the stored fields of a step


@dataclass(frozen=True)
class Part:
    """A comparison to merge: the name of its folder, its jobs, rows and plan."""

    name: str
    jobs: dict[str, Job]
    rows: pd.DataFrame
    plan: Comparison

    @classmethod
    def read(cls, folder: Path) -> "Part":
        """Read the comparison in a folder; raise InputError if there is no valid comparison."""
        jobs_file, rows = folder / JOBS, folder / ROWS
        if not jobs_file.exists() and (folder / PLAN).exists():
            raise InputError(
                f"{folder}: a comparison of several components, which cannot be merged"
            )
        for file in (jobs_file, rows):
            if not file.is_file():
                raise InputError(f"{folder}: no {file.name}; specify the folder of a comparison")
        jobs = opening.read_json(jobs_file, dict[str, Job], "the jobs of a comparison")
        check_labels(jobs_file, [*jobs, *(job.label for job in jobs.values())])
        if not jobs:
            raise InputError(f"{jobs_file}: the comparison has no jobs")
        for label, job in jobs.items():
            # otherwise, a third-party file could pass for a solver of the repository
            if label.partition(" ")[0] != job.label:
                raise InputError(
                    f"{jobs_file}: {label}: its job is for another solver, {job.label}"
                )
        table = results.read([rows])
        if not (table.kind == "suite").any():
            raise InputError(f"{rows}: no run of a suite found")
        name, plan = folder.resolve().name, folder / PLAN
        return cls(name, jobs, table, Comparison.read(plan) if plan.exists() else Comparison(name))


def write(folder: Path, jobs: Mapping[str, Job], table: pa.Table, small: bool = False) -> None:
    """Write all data of a comparison to a folder, which can be copied to other machines.

    small : whether to thin the histories and compress the file as much as possible.
    """
    fields_of = {label: job.fields for label, job in jobs.items()}
    write_text(folder / JOBS, json.dumps(fields_of, indent=1) + "\n")
    results.write_table(thinned(table) if small else table, folder / ROWS, small)


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
    place = table.schema.get_field_index("history")
    field = table.schema.field(place)
    return table.set_column(place, field, pa.array(kept, field.type))


def _rises(history: str, k: int) -> list[dict[str, float]]:
    """Return the feasible steps that improve the best value, and the last feasible step."""
    feasible = [s for s in schema.steps(history, *STEP) if s["cardinality"] <= k]
    tops = np.maximum.accumulate([-np.inf, *(step["variance"] for step in feasible)])
    rises = np.diff(tops) > 0.0
    rises[-1:] = True
    return [{name: s[name] for name in STEP} for s, up in zip(feasible, rises, strict=True) if up]


def check(parts: list[Part]) -> None:
    """Raise InputError unless all comparisons use the same problems, settings and limits."""
    own = dict.fromkeys(("solver", "about", "tuned_on"))  # differ between solvers
    terms = [
        (f"{part.name} ({label})", job.fields | own)
        for part in parts
        for label, job in part.jobs.items()
    ]
    first, *others = terms
    for name, other in others:
        unlike = [f"{key} = {value!r}" for key, value in other.items() if value != first[1][key]]
        if unlike:
            raise InputError(
                f"merge: {name} has {', '.join(unlike)}, unlike {first[0]}; merge "
                "comparisons of the same suite, settings, cardinalities and time limit"
            )


def joined(parts: list[Part]) -> pd.DataFrame:
    """Return the rows of all parts; for a run in several parts, keep the best trusted answer."""
    return entering.best_of_each_run(pd.concat([part.rows for part in parts], ignore_index=True))


def differences(parts: list[Part]) -> dict[str, tuple[int, list[str]]]:
    """Return the number of pairs on which parts differ in values or flops, and the parts' names.

    A failure differs from an answer. Solvers without differences are left out. Runs that were
    stopped at their time limit are not compared.
    """
    together = pd.concat([part.rows.assign(place=part.name) for part in parts], ignore_index=True)
    ended = (together.kind == "suite") & (together.status != Status.TIME_LIMIT)
    found = {}
    for solver, part in together[ended].groupby("solver", sort=False):
        part = part.assign(variance_refit=part.variance_refit.fillna(0.0))
        groups = part.groupby(["item", "asked", "sign"])
        unlike = groups.variance_refit.max() > groups.variance_refit.min() * (1.0 + CLOSE)
        for column in ("flops", "setup_flops", "search_flops"):
            unlike |= groups[column].max() > groups[column].min()
        if unlike.any():
            found[str(solver)] = int(unlike.sum()), sorted(part.place.unique())
    return found


def times(parts: list[Part], table: Mapping[tuple[str, str, int, bool], Entry]) -> pd.DataFrame:
    """Return the shifted mean of the times of each solver in each part."""
    tables = []
    for part in (part for part in parts if (part.rows.kind == "suite").any()):
        ranked = ranking.ranking(ranking.standing(part.rows, table))
        tables.append(ranked[["solver", "time", "slowest"]].assign(place=part.name))
    return pd.concat(tables, ignore_index=True)
