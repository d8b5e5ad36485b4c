"""The ledger agrees exactly with the papers' flop formulas on runs with known supports."""

import numpy as np
import pytest

from spcabench import Problem, api, flops
from spcabench.solving import driver, measures
from spcabench.solving.call import arguments
from tests.problems import solver_of

M, N, K = 14, 11, 4
X = np.random.default_rng(3).standard_normal((M, N))
DATA = Problem.from_data(X)
COVARIANCE = Problem.from_covariance(X.T @ X)
WIDE = Problem.from_data(X.T[:3])  # 3 samples of 14 variables
TOP = DATA.matrix.squared_norms().max()


def grqi(c):
    """Flops of an iteration from c nonzeros: a bordered solve, and a power step."""
    return c**3 + 2 * c**2 + N * c


# c: the cardinality of the iterate from which each iteration starts
FORMULAS: dict[str, tuple] = {  # problem, settings, flops of each iteration, flops of the set-up
    "grqi": (COVARIANCE, dict(k=K), grqi, N * N),
    "grqi, all variables": (COVARIANCE, dict(k=N), grqi, N * N),
    "grqi, one": (COVARIANCE, dict(k=1), grqi, N * N),
    "grqi, carried": (COVARIANCE, dict(k=K, mu="carried"), grqi, N * N),
    "grqi, with a start": (COVARIANCE, dict(k=K, start=np.ones(N)), grqi, 0),
    "grqi, one power step": (
        *(COVARIANCE, dict(k=K, J=1)),
        *(lambda c: grqi(c) - N * c * (np.arange(len(c)) > 0), N * N),
    ),
    # the block of Sigma comes on top, and a power step is two products
    "grqi, data": (DATA, dict(k=K), lambda c: grqi(c) + M * c**2 + (M - N) * c + M * N, None),
    # with more variables than samples, it solves on the samples
    "grqi, wide data": (WIDE, dict(k=8), lambda c: 27 + 18 + (9 + 6 + 3) * c + 3 * M, None),
    # set-up: the largest column, and the first product
    "gpower0": (DATA, dict(gamma=0.03 * TOP), lambda c: M * N + M * c, 2 * M * N),
    "gpower1": (DATA, dict(gamma=0.1 * TOP**0.5), lambda c: M * N + M * c, 2 * M * N),
    "power_method": (COVARIANCE, {}, lambda c: N**2 + 0 * c, None),
    "rayleigh_quotient_iteration": (COVARIANCE, {}, lambda c: N**3 + 2 * N**2 + 0 * c, None),
    # the inverse of the smaller Schur complement, and two products
    "ssvd_grqi": (DATA, dict(k=K, k_u=3), lambda c: 45 + 15 * K + M * K + 3 * N + 0 * c, None),
    "ssvd_grqi, u": (DATA, dict(k=K, k_u=6), lambda c: 240 + M * K + 6 * N + 0 * c, None),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_a_run_costs_what_the_formula_says_with_a_history_or_without(name):
    problem, settings, formula, setup = FORMULAS[name]
    solver = name.partition(",")[0]
    result = api.solve(problem, solver, **arguments({**settings, "history": True}))
    c = np.array([entry["cardinality"] for entry in result.history[:-1]])
    assert result.cost.flops == formula(c).sum() > 0
    assert setup is None or result.cost.setup_flops == setup
    again = api.solve(problem, solver, **arguments(settings)).cost
    assert (again.flops, again.setup_flops) == (result.cost.flops, result.cost.setup_flops)


@pytest.mark.parametrize("problem", [COVARIANCE, DATA], ids=["covariance", "data"])
def test_grading_and_conversions_are_free_and_what_a_solver_calls_is_its_own_work(problem):
    x, product = np.ones(N), N * N if problem is COVARIANCE else M * N

    def spent(work):
        with flops.counting() as ledger:
            work()
            assert ledger.on
            return ledger.flops

    def converted():
        problem.given_as("covariance").given_as("data").given_as("sparse")

    def measured():
        measures.measures(problem, x[:, None])

    def graded():
        problem.variance(x)

    assert [spent(work) for work in (converted, measured, graded)] == [0, 0, 0]
    with flops.solving():
        assert spent(converted) == 0 < spent(measured) and spent(graded) == product


def test_a_run_inside_a_run_is_counted_apart_and_the_outer_one_pays():
    with flops.counting() as ledger:
        flops.charge(5)
        inner = api.solve(COVARIANCE, "power_method").cost
        assert ledger.flops == 5 + inner.total_flops
    assert inner.flops == api.solve(COVARIANCE, "power_method").cost.flops


def test_the_ledger_is_off_outside_runs_and_after_errors():
    def steps(problem):
        yield np.ones(problem.n)
        problem.covariance @ np.ones(problem.n)
        raise RuntimeError("planted")

    with flops.counting() as ledger:
        with pytest.raises(RuntimeError, match="planted"):
            api.solve(COVARIANCE, solver_of(steps, control=None))
        assert (ledger.flops, ledger.compiled, ledger.on) == (0, 0, True)
    before = flops.LEDGER.flops
    COVARIANCE.matrix @ np.ones(N)
    assert flops.LEDGER.flops == before and not (flops.LEDGER.on or flops.LEDGER.solving)


def test_a_kernel_is_charged_and_its_compilation_is_on_no_clock(monkeypatch):
    clock = [0.0]

    def slowly(function, signature):
        clock[0] += 100.0
        return function

    monkeypatch.setattr(flops, "_jitted", slowly)
    for module in (flops, driver):
        monkeypatch.setattr(module, "perf_counter", lambda: clock[0])
    first_entry = flops.compiled("Tuple((i8, f8))(f8[:,::1])")(lambda A: (7, A[0, 0]))
    before = flops.LEDGER.compile_seconds

    def steps(problem):
        for _ in range(2):
            assert first_entry(np.asfortranarray(np.eye(2))) == 1.0
            clock[0] += 1.0
            yield np.eye(problem.n)[0]

    cost = api.solve(COVARIANCE, solver_of(steps, control=None)).cost
    assert (cost.flops, cost.setup_flops) == (7, 7)
    assert (cost.setup_time, cost.solve_time, cost.compile_time) == (1.0, 1.0, 100.0)
    assert flops.LEDGER.compile_seconds == before + 100.0
