"""Disturb a command at random moments; when repeated, it must produce the usual rows.

``python -m tests.faults --moments 40`` tries 40 moments; tests/running/test_faults.py tries each
kind once. The commands make one figure, all figures with their page, or a comparison, in a copy of
the repository that has one small figure and one small suite.
"""

import argparse
import ctypes
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
import uuid
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from spcabench.running import rows
from tests.system_processes import is_free

ROOT = Path(__file__).parents[1]
COPIED = ("spcabench", "solvers", "datasets", "profiles", "docs", "Snakefile", "README.md")
NAME = "trial2025_fig1"
FIGURE = '''"""Trial (2025), Figure 1: eight short runs."""
from spcabench.claims import above, claim, one
from spcabench.run import Run

PANELS, SIZE = (1, 1), (3, 2)


@claim("T1", "section 1", "there is variance", kind="number", measures="variance", unit="",
    rule=above(1))
def T1(data):
    rows = data.assign(least=data.variance.min())
    return one(rows, "least", "pitprops", reading="as run", seed=None)


def runs(scale):
    for k in range(2, 10):
        yield Run(dataset="pitprops", solver="grqi", settings=dict(k=k))


def draw(data, axes):
    axes.flat[0].plot(data.cardinality, data.variance, "o")
'''
PAPER = """authors = ["Trial"]
year = 2025
title = "Trials"
venue = "Journal of Trials 1"
address = "https://example.org/trial"
place = 3
"""
COMMANDS = {
    "figure": ["figure", NAME],
    "figures": ["figure"],
    "compare": ["compare", "grqi", "tpower", "--against", "none", "--suite", "trial"],
}
# what a run decides; clocks, memory and the machine are left out
DECIDED = ["solver", "dataset", "settings", "seed", "k", "asked", "status", "cardinality"]
DECIDED += ["variance", "bound", "iterations", "flops", "setup_flops", "support", "values"]
SIZE = "24m"  # of the disk that is filled
ORPHANS = 5.0  # seconds in which nothing may be left
LONGEST = 240.0  # seconds of a command on a busy machine
LEAST, MOST = 5_000, 60_000  # bytes that a limited file may have
ASKED = (130, 143, -signal.SIGINT, -signal.SIGTERM)  # exit codes of who was asked to end
DROP_CAPABILITY = 24  # of prctl(2)


def copied(folder, names=COPIED):
    """Copy parts of the repository, with solvers and datasets inside the package."""
    for name in names:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    for name in ("solvers", "datasets"):
        (folder / name).rename(folder / "spcabench" / name)
    return folder


class Workspace:
    """A copy of the repository with a single figure, in which commands are run."""

    def __init__(self, folder, python=sys.executable):
        self.folder, self.python, self.mark = folder, str(python), str(uuid.uuid4())
        self.seconds, self.expected = 0.0, []  # of a command without disturbance, and its rows
        copied(folder)
        figures = folder / "spcabench" / "figures"
        for file in (*figures.glob("[a-z]*.py"), *figures.glob("*.toml")):
            file.unlink()
        (figures / f"{NAME}.py").write_text(FIGURE)
        (figures / f"{NAME.partition('_')[0]}.toml").write_text(PAPER)
        with (folder / "spcabench" / "comparison" / "suite.py").open("a") as suite:
            suite.write('\nSUITES["trial"] = [replace(ITEMS[0], ks=(3, 6))]\n')

    def start(self, command, limit=None):
        """Start a command without root's capabilities, in a new session and process group."""
        return subprocess.Popen(
            [self.python, "-m", "spcabench", *COMMANDS[command]],
            cwd=self.folder,
            env=os.environ
            | {"PYTHONPATH": str(self.folder), "SPCABENCH_TRIAL": self.mark}
            | {"XDG_CACHE_HOME": str(self.folder / "cache")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: _restrict(limit),
        )

    def run(self, command):
        """Run a command that must succeed and return the seconds it took."""
        begun = time.monotonic()
        process = self.start(command)
        _, message = process.communicate(timeout=LONGEST)
        assert process.returncode == 0, message
        assert "Traceback" not in message and "waiting" not in message, message
        return time.monotonic() - begun

    def rows(self):
        """Return the deciding columns of all rows, and the verdicts."""
        files = sorted((self.folder / "results").rglob("rows/**/*.parquet"))
        names = [str(file.relative_to(self.folder)) for file in files]
        return names, rows.read_table(files, DECIDED).to_pylist()

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


def _restrict(limit):
    """Make permissions apply to root too, let Ctrl-C through, and limit the length of files."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # what a shell starts in the background ignores it
    for capability in range(64):
        ctypes.CDLL(None).prctl(DROP_CAPABILITY, capability, 0, 0, 0)
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


def _read_only(workspace, process):
    results = workspace.folder / "results"
    folders = [results, *(file for file in results.rglob("*") if file.is_dir())]
    for folder in folders:
        if folder.is_dir():
            folder.chmod(0o555)
    return lambda: [folder.chmod(0o755) for folder in folders if folder.exists()]


def _fill(workspace, process):
    """Fill the disk and keep it full, even if the process deletes files."""
    ballast = workspace.folder / "ballast"
    end = time.monotonic() + LONGEST
    with ballast.open("ab", buffering=0) as stream:
        while process.poll() is None and time.monotonic() < end:
            with suppress(OSError):
                while stream.write(bytes(4096)):
                    pass
            time.sleep(0.1)
    return lambda: ballast.unlink()


# kind -> what is done at the moment; it gives what takes it back
FAULTS = {
    "kill -9": lambda workspace, process: process.kill(),
    "SIGTERM": lambda workspace, process: process.terminate(),
    "Ctrl-C": lambda workspace, process: os.killpg(process.pid, signal.SIGINT),
    "read-only": _read_only,
    "disk full": _fill,
    "limited": lambda workspace, process: None,
}


def disturb(workspace, command, fault, moment, limit=None, whole=lambda workspace: None):
    """Run a command with a fault at a moment in seconds, then repeat it; return its first output.

    limit : longest file in bytes for the fault "limited", which lasts from the start. whole :
    function of the workspace that asserts that nothing is incomplete.
    """
    process = workspace.start(command, limit if fault == "limited" else None)
    with suppress(subprocess.TimeoutExpired):
        process.wait(moment)
    undo = FAULTS[fault](workspace, process) if process.poll() is None else None
    try:
        _, message = process.communicate(timeout=LONGEST)
        workspace.check_left()
        whole(workspace)
    finally:
        if undo:
            undo()
    assert "Traceback" not in message, message
    if process.returncode not in (0, -signal.SIGKILL, *ASKED):  # it ended by itself, and says why
        assert "spcabench: " in message, (process.returncode, message)
    workspace.run(command)
    assert not list((workspace.folder / "results").rglob("*.journal"))
    workspace.check_left()
    whole(workspace)
    return message.strip().splitlines()


@contextmanager
def disk(folder, size=SIZE):
    """Mount a small disk on a folder if possible; yield whether it worked."""
    mounted = os.geteuid() == 0 and not subprocess.call(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], stderr=subprocess.DEVNULL
    )
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.call(["umount", "-l", folder])


def _trial(workspace, undisturbed, number, choice):
    command = list(COMMANDS)[number % len(COMMANDS)]
    fault = list(FAULTS)[(number // len(COMMANDS) + number) % len(FAULTS)]
    seconds, expected = undisturbed[command]
    moment, limit = choice.uniform(0.0, seconds), choice.randint(LEAST, MOST)
    workspace.clear()
    message = disturb(workspace, command, fault, moment, limit)
    assert workspace.rows() == expected
    where = f"{limit} bytes" if fault == "limited" else f"{moment:.1f} of {seconds:.1f} s"
    print(f"{number + 1}: {command}, {fault}, {where}: {message[:1] or ''}", flush=True)


def main():
    """Disturb commands at many moments; the exit code is 0 if every trial succeeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first moment")
    options = parser.parse_args()
    choice = random.Random(options.seed)
    with TemporaryDirectory() as folder, disk(folder) as mounted:
        workspace = Workspace(Path(folder))
        if not mounted:
            FAULTS.pop("disk full")
        undisturbed = {}
        for command in COMMANDS:
            workspace.clear()
            undisturbed[command] = workspace.run(command), workspace.rows()
        failures = 0
        for number in range(options.first, options.first + options.moments):
            try:
                _trial(workspace, undisturbed, number, choice)
            except Exception as error:
                failures += 1
                print(f"{number + 1}: FAILED: {type(error).__name__}: {error}", flush=True)
    print(f"{options.moments - failures} of {options.moments} moments went well")
    sys.exit(int(failures > 0))


if __name__ == "__main__":
    main()
