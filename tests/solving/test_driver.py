"""A run: when it stops, what it records, and what it refuses, on scripted iterates."""

import numpy as np
import pytest

from spcabench import Problem
from spcabench.errors import InputError, SolverError
from spcabench.iterate import Iterate
from spcabench.solving import driver
from spcabench.solving.call import Call, Limits
from spcabench.solving.driver import drive
from spcabench.solving.run_warnings import Flag
from tests.problems import solver_of

PROBLEM = Problem.from_data(np.random.default_rng(0).standard_normal((7, 5)), divisor="1")
E = np.eye(5)


def run(iterates, components="single", **limits):
    """Drive a solver that yields iterates; functions among them are called first."""

    def solve(problem):
        for iterate in iterates:
            yield iterate(problem) if callable(iterate) else iterate

    solver = solver_of(solve, control=None, components=components)
    return drive(Call.of(PROBLEM, solver, limits=Limits(**limits)))


def turned(angle):
    """Return a unit vector; two of them differ by 2 sin(half of the difference of the angles)."""
    return np.cos(angle) * E[0] + np.sin(angle) * E[1]


TURNS = [turned(0.5**i) * (-1) ** i for i in range(40)]
OBJECTIVES = [Iterate(E[i % 2], extra={"objective": 1.0 + 0.5**i}) for i in range(40)]
GAPS = [Iterate(E[i % 2], extra={"gap": 0.5**i}) for i in range(40)]
ENDS = {  # what is yielded, limits, iterations, status
    "steps, up to sign": (TURNS, {"tol": 0.01}, 7, "converged"),  # 2^-7 is the first below .01
    "objective": (OBJECTIVES, {"stop": "objective", "tol": 0.01}, 7, "converged"),
    "gap": (GAPS, {"stop": "gap", "tol": 0.01}, 7, "converged"),
    "the solver": (GAPS, {"stop": "end", "tol": 0.01}, 39, "finished"),
    "a fixed point": ([E[0], E[1], E[1], E[0]], {"tol": 0.0}, 2, "converged"),
    "u moves": ([Iterate(E[0], np.eye(7)[i // 2]) for i in (0, 1, 2, 3)], {}, 1, "converged"),
    "u moved": ([Iterate(E[0], np.eye(7)[i]) for i in (0, 1, 1, 2)], {}, 2, "converged"),
    "iterations": ([E[0], E[1], E[0], E[1]], {"max_iterations": 2}, 2, "max_iterations"),
    "its start": ([E[0], E[1]], {"max_iterations": 0}, 0, "max_iterations"),
    "time": ([E[0], E[1]], {"time_limit": 0.0}, 0, "time_limit"),
    "a zero start": ([0.0 * E[0], E[1]], {}, 0, "zero"),
    "a later zero": ([E[0], 0.0 * E[1], E[0]], {"stop": "end"}, 1, "zero"),
    "a NaN": ([E[0], np.nan * E[1], E[0]], {}, 1, "infeasible"),
    "no gap": ([E[0], Iterate(E[1], extra={"gap": np.nan})], {"stop": "gap"}, 1, "infeasible"),
    "a list": ([[1, 0, 0, 0, 0]], {}, 0, "finished"),
}


@pytest.mark.parametrize("name", ENDS)
def test_a_run_stops_at_its_rule_or_its_first_limit(name):
    iterates, limits, iterations, status = ENDS[name]
    result = run(iterates, **limits)
    assert (result.iterations, result.status) == (iterations, status)
    assert bool(result.fault) != result.good


def test_the_largest_step_of_all_components_decides():
    def both(i):
        return Iterate(E[0], Z=np.column_stack([E[0], turned(0.5**i)]))

    assert run(map(both, range(40)), "joint", tol=0.01).iterations == 7
    assert run(map(both, range(4)), "joint", tol=0.01).Z[:, 1] == pytest.approx(turned(0.125))


def test_set_up_and_iterations_are_timed_and_charged_apart_and_the_limit_is_for_both(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(driver, "perf_counter", lambda: clock[0])

    def taking(seconds, products, phase, x):
        def step(problem):
            clock[0] += seconds
            for _ in range(products):
                problem.covariance @ np.ones(5)
            return Iterate(x, phase=phase)

        return step

    steps = [taking(4.0, 2, "a", E[0]), taking(1.0, 1, "b", E[1]), taking(2.0, 3, "b", E[2])]
    result, product = run(steps, history=True), 70
    cost = result.cost
    assert (cost.setup_flops, cost.flops, cost.total_flops) == (2 * product, 4 * product, 420)
    assert (cost.setup_time, cost.solve_time, cost.seconds, cost.wall_time) == (4.0, 3.0, 7.0, 7.0)
    assert cost.phases == {
        "a": {"iterates": 1, "seconds": 4.0, "flops": 140},
        "b": {"iterates": 2, "seconds": 3.0, "flops": 280},
    }
    assert [entry["flops"] for entry in result.history] == [0, product, 4 * product]
    assert [entry["seconds"] for entry in result.history] == [0.0, 1.0, 3.0]
    for limit, iterations in ((4.0, 0), (4.5, 1), (5.0, 1), (5.5, 2), (8.0, 2)):
        stopped = run(steps, time_limit=limit)
        assert stopped.iterations == iterations
        assert stopped.status == ("time_limit" if limit < 7.0 else "finished")


def test_a_history_has_the_numbers_of_the_harness_for_every_iterate():
    extra = {"variance": -1.0, "own": 2.0}
    halves = (E[0] + E[1]) / np.sqrt(2.0)
    result = run([E[0], Iterate(halves, extra=extra)], history=True, stop="step")
    first, last = result.history
    assert [entry["iteration"] for entry in (first, last)] == [0, 1]
    assert np.isnan(first["change"]) and last["change"] == pytest.approx(2 * np.sin(np.pi / 8))
    assert [first["variance"], last["variance"]] == pytest.approx(
        [PROBLEM.variance(E[0]), PROBLEM.variance(halves)]
    )
    assert [first["cardinality"], last["cardinality"], last["own"]] == [1, 2, 2.0]
    assert result.extra == extra and not run([E[0]]).history


def test_iterates_are_copies_and_only_the_last_matrices_are_made():
    x, made = E[0].copy(), []

    def matrix(i):
        return lambda: made.append(i) or i * E

    def solve_in_place(i):
        x[:] = E[i]
        return Iterate(x, X=matrix(i), U=matrix(-i))

    steps = [lambda _, i=i: solve_in_place(i) for i in range(3)]
    result = run(steps, stop="end", history=True)
    assert [entry["variance"] for entry in result.history] == pytest.approx(
        [PROBLEM.variance(e) for e in E[:3]]
    )
    assert made == [2, -2] and np.array_equal(result.X, 2.0 * E)


REFUSED = {
    "an object of type NoneType": [None],
    "complex": [1j * E[0]],
    r"x of shape \(3,\); it must be \(5,\)": [E[0], np.ones(3)],
    "u of shape": [Iterate(E[0], np.ones(5))],
    "an object of type list": [[[1.0], [1.0, 2.0]]],
    r"exhausted iterator \(test_driver.py, line": [E[0], lambda _: next(iter(()))],
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_no_iterate_is_refused(message):
    with pytest.raises(SolverError, match=message):
        run(REFUSED[message])
    with pytest.raises(InputError, match="requires a solver that reports its gap"):
        run([E[0], E[1]], stop="gap")


def test_threads_are_seen_by_processor_time(monkeypatch):
    for clock, times in (("process_time", (1.0, 11.0)), ("thread_time", (3.0, 4.0))):
        monkeypatch.setattr(driver, clock, iter(times).__next__)
    cost = run([E[0]]).cost
    assert cost.cpu_time == 10.0 and cost.flags == (Flag.threads,)
