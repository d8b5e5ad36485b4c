"""What a run gave, graded by the harness: solvers never grade themselves."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from . import bounds, certify
from .flops import uncharged
from .iterate import Matrix
from .problem import Problem
from .relaxation import relative_gap
from .vectors import Indices, Vector, embed, normalize, support


@dataclass(frozen=True)
class Result:
    """What one run gave, graded by the harness.

    x (n,) unit norm, u (m,) for rectangular solvers; variance = x'Sigma x; status says why the run ended:
    converged, finished (the solver's own end), max_iterations, time_limit, zero, infeasible.
    flops and times are those of the iterations; set-up (up to the first iterate) is apart.
    phases : iterates, seconds and flops of each phase that the solver names, set-up included in the first.
    history : one dict per iterate, if asked for. search : runs, flops and time of a penalty search.
    X, U, penalty : of a relaxation, a primal and a dual matrix (or what makes them), and lam.
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
    compile_time: float = 0.0
    X: Matrix | None = field(default=None, repr=False)
    U: Matrix | None = field(default=None, repr=False)
    penalty: float | None = None
    rectangular: bool = False

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
        k = self.k or max(self.cardinality, 1)
        bound = bounds.upper_bound(self.problem, k)
        if self.primal_and_dual is None or self.rectangular:
            return bound
        return min(bound, certify.sparse_bound(self.problem, self.primal_and_dual[1], k))

    @property
    def gap(self) -> float:
        """(bound - variance) / bound: how far from the optimum this can be at most."""
        return (self.bound - self.variance) / self.bound

    @cached_property
    def primal_and_dual(self) -> tuple[Vector, Vector] | None:
        """X and U of the relaxation (n, n), where the solver gave them."""
        if self.X is None or self.U is None:
            return None
        with uncharged():
            X, U = (M() if callable(M) else M for M in (self.X, self.U))
        return np.asarray(X), np.asarray(U)

    @cached_property
    def _certified(self) -> tuple[float, float] | None:
        if self.primal_and_dual is None:
            return None
        X, U = self.primal_and_dual
        if not self.rectangular:
            return certify.certified(self.problem, X, U, self.penalty, self.k)
        A = self.problem.given_as("data").data.dense()
        assert self.k is not None
        return certify.rectangular(A, X, U, int(self.settings.get("k_u") or len(A)), self.k)

    @property
    def relaxation_value(self) -> float | None:
        """What the relaxation attains: recomputed from X, made feasible."""
        return None if self._certified is None else self._certified[0]

    @property
    def relaxation_bound(self) -> float | None:
        """What the relaxation cannot exceed: recomputed from U."""
        return None if self._certified is None else self._certified[1]

    @property
    def relaxation_gap(self) -> float | None:
        """(bound - value) / |bound| of the relaxation, certified."""
        return None if self._certified is None else relative_gap(*self._certified)

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
