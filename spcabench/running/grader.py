"""Values recomputed from the kept vectors, in a process that never imported a stranger's solver.

A solver shares its process with the code that grades it there, and Python hides nothing from it. So
the numbers of an answer that decide a rank or a verdict are computed again elsewhere, on a freshly
loaded problem; an answer whose own numbers are others has the status ``disagrees``.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.linalg

from spcabench.problem.problem import Problem
from spcabench.run import Run
from spcabench.running import worker
from spcabench.running.schema import Answer
from spcabench.running.worker_process import Ended, Worker
from spcabench.solving import bounds
from spcabench.solving.result import refitted
from spcabench.solving.status import Status
from spcabench.vectors import Vector, embed

AGREES = 1e-8  # relative: forms of one problem differ by rounding
UNIT = 1e-6  # by which the squared norm may differ from one
SECONDS = 900.0  # for one vector; loading the problem and its bounds included
# what cannot be believed of an answer whose vector is another one
DOUBTED = (
    *("variance", "variance_refit", "singular_value", "bound", "bound_whp", "gap"),
    *("relaxation_value", "relaxation_bound", "relaxation_gap", "history"),
)


def grade(question: Mapping[str, Any]) -> dict[str, Any]:
    """The facts about a problem, and the grade of an answer to it.

    question : a described run; ``form`` of the answer, and ``stranger``, whether the solver is one;
    of a solver its support, values, k and sign, and whether a bound is asked for, ``bounded``; of a
    function with a judge its ``extra``. The reply
    has ``about``, ``numbers``, and ``fault``, a sentence that says why there are none.
    """
    run = worker.run_of(question["run"])
    try:
        problem = worker.problem_of(run)
        if run.form and question["form"]:
            problem = problem.given_as(question["form"])
    except Exception as error:  # the answer says so already
        return {"about": {}, "numbers": {}, "fault": _said("its problem cannot be loaded", error)}
    columns = worker.about(problem) if question["stranger"] else {}
    try:
        numbers = _judged(problem, run, question) if run.judge else _numbers(problem, question)
        wrong = numbers if isinstance(numbers, str) else ""
        return {"about": columns, "numbers": {} if wrong else numbers, "fault": wrong}
    except Exception as error:  # the vector is nonsense: that is the answer's fault
        return {"about": columns, "numbers": {}, "fault": _said("it cannot be graded", error)}


def _said(complaint: str, error: Exception) -> str:
    return f"{complaint}: {' '.join(str(error).split())}"


def _judged(problem: Problem, run: Run, question: Mapping[str, Any]) -> dict[str, Any] | str:
    assert run.judge is not None
    return run.judge(problem, question["extra"], seed=run.seed, **run.settings)


def _numbers(problem: Problem, question: Mapping[str, Any]) -> dict[str, Any] | str:
    """The numbers of a vector on its support, or what makes it infeasible."""
    k, sign = question["k"], question["nonnegative"]
    if k is None:  # an answer without a vector: only the problem is asked about
        return {}
    W = np.array(question["support"], dtype=np.intp)
    x = embed(np.array(question["values"], dtype=float), W, problem.n)
    if wrong := fault(x, problem.n, k, sign):
        return wrong
    bound = bounds.upper_bound(problem, k, sign) if question["bounded"] else None
    return {
        "variance": problem.variance(x),
        "variance_refit": problem.variance(refitted(problem, x, sign)),
        "bound": bound,
    }


def fault(x: Vector, n: int, k: int, nonnegative: bool) -> str:
    """What makes a vector infeasible, in a sentence; empty if nothing does."""
    if x.shape != (n,):
        return f"it holds {x.size} numbers; the problem has {n} variables"
    if not np.isfinite(x).all():
        return "it has NaN or infinite entries"
    norm = scipy.linalg.norm(x)  # unlike x'x it overflows for no finite x
    if norm > 2.0 or abs(x @ x - 1.0) > UNIT:
        return f"its norm is {norm:.6g}; it must be 1"
    if np.count_nonzero(x) > k:
        return f"it has {np.count_nonzero(x)} nonzeros; at most k = {k} are allowed"
    return "it has entries below zero" if nonnegative and x.min() < 0.0 else ""


class Grader:
    """The process that grades; a new interpreter if this process has seen a stranger's code."""

    def __init__(self) -> None:
        self.worker = Worker(grade, anew=True)

    def graded(self, run: Run, answer: Answer, stranger: bool = False) -> Answer:
        """The answer with recomputed numbers, or with the status ``disagrees``.

        stranger : whether the solver is no file of this repository: what its process says of the
        problem and of bounds is then the grader's alone.
        """
        if not (stranger or _has_vector(answer) or run.judge):
            return answer
        try:
            reply = self.worker.ask(_question(run, answer, stranger), SECONDS)
        except Ended as end:
            return disagreeing(answer, f"its vector could not be graded: {end.reason}")
        answer = replace(answer, **reply["about"])
        if not answer.status.good:
            return answer
        if run.judge:
            return _judged_answer(answer, reply)
        if not _has_vector(answer):
            return answer if run.function else disagreeing(answer, "it gave no vector")
        return _with_numbers(answer, reply)

    def close(self) -> None:
        """End the process."""
        self.worker.close()


def _has_vector(answer: Answer) -> bool:
    return answer.status.good and answer.support is not None and answer.values is not None


def _question(run: Run, answer: Answer, stranger: bool) -> dict[str, Any]:
    has_vector = _has_vector(answer)
    k = run.settings.get("k") if stranger else answer.k
    sign = run.settings.get("nonnegative") if stranger else answer.nonnegative
    return {
        "run": run.described(),
        "form": answer.form,
        "stranger": stranger,
        "bounded": not answer.own,
        "support": answer.support,
        "values": answer.values,
        "k": (k or max(len(answer.support or ()), 1)) if has_vector else None,
        "nonnegative": bool(sign),
        "extra": answer.extra if run.judge else None,
    }


def _judged_answer(answer: Answer, reply: Mapping[str, Any]) -> Answer:
    """The answer of a function, with its judge's numbers in place of its own."""
    if reply["fault"]:
        return replace(answer, status=Status.INFEASIBLE, reason=reply["fault"], extra=None)
    return replace(answer, extra=reply["numbers"])


def _with_numbers(answer: Answer, reply: Mapping[str, Any]) -> Answer:
    """The answer with the grader's numbers.

    The bound of a solver that is not of this repository is the grader's alone.
    """
    if reply["fault"]:
        return disagreeing(answer, reply["fault"])
    numbers = reply["numbers"]
    stated = float("nan") if answer.variance is None else answer.variance
    if not abs(stated - numbers["variance"]) <= AGREES * abs(numbers["variance"]):
        return disagreeing(
            answer,
            f"the answer says variance {stated:.9g}; its vector has {numbers['variance']:.9g} on a "
            "freshly loaded problem",
        )
    if numbers["bound"] is None:  # of a solver of this repository, which may have proven a bound
        numbers = {**numbers, "bound": answer.bound, "variance": stated}
    assert numbers["bound"] is not None
    gap = (numbers["bound"] - numbers["variance"]) / numbers["bound"]
    return replace(answer, **numbers, gap=gap)


def disagreeing(answer: Answer, reason: str) -> Answer:
    """The answer without the numbers that cannot be believed."""
    doubted: dict[str, Any] = dict.fromkeys(DOUBTED)
    return replace(answer, status=Status.DISAGREES, reason=reason, **doubted)
