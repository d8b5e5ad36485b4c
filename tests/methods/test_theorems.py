"""What the papers prove about their algorithms is true of our code."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from spcabench import api
from spcabench.methods import block_ascent, relaxation
from spcabench.solving.call import Limits


def covariance(seed, m, n):
    """Return a positive semidefinite matrix X'X, where X (m, n) is Gaussian."""
    X = np.random.default_rng(seed).standard_normal((m, n))
    return X.T @ X


@pytest.mark.parametrize("d", [1, 2, 3])
def test_algorithm_1_meets_no_more_supports_and_takes_no_more_flops_than_are_counted(d):
    for n, k in ((10, 4), (16, 2), (16, 8)):
        problem = api.load("gaussian", m=2 * n, n=n, seed=n)
        result = api.solve(problem, "spannogram_exact", k=k, nonnegative=True, settings={"d": d})
        assert 1 <= result.extra["candidates"] <= 2**d * comb(n + 1, d)
        # the running time of Theorem 1, with the constant one
        assert 0 < result.cost.flops <= n ** (d + 1) + n**d * k**d


@pytest.mark.parametrize("shape", [(20, 20), (20, 320), (40, 40)])
def test_a_step_of_the_sparse_svd_costs_what_its_smaller_side_costs(shape):
    problem = api.load("gaussian", m=shape[0], n=shape[1], seed=0)
    result = api.solve(
        problem,
        "ssvd_grqi",
        k=shape[1],
        limits=Limits(max_iterations=3),
        settings={"k_u": shape[0], "J": 0},
    )
    p, q = min(shape), max(shape)
    assert result.cost.flops / result.iterations <= 3 * (p**2 * q + p**3)


def test_mcol_pca_takes_one_cth_of_the_flops_of_scol_pca():
    problem = api.load("random_sparse", m=200, n=200, density=0.2, seed=0).given_as("data")
    scol, mcol = (
        api.solve(problem, name, k=100).cost.phases["columns"] for name in ("scol", "mcol")
    )
    assert mcol["flops"] * 10 <= 1.25 * scol["flops"]


@pytest.mark.parametrize("eps", [1.0, 1e-2])
def test_the_smoothed_dual_is_between_the_dual_and_half_of_eps_below_it(eps):
    S, rng = covariance(0, 6, 6), np.random.default_rng(1)
    mu = eps / (2 * np.log(6))
    for U in rng.uniform(-1, 1, (20, 6, 6)):
        w = np.linalg.eigvalsh(S + (U + U.T) / 2)
        smooth = w[-1] + mu * np.log(np.exp((w - w[-1]) / mu).sum()) - mu * np.log(6)
        assert 0 <= w[-1] - smooth <= eps / 2 * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_limit_of_block_coordinate_ascent_is_optimal(seed):
    S, eps = covariance(seed, 9, 5) / 9, 0.05
    S, n = S / S.diagonal().max(), len(S)
    lam, beta = 0.2 * np.abs(S).max(), eps / n
    X, V = block_ascent.identity_start(S, lam)
    for _ in range(500):
        block_ascent.sweep(S, X, V, lam, beta, 1000, 1e-13)

    def residual(Z):
        """Return the largest violation of the optimality conditions of problem (6)."""
        U = np.trace(Z) * np.eye(n) - beta * np.linalg.inv(Z) - S
        return np.abs(U + np.clip(Z - U, -lam, lam)).max()

    assert residual(X) < 1e-6 * lam < residual(X + 1e-3 * np.eye(n))
    # and it is eps-suboptimal for problem (5), whose optimum is half of the squared relaxation's
    exact = api.solve(
        api.Problem.from_covariance(S), "exact_sdp", settings={"rho": lam, "solver": "CLARABEL"}
    )
    reached = relaxation.value(S, X, lam) - np.trace(X) ** 2 / 2
    assert exact.relaxation_value**2 / 2 - reached <= eps + 1e-5


@pytest.mark.parametrize("seed", range(6))
def test_the_l0_problem_is_a_maximum_over_directions(seed):
    S, rng = covariance(seed, 2, 5), np.random.default_rng(seed)
    lam = rng.uniform(S.diagonal().min(), S.diagonal().max())
    best = max(
        np.linalg.eigvalsh(S[np.ix_(W, W)])[-1] - lam * size
        for size in range(1, 6)
        for W in combinations(range(5), size)
    )
    # of rank two, so that xi is an angle
    w, V = np.linalg.eigh(S)
    A = np.sqrt(w[-2:])[:, None] * V.T[-2:]
    angle = np.linspace(0, np.pi, 200_001)
    sums = sum(np.maximum((a[0] * np.cos(angle) + a[1] * np.sin(angle)) ** 2 - lam, 0) for a in A.T)
    assert sums.max() == pytest.approx(max(best, 0), rel=1e-6, abs=1e-9)
