"""What a run gave, graded by the harness: solvers never grade themselves."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from . import bounds
from .flops import uncharged
from .problem import Problem
from .vectors import Indices, Vector, embed, normalize, support


@dataclass(frozen=True)
class Result:
    """What one run gave, graded by the harness.

    x (n,) unit norm, u (m,) for rectangular solvers; variance = x'Sigma x; status says why the run ended:
    converged, finished (the solver's own end), max_iterations, time_limit, zero, infeasible.
    flops and times are those of the iterations; set-up (up to the first iterate) is apart.
    phases : iterates, seconds and flops of each phase that the solver names, set-up included in the first.
    history : one dict per iterate, if asked for. search : runs, flops and time of a penalty search.
    """

    solver: str
    problem: Problem = field(repr=False)
    settings: dict[str, Any]
    k: int | None
    x: Vector = field(repr=False)
    status: str
    iterations: int
    flops: int
    setup_flops: int
    solve_time: float
    setup_time: float
    u: Vector | None = field(default=None, repr=False)
    history: list[dict[str, Any]] = field(default_factory=list, repr=False)
    search: dict[str, float] = field(default_factory=dict)
    phases: dict[str, dict[str, float]] = field(default_factory=dict, repr=False)
    extra: dict[str, float] = field(default_factory=dict)
    counted: bool = True
    state: Any = field(default=None, repr=False)

    @cached_property
    def variance(self) -> float:
        """X'Sigma x, recomputed from the problem."""
        return self.problem.variance(self.x)

    @cached_property
    def singular_value(self) -> float | None:
        """U'Av for a rectangular run."""
        if self.u is None:
            return None
        with uncharged():
            return float(self.u @ (self.problem.data @ self.x))

    @property
    def support(self) -> Indices:
        """Indices of the nonzeros of x."""
        return support(self.x)

    @property
    def cardinality(self) -> int:
        """Number of nonzeros of x."""
        return len(self.support)

    @cached_property
    def bound(self) -> float:
        """Certified upper bound on the optimum at the cardinality asked (else at the one reached)."""
        return bounds.upper_bound(self.problem, self.k or max(self.cardinality, 1))

    @property
    def gap(self) -> float:
        """(bound - variance) / bound: how far from the optimum this can be at most."""
        return (self.bound - self.variance) / self.bound

    @property
    def good(self) -> bool:
        """Whether x is a feasible answer."""
        return self.status not in ("zero", "infeasible")


def graded(x: Vector, status: str, k: int | None, n: int) -> tuple[Vector, str]:
    """X scaled to exactly unit norm; status "infeasible" where it is not a feasible unit vector."""
    x = np.array(x, dtype=np.float64)
    if status == "zero":
        return x, status
    if x.shape != (n,) or not np.isfinite(x).all() or abs(x @ x - 1.0) > 1e-6:
        return x, "infeasible"
    if k is not None and np.count_nonzero(x) > k:
        return x, "infeasible"
    return normalize(x), status


def refitted(problem: Problem, x: Vector) -> Vector:
    """The leading eigenvector of Sigma[S, S] on the support S of x, with the sign of x (Moghaddam et al. 2006)."""
    W = support(x)
    with uncharged():
        _, v = problem.covariance[W].leading()
    return embed(v if v @ x[W] >= 0 else -v, W, len(x))
