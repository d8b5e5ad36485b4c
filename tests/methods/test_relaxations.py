"""The semidefinite relaxation: solvers agree within their certificates; bounds exceed brute
force.
"""

from itertools import combinations, product

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.figures._zhang2011 import penalty
from spcabench.iterate import as_matrix
from spcabench.methods import block_ascent, relaxation, smoothing
from spcabench.problem import spectral
from spcabench.solving import certify
from spcabench.solving.call import arguments
from tests import problems

# solver -> penalty, settings of a short run
SOLVERS = {
    "dspca": ("rho", {"max_iterations": 300}),
    "dspca_subgradient": ("rho", {"max_iterations": 60}),
    "bca": ("lam", {}),
    "bca_continuation": ("lam", {"tol": 1e-5}),
    "exact_sdp": ("rho", {}),
}
SHARES = (0.0, 1e-3, 0.03, 0.1, 0.3, 0.6, 0.9, 0.99)


def _problem(seed):
    rng = np.random.default_rng([seed, 4])
    n = int(rng.integers(2, 21 if seed % 5 == 0 else 11))
    draw = [*problems.DRAWS.values()][seed % len(problems.DRAWS)]
    X = draw(rng, int(rng.integers(2, 20)), n)
    return Problem.from_covariance(X.T @ X), SHARES[seed % len(SHARES)]


def _interval(problem, which, share, **settings):
    name, run = SOLVERS[which]
    top = float(problem.matrix.S.diagonal().max())
    result = api.solve(problem, which, **arguments({name: share * top, **dict(run), **settings}))
    assert result.good
    return result


@pytest.mark.parametrize("seed", problems.some(15, range(40)))
def test_the_solvers_agree_within_their_certified_gaps_and_no_bound_is_below_brute_force(seed):
    problem, share = _problem(seed)
    S, n = problem.matrix.S, problem.n
    runs = {s: _interval(problem, s, share) for s in SOLVERS}
    runs |= {f"{s} whole": _interval(problem, s, share, screen=False) for s in SOLVERS}
    runs["clarabel"] = _interval(problem, "exact_sdp", share, solver="CLARABEL")
    low = max(r.relaxation_value for r in runs.values())
    high = min(r.relaxation_bound for r in runs.values())
    unit = float(S.diagonal().max())
    ends = {name: (run.relaxation_value, run.relaxation_bound) for name, run in runs.items()}
    assert low <= high + 1e-10 * unit, ends
    assert high - low <= 1e-6 * unit  # the exact ones are among them
    assert runs["clarabel"].relaxation_bound - runs["clarabel"].relaxation_value <= 1e-7 * unit
    best = [problems.optimum(S, k) for k in range(1, n + 1)] if n <= 10 else []
    for result in runs.values() if best else ():
        U = as_matrix(result.U)
        assert all(certify.sparse_bound(problem, U, k) >= best[k - 1] for k in range(1, n + 1))
        assert result.bound >= best[result.cardinality - 1]


@pytest.mark.parametrize("seed", problems.some(3, range(1, 8)))
@pytest.mark.parametrize("solver", ["dspca", "dspca_subgradient", "bca", "bca_continuation"])
def test_no_dual_iterate_has_a_better_bound_than_the_last(solver, seed, monkeypatch):
    problem, share = _problem(seed)
    duals, best = [], relaxation.best

    def spy(pairs):
        duals.append(pairs[-1].U)
        return best(pairs)

    monkeypatch.setattr(relaxation, "best", spy)
    result = _interval(problem, solver, share, screen=False)
    S, k = problem.matrix.S, result.cardinality
    P = S[np.ix_(*2 * [np.argsort(-S.diagonal(), kind="stable")])]
    own = [np.linalg.eigvalsh(P + U)[-1] + k * np.abs(U).max() for U in duals if len(U) == len(S)]
    assert result.bound <= min(own, default=np.inf) * (1 + 1e-4)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("screen", [True, False])
def test_beyond_the_largest_variance_the_answer_is_that_variable(solver, screen):
    problem, _ = _problem(3)
    d = problem.matrix.S.diagonal()
    for share in (1.0, 1.5):
        result = _interval(problem, solver, share, screen=screen)
        assert list(result.support) == [int(np.argmax(d))]
        assert result.relaxation_value == pytest.approx(d.max() * (1 - share), abs=1e-9 * d.max())
        assert result.relaxation_bound == pytest.approx(d.max() * (1 - share), abs=1e-3 * d.max())


def test_the_certificate_is_recomputed_from_feasible_matrices():
    problem, _ = _problem(1)
    S, n = problem.matrix.S, problem.n
    rng = np.random.default_rng(0)
    X, U = rng.standard_normal((n, n)), 100.0 * rng.standard_normal((n, n))
    low, high = certify.certified(problem, X, U, 0.1, None)
    exact = api.solve(problem, "exact_sdp", settings={"rho": 0.1})
    assert low <= exact.relaxation_bound + 1e-12
    assert high >= exact.relaxation_value - 1e-12
    Z = certify.within(certify.nearest_density(X), 1.5)
    assert np.abs(Z).sum() <= 1.5 + 1e-12
    assert np.trace(Z) == pytest.approx(1.0)
    assert np.linalg.eigvalsh(Z)[0] >= -1e-12
    assert relaxation.value(S, Z, 0.0) == pytest.approx(np.trace(S @ Z))


@pytest.mark.parametrize("seed", problems.some(4, range(10)))
def test_the_constrained_forms_agree_and_bound_every_k_sparse_vector(seed):
    problem, _ = _problem(seed)
    scaled = Problem.from_covariance(1e-8 * problem.matrix.S)
    for k in {1, min(2 + seed % 3, problem.n)}:
        first, again = (api.solve(p, "dspca_constrained", k=k) for p in (problem, scaled))
        name, solvers = "exact_sdp_constrained", ("SCS", "CLARABEL")
        exact = [problems.solve(problem, name, k, solver=solver) for solver in solvers]
        results = [first, *exact]
        unit = 1e-9 * first.relaxation_bound
        low = max(result.relaxation_value for result in results)
        assert low <= min(result.relaxation_bound for result in results) + unit
        assert first.relaxation_gap <= 1e-3
        assert all(result.relaxation_gap <= 1e-6 for result in exact)
        assert 1e8 * again.relaxation_value == pytest.approx(first.relaxation_value, rel=1e-6)
        best = problems.optimum(problem.matrix.S, k)
        assert all(result.variance <= best * (1 + 1e-9) for result in results)
        assert all(result.bound >= best for result in results)


@pytest.mark.parametrize(("m", "n", "k_u", "k"), [(3, 4, 2, 2), (5, 4, 1, 3), (4, 4, 4, 4)])
def test_the_rectangular_form_bounds_every_sparse_pair(m, n, k_u, k):
    A = np.random.default_rng(0).standard_normal((m, n))
    problem = Problem.from_data(A, center=False, divisor="1")
    result = problems.solve(problem, "exact_sdp_rectangular", k, k_u=k_u)
    pairs = product(combinations(range(m), k_u), combinations(range(n), k))
    best = max(np.linalg.svd(A[np.ix_(R, C)])[1][0] for R, C in pairs)
    assert result.singular_value <= best * (1 + 1e-9)
    assert result.relaxation_bound >= best * (1 - 1e-9)
    assert result.relaxation_gap <= 1e-5


@pytest.mark.parametrize(("some", "accuracy"), [("partial", 1e-5), ("auto", 1e-8)])
def test_a_part_of_the_eigenvalues_changes_no_answer(some, accuracy, monkeypatch):
    monkeypatch.setattr(smoothing, "LARGE", 50)
    problem = api.load("spiked", n=60, m=400)
    rho = 0.15 * float(problem.matrix.S.diagonal().max())
    settings = dict(rho=rho, screen=False, max_iterations=60)
    full, part = (
        api.solve(problem, "dspca", **arguments({**settings, "eigenvalues": e}))
        for e in ("full", some)
    )
    assert part.relaxation_value == pytest.approx(full.relaxation_value, rel=accuracy)
    assert part.relaxation_bound == pytest.approx(full.relaxation_bound, rel=accuracy)


def test_loose_box_qps_reach_the_same_gap_for_fewer_flops():
    problem = api.load("spiked", n=60, seed=5).given_as("covariance")
    goal = dict(lam=penalty("spiked", 60), screen=False, K=300, stop="gap", tol=1e-2)
    tight = api.solve(problem, "bca", **arguments(goal))
    loose = api.solve(problem, "bca", **arguments({**goal, "inner": "loose", "eps": 5e-3}))
    assert tight.status == loose.status == "converged"
    assert loose.relaxation_value <= tight.relaxation_bound
    assert tight.relaxation_value <= loose.relaxation_bound
    assert loose.cost.flops < tight.cost.flops / 2


@pytest.mark.parametrize("guess", [1, 3, 4])
def test_all_eigenpairs_within_the_width_are_found(guess):
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((50, 50)))[0]
    d = np.r_[np.zeros(46), 0.9, 0.95, 1.0, 1.0]
    w, V = spectral.part_eigen((Q * d) @ Q.T, 0.08, guess)
    assert w[-3:] == pytest.approx(d[-3:]) and w[0] < 0.92
    assert np.abs((Q * d) @ Q.T @ V - V * w).max() < 1e-12


@pytest.mark.parametrize("seed", range(2))
def test_the_limit_of_block_coordinate_ascent_is_optimal(seed):
    X = np.random.default_rng(seed).standard_normal((9, 5))
    S, eps, n = X @ X.T, 0.05, len(X)
    S /= S.diagonal().max()
    lam, beta = 0.2 * np.abs(S).max(), eps / n
    Z, V = block_ascent.identity_start(S, lam)
    for _ in range(500):
        block_ascent.sweep(S, Z, V, lam, beta, 1000, 1e-13)

    def dual(X):
        return np.trace(X) * np.eye(n) - beta * np.linalg.inv(X) - S

    def residual(X):
        """Return the largest violation of the optimality conditions of problem (6)."""
        return np.abs(dual(X) + np.clip(X - dual(X), -lam, lam)).max()

    off = ~np.eye(n, dtype=bool)
    assert np.abs((V - S - dual(Z))[off]).max() < 1e-3
    assert (np.abs(V - S)[off] <= lam * (1 + 1e-12)).all()
    assert residual(Z) < 1e-6 * lam < residual(Z + 1e-3 * np.eye(n))
    # and it is eps-suboptimal for problem (5), whose optimum is half of the squared relaxation's
    settings = {"rho": lam, "solver": "CLARABEL"}
    exact = api.solve(Problem.from_covariance(S), "exact_sdp", settings=settings)
    reached = relaxation.value(S, Z, lam) - np.trace(Z) ** 2 / 2
    assert exact.relaxation_value**2 / 2 - reached <= eps + 1e-5
