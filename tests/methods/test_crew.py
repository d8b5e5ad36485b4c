"""Several processes compute the parts of one search."""

import multiprocessing
import os
import signal
import sys
import time
from multiprocessing import active_children

import numpy as np
import psutil
import pytest

from spcabench.errors import InputError
from spcabench.methods.exact_search import branch_and_bound, crew, pair_part
from spcabench.problem.problem import Problem
from spcabench.run import Run
from tests import problems


def gaussian(n):
    return Problem.from_data(np.random.default_rng(1).standard_normal((n, n)))


@pytest.fixture(autouse=True)
def divided(monkeypatch):
    """Make the search rely entirely on its parts, from the first bound on."""
    monkeypatch.setattr(branch_and_bound, "EARLY", 0.0)
    monkeypatch.setattr(pair_part, "ROOT", 1)


def searched(problem, jobs, k=8, budget=2e11, **settings):
    settings = {"jobs": jobs, "budget": budget, **settings}
    return problems.solve(problem, "branch_and_bound", k, **settings)


SEARCHES = {"proven": (40, 8, 2e11), "work_limit": (60, 20, 2e8)}  # status -> n, k, budget


@pytest.mark.parametrize(("status", "nonnegative"), problems.spread(SEARCHES, [False, True]))
def test_the_search_is_the_same_for_any_number_of_processes(status, nonnegative):
    n, k, budget = SEARCHES[status]
    one, *others = (
        searched(gaussian(n), jobs, k, budget, nonnegative=nonnegative) for jobs in (1, 2, 3)
    )
    assert one.extra["nodes"] > 3 and one.status == status
    for other in others:
        assert (other.status, other.extra) == (one.status, one.extra)
        assert (other.cost.flops, other.claim.bound) == (one.cost.flops, one.claim.bound)
        np.testing.assert_array_equal(other.x, one.x)
    assert not active_children()


def test_a_search_that_is_stopped_leaves_no_process():
    start = time.monotonic()
    result = searched(gaussian(100), 2, 25, time_limit=0.5, max_iterations=10**9)
    assert result.status in ("time_limit", "work_limit") and time.monotonic() - start < 60.0
    assert not active_children()


def test_a_process_that_is_killed_leaves_its_parts_to_the_first_one(monkeypatch):
    begin, killed = crew.Crew.begin, []

    def kill_one(self, order):
        if self.others and not killed:
            # the pool ends the others by this signal, which a command of spcabench handles
            handler = self.others.submit(signal.getsignal, signal.SIGTERM).result()
            assert handler == signal.SIG_DFL
            killed.append(active_children()[0].pid)
            os.kill(killed[0], signal.SIGKILL)
        return begin(self, order)

    monkeypatch.setattr(crew.Crew, "begin", kill_one)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        result = searched(gaussian(40), 2)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert killed and result.status == "proven"


@pytest.mark.skipif(sys.platform != "linux", reason="psutil's children of a killed process")
def test_the_processes_end_with_the_one_that_asked():
    fork = multiprocessing.get_context("fork")
    asked = fork.Process(target=searched, args=(gaussian(100), 2, 25))
    asked.start()
    family, deadline = psutil.Process(asked.pid), time.monotonic() + 60.0
    while len(children := family.children(recursive=True)) < 2:
        assert time.monotonic() < deadline and asked.is_alive()
        time.sleep(0.05)
    asked.kill()
    asked.join()
    _, alive = psutil.wait_procs(children, timeout=10.0)
    assert not alive


def test_what_is_ranked_has_one_process():
    with pytest.raises(InputError, match="one process"):
        Run(dataset="pitprops", solver="branch_and_bound", settings=dict(k=3, jobs=2))
