"""Runs the Snakemake workflow, one call at a time, with progress reports; calls can be resumed."""

import fcntl
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import IO

from tqdm import tqdm

from spcabench import files, machine
from spcabench.errors import InputError
from spcabench.files import say
from spcabench.running.process import end_group, guard

# a step that failed; if it was killed, there is no other message
SILENT = re.compile(
    r"-m spcabench (.*)' (?:returned non-zero exit status (\d+)|died with .*\.(\w+))"
)
# Snakemake's lines about the number of steps, and about the start and end of each step
TOTAL = re.compile(r"^total +(\d+)$", re.MULTILINE)
BEGUN = re.compile(r"rule \w+:\n(?:    .*\n)*?    jobid: (\d+)\n(?:    .*\n)*?    wildcards: (.*)")
ENDED = re.compile(r"Finished jobid: (\d+) ")
NAME = re.compile(r"(?:figure|folder)=([^,]+)")  # wildcards with the name of a figure
SILENCE = 60.0  # seconds between two lines about the progress in a log
LOOK = 0.3  # seconds between two looks at the log
LOCK = ".figures.lock"  # in the folder of the workflow
MOST = 12  # maximum number of lines shown from a log
# folder of the Snakefile and its profiles: the top of a checkout, or a subpackage of a wheel
FILES = machine.checkout() or Path(__file__).resolve().parents[1] / "workflow"


def profile_folder(profile: str) -> Path:
    """Return the folder of a profile, which is the name of a profile here or a user's folder.

    Raises InputError if there is no such profile.
    """
    known = sorted(folder.name for folder in (FILES / "profiles").iterdir())
    if profile in known:
        return FILES / "profiles" / profile
    if (Path(profile) / "config.yaml").is_file():
        return Path(profile).absolute()
    raise InputError(
        f"--profile: {profile!r}; choose from {', '.join(known)}, or a folder with config.yaml"
    )


def workflow(
    targets: list[str],
    log: Path,
    jobs: int,
    root: Path,
    profile: str = "default",
    snakefile: Path = FILES / "Snakefile",
) -> int:
    """Create files and their dependencies with Snakemake.

    Parameters
    ----------
    targets : list of str
        Files to create, relative to ``root``.
    log : Path
        File for the output of Snakemake. Incomplete rows in the same folder are first removed.
    jobs : int
        Maximum number of parallel jobs.
    root : Path
        Folder in which the workflow runs.
    profile : str
        A profile, as in `profile_folder`. All profiles except the default submit jobs to other
        machines.
    snakefile : Path
        The Snakefile.

    Returns
    -------
    int
        The exit code.

    Raises
    ------
    InputError
        If the disk is full or not writable, or Snakemake is not installed.
    """
    machine.require("snakemake")
    files.check_room(log.parent)
    with _exclusive(root / LOCK) as lock:
        remove_incomplete(log.parent)
        command = [sys.executable, "-m", "snakemake", "--nolock", "--rerun-incomplete"]
        command += ["--snakefile", str(snakefile)]
        command += ["--workflow-profile", str(profile_folder(profile))]
        command += ["--cores" if profile == "default" else "--jobs", str(jobs)]
        command += ["--keep-going", "--scheduler", "greedy"]
        # on a cluster, timed runs request a whole node, so they are steps of their own
        command += [] if profile == "default" else ["--config", "separate_rows=True"]
        command += ["--", *targets]
        code = _run(command, log, root, lock)
    if code:
        _explain(log)
    return code


def _run(command: list[str], log: Path, root: Path, lock: IO[str]) -> int:
    """Run a command that ends with this process, show its progress, and return its exit code.

    The command inherits the lock. If this process is killed, the next call therefore waits until
    the processes of the killed one are gone.
    """
    with log.open("wb") as stream, closing(Progress()) as progress:
        process = subprocess.Popen(
            command,
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            pass_fds=(lock.fileno(),),
            process_group=guard(),
            # otherwise a user's file could be imported instead of a library with the same name
            env=os.environ | ({} if machine.checkout() else {"PYTHONSAFEPATH": "1"}),
        )
        try:
            while process.poll() is None:
                sleep(LOOK)
                progress.show(state(log.read_text(encoding="utf-8", errors="replace")))
        except BaseException:  # Ctrl-C, and a request to terminate
            say("stopped; to continue, repeat the command", file=sys.stderr)
            raise
        finally:
            end_group()
            process.wait()
    return process.returncode


class Progress:
    """The progress of some work: a line in a terminal, which is updated, or a line a minute."""

    def __init__(self) -> None:
        self.told = monotonic()
        self.line = tqdm(bar_format="{desc}", disable=None, leave=False, dynamic_ncols=True)

    def show(self, words: str) -> None:
        """Show the present state in words."""
        if not self.line.disable:
            self.line.set_description_str(words)
        elif monotonic() - self.told > SILENCE:
            self.told = monotonic()
            say(words, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Remove the line from the terminal."""
        self.line.close()


def state(log: str) -> str:
    """Summarise a log: "12 of 31 steps; in progress: zhang2011_fig1"."""
    named = dict(BEGUN.findall(log))
    if not (planned := TOTAL.search(log)):
        return "looking for what is missing"
    ended = ENDED.findall(log)
    at_work = {NAME.search(wildcards) for job, wildcards in named.items() if job not in ended}
    names = sorted({name[1] for name in at_work if name})
    words = f"{len(ended)} of {planned[1]} steps"
    return f"{words}; in progress: {', '.join(names)}" if names else words


def remove_incomplete(home: Path) -> None:
    """Remove rows that lack some runs, and the verdicts of their figure.

    Otherwise Snakemake would treat such a file as new, and never complete it.
    """
    for journal in home.glob("rows/*/*.journal"):
        file = journal.with_name(f"{journal.name.partition('.')[0]}.parquet")
        with files.writing(file):
            file.unlink(missing_ok=True)
            (home / "figures" / file.parent.name / "claims.json").unlink(missing_ok=True)


def _explain(log: Path) -> None:
    """Print the error messages of failed steps in the log, or lines that look like errors."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    sentences = list(_sentences(lines))
    if not sentences:
        files.check_room(log.parent)  # the log can be incomplete because the disk is full
        sentences = [line for line in lines if re.search("error|exception", line, re.IGNORECASE)]
    say("\n".join(list(dict.fromkeys(sentences))[:MOST]), file=sys.stderr)
    say(
        f"the workflow did not finish; to continue, repeat the command; the log is {log}",
        file=sys.stderr,
    )


def _sentences(lines: list[str]) -> Iterator[str]:
    """Yield error messages of failed steps.

    They are lines of spcabench, the last lines of tracebacks, and the exit codes of steps that were
    killed.
    """
    in_traceback = False
    for line in lines:
        if line.startswith("spcabench: ") and not line.startswith("spcabench: warning"):
            yield line
        elif line.startswith("Traceback (most recent call last)"):
            in_traceback = True
        elif in_traceback and line and not line[0].isspace():
            in_traceback = False
            yield line
        elif (end := SILENT.search(line)) and int(end[2] or 3) > 2:
            how = end[3] or f"exit code {end[2]}"
            yield f"spcabench: {' '.join(end[1].split()[:2])}: ended with {how}"


@contextmanager
def _exclusive(path: Path) -> Iterator[IO[str]]:
    """Hold the lock of the workflow; if another workflow holds it, say so and wait."""
    with files.writing(path):
        lock = path.open("a+", encoding="utf-8")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another command to finish", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock
