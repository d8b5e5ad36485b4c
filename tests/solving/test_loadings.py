"""Several loadings: measures, and bounds above everything that brute force finds."""

from itertools import combinations

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.methods.exact_search.dual_certificate import Shape, dual_value
from spcabench.solving import joint_bounds
from spcabench.solving.formulations import Formulation, fault
from spcabench.solving.joint_bounds import joint_bound
from spcabench.solving.measures import held_out, measures, recovery
from tests import problems

SEEDS = pytest.mark.parametrize("seed", problems.some(3, range(6)))


def _covariance(seed, n=7):
    """Return a covariance of full rank, of rank two, or with equal blocks that tie."""
    name = ("spiked", "rank_deficient", "equal_blocks")[seed % 3]
    A = (problems.DRAWS | problems.HARD)[name](np.random.default_rng(seed), 2 * n, n)
    return A.T @ A


def _top(S, W, r=1):
    return np.linalg.eigvalsh(S[np.ix_(W, W)])[::-1][:r].sum()


def _best_common(S, r, k):
    """Return the largest total of r loadings on the same k variables."""
    return max(_top(S, W, r) for W in combinations(range(len(S)), min(k, len(S))))


def _best_disjoint(S, r, k, left=None):
    """Return the largest total of r loadings on disjoint supports of 1 to k of the variables
    left.
    """
    left = range(len(S)) if left is None else left
    if r == 0:
        return 0.0
    sizes = range(1, min(k, len(left) - r + 1) + 1)
    return max(
        _top(S, W) + _best_disjoint(S, r - 1, k, [i for i in left if i not in W])
        for size in sizes
        for W in combinations(left, size)
    )


def _best_orthonormal(S, k):
    """Return a large total of two orthogonal loadings with k nonzeros: one pair of each pair of
    supports.
    """
    n, totals = len(S), []
    for W in combinations(range(n), k):
        x = np.zeros(n)
        x[list(W)] = np.linalg.eigh(S[np.ix_(W, W)])[1][:, -1]
        for V in combinations(range(n), k):
            y = x[list(V)]
            basis = np.linalg.svd(y[None, :])[2][1 if y.any() else 0 :]  # orthogonal to x on V
            if len(basis):
                B = basis @ S[np.ix_(V, V)] @ basis.T
                totals.append(x @ S @ x + np.linalg.eigvalsh(B)[-1])
    return max(*totals, _best_disjoint(S, 2, k))


@SEEDS
def test_no_joint_bound_is_below_the_optimum_or_above_the_simple_ones(seed, monkeypatch):
    monkeypatch.setattr(joint_bounds, "LARGEST_DUAL", 7 if seed < 2 else 6)  # the others only
    S = _covariance(seed)
    problem, slack = Problem.from_covariance(S), 1e-12 * np.trace(S)
    eigenvalues = np.linalg.eigvalsh(S)[-2:].sum()
    variances = np.sort(S.diagonal())[::-1].cumsum()
    for k in (1, 3):
        for formulation, best, most in [
            (Formulation.COMMON, _best_common(S, 2, k), k),
            (Formulation.DISJOINT, _best_disjoint(S, 2, k), 2 * k),
            (Formulation.ORTHONORMAL, _best_orthonormal(S, k), 7),
            (Formulation.DEFLATION, _best_common(S, 2, 2 * k), 2 * k),
            (Formulation.PENALISED, _best_common(S, 2, 2 * k), 2 * k),
        ]:
            bound, source = joint_bound(problem, formulation, 2, k)
            assert bound >= best - slack, (formulation, source)
            simple = min(eigenvalues, variances[most - 1])
            if formulation in (Formulation.DISJOINT, Formulation.ORTHONORMAL):
                simple = min(simple, 2.0 * _best_common(S, 1, k) * 1.2)
            assert bound <= simple * (1.0 + 1e-8), (formulation, source)
            by_source = joint_bounds.joint_bounds(problem, formulation, 2, k)
            assert seed < 2 or "dual" not in by_source
            orthonormal = formulation == Formulation.ORTHONORMAL
            assert ("largest variances" in by_source) != orthonormal


def test_of_large_data_the_spectrum_is_that_of_the_smaller_side(monkeypatch):
    X = np.random.default_rng(0).standard_normal((4, 9))
    problem = Problem.from_data(X, divisor="1")
    w = np.linalg.eigvalsh(np.cov(X.T) * 3.0)[::-1]
    for largest, expected in ((4, w[:2].sum()), (3, 2.0 * w[0])):
        monkeypatch.setattr(joint_bounds, "LARGEST_SPECTRUM", largest)
        problem._cache.clear()
        (value,) = joint_bounds._spectrum(problem, 2).values()
        assert value == pytest.approx(expected, rel=2e-9) and value >= expected


@SEEDS
@pytest.mark.parametrize("spread", [0.01, 100.0])
def test_every_matrix_certifies(seed, spread):
    rng = np.random.default_rng(seed)
    S, k = _covariance(seed, 6), 2
    U = rng.standard_normal(S.shape) * spread * np.abs(S).max() + rng.integers(0, 2) * S
    assert dual_value(S, U, Shape.common(6, 2, k)) >= _best_common(S, 2, k)
    assert dual_value(S, U, Shape.disjoint(6, 2, k)) >= _best_disjoint(S, 2, k)
    assert dual_value(S, U, Shape.each(6, 2, k)) >= _best_orthonormal(S, k)


@SEEDS
def test_measures_are_what_the_data_say(seed):
    """Each is computed by another formula than the code's: projections, QR, or least squares."""
    rng = np.random.default_rng(seed)
    X, other = (rng.standard_normal((30, 8)) * rng.uniform(0.5, 2.0, 8) for _ in range(2))
    X, other = (A - A.mean(axis=0) for A in (X, other))
    Z = rng.standard_normal((8, 3)) * (rng.random((8, 3)) < 0.6)
    Z[:3] += np.eye(3)
    Z /= np.linalg.norm(Z, axis=0)
    problem = Problem.from_data(X, divisor="1")
    measured = measures(problem, Z)
    T, used = X @ Z, Z != 0.0
    Q = np.linalg.qr(Z)[0]
    P = np.linalg.lstsq(T, X, rcond=None)[0]
    assert measured.total == pytest.approx((T * T).sum())
    assert measured.all == pytest.approx((X * X).sum())
    assert measured.violation == pytest.approx(np.abs(Z.T @ Z - np.eye(3)).sum())
    assert measured.projected == pytest.approx(((X @ Q) ** 2).sum())
    assert measured.adjusted == pytest.approx((np.diag(np.linalg.qr(T)[1]) ** 2).sum())
    assert measured.regression == pytest.approx(((T @ P) ** 2).sum())
    correlations = np.abs(np.corrcoef(T.T) - np.eye(3))
    assert measured.correlation == pytest.approx(correlations.max(), rel=1e-6)
    assert (measured.nonzeros, measured.union) == (used.sum(), used.any(axis=1).sum())
    pairs = [(used[:, i], used[:, j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert measured.overlap == pytest.approx(
        np.mean([(a & b).sum() / (a | b).sum() for a, b in pairs])
    )
    out, total = held_out(problem, Problem.from_data(other), Z), (other**2).sum()
    assert out.regression == pytest.approx(1.0 - ((other - other @ Z @ P) ** 2).sum() / total)
    assert out.projected == pytest.approx(((other @ Q) ** 2).sum() / total)
    added = np.diag(np.linalg.qr(other @ Z)[1]) ** 2
    assert out.adjusted == pytest.approx(added.sum() / total)
    one = measures(problem, Z[:, :1])
    assert (one.overlap, one.correlation) == (0.0, 0.0)


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


@pytest.mark.parametrize("seed", problems.some(1, range(6)))
@pytest.mark.parametrize("r, k", [(2, 1), (2, 3), (3, 2), (4, 2)])
def test_the_exact_search_finds_the_best_disjoint_supports(seed, r, k):
    S = _covariance(seed)
    problem = Problem.from_covariance(S)
    components = api.solve(problem, "disjoint_supports", n_components=r, k=k, deflation="joint")
    best = _best_disjoint(S, r, k)
    assert components.measures.total == pytest.approx(best, rel=1e-9)
    assert fault(components.Z, Formulation.DISJOINT, k) == ""
    assert components.measures.total <= components.joint_bound
