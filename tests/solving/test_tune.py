"""The search for a penalty for a requested cardinality, and its bounds."""

from dataclasses import replace
from itertools import count, pairwise, permutations

import numpy as np
import pytest

from spcabench import Problem, api, registry
from spcabench.errors import SolverError
from spcabench.iterate import as_matrix
from spcabench.solving import certify, driver, tune
from spcabench.solving.call import Limits, arguments
from spcabench.solving.run_warnings import Flag
from tests import problems

BY_PENALTY = [s for s in problems.SOLVERS if problems.traits(s).control == "penalty"]


@pytest.mark.parametrize(("solver", "family"), problems.spread(BY_PENALTY, problems.FAMILIES))
@pytest.mark.parametrize("seed", problems.some(1, range(4)))
def test_the_search_is_the_sum_of_its_runs_and_its_best_one_repeats(
    solver, family, monkeypatch, seed
):
    problem, k = problems.problem(family, seed)
    runs, drive = [], tune.drive
    monkeypatch.setattr(tune, "drive", lambda call: runs.append(drive(call)) or runs[-1])
    best = api.solve(problem, solver, k=k)
    monkeypatch.undo()
    assert best.k == k and best.good
    cost = best.cost
    assert cost.search["runs"] == len(runs) <= tune.MOST_TRIALS + 1
    near = [abs(r.cardinality - k) <= 0.1 * k for r in runs]
    assert cost.search["near"] == (near.index(True) + 1 if any(near) else len(runs))
    assert cost.search["iterations"] == sum(r.iterations for r in runs)
    _, _, flops, _ = tune._range(problem, registry.module("solver", solver))
    total = flops + sum(r.cost.flops + r.cost.setup_flops for r in runs)
    assert cost.search["flops"] == cost.total_flops == total
    assert cost.search["time"] >= sum(r.cost.seconds for r in runs)
    assert cost.cpu_time == sum(r.cost.cpu_time for r in runs)
    assert cost.wall_time >= sum(r.cost.wall_time for r in runs)
    fitting = [r for r in runs if r.good and r.cardinality <= k]
    assert bool(fitting) == (Flag.tied not in cost.flags)
    assert all(r.variance <= best.variance for r in fitting)
    if best.cardinality == k and fitting:
        again = api.solve(problem, solver, **arguments(best.settings))
        assert np.array_equal(best.x, again.x) and not again.cost.search
        assert (again.cost.flops, again.status) == (cost.flops, best.status)


def scripted(counts, path=False):
    """Return a solver whose penalty from .1 to 1 gives some numbers of nonzeros, and its calls."""
    calls = []

    def solve(problem, *, weight, start=None):
        x = np.zeros(problem.n)
        nonzeros = counts(weight)
        calls.append((weight, nonzeros, None if start is None else np.count_nonzero(start)))
        x[:nonzeros] = np.arange(problem.n, problem.n - nonzeros, -1)
        yield x / np.linalg.norm(x)

    solver = problems.solver_of(solve, control="penalty", penalty="weight", path=path)
    solver.penalty_range = lambda problem: (0.1, 1.0)
    return solver, calls


ALL = Problem.from_covariance(np.ones((13, 13)) + np.eye(13))


@pytest.mark.parametrize("path", [False, True])
@pytest.mark.parametrize("k", [1, 2, 6, 12, 13])
def test_a_search_ends_at_k_or_next_to_it(k, path):
    """The number of nonzeros falls as the penalty grows, one at a time or two at a time."""
    for step, found in ((1, k), (2, k - (k % 2 == 0))):
        solver, calls = scripted(
            lambda w, step=step: 13 - step * int(12.5 / step * (w - 0.1) / 0.9), path
        )
        result = api.solve(ALL, solver, k=k)
        assert result.cardinality == found and result.good
        assert len(calls) <= (24 if step == 2 or path else 9)
        assert all(0.1 < weight < 1.0 for weight, *_ in calls)
        low = [w for w, nonzeros, _ in calls if nonzeros > k]
        high = [w for w, nonzeros, _ in calls if nonzeros < k]
        assert max(low, default=0.1) < min(high, default=1.0)
        if found < k:  # nothing lies between
            assert np.log(min(high) / max(low)) < 2.0 * tune.CLOSED
        if not path:  # the first guess lies where log(nonzeros) would be that of k on a line
            share = np.log(13 / (k + 0.25)) / np.log(13)
            assert np.log10(calls[0][0] / 0.1) == pytest.approx(np.clip(share, 0.05, 0.95))
        starts = {nonzeros for *_, nonzeros in calls} - {None}
        assert all(nonzeros < k for nonzeros in starts) and bool(starts) <= path
        if path:  # it descends in small steps, and each starts from the last answer
            falls = [b / a for (a, *_), (b, *_) in pairwise(calls)]
            assert min(falls, default=1.0) > 0.79


def test_a_search_ends_with_its_time_and_keeps_the_best_trial(monkeypatch):
    seconds = count()
    monkeypatch.setattr(driver, "perf_counter", lambda: next(seconds))
    solver, calls = scripted(lambda w: 1 + 2 * int(6.0 * (1.0 - w)))
    full = api.solve(ALL, solver, k=6)
    assert (full.cardinality, full.status) == (5, "finished") and len(calls) > 5
    spent = full.cost.search["time"] / full.cost.search["runs"]  # of each trial
    short = api.solve(ALL, solver, k=6, limits=Limits(time_limit=2.5 * spent / tune.LIMITS))
    assert short.cost.search["runs"] in (3, 4) and short.status == "time_limit" and short.good
    assert 1 <= short.cardinality <= 5


def test_of_the_trials_that_fit_the_best_one_is_returned_or_a_better_cut():
    problem = Problem.from_covariance(np.diag([5.0, 4.0, 3.0]) + 1.0)
    fitting = [api.solve(problem, "tpower", k=k) for k in (1, 3, 2)]
    for order in permutations(fitting):
        assert tune._best([*order], fitting, 3) is fitting[1]
    equal = replace(fitting[1], x=np.ones(3) / np.sqrt(3.0))
    cut = tune._best(fitting[:1], [fitting[0], equal], 2)
    assert cut.cardinality == 2 and Flag.tied in cut.cost.flags
    assert cut.variance > fitting[0].variance
    assert tune._best(fitting[::2], [fitting[0], equal], 2) is fitting[2]


def test_a_trial_that_does_not_tie_is_not_cut():
    """Every penalty gives too many nonzeros, which differ: there is no answer, and a reason."""
    result = api.solve(ALL, scripted(lambda w: 3)[0], k=2)
    assert result.status == "infeasible" and result.cost.flags == ()
    assert result.fault == "no penalty gave at most k = 2 nonzeros; the fewest are 3"
    for low, high in ((0.0, 1.0), (1.0, 1.0), (1.0, np.inf)):
        solver, _ = scripted(lambda w: 3)
        solver.penalty_range = lambda problem, ends=(low, high): ends
        with pytest.raises(SolverError, match="it must be 0 < low < high"):
            api.solve(ALL, solver, k=2)


BY_PATH = [s for s in BY_PENALTY if problems.traits(s).path]


@pytest.mark.parametrize("solver", BY_PATH)
@pytest.mark.parametrize("seed", problems.some(1, range(10)))
def test_a_start_changes_no_certified_answer(solver, seed):
    name = problems.traits(solver).penalty
    problem, _ = problems.problem("gaussian covariance", seed)
    lam = 0.3 * problem.matrix.S.diagonal().max()
    cold = api.solve(problem, solver, **arguments({name: lam}))
    low, high = cold.relaxation_value, cold.relaxation_bound
    assert 0.0 <= cold.relaxation_gap == pytest.approx((high - low) / high)
    dual = certify.sparse_bound(problem, as_matrix(cold.U), cold.cardinality)
    assert cold.variance <= cold.bound <= dual * (1 + 1e-12)
    for x in (cold.x, api.solve(problem, solver, **arguments({name: 1.5 * lam})).x):
        warm = api.solve(problem, solver, **arguments({**({name: lam}), "start": x}))
        assert warm.relaxation_value <= cold.relaxation_bound * (1 + 1e-9)
        assert cold.relaxation_value <= warm.relaxation_bound * (1 + 1e-9)
        assert warm.relaxation_gap <= 2 * max(cold.relaxation_gap, 1e-3)
