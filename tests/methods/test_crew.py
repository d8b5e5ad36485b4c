"""Several processes compute the parts of one search."""

import os
import signal
import subprocess
import sys
import time
from multiprocessing import active_children

import numpy as np
import psutil
import pytest

from spcabench import api
from spcabench.errors import InputError
from spcabench.methods.exact_search import branch_and_bound, crew
from spcabench.problem.problem import Problem
from spcabench.run import Run
from spcabench.solving.call import Limits
from tests import problems

LONG = """
import numpy as np, spcabench
from spcabench.methods.exact_search import branch_and_bound
branch_and_bound.QUICK = branch_and_bound.ROOT = 0
X = np.random.default_rng(0).standard_normal((100, 100))
spcabench.solve(spcabench.Problem.from_data(X), "branch_and_bound", k=25, jobs=2)
"""


@pytest.fixture(scope="module")
def problem():
    return Problem.from_data(np.random.default_rng(1).standard_normal((40, 40)))


@pytest.fixture
def divided(monkeypatch):
    """Make the search rely entirely on its parts."""
    monkeypatch.setattr(branch_and_bound, "EARLY", 0.0)


@pytest.mark.usefixtures("divided")
# ended by its work, and proven
@pytest.mark.parametrize(("budget", "nonnegative"), problems.spread([1e8, 2e11], [False, True]))
def test_the_search_is_the_same_for_any_number_of_processes(problem, budget, nonnegative):
    one, two, three = (
        api.solve(
            problem,
            "branch_and_bound",
            k=8,
            nonnegative=nonnegative,
            settings={"budget": budget, "jobs": jobs},
        )
        for jobs in (1, 2, 3)
    )
    assert one.extra["nodes"] > 3
    assert one.status == ("proven" if budget > 1e9 else "work_limit")
    for other in (two, three):
        assert (other.status, other.extra, other.cost.flops) == (
            one.status,
            one.extra,
            one.cost.flops,
        )
        assert other.claim.bound == one.claim.bound
        np.testing.assert_array_equal(other.x, one.x)
    assert not active_children()


@pytest.mark.usefixtures("divided")
def test_a_search_that_is_stopped_leaves_no_process():
    X = np.random.default_rng(0).standard_normal((100, 100))
    start = time.monotonic()
    result = api.solve(
        Problem.from_data(X),
        "branch_and_bound",
        k=25,
        limits=Limits(time_limit=0.5, max_iterations=10**9),
        settings={"jobs": 2},
    )
    assert result.status in ("time_limit", "work_limit") and time.monotonic() - start < 60.0
    assert not active_children()


@pytest.mark.usefixtures("divided")
def test_a_process_that_is_killed_leaves_its_parts_to_the_first_one(problem, monkeypatch):
    begin, killed = crew.Crew.begin, []

    def kill_one(self, order):
        if self.others and not killed:
            self.others.submit(abs, 1).result()  # starts a process
            killed.append(active_children()[0].pid)
            os.kill(killed[0], signal.SIGKILL)
        return begin(self, order)

    monkeypatch.setattr(crew.Crew, "begin", kill_one)
    result = api.solve(problem, "branch_and_bound", k=8, settings={"jobs": 2})
    assert killed and result.status == "proven"


@pytest.mark.skipif(sys.platform != "linux", reason="psutil's children of a killed process")
def test_the_processes_end_with_the_one_that_asked():
    with subprocess.Popen([sys.executable, "-c", LONG]) as asked:
        family = psutil.Process(asked.pid)
        deadline = time.monotonic() + 60.0
        while len(children := family.children(recursive=True)) < 2:
            assert time.monotonic() < deadline and asked.poll() is None
            time.sleep(0.1)
        asked.kill()
    _, alive = psutil.wait_procs(children, timeout=10.0)
    assert not alive


def test_what_is_ranked_has_one_process(problem):
    with pytest.raises(InputError, match="one process"):
        Run(dataset="pitprops", solver="branch_and_bound", settings=dict(k=3, jobs=2))
    with pytest.raises(InputError, match="jobs: 0"):
        api.solve(problem, "branch_and_bound", k=3, settings={"jobs": 0})
