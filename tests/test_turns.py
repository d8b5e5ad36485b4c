"""Turns on a machine: a timed run has it alone, other work shares it. Which times are compared."""

import threading
from contextlib import ExitStack

import pandas as pd
import pytest

from spcabench.cli import compare, options
from spcabench.comparison import conditions, standing
from spcabench.comparison.jobs import Job
from spcabench.running import turns, workflow
from spcabench.running.process import Worker

WAIT = 0.3  # seconds in which a thread that may go on has gone on


class Taker(threading.Thread):
    """Takes a turn, says so, and keeps it until it is released."""

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


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        (turns.alone, turns.alone, False),
        (turns.alone, turns.shared, False),
        (turns.shared, turns.alone, False),
        (turns.shared, turns.shared, True),
    ],
)
def test_what_may_run_beside_what(tmp_path, first, second, together):
    one = Taker(first, tmp_path)
    assert one.has.wait(30.0)
    two = Taker(second, tmp_path)
    assert two.has.wait(30.0 if together else WAIT) == together
    one.release()
    assert two.has.wait(30.0)
    two.release()


def test_shared_work_that_comes_later_waits_behind_a_timed_run(tmp_path):
    with ExitStack() as stack:
        stack.enter_context(turns.shared(tmp_path))
        timed = Taker(turns.alone, tmp_path)
        assert not timed.has.wait(WAIT)
        later = Taker(turns.shared, tmp_path)
        assert not later.has.wait(WAIT)
    assert timed.has.wait(30.0)
    assert not later.has.wait(WAIT)
    timed.release()
    assert later.has.wait(30.0)
    later.release()


def test_a_process_that_was_forked_in_a_turn_does_not_keep_it(tmp_path):
    with turns.alone(tmp_path):
        forked = Worker(len)
    later = Taker(turns.alone, tmp_path)
    assert later.has.wait(30.0)
    later.release()
    forked.close()


def rows_of(calibrations, cpus=None):
    """Timed rows, one for each solver."""
    count = len(calibrations)
    return pd.DataFrame(
        dict(
            solver=[f"solver {i}" for i in range(count)],
            kind="suite",
            status="finished",
            cpu=cpus or ["one"] * count,
            calibration=calibrations,
            load=0.5,
            written="2026-01-01T00:00:00",
        )
    )


@pytest.mark.parametrize(
    ("calibrations", "cpus", "expected"),
    [
        ([1.0, 1.05, 1.1], None, True),
        ([1.0, 1.2], None, False),
        ([1.0, 1.0], ["one", "two"], False),
        ([], None, True),
    ],
)
def test_times_are_compared_where_the_calibrations_agree(calibrations, cpus, expected):
    assert conditions.comparable(conditions.of_rows(rows_of(calibrations, cpus))) == expected


def test_the_calibration_of_a_solver_is_the_median_of_its_timed_rows():
    rows = pd.concat([rows_of([value]) for value in (1.0, 1.0, 9.0)])
    rows = pd.concat([rows, rows_of([5.0]).assign(kind="recovery")])
    (found,) = conditions.of_rows(rows).calibration
    assert found == 1.0


def answers_of(share, time, work):
    """Answers of two solvers on one pair."""
    return pd.DataFrame(
        dict(
            solver=["a", "b"],
            status="finished",
            answered=True,
            share=share,
            gap=0.1,
            time=time,
            slowest=time,
            work=work,
            memory=1.0,
        )
    )


@pytest.mark.parametrize(("last", "first"), [("time", "a"), ("flops", "b")])
def test_equal_solvers_are_ranked_by_time_or_by_flops(last, first):
    answers = answers_of([1.0, 1.0 + 1e-12], time=[1.0, 2.0], work=[2e9, 1e9])
    assert standing.ranking(answers, last).solver[0] == first


@pytest.mark.parametrize("last", ["time", "flops"])
def test_quality_comes_before_all_costs(last):
    answers = answers_of([0.99, 1.0], time=[1.0, 2.0], work=[1e9, 2e9])
    assert standing.ranking(answers, last).solver[0] == "b"


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Kept rows of two jobs with given calibrations, and the machine's of this moment."""

    def make(calibrations, now, count=3):
        monkeypatch.setattr(options, "ROOT", tmp_path)
        monkeypatch.setattr(conditions, "now", lambda: now)
        asked = [Job(f"solver_{i}", "quick") for i in range(count)]
        tables = {}
        for job, calibration in zip(asked, calibrations, strict=False):
            file = tmp_path / compare.HOME / "rows" / job.folder / f"{job.key}.parquet"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
            tables[file] = rows_of([calibration]).assign(outer_time=2.0, round_times=[[1.0, 1.0]])
        monkeypatch.setattr(conditions.results, "read_text", lambda files, _: tables[files[0]])
        return asked, tables

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
    asked, tables = kept(calibrations, now, count)
    compare._drop_stale_times(asked, here)
    assert [file.exists() for file in tables] == [not dropped] * len(calibrations)
    said = capsys.readouterr().out
    assert ("timed again. The kept runs took 8 s" in said) == dropped  # two runs of two rounds


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
    said = capsys.readouterr().err.splitlines()
    assert said[:2] == ["strange.Trouble: the sea is rough", "spcabench: plan.json: no such file"]
    assert "warning" not in "".join(said)
    assert said[-1].endswith(str(log))
