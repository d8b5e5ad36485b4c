"""The fork server: steps behave like separate processes, and none outlives its caller."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from tempfile import TemporaryDirectory

import pytest

from spcabench.running import fork_server, step, workflow
from tests.checking import tricks
from tests.system_processes import below, called, gone

STEP = [sys.executable, "-S", step.__file__]


@pytest.fixture(scope="module")
def server():
    """Return the environment of steps that a server forks."""
    with workflow._fork_server(here=True) as environment:
        if not environment:
            pytest.skip("processes are not forked here")
        yield os.environ | environment


@pytest.mark.parametrize("served", [True, False])
@pytest.mark.parametrize(
    ("arguments", "code"), [(["--version"], 0), (["results-page", "none"], 2), (["nonsense"], 2)]
)
def test_a_step_says_and_ends_as_the_command_does(server, tmp_path, arguments, code, served):
    alone = [sys.executable, "-m", "spcabench", *arguments]
    how = dict(cwd=tmp_path, capture_output=True, text=True)
    expected = subprocess.run(alone, **how)
    completed = subprocess.run([*STEP, *arguments], env=server if served else None, **how)
    assert (completed.returncode, completed.stdout, completed.stderr) == (
        code,
        expected.stdout,
        expected.stderr,
    )
    assert expected.returncode == code


def test_a_step_leaves_no_temporary_folder(tmp_path, monkeypatch):
    """Its process ends without the functions that multiprocessing runs at the exit."""
    file = tricks.file_of(tmp_path, "mine")
    with TemporaryDirectory() as temporary:  # the path of a socket must be short
        monkeypatch.setenv("TMPDIR", temporary)
        with workflow._fork_server(here=True) as environment:
            if not environment:
                pytest.skip("processes are not forked here")
            completed = subprocess.run(
                [*STEP, "check", file], env=os.environ | environment, capture_output=True, text=True
            )
        assert "holds        is feasible" in completed.stdout, completed
        assert not os.listdir(temporary)


def test_a_step_ends_with_its_caller(server, tmp_path):
    """The step waits for the machine while its caller is killed."""
    lock = tmp_path / f".timing-{os.uname().nodename}.lock"
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        arguments = ["results-page", "results/quick"]
        (tmp_path / "results/quick/figures/x").mkdir(parents=True)
        (tmp_path / "results/quick/figures/x/claims.json").write_text("{}")
        before = _steps()
        caller = subprocess.Popen([*STEP, *arguments], cwd=tmp_path, env=server)
        end = time.monotonic() + 20
        while not (new := _steps() - before) and time.monotonic() < end:
            time.sleep(0.02)
        assert new
        caller.send_signal(signal.SIGKILL)
        caller.wait()
        assert gone(new)


def _steps():
    """Return the processes that this process's servers have forked."""
    servers = called(fork_server.__name__) & below(deep=False)
    return set().union(*(below(server, deep=False) for server in servers))


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="needs Linux")
def test_the_server_has_one_thread_when_it_forks():
    code = (
        "from spcabench.machine import pin_threads; pin_threads()\n"
        "import os; from importlib import import_module\n"
        "from spcabench.running.fork_server import LOADED\n"
        "for name in LOADED:\n"
        "    import_module(name)\n"
        "print(len(os.listdir('/proc/self/task')))"
    )
    completed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert int(completed.stdout) == 1


def test_what_is_loaded_is_no_solver_no_dataset_and_no_figure():
    code = (
        "import sys; from importlib import import_module; from contextlib import suppress\n"
        "from spcabench.running.fork_server import LOADED\n"
        "for name in LOADED:\n"
        "    import_module(name)\n"
        "print(*sys.modules)"
    )
    completed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    for kind in ("solvers", "datasets", "figures"):
        loaded = [n for n in completed.stdout.split() if n.startswith(f"spcabench.{kind}.")]
        assert [n for n in loaded if not n.rpartition(".")[2].startswith("_")] == []
