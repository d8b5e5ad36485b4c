"""Whatever a function does to its worker costs one answer, and no process is left behind."""

import faulthandler
import os
import signal
import subprocess
import sys
import time
from contextlib import closing

import pytest

from spcabench.running import process
from spcabench.running.process import Ended, Worker, end_group
from spcabench.solving.status import Status
from tests.system_processes import below, gone

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


def forks_and_ends():
    os.fork() and os._exit(3)


def forks_and_stays():
    os.fork() or time.sleep(600)
    return 7


def segfaults():
    faulthandler.disable()  # that of pytest, which would print its own stack
    os.kill(os.getpid(), signal.SIGSEGV)


def leaves_children(seconds=0):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen(SLEEP)
    subprocess.Popen([sys.executable, "-c", f"import subprocess; subprocess.run({SLEEP!r})"])
    time.sleep(seconds)
    return 7


def waits():
    time.sleep(0.3)
    return 7


def works():
    end = time.process_time() + 0.2
    while time.process_time() < end:
        pass


def loops():
    while True:
        pass


def add(first, second):
    return first + second


@pytest.fixture
def worker():
    before = below()
    with closing(Worker()) as helper:
        yield helper
    end_group()
    assert gone(below() - before)


def is_killed():
    os.kill(os.getpid(), signal.SIGKILL)  # as by the system, if memory runs out, or by the user


def test_each_end_costs_one_answer(worker):
    statuses = {forks_and_ends: Status.CRASH, segfaults: Status.CRASH, is_killed: Status.NOT_RUN}
    for function, status in statuses.items():
        with pytest.raises(Ended) as ended:
            worker.call(function, timeout=60.0)
        assert ended.value.status is status
        assert worker.call(add, 3, 4, timeout=60.0) == 7


@pytest.mark.parametrize("function", [leaves_children, forks_and_stays])
def test_what_a_call_leaves_behind_costs_nothing(worker, function):
    assert worker.call(function, timeout=60.0) == 7
    assert worker.call(add, 3, 4, timeout=60.0) == 7


def test_a_process_that_hangs_is_killed_with_what_it_started_and_its_line_is_named(worker):
    with pytest.raises(Ended) as ended:
        worker.call(leaves_children, 600, timeout=0.5)
    assert ended.value.status is Status.KILLED
    line = leaves_children.__code__.co_firstlineno + 4
    assert f"(in {os.path.basename(__file__)}, line {line} in leaves_children)" in str(ended.value)
    assert not below(worker.process.pid) and len(below()) <= 2  # it and the guarding shell
    assert worker.call(add, 3, 4, timeout=60.0) == 7


def test_a_limit_of_processor_seconds_does_not_depend_on_how_busy_the_machine_is(
    worker, monkeypatch
):
    before = worker._processor_seconds()
    worker.call(works, timeout=60.0)
    assert 0.19 <= worker._processor_seconds() - before <= 60.0
    monkeypatch.setattr(process, "LOOK", 0.05)
    assert worker.call(waits, timeout=0.1, working=True) == 7
    for function, idle in ((loops, process.IDLE), (waits, 1.0)):
        monkeypatch.setattr(process, "IDLE", idle)
        with pytest.raises(Ended, match=r"killed after 0\.1 s"):
            worker.call(function, timeout=0.1, working=True)


def test_an_exception_is_raised_with_the_traceback_of_the_worker(worker):
    with pytest.raises(RuntimeError, match="TypeError"):
        worker.call(add, 3, "4", timeout=60.0)
    assert worker.call(add, 3, 4, timeout=60.0) == 7


PARENT = """
import sys, time
from spcabench.running.process import Worker
sys.path.insert(0, {folder!r})
from tests.running.test_process import leaves_children
print(flush=True)
Worker().call(leaves_children, 600, timeout=600)
"""


def test_everything_ends_with_the_process_that_asks():
    code = PARENT.format(folder=os.getcwd())
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as parent:
        parent.stdout.readline()
        end = time.monotonic() + 60
        while len(started := below(parent.pid)) < 5:  # the shell, the worker and three below it
            assert time.monotonic() < end and parent.poll() is None
            time.sleep(0.05)
        parent.kill()
    assert gone(started)
