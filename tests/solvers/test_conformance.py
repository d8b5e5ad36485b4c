"""Every solver in solvers/ must satisfy its traits.

Seeds are cheap here, so a test takes several; a failure prints the seed that failed.
"""

from itertools import product

import numpy as np
import pytest

from spcabench import Problem, api, registry
from spcabench.errors import InputError
from spcabench.solving.call import arguments, parameters
from tests import problems
from tests.problems import FAMILIES, GENERAL, SOLVERS, draws

SPARSE = [s for s in SOLVERS if problems.traits(s).control]
ALWAYS = [s for s in SPARSE if problems.traits(s).nonnegative == "always"]
DENSE = [s for s in SOLVERS if not problems.traits(s).control]
TINY = ("integers", "duplicates", "rank_one", "orthogonal", "exchangeable", "equal_blocks")


def _problem(family, seed):
    """Return a problem of a family, or a tiny one of a hard kind, and a cardinality."""
    if family not in TINY:
        return problems.problem(family, seed)
    rng = np.random.default_rng([seed, len(family)])
    n = int(rng.integers(1, 5))
    X = problems.HARD[family](rng, n + 2, n)
    X[0] += X[0] == 0.0
    return Problem.from_data(X, center=False), int(rng.integers(1, n + 1))


@pytest.mark.parametrize(("solver", "drawn"), draws(SPARSE, [*FAMILIES, *TINY], 3, 3, 3))
def test_answers_are_feasible_and_never_beat_the_optimum(solver, drawn):
    traits = problems.traits(solver)
    for family, seed in drawn:
        problem, k = _problem(family, seed)
        Sigma = problems.explicit(problem)
        for settings in ({}, {"nonnegative": True}) if traits.nonnegative else ({},):
            result = problems.solve(problem, solver, k, **settings)
            # equal columns leave or enter together: a search can then miss k, and must say so
            assert result.good or traits.control == "penalty"
            assert result.good or family.split()[0] not in GENERAL
            if not result.good:
                continue
            best = problems.optimum(Sigma, k, result.nonnegative)
            assert abs(result.variance - result.x @ Sigma @ result.x) <= 1e-9 * best
            assert best * (1 - 1e-9) * traits.exact <= result.variance <= best * (1 + 1e-9)
            assert result.bound >= best and result.gap >= 0
            assert result.nonnegative == (bool(settings) or traits.nonnegative == "always")
            if result.u is not None:
                assert abs(np.linalg.norm(result.u) - 1.0) < 1e-12
                assert abs(result.singular_value) <= np.sqrt(best) * (1 + 1e-9)
            refit = problems.solve(problem, solver, k, refit=True, **settings)
            assert best * (1 + 1e-9) >= refit.variance >= result.variance * (1 - 1e-9)
            assert refit.good and set(refit.support) <= set(result.support)


@pytest.mark.parametrize("solver", DENSE)
def test_solvers_that_are_not_sparse_give_eigenvectors(solver):
    for family, seed in product(FAMILIES, range(2)):
        problem, _ = problems.problem(family, seed)
        result = api.solve(problem, solver)
        assert result.good
        if result.status == "converged":
            Sigma = problems.explicit(problem)
            residual = Sigma @ result.x - result.variance * result.x
            assert np.linalg.norm(residual) <= 1e-5 * np.linalg.norm(Sigma, 2)


@pytest.mark.parametrize(("solver", "drawn"), draws(SOLVERS, GENERAL, 1, 4, 2))
def test_runs_units_and_the_order_and_signs_of_variables_change_no_answer(solver, drawn):
    for family, seed in drawn:
        X, k = problems.draw(family, seed)
        rng = np.random.default_rng(seed)
        order, signs = rng.permutation(X.shape[1]), rng.choice([-1.0, 1.0], X.shape[1])
        signs = np.ones(X.shape[1]) if solver in ALWAYS else signs
        for form in ("data", "covariance"):

            def solved(Y, form=form, k=k):
                data = form == "data"
                problem = Problem.from_data(Y) if data else Problem.from_covariance(Y.T @ Y)
                return problems.solve(problem, solver, k, seed=5)

            a, again, permuted = solved(X), solved(X.copy()), solved((X * signs)[:, order])
            assert np.array_equal(a.x, again.x)
            assert (a.cost.flops, a.iterations) == (again.cost.flops, again.iterations)
            expected = (a.x * signs)[order]
            apart = [np.abs(permuted.x - side * expected).max() for side in (-1.0, 1.0)]
            assert min(apart) < 1e-5
            c = (1e-4, 1e4)[form == "data"]
            scaled = solved(c * X)
            assert (a.status, a.status) == (again.status, scaled.status)
            assert np.array_equal(a.support, scaled.support)
            assert scaled.variance == pytest.approx(c * c * a.variance, rel=1e-7)
            unit = c * c if a.singular_value is None else c
            # the iterations differ in rounding, so only the proven intervals have to agree
            if a.relaxation_value is not None and a.relaxation_bound is not None:
                assert scaled.relaxation_value <= unit * a.relaxation_bound * (1 + 1e-9)
                assert unit * a.relaxation_value <= scaled.relaxation_bound * (1 + 1e-9)


@pytest.mark.parametrize("solver", [s for s in SPARSE if problems.traits(s).control == "penalty"])
def test_beyond_the_largest_penalty_the_status_is_zero(solver):
    module = registry.module("solver", solver)
    X, _ = problems.draw("zero_column", 1)
    problem = Problem.from_data(X, center=False)
    low, high = module.penalty_range(problem)
    assert 0 < low < high
    result = api.solve(problem, solver, **arguments({module.TRAITS.penalty: 2 * high}))
    if module.TRAITS.relaxation:
        assert result.support.tolist() == [np.argmax((X**2).sum(axis=0))]
    else:
        assert result.status == "zero"


@pytest.mark.parametrize("solver", ["grqi", "ssvd_grqi", "tpower"])
def test_from_a_start_on_a_zero_column_the_status_is_zero(solver):
    X, k = problems.draw("zero_column", 1)
    start = (~X.any(axis=0)).astype(float)
    problem = Problem.from_data(X, center=False)
    assert problems.solve(problem, solver, k, start=start).status == "zero"


SEVERAL = [s for s in SOLVERS if "components" in parameters(registry.module("solver", s).solve)]


@pytest.mark.parametrize("solver", SEVERAL)
def test_the_first_of_several_components_is_the_answer(solver):
    problem = Problem.from_data(np.random.default_rng(0).standard_normal((20, 8)))
    result = problems.once(problem, solver, components=2)
    assert result.Z.shape == (8, 2)
    lengths = np.linalg.norm(result.Z, axis=0)
    np.testing.assert_allclose(lengths[lengths > 0.0], 1.0)  # no variance may be left for a second
    np.testing.assert_allclose(np.abs(result.x), np.abs(result.Z[:, 0]), atol=1e-12)


OUT_OF_RANGE = [
    *[("bca", "eps", 0.0), ("bca", "inner", "some"), ("branch_and_bound", "jobs", 0)],
    *[("covariance_thresholding", "levels", 0), ("dspca", "eigenvalues", "some")],
    *[("dspca_constrained", "eps", value) for value in (0.0, 1e-300, 2.0, np.nan)],
    *[("eespca", "steps", 0), ("em", "restarts", 0), ("em", "starts", "some")],
    *[("exact_sdp", "solver", "MOSEK"), ("exact_sdp_rectangular", "k_u", 0)],
    *[("exact_sdp_rectangular", "k_u", 5), ("gpower_block", "norm", "some")],
    *[("greedy_anytime", "k_star", -1), ("greedy_full", "passes", "some"), ("grqi", "mu", "some")],
    *[("itspca", "thresholding", "some"), ("local_search", "budget", 0), ("mcol", "c", 0)],
    *[("nspca", "restarts", 0), ("pmd", "shrinkage", 0.0), ("rtpm", "T", 0), ("rtpm", "r", 1)],
    *[("rtpm", "r", 6), ("sca", "shrinkage", 0.0), ("spannogram", "d", 0)],
    *[("spannogram", "eps", 0.0), ("spannogram", "samples", "some")],
    *[("spca_elastic_net", "penalties", [1.0, 1.0]), ("spcavrp", "A", 0), ("spcavrp", "d", 0)],
    *[("spcavrp", "d", 6), ("ssvd_grqi", "first", "some"), ("ssvd_grqi", "k_u", 5)],
    *[(solver, "components", 0) for solver in SEVERAL],
    *[(solver, "components", 6) for solver in SEVERAL if solver != "nspca"],
]


@pytest.mark.parametrize(("solver", "name", "value"), OUT_OF_RANGE)
def test_a_setting_out_of_its_range_is_refused(solver, name, value):
    X = np.random.default_rng(0).standard_normal((4, 5))
    with pytest.raises(InputError, match=rf"\b{name}\b.*: "):
        problems.once(Problem.from_data(X), solver, **{name: value})


@pytest.mark.parametrize(
    ("solver", "shape"), [("exact_sdp", (2, 130)), ("exact_sdp_rectangular", (70, 60))]
)
def test_beyond_a_practical_size_a_problem_is_refused(solver, shape):
    problem = Problem.from_data(np.ones(shape) * [[1.0]] + np.eye(*shape), center=False)
    settings = {"rho": 0.1} if solver == "exact_sdp" else {"k": 5}
    with pytest.raises(InputError, match=r"130 variables.*120.*memory 4\.\d GB"):
        api.solve(problem, solver, **arguments({**settings, "solver": "CLARABEL"}))
