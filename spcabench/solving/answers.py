"""The answer to a call: one component, or several that a solver finds jointly."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from spcabench import machine, validate
from spcabench.errors import InputError, SolverError
from spcabench.solving import deflate, tune
from spcabench.solving.call import Call
from spcabench.solving.driver import drive
from spcabench.solving.formulations import Formulation
from spcabench.solving.result import Result, graded, refitted, without_constants
from spcabench.solving.status import Status


def answer(call: Call, refit: bool = False) -> Result:
    """Return one component.

    If k is given to a solver with a penalty, the penalty is searched. refit : whether to replace x
    by the leading eigenvector on its support.
    """
    with machine.one_thread():
        result = tune.search(call) if call.searches else drive(call)
    if refit and result.good:
        return replace(result, x=refitted(result.problem, result.x, result.nonnegative))
    return result


def cardinalities(k: Any, count: int, deflation: Any = "projection") -> list[Any]:
    """Return a list with a cardinality for each component, without checking the numbers."""
    several = isinstance(k, Iterable) and not isinstance(k, str | bytes | Mapping)
    if isinstance(k, np.ndarray):
        several = k.ndim == 1
    if not several:
        return [k] * count
    listed = validate.several("k", k)
    if deflation == "joint":
        raise InputError("k: must be a single number for joint components")
    if len(listed) != count:
        raise InputError(
            f"k: {len(listed)} cardinalities for {count} components; specify one cardinality, or "
            "one per component"
        )
    return listed


def jointly(call: Call, count: int, refit: bool) -> deflate.Components:
    """Return components that the solver finds at once; raise InputError if it cannot."""
    if call.traits.components != "joint":
        raise InputError(
            f"deflation: solver {call.name!r} finds one component at a time; choose from "
            f"{', '.join(deflate.DEFLATIONS)}"
        )
    if call.searches:
        raise InputError(
            f"k: specify {call.traits.penalty} instead, which controls joint components"
        )
    problem = call.problem
    result = answer(call.on(problem, call.k, components=count), refit)
    if result.Z is None or result.Z.ndim != 2:
        raise SolverError(f"solver {result.solver!r} is joint, but yielded no Z (n, r)")
    if (found := result.Z.shape[1]) > count:
        raise SolverError(
            f"solver {result.solver!r} yielded {found} components; at most {count} were requested"
        )
    answers = [
        without_constants(problem, *graded(z, status, None, problem.n, result.nonnegative))
        for z in result.Z.T
        for status in [result.status if z.any() else Status.ZERO]
    ]
    return deflate.Components(
        problem,
        [
            # a bound that the solver proved holds for its first component only
            replace(result, x=x, status=status, claim=result.claim if i == 0 else unproven)
            for unproven in [replace(result.claim, bound=None)]
            for i, (x, status) in enumerate(answers)
        ],
        Formulation(call.traits.formulation),
    )
