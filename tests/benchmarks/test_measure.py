"""Measuring a solver: in this process, in a separate process, and as an asv benchmark."""

import json
import math
import os
import sys

import pytest
from asv.config import Config
from asv.runner import BENCHMARK_RUN_SCRIPT

from benchmarks import best_known, commit_packages, commits, measure, solver_processes
from benchmarks.problems import PROBLEMS, REDUCED
from benchmarks.tracked import overhead, solvers
from tests.problems import WHOLE


def test_the_reduced_set_has_sparse_data_and_a_covariance():
    forms = {PROBLEMS[name].make().form for name in REDUCED}
    assert forms == {"data", "sparse", "covariance"}


def test_the_memory_of_a_call_is_its_own():
    needed = measure.memory_of(lambda: bytearray(b"1" * 64_000_000))
    if math.isnan(needed):
        pytest.skip("the system does not say")
    assert needed > 50_000_000
    assert measure.memory_of(lambda: None) < 10_000_000


def test_counts_of_a_process_of_its_own_are_those_of_the_harness(capsys):
    package = commits.package_of(commits.full_hash("HEAD"))
    names = ["gaussian-20", "no-such-problem"]
    (counts,) = solver_processes.collect(names, package, 1, ["tpower"], title="old").values()
    last = capsys.readouterr().err.split("\r")[-1]
    assert last.startswith("old: 100%") and "1/1" in last
    assert counts["no-such-problem"]["status"] == "error"
    here, process = measure.measured("tpower", "gaussian-20"), counts["gaussian-20"]
    for entry in (here, process):
        assert entry.pop("seconds") > 0 and entry.pop("memory") > 0
    assert process == here and here["flops"] > 0 and 0 <= here["gap"] < 1


def test_a_solver_that_crashes_costs_the_others_nothing(monkeypatch):
    def entry(solver, name):
        return os._exit(3) if solver == "crashes" else {"status": "converged"}

    fork = solver_processes.multiprocessing.get_context("fork")
    monkeypatch.setattr(solver_processes, "entry", entry)
    monkeypatch.setattr(solver_processes, "FORK", fork)
    counts = {s: solver_processes.of_solver(s, ["gaussian-20"]) for s in ("crashes", "runs")}
    assert counts["crashes"]["gaussian-20"]["status"] == "error"
    assert counts["runs"] == {"gaussian-20": {"status": "converged"}}


def test_a_package_that_is_not_the_one_measured_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match="not the commit in"):
        solver_processes.collect(["gaussian-20"], tmp_path, solvers=["tpower"])


def test_the_best_known_answers_are_those_of_the_problems():
    best = best_known.read()
    assert set(best) == set(PROBLEMS) > set(REDUCED)
    counts = measure.measured("brute_force", "gaussian-20")
    values = measure.values(counts, best["gaussian-20"])
    assert values["shortfall"] == pytest.approx(0.0, abs=1e-12)
    assert math.isnan(measure.values({}, None)["flops"])


def test_asv_finds_the_package_of_the_commit_and_not_the_installed_one(tmp_path, monkeypatch):
    package, suite = tmp_path / "package" / "spcabench", tmp_path / "suite"
    for folder in (package, suite):
        folder.mkdir(parents=True)
    (package / "__init__.py").write_text("NAME = 'that of the commit'")
    (suite / "__init__.py").write_text(
        "import spcabench\n\ndef track_one(): return 1\n\ntrack_one.unit = spcabench.NAME\n"
    )
    monkeypatch.setattr(commit_packages, "package_of", lambda sha: package.parent)
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    environment = commit_packages.CommitPackages(Config(), python, {}, {})
    environment.install_project(None, None, "a" * 40)
    benchmarks = tmp_path / "benchmarks.json"
    environment.run([BENCHMARK_RUN_SCRIPT, "discover", str(suite), str(benchmarks)])
    assert [b["unit"] for b in json.loads(benchmarks.read_text())] == ["that of the commit"]
    assert environment.installed_commit_hash == "a" * 40


@pytest.fixture
def solved(tmp_path, monkeypatch):
    """Run code in asv's folder of a suite and return the list of its solves."""
    runs, entry = [], measure.entry

    def count(solver, problem, in_history):
        runs.append((solver, problem))
        return entry(solver, problem, in_history)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(measure, "entry", count)
    return runs


def test_a_benchmark_of_asv_solves_once_for_all_its_numbers_and_nothing_else(solved):
    for _ in range(3):
        benchmark = solvers.tpower()
        benchmark.setup("gaussian-20")
    assert solved == [("tpower", "gaussian-20")]
    counts = measure.measured("tpower", "gaussian-20")
    for name in ("flops", "iterations", "gap"):
        assert getattr(benchmark, f"track_{name}")("gaussian-20") == counts[name]
    assert 0 <= benchmark.track_shortfall("gaussian-20") < 1
    benchmark.time_solve("gaussian-20")


def test_asv_skips_what_is_not_for_a_solver_and_shows_what_fails(solved, monkeypatch):
    with pytest.raises(NotImplementedError, match="for small problems"):
        solvers.brute_force().setup("gaussian-100")
    monkeypatch.setattr(measure, "entry", lambda *_, **__: {"status": "error", "reason": "boom"})
    with pytest.raises(RuntimeError, match="boom"):
        solvers.tpower().setup("gaussian-20")
    monkeypatch.setattr(solvers, "AT_COMMIT", set())
    with pytest.raises(NotImplementedError, match="not at this commit"):
        solvers.tpower().setup("gaussian-20")


def test_a_number_after_a_crash_does_not_crash_again(solved, monkeypatch):
    monkeypatch.setattr(measure, "entry", lambda *_, **__: sys.exit())
    with pytest.raises(SystemExit):
        solvers.tpower().setup("gaussian-20")
    with pytest.raises(RuntimeError, match="it crashed"):
        solvers.tpower().setup("gaussian-20")


@WHOLE
@pytest.mark.parametrize("measured", [overhead.Grqi, overhead.Mcol])
def test_the_overhead_is_measured_without_files_of_data(measured, tmp_path, monkeypatch):
    monkeypatch.setenv("SPCABENCH_DATA", str(tmp_path))
    monkeypatch.setattr(overhead, "ROUNDS", 2)
    numbers = measured().setup_cache()
    tracked = {name: getattr(measured(), name) for name in dir(measured) if "track_" in name}
    assert tracked and all(0.0 < track(numbers) < math.inf for track in tracked.values())
