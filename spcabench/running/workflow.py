"""Calls the Snakemake workflow: one at a time, resumable, with progress."""

import fcntl
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import IO

from tqdm import tqdm

from spcabench.running.process import LOCK

STEPS = re.compile(r"(\d+) of (\d+) steps")


def workflow(targets: list[str], log: Path, jobs: int, root: Path, profile: str = "default") -> int:
    """Make some files, named from the root on, with all that they need; Snakemake's exit code.

    log : what Snakemake says goes there. profile : a folder of ``profiles/``; all but the default
        submit jobs to other machines.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with _exclusive(root / ".figures.lock", "another workflow") as lock:
        _wait_for_workers(root / LOCK)
        command = [sys.executable, "-m", "snakemake", "--nolock", "--rerun-incomplete"]
        command += ["--cores", str(jobs)] if profile == "default" else ["--jobs", str(jobs)]
        command += [] if profile == "default" else ["--workflow-profile", f"profiles/{profile}"]
        command += ["--keep-going", "--", *targets]
        with log.open("w") as stream:
            # Snakemake holds the lock too: were this process killed alone, the next call would wait
            # for it
            process = subprocess.Popen(
                command,
                cwd=root,
                stdout=stream,
                stderr=subprocess.STDOUT,
                pass_fds=(lock.fileno(),),
            )
            code = _follow(process, log)
    if code:
        _explain(log)
    return code


def _follow(process: subprocess.Popen, log: Path) -> int:
    """Show how many steps are done until the process ends."""
    bar = tqdm(desc="figures", unit="step", disable=None)
    while process.poll() is None:
        sleep(0.3)
        done = STEPS.findall(log.read_text(errors="replace"))
        if done:
            bar.n, bar.total = (int(number) for number in done[-1])
            bar.refresh()
    bar.close()
    return process.returncode


def _explain(log: Path) -> None:
    """The lines of the log that say what went wrong."""
    lines = log.read_text(errors="replace").splitlines()
    said = [
        line for line in lines if re.search(r"error|exception|^spcabench:", line, re.IGNORECASE)
    ]
    print("\n".join(dict.fromkeys(said[:12])), file=sys.stderr)
    print(f"the workflow did not finish; its log is {log}", file=sys.stderr)


@contextmanager
def _exclusive(path: Path, holder: str) -> Iterator[IO[str]]:
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"waiting for {holder} to end", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock


def _wait_for_workers(path: Path) -> None:
    """Wait until the workers of a killed workflow have ended, so that old and new never overlap."""
    with _exclusive(path, "workers of an earlier workflow"):
        pass
