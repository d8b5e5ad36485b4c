"""Grade several loadings: feasibility, measures and recovery.

The arguments are the problem and the answer of `find.loadings`, which consists of lists of indices
and values, and costs. The result is the answer with the measures, or the reason why the loadings
are infeasible.
"""

from dataclasses import asdict
from typing import Any

import numpy as np

from spcabench.comparison.components import find
from spcabench.problem.problem import Problem
from spcabench.solving.formulations import Formulation, fault
from spcabench.solving.measures import held_out, measures, recovery
from spcabench.solving.status import Status
from spcabench.vectors import Array


def measured(
    problem: Problem, numbers: dict[str, Any], *, k: int, r: int, formulation: str, **question: Any
) -> dict[str, Any] | str:
    """Return the measures of the loadings, and their recovery if the true loadings are known.

    ``value`` is the objective of the formulation, which is the total variance if loadings must be
    orthonormal, and otherwise the projected variance.
    """
    obeyed = Formulation(formulation)
    Z, wrong = _feasible(problem, numbers, obeyed, k, r)
    if wrong:
        return wrong
    measured_values = measures(problem, Z)
    truth = problem.provenance.get("loadings")
    recovered = asdict(recovery(Z, np.array(truth).T)) if truth is not None else {}
    value = measured_values.total if obeyed.orthonormal else measured_values.projected
    return {**numbers, **asdict(measured_values), **recovered, "value": value}


def on_others(
    problem: Problem, numbers: dict[str, Any], *, k: int, r: int, formulation: str, **question: Any
) -> dict[str, Any] | str:
    """Return the measures on samples that were not used to find the loadings."""
    Z, wrong = _feasible(problem, numbers, Formulation(formulation), k, r)
    if wrong:
        return wrong
    train, test = find.train_and_test(problem)
    shares = asdict(held_out(train, test, Z))
    return {**numbers, **{f"held_out_{name}": value for name, value in shares.items()}}


def _feasible(
    problem: Problem, numbers: dict[str, Any], formulation: Formulation, k: int, r: int
) -> tuple[Array, str]:
    """Return the loadings Z (n, r), and the reason why they are infeasible, or ""."""
    Z = find.assembled(numbers, problem.n)
    if Z.shape[1]:
        return Z, fault(Z, formulation, k, r)
    broken = str(Status.INFEASIBLE) in numbers["statuses"]
    return Z, "every loading violates a constraint" if broken else "no loading was found"
