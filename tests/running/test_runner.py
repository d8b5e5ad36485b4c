"""The rule of timing, the rows of runs that fail, and jobs that are resumed."""

from dataclasses import replace

import numpy as np
import pytest

from spcabench import api
from spcabench.run import Run
from spcabench.running import rows, runner, worker
from spcabench.running.journal import Journal
from spcabench.running.process import Ended, Worker
from spcabench.running.runner import Job, Timing
from spcabench.running.schema import Answer
from spcabench.solving.status import Status
from tests import own_solver
from tests.answers import row_of, rows_of
from tests.problems import explicit
from tests.trial import answered, row

TASK = Run(dataset="pitprops", settings={"k": 3}, timeout=60.0)
GOOD = replace(TASK, solver="grqi")
ONCE = Timing(fastest=True)
FAULTS_OF_PYTEST = "faulthandler.disable()"  # it would print its own stack


@pytest.fixture
def file_of(here):
    """Return a function that writes the file of a solver with a body."""

    def made(body, name="trial"):
        body = f"x = np.eye(problem.n)[0]\n{body}"
        return own_solver.file_of(here, name, body, top=FAULTS_OF_PYTEST)

    return made


FAILURES = {  # what a solver does -> the status of its row
    "os._exit(3); yield": "crash",
    "yield np.ones(problem.n)": "infeasible",
    "yield 0.0 * x": "zero",
    "yield np.eye(problem.n)[0, :2]": "error",
    "raise RuntimeError('a\\nb'); yield": "error",
    "sys.exit(0); yield": "error",
    "yield Iterate(x, extra={'own': object()})": "error",
    "yield Iterate(x, bound='high')": "error",
    "problem.covariance.S[0] = 9.0; yield x": "error",  # what an answer is graded on is read-only
    "np.ones((200_000, 200_000)); yield": "memory_limit",
    "time.sleep(600); yield": "killed",
}


def has_no_answer(problem, *, seed):
    return "it has no answer"


def test_every_failure_is_one_row_and_the_next_run_is_not_affected(file_of):
    runs = []
    for place, (body, status) in enumerate(FAILURES.items()):
        timeout = 1.0 if status == "killed" else 60.0
        solver = file_of(body, f"trial{place}")
        runs += [replace(TASK, solver=solver, timeout=timeout), GOOD]
    runs += [Run(dataset="pitprops", function=has_no_answer), replace(GOOD, skip="it is too long")]
    runs += [replace(GOOD, parameters={"colour": "red"})]
    *made, of_function, skipped, refused = rows_of(runs, ONCE)
    for body, failure, good in zip(FAILURES, made[::2], made[1::2], strict=True):
        assert failure.status == FAILURES[body] and not failure.status.good, body
        assert "\n" not in failure.reason and failure.variance is None, body
        assert good.status == "converged", body
    assert (of_function.status, of_function.reason) == ("infeasible", "it has no answer")
    assert (skipped.status, skipped.reason) == ("skipped", "it is too long")
    assert refused.status is Status.NOT_RUN and "colour" in refused.reason  # no solver is to blame


@pytest.mark.parametrize(
    ("limit", "last"),  # the delay is 5 % and 20 ms, or 5 % and half of the limit
    [(1.0, 1.07), (0.02, 0.031)],
)
def test_the_tolerated_delay_counts_neither_waiting_nor_the_search(limit, last):
    def late(factor, **times):
        times = {"setup_time": 0.25 * last, "solve_time": 0.75 * last} | times
        answer = row(**{name: factor * time for name, time in times.items()}, waited=waited)
        return worker._is_late(GOOD.at(time_limit=limit), answer)

    for waited in (None, 0.0, 0.4):
        slower = 1.0 / (1.0 - (waited or 0.0))
        assert not late(0.999 * slower) and late(1.001 * slower)
    search = 2.5 * limit * 1.05 + min(0.02, 1.25 * limit)
    assert not late(0.999 * slower, search_time=search) and late(1.001 * slower, search_time=search)
    assert not worker._is_late(GOOD, row(solve_time=1e9))


def test_a_cardinality_below_one_is_a_share_of_the_variables():
    shares = {0.5: 6, 0.25: 3, 0.01: 2}  # of 13 variables, at least two
    made = rows_of([GOOD.at(k=share) for share in shares], ONCE)
    assert [row.k for row in made] == [*shares.values()]


@pytest.mark.parametrize(("solver", "form"), [("gpower1", "data"), ("dspca", ""), ("em", "sparse")])
def test_the_columns_of_a_row_are_those_of_the_result(solver, form):
    problem = api.load("gaussian", m=9, n=7)
    result = api.solve(problem.given_as(form) if form else problem, solver, k=3)
    run = Run(dataset="gaussian", parameters=dict(m=9, n=7), solver=solver, settings=dict(k=3))
    made = row_of(replace(run, form=form or None, vectors=True), ONCE)
    same = ("k", "cardinality", "iterations", "variance", "bound", "gap", "status", "nonnegative")
    for name in (*same, "bound_whp", "relaxation_value", "relaxation_bound", "relaxation_gap"):
        assert getattr(made, name) == getattr(result, name), name
    cost = result.cost
    assert (made.flops, made.setup_flops) == (cost.flops, cost.setup_flops)
    search = {"runs": made.search_runs, "flops": made.search_flops}
    assert search == {name: cost.search.get(name) for name in search}
    assert made.flops_in_all == cost.total_flops and 0.0 <= made.waited <= 1.0
    assert (made.n, made.m, made.nnz, made.form) == (7, 9, 63, result.problem.form)
    assert np.array_equal(np.array(made.values), result.x[made.support])
    W, S = made.support, explicit(problem)
    assert made.variance_refit == pytest.approx(np.linalg.eigvalsh(S[np.ix_(W, W)])[-1])
    assert made.lambda_1 == pytest.approx(np.linalg.eigvalsh(S)[-1])
    assert (made.u is not None) == (result.u is not None)


def test_values_are_those_of_the_vector_and_a_late_answer_is_flagged(file_of):
    body = "time.sleep(0.2)\nyield Iterate(x, bound=1e9, extra={'objective': 1e9})"
    solver, limited = file_of(body), dict(k=3, time_limit=0.1)
    late = row_of(replace(TASK, solver=solver, settings=limited), ONCE)
    assert late.variance == pytest.approx(1.0) and late.bound < 1e3
    assert late.claimed_bound == pytest.approx(1e9)
    assert late.status.good and late.flags == ["overtime"]


ROUNDS = [(5.5, (True, True), 5), (6.0, (True, True), 6), (99.0, (False, False), 9)]
ROUNDS += [(0.1, (True, False), 2), (0.1, (True, True), 1)]


@pytest.mark.parametrize(("seconds", "one_round", "rounds"), ROUNDS)
def test_a_round_is_started_if_the_group_would_end_within_its_time(
    monkeypatch, seconds, one_round, rounds
):
    """A round takes a second; at most nine and, unless all say that one is enough, at least two."""
    monkeypatch.setattr(runner, "perf_counter", iter([7.0, *np.arange(7.0, 99.0)]).__next__)
    answer = Answer(status=Status.CONVERGED, support=[1], history=[{"flops": 1}])
    monkeypatch.setattr(runner._Execution, "_answer", lambda *_: answer)
    runs = [replace(GOOD, timed=True, seed=i, one_round=one) for i, one in enumerate(one_round)]
    made = rows_of(runs, Timing(rounds=9, least=2, seconds=seconds))
    assert [row.repeat for row in made] == sorted([*range(rounds)] * 2)
    assert [row.support is None for row in made] == [row.repeat > 0 for row in made]
    assert all(row.history for row in made)


@pytest.mark.parametrize("fastest", [True, False])
def test_the_fastest_round_is_the_row_of_a_run_and_long_runs_have_one(monkeypatch, fastest):
    """Without the fastest round, ratios are between runs of one round, so all are repeated."""
    times: dict[int, list] = {0: [0.1, 0.05, 0.15], 1: [0.25, 0.24, 0.26], 2: [None] * 3}

    def answer(self, run, reached):
        seconds = times[run.seed].pop(0)
        status = Status.CONVERGED if seconds else Status.KILLED
        numbers = dict(solve_time=seconds, peak_memory=seconds, flags=[str(seconds)])
        return Answer(status=status, **numbers, support=[0, 4])

    monkeypatch.setattr(runner._Execution, "_answer", answer)
    runs = [replace(GOOD, timed=True, seed=seed) for seed in times]
    made = rows_of(runs, Timing(rounds=3, longest=0.2, fastest=fastest))
    if fastest:
        assert [row.round_times for row in made] == [[0.1, 0.05, 0.15], [0.25], None]
        assert [row.seconds for row in made] == [0.05, 0.25, None]
        assert [row.peak_memory for row in made] == [0.1, 0.25, None]  # of the first round
        assert [row.flags for row in made] == [["0.05", "0.1", "0.15"], ["0.25"], ["None"]]
        assert all(row.support == [0, 4] and row.repeat == 0 for row in made)
    else:
        seconds = [0.1, 0.25, None, 0.05, 0.24, None, 0.15, 0.26, None]
        assert [row.seconds for row in made] == seconds


def test_a_sample_lasts_long_enough(monkeypatch):
    task = replace(GOOD, timed=True)
    results = []
    solve = worker.api.solve
    monkeypatch.setattr(
        worker.api, "solve", lambda *a, **b: results.append(solve(*a, **b)) or results[-1]
    )
    monkeypatch.setattr(worker, "_warm", {})
    answer = answered(task)
    _, *timed = [each.cost.seconds for each in results]
    assert answer["samples"] == len(timed)
    assert sum(timed) >= worker.SAMPLE > sum(timed[:-1])
    assert answer["solve_time"] + answer["setup_time"] == pytest.approx(np.mean(timed))
    again = answered(task)["samples"]  # a later round needs no warm-up
    assert len(results) == 1 + len(timed) + again
    long = replace(task, seed=1)
    assert not worker.ready(long) and not worker.solved(long, long=0.0)
    assert worker.graded(long)["samples"] == 1  # a long first run is itself the sample
    assert len(results) == 2 + len(timed) + again


WORK = """if "x" not in KEPT:
    for _ in range(9):
        problem.covariance @ np.ones(13)
problem.covariance @ x
"""


def test_a_solver_that_keeps_something_between_runs_is_flagged(file_of):
    bodies = [WORK + "yield x", WORK + "KEPT['x'] = x\nyield x"]
    solvers = [file_of(body, f"trial{i}") for i, body in enumerate(bodies)]
    made = rows_of([replace(TASK, solver=solver, timed=True) for solver in solvers])
    assert [row.flags for row in made] == [None, ["warm"]]


def test_a_search_for_a_penalty_is_part_of_the_time_of_a_comparison():
    task = replace(TASK, solver="gpower1", timed=True)
    whole, alone = row_of(task), row_of(task, Timing())
    assert whole.seconds == whole.search_time > 3 * whole.solve_time
    assert alone.flops == whole.flops and alone.search_flops == whole.search_flops


def job_of(groups, folder, **changes):
    fields = dict(name="trial", timing=ONCE, key="abc", out=folder / "rows.parquet")
    return Job(groups=groups, **fields | changes)


@pytest.fixture
def disturbed(monkeypatch):
    """Return a function that lets the next calls end from outside, and lists the executed runs."""
    calls, executed = [], []
    original = Worker.call

    def call(self, function, *arguments, **patience):
        if function is worker.solved:
            executed.append(arguments[0])
            if calls:
                raise calls.pop()
        return original(self, function, *arguments, **patience)

    monkeypatch.setattr(Worker, "call", call)

    def disturb(times):
        calls.extend([Ended(Status.NOT_RUN, "killed")] * times)
        return executed

    return disturb


def test_a_run_that_was_killed_from_outside_is_repeated_once_and_then_by_the_next_command(
    disturbed, tmp_path
):
    job, told = job_of({"a": [GOOD, GOOD.at(k=4)]}, tmp_path), []
    for times, status, runs in ((2, "not_run", 3), (1, "converged", 2)):
        executed = disturbed(times)
        runner.run_job(job, lambda *numbers: told.append(numbers))
        assert executed == [GOOD] * 2 + [GOOD.at(k=4)] * (runs - 2)
        assert rows.read([job.out]).status.tolist() == [status, "converged"]
        assert runner.is_current(job) == (status == "converged")
        executed.clear()
    assert told == [(1, 2), (2, 2)] * 2


def test_every_new_process_executes_the_warm_up_runs(disturbed, file_of, monkeypatch):
    executed, call = disturbed(0), Worker.call
    warm = GOOD.at(k=2)
    crashes = replace(TASK, solver=file_of("os._exit(3); yield", "crashes"))
    large = replace(TASK, solver=file_of("np.ones((200_000, 200_000)); yield", "large"))
    dies = GOOD.at(k=5)

    def of(self, function, run, *arguments, **patience):
        if function is worker.graded and run == dies:
            raise Ended(Status.CRASH, "it crashed")
        return call(self, function, run, *arguments, **patience)

    monkeypatch.setattr(Worker, "call", of)
    made = rows_of([crashes, large, dies, GOOD, GOOD], ONCE, warm=[warm])
    assert made[2].status is Status.NOT_RUN and "could not be graded" in made[2].reason
    ended = [run for run in executed if run != warm]
    assert ended == [crashes, large, dies, dies, GOOD, GOOD]  # what the harness lost, is repeated
    assert executed == [x for run in ended[:5] for x in (warm, run)] + [GOOD]


def test_a_run_that_hangs_skips_the_harder_runs_of_its_series_and_in_a_warm_up_all(
    file_of, monkeypatch
):
    monkeypatch.setattr(runner, "PATIENCE", 0.5)
    slow = replace(TASK, solver=file_of("time.sleep(600); yield"), timeout=0.5, series="a")
    runs = [slow, slow.at(k=4), replace(GOOD, series="b")]
    assert [row.status for row in rows_of(runs, ONCE)] == ["killed", "skipped", "converged"]
    assert [row.status for row in rows_of(runs, ONCE, warm=[slow])] == ["skipped"] * 3


def test_a_file_that_changes_while_it_runs_is_a_warning(file_of, here, capsys):
    solver = file_of("open(__file__, 'a').write('# edited')\nyield x")
    job = job_of({"all": [replace(TASK, solver=solver)]}, here)
    runner.run_job(job)
    assert "trial.py: changed while it was running" in capsys.readouterr().err
    assert not runner.is_current(job)


def test_a_resumed_job_executes_only_what_is_missing(tmp_path):
    job = job_of({"a": [GOOD], "b": [GOOD.at(k=4)]}, tmp_path)
    journal = Journal(job.out, job.key)
    journal.add("a 0-0-0", row(variance=7.0))
    runner.run_job(job)
    table = rows.read([job.out])
    assert table.variance[0] == 7.0 and table.variance[1] < 7.0
    assert runner.is_current(job) and not runner.is_current(replace(job, key="other"))
    assert [file.name for file in tmp_path.iterdir()] == ["rows.parquet"]


def test_each_group_starts_in_a_new_process(file_of, tmp_path):
    solver = file_of("KEPT[len(KEPT)] = k\nyield Iterate(x, extra={'runs': len(KEPT)})")
    run = replace(TASK, solver=solver)
    made = runner.rows_of(job_of({"a": [run, run], "b": [run]}, tmp_path))
    assert [each.extra["runs"] for each in made] == [1, 2, 1]


def test_memory_is_measured_in_a_run(file_of):
    body = "A = np.ones(20_000_000)\nx = x * A[0]\nyield x"
    answer = row_of(replace(TASK, solver=file_of(body), memory=True), ONCE)
    assert 150e6 < answer.peak_memory - answer.memory_before < 400e6
    assert row_of(GOOD, ONCE).peak_memory is None
