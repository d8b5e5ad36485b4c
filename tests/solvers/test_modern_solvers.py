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


def spiked(count, strength, seed, m=400, n=60):
    return api.load("spiked_samples", m=m, n=n, count=count, strength=strength, seed=seed)


# the families on which simple methods fail


@pytest.mark.parametrize("family", ["diagonal", "covariance", "greedy", "deflation"])
@pytest.mark.parametrize("s", [4, 8])
def test_the_leading_eigenvector_of_a_published_family_is_the_planted_one(family, s):
    problem, k = adversarial(family, s=s, n=3 * s + 4)
    w, V = np.linalg.eigh(problem.matrix.S)
    support = problem.provenance["support"]
    assert np.flatnonzero(np.abs(V[:, -1]) > 1e-9).tolist() == support
    assert np.allclose(np.abs(V[support, -1]), 1.0 / np.sqrt(k))
    assert w[0] > -1e-12 and w[-2] <= 0.9 * w[-1] + 1e-12


@pytest.mark.parametrize("s", [3, 5, 8])
def test_diagonal_thresholding_misses_all_of_its_family(s):
    problem, k = adversarial("diagonal", s=s)
    assert found(problem, "diagonal_thresholding", k) == 0.0
    assert found(problem, "rtpm", k) == 1.0


@pytest.mark.parametrize("s", [4, 6, 8])
def test_the_first_variable_of_the_greedy_family_leads_outside(s):
    problem, k = adversarial("greedy", s=s)
    S, support = problem.matrix.S, problem.provenance["support"]
    led = [np.argsort(-np.abs(S[i]), kind="stable")[:k] for i in support]
    assert min(len(set(W) & set(support)) for W in led) == 1
    assert found(problem, "rtpm", k) == 1.0


@pytest.mark.parametrize("s", [5, 9])
def test_deflation_by_an_approximate_component_leaves_a_dense_one(s):
    problem, _ = adversarial("deflation", s=s)
    S = problem.matrix.S
    _, V = np.linalg.eigh(S)
    first, second = V[:, -1], V[:, -2]
    assert np.count_nonzero(np.abs(second) > 1e-9) == 2
    others = [i for i in range(len(S)) if not abs(first[i]) > 1e-9]
    third = others[np.argmax([S[i, i] for i in others])]  # what the first leans to
    x = np.sqrt(0.9) * first + np.sqrt(0.1) * np.eye(len(S))[third]
    P = np.eye(len(S)) - np.outer(x, x)
    assert np.count_nonzero(np.abs(np.linalg.eigh(P @ S @ P)[1][:, -1]) > 1e-9) == len(S)


@pytest.mark.parametrize("family", ["equal", "negative", "tied"])
def test_the_other_families_have_the_optimum_that_they_say(family):
    problem, k = adversarial(family, s=4)
    S, support = problem.matrix.S, problem.provenance["support"]
    values = [np.linalg.eigvalsh(S[np.ix_(W, W)])[-1] for W in combinations(range(len(S)), k)]
    best = np.linalg.eigvalsh(S[np.ix_(support, support)])[-1]
    assert best == pytest.approx(max(values), rel=1e-12)
    ties = sum(v > best * (1 - 1e-5) for v in values)
    assert ties == {"equal": 2, "negative": 1, "tied": 4}[family]


def test_samples_of_a_family_have_its_covariance():
    problem, _ = adversarial("diagonal", s=4, m=200_000)
    exact, _ = adversarial("diagonal", s=4)
    assert np.abs(problem.given_as("covariance").matrix.S - exact.matrix.S).max() < 0.02
    with pytest.raises(InputError, match="family"):
        api.load("adversarial", family="diagonall")


@pytest.mark.parametrize("family", ["diagonal", "covariance", "greedy", "deflation"])
@pytest.mark.parametrize("s", [4, 8])
def test_rtpm_finds_the_planted_vector_of_every_published_family(family, s):
    problem, k = adversarial(family, s=s)
    v = np.linalg.eigh(problem.matrix.S)[1][:, -1]
    assert (api.solve(problem, "rtpm", k=k).x @ v) ** 2 == pytest.approx(1.0)


# combinatorial methods


@pytest.mark.parametrize("seed", problems.some(2, range(5)))
def test_diagonal_thresholding_takes_the_largest_variances(seed):
    rng = np.random.default_rng(seed)
    problem = Problem.from_data(rng.standard_normal((30, 12)) * rng.uniform(0.5, 2.0, 12))
    d = problem.covariance.diagonal()
    result = api.solve(problem, "diagonal_thresholding", k=4)
    assert set(result.support) == set(np.argsort(-d)[:4])


@pytest.mark.parametrize("seed", problems.some(2, range(5)))
def test_greedy_anytime_ranges_from_diagonal_thresholding_to_brute_force(seed):
    X = np.random.default_rng(seed).standard_normal((12, 8))
    problem = Problem.from_covariance(X.T @ X)
    values = [
        api.solve(problem, "greedy_anytime", k=3, settings={"k_star": size}).variance
        for size in range(4)
    ]
    assert values == sorted(values)
    assert values[0] == pytest.approx(api.solve(problem, "diagonal_thresholding", k=3).variance)
    assert values[3] == pytest.approx(api.solve(problem, "brute_force", k=3).variance)


@pytest.mark.parametrize("bulk", [True, False])
def test_a_seed_inside_the_support_is_completed_to_it(bulk):
    problem, k = adversarial("equal", s=6, m=4000)
    assert api.solve(
        problem, "greedy_anytime", k=k, settings={"bulk": bulk}
    ).variance == pytest.approx(api.solve(problem, "brute_force", k=k).variance)


@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_spcavrp_recovers_a_strong_spike(seed):
    problem = spiked(count=5, strength=4.0, seed=seed)
    assert found(problem, "spcavrp", 5, seed=seed) == 1.0


@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_spcavrp_with_all_subsets_is_brute_force(seed):
    X = np.random.default_rng(seed).standard_normal((12, 8))
    problem = Problem.from_covariance(X.T @ X)
    assert api.solve(problem, "spcavrp", k=3).variance == pytest.approx(
        api.solve(problem, "brute_force", k=3).variance
    )


@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_rtpm_is_never_below_the_truncated_power_method_from_its_own_starts(seed):
    X = np.random.default_rng(seed).standard_normal((12, 9))
    problem = Problem.from_covariance(X.T @ X)
    values = [
        api.solve(problem, "tpower", k=3, settings={"start": e}).variance for e in np.eye(problem.n)
    ]
    assert api.solve(problem, "rtpm", k=3, settings={"r": 3}).variance >= max(values) * (1 - 1e-6)


@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_eespca_recovers_a_strong_spike(seed):
    problem = spiked(count=6, strength=3.0, seed=seed)
    assert found(problem, "eespca", 6) == 1.0


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


@pytest.mark.parametrize("s", [5, 8, 16])
def test_covariance_thresholding_at_one_level_misses_its_family(s):
    problem, k = adversarial("covariance", s=s)
    tau = 0.5 / s  # where the covariances of the optimum vanish
    assert api.solve(problem, "covariance_thresholding", k=k, settings={"tau": tau}).variance < 0.9
    assert api.solve(problem, "rtpm", k=k).variance == pytest.approx(1.0)


@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_covariance_thresholding_at_level_zero_is_thresholding_of_the_eigenvector(seed):
    X = np.random.default_rng(seed).standard_normal((12, 8))
    problem = Problem.from_covariance(X.T @ X)
    a = api.solve(problem, "covariance_thresholding", k=3, settings={"tau": 0.0})
    assert a.support.tolist() == api.solve(problem, "thresholding", k=3).support.tolist()


@pytest.mark.parametrize("rule", ["hard", "soft"])
@pytest.mark.parametrize("seed", problems.some(1, range(3)))
def test_itspca_recovers_a_strong_spike(rule, seed):
    problem = spiked(count=5, strength=4.0, seed=seed)
    assert found(problem, "itspca", 5, thresholding=rule) == 1.0


@pytest.mark.parametrize("seed", problems.some(1, range(3)))
def test_itspca_without_a_threshold_is_orthogonal_iteration(seed):
    X = np.random.default_rng(seed).standard_normal((40, 6)) * [6.0, 5.0, 4.0, 1.0, 1.0, 1.0]
    problem = Problem.from_data(X)
    V = np.linalg.eigh(problem.given_as("covariance").matrix.S)[1][:, :-3:-1]
    Z = api.solve(
        problem, "itspca", limits=Limits(tol=1e-12), settings={"gamma": 0.0, "components": 2}
    ).Z
    assert np.allclose(Z.T @ Z, np.eye(2))
    assert np.allclose(np.abs(Z.T @ V), np.eye(2), atol=1e-6)


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
def test_without_a_penalty_the_span_is_that_of_the_leading_eigenvectors(solver, seed):
    problem, S = factors(seed)
    V = np.linalg.eigh(S)[1][:, :-3:-1]
    Z = api.solve(problem, solver, **arguments({**({JOINT[solver]: 0.0}), "components": 2})).Z
    assert np.linalg.svd(Z.T @ V)[1] == pytest.approx([1.0, 1.0], abs=1e-6)


@pytest.mark.parametrize("seed", problems.some(1, range(3)))
@pytest.mark.parametrize("solver", JOINT)
def test_with_a_penalty_each_component_is_a_factor(solver, seed):
    problem, S = factors(seed)
    share = 0.05 if solver == "spca_variable_projection" else 0.1 * np.linalg.eigvalsh(S)[-1]
    Z = api.solve(problem, solver, **arguments({**({JOINT[solver]: share}), "components": 2})).Z
    supports = sorted(tuple(np.flatnonzero(z)) for z in Z.T)
    assert supports == [(0, 1, 2, 3, 4), (5, 6, 7, 8, 9)]


@pytest.mark.parametrize(
    ("solver", "settings"),
    [("amanpg", {}), ("amanpg", {"lambda_2": 1.0}), ("spca_variable_projection", {})],
)
def test_the_objective_falls(solver, settings):
    problem, S = factors(0)
    penalty = 0.05 * (np.linalg.eigvalsh(S)[-1] if solver == "amanpg" else 1.0)
    run = api.solve(
        problem,
        solver,
        **arguments({**({JOINT[solver]: penalty}), **settings, "history": True, "components": 2}),
    )
    values = np.array([entry["objective"] for entry in run.history])
    assert len(values) > 2
    assert (np.diff(values) <= 1e-12 * np.abs(values[:-1])).all()


@pytest.mark.parametrize("seed", problems.some(2, range(5)))
def test_a_step_on_the_stiefel_manifold_stays_there_and_descends(seed):
    rng = np.random.default_rng(seed)
    A = polar(rng.standard_normal((9, 3)))
    SB = rng.standard_normal((9, 3))
    new, _ = registry.module("solver", "amanpg").retracted(A, SB, 1.0)
    assert np.allclose(new.T @ new, np.eye(3))
    assert (new * SB).sum() > (A * SB).sum()
    D = stiefel_gradient(SB, A)
    assert np.allclose(A.T @ D + D.T @ A, 0.0)  # a tangent


@pytest.mark.parametrize("seed", problems.some(2, range(5)))
def test_the_polar_factor_is_the_nearest_orthonormal_matrix(seed):
    rng = np.random.default_rng(seed)
    G, Q = rng.standard_normal((8, 3)), polar(rng.standard_normal((8, 3)))
    assert np.allclose(polar(G).T @ polar(G), np.eye(3))
    assert np.linalg.norm(G - polar(G)) <= np.linalg.norm(G - Q)


# relaxations


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("seed", problems.some(1, range(3)))
def test_fps_of_one_component_is_the_problem_of_dspca(seed, share):
    X = np.random.default_rng(seed).standard_normal((12, 8))
    problem = Problem.from_covariance(X.T @ X)
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


@pytest.mark.parametrize("seed", problems.some(1, range(3)))
def test_fps_of_several_components_spans_the_planted_ones(seed):
    problem, _ = factors(seed)
    Z = api.solve(problem, "fps", settings={"lam": 1.0, "components": 2}).Z
    P = Z @ Z.T  # of disjoint supports of five variables each
    planted = np.kron(np.eye(2), np.full((5, 5), 0.2))
    assert np.allclose(Z.T @ Z, np.eye(2), atol=1e-9)
    assert np.abs(P - planted).max() < 0.05


@pytest.mark.parametrize("solver", ["CLARABEL", "SCS"])
@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_the_value_of_the_strong_relaxation_is_an_upper_bound(seed, solver):
    X = np.random.default_rng(seed).standard_normal((12, 8))
    problem = Problem.from_covariance(X.T @ X)
    for k in (1, 3, 8):
        relaxed = api.solve(problem, "relax_and_round", k=k, settings={"solver": solver})
        best = api.solve(problem, "brute_force", k=k).variance
        weak = api.solve(problem, "exact_sdp_constrained", k=k).relaxation_bound
        unit = 1e-5 * best
        assert relaxed.variance <= best + unit <= relaxed.extra["objective"] + 2 * unit
        assert relaxed.extra["objective"] <= weak + unit
        assert relaxed.bound >= best and relaxed.claim.bound >= best


def test_the_strong_relaxation_refuses_what_it_cannot_do():
    with pytest.raises(InputError, match="80 variables"):
        api.solve(api.load("blocks", n=80), "relax_and_round", k=3)


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


@pytest.mark.parametrize(("lambda_2", "published"), [(1.0, 0.491), (np.inf, 0.253)])
def test_as_many_loadings_of_amanpg_are_zero_as_published(lambda_2, published):
    problem = api.load("r_examples", example="amanpg").given_as("covariance")
    Z = api.solve(
        problem, "amanpg", settings={"lambda_1": 0.1, "lambda_2": lambda_2, "components": 4}
    ).Z
    assert (Z == 0).mean() == pytest.approx(published, abs=0.005)
