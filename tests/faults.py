"""Disturb the command that makes a figure; when repeated, it must produce the usual rows."""

import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from contextlib import suppress
from pathlib import Path

import psutil

from spcabench.running import rows
from tests.system_processes import is_free

ROOT = Path(__file__).parents[1]
COPIED = ("spcabench", "solvers", "datasets", "profiles", "docs", "Snakefile", "README.md")
NAME = "daspremont2007_artificial"

# what a run decides; clocks, memory and the machine are left out
DECIDED = ["solver", "dataset", "settings", "seed", "k", "asked", "status", "cardinality"]
DECIDED += ["variance", "bound", "iterations", "flops", "setup_flops", "support", "values"]
ORPHANS = 5.0  # seconds in which nothing may be left
LONGEST = 240.0  # seconds of a command on a busy machine
ASKED = (130, 143, -signal.SIGINT, -signal.SIGTERM)  # exit codes of who was asked to end


def copied(folder, names=COPIED):
    """Copy parts of the repository, with solvers and datasets inside the package."""
    for name in names:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    for name in ("solvers", "datasets"):
        (folder / name).rename(folder / "spcabench" / name)
    return folder


class Workspace:
    """A copy of the repository in which a figure is made."""

    def __init__(self, folder, python=sys.executable):
        self.folder, self.python, self.mark = folder, str(python), str(uuid.uuid4())
        self.seconds, self.expected = 0.0, []  # of a command without disturbance, and its rows
        copied(folder)

    def start(self):
        """Start the command in a new session and process group."""
        return subprocess.Popen(
            [self.python, "-m", "spcabench", "figure", NAME],
            cwd=self.folder,
            env=os.environ
            | {"PYTHONPATH": str(self.folder), "SPCABENCH_TRIAL": self.mark}
            | {"XDG_CACHE_HOME": str(self.folder / "cache")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # let Ctrl-C through, which a shell starts in the background ignores
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def run(self):
        """Run the command, which must succeed, and return the seconds it took."""
        begun = time.monotonic()
        process = self.start()
        _, message = process.communicate(timeout=LONGEST)
        assert process.returncode == 0, message
        assert "Traceback" not in message and "waiting" not in message, message
        return time.monotonic() - begun

    def rows(self):
        """Return the deciding columns of all rows, and the verdicts."""
        files = sorted((self.folder / "results").rglob("rows/**/*.parquet"))
        names = [str(file.relative_to(self.folder)) for file in files]
        return names, rows.read_table(files, [*DECIDED, "extra"]).to_pylist()

    def processes(self):
        """Return all processes that commands have started and that are still alive."""
        running = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                alive = process.status() != psutil.STATUS_ZOMBIE
                if alive and process.environ().get("SPCABENCH_TRIAL") == self.mark:
                    running.append(process)
        return running

    def clear(self):
        """Delete all results."""
        for name in ("results", ".snakemake"):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def check_left(self):
        """Assert that no process, held lock, empty file or half-written file is left."""
        end = time.monotonic() + ORPHANS
        while left := self.processes():
            assert time.monotonic() < end, [process.cmdline() for process in left]
            time.sleep(0.05)
        lock = self.folder / ".figures.lock"
        assert not lock.exists() or is_free(lock)
        for file in (self.folder / "results").rglob("*"):
            written = file.suffix not in (".log", ".lock")
            assert not (file.is_file() and written) or file.stat().st_size, file


FAULTS = {  # kind -> what is done at the moment
    "kill -9": lambda workspace, process: process.kill(),
    "SIGTERM": lambda workspace, process: process.terminate(),
    "Ctrl-C": lambda workspace, process: os.killpg(process.pid, signal.SIGINT),
}


def disturb(workspace, fault, moment):
    """Run the command with a fault at a moment in seconds, then repeat it."""
    process = workspace.start()
    with suppress(subprocess.TimeoutExpired):
        process.wait(moment)
    if process.poll() is None:
        FAULTS[fault](workspace, process)
    _, message = process.communicate(timeout=LONGEST)
    workspace.check_left()
    assert "Traceback" not in message, message
    assert process.returncode in (0, -signal.SIGKILL, *ASKED), message
    workspace.run()
    assert not list((workspace.folder / "results").rglob("*.journal"))
    workspace.check_left()
