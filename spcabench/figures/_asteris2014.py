"""Experiments of Asteris, Papailiopoulos and Dimakis (2014)."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from spcabench import registry
from spcabench.problem.problem import Problem
from spcabench.run import Run
from spcabench.solving import bounds
from spcabench.solving.result import graded, refitted
from spcabench.solving.status import Status

D, EPS = 3, 0.1
ALG3: dict[str, Any] = dict(d=D, eps=EPS, nonnegative=True)
EM: dict[str, Any] = dict(restarts=10, starts="signed", nonnegative=True)
# The paper does not say how EM starts: the package of EM's authors takes absolute values.
STARTS = {"starts of both signs": "signed", "starts |w|": "absolute"}
CALLED = {"spannogram": "Algorithm 3", "em": "EM"}
# labels of the runs on plain data and on the other preparations that are judged
MAIN, CONTRAST, UNCENTRED = "main", "contrast-normalised", "not centred"
TIME = "time"  # label of timed runs


def both(
    dataset: str, parameters: dict[str, Any], ks: Sequence[int], label: str, form: str | None
) -> Iterator[Run]:
    """Run Algorithm 3 once for all k, and EM once for each k and kind of start."""
    common: dict[str, Any] = dict(dataset=dataset, parameters=parameters, form=form, label=label)
    ks = [int(k) for k in ks]
    # all k share the samples, so a run for hundreds of k costs little more than a run for one
    yield Run(function=one_pass, settings=dict(ks=ks), uses=("spannogram",), **common)
    for k, starts in product(ks, STARTS.values()):
        yield Run(solver="em", settings=EM | dict(k=k, starts=starts), **common)


def one_pass(problem: Problem, *, seed: int, ks: Sequence[int]) -> dict[str, list[float]]:
    """Run Algorithm 3 for all ks up to n, and return the values from which its bounds are computed.

    cardinality, variance : cardinality and variance of x as returned. variance_refit : variance
        after a refit. q : x'A_3 x. lambda_next : lambda_4. bound : deterministic upper bound on
        the optimum.
    """
    # the driver cannot be used, because it stops a run after one component for one k
    path = registry.module("solver", "spannogram").path
    w, U = problem.covariance.leading_pairs(D + 1)
    columns: dict[str, list[float]] = {
        name: [] for name in ("k", "cardinality", "variance", "variance_refit", "q", "bound")
    }
    for k, x, _ in path(problem, [k for k in ks if k <= problem.n], seed=seed, **ALG3):
        x, status = graded(x, Status.FINISHED, k, problem.n, nonnegative=True)
        # a bound computed from an infeasible vector would be wrong, without any warning
        if status != Status.FINISHED:
            raise RuntimeError(f"Algorithm 3 gave no feasible component at k = {k}")
        columns["k"].append(k)
        columns["cardinality"].append(float(np.count_nonzero(x)))
        # the paper uses x as returned, but a bound is compared with the variance after a refit
        columns["variance"].append(problem.variance(x))
        columns["variance_refit"].append(problem.variance(refitted(problem, x, nonnegative=True)))
        columns["q"].append(float((w[:D] * (x @ U[:, :D]) ** 2).sum()))
        columns["bound"].append(bounds.upper_bound(problem, k, nonnegative=True))
    return columns | {"lambda_next": [max(float(w[D]), 0.0)] * len(columns["k"])}


def grid(n: int, count: int, at: Sequence[int]) -> list[int]:
    """Return cardinalities from 1 to n, closer for small k, including those in ``at``."""
    return sorted(
        {
            1,
            n,
            *at,
            # geometric spacing for small k, where the curves bend, and linear spacing for larger k
            *np.unique(np.round(np.geomspace(1, n, count // 2)).astype(int)).tolist(),
            *np.unique(np.round(np.linspace(1, n, count // 2)).astype(int)).tolist(),
        }
    )
