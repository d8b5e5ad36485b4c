"""The asv benchmark of a solver: its counts are those of a run, and it runs once."""

import numpy as np
import pytest

from benchmarks import solver
from benchmarks.problems import PROBLEMS
from spcabench import registry, solve
from spcabench.solving.call import arguments


@pytest.fixture
def benchmark_of(tmp_path, monkeypatch):
    """Return a function that makes the benchmark of a solver in a folder of asv."""
    monkeypatch.chdir(tmp_path)

    def made(name, **attributes):
        return type(name, (solver._Solver,), {"solver": name, "present": True} | attributes)()

    return made


def test_a_benchmark_of_asv_runs_once_for_all_its_numbers(benchmark_of, tmp_path, monkeypatch):
    for _ in range(2):
        benchmark = benchmark_of("tpower")
        benchmark.setup("gaussian-20")
        assert benchmark.track_flops("gaussian-20") > 0
        assert 0.0 <= benchmark.track_gap("gaussian-20") < 1.0
        monkeypatch.delattr("benchmarks.solver.counts_of", raising=False)
    benchmark.time_solve("gaussian-20")
    assert [file.name for file in tmp_path.iterdir()] == ["tpower gaussian-20.json"]


def test_asv_skips_what_a_solver_does_not_take_and_shows_what_fails(benchmark_of, monkeypatch):
    exact = benchmark_of("brute_force")
    exact.setup("gaussian-20")
    assert exact.track_shortfall("gaussian-20") == pytest.approx(0.0, abs=1e-12)
    for left_out, problem in (
        (benchmark_of("brute_force", present=False), "gaussian-20"),
        (exact, "gaussian-100"),
    ):
        with pytest.raises(NotImplementedError):
            left_out.setup(problem)
    monkeypatch.setattr("benchmarks.solver.run", lambda *_: 1 / 0)
    broken = benchmark_of("grqi")
    for error in (ZeroDivisionError, RuntimeError):
        with pytest.raises(error):
            broken.setup("gaussian-20")


def test_a_relaxation_gets_a_penalty_and_any_other_solver_a_cardinality():
    problem = PROBLEMS["gaussian-20"].make()
    for name, setting in (("dspca", "rho"), ("gpower1", "k"), ("tpower", "k")):
        module = registry.module("solver", name)
        assert solver.settings_of(module, problem, 5).keys() == {setting}


def test_a_run_uses_the_words_of_its_commit(monkeypatch):
    def old(problem, solver, **settings):
        return settings

    def new(problem, solver, *, k=None, random_state=0, settings=None):
        assert not {"k", "seed"} & {*settings}
        return {"k": k, "seed": random_state} | settings

    asked = {"k": 3, "gamma": 0.1, "seed": 7}
    for solve_of_commit in (old, new):
        monkeypatch.setattr(solver, "solve", solve_of_commit)
        assert solver.run(None, "s", asked) == asked


@pytest.mark.parametrize("name", registry.names("solver"))
def test_every_solver_runs_again_with_the_settings_of_its_counted_run(name):
    standard, module = PROBLEMS["gaussian-20"], registry.module("solver", name)
    problem = standard.make()
    counts = solver.counts_of(module, problem, standard)
    if "refused" not in counts:
        again = solver.run(problem, name, counts["settings"])
        assert again.iterations == counts["iterations"]


def test_the_problems_are_those_of_the_best_known_variances():
    for standard in PROBLEMS.values():
        best = solve(standard.make(), "local_search", k=standard.k, refit=True).variance
        assert best == pytest.approx(standard.best, rel=1e-3)


@pytest.mark.parametrize("name", ["tpower", "dspca", "power_method"])
def test_the_counts_are_those_of_a_run(name):
    standard, module = PROBLEMS["gaussian-20"], registry.module("solver", name)
    problem = standard.make()
    counts = solver.counts_of(module, problem, standard)
    result = solve(problem, name, **arguments(counts["settings"]))
    assert counts["flops"] == result.cost.flops + result.cost.setup_flops
    assert (result.cost.setup_flops > 0) == (name != "dspca")
    assert (counts["iterations"], counts["gap"]) == (result.iterations, result.gap)
    keep = np.argsort(-np.abs(result.x))[: standard.k]
    z = result.x[keep] / np.linalg.norm(result.x[keep])
    Sigma = problem.given_as("covariance").covariance.S[np.ix_(keep, keep)]
    shortfall = 1.0 - z @ Sigma @ z / standard.best
    if name == "power_method":
        assert np.isnan(counts["shortfall"])
    else:
        assert 0.0 < counts["shortfall"] == pytest.approx(shortfall)
    if name == "dspca":
        assert counts["settings"]["rho"] == 0.1 * module.penalty_range(problem)[1]


def test_the_memory_of_a_solve_is_its_own(benchmark_of, monkeypatch):
    benchmark = benchmark_of("tpower")
    benchmark.setup("gaussian-20")
    monkeypatch.setattr(solver, "run", lambda *_: np.ones(8_000_000))
    assert benchmark.track_memory("gaussian-20") == pytest.approx(64e6, rel=0.1)
