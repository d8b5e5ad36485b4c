"""Measures, bounds and ranks in a comparison of several components.

Rows contain the loadings and their measures. Bounds are computed here.
"""

import json
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from spcabench import api
from spcabench.comparison.components import find
from spcabench.comparison.components.runs import HELD_OUT
from spcabench.comparison.ranking import NOT_RUN, ranges, told_apart
from spcabench.problem.problem import Problem
from spcabench.running import schema
from spcabench.solving.formulations import Formulation
from spcabench.solving.joint_bounds import joint_bound
from spcabench.solving.status import Status

PAIR = ["item", "r", "k"]
# The loadings can differ from orthonormal ones by up to 1e-4, which gains up to about 3e-5 of the
# value, so smaller differences between shares are not ranked.
DIGITS = 4
NOT_MEASURES = ("indices", "values", "statuses", "runs")


def standing(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a table with a line for each solver, way to use the solver, problem, r and k.

    Disjoint loadings are orthonormal, so they appear in both formulations. ``value`` is the
    objective of the formulation, which is the total variance if loadings must be orthonormal, and
    otherwise the projected variance. It is NaN if there is no feasible answer.
    """
    table = pd.DataFrame([_line_of(row) for row in rows.itertuples()])
    # a run that the harness could not make says nothing about its solver
    lost = pd.MultiIndex.from_frame(table[table.status == NOT_RUN][PAIR])
    table = table[~pd.MultiIndex.from_frame(table[PAIR]).isin(lost)]
    disjoint = table[table.formulation == Formulation.DISJOINT]
    also = disjoint.assign(formulation=Formulation.ORTHONORMAL.value, how=disjoint.how)
    table = pd.concat([table, also], ignore_index=True)
    table = _bounded(table)
    best = table.groupby(["formulation", *PAIR]).value.transform("max")
    return table.assign(best=best, share=table.value / best)


def _line_of(row: Any) -> dict[str, Any]:
    """Return a line of the table for a row.

    Its value is NaN if there is no answer.
    """
    settings = row.settings
    line = {
        "item": row.item,
        "family": row.family,
        "dataset": row.dataset,
        "parameters": json.dumps(row.parameters, sort_keys=True),
        "solver": row.solver,
        "how": settings["how"],
        "formulation": Formulation(settings["formulation"]).value,
        "r": settings["r"],
        "k": settings["k"],
        "status": str(row.status),
        "reason": row.reason,
        "stand_in": row.stand_in,
        "problem": row.problem,
        "kind": row.kind,
        "value": np.nan,
        "seconds": np.nan,
    }
    if row.status != Status.FINISHED:
        return line
    Z = find.assembled(row.extra, int(row.n))
    numbers = {name: value for name, value in row.extra.items() if name not in NOT_MEASURES}
    return line | numbers | {"found": Z.shape[1], "Z": Z}


def _bounded(table: pd.DataFrame) -> pd.DataFrame:
    """Add a certified bound, its source and the gap to lines with a value."""
    keys = ["formulation", "dataset", "parameters", "problem", "r", "k"]
    bound_of = {
        key: _bound(*key)
        for key in table.dropna(subset=["value"])[keys].itertuples(index=False, name=None)
    }
    bounds = [
        bound_of.get(key, (np.nan, "")) for key in table[keys].itertuples(index=False, name=None)
    ]
    table = table.assign(bound=[b for b, _ in bounds], source=[s for _, s in bounds])
    return table.assign(gap=(table.bound - table.value) / table.bound)


@cache
def _bound(
    formulation: str, dataset: str, parameters: str, name: str, r: int, k: int
) -> tuple[float, str]:
    problem = problem_of(dataset, parameters, name)
    if problem is None:
        return float("nan"), ""
    return joint_bound(problem, Formulation(formulation), r, k)


@cache
def problem_of(dataset: str, parameters: str, name: str) -> Problem | None:
    """Return the problem for a dataset and its parameters as JSON, loaded once.

    The result is None if it has another name than in the row, because other data are available
    here, such as a stand-in.
    """
    problem = api.load_or_stand_in(dataset, **schema.decoded(parameters))
    return problem if problem.name == name else None


def ranking(table: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each formulation, solver and way, sorted from best to worst.

    Formulations are not compared with each other. Ways that did not run on all problems are listed
    last. Ways with equal shares (to four digits) are ordered by time.

    share : mean fraction of the best value of each problem, with zero for a failure.

    rank, rank_first, rank_last : as in a comparison of one component, but based on the mean
        fraction; empty for ways that did not run on all problems.
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
    ranked = pd.DataFrame(lines)
    partly = ranked.pairs < ranked.groupby("formulation").pairs.transform("max")
    order = ["formulation", "partly", "equal", "seconds"]
    ranked = ranked.assign(partly=partly, equal=ranked.share.round(DIGITS)).sort_values(
        order, ascending=[True, True, False, True], ignore_index=True
    )
    ranked = ranked.drop(columns="equal")
    columns = {}
    for formulation, part in ranked[~ranked.partly].groupby("formulation"):
        shares = table[table.formulation == formulation].pivot(
            index=PAIR, columns=["solver", "how"], values="share"
        )
        ways = [*part[["solver", "how"]].itertuples(index=False, name=None)]
        above = told_apart(shares.fillna(0.0)[ways].round(DIGITS))
        columns[formulation] = pd.DataFrame(ranges(above), part.index)
    return ranked.join(pd.concat(columns.values()))
