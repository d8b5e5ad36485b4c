"""The search for a penalty for a requested cardinality, and its bounds."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from spcabench import Problem, api, registry
from spcabench.solving import tune
from spcabench.solving.call import Limits, arguments
from spcabench.solving.run_warnings import Flag
from tests import problems

BY_PENALTY = [s for s in problems.SOLVERS if problems.traits(s).control == "penalty"]
by_penalty = pytest.mark.parametrize("solver", BY_PENALTY)


def _watch(monkeypatch):
    runs = []
    drive = tune.drive
    monkeypatch.setattr(
        tune, "drive", lambda *args, **kw: runs.append(drive(*args, **kw)) or runs[-1]
    )
    return runs


@pytest.mark.parametrize(("solver", "family"), problems.spread(BY_PENALTY, problems.FAMILIES))
@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_the_search_is_the_sum_of_its_runs(solver, family, monkeypatch, seed):
    problem, k = problems.problem(family, seed)
    runs = _watch(monkeypatch)
    best = api.solve(problem, solver, k=k)
    monkeypatch.undo()
    assert best.k == k
    assert best.cost.search["runs"] == len(runs) <= tune.MOST_TRIALS + 1
    near = [abs(r.cardinality - k) <= 0.1 * k for r in runs]
    assert best.cost.search["near"] == (near.index(True) + 1 if any(near) else len(runs))
    _, _, flops, _ = tune._range(problem, registry.module("solver", solver))
    assert best.cost.search["flops"] == flops + sum(r.cost.flops + r.cost.setup_flops for r in runs)
    assert best.cost.search["time"] >= sum(r.cost.solve_time + r.cost.setup_time for r in runs)
    fitting = [r for r in runs if r.good and r.cardinality <= k]
    assert best.good
    assert bool(fitting) == (Flag.tied not in best.cost.flags)
    assert all(r.variance <= best.variance for r in fitting)


@by_penalty
@pytest.mark.parametrize("seed", problems.some(2, range(5)))
def test_the_best_trial_repeats_at_its_penalty(solver, seed):
    problem, k = problems.problem("spiked data", seed)
    best = api.solve(problem, solver, k=k)
    again = api.solve(problem, solver, **arguments(best.settings))
    assert np.array_equal(best.x, again.x)
    assert (best.cost.flops, best.cost.setup_flops, best.status) == (
        again.cost.flops,
        again.cost.setup_flops,
        again.status,
    )
    assert not again.cost.search


def test_of_the_trials_that_fit_the_best_one_is_returned():
    problem = Problem.from_covariance(np.diag([5.0, 4.0, 3.0]) + 1.0)
    fitting = [api.solve(problem, "tpower", k=k) for k in (1, 3, 2)]
    for order in permutations(fitting):
        assert tune._best([*order], fitting, 3) is fitting[1]


def test_a_trial_that_does_not_tie_is_not_cut():
    """Every penalty gives too many nonzeros, which differ: there is no answer, and a reason."""
    problem, _ = problems.problem("gaussian data", 0)
    trial = api.solve(problem, "gpower1", settings={"gamma": 1e-6})
    best = tune._cut([trial], 1)
    assert best.status == "infeasible"
    assert best.cost.flags == ()
    message = replace(best, k=1, cost=replace(best.cost, search={"runs": 1})).fault
    assert "no penalty gave at most k = 1" in message


BY_PATH = [s for s in BY_PENALTY if problems.traits(s).path]


@pytest.mark.parametrize("solver", BY_PATH)
@pytest.mark.parametrize("seed", problems.some(3, range(10)))
def test_a_start_changes_no_certified_answer(solver, seed):
    name = problems.traits(solver).penalty
    problem, _ = problems.problem("gaussian covariance", seed)
    lam = 0.3 * problem.matrix.S.diagonal().max()
    cold = api.solve(problem, solver, **arguments({name: lam}))
    for x in (cold.x, api.solve(problem, solver, **arguments({name: 1.5 * lam})).x):
        warm = api.solve(problem, solver, **arguments({**({name: lam}), "start": x}))
        assert warm.relaxation_value <= cold.relaxation_bound * (1 + 1e-9)
        assert cold.relaxation_value <= warm.relaxation_bound * (1 + 1e-9)
        assert warm.relaxation_gap <= 2 * max(cold.relaxation_gap, 1e-3)


SLOW = '''"""Has 1, 3, 5, ... nonzeros, and takes its time."""
from time import perf_counter
import numpy as np
from spcabench.iterate import Traits
TRAITS = Traits(control="penalty", penalty="weight")
EXAMPLE = dict(weight=0.5)
STOP = "end"
def penalty_range(problem):
    return 0.1, 1.0
def solve(problem, *, weight):
    x = np.zeros(problem.n)
    count = 1 + 2 * int(6.0 * (1.0 - weight))
    x[:count] = np.arange(13, 13 - count, -1)
    begun = perf_counter()
    while perf_counter() < begun + 0.02:
        pass
    yield x / np.linalg.norm(x)
'''


def test_a_search_ends_with_its_time_and_keeps_the_best_trial(tmp_path):
    (tmp_path / "slow.py").write_text(SLOW)
    problem = Problem.from_covariance(np.ones((13, 13)) + np.eye(13))
    full = api.solve(problem, str(tmp_path / "slow.py"), k=6)
    assert (full.cardinality, full.status) == (5, "finished")
    short = api.solve(
        problem, str(tmp_path / "slow.py"), k=6, limits=Limits(time_limit=0.021 / tune.LIMITS)
    )
    assert short.cost.search["runs"] < full.cost.search["runs"]
    assert short.status == "time_limit" and short.good
    assert 1 <= short.cardinality <= 5
