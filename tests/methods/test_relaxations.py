"""The semidefinite relaxation: solvers agree within their certificates; bounds exceed brute
force.
"""

from itertools import combinations, product

import numpy as np
import pytest

from spcabench import Problem, api, registry
from spcabench.errors import InputError
from spcabench.figures._zhang2011 import penalty
from spcabench.iterate import as_matrix
from spcabench.methods import cvxpy_duals, relaxation, smoothing
from spcabench.problem import spectral
from spcabench.solving import certify
from spcabench.solving.call import arguments
from tests import problems
from tests.problems import some

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


@pytest.mark.parametrize("seed", problems.some(20, range(100)))
def test_the_solvers_agree_within_their_certified_gaps(seed):
    problem, share = _problem(seed)
    runs = {s: _interval(problem, s, share) for s in SOLVERS}
    runs |= {f"{s} whole": _interval(problem, s, share, screen=False) for s in SOLVERS}
    runs["clarabel"] = _interval(problem, "exact_sdp", share, solver="CLARABEL")
    low = max(r.relaxation_value for r in runs.values())
    high = min(r.relaxation_bound for r in runs.values())
    unit = float(problem.matrix.S.diagonal().max())
    ends = {name: (run.relaxation_value, run.relaxation_bound) for name, run in runs.items()}
    assert low <= high + 1e-10 * unit, ends
    assert high - low <= 1e-6 * unit  # the exact ones are among them
    assert runs["clarabel"].relaxation_bound - runs["clarabel"].relaxation_value <= 1e-7 * unit


SMALL = [seed for seed in range(20) if _problem(seed)[0].n <= 12]  # brute force takes long beyond


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", problems.some(5, SMALL))
def test_bounds_are_never_below_brute_force(solver, seed):
    problem, share = _problem(seed)
    result = _interval(problem, solver, share)
    U = as_matrix(result.U)
    for k in range(1, min(problem.n, 5) + 1):
        best = problems.optimum(problem.matrix.S, k)
        assert certify.sparse_bound(problem, U, k) >= best
    assert result.bound >= problems.optimum(problem.matrix.S, result.cardinality)


@pytest.mark.parametrize("seed", problems.some(5, range(1, 16)))
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


@pytest.mark.parametrize("factor", [1e-8, 1e8])
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", problems.some(4, range(12)))
def test_scaling_changes_no_relative_answer(solver, factor, seed):
    problem, share = _problem(seed)
    scaled = Problem.from_covariance(factor * problem.matrix.S)
    a, b = _interval(problem, solver, share), _interval(scaled, solver, share)
    tolerance = 1e-6 if solver == "exact_sdp" else 1e-9
    assert b.relaxation_value / factor == pytest.approx(a.relaxation_value, rel=tolerance)
    assert b.relaxation_bound / factor == pytest.approx(a.relaxation_bound, rel=tolerance)
    assert a.status == b.status


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


CASES = [(seed, k) for seed in range(6) for k in (1, 2, 4) if k <= _problem(seed)[0].n]


@pytest.mark.parametrize("solver", ["SCS", "CLARABEL"])
@pytest.mark.parametrize(("seed", "k"), CASES)
def test_the_constrained_form_bounds_every_k_sparse_vector(solver, seed, k):
    problem, _ = _problem(seed)
    result = api.solve(problem, "exact_sdp_constrained", k=k, settings={"solver": solver})
    best = problems.optimum(problem.matrix.S, k)
    assert result.variance <= best * (1 + 1e-9)
    assert result.bound >= best
    assert result.relaxation_value <= result.relaxation_bound
    assert result.relaxation_gap <= 1e-6


@pytest.mark.parametrize("k", some(1, [2, 3]))
@pytest.mark.parametrize("seed", some(2, range(6)))
def test_the_constrained_forms_agree_within_their_certified_gaps(seed, k):
    problem, _ = _problem(seed)
    k = min(k, problem.n)
    first, exact = (
        api.solve(problem, s, k=k) for s in ("dspca_constrained", "exact_sdp_constrained")
    )
    unit = 1e-9 * exact.relaxation_bound
    assert first.relaxation_value <= exact.relaxation_bound + unit
    assert exact.relaxation_value <= first.relaxation_bound + unit
    assert first.relaxation_gap <= 1e-3
    if problem.n <= 12:
        assert first.bound >= problems.optimum(problem.matrix.S, k)
    scaled = api.solve(Problem.from_covariance(1e-8 * problem.matrix.S), "dspca_constrained", k=k)
    assert 1e8 * scaled.relaxation_value == pytest.approx(first.relaxation_value, rel=1e-6)


@pytest.mark.parametrize("eps", [0.0, -1.0, 1e-300, 2.0, np.nan])
def test_the_constrained_form_refuses_an_accuracy_out_of_range(eps):
    problem, _ = _problem(0)
    with pytest.raises(InputError, match="it must be from 1e-12 to 1"):
        api.solve(problem, "dspca_constrained", k=2, settings={"eps": eps})


@pytest.mark.parametrize(("m", "n", "k_u", "k"), [(3, 4, 2, 2), (5, 4, 1, 3), (4, 4, 4, 4)])
def test_the_rectangular_form_bounds_every_sparse_pair(m, n, k_u, k):
    A = np.random.default_rng(0).standard_normal((m, n))
    result = api.solve(
        Problem.from_data(A, center=False, divisor="1"),
        "exact_sdp_rectangular",
        k=k,
        settings={"k_u": k_u},
    )
    pairs = product(combinations(range(m), k_u), combinations(range(n), k))
    best = max(np.linalg.svd(A[np.ix_(R, C)])[1][0] for R, C in pairs)
    assert result.singular_value <= best * (1 + 1e-9)
    assert result.relaxation_bound >= best * (1 - 1e-9)
    assert result.relaxation_gap <= 1e-5


def test_beyond_its_practical_size_the_exact_solver_refuses():
    S = np.full((130, 130), 0.5) + 0.5 * np.eye(130)
    with pytest.raises(ValueError, match=r"130 variables.*CLARABEL.*120.*memory 4\.\d GB"):
        api.solve(
            Problem.from_covariance(S), "exact_sdp", settings={"rho": 0.1, "solver": "CLARABEL"}
        )
    with pytest.raises(InputError, match="choose from 'SCS', 'CLARABEL'"):
        api.solve(Problem.from_covariance(S), "exact_sdp", settings={"rho": 0.1, "solver": "MOSEK"})
    assert cvxpy_duals.memory("CLARABEL", 100) == pytest.approx(1.4e9, rel=0.3)  # as measured
    assert not registry.module("solver", "exact_sdp").COUNTED


@pytest.mark.parametrize(("some", "accuracy"), [("partial", 1e-5), ("auto", 1e-8)])
def test_a_part_of_the_eigenvalues_changes_no_answer(some, accuracy, monkeypatch):
    monkeypatch.setattr(smoothing, "LARGE", 50)
    problem = api.load("spiked", n=60, m=400)
    settings = dict(rho=0.15 * float(problem.matrix.S.diagonal().max()), screen=False)
    full, part = (
        api.solve(
            problem, "dspca", **arguments({**settings, "max_iterations": 60, "eigenvalues": e})
        )
        for e in ("full", some)
    )
    assert part.relaxation_value == pytest.approx(full.relaxation_value, rel=accuracy)
    assert part.relaxation_bound == pytest.approx(full.relaxation_bound, rel=accuracy)
    with pytest.raises(InputError, match="'auto', 'full' or 'partial'"):
        api.solve(problem, "dspca", settings={"rho": 1.0, "eigenvalues": "some"})


@pytest.mark.parametrize(("family", "n", "seed"), [("spiked", 50, 300), ("gaussian", 50, 304)])
def test_continuation_goes_on_where_the_box_qps_were_solved_too_loosely(family, n, seed):
    size = dict(m=n, n=n) if family == "gaussian" else dict(n=n)
    problem = api.load(family, seed=seed, **size).given_as("covariance")
    lam = penalty(family, n)
    result = api.solve(problem, "bca_continuation", settings={"lam": lam, "screen": False})
    assert result.status == "converged"  # the first ended at a gap of 1.09e-3


@pytest.mark.parametrize("family", ["gaussian", "spiked"])
def test_loose_box_qps_reach_the_same_gap_for_fewer_flops(family):
    size = dict(m=60, n=60) if family == "gaussian" else dict(n=60)
    problem = api.load(family, seed=5, **size).given_as("covariance")
    goal = dict(lam=penalty(family, 60), screen=False, K=300, stop="gap", tol=1e-2)
    tight = api.solve(problem, "bca", **arguments(goal))
    loose = api.solve(problem, "bca", **arguments({**goal, "inner": "loose", "eps": 5e-3}))
    assert tight.status == loose.status == "converged"
    assert loose.relaxation_value <= tight.relaxation_bound
    assert tight.relaxation_value <= loose.relaxation_bound
    assert loose.cost.flops < tight.cost.flops / 2
    with pytest.raises(InputError, match="'tight' or 'loose'"):
        api.solve(problem, "bca", settings={"lam": 1.0, "inner": "some"})


@pytest.mark.parametrize("guess", [1, 3, 4])
def test_all_eigenpairs_within_the_width_are_found(guess):
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((50, 50)))[0]
    d = np.r_[np.zeros(46), 0.9, 0.95, 1.0, 1.0]
    w, V = spectral.part_eigen((Q * d) @ Q.T, 0.08, guess)
    assert w[-3:] == pytest.approx(d[-3:]) and w[0] < 0.92
    assert np.abs((Q * d) @ Q.T @ V - V * w).max() < 1e-12
