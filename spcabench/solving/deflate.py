"""Sequential computation of several components by deflation.

The deflations come from Mackey (2009) and Kuleshov (2013, section 2.3).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from spcabench import files
from spcabench.errors import InputError, below, nearest
from spcabench.flops import uncharged
from spcabench.problem.covariance import Covariance, Gram
from spcabench.problem.data import Data
from spcabench.problem.problem import Problem
from spcabench.showing import text
from spcabench.solving.bounds import ROUNDING
from spcabench.solving.formulations import ORTHOGONAL, Formulation
from spcabench.solving.measures import (
    Measures,
    adjusted_variances,
    measures,
    projected_variance,
)
from spcabench.solving.result import Result, Shown
from spcabench.vectors import Vector, normalize, support

# a component is idle if it adds less than this fraction of the largest added variance
ADDED = 1e-9
# a variance below this fraction of the first component's variance is a rounding error
NOTHING = 1e-12


@dataclass(repr=False)
class Components(Shown, Sequence[Result]):
    """A sequence of results for several components, with joint measures of all components.

    For example, ``components[0]`` is the result for the first component.

    Attributes
    ----------
    problem : Problem
        The problem before any deflation.
    results : list of Result
        The result for each component. Its problem is the deflated problem that was solved.
    formulation : Formulation
        The multi-component problem that the components solve; see docs/components.md.
    """

    problem: Problem
    results: list[Result]
    formulation: Formulation = Formulation.DEFLATION

    def __getitem__(self, index):
        return self.results[index]

    def __repr__(self) -> str:
        lines = [f"{i}. {text.line(self.problem, result)}" for i, result in enumerate(self, 1)]
        head = f"Components({self[0].solver} on {self.problem.name})"
        # the variances of overlapping components do not add up
        share = self.projected_variance / text.total_variance(self.problem)
        return files.plain("\n".join([head, *lines, f"together {share:.1%} of the total"]))

    @property
    def _each(self) -> Sequence[Result]:
        return self.results

    def __len__(self) -> int:
        return len(self.results)

    @property
    def Z(self) -> Vector:
        """Loadings, an array of shape (n, K) with one component per column."""
        return np.column_stack([r.x for r in self.results])

    @property
    def variances(self) -> Vector:
        """Variance x'Sigma x of each component in the original problem, an array of shape (K,)."""
        return np.array([self.problem.variance(r.x) for r in self.results])

    @cached_property
    def _gram(self) -> Vector:
        with uncharged():
            S = self.problem.covariance
            return self.Z.T @ np.column_stack([S @ r.x for r in self.results])

    @property
    def adjusted_variances(self) -> Vector:
        """Variance that each component adds to the preceding components, an array of shape (K,).

        These variances are the squared diagonal entries of R in the QR decomposition of A Z (Zou,
        Hastie, Tibshirani 2006), so variance shared by correlated components is counted once.
        """
        return adjusted_variances(self._gram)

    @property
    def idle(self) -> list[int]:
        """Indices of the components that add no variance to the preceding components.

        Added variances of the order of rounding errors are treated as zero. Most deflations remove
        a loading but not all the variance that it explains. If several variables carry the same
        information, a later component can therefore consist of variables that add nothing new.
        Schur's deflation removes all the explained variance.
        """
        added = self.adjusted_variances
        return np.flatnonzero(added <= ADDED * added.max(initial=0.0)).tolist()

    @property
    def projected_variance(self) -> float:
        """Variance in the span of the loadings, tr((Z'Z)^-1 Z'Sigma Z)."""
        return projected_variance(self.Z, self._gram)

    @cached_property
    def measures(self) -> Measures:
        """Joint measures of all loadings, including the variances above."""
        return measures(self.problem, self.Z)

    @cached_property
    def joint_bound(self) -> float:
        """Certified upper bound on the variance that K loadings of this formulation can explain.

        It bounds the total variance if the formulation requires orthonormal loadings, and otherwise
        the projected variance. If the cardinalities of the components differ, it is the bound for
        the largest cardinality.
        """
        r, nonzeros = len(self), self.measures.nonzeros
        k = max(result.k or result.cardinality for result in self.results)
        if self.formulation == Formulation.PENALISED:
            k = -(-nonzeros // r)
        # imported here because it loads numba and scipy.optimize, which a solve does not need
        from spcabench.solving.joint_bounds import joint_bound

        bound = joint_bound(self.problem, self.formulation, r, min(k, self.problem.n))[0]
        if all(result.good for result in self.results):
            # loadings count as orthonormal within a tolerance, which can exceed the bound
            allowed = ORTHOGONAL if self.formulation.orthonormal else ROUNDING
            value = self.projected_variance
            if value > bound * (1.0 + allowed) + r * self.problem.noise:
                raise below(value, bound, f"{self[0].solver} on {self.problem.name}", "the bound")
        return bound


def hotelling(problem: Problem, results: list[Result], alpha: float) -> Covariance | Data | Gram:
    """Return Sigma - alpha (x'Sigma x) x x', which can be indefinite, or A - alpha (u'Av) u v'."""
    r, M = results[-1], problem.matrix
    if r.u is not None:
        return _low_rank(problem.data, alpha * (r.singular_value or 0.0) * r.u, r.x)
    weight = alpha * problem.variance(r.x)
    if isinstance(M, Covariance):
        return Covariance(M.S - weight * np.outer(r.x, r.x))
    if isinstance(M, Data):
        return Gram(M, r.x[:, None], np.array([weight]))
    return Gram(M.A, np.column_stack([M.Q, r.x]), np.append(M.w, weight))


def projection(problem: Problem, results: list[Result], alpha: float) -> Covariance | Data | Gram:
    """Return (I - x x') Sigma (I - x x')."""
    return _projected(problem, results[-1].x)


def orthogonal_projection(
    problem: Problem, results: list[Result], alpha: float
) -> Covariance | Data | Gram:
    """Project out x after orthogonalising it against the earlier components; removes their span."""
    Q, _ = np.linalg.qr(np.column_stack([r.x for r in results]))
    return _projected(problem, Q[:, -1])


def schur(problem: Problem, results: list[Result], alpha: float) -> Covariance | Data | Gram:
    """Return Sigma - Sigma x x'Sigma / x'Sigma x."""
    x, M = results[-1].x, problem.matrix
    if isinstance(M, Covariance):
        s = M @ x
        return Covariance(M.S - np.outer(s, s) / (x @ s))
    p = normalize(problem.data @ x)
    return _low_rank(problem.data, p, problem.data.T @ p)


def drop_features(
    problem: Problem, results: list[Result], alpha: float
) -> Covariance | Data | Gram:
    """Remove the variables of a component."""
    W, M = support(results[-1].x), problem.matrix
    keep = np.ones(problem.n)
    keep[W] = 0.0
    if isinstance(M, Covariance):
        return Covariance(M.S * keep[:, None] * keep)
    A = problem.data
    return Data(A.X, keep if A.scale is None else A.scale * keep, A.U, A.V * keep[:, None])


DEFLATIONS: dict[str, Callable[[Problem, list[Result], float], Covariance | Data | Gram]] = {
    f.__name__: f for f in (hotelling, projection, orthogonal_projection, schur, drop_features)
}


def _projected(problem: Problem, q: Vector) -> Covariance | Data | Gram:
    M = problem.matrix
    if isinstance(M, Covariance):
        s = M @ q
        return Covariance(M.S - np.outer(q, s) - np.outer(s, q) + (q @ s) * np.outer(q, q))
    return _low_rank(problem.data, problem.data @ q, q)


def _low_rank(A: Data, u: Vector, v: Vector) -> Data:
    """Return A - u v', with u v' stored as a low-rank correction."""
    return Data(A.X, A.scale, np.column_stack([A.U, u]), np.column_stack([A.V, v]))


def check(deflation: Any, alpha: Any = 1.0) -> None:
    """Raise InputError if the deflation is unknown or does not accept this alpha."""
    known = (*DEFLATIONS, "joint")
    if not isinstance(deflation, str) or deflation not in known:
        raise InputError(nearest("deflation", str(deflation), known))
    number = isinstance(alpha, Real) and 0.0 <= float(alpha) <= 1.0
    if not number or (alpha != 1.0 and deflation != "hotelling"):
        raise InputError(
            f"alpha: {alpha!r}; it must be from 0 to 1 with hotelling, and 1 with other deflations"
        )


def deflated_components(
    problem: Problem,
    count: int,
    run: Callable[[Problem], Result],
    deflation: str,
    alpha: float = 1.0,
) -> Components:
    """Run a solver and deflate repeatedly to find ``count`` components.

    The loop stops early if a run finds no component or if the remaining variance consists of
    rounding errors. Hotelling's deflation is partial if alpha is below one.
    """
    formulation = Formulation.DISJOINT if deflation == "drop_features" else Formulation.DEFLATION
    results = [run(problem)]
    if (
        deflation == "hotelling"
        and results[0].u is not None
        and problem.form == "data"
        and not problem.data.rank
    ):
        return Components(problem, _in_place(problem, results[0], count, run, alpha), formulation)
    current = problem
    hotelling = deflation == "hotelling" and results[0].u is None
    while len(results) < count and results[-1].good:
        with uncharged():
            matrix = DEFLATIONS[deflation](current, results, alpha)
        current = replace(
            current,
            matrix=matrix,
            indefinite=problem.indefinite or hotelling,
            _cache={},
        )
        with uncharged():
            largest = current.covariance.diagonal().max()
        if largest <= NOTHING * results[0].variance and not hotelling:
            break
        result = run(current)
        if _nothing_left(result, results[0]):
            break
        results.append(result)
    return Components(problem, results, formulation)


def _nothing_left(result: Result, first: Result) -> bool:
    """Whether the variance of a component consists of rounding errors of the deflation."""
    return result.good and result.variance <= NOTHING * first.variance


def _in_place(
    problem: Problem, result: Result, count: int, run: Callable[[Problem], Result], alpha: float
) -> list[Result]:
    """Deflate dense data A - alpha sum sigma u v' in a working copy that is passed to the solver.

    A component of k variables changes k columns of the copy. A product with the copy costs the same
    as with A, whereas a low-rank correction would grow with every component. The problems stored in
    the results are A - U V' with shared U (m, count) and V (n, count). They do not refer to the
    copy, so later changes to the copy do not affect them.
    """
    A, results = problem.data, [result]
    X = np.array(A.X, order="F")
    U, V = (np.empty((size, count), order="F") for size in A.shape)
    while len(results) < count and result.good:
        i = len(results)
        U[:, i - 1] = np.asarray(result.u)
        V[:, i - 1] = alpha * (result.singular_value or 0.0) * result.x
        for j in result.support:
            X[:, j] -= V[j, i - 1] * U[:, i - 1]
        result = run(replace(problem, matrix=Data(X), _cache={}))
        shown = replace(problem, matrix=Data(A.X, None, U[:, :i], V[:, :i]), _cache={})
        result = replace(result, problem=shown)
        if _nothing_left(result, results[0]):
            break
        results.append(result)
    return results
