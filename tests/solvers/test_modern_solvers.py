"""Recent solvers: results that their papers prove or show, on small problems."""

from itertools import combinations

import numpy as np
import pytest

from spcabench import Problem, api, registry
from spcabench.solving.call import arguments
from spcabench.steps import polar
from tests import problems


def adversarial(family, **settings):
    problem = api.load("adversarial", family=family, **settings)
    return problem, len(problem.provenance["support"])


def found(problem, k, solver, **settings):
    """Return the fraction of the true support that a solver finds."""
    support = problems.solve(problem, solver, k, **settings).support
    return len(set(support) & set(problem.provenance["support"])) / k


def gaussian(seed, n=8):
    X = np.random.default_rng(seed).standard_normal((12, n))
    return Problem.from_covariance(X.T @ X)


def spiked(count, strength, seed, m=400, n=60):
    return api.load("spiked_samples", m=m, n=n, count=count, strength=strength, seed=seed)


# the families on which simple methods fail


@pytest.mark.parametrize("family", ["diagonal", "covariance", "greedy", "deflation"])
@pytest.mark.parametrize("s", [4, 8])
def test_restarts_find_the_leading_eigenvector_of_a_published_family(family, s):
    problem, k = adversarial(family, s=s, n=3 * s + 4)
    top = np.linalg.eigvalsh(problem.matrix.S)[-1]
    assert api.solve(problem, "rtpm", k=k).variance == pytest.approx(top)


@pytest.mark.parametrize("s", [3, 8])
def test_thresholding_misses_its_families(s):
    problem, k = adversarial("diagonal", s=s)
    assert found(problem, k, "diagonal_thresholding") == 0.0
    problem, k = adversarial("covariance", s=s + 2)
    tau = 0.5 / (s + 2)  # where the covariances of the optimum vanish
    assert problems.solve(problem, "covariance_thresholding", k, tau=tau).variance < 0.9


# combinatorial methods


@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_searches_from_all_starts_are_as_good_as_those_that_they_contain(seed):
    problem = gaussian(seed)
    values = [problems.solve(problem, "greedy_anytime", 3, k_star=i).variance for i in range(4)]
    first, best, all_subsets, restarted = (
        api.solve(problem, solver, k=3).variance
        for solver in ("diagonal_thresholding", "brute_force", "spcavrp", "rtpm")
    )
    assert values == sorted(values)
    assert (values[0], values[3], all_subsets) == pytest.approx((first, best, best))
    for start in np.eye(problem.n):
        one = problems.solve(problem, "tpower", 3, start=start).variance
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
        assert found(spiked(count, strength, seed), count, solver, **settings) == 1.0


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
    drawn = [spiked(4, 1.0, seed, m=200, n=200) for seed in range(4)]
    shares = {
        solver: np.mean([found(p, 4, solver) for p in drawn])
        for solver in ("diagonal_thresholding", "covariance_thresholding")
    }
    assert shares["diagonal_thresholding"] < 0.6
    assert shares["covariance_thresholding"] > 0.9


@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_a_step_on_the_stiefel_manifold_stays_there_and_descends(seed):
    rng = np.random.default_rng(seed)
    A, SB = polar(rng.standard_normal((9, 3))), rng.standard_normal((9, 3))
    new, _ = registry.module("solver", "amanpg").retracted(A, SB, 1.0)
    assert np.allclose(new.T @ new, np.eye(3))
    assert (new * SB).sum() > (A * SB).sum()


# relaxations


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("seed", problems.some(1, range(3)))
def test_fps_of_one_component_is_the_problem_of_dspca(seed, share):
    problem = gaussian(seed)
    lam = share * problem.matrix.S.diagonal().max()
    runs = [
        api.solve(problem, "fps", **arguments(dict(lam=lam, eps=1e-7, max_iterations=5000))),
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
        relaxed = problems.solve(problem, "relax_and_round", k, solver=solver)
        best = problems.optimum(problem.matrix.S, k)
        weak = api.solve(problem, "exact_sdp_constrained", k=k).relaxation_bound
        unit = 1e-5 * best
        assert relaxed.variance <= best + unit <= relaxed.extra["objective"] + 2 * unit
        assert relaxed.extra["objective"] <= weak + unit
        assert relaxed.bound >= best and relaxed.claim.bound >= best


# the examples of R packages


def test_the_example_of_eespca_has_the_published_eigenvalues():
    S = api.load("r_examples", example="eespca").matrix.S
    assert np.linalg.eigvalsh(S)[:-3:-1] == pytest.approx([3.392936, 1.521292], abs=5e-7)
