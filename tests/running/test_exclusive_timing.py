"""Locks give a timed run the machine to itself, and other work shares it; which times are
comparable.
"""

import math
import multiprocessing
import os
import threading
import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcabench import api, machine
from spcabench.cli import compare, options
from spcabench.comparison import conditions, plans, ranking
from spcabench.comparison.jobs import Job
from spcabench.run import Run
from spcabench.running import (
    exclusive_timing,
    outside_cost,
    runner,
    solver_processes,
    worker,
    workflow,
)
from spcabench.running.schema import Answer
from spcabench.running.worker_process import Worker
from spcabench.solving.run_warnings import Flag
from spcabench.solving.status import Status

SOLVERS = ["tpower", "grqi", "gpower1"]
WAIT = 0.3  # seconds in which a thread that may go on has gone on


class Taker(threading.Thread):
    """A thread that takes a turn, reports it and keeps it until it is released."""

    def __init__(self, turn, folder):
        super().__init__(daemon=True)
        self.turn, self.folder = turn, folder
        self.has, self.released = threading.Event(), threading.Event()
        self.start()

    def run(self):
        with self.turn(self.folder):
            self.has.set()
            self.released.wait(30.0)

    def release(self):
        self.released.set()
        self.join(30.0)


@pytest.mark.parametrize("first", [exclusive_timing.alone, exclusive_timing.shared])
@pytest.mark.parametrize("second", [exclusive_timing.alone, exclusive_timing.shared])
def test_a_timed_run_is_alone_and_other_work_shares_the_machine(tmp_path, first, second):
    together = first is second is exclusive_timing.shared
    one = Taker(first, tmp_path)
    assert one.has.wait(30.0)
    two = Taker(second, tmp_path)
    assert two.has.wait(30.0 if together else WAIT) == together
    one.release()
    assert two.has.wait(30.0)
    two.release()


def test_shared_work_that_comes_later_waits_behind_a_timed_run(tmp_path):
    with ExitStack() as stack:
        stack.enter_context(exclusive_timing.shared(tmp_path))
        timed = Taker(exclusive_timing.alone, tmp_path)
        assert not timed.has.wait(WAIT)
        later = Taker(exclusive_timing.shared, tmp_path)
        assert not later.has.wait(WAIT)
    assert timed.has.wait(30.0)
    assert not later.has.wait(WAIT)
    timed.release()
    assert later.has.wait(30.0)
    later.release()


def test_a_process_that_was_forked_in_a_turn_does_not_keep_it(tmp_path):
    with exclusive_timing.alone(tmp_path):
        forked = Worker(len)
    later = Taker(exclusive_timing.alone, tmp_path)
    assert later.has.wait(30.0)
    later.release()
    forked.close()


def rows_of(calibrations, cpus=None, waited=0.0):
    """Return timed rows, one for each solver."""
    solvers = [f"solver {i}" for i in range(len(calibrations))]
    cpus = cpus or ["one"] * len(solvers)
    table = pd.DataFrame(dict(solver=solvers, cpu=cpus, calibration=calibrations, waited=waited))
    return table.assign(kind="suite", status="finished", load=0.5, written="2026-01-01T00:00:00")


@pytest.mark.parametrize(
    ("calibrations", "cpus", "waited", "message"),
    [
        ([1.0, 1.05, 1.1], None, 0.0, ""),
        ([1.0, 1.05], None, None, ""),  # the system does not say
        ([1.0, 1.2], None, 0.0, "calibrations differ by more than 10%"),
        ([1.0, 1.0], ["one", "two"], 0.0, "processors are different"),
        ([1.0, 1.0], None, [0.0, 0.2], "Other processes disturbed solver 1:"),
        ([], None, 0.0, ""),
    ],
)
def test_times_are_compared_where_nothing_speaks_against_it(calibrations, cpus, waited, message):
    reasons = conditions.differences(conditions.of_rows(rows_of(calibrations, cpus, waited)))
    assert len(reasons) == bool(message) and message in "".join(reasons)


def test_one_run_of_ten_may_wait():
    rows = pd.concat([rows_of([1.0], waited=w) for w in [0.5] + [0.01] * 9])
    assert not conditions.differences(conditions.of_rows(rows))
    rows = pd.concat([rows, rows_of([1.0], waited=0.06)])
    assert conditions.differences(conditions.of_rows(rows))


def fastest(answers, protocol):
    """Return the row made from the answers to the rounds of one timed run."""
    return runner.fastest(lambda: next(answers), True, protocol)


@pytest.mark.parametrize(
    ("waits", "seconds", "count", "counted"),
    [
        ([0.0] * 9, [0.2, 0.1, 0.3], 3, 0.1),
        ([0.9, 0.9, 0.9, 0.9, 0.01], [0.2, 0.2, 0.2, 0.2, 0.1], 5, 0.1),
        ([0.9, 0.01, 0.9], [0.2, 0.1, 0.2], 3, 0.1),  # the fastest round did not wait
        ([0.9] * 9, [0.2] * 9, 8, 0.2),
        ([None] * 9, [0.2] * 9, 3, 0.2),  # the system does not say
        ([0.0], [0.5], 1, 0.5),
        ([0.9, 0.0], [0.9, 0.5], 2, 0.5),
        ([0.9] * 9, [2.0] * 9, 2, 2.0),  # no more than that many seconds
    ],
)
def test_a_run_that_waited_is_made_again(waits, seconds, count, counted):
    answers = iter(
        Answer(status=Status.FINISHED, solve_time=s, setup_time=0.0, waited=w, outer_time=s)
        for s, w in zip(seconds, waits, strict=False)
    )
    rows = fastest(answers, plans.PROTOCOL)
    assert (len(rows.round_times), rows.seconds) == (count, counted)


@pytest.mark.parametrize(
    ("first", "both", "fell"),
    [
        (dict(flops=101, solve_time=0.11), {}, True),
        # a run that the time limit ends came as far as the machine let it; one that ends did not
        (dict(flops=101, solve_time=0.11), dict(status=Status.TIME_LIMIT), False),
        (dict(flops=101, solve_time=0.11, status=Status.TIME_LIMIT), {}, True),
        (dict(solve_time=0.9), {}, True),
        (dict(solve_time=0.9, waited=0.8), {}, False),
        (dict(solve_time=0.35), {}, False),
        ({}, {}, False),
    ],
)
def test_a_run_that_is_cheaper_the_second_time_is_flagged_and_a_loaded_machine_is_not(
    first, both, fell
):
    usual = Answer(status=Status.FINISHED, solve_time=0.1, setup_time=0.0, flops=100)
    usual = replace(usual, **both)
    answers = iter([replace(usual, **first), usual, usual])
    rows = fastest(answers, replace(plans.PROTOCOL, rounds=2, seconds=1.0))
    assert (rows.flags == [Flag.warm.value]) == fell


def test_waiting_for_the_processor_is_seen_and_sleeping_is_not():
    """With twice as many busy processes as processors, the run among them waits."""
    if math.isnan(machine.waited()):
        assert conditions.differences(conditions.of_rows(rows_of([1.0], waited=None))) == []
        return
    before = machine.waited()
    time.sleep(0.3)
    assert machine.waited() - before < 0.2
    count = 2 * len(os.sched_getaffinity(0))
    crowd = [multiprocessing.Process(target=_spin, args=(2.0,), daemon=True) for _ in range(count)]
    for process in crowd:
        process.start()
    assert machine.busy(1.0) > conditions.WAITED
    for process in crowd:
        process.kill()
        process.join()


class Asked:
    """A process that answers after a while and may have waited for a processor."""

    process = SimpleNamespace(pid=os.getpid())

    def __init__(self, patch, waited):
        self.waited = {self.process.pid: 0.0, "self": 0.0}
        self.waits = waited
        patch.setattr(machine, "waited", lambda pid="self": self.waited[pid])

    def ask(self, *_):
        time.sleep(0.3)
        self.waited[self.process.pid] += self.waits
        return dict(status="finished", worker_time=0.05)


@pytest.mark.parametrize(("waits", "flags"), [(0.0, [Flag.clock.value]), (0.25, None)])
def test_waiting_for_a_processor_is_no_hidden_work(monkeypatch, waits, flags):
    """The outside clock goes on while a busy machine keeps the process waiting."""
    run = Run(dataset="pitprops", solver="grqi", settings=dict(k=3))
    answer = solver_processes.answer_of(Asked(monkeypatch, waits), run)
    assert answer.flags == flags and answer.outer_time >= 0.3


def test_a_run_cannot_have_waited_longer_than_its_process(monkeypatch):
    """Otherwise, a file could state that it waited, and times would not be ranked."""
    run = Run(dataset="pitprops", solver="grqi", settings=dict(k=3))
    asked = Asked(monkeypatch, 0.03)
    said = dict(status="finished", solve_time=0.3, setup_time=0.0, waited=0.9)
    monkeypatch.setattr(asked, "ask", lambda *_: Asked.ask(asked) | said)
    assert solver_processes.answer_of(asked, run).waited == pytest.approx(0.1)


@pytest.mark.parametrize(
    "warm, declared, firsts, attempts, flagged",
    [
        ([False], 1.0, [1.0], 1, False),
        ([True, False], 1.0, [3.0, 1.0], 2, False),  # a load that passes
        ([True, True, True], 1.0, [3.0, 3.0, 3.0], 3, True),
        # a load that disturbs the attempts in different ways
        ([True, False, False], 1.0, [3.0, 1.9, 1.9], 3, False),
        ([False, False, False], 0.1, [1.0, 1.0, 1.0], 3, False),  # the clocks disagree
        # the first run always takes longer
        ([False, False, False], 1.0, [1.9, 1.8, 2.0], 3, False),
    ],
)
def test_a_suspicious_run_is_timed_again(monkeypatch, warm, declared, firsts, attempts, flagged):
    each = zip(firsts, warm, strict=True)
    costs = iter([outside_cost.Cost(declared, 1.0, first, w, False, {}) for first, w in each])
    monkeypatch.setattr(outside_cost, "_cost", lambda *_: next(costs))
    helpers = []

    @contextmanager
    def fresh():
        helpers.append(object())
        yield helpers[-1], 0.0

    cost = outside_cost._undisturbed_cost(None, fresh, None, outside_cost.NO_OVERHEAD)
    assert len(helpers) == attempts and cost.warm == flagged
    longer = len(firsts) == attempts == outside_cost.ATTEMPTS and min(firsts) > 1.5
    assert cost.outside == (min(firsts) if longer else 1.0)


def test_clocks_that_disagree_in_some_attempts_cost_time_without_a_flag(monkeypatch):
    """The longest time is used, but a flag is a finding of each attempt."""
    attempts = [(0.1, 1.0, False), (1.0, 1.0, True), (0.1, 1.2, False)]
    costs = iter([outside_cost.Cost(d, o, o, warm, False, {}) for d, o, warm in attempts])
    monkeypatch.setattr(outside_cost, "_cost", lambda *_: next(costs))
    cost = outside_cost._undisturbed_cost(None, _no_process, None, outside_cost.NO_OVERHEAD)
    answer = outside_cost._times(Answer(status=Status.FINISHED, solve_time=0.1), cost, cost.outside)
    assert answer.flags is None and answer.seconds == 1.2


@contextmanager
def _no_process():
    yield None, 0.0


IDLE = dict(trial=1e-4, iterate=1e-5)


def test_the_share_of_the_harness_is_measured_on_a_busy_machine_too(monkeypatch):
    """It would be zero if waiting counted for the solver's clock and not for the outside clock."""

    def ask(helper, run, watch=None):
        runs = run.settings.get("count", 1)
        if watch:  # it worked for a part of the time
            watch.wall, watch.worked = 0.001 + 0.5 * runs, 0.001 + 0.1 * runs
        said = dict(seconds=0.45 * runs, waited=0.4 * runs)
        return Answer(status=Status.FINISHED, extra=said if watch else IDLE)

    monkeypatch.setattr(outside_cost, "_OVERHEADS", {})
    run = Run(dataset="pitprops", solver="grqi", settings=dict(k=3))
    share = outside_cost._overhead(run, Asked(monkeypatch, 0.4), ask)
    assert share == pytest.approx((0.001, 0.05, *IDLE.values()), rel=0.01)


class _Helper:
    """A process of a solver: this process."""

    process = SimpleNamespace(pid=os.getpid())


def test_the_share_of_the_harness_is_measured_in_the_form_of_the_run(monkeypatch):
    """Copying data takes much longer than copying their covariance."""
    forms = []

    def ask(helper, run, watch=None):
        forms.append(run.form)
        return Answer(status=Status.ERROR)

    monkeypatch.setattr(outside_cost, "_OVERHEADS", {})
    run = Run(dataset="pitprops", solver="grqi", settings=dict(k=3), form="data")
    outside_cost._overhead(run, _Helper, ask)
    assert forms == ["data"]


def test_the_time_outside_is_at_least_that_of_the_solver(monkeypatch):
    """An honest run would seem to be free, and its first run to be longer than the following."""
    watch = outside_cost.Watch
    monkeypatch.setattr(outside_cost, "Watch", lambda _: watch(os.getpid()))
    extra = dict(seconds=0.02, least=0.01, most=0.02, waited=0.01)
    overhead = outside_cost.Overhead(1.0, 1.0, 0.0, 0.0)
    run = Run(dataset="pitprops", solver="grqi", settings=dict(k=3))
    answer = Answer(status=Status.FINISHED, extra=extra)
    taken = outside_cost._measured(run, 5, _Helper, lambda *_, **__: answer, overhead)
    assert taken.seconds == 0.01


def _watched(monkeypatch, wall, waited, own, total):
    """Return the seconds of work in which a process was watched, by clocks that show these times.

    waited : seconds in which the watching process waited. own, total : processor seconds of the
    process, and with its descendants.
    """
    spent, waits = iter([(0.0, 0.0), (own, total)]), iter([(0.0, 0.0), (0.0, waited)])
    monkeypatch.setattr(outside_cost.Watch, "_processor", lambda _: next(spent))
    monkeypatch.setattr(outside_cost.Watch, "_waited", lambda _: next(waits))
    watch = outside_cost.Watch(os.getpid())
    watch._begun -= wall
    watch.end()
    return watch.worked


def test_the_work_of_several_processes_is_counted_even_if_it_is_little(monkeypatch):
    worked = _watched(monkeypatch, wall=0.2, waited=0.0, own=0.1, total=0.24)
    assert worked == pytest.approx(0.24 - outside_cost.TICKS)


def test_waiting_of_the_harness_while_the_solver_works_is_not_subtracted(monkeypatch):
    """The scheduler can let the watching process wait for a slice in which the solver works."""
    worked = _watched(monkeypatch, wall=0.2, waited=0.003, own=0.199, total=0.199)
    assert worked == pytest.approx(0.199)
    worked = _watched(monkeypatch, wall=0.2, waited=0.1, own=0.02, total=0.02)
    assert worked == pytest.approx(0.1, abs=1e-3)


SECONDS = st.floats(0.0, 1.0)


def _result(solver, harness, waited, waited_between):
    """Return what a run reports that worked and waited for some seconds, on the solver's clock or
    between its iterates.
    """
    spent, waits = solver + waited, waited + waited_between
    times = dict(setup_time=0.0, solve_time=spent, waited=waits)
    return SimpleNamespace(**times, search={}, wall_time=spent + harness + waited_between)


@given(solver=SECONDS, harness=SECONDS, waited=SECONDS, waited_between=SECONDS)
def test_the_seconds_without_waiting_are_bounded_wherever_a_run_waits(
    solver, harness, waited, waited_between
):
    least, most = worker.worked(_result(solver, harness, waited, waited_between))
    assert least - 1e-12 <= solver <= most + 1e-12
    if waited + waited_between == 0.0:
        assert least == most == solver


@pytest.mark.parametrize("more, accused", [(1.0, False), (1.9, False), (4.0, True)])
def test_a_run_on_a_disguise_is_not_accused_of_the_time_in_which_it_waits(more, accused):
    """The waiting is where it does most harm: the disguises wait on the solver's clock, and the
    runs on the problem elsewhere.
    """
    runs, disguise = _result(0.002, 0.01, 0.0, 0.02), _result(more * 0.002, 0.004, 0.008, 0.0)
    least, most = worker.worked(disguise)[0], worker.worked(runs)[1]
    clocks = dict(seconds=0.002, wall=0.03, worked=0.01, processor=0.01, declared=0.002)
    bounds = dict(least=0.0, most=most, waited=0.02)
    taken = outside_cost._Taken(**clocks, **bounds, vector={"variance": 1.0})
    extra = dict(seconds=disguise.solve_time, least=least, vector={"variance": 1.0})

    def ask(*_):
        return Answer(status=Status.FINISHED, extra=extra)

    run = Run(dataset="pitprops", solver="grqi", settings=dict(k=3))
    unseen = outside_cost._unseen(run, taken, 1, None, ask)
    assert unseen.warm == accused


@pytest.mark.parametrize("n", [20, 300])
def test_the_times_of_the_harness_per_trial_and_per_iterate_are_measured(n):
    problem = api.load("gaussian", m=30, n=n)
    seconds = worker.idle(problem, seed=0, rounds=3, iterates=300)
    assert 0.0 < seconds["iterate"] < seconds["trial"] < 0.1


def test_at_most_half_of_a_run_is_ascribed_to_trials_and_iterates_that_it_states():
    overhead = outside_cost.Overhead(0.005, 0.001, 0.0002, 0.0001)
    assert overhead.of(2, 12, 100, 1.0) == pytest.approx(0.019)
    assert overhead.of(2, 12, 10**9, 1.0) == pytest.approx(0.507)


def _spin(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def test_the_calibration_of_a_solver_is_the_median_of_its_timed_rows():
    rows = pd.concat([rows_of([value]) for value in (1.0, 1.0, 9.0)])
    rows = pd.concat([rows, rows_of([5.0]).assign(kind="recovery")])
    (reasons,) = conditions.of_rows(rows).calibration
    assert reasons == 1.0


def answers_of(share, time, work):
    """Return the answers of two solvers on one pair."""
    rows = dict(solver=["a", "b"], share=share, shares=[[one] for one in share], work=work)
    both = dict(status="finished", answered=True, gap=0.1, memory=1.0, item="a", asked=3, own=True)
    table = pd.DataFrame(rows | dict(time=time, slowest=time))
    return table.assign(**both, flags=None, calibration=1e-3)


@pytest.mark.parametrize(("last", "first"), [("time", "a"), ("flops", "b")])
def test_equal_solvers_are_ranked_by_time_or_by_flops(last, first):
    answers = answers_of([1.0, 1.0 + 1e-12], time=[1.0, 2.0], work=[2e9, 1e9])
    assert ranking.ranking(answers, last).solver[0] == first


@pytest.mark.parametrize("last", ["time", "flops"])
def test_quality_comes_before_all_costs(last):
    answers = answers_of([0.99, 1.0], time=[1.0, 2.0], work=[1e9, 2e9])
    assert ranking.ranking(answers, last).solver[0] == "b"


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Return a function that stores rows of jobs with given calibrations and sets the current
    one.
    """

    def make(calibrations, now, count=3, waited=0.0, busy=0.0):
        monkeypatch.setattr(machine, "busy", lambda: busy)
        monkeypatch.setattr(options, "ROOT", tmp_path)
        monkeypatch.setattr(conditions, "now", lambda: now)
        jobs_made = [Job(solver, "quick") for solver in SOLVERS[:count]]
        tables = {}
        for job, calibration in zip(jobs_made, calibrations, strict=False):
            file = tmp_path / compare.HOME / "rows" / job.folder / f"{job.key}.parquet"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
            tables[file] = rows_of([calibration], waited=waited).assign(
                outer_time=2.0, round_times=[[1.0, 1.0]]
            )
        monkeypatch.setattr(conditions.results, "read_text", lambda files, _: tables[files[0]])
        return jobs_made, tables

    return make


@pytest.mark.parametrize(
    ("calibrations", "now", "count", "here", "dropped"),
    [
        ([1.0, 1.05], 9.0, 2, True, False),  # nothing is made now: this moment does not matter
        ([1.0, 1.2], 1.0, 2, True, True),
        ([1.0, 1.0], 1.05, 3, True, False),
        ([1.0, 1.0], 1.5, 3, True, True),
        ([1.0, 1.0], 1.5, 3, False, False),  # the missing rows are made elsewhere
        ([], 1.5, 3, True, False),
    ],
)
def test_kept_times_that_cannot_be_compared_are_taken_again(
    kept, capsys, calibrations, now, count, here, dropped
):
    calls, tables = kept(calibrations, now, count)
    compare._drop_stale_times(calls, here)
    assert [file.exists() for file in tables] == [not dropped] * len(calibrations)
    message = capsys.readouterr().out
    assert ("solvers run again (last time 8 s)" in message) == dropped  # two runs of two rounds


@pytest.mark.parametrize(("busy", "dropped"), [(0.0, True), (0.3, False)])
def test_times_that_waited_are_taken_again_once_the_machine_is_quiet(kept, capsys, busy, dropped):
    calls, tables = kept([1.0, 1.0], 1.0, 2, waited=0.5, busy=busy)
    compare._drop_stale_times(calls, True)
    assert [file.exists() for file in tables] == [not dropped] * 2
    assert ("while other processes used the processor" in capsys.readouterr().out) == dropped


@pytest.mark.parametrize("dropped", [True, False])
def test_a_page_whose_rows_were_dropped_is_made_anew(kept, monkeypatch, dropped):
    kept([1.0, 2.0 if dropped else 1.0], 1.0, 2)
    page = options.ROOT / compare.HOME / "mine" / "index.html"
    page.parent.mkdir()
    page.touch()
    calls = []  # whether there was a page when the workflow was called
    monkeypatch.setattr(compare, "_make", lambda *_: calls.append(page.exists()))
    compare.compare(SOLVERS[:2], against="none", suite="quick", name="mine")
    assert calls == [not dropped]


LOG = """Building DAG of jobs...
Traceback (most recent call last):
  File "x.py", line 1, in <module>
    call()
strange.Trouble: the sea is rough
Error in rule compare_page:
spcabench: warning: two checkouts are mixed
spcabench: plan.json: no such file
"""


def test_what_a_failed_job_said_comes_first(tmp_path, capsys):
    log = tmp_path / "workflow.log"
    log.write_text("Error in rule run:\n" * 30 + LOG)
    workflow._explain(log)
    messages = capsys.readouterr().err.splitlines()
    last = ["strange.Trouble: the sea is rough", "spcabench: plan.json: no such file"]
    assert messages[:2] == last
    assert "warning" not in "".join(messages)
    assert messages[-1].endswith(str(log))
