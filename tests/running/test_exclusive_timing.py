"""Locks give a timed run the machine to itself, and other work shares it."""

import threading

import pytest

from spcabench.running import exclusive_timing
from spcabench.running.exclusive_timing import alone, shared
from spcabench.running.process import Worker

WAIT = 0.2  # seconds in which a thread that may go on has gone on


@pytest.fixture(autouse=True)
def own_locks(tmp_path, monkeypatch):
    """Lock files of this test alone."""
    monkeypatch.setattr(exclusive_timing, "home", lambda: tmp_path)


class Taker(threading.Thread):
    """A thread that takes a turn, reports it and keeps it until it is released."""

    def __init__(self, turn):
        super().__init__(daemon=True)
        self.turn = turn
        self.has, self.released = threading.Event(), threading.Event()
        self.start()

    def run(self):
        with self.turn():
            self.has.set()
            self.released.wait(30.0)

    def release(self):
        self.released.set()
        self.join(30.0)


def test_a_timed_run_is_alone_and_other_work_shares_the_machine():
    """Work that comes after a waiting timed run waits behind it."""
    first, second = Taker(shared), Taker(shared)
    assert first.has.wait(30.0) and second.has.wait(30.0)
    timed = Taker(alone)
    assert not timed.has.wait(WAIT)
    later = Taker(shared)
    assert not later.has.wait(WAIT)
    first.release()
    assert not timed.has.wait(WAIT)
    second.release()
    assert timed.has.wait(30.0) and not later.has.wait(WAIT)
    timed.release()
    assert later.has.wait(30.0)
    later.release()


def test_timed_runs_take_turns_and_what_is_forked_in_a_turn_does_not_keep_it():
    first = Taker(alone)
    assert first.has.wait(30.0)
    forked, second = Worker(), Taker(alone)
    assert not second.has.wait(WAIT)
    first.release()
    assert second.has.wait(30.0)
    second.release()
    forked.close()
