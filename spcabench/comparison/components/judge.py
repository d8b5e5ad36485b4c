"""The grade of loadings: feasible or not, measures, recovery. The grader calls these functions.

Each takes the problem, freshly loaded, and what the worker gave: the lists of indices and values,
and what it took. It returns them with the measures, or says in a sentence what is wrong.
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
    """The measures, and the recovery if the true loadings are known.

    ``value`` is what the formulation is judged by: the total variance of orthonormal loadings, the
    projected variance of any other.
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
    """Shares of the variance of samples that the loadings were not found from."""
    Z, wrong = _feasible(problem, numbers, Formulation(formulation), k, r)
    if wrong:
        return wrong
    train, test = find.train_and_test(problem)
    shares = asdict(held_out(train, test, Z))
    return {**numbers, **{f"held_out_{name}": value for name, value in shares.items()}}


def _feasible(
    problem: Problem, numbers: dict[str, Any], formulation: Formulation, k: int, r: int
) -> tuple[Array, str]:
    """The loadings Z (n, r), and what keeps them from being an answer; empty if nothing does."""
    Z = find.assembled(numbers, problem.n)
    return Z, fault(Z, formulation, k, r) if Z.shape[1] else "no loading was found"
