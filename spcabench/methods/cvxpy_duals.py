"""The duals of the semidefinite relaxations as parametrised CVXPY problems.

Each problem is compiled once per size. The dual is passed to the solver, because its box constraint
requires no auxiliary matrix. X is the multiplier of the matrix inequality.
"""

import warnings
from functools import lru_cache
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp

from spcabench.errors import InputError
from spcabench.flops import LEDGER
from spcabench.machine import require
from spcabench.vectors import Array, Vector

# practical sizes, measured on one core: SCS takes 29 s at n = 200 and 326 s at 300 (with a gap of
# 8e-5 after its 20,000 iterations); Clarabel takes 35 s and 0.7 GB at n = 80, and 59 s and 1.4 GB
# at 100, with storage that grows as n^4
LARGEST = {"SCS": 200, "CLARABEL": 120}
# SCS stores vectors of length n^2, and Clarabel stores dense matrices of order n (n + 1) / 2
FACTORS = {"SCS": 12, "CLARABEL": 7}
TIGHT: dict[str, Any] = {
    "SCS": lambda eps: {"eps_abs": eps, "eps_rel": eps, "max_iters": 20_000},
    "CLARABEL": lambda eps: {"tol_gap_abs": eps, "tol_gap_rel": eps, "tol_feas": eps},
}


def memory(solver: str, n: int) -> float:
    """Estimate the peak memory of a solve of order n, in bytes beyond the interpreter's 0.25 GB."""
    order = n * (n + 1) / 2
    return 8.0 * FACTORS[solver] * (order**2 if solver == "CLARABEL" else 100 * order) + 2.5e8


def check(solver: str, n: int) -> None:
    """Raise InputError for an unknown solver, or for a matrix beyond its practical size."""
    if solver not in LARGEST:
        raise InputError(f"solver: {solver!r}; choose from {', '.join(map(repr, LARGEST))}")
    if n > LARGEST[solver]:
        raise InputError(
            f"n: {n} variables in one component; {solver} is practical up to {LARGEST[solver]} "
            f"(estimated memory {memory(solver, n) / 1e9:.1f} GB): use a first-order solver, or a "
            "larger penalty"
        )


@lru_cache(maxsize=1)
def modelling() -> Any:
    """Import CVXPY and its two solvers, excluding the time of the imports from timings."""
    start = perf_counter()
    cvxpy = require("cvxpy")
    x = cvxpy.Variable((1, 1), PSD=True)
    for solver in LARGEST:
        cvxpy.Problem(cvxpy.Minimize(x[0, 0])).solve(solver=solver)
    LEDGER.compile_seconds += perf_counter() - start
    return cvxpy


@lru_cache(maxsize=32)
def penalised(n: int) -> Any:
    """Compile min t over t I >= S + U, |U_ij| <= lam, for S of order n.

    Returns a function (S, lam, solver, eps) -> X (n, n), U (n, n).
    """
    cp = modelling()
    S, lam = cp.Parameter((n, n), symmetric=True), cp.Parameter(nonneg=True)
    (q, U), t = _symmetric(n), cp.Variable()
    matrix = t * np.eye(n) - S - U >> 0
    problem = cp.Problem(cp.Minimize(t), [matrix, q <= lam, -lam <= q])

    def solve(S_value: Array, lam_value: float, solver: str, eps: float) -> tuple[Vector, Vector]:
        S.value, lam.value = S_value, lam_value
        _solve(problem, solver, eps)
        return np.asarray(matrix.dual_value), np.asarray(U.value)

    return solve


@lru_cache(maxsize=32)
def constrained(n: int) -> Any:
    """Compile min t + k s over t I >= S + U, |U_ij| <= s, for S of order n.

    Returns a function (S, k, solver, eps) -> X (n, n), U (n, n).
    """
    cp = modelling()
    S, k = cp.Parameter((n, n), symmetric=True), cp.Parameter(nonneg=True)
    (q, U), t, s = _symmetric(n), cp.Variable(), cp.Variable()
    matrix = t * np.eye(n) - S - U >> 0
    problem = cp.Problem(cp.Minimize(t + k * s), [matrix, q <= s, -s <= q])

    def solve(S_value: Array, k_value: float, solver: str, eps: float) -> tuple[Vector, Vector]:
        S.value, k.value = S_value, float(k_value)
        _solve(problem, solver, eps)
        return np.asarray(matrix.dual_value), np.asarray(U.value)

    return solve


@lru_cache(maxsize=32)
def rectangular(m: int, n: int) -> Any:
    """Compile the dual of max Tr(A'X12), Tr X11 = Tr X22 = 1, ||Xij||_1 <= sqrt(ki kj).

    X is PSD of order m + n. Returns a function (A, k_u, k, solver, eps) -> X, U (m + n, m + n).
    """
    cp = modelling()
    A, k_u, k_v, k_uv = cp.Parameter((m, n)), *(cp.Parameter(nonneg=True) for _ in range(3))
    y, s = cp.Variable(2), cp.Variable(3)
    (q1, U1), (q2, U2), U12 = _symmetric(m), _symmetric(n), cp.Variable((m, n))
    U = cp.bmat([[U1, U12], [U12.T, U2]])
    C = cp.bmat([[np.zeros((m, m)), A / 2], [A.T / 2, np.zeros((n, n))]])
    first = np.diag(np.arange(m + n) < m).astype(float)
    matrix = y[0] * first + y[1] * (np.eye(m + n) - first) - C - U >> 0
    boxes = [b for i, q in enumerate((q1, q2, U12)) for b in (q <= s[i], -s[i] <= q)]
    problem = cp.Problem(
        cp.Minimize(cp.sum(y) + k_u * s[0] + k_v * s[1] + 2.0 * k_uv * s[2]), [matrix, *boxes]
    )

    def solve(
        A_value: Array, k_1: float, k_2: float, solver: str, eps: float
    ) -> tuple[Vector, Vector]:
        A.value = A_value
        k_u.value = float(k_1)
        k_v.value = float(k_2)
        k_uv.value = float(np.sqrt(k_1 * k_2))
        _solve(problem, solver, eps)
        return np.asarray(matrix.dual_value), np.asarray(U.value)

    return solve


def _symmetric(n: int) -> tuple[Any, Any]:
    """Return a variable with n (n + 1) / 2 entries, and the symmetric matrix (n, n) of them."""
    cp = modelling()
    rows, cols = np.triu_indices(n)
    index = np.arange(len(rows))
    ones = sp.coo_array((np.ones(len(rows)), (rows + n * cols, index)), shape=(n * n, len(rows)))
    off = rows != cols
    twins = sp.coo_array(
        (np.ones(off.sum()), (cols[off] + n * rows[off], index[off])), shape=ones.shape
    )
    q = cp.Variable(len(rows))
    return q, cp.reshape((ones + twins).tocsc() @ q, (n, n), order="F")


def _solve(problem: Any, solver: str, eps: float) -> None:
    with warnings.catch_warnings():  # an inaccurate answer shows up in the certified gap
        warnings.simplefilter("ignore", UserWarning)
        problem.solve(solver=solver, warm_start=False, **TIGHT[solver](eps))
    if problem.status not in ("optimal", "optimal_inaccurate"):
        raise RuntimeError(f"{solver} ended with status {problem.status!r}")


@lru_cache(maxsize=32)
def row_constrained(n: int) -> Any:
    """Compile max Tr(S X), Tr X = 1, X PSD, with constraints on the rows that k-sparse x satisfy.

    For row i, ||X_i||^2 <= X_ii z_i and ||X_i||_1^2 <= k X_ii z_i, where z is in [0, 1]^n with sum
    at most k. Returns a function (S, k, solver, eps) -> X (n, n), z (n,), U (n, n). The optimum
    equals lambda_max(S + U) plus the maximum of -Tr(U X) over the row constraints.
    """
    cp = modelling()
    S, k, root = cp.Parameter((n, n), symmetric=True), cp.Parameter(nonneg=True), cp.Parameter()
    (q, X), z, w = _symmetric(n), cp.Variable(n), cp.Variable(n)
    t = q[np.flatnonzero(np.equal(*np.triu_indices(n)))]  # the diagonal of X
    matrix, trace = X >> 0, cp.sum(t) == 1.0
    rows = [  # w_i^2 <= X_ii z_i
        cp.SOC(t + z, cp.vstack([2.0 * w, t - z]), axis=0),
        cp.norm(X, 2, axis=1) <= w,
        cp.norm(X, 1, axis=1) <= root * w,
    ]
    limits = [z >= 0.0, z <= 1.0, cp.sum(z) <= k]
    problem = cp.Problem(cp.Maximize(cp.trace(S @ X)), [matrix, trace, *rows, *limits])

    def solve(
        S_value: Array, k_value: float, solver: str, eps: float
    ) -> tuple[Vector, Vector, Vector]:
        S.value, k.value, root.value = S_value, float(k_value), float(np.sqrt(k_value))
        _solve(problem, solver, eps)
        y, P = abs(float(trace.dual_value)), np.asarray(matrix.dual_value)
        return np.asarray(X.value), np.asarray(z.value), y * np.eye(n) - S_value - (P + P.T) / 2

    return solve
