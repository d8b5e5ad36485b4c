"""Grade loadings: feasibility, measures and recovery. The grader calls these functions.

Each takes the freshly loaded problem and the worker's answer: lists of indices and values, and
costs. It returns them with the measures, or a sentence that says what is wrong.
"""

from dataclasses import asdict
from typing import Any

import numpy as np

from spcabench.comparison.components import find
from spcabench.problem.problem import Problem
from spcabench.solving.formulations import Formulation, fault
from spcabench.solving.measures import held_out, measures, recovery
from spcabench.vectors import Array


def measured(
    problem: Problem, numbers: dict[str, Any], *, k: int, r: int, formulation: str, **question: Any
) -> dict[str, Any] | str:
    """Return the measures, and the recovery if the true loadings are known.

    ``value`` is the objective of the formulation: the total variance of orthonormal loadings, or
    the projected variance of any others.
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
    """Return shares of the variance of samples that were not used to find the loadings."""
    Z, wrong = _feasible(problem, numbers, Formulation(formulation), k, r)
    if wrong:
        return wrong
    train, test = find.train_and_test(problem)
    shares = asdict(held_out(train, test, Z))
    return {**numbers, **{f"held_out_{name}": value for name, value in shares.items()}}


def _feasible(
    problem: Problem, numbers: dict[str, Any], formulation: Formulation, k: int, r: int
) -> tuple[Array, str]:
    """Return the loadings Z (n, r), and why they are not an answer; empty if they are."""
    Z = find.assembled(numbers, problem.n)
    return Z, fault(Z, formulation, k, r) if Z.shape[1] else "no loading was found"
