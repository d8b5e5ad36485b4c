"""Several loadings: formulations, measures, and bounds above everything that brute force finds."""

from itertools import combinations

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.methods.exact_search.dual_certificate import Shape, dual_value
from spcabench.solving.formulations import Formulation, fault
from spcabench.solving.joint_bounds import joint_bound
from spcabench.solving.measures import held_out, measures, recovery
from tests import problems

SEEDS = pytest.mark.parametrize("seed", problems.some(2, range(6)))
ONE = pytest.mark.parametrize("seed", problems.some(1, range(6)))  # of what takes a second


def _covariance(seed, n=7):
    """Return a covariance of full rank, of rank two, or with two equal blocks that tie."""
    rng = np.random.default_rng(seed)
    if seed % 3 == 1:
        A = rng.standard_normal((2, n))
    elif seed % 3 == 2:
        B = rng.integers(-2, 3, (4, n // 2 + 1)) + 0.0
        A = np.kron(np.eye(2), B)[:, :n]
    else:
        A = rng.standard_normal((2 * n, n)) * rng.uniform(0.5, 2.0, n)
    return A.T @ A


def _top(S, W, r=1):
    return np.linalg.eigvalsh(S[np.ix_(W, W)])[::-1][:r].sum()


def _best_disjoint(S, k):
    """Return the largest total of two loadings on disjoint supports of k."""
    n = range(len(S))
    return max(
        _top(S, W) + _top(S, V)
        for W in combinations(n, k)
        for V in combinations([i for i in n if i not in W], min(k, len(S) - k))
    )


def _orthonormal_pairs(S, k):
    """Yield totals of orthogonal loadings with k nonzeros, one pair for each pair of supports."""
    n = len(S)
    for W in combinations(range(n), k):
        x = np.zeros(n)
        x[list(W)] = np.linalg.eigh(S[np.ix_(W, W)])[1][:, -1]
        for V in combinations(range(n), k):
            y = x[list(V)]
            basis = np.linalg.svd(y[None, :])[2][1 if y.any() else 0 :]  # orthogonal to x on V
            if len(basis):
                B = basis @ S[np.ix_(V, V)] @ basis.T
                yield x @ S @ x + np.linalg.eigvalsh(B)[-1]


@ONE
@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_joint_bound_is_below_the_optimum(seed, k):
    S = _covariance(seed)
    n = len(S)
    problem = Problem.from_covariance(S)
    common = max(_top(S, W, 2) for W in combinations(range(n), k))
    each = max(_orthonormal_pairs(S, k))
    slack = 1e-12 * np.trace(S)
    for formulation, best in [
        (Formulation.COMMON, common),
        (Formulation.DISJOINT, _best_disjoint(S, k)),
        (Formulation.ORTHONORMAL, max(each, _best_disjoint(S, k))),
        (Formulation.DEFLATION, max(_top(S, W, 2) for W in combinations(range(n), min(2 * k, n)))),
    ]:
        assert joint_bound(problem, formulation, 2, k)[0] >= best - slack, formulation


@SEEDS
@pytest.mark.parametrize("spread", [0.01, 1.0, 100.0])
def test_every_matrix_certifies(seed, spread):
    rng = np.random.default_rng(seed)
    S, k = _covariance(seed), 3
    U = rng.standard_normal(S.shape) * spread * np.abs(S).max() + rng.integers(0, 2) * S
    n = range(len(S))
    assert dual_value(S, U, Shape.common(7, 2, k)) >= max(_top(S, W, 2) for W in combinations(n, k))
    assert dual_value(S, U, Shape.disjoint(7, 2, k)) >= _best_disjoint(S, k)
    assert dual_value(S, U, Shape.each(7, 2, k)) >= max(_orthonormal_pairs(S, k))


@SEEDS
def test_measures_are_what_the_data_say(seed):
    """Each is computed by another formula than the code's: projections, QR, or least squares."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, 8)) * rng.uniform(0.5, 2.0, 8)
    X -= X.mean(axis=0)
    Z = rng.standard_normal((8, 3)) * (rng.random((8, 3)) < 0.6)
    Z[:3] += np.eye(3)
    Z /= np.linalg.norm(Z, axis=0)
    measured = measures(Problem.from_data(X, divisor="1"), Z)
    T = X @ Z
    Q = np.linalg.qr(Z)[0]
    P = np.linalg.lstsq(T, X, rcond=None)[0]
    assert measured.total == pytest.approx((T * T).sum())
    assert measured.projected == pytest.approx(((X @ Q) ** 2).sum())
    assert measured.adjusted == pytest.approx((np.diag(np.linalg.qr(T)[1]) ** 2).sum())
    assert measured.regression == pytest.approx(((T @ P) ** 2).sum())
    assert measured.correlation == pytest.approx(
        np.abs(np.corrcoef(T.T) - np.eye(3)).max(), rel=1e-6
    )
    assert measured.projected <= measured.regression * (1.0 + 1e-9) <= measured.all * (1.0 + 2e-9)
    out = held_out(Problem.from_data(X), Problem.from_data(X), Z)
    assert out.regression == pytest.approx(measured.regression / measured.all)
    assert out.projected == pytest.approx(measured.projected / measured.all)


@SEEDS
def test_measures_of_a_span_do_not_depend_on_order_or_sign(seed):
    rng = np.random.default_rng(seed)
    problem = Problem.from_covariance(_covariance(seed))
    Z = np.linalg.qr(rng.standard_normal((7, 3)))[0]
    Z[:, 0] = (Z[:, 0] + Z[:, 1]) / np.sqrt(2.0)
    forward, reversed_signs = measures(problem, Z), measures(problem, -Z[:, ::-1])
    for name in ("total", "violation", "projected", "regression", "union", "overlap"):
        assert getattr(forward, name) == pytest.approx(getattr(reversed_signs, name), abs=1e-12), (
            name
        )


def test_recovery_matches_loadings_whatever_their_order_and_sign():
    e = np.eye(6)
    truth = np.column_stack([(e[0] + e[1]) / np.sqrt(2.0), (e[2] + e[3]) / np.sqrt(2.0)])
    exact = recovery(-truth[:, ::-1], truth)
    assert exact.accuracy == 1.0 and exact.false == 0.0
    assert exact.subspace == pytest.approx(0.0, abs=1e-7)
    wrong = recovery(np.column_stack([e[4], truth[:, 0]]), truth)
    assert wrong.accuracy == 0.5
    assert wrong.false == pytest.approx(1.0 / 3.0)
    assert wrong.subspace == pytest.approx(1.0)


@ONE
@pytest.mark.parametrize("r, k", [(2, 1), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2)])
def test_the_exact_search_finds_the_best_disjoint_supports(seed, r, k):
    S = _covariance(seed)
    problem = Problem.from_covariance(S)
    components = api.solve(problem, "disjoint_supports", n_components=r, k=k, deflation="joint")
    best = _best_supports(S, r, k)
    assert components.measures.total == pytest.approx(best, rel=1e-9)
    assert fault(components.Z, Formulation.DISJOINT, k) == ""
    assert components.measures.total <= components.joint_bound


def _best_supports(S, r, k, left=None):
    """Return the largest total of r loadings on disjoint supports of 1 to k of the variables
    left.
    """
    left = range(len(S)) if left is None else left
    if r == 0:
        return 0.0
    sizes = range(1, min(k, len(left) - r + 1) + 1)
    return max(
        _top(S, W) + _best_supports(S, r - 1, k, [i for i in left if i not in W])
        for size in sizes
        for W in combinations(left, size)
    )
