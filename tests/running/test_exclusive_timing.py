"""Locks give a timed run the machine to itself, and other work shares it."""

import threading
from contextlib import ExitStack

import pytest

from spcabench.running import exclusive_timing
from spcabench.running.process import Worker

pytestmark = pytest.mark.usefixtures("own_locks")
WAIT = 0.3  # seconds in which a thread that may go on has gone on


@pytest.fixture
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


@pytest.mark.parametrize("first", [exclusive_timing.alone, exclusive_timing.shared])
@pytest.mark.parametrize("second", [exclusive_timing.alone, exclusive_timing.shared])
def test_a_timed_run_is_alone_and_other_work_shares_the_machine(first, second):
    together = first is second is exclusive_timing.shared
    one = Taker(first)
    assert one.has.wait(30.0)
    two = Taker(second)
    assert two.has.wait(30.0 if together else WAIT) == together
    one.release()
    assert two.has.wait(30.0)
    two.release()


def test_shared_work_that_comes_later_waits_behind_a_timed_run():
    with ExitStack() as stack:
        stack.enter_context(exclusive_timing.shared())
        timed = Taker(exclusive_timing.alone)
        assert not timed.has.wait(WAIT)
        later = Taker(exclusive_timing.shared)
        assert not later.has.wait(WAIT)
    assert timed.has.wait(30.0)
    assert not later.has.wait(WAIT)
    timed.release()
    assert later.has.wait(30.0)
    later.release()


def test_a_process_that_was_forked_in_a_turn_does_not_keep_it():
    with exclusive_timing.alone():
        forked = Worker()
    later = Taker(exclusive_timing.alone)
    assert later.has.wait(30.0)
    later.release()
    forked.close()
