"""The ledger agrees exactly with the papers' flop formulas on runs with known supports."""

import numpy as np
import pytest

from spcabench import Problem, api, flops
from spcabench.iterate import Iterate
from spcabench.solving import measures
from spcabench.solving.call import Limits, arguments

M, N, K = 14, 11, 4
X = np.random.default_rng(3).standard_normal((M, N))
DATA = Problem.from_data(X)
COVARIANCE = Problem.from_covariance(X.T @ X)


def _cardinalities(result):
    """Return the cardinality of the iterate from which each iteration started."""
    return np.array([entry["cardinality"] for entry in result.history[:-1]])


def _solve(problem, solver, **settings):
    result = api.solve(problem, solver, **arguments({**settings, "history": True}))
    assert result.iterations > 1
    again = api.solve(problem, solver, **arguments(settings))
    assert (again.cost.flops, again.cost.setup_flops) == (
        result.cost.flops,
        result.cost.setup_flops,
    )
    return result


@pytest.mark.parametrize("k", [1, 4, 11])
@pytest.mark.parametrize("settings", [{}, {"mu": "carried"}, {"start": np.ones(N)}])
def test_grqi_on_a_covariance(k, settings):
    result = api.solve(COVARIANCE, "grqi", k=k, **arguments({**settings, "history": True}))
    c = _cardinalities(result)
    assert result.cost.flops == (c**3 + 2 * c**2 + N * c).sum()
    assert result.cost.setup_flops == (0 if "start" in settings else N * N)


def test_grqi_without_power_steps():
    result = _solve(COVARIANCE, "grqi", k=K, J=1)
    c = _cardinalities(result)
    assert result.cost.flops == (c**3 + 2 * c**2).sum() + N * c[0]


def test_grqi_on_data_adds_the_gram_block_and_two_products():
    result = _solve(DATA, "grqi", k=K)
    c = _cardinalities(result)
    assert result.cost.flops == (M * c**2 + c**3 + 2 * c**2 + M * c + M * N).sum()


def test_grqi_on_wide_data_solves_on_the_samples():
    wide = Problem.from_data(X.T[:3])  # m = 3 < k = 8
    m, n, k = *wide.matrix.shape, 8
    result = api.solve(wide, "grqi", k=k, limits=Limits(history=True))
    assert result.cost.flops == result.iterations * (
        m * m * k + m**3 + 2 * m**2 + 2 * m * k + m * k + m * n
    )


@pytest.mark.parametrize("solver", ["gpower0", "gpower1"])
def test_gpower_on_data_costs_two_products(solver):
    top = DATA.matrix.squared_norms().max()
    gamma = 0.03 * top if solver == "gpower0" else 0.1 * top**0.5
    result = _solve(DATA, solver, gamma=gamma)
    c = _cardinalities(result)
    assert result.cost.flops == (M * N + M * c).sum()
    assert result.cost.setup_flops == 2 * M * N  # the largest column, and the first product


def test_methods_that_are_not_sparse():
    power = _solve(COVARIANCE, "power_method")
    inverse = _solve(COVARIANCE, "rayleigh_quotient_iteration")
    assert power.cost.flops == power.iterations * N**2
    assert inverse.cost.flops == inverse.iterations * (N**3 + 2 * N**2)


@pytest.mark.parametrize("k_u", [3, 6])
def test_ssvd_costs_its_step_and_two_products(k_u):
    result = _solve(DATA, "ssvd_grqi", k=K, k_u=k_u)
    p, q = sorted((k_u, K))
    step = p * p * q + p**3 + 2 * p**2 + 2 * p * q  # the inverse of the smaller Schur complement
    assert result.cost.flops == result.iterations * (step + M * K + N * k_u)


def test_nothing_is_charged_while_the_harness_grades_or_converts():
    with flops.counting() as ledger:
        COVARIANCE.variance(np.ones(N))
        DATA.variance(np.ones(N))
        DATA.given_as("covariance").given_as("data").given_as("sparse")
        assert ledger.flops == 0
        assert ledger.on
    assert not ledger.on


@pytest.mark.parametrize("problem", [COVARIANCE, DATA], ids=["covariance", "data"])
def test_what_a_solver_calls_in_the_package_is_its_own_work(problem):
    x = np.ones(N)
    product = N * N if problem is COVARIANCE else M * N

    def spent(work):
        with flops.counting() as ledger:
            work()
            return ledger.flops

    def measured():
        measures.measures(problem, x[:, None])

    assert spent(measured) == 0
    with flops.solving():
        assert spent(measured) > 0
        assert spent(lambda: problem.variance(x)) == product


def test_a_run_inside_a_run_is_counted_apart_and_the_outer_one_pays():
    with flops.counting() as ledger:
        flops.charge(5)
        inner = api.solve(COVARIANCE, "power_method")
        assert ledger.flops == 5 + inner.cost.flops + inner.cost.setup_flops
    assert inner.cost.flops == api.solve(COVARIANCE, "power_method").cost.flops


def test_the_ledger_is_off_outside_runs_and_after_errors():
    def solve(problem):
        yield Iterate(np.ones(problem.n))
        raise RuntimeError("planted")

    from types import ModuleType

    from spcabench.iterate import Traits

    module = ModuleType("planted")
    vars(module).update(TRAITS=Traits(control=None), solve=solve)
    with flops.counting() as ledger:
        with pytest.raises(RuntimeError, match="planted"):
            api.solve(COVARIANCE, module)
        assert (ledger.flops, ledger.compiled, ledger.on) == (0, 0, True)
    assert not flops.LEDGER.on
    before = flops.LEDGER.flops
    COVARIANCE.matrix @ np.ones(N)
    assert flops.LEDGER.flops == before
