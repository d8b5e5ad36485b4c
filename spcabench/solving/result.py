"""What a run gave, graded by the harness: solvers never grade themselves."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from spcabench.errors import SolverError
from spcabench.flops import uncharged
from spcabench.iterate import Matrix, as_matrix
from spcabench.methods.relaxation import relative_gap
from spcabench.problem.problem import Problem
from spcabench.solving import bounds, certify
from spcabench.solving.status import Status
from spcabench.steps import nonnegative_ascent
from spcabench.vectors import Array, Indices, Vector, embed, normalize, one_sided, support


@dataclass(frozen=True)
class Result:
    """What one run gave, graded by the harness.

    x (n,) unit norm, u (m,) for rectangular solvers; variance = x'Sigma x; status says why the run
    ended (`Status`): converged, finished, max_iterations, time_limit, zero or infeasible.
    flops and times are those of the iterations; set-up (up to the first iterate) is apart.
    phases : iterates, seconds and flops of each phase that the solver names, set-up included in the
        first.
    history : one dict per iterate, if asked for. search : runs, flops and time of a penalty search.
    Z : all components (n, r), of a run that was asked for several at once.
    X, U, penalty : of a relaxation, a primal and a dual matrix (or what makes them), and lam.
    nonnegative : x >= 0 was asked for, and ``bound`` is one on such x.
    proven, proven_whp : the bounds that the solver itself proves: see `bound`.
    """

    solver: str
    problem: Problem = field(repr=False)
    settings: dict[str, Any]
    k: int | None
    x: Vector = field(repr=False)
    status: Status
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
    Z: Array | None = field(default=None, repr=False)
    X: Matrix | None = field(default=None, repr=False)
    U: Matrix | None = field(default=None, repr=False)
    penalty: float | None = None
    rectangular: bool = False
    nonnegative: bool = False
    proven: float | None = None
    proven_whp: float | None = None

    @cached_property
    def variance(self) -> float:
        """x'Sigma x, recomputed from the problem."""
        return self.problem.variance(self.x)

    @cached_property
    def singular_value(self) -> float | None:
        """u'Av for a rectangular run."""
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
        """Certified upper bound on the optimum at the cardinality asked (else at the one reached).

        The smallest of the harness's own, of the relaxation's, recomputed from U, and of the one
        that an exact search proves: to redo that is to search again, so it is taken as given, and
        refused where x itself refutes it.
        """
        k = self.k or max(self.cardinality, 1)
        bound = bounds.upper_bound(self.problem, k, self.nonnegative)
        if self.proven is not None:
            bound = min(bound, self._unrefuted(self.proven))
        if self.primal_and_dual is None or self.rectangular:
            return bound
        return min(bound, certify.sparse_bound(self.problem, self.primal_and_dual[1], k))

    @cached_property
    def bound_whp(self) -> float | None:
        """Upper bound that holds with a probability which the solver states, at most `bound`; None
        without one.
        """
        return (
            None
            if self.proven_whp is None
            else min(self.bound, self.proven_whp * (1.0 + bounds.ROUNDING))
        )

    def _unrefuted(self, proven: float) -> float:
        proven *= 1.0 + bounds.ROUNDING
        if self.variance > proven:
            raise SolverError(
                f"bound: {self.solver!r} claims {proven:.9g}, and its own x has {self.variance:.9g}"
            )
        return proven

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
            return np.asarray(as_matrix(self.X)), np.asarray(as_matrix(self.U))

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
        return self.status.good

    @property
    def fault(self) -> str:
        """What is wrong with an x that is no feasible answer; "" for one that is."""
        x, n = self.x, self.problem.n
        if self.good:
            return ""
        if self.status == Status.ZERO:
            return "x is zero; yield a unit vector"
        if x.shape != (n,):
            return f"x has shape {x.shape}; allowed is ({n},)"
        if not np.isfinite(x).all():
            return "x has NaN or infinite entries"
        if abs(x @ x - 1.0) > 1e-6:
            length = np.linalg.norm(x)
            return f"x has norm {length:.6g}; yield unit vectors: normalize(x) of spcabench.vectors"
        if self.k is not None and self.cardinality > self.k:
            return (
                f"x has {self.cardinality} nonzeros at k = {self.k}; "
                "yield project(x, k) of spcabench.vectors"
            )
        if self.nonnegative and (x < 0).any():
            return "x has entries of both signs, where x >= 0 was asked"
        return "the number that its stopping rule looks at is NaN"


def graded(
    x: Vector, status: Status, k: int | None, n: int, nonnegative: bool = False
) -> tuple[Vector, Status]:
    """x scaled to exactly unit norm; infeasible where it is not a feasible unit vector.

    nonnegative : a wrong sign is infeasible too; where all are wrong, x is turned round.
    """
    x = np.array(x, dtype=np.float64)
    if status == Status.ZERO:
        return x, status
    if x.shape != (n,) or not np.isfinite(x).all() or abs(x @ x - 1.0) > 1e-6:
        return x, Status.INFEASIBLE
    if k is not None and np.count_nonzero(x) > k:
        return x, Status.INFEASIBLE
    if nonnegative and (x <= 0).all():
        x = np.abs(x)
    return normalize(x), Status.INFEASIBLE if nonnegative and (x < 0).any() else status


def refitted(problem: Problem, x: Vector, nonnegative: bool = False) -> Vector:
    """The leading eigenvector of Sigma[S, S] on the support S of x, with the sign of x (Moghaddam
    et al. 2006).

    nonnegative : x >= 0 is kept. Where the eigenvector has both signs that problem is hard: the
        better ascent of those from x and from the eigenvector's positive part, never worse than x.
    """
    W = support(x)
    with uncharged():
        Sigma_W = problem.covariance[W]
        _, v = Sigma_W.leading()
        v = v if v @ x[W] >= 0 else -v
        if nonnegative and v.min() < 0.0:
            ends = [nonnegative_ascent(Sigma_W.product, y) for y in (x[W], one_sided(v))]
            v = max(ends, key=lambda end: end[0])[1]
    return embed(v, W, len(x))
