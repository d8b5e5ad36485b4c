"""Whatever a solver does to its process costs a single row, and no process is left behind."""

import os
import pickle
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from spcabench import api, registry
from spcabench.errors import InputError
from spcabench.run import Run
from spcabench.running import arrays, messages, solver_processes, supervisor
from spcabench.running import worker as worker_module
from spcabench.running.runner import Protocol
from spcabench.running.solver_processes import answer_of
from spcabench.running.worker_process import Worker
from spcabench.solving.status import Status
from tests.problems import some
from tests.system_processes import below, called, gone

TASK = Run(dataset="pitprops", settings={"k": 3}, timeout=60.0)
SOLVER = '''"""Trial."""
import faulthandler, multiprocessing, os, signal, subprocess, sys, time
from concurrent.futures import ProcessPoolExecutor
import numpy as np
from spcabench.iterate import Traits
TRAITS = Traits(control="cardinality")
EXAMPLE = dict(k=3)
KEPT = []
faulthandler.disable()  # that of pytest, which would print its own stack


def leave(command):
    with open({left!r}, "a") as file:
        file.write(str(command().pid) + " ")


def square(number):
    return number * number


def solve(problem, *, k):
    {body}
    yield np.eye(problem.n)[0]
'''
SLEEP = '[sys.executable, "-c", "import time; time.sleep(600)"]'
# what a solver does before it yields a good answer -> the status of its row
KINDS = {
    "forks": ("os.fork()", "finished"),
    "forks and leaves the answer to the copy": ("os.fork() and os._exit(3)", "crash"),
    "forks a copy that stays": ("os.fork() or time.sleep(600)", "finished"),
    "forks a copy that raises": ("os.fork() or 1 / 0", "finished"),
    "leaves a child": (f"leave(lambda: subprocess.Popen({SLEEP}))", "finished"),
    "leaves a daemon": (
        f"leave(lambda: subprocess.Popen({SLEEP}, start_new_session=True))",
        "finished",
    ),
    "leaves a child and segfaults": (
        f"leave(lambda: subprocess.Popen({SLEEP})); os.kill(os.getpid(), signal.SIGSEGV)",
        "crash",
    ),
    "leaves a daemon and segfaults": (
        f"leave(lambda: subprocess.Popen({SLEEP}, start_new_session=True)); "
        "os.kill(os.getpid(), signal.SIGSEGV)",
        "crash",
    ),
    "leaves a daemon that has one": (
        "leave(lambda: subprocess.Popen([sys.executable, '-c', 'import subprocess, sys, time; "
        'subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], '
        "start_new_session=True); time.sleep(600)'], start_new_session=True)); time.sleep(0.3); "
        "os.kill(os.getpid(), signal.SIGKILL)",
        "crash",
    ),
    "leaks and keeps it": ("[KEPT.append(np.empty(10**9)) for _ in range(2)]", "memory_limit"),
    "segfaults": ("os.kill(os.getpid(), signal.SIGSEGV)", "crash"),
    "aborts": ("os.abort()", "crash"),
    "sleeps": ("time.sleep(600)", "killed"),
    "hides from SIGTERM": (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)",
        "killed",
    ),
    "prints": ("print('x' * 100_000); sys.stdout.flush()", "finished"),
    "exits": ("sys.exit(0)", "error"),
    "exits at once": ("os._exit(0)", "crash"),
    "interrupts": ("raise KeyboardInterrupt", "crash"),
    "starts a pool": (
        "assert multiprocessing.get_context('fork').Pool(2).map(abs, [-3, 4]) == [3, 4]",
        "finished",
    ),
    "starts a pool of futures": (
        "assert list(ProcessPoolExecutor(2, multiprocessing.get_context('fork'))"
        ".map(abs, [-3, 4])) == [3, 4]",
        "finished",
    ),
    "starts a pool on a function of its own": (
        "assert multiprocessing.get_context('fork').Pool(2).map(square, [3, 4]) == [9, 16]",
        "finished",
    ),
    "closes the pipes": ("os.closerange(3, 200)", "crash"),
}


@pytest.fixture
def left(tmp_path):
    """Return a file in which a solver lists what it starts."""
    return tmp_path / "left"


@pytest.fixture
def solver_file(tmp_path, left):
    def made(body):
        file = tmp_path / "trial.py"
        file.write_text(SOLVER.replace("{left!r}", repr(str(left))).replace("{body}", body))
        return str(file)

    return made


def test_files_of_one_name_are_each_what_pickles_its_functions(tmp_path):
    for place, number in enumerate((1, 2)):
        file = tmp_path / str(place) / "same_name.py"
        file.parent.mkdir()
        file.write_text(f"def power():\n    return {number}\n")
        module = registry._from_file(file)
        assert pickle.loads(pickle.dumps(module.power))() == number
    file = tmp_path / "decimal.py"
    file.write_text("def power():\n    return 3\n")
    assert registry._from_file(file).power() == 3
    assert sys.modules["decimal"].Decimal


@pytest.mark.parametrize("kind", some(10, [*KINDS]))
def test_each_kind_of_solver_is_one_row_and_the_next_is_its_own(left, solver_file, kind):
    body, status = KINDS[kind]
    task = replace(TASK, solver=solver_file(body), timeout=2.0 if status == "killed" else 60.0)
    before = below()
    with closing(Worker(worker_module.answer)) as worker:
        answer = answer_of(worker, task, grace=0.0)
        assert status is None or answer.status == status, answer.reason
        assert "\n" not in answer.reason
        for k in (2, 4, 3):  # none of these is given the answer to another
            after = answer_of(worker, replace(TASK, solver="grqi", settings={"k": k}))
            assert after.status == "converged" and after.k == k
    pids = [int(pid) for pid in left.read_text().split()] if left.exists() else []
    assert gone([*pids, *(below() - before)])


def test_a_late_reply_is_not_taken_for_that_of_the_next_message():
    with closing(Worker(abs)) as worker:
        # its reply comes first, and nobody asked for it
        messages.send(worker.pipe.fileno(), [worker.asked, -5])
        assert worker.ask(-7, 10.0) == 7


def test_a_crash_names_its_signal(solver_file):
    with closing(Worker(worker_module.answer)) as worker:
        answer = answer_of(worker, replace(TASK, solver=solver_file(KINDS["segfaults"][0])))
    assert answer.status is Status.CRASH and "SIGSEGV" in answer.reason


PARENT = """
import sys, time
from spcabench.running import messages, supervisor
from spcabench.running.worker_process import Worker
supervisor.raise_on_termination()
pair = Worker(abs), Worker(abs)
print(*(worker.process.pid for worker in pair), flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("signal", ["kill", "terminate"])
def test_workers_end_with_their_parent(signal):
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True
    ) as parent:
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        getattr(parent, signal)()
    assert len(pids) == 2 and gone(pids)


@pytest.mark.parametrize(
    ("signal", "then"),
    [("terminate", "pass"), *(("kill", then) for then in ("pass", "while True: pass"))],
)
def test_a_killed_check_takes_along_what_its_solver_started(signal, then, tmp_path, solver_file):
    mark = f"{os.getpid()} of {tmp_path.name}"  # a check is confined, so it can write no list
    sleep = f'[sys.executable, "-c", "import time; time.sleep(600)", "{mark}"]'
    body = f"subprocess.Popen({sleep}); subprocess.Popen({sleep}, start_new_session=True)"
    command = [sys.executable, "-m", "spcabench", "check", solver_file(f"{body}\n    {then}")]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as check:
        end = time.monotonic() + 60
        while len(called(mark)) < 2:
            assert check.poll() is None and time.monotonic() < end
            time.sleep(0.05)
        pids = {*called(mark), *below(check.pid)}
        getattr(check, signal)()
    assert len(pids) >= 3 and gone(pids)


STARTS = """
import os, subprocess
os.setsid()
print(flush=True)
while True:
    subprocess.Popen(["sleep", "{seconds}"], start_new_session=True)
"""


def test_what_starts_others_all_the_time_ends_with_all_of_them():
    """This includes those started while the others are being found."""
    for attempt in range(5):
        seconds = f"{os.getpid()}.{attempt}"
        arguments = [sys.executable, "-c", STARTS.format(seconds=seconds)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            time.sleep(0.05)
            supervisor.end(process.pid)
        assert gone(called(seconds), 1.0)


TREE = """
import subprocess, sys, time
sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
apart = dict(quiet, start_new_session=True)
inner = f"import subprocess; print(subprocess.Popen({sleep}, **{apart}).pid)"
child = subprocess.Popen(sleep, **quiet)
daemon = subprocess.run([sys.executable, "-c", inner], stdout=subprocess.PIPE)
print(child.pid, int(daemon.stdout), flush=True)
"""


@pytest.mark.parametrize("how", ["it ends", "its caller is gone", "it is terminated"])
def test_a_supervisor_ends_all_that_its_command_started(how):
    code = TREE + ("" if how == "it ends" else "time.sleep(600)\n")
    command = [sys.executable, "-m", supervisor.__name__, sys.executable, "-c", code]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as process:
        pids = [int(pid) for pid in process.stdout.readline().split()]
        if how == "its caller is gone":
            process.stdin.close()
        elif how == "it is terminated":
            process.terminate()
        process.wait(10)
        assert len(pids) == 2 and gone(pids)
        assert (process.returncode == 0) == (how == "it ends")


def test_a_session_ends_even_where_its_supervisor_was_killed():
    command = [sys.executable, "-m", supervisor.__name__, sys.executable, "-c", TREE]
    command[-1] += "time.sleep(600)\n"
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        child, daemon = (int(pid) for pid in process.stdout.readline().split())
        process.kill()
        process.wait(10)
        supervisor.end_session(process.pid)
    os.kill(daemon, 9)  # a session of its own, which nobody can know of any more
    assert gone([child, daemon])


def test_a_full_disk_is_no_failure_of_a_file(tmp_path):
    """The problem cannot be written to a file of arrays, so the run has no row yet."""
    with closing(solver_processes.Processes(Protocol(), tmp_path)) as processes:
        processes.folder.cleanup()
        with pytest.raises(InputError, match=r"0\.npz: No such file"):
            processes._stored(TASK)
        unknown = processes._stored(replace(TASK, dataset="no_such_dataset"))
        assert unknown.status == "error" and "no_such_dataset" in unknown.reason


@pytest.mark.parametrize("dataset", ["pitprops", "gaussian", "random_sparse"])
def test_a_problem_of_arrays_is_the_same_problem_without_its_origin(dataset, tmp_path):
    problem = api.load(dataset)
    arrays.write(problem, seed=0, file=str(tmp_path / "0.npz"))
    read = arrays.read(tmp_path / "0.npz")
    x = np.random.default_rng(0).standard_normal(problem.n)
    assert read.variance(x) == problem.variance(x)
    assert (read.n, read.m, read.nnz, read.form) == (
        problem.n,
        problem.m,
        problem.nnz,
        problem.form,
    )
    assert (read.indefinite, read.divisor) == (problem.indefinite, problem.divisor)
    assert not read.provenance and not read.features and not read.labels
    assert read.name == "unnamed"
