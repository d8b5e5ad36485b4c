"""The grader, a process that grades answers again and never imports a third-party solver.

In a worker, a solver shares a process with the code that grades it, and Python cannot hide anything
from it. The numbers that affect ranks or verdicts are therefore recomputed in another process, on a
freshly loaded problem. If they differ from the numbers of the answer, its status is ``disagrees``.
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

AGREES = 1e-8  # relative tolerance, because forms of the same problem differ by rounding errors
UNIT = 1e-6  # largest deviation of the squared norm from one
SECONDS = 900.0  # time limit for grading an answer, including loading the problem and its bounds
# columns that are cleared if an answer disagrees with its vector
DOUBTED = (
    *("variance", "variance_refit", "singular_value", "bound", "bound_whp", "gap"),
    *("relaxation_value", "relaxation_bound", "relaxation_gap", "history"),
)


def grade(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return a description of a problem, and the grade of an answer to it.

    question : a described run, the ``form`` of the answer, and whether the solver is a
        ``stranger``. For a solver, it also contains the support, the values, k, the sign constraint
        and whether to compute a bound (``bounded``). For a function with a judge, it contains the
        column ``extra``. The reply consists of ``about``, ``numbers``, and ``fault``, a sentence
        with the reason why there are no numbers.
    """
    run = worker.run_of(question["run"])
    try:
        problem = worker.problem_of(run)
        if run.form and question["form"]:
            problem = problem.given_as(question["form"])
    except Exception as error:  # the answer already reports this error
        return {"about": {}, "numbers": {}, "fault": _said("the problem cannot be loaded", error)}
    columns = worker.about(problem) if question["stranger"] else {}
    try:
        if run.judge:
            numbers = run.judge(problem, question["extra"], seed=run.seed, **run.settings)
        else:
            numbers = _numbers(problem, question)
        wrong = numbers if isinstance(numbers, str) else ""
        return {"about": columns, "numbers": {} if wrong else numbers, "fault": wrong}
    except Exception as error:  # the vector is invalid, which is an error of the answer
        return {"about": columns, "numbers": {}, "fault": _said("it cannot be graded", error)}


def _said(complaint: str, error: Exception) -> str:
    return f"{complaint}: {' '.join(str(error).split())}"


def _numbers(problem: Problem, question: Mapping[str, Any]) -> dict[str, Any] | str:
    """Return the values computed from a vector, or the reason why it is infeasible."""
    k, sign = question["k"], question["nonnegative"]
    if k is None:  # the answer has no vector, so only the problem is described
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
    """Return the reason why a vector is infeasible, or ""."""
    if x.shape != (n,):
        return f"it has {x.size} entries; the problem has {n} variables"
    if not np.isfinite(x).all():
        return "it has NaN or infinite entries"
    norm = scipy.linalg.norm(x)  # unlike x'x, it does not overflow for any finite x
    if norm > 2.0 or abs(x @ x - 1.0) > UNIT:
        return f"its norm is {norm:.9g}; it must be 1"
    if np.count_nonzero(x) > k:
        return f"it has {np.count_nonzero(x)} nonzeros; at most k = {k} are allowed"
    return "it has entries below zero" if nonnegative and x.min() < 0.0 else ""


class Grader:
    """The grading process, a new interpreter if this process has executed third-party code."""

    def __init__(self) -> None:
        self.worker = Worker(grade, anew=True)

    def graded(self, run: Run, answer: Answer, stranger: bool = False) -> Answer:
        """Return the answer with recomputed numbers, or with the status ``disagrees``.

        stranger : whether the solver is a third-party file. The columns about the problem and the
            bounds are then computed by the grader only.
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
            return answer if run.function else disagreeing(answer, "it has no vector")
        return _with_numbers(answer, reply)

    def close(self) -> None:
        """Kill the process."""
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
    """Return the answer of a function, with the numbers that its judge computes."""
    if reply["fault"]:
        return replace(answer, status=Status.INFEASIBLE, reason=reply["fault"], extra=None)
    return replace(answer, extra=reply["numbers"])


def _with_numbers(answer: Answer, reply: Mapping[str, Any]) -> Answer:
    """Return the answer with the grader's values, including the bound for third-party solvers."""
    if reply["fault"]:
        return disagreeing(answer, reply["fault"])
    numbers = reply["numbers"]
    stated = float("nan") if answer.variance is None else answer.variance
    if not abs(stated - numbers["variance"]) <= AGREES * abs(numbers["variance"]):
        return disagreeing(
            answer,
            f"the answer states variance {stated:.9g}, but its vector has "
            f"{numbers['variance']:.9g} on a freshly loaded problem",
        )
    if numbers["bound"] is None:  # for solvers of this repository, keep the bound of the answer
        numbers = {**numbers, "bound": answer.bound, "variance": stated}
    assert numbers["bound"] is not None
    gap = (numbers["bound"] - numbers["variance"]) / numbers["bound"]
    return replace(answer, **numbers, gap=gap)


def disagreeing(answer: Answer, reason: str) -> Answer:
    """Return the answer without the numbers that cannot be trusted."""
    doubted: dict[str, Any] = dict.fromkeys(DOUBTED)
    return replace(answer, status=Status.DISAGREES, reason=reason, **doubted)
