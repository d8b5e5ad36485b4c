"""Recent solvers: results that their papers prove or show, on small problems."""

from itertools import combinations

import numpy as np
import pytest

from spcabench import Problem, api, registry
from spcabench.errors import InputError
from spcabench.solving.call import Limits, arguments
from spcabench.steps import polar, stiefel_gradient
from tests import problems


def adversarial(family, **settings):
    problem = api.load("adversarial", family=family, **settings)
    return problem, len(problem.provenance["support"])


def found(problem, solver, k, **settings):
    """Return the fraction of the true support that a solver finds."""
    support = api.solve(problem, solver, k=k, **arguments(settings)).support
    return len(set(support) & set(problem.provenance["support"])) / k


def gaussian(seed, n=8):
    X = np.random.default_rng(seed).standard_normal((12, n))
    return Problem.from_covariance(X.T @ X)


def spiked(count, strength, seed, m=400, n=60):
    return api.load("spiked_samples", m=m, n=n, count=count, strength=strength, seed=seed)


# the families on which simple methods fail


@pytest.mark.parametrize("family", ["diagonal", "covariance", "greedy", "deflation"])
@pytest.mark.parametrize("s", [4, 8])
def test_the_leading_eigenvector_of_a_published_family_is_the_planted_one_and_rtpm_finds_it(
    family, s
):
    problem, k = adversarial(family, s=s, n=3 * s + 4)
    w, V = np.linalg.eigh(problem.matrix.S)
    support = problem.provenance["support"]
    assert np.flatnonzero(np.abs(V[:, -1]) > 1e-9).tolist() == support
    assert np.allclose(np.abs(V[support, -1]), 1.0 / np.sqrt(k))
    assert w[0] > -1e-12 and w[-2] <= 0.9 * w[-1] + 1e-12
    assert (api.solve(problem, "rtpm", k=k).x @ V[:, -1]) ** 2 == pytest.approx(1.0)


@pytest.mark.parametrize("s", [3, 8])
def test_thresholding_misses_its_families(s):
    problem, k = adversarial("diagonal", s=s)
    assert found(problem, "diagonal_thresholding", k) == 0.0
    problem, k = adversarial("covariance", s=s + 2)
    tau = 0.5 / (s + 2)  # where the covariances of the optimum vanish
    assert api.solve(problem, "covariance_thresholding", k=k, settings={"tau": tau}).variance < 0.9


@pytest.mark.parametrize("family", ["equal", "negative", "tied"])
def test_the_other_families_have_the_optimum_that_they_say(family):
    problem, k = adversarial(family, s=4)
    S, support = problem.matrix.S, problem.provenance["support"]
    values = [np.linalg.eigvalsh(S[np.ix_(W, W)])[-1] for W in combinations(range(len(S)), k)]
    best = np.linalg.eigvalsh(S[np.ix_(support, support)])[-1]
    assert best == pytest.approx(max(values), rel=1e-12)
    ties = sum(v > best * (1 - 1e-5) for v in values)
    assert ties == {"equal": 2, "negative": 1, "tied": 4}[family]


# combinatorial methods


@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_searches_from_all_starts_are_as_good_as_those_that_they_contain(seed):
    problem = gaussian(seed)
    values = [
        api.solve(problem, "greedy_anytime", k=3, settings={"k_star": size}).variance
        for size in range(4)
    ]
    first, best, all_subsets, restarted = (
        api.solve(problem, solver, k=3).variance
        for solver in ("diagonal_thresholding", "brute_force", "spcavrp", "rtpm")
    )
    assert values == sorted(values)
    assert (values[0], values[3], all_subsets) == pytest.approx((first, best, best))
    for start in np.eye(problem.n):
        one = api.solve(problem, "tpower", k=3, settings={"start": start}).variance
        assert restarted >= one * (1 - 1e-6)


@pytest.mark.parametrize("bulk", [False, True])
@pytest.mark.parametrize("size", [1, 2])
def test_greedy_anytime_extends_a_seed_by_the_largest_sums_of_covariances(size, bulk):
    X = np.random.default_rng(size).standard_normal((12, 8))
    C, seeds = np.abs(X.T @ X), [*combinations(range(8), size)]
    found = registry.module("solver", "greedy_anytime").completed(C, np.array(seeds), 4, bulk)
    for W, seed in zip(found, seeds, strict=True):
        S = list(seed)
        while len(S) < 4:
            c = {i: C[i, S].sum() for i in range(8) if i not in S}
            S += sorted(c, key=lambda i: -c[i])[: 4 - len(S) if bulk else 1]
        assert sorted(S) == W.tolist()


@pytest.mark.parametrize(
    ("solver", "count", "strength", "settings"),
    [
        ("eespca", 6, 3.0, {}),
        ("itspca", 5, 4.0, {"thresholding": "hard"}),
        ("itspca", 5, 4.0, {"thresholding": "soft"}),
    ],
)
def test_a_strong_spike_is_recovered(solver, count, strength, settings):
    for seed in range(2):
        problem = spiked(count=count, strength=strength, seed=seed)
        assert found(problem, solver, count, **settings) == 1.0


def test_eespca_of_a_covariance_of_blocks_is_the_published_one():
    # Frost's vignette, section 0.6: squared loadings 0.2 for four variables, 0 for the others
    S = np.eye(10)
    S[:4, :4] = S[8:, 8:] = 0.5
    np.fill_diagonal(S, 1.0)
    x = api.solve(Problem.from_covariance(S), "eespca", k=10).x
    assert np.abs(x[:4]) == pytest.approx(0.5) and not x[4:].any()


# thresholding of covariances, and of an orthogonal iteration


def test_covariance_thresholding_beats_diagonal_thresholding_in_its_regime():
    # k of the order of sqrt(m), as many samples as variables (Deshpande, Montanari 2016)
    problems = [spiked(count=4, strength=1.0, seed=seed, m=200, n=200) for seed in range(4)]
    shares = {
        solver: np.mean([found(p, solver, 4) for p in problems])
        for solver in ("diagonal_thresholding", "covariance_thresholding")
    }
    assert shares["diagonal_thresholding"] < 0.6
    assert shares["covariance_thresholding"] > 0.9


# alternating minimisation over A and B, A'A = I


JOINT = {"amanpg": "lambda_1", "spca_variable_projection": "alpha"}


def factors(seed):
    """Return a problem of ten variables with two factors and noise, and its covariance (10, 10)."""
    rng = np.random.default_rng(seed)
    F = rng.standard_normal((400, 2)) * [3.0, 2.0]
    X = np.repeat(F, 5, axis=1) + 0.3 * rng.standard_normal((400, 10))
    problem = Problem.from_data(X, divisor="m")
    return problem, problem.given_as("covariance").matrix.S


@pytest.mark.parametrize("seed", problems.some(1, range(3)))
@pytest.mark.parametrize("solver", JOINT)
def test_without_a_penalty_the_eigenvectors_are_spanned_and_with_one_factors_are_found(
    solver, seed
):
    problem, S = factors(seed)
    w, V = np.linalg.eigh(S)
    share = 0.05 if solver == "spca_variable_projection" else 0.1 * w[-1]
    plain, sparse = (
        api.solve(problem, solver, **arguments({JOINT[solver]: penalty, "components": 2})).Z
        for penalty in (0.0, share)
    )
    assert np.linalg.svd(plain.T @ V[:, -2:])[1] == pytest.approx([1.0, 1.0], abs=1e-6)
    supports = sorted(tuple(np.flatnonzero(z)) for z in sparse.T)
    assert supports == [(0, 1, 2, 3, 4), (5, 6, 7, 8, 9)]


@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_a_step_on_the_stiefel_manifold_stays_there_and_descends(seed):
    rng = np.random.default_rng(seed)
    G, Q = rng.standard_normal((9, 3)), polar(rng.standard_normal((9, 3)))
    assert np.allclose(polar(G).T @ polar(G), np.eye(3))
    assert np.linalg.norm(G - polar(G)) <= np.linalg.norm(G - Q)  # the nearest of them
    A, SB = Q, rng.standard_normal((9, 3))
    new, _ = registry.module("solver", "amanpg").retracted(A, SB, 1.0)
    assert np.allclose(new.T @ new, np.eye(3))
    assert (new * SB).sum() > (A * SB).sum()
    D = stiefel_gradient(SB, A)
    assert np.allclose(A.T @ D + D.T @ A, 0.0)  # a tangent


# relaxations


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("seed", problems.some(1, range(3)))
def test_fps_of_one_component_is_the_problem_of_dspca(seed, share):
    problem = gaussian(seed)
    lam = share * problem.matrix.S.diagonal().max()
    runs = [
        api.solve(
            problem, "fps", limits=Limits(max_iterations=5000), settings={"lam": lam, "eps": 1e-7}
        ),
        api.solve(problem, "exact_sdp", settings={"rho": lam}),
        api.solve(problem, "dspca", settings={"rho": lam}),
    ]
    assert all(a.relaxation_value <= b.relaxation_bound + 1e-6 for a in runs for b in runs)
    assert runs[0].relaxation_gap < 1e-4


@pytest.mark.parametrize("d", [1, 2.5, 4])
@pytest.mark.parametrize("seed", problems.some(1, range(3)))
def test_the_projection_onto_the_fantope_is_the_nearest_point(seed, d):
    rng = np.random.default_rng(seed)
    fantope = registry.module("solver", "fps").fantope
    w = 3.0 * rng.standard_normal(7)
    nearest = fantope(w, d)
    assert nearest.sum() == pytest.approx(d) and nearest.min() >= 0.0 and nearest.max() <= 1.0
    for other in (fantope(3.0 * rng.standard_normal(7), d) for _ in range(20)):
        assert (w - nearest) @ (other - nearest) <= 1e-9


@pytest.mark.parametrize("solver", ["CLARABEL", "SCS"])
def test_the_value_of_the_strong_relaxation_is_an_upper_bound(solver):
    problem = gaussian(0, 7)
    for k in (1, 3, 7):
        relaxed = api.solve(problem, "relax_and_round", k=k, settings={"solver": solver})
        best = problems.optimum(problem.matrix.S, k)
        weak = api.solve(problem, "exact_sdp_constrained", k=k).relaxation_bound
        unit = 1e-5 * best
        assert relaxed.variance <= best + unit <= relaxed.extra["objective"] + 2 * unit
        assert relaxed.extra["objective"] <= weak + unit
        assert relaxed.bound >= best and relaxed.claim.bound >= best


# the examples of R packages


@pytest.mark.parametrize(
    ("seed", "first"),
    [  # as R prints them: set.seed(1), (42), and (10) in amanpg's vignette
        (1, [-0.6264538, 0.1836433, -0.8356286, 1.5952808, 0.3295078]),
        (42, [1.37095845, -0.56469817, 0.36312841]),
        (10, [0.0187462, -0.1842525, -1.3713305, -0.5991677, 0.2945451]),
    ],
)
def test_normal_numbers_are_those_of_r(seed, first):
    drawn = registry.module("dataset", "r_examples").rnorm(seed, len(first))
    assert drawn == pytest.approx(first, abs=5e-8)


def test_the_example_of_eespca_has_the_published_eigenvalues():
    S = api.load("r_examples", example="eespca").matrix.S
    assert np.linalg.eigvalsh(S)[:-3:-1] == pytest.approx([3.392936, 1.521292], abs=5e-7)
    with pytest.raises(InputError, match="example"):
        api.load("r_examples", example="eesp")
