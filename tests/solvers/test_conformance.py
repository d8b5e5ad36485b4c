"""Every solver in solvers/ must satisfy its traits.

Seeds are cheap here, so a test takes several; a failure prints the seed that failed.
"""

import copy

import numpy as np
import pytest

from spcabench import Problem, api, registry
from spcabench.solving.call import arguments, parameters
from tests import problems
from tests.problems import FAMILIES, GENERAL, SEEDS, SOLVERS, draws, some, spread

SPARSE = [s for s in SOLVERS if problems.traits(s).control]
NONNEGATIVE = [s for s in SPARSE if problems.traits(s).nonnegative]
ALWAYS = [s for s in NONNEGATIVE if problems.traits(s).nonnegative == "always"]
DENSE = [s for s in SOLVERS if not problems.traits(s).control]
every_solver = pytest.mark.parametrize("solver", SOLVERS)
# of each kind: they show what the harness does
some_solvers = pytest.mark.parametrize("solver", ["em", "gpower1", "bca", "power_method", "fps"])


def _arrays(problem):
    matrix = problem.matrix
    return [
        np.array(a.toarray() if hasattr(a, "toarray") else a)
        for a in vars(matrix).values()
        if hasattr(a, "dtype")
    ]


def _check_unit(result, n):
    assert result.x.dtype == np.float64
    assert result.x.shape == (n,)
    assert np.isfinite(result.x).all()
    assert abs(np.linalg.norm(result.x) - 1.0) < 1e-12


def _check_sparse(result, Sigma, k, exact):
    best = problems.optimum(Sigma, k, result.nonnegative)
    assert result.cardinality <= k
    assert abs(result.variance - result.x @ Sigma @ result.x) <= 1e-9 * best
    assert result.variance <= best * (1 + 1e-9)
    assert result.bound >= best
    assert result.gap >= 0
    if exact:
        assert result.variance >= best * (1 - 1e-9)
    if result.u is not None:
        assert abs(np.linalg.norm(result.u) - 1.0) < 1e-12
        assert abs(result.singular_value) <= np.sqrt(best) * (1 + 1e-9)


@pytest.mark.parametrize(("solver", "drawn"), draws(SPARSE, FAMILIES, 3))
def test_sparse_solvers_never_beat_the_optimum(solver, drawn):
    good = 0
    for family, seed in drawn:
        problem, k = problems.problem(family, seed)
        before = _arrays(problem)
        result = problems.solve(problem, solver, k)
        assert all(np.array_equal(a, b) for a, b in zip(before, _arrays(problem), strict=True))
        # equal columns leave or enter together: a search can then miss k, and must say so
        assert result.good or problems.traits(solver).control == "penalty"
        assert result.good or family.split()[0] not in GENERAL
        if result.good:
            good += 1
            _check_unit(result, problem.n)
            _check_sparse(result, problems.explicit(problem), k, problems.traits(solver).exact)
    assert good >= len(drawn) / 2 - problems.traits(solver).relaxation


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("solver", SPARSE)
def test_tiny_problems_of_hard_kinds_have_answers_below_the_optimum(solver, nonnegative):
    traits = problems.traits(solver)
    if nonnegative and not traits.nonnegative:
        return
    kinds = ("integers", "duplicates", "rank_one", "orthogonal", "exchangeable", "equal_blocks")
    for n, kind in enumerate(kinds[SOLVERS.index(solver) % 2 :: 2], 1):
        rng = np.random.default_rng([n, len(kind)])
        X, k = problems.HARD[kind](rng, n + 2, n), int(rng.integers(1, n + 1))
        X[0] += X[0] == 0.0
        problem = Problem.from_data(X, center=False)
        result = problems.solve(
            problem, solver, k, **({"nonnegative": True} if nonnegative else {})
        )
        if not (result.status == "infeasible" and traits.control == "penalty"):
            _check_unit(result, problem.n)
            _check_sparse(result, problems.explicit(problem), k, traits.exact)


@pytest.mark.parametrize(("solver", "drawn"), draws(NONNEGATIVE, FAMILIES, 2, 6))
def test_nonnegative_answers_are_feasible_and_never_beat_the_nonnegative_optimum(solver, drawn):
    for family, seed in drawn:
        problem, k = problems.problem(family, seed)
        result, refit = (
            problems.solve(problem, solver, k, nonnegative=True, refit=r) for r in (False, True)
        )
        assert result.good
        assert result.nonnegative
        for answer in (result, refit):
            _check_unit(answer, problem.n)
            assert answer.x.min() >= 0.0
            _check_sparse(answer, problems.explicit(problem), k, problems.traits(solver).exact)
        assert refit.variance >= result.variance * (1 - 1e-9)
        assert set(refit.support) <= set(result.support)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("solver", DENSE)
def test_solvers_that_are_not_sparse_give_eigenvectors(solver, family):
    for seed in SEEDS[:5]:
        problem, _ = problems.problem(family, seed)
        result = api.solve(problem, solver)
        _check_unit(result, problem.n)
        if result.status == "converged":
            Sigma = problems.explicit(problem)
            residual = Sigma @ result.x - result.variance * result.x
            assert np.linalg.norm(residual) <= 1e-5 * np.linalg.norm(Sigma, 2)


@pytest.mark.parametrize(("solver", "form"), spread(SOLVERS, ["data", "covariance"]))
@pytest.mark.parametrize("seed", some(1, (0, 1)))
def test_the_same_seed_gives_the_same_answer_to_the_bit(solver, form, seed):
    problem, k = problems.problem(f"gaussian {form}", seed)
    first, again = (problems.solve(copy.deepcopy(problem), solver, k, seed=5) for _ in range(2))
    assert np.array_equal(first.x, again.x)
    assert (first.cost.flops, first.iterations, first.status) == (
        again.cost.flops,
        again.iterations,
        again.status,
    )


@some_solvers
def test_limits_are_respected(solver):
    problem, _ = problems.problem("gaussian data", 3)
    for steps in (0, 1, 3):
        result = problems.once(problem, solver, max_iterations=steps)
        assert result.iterations <= steps
        assert (
            result.status == "max_iterations"
            or result.iterations < steps
            or result.status == "converged"
        )
    result = problems.once(problem, solver, tol=0.0, max_iterations=3, time_limit=0.0)
    assert (result.status, result.iterations) == ("time_limit", 0)


@some_solvers
@pytest.mark.parametrize("seed", some(1, range(3)))
def test_history_has_one_entry_per_iterate_and_ends_at_the_result(solver, seed):
    problem, _ = problems.problem("spiked data", seed)
    plain, result = (problems.once(problem, solver, history=h) for h in (False, True))
    flops = [entry["flops"] for entry in result.history]
    assert len(flops) == result.iterations + 1
    assert flops[0] == 0
    assert flops == sorted(flops)
    assert flops[-1] == result.cost.flops == plain.cost.flops  # grading is not charged
    assert result.cost.setup_flops == plain.cost.setup_flops
    assert result.history[-1]["variance"] == pytest.approx(result.variance, rel=1e-12)
    assert not plain.history


@pytest.mark.parametrize("form", some(1, ["csc", "csr"]))
@pytest.mark.parametrize(("solver", "drawn"), draws(SOLVERS, GENERAL, 1, 6))
def test_sparse_and_implicitly_centred_input_agree_with_dense(solver, drawn, form):
    for family, seed in drawn:
        X, k = problems.draw(family, seed)
        X[np.random.default_rng(seed).random(X.shape) < 0.3] = 0.0
        for center in (False, True):
            dense = Problem.from_data(X - X.mean(axis=0) if center else X, center=False)
            sparse = Problem.from_data(problems.as_sparse(X, form), center=center)
            assert sparse.form == "sparse"
            a, b = (problems.solve(p, solver, k) for p in (dense, sparse))
            assert a.variance == pytest.approx(b.variance, rel=1e-8)
            assert a.cardinality == b.cardinality


@pytest.mark.parametrize("factor", some(1, [1e-4, 1e4]))
@pytest.mark.parametrize(("solver", "drawn"), draws(SOLVERS, GENERAL, 1, 5))
def test_scaling_changes_no_relative_answer(solver, drawn, factor):
    for family, seed in drawn:
        X, k = problems.draw(family, seed)
        for make, c in (
            (Problem.from_data, factor),
            (lambda X: Problem.from_covariance(X.T @ X), factor),
        ):
            a, b = (problems.solve(make(Y), solver, k) for Y in (X, c * X))
            assert a.status == b.status
            assert np.array_equal(a.support, b.support)
            assert b.variance == pytest.approx(c * c * a.variance, rel=1e-7)


@pytest.mark.parametrize(("solver", "drawn"), draws(SOLVERS, GENERAL, 1, 6))
def test_permuting_and_flipping_variables_permutes_and_flips_the_answer(solver, drawn):
    for family, seed in drawn:
        X, k = problems.draw(family, seed)
        rng = np.random.default_rng(seed)
        order, signs = rng.permutation(X.shape[1]), rng.choice([-1.0, 1.0], X.shape[1])
        signs = np.ones(X.shape[1]) if solver in ALWAYS else signs
        a = problems.solve(Problem.from_data(X), solver, k)
        b = problems.solve(Problem.from_data((X * signs)[:, order]), solver, k)
        expected = (a.x * signs)[order]
        assert min(np.abs(b.x - expected).max(), np.abs(b.x + expected).max()) < 1e-5


def _check_zero(result):
    assert result.status == "zero"
    assert not result.good
    assert not result.x.any()


# beyond its largest penalty a relaxation answers with the largest variance
ZERO_BY_PENALTY = [
    s
    for s in SPARSE
    if problems.traits(s).control == "penalty" and not problems.traits(s).relaxation
]
ZERO_BY_START = [
    s
    for s in SPARSE
    if problems.traits(s).control == "cardinality"
    and problems.traits(s).accepts == "either"
    and not problems.traits(s).relaxation
    and "start" in parameters(registry.module("solver", s).solve)
]


@pytest.mark.parametrize("solver", ZERO_BY_PENALTY)
def test_beyond_the_largest_penalty_the_status_is_zero(solver):
    module = registry.module("solver", solver)
    X, _ = problems.draw("zero_column", 1)
    problem = Problem.from_data(X, center=False)
    penalty = 2 * module.penalty_range(problem)[1]
    _check_zero(api.solve(problem, solver, **arguments({module.TRAITS.penalty: penalty})))


@pytest.mark.parametrize("solver", ZERO_BY_START)
def test_from_a_start_on_a_zero_column_the_status_is_zero(solver):
    X, k = problems.draw("zero_column", 1)
    start = (~X.any(axis=0)).astype(float)
    _check_zero(problems.solve(Problem.from_data(X, center=False), solver, k, start=start))


@every_solver
def test_the_module_says_what_it_is(solver):
    module = registry.module("solver", solver)
    first = module.__doc__.partition("\n\n")[0].rstrip()
    assert first.endswith(".")
    assert any(c.isdigit() for c in module.__doc__), "the docstring cites a year"
    assert isinstance(module.EXAMPLE, dict)
    if module.TRAITS.control == "penalty":
        low, high = module.penalty_range(problems.problem("gaussian data", 0)[0])
        assert 0 < low < high
