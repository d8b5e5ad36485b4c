"""Compute loadings with one of the ways to use a solver, their cost and their measures.

The functions of a run return these as a dict, or the reason why the loadings are infeasible.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from spcabench import api, registry
from spcabench.comparison.components.ways import CALIBRATED, ROUNDED
from spcabench.problem.problem import Problem
from spcabench.solving.call import Limits, arguments, in_form
from spcabench.solving.deflate import Components
from spcabench.solving.formulations import Formulation, fault
from spcabench.solving.measures import held_out, measures, recovery
from spcabench.solving.status import Status
from spcabench.solving.tune import penalty_range
from spcabench.vectors import Array, Indices, embed, support

TRIALS = 25  # maximum number of trials in the search for a penalty
CLOSED = 1e-4  # the search stops if its two limits of the penalty differ by less than this fraction
PATIENCE = 5.0  # limit of the whole search, as a multiple of the time limit of a run


@dataclass
class Bill:
    """The total cost of the runs; flops are None if the flops of any run are not counted."""

    seconds: float = 0.0
    flops: int | None = 0
    runs: int = 0
    statuses: list[str] = field(default_factory=list)

    def add(self, components: Components, joint: bool) -> None:
        """Add the cost of a call of the solver; all results of a joint call share the same cost."""
        for result in components.results[:1] if joint else components.results:
            cost = result.cost
            self.seconds += cost.search.get("time", cost.seconds)
            counted = self.flops is not None and cost.counted
            self.flops = (self.flops or 0) + cost.total_flops if counted else None
            self.runs += int(cost.search.get("runs", 1))
        self.statuses = [str(result.status) for result in components]


def loadings(
    problem: Problem,
    *,
    seed: int,
    solver: str,
    how: str,
    r: int,
    k: int,
    limit: float,
) -> dict[str, Any]:
    """Return the loadings as lists of indices and values, with seconds, flops and statuses.

    Loadings that the solver did not find are omitted.

    limit : time limit of each run in seconds.
    """
    bill = Bill()
    if how in (CALIBRATED, ROUNDED):
        Z = _searched(problem, solver, how, r, k, seed, limit, bill)
    else:
        joint = how == "joint"
        components = api.solve(
            problem,
            solver,
            n_components=r,
            k=k,
            deflation=how,
            random_state=seed,
            refit=not joint,
            limits=Limits(time_limit=limit),
        )
        bill.add(components, joint)
        Z = _good(components)
    return {
        "indices": [support(z).tolist() for z in Z.T],
        "values": [z[support(z)].tolist() for z in Z.T],
        **vars(bill),
    }


def train_and_test(problem: Problem) -> tuple[Problem, Problem]:
    """Return a problem with the even samples and one with the odd samples, centred separately."""
    A = problem.given_as("data").data.dense()
    train, test = (Problem.from_data(part, problem.name, divisor="1") for part in (A[::2], A[1::2]))
    return train, test


def assembled(answer: dict[str, Any], n: int) -> Array:
    """Return Z (n, r) from the lists of indices and values."""
    columns = [
        embed(np.array(values), np.array(W, dtype=np.intp), n)
        for W, values in zip(answer["indices"], answer["values"], strict=True)
    ]
    return np.column_stack(columns) if columns else np.zeros((n, 0))


def _good(components: Components) -> Array:
    columns = [result.x for result in components if result.good]
    return np.column_stack(columns) if columns else np.zeros((components.problem.n, 0))


def _searched(
    problem: Problem, solver: str, how: str, r: int, k: int, seed: int, limit: float, bill: Bill
) -> Array:
    """Search for a penalty, and return the best loadings that are sparse enough.

    The best loadings explain the most variance. The number of nonzeros decreases in jumps as the
    penalty increases, so every trial is considered.
    """
    module = registry.module("solver", solver)
    most = k if how == ROUNDED else r * k
    accepted = in_form(problem, module.TRAITS)
    low, high = (float(np.log(t)) for t in penalty_range(module, accepted))
    best, value = np.zeros((problem.n, 0)), 0.0
    while bill.runs < TRIALS and high - low > CLOSED and bill.seconds < PATIENCE * limit:
        middle = (low + high) / 2.0
        settings: dict[str, Any] = {str(module.TRAITS.penalty): float(np.exp(middle))}
        components = api.solve(
            problem,
            solver,
            n_components=r,
            deflation="joint",
            random_state=seed,
            **arguments({**settings, "time_limit": limit}),
        )
        bill.add(components, joint=True)
        Z = _good(components)
        used = np.flatnonzero(Z.any(axis=1))
        if (len(used) if how == ROUNDED else np.count_nonzero(Z)) > most:
            low = middle
            continue
        high = middle
        if how == ROUNDED:
            Z = eigenvectors_on(problem, used, r)
        explained = measures(problem, Z).projected if Z.shape[1] else 0.0
        if explained > value:
            best, value = Z, explained
    return best


def eigenvectors_on(problem: Problem, W: Indices, r: int) -> Array:
    """Return the r leading eigenvectors of Sigma on the variables W, as loadings (n, r)."""
    if not len(W):
        return np.zeros((problem.n, 0))
    _, V = problem.covariance[W].leading_pairs(min(r, len(W)))
    Z = np.zeros((problem.n, V.shape[1]))
    Z[W] = V
    return Z


def components(
    problem: Problem, *, k: int, r: int, formulation: str, **question: Any
) -> dict[str, Any] | str:
    """Return loadings, their measures, and their recovery if the true loadings are known.

    ``value`` is the objective of the formulation, which is the total variance if loadings must be
    orthonormal, and otherwise the projected variance.
    """
    obeyed, numbers = Formulation(formulation), loadings(problem, k=k, r=r, **question)
    Z, wrong = _feasible(problem, numbers, obeyed, k, r)
    if wrong:
        return wrong
    measured = measures(problem, Z)
    truth = problem.provenance.get("loadings")
    recovered = asdict(recovery(Z, np.array(truth).T)) if truth is not None else {}
    value = measured.total if obeyed.orthonormal else measured.projected
    return {**numbers, **asdict(measured), **recovered, "value": value}


def components_held_out(
    problem: Problem, *, k: int, r: int, formulation: str, **question: Any
) -> dict[str, Any] | str:
    """Return loadings of the training samples, and their measures on the other samples."""
    train, test = train_and_test(problem)
    numbers = loadings(train, k=k, r=r, **question)
    Z, wrong = _feasible(problem, numbers, Formulation(formulation), k, r)
    if wrong:
        return wrong
    shares = asdict(held_out(train, test, Z))
    return {**numbers, **{f"held_out_{name}": value for name, value in shares.items()}}


def _feasible(
    problem: Problem, numbers: dict[str, Any], formulation: Formulation, k: int, r: int
) -> tuple[Array, str]:
    """Return the loadings Z (n, r), and the reason why they are infeasible, or ""."""
    Z = assembled(numbers, problem.n)
    if Z.shape[1]:
        return Z, fault(Z, formulation, k, r)
    broken = str(Status.INFEASIBLE) in numbers["statuses"]
    return Z, "every loading violates a constraint" if broken else "no loading was found"
