"""The grades of all loadings of a comparison: feasible or not, measures, bounds, recovery.

Rows hold loadings. Everything else here is computed from them on freshly loaded problems, by a
process that never imported a solver.
"""

import json
from dataclasses import asdict
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from spcabench import api
from spcabench.problem.problem import Problem
from spcabench.several import find
from spcabench.several.jobs import HELD_OUT
from spcabench.solving.formulations import Formulation, fault
from spcabench.solving.joint_bounds import joint_bound
from spcabench.solving.measures import held_out, measures, recovery
from spcabench.solving.status import Status
from spcabench.vectors import Array

PAIR = ["item", "r", "k"]


def graded(rows: pd.DataFrame) -> pd.DataFrame:
    """One line for each way of each solver on each problem, r and k.

    Disjoint loadings are orthonormal too: they stand in both formulations. ``value`` is what the
    formulation is judged by: the total variance of orthonormal loadings, the projected variance of
    any other. It is nan where there is no feasible answer of r loadings.
    """
    lines = [_line(row) for row in rows.itertuples()]
    table = pd.DataFrame(lines)
    disjoint = table[table.formulation == Formulation.DISJOINT]
    also = disjoint.assign(formulation=Formulation.ORTHONORMAL.value, how=disjoint.how)
    table = pd.concat([table, also], ignore_index=True)
    table = _bounded(table)
    best = table.groupby(["formulation", *PAIR]).value.transform("max")
    return table.assign(best=best, share=table.value / best)


def _line(row: Any) -> dict[str, Any]:
    asked = row.settings
    formulation = Formulation(asked["formulation"])
    line = {
        "item": row.item,
        "family": row.family,
        "dataset": row.dataset,
        "parameters": json.dumps(row.parameters, sort_keys=True),
        "solver": row.solver,
        "how": asked["how"],
        "formulation": formulation.value,
        "r": asked["r"],
        "k": asked["k"],
        "status": str(row.status),
        "reason": row.reason,
        "stand_in": row.stand_in,
        "problem": row.problem,
        "kind": row.kind,
        "value": np.nan,
    }
    if row.status != Status.FINISHED:
        return line
    problem = _problem(line["dataset"], line["parameters"])
    Z = find.assembled(row.extra, problem.n)
    line |= {"found": Z.shape[1], "seconds": row.extra["seconds"], "flops": row.extra["flops"]}
    wrong = "no loading was found"
    if Z.shape[1]:
        wrong = fault(Z, formulation, asked["k"], asked["r"])
    if wrong:
        return line | {"status": str(Status.INFEASIBLE), "reason": wrong}
    if row.kind == HELD_OUT:
        return line | _on_others(line, Z)
    return line | _measured(problem, Z, formulation)


def _measured(problem: Problem, Z: Array, formulation: Formulation) -> dict[str, Any]:
    """The measures, and the recovery where the true loadings are known."""
    found = measures(problem, Z)
    truth = problem.provenance.get("loadings")
    known = asdict(recovery(Z, np.array(truth).T)) if truth is not None else {}
    value = found.total if formulation.orthonormal else found.projected
    return {**asdict(found), **known, "value": value, "Z": Z, "names": problem.features}


def _on_others(line: dict[str, Any], Z: Array) -> dict[str, Any]:
    """Shares of the variance of samples that the loadings were not found from."""
    train, test = _halves(line["dataset"], line["parameters"])
    shares = asdict(held_out(train, test, Z))
    return {f"held_out_{name}": value for name, value in shares.items()}


def _bounded(table: pd.DataFrame) -> pd.DataFrame:
    """The table with a certified bound, its source, and the gap, for every line with a value."""
    keys = ["formulation", "dataset", "parameters", "r", "k"]
    made = {
        key: _bound(*key)
        for key in table.dropna(subset=["value"])[keys].itertuples(index=False, name=None)
    }
    found = [made.get(key, (np.nan, "")) for key in table[keys].itertuples(index=False, name=None)]
    table = table.assign(bound=[b for b, _ in found], source=[s for _, s in found])
    return table.assign(gap=(table.bound - table.value) / table.bound)


@cache
def _bound(formulation: str, dataset: str, parameters: str, r: int, k: int) -> tuple[float, str]:
    return joint_bound(_problem(dataset, parameters), Formulation(formulation), r, k)


@cache
def _problem(dataset: str, parameters: str) -> Problem:
    return api.load(dataset, **json.loads(parameters))


@cache
def _halves(dataset: str, parameters: str) -> tuple[Problem, Problem]:
    return find.train_and_test(_problem(dataset, parameters))


def ranking(table: pd.DataFrame) -> pd.DataFrame:
    """One line for each formulation, solver and way: never across two formulations.

    share : of the best value of each problem, mean; a failure counts zero. The best first; what was
    run on a part of the problems alone, or nowhere, comes last.
    """
    table = table[(table.kind != HELD_OUT) & (table.status != Status.SKIPPED)]
    lines = []
    for (formulation, solver, how), part in table.groupby(["formulation", "solver", "how"]):
        lines.append(
            {
                "formulation": formulation,
                "solver": solver,
                "how": how,
                "pairs": len(part),
                "answered": int(part.value.notna().sum()),
                "share": float(part.share.fillna(0.0).mean()),
                "gap": float(part.gap.median()),
                **{
                    name: float(part[name].mean()) if name in part else np.nan
                    for name in ("violation", "overlap", "correlation", "union", "seconds")
                },
                "all_found": bool((part.found == part.r).all()),
            }
        )
    found = pd.DataFrame(lines)
    partly = found.pairs < found.groupby("formulation").pairs.transform("max")
    order = ["formulation", "partly", "share", "seconds"]
    return found.assign(partly=partly).sort_values(
        order, ascending=[True, True, False, True], ignore_index=True
    )
