"""Values recomputed from the kept vectors, in a process that never imported the solver.

A solver shares its process with the code that grades it, and Python hides nothing from it. So the
numbers of an answer that decide a rank or a verdict are computed again elsewhere, on a freshly
loaded problem; an answer whose own numbers are others has the status ``disagrees``.
"""

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from spcabench import api
from spcabench.problem.problem import Problem
from spcabench.running.process import Ended, Worker
from spcabench.running.schema import Answer
from spcabench.running.task import Task
from spcabench.solving import bounds
from spcabench.solving.result import refitted
from spcabench.solving.status import Status
from spcabench.vectors import embed

AGREES = 1e-8  # relative: forms of one problem differ by rounding
SECONDS = 900.0  # for one vector; loading the problem and its bounds included


@dataclass(frozen=True)
class Question:
    """A vector, on its support, and the problem that it is an answer to.

    bounded : whether the harness's own bound is asked for too.
    """

    dataset: str
    parameters: dict[str, Any]
    form: str | None
    support: list[int]
    values: list[float]
    k: int
    nonnegative: bool
    bounded: bool


@dataclass(frozen=True)
class Grade:
    """What the vector is worth."""

    variance: float
    variance_refit: float
    bound: float | None


def grade(question: Question) -> Grade | str:
    """The grade of a vector, or a sentence that says why it has none."""
    try:
        problem = _problem(question.dataset, json.dumps(question.parameters, sort_keys=True))
        if question.form:
            problem = problem.given_as(question.form)  # type: ignore[arg-type]
        x = embed(np.array(question.values), np.array(question.support, dtype=np.intp), problem.n)
        fault = _fault(x, question)
        if fault:
            return fault
        k, sign = question.k, question.nonnegative
        bound = bounds.upper_bound(problem, k, sign) if question.bounded else None
        x_refit = refitted(problem, x, sign)
        return Grade(problem.variance(x), problem.variance(x_refit), bound)
    except Exception as error:  # the vector is nonsense: that is the answer's fault
        return f"its vector cannot be graded: {' '.join(str(error).split())}"


@lru_cache(maxsize=2)
def _problem(dataset: str, parameters: str) -> Problem:
    return api.load(dataset, **json.loads(parameters))


def _fault(x: np.ndarray, question: Question) -> str:
    """What makes the vector infeasible; empty where nothing does."""
    if abs(x @ x - 1.0) > 1e-6:
        return f"its vector has norm {np.sqrt(x @ x):.6g}"
    if np.count_nonzero(x) > question.k:
        return f"its vector has {np.count_nonzero(x)} nonzeros at k = {question.k}"
    return "its vector has both signs" if question.nonnegative and x.min() < 0.0 else ""


class Grader:
    """The process that grades. It must be made before anything in its parent imports a solver."""

    def __init__(self) -> None:
        self.worker = Worker(grade)

    def graded(self, task: Task, answer: Answer) -> Answer:
        """The answer with recomputed numbers, or with the status ``disagrees``."""
        if not answer.status.good or answer.support is None or answer.values is None:
            return answer
        try:
            found = self.worker.ask(_question(task, answer), SECONDS)
        except Ended as end:
            return disagreeing(answer, f"its vector could not be graded: {end.reason}")
        if isinstance(found, str):
            return disagreeing(answer, found)
        stated = float("nan") if answer.variance is None else answer.variance
        if not abs(stated - found.variance) <= AGREES * abs(found.variance):
            return disagreeing(
                answer,
                f"the answer says variance {stated:.9g}; its vector has {found.variance:.9g} on a "
                "freshly loaded problem",
            )
        return _with_grade(answer, found)

    def close(self) -> None:
        """End the process."""
        self.worker.close()


def _question(task: Task, answer: Answer) -> Question:
    assert answer.support is not None and answer.values is not None
    return Question(
        dataset=task.dataset,
        parameters=dict(task.parameters),
        form=answer.form if task.form else None,
        support=answer.support,
        values=answer.values,
        k=answer.k or max(len(answer.support), 1),
        nonnegative=bool(answer.nonnegative),
        bounded=not answer.own,
    )


def _with_grade(answer: Answer, found: Grade) -> Answer:
    """The answer with the grader's numbers.

    The bound of a solver that is not of this repository is the grader's alone.
    """
    bound = answer.bound if found.bound is None else found.bound
    assert bound is not None
    return replace(
        answer,
        variance_refit=found.variance_refit,
        bound=bound,
        gap=(bound - found.variance) / bound,
    )


def disagreeing(answer: Answer, reason: str) -> Answer:
    """The answer without the numbers that cannot be believed."""
    numbers = ("variance", "variance_refit", "singular_value", "bound", "bound_whp", "gap")
    doubted: dict[str, Any] = dict.fromkeys(
        (*numbers, "relaxation_value", "relaxation_bound", "relaxation_gap")
    )
    return replace(answer, status=Status.DISAGREES, reason=reason, history=None, **doubted)
