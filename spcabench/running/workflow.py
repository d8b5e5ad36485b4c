"""Run the Snakemake workflow, one call at a time, with progress; calls can be resumed."""

import errno
import fcntl
import os
import re
import signal
import subprocess
import sys
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import IO

import psutil

from spcabench import atomic_files, machine
from spcabench.errors import InputError
from spcabench.running import damaged_files, fork_server, step, supervisor
from spcabench.running.progress import Progress
from spcabench.streams import say

# the system's messages about a full disk, which Snakemake may print before any job does
FULL = [os.strerror(n) for n in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EROFS)]
# a step that ended without an error message: killed, or ended by a library
SILENT = re.compile(r"step\.py'? (.*)' returned non-zero exit status (\d+)")
LOCK = ".figures.lock"  # in the folder of the workflow; contains the ids of running processes
MOST = 12  # lines shown from a log
# the Snakefile and its profiles: at the top of a checkout, or inside the package of a wheel
FILES = machine.checkout() or Path(__file__).resolve().parents[1] / "workflow"


def profile_folder(profile: str) -> Path:
    """Return the folder of a profile: one of the workflow's own, by its name, or a user's folder.

    Raises InputError if there is none.
    """
    known = sorted(folder.name for folder in (FILES / "profiles").iterdir())
    if profile in known:
        return FILES / "profiles" / profile
    if (Path(profile) / "config.yaml").is_file():
        return Path(profile).absolute()
    raise InputError(
        f"--profile: {profile!r}; choose from {', '.join(known)}, or a folder with a config.yaml"
    )


def workflow(
    targets: list[str],
    log: Path,
    jobs: int,
    root: Path,
    profile: str = "default",
    snakefile: Path = FILES / "Snakefile",
    first: Collection[str] = (),
) -> int:
    """Make files, given relative to ``root``, with all that they need; return the exit code.

    Parameters
    ----------
    log : Path
        File for the output of Snakemake. Damaged rows and figures in the same folder are removed
        first and reported.
    root : Path
        The workflow runs in this folder.
    profile : str
        See `profile_folder`; all but the default submit jobs to other machines.
    first : collection of str
        Files whose jobs start before the others.

    Raises
    ------
    InputError
        If the disk is full or not writable.
    """
    atomic_files.check_room(log.parent)
    with _exclusive(root / LOCK) as lock:
        damaged = [str(file.relative_to(root)) for file in damaged_files.remove(log.parent)]
        command = [sys.executable, "-m", "snakemake", "--nolock", "--rerun-incomplete"]
        command += ["--snakefile", str(snakefile)]
        command += ["--workflow-profile", str(profile_folder(profile))]
        command += ["--cores" if profile == "default" else "--jobs", str(jobs)]
        command += ["--keep-going", "--scheduler", "greedy"]
        command += ["--prioritize", *first] if first else []
        command += ["--", *targets, *damaged]
        with _fork_server(here=profile == "default") as environment:
            code = _supervised(command, log, root, lock, environment)
    if code:
        _explain(log)
    return code


@contextmanager
def _fork_server(here: bool) -> Iterator[dict[str, str]]:
    """Start a process that has the libraries loaded to serve steps; yield the environment for it.

    here : whether the steps run on this machine. On a cluster, or without forking, each step starts
        by itself.
    """
    if not here or not hasattr(os, "pidfd_open"):
        yield {}
        return
    with TemporaryDirectory(prefix="spcabench-") as folder:
        address = Path(folder) / "socket"
        process = subprocess.Popen(
            [sys.executable, "-m", fork_server.__name__, str(address)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            end = monotonic() + fork_server.STARTED
            while not address.exists() and process.poll() is None and monotonic() < end:
                sleep(0.01)
            yield {step.ADDRESS: str(address)}
        finally:
            assert process.stdin
            process.stdin.close()  # the server notices, and ends its steps
            process.wait()


def _supervised(
    command: list[str], log: Path, root: Path, lock: IO[str], environment: dict[str, str]
) -> int:
    """Run a command in its own session, which ends when this process ends or is killed.

    The supervisor holds the lock too. If this process is killed, the next call therefore waits
    until the workflow of the killed one has ended.
    """
    with log.open("wb") as stream, closing(Progress(log)) as progress:
        process = subprocess.Popen(
            [sys.executable, "-m", supervisor.__name__, *command],
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=stream,
            stderr=subprocess.STDOUT,
            pass_fds=(lock.fileno(),),
            start_new_session=True,
            # otherwise a user's own file could be imported in place of a library with its name
            env={**os.environ, **environment}
            | ({} if machine.checkout() else {"PYTHONSAFEPATH": "1"}),
        )
        assert process.stdin
        _write_ids(lock, os.getpid(), process.pid)
        try:
            while not _has_ended(process, 0.3):
                progress.show()
        except BaseException:  # Ctrl-C, and a request to terminate
            say("stopped; run the same command again to continue", file=sys.stderr)
            raise
        finally:
            process.stdin.close()  # the supervisor notices this and ends
            process.wait()
            if process.returncode < 0:  # the supervisor itself was killed
                supervisor.end_session(process.pid)
    return process.returncode


def _has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.returncode is not None


def _explain(log: Path) -> None:
    """Print the lines of the log that say what went wrong, preferably those of the jobs."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    # Snakemake's own lines are many, and must not hide a job's message
    sentences = list(_sentences(lines)) or list(_ends(lines))
    if not sentences:
        atomic_files.check_room(log.parent)  # the log may have ended because the disk is full
        atomic_files.append(log, "\n")
    full = next((why for why in FULL if any(why in line for line in sentences or lines)), None)
    if full and not any(line.startswith("spcabench: ") for line in sentences):
        sentences = [f"spcabench: {log.parent}: cannot be written ({full})"]
    sentences = sentences or [
        line for line in lines if re.search("error|exception", line, re.IGNORECASE)
    ]
    say("\n".join(list(dict.fromkeys(sentences))[:MOST]), file=sys.stderr)
    say(
        f"the workflow did not finish; run the same command again to continue; its log is {log}",
        file=sys.stderr,
    )


def _sentences(lines: list[str]) -> Iterator[str]:
    """Yield error messages of failed jobs: spcabench's lines, or the last line of a traceback."""
    in_traceback = False
    for line in lines:
        if line.startswith("spcabench: ") and not line.startswith("spcabench: warning"):
            yield line
        elif line.startswith("Traceback (most recent call last)"):
            in_traceback = True
        elif in_traceback and line and not line[0].isspace():
            in_traceback = False
            yield line


def _ends(lines: list[str]) -> Iterator[str]:
    """Yield how jobs ended that printed no error message."""
    for end in filter(None, map(SILENT.search, lines)):
        step, code = " ".join(end[1].split()[:2]), int(end[2])
        killed = code == 128 + signal.SIGKILL
        how = f"signal {code - 128}" if code > 128 else f"exit code {code}"
        how += ", perhaps because memory ran out" if killed else ""
        yield f"spcabench: {step}: ended without an error message ({how})"


@contextmanager
def _exclusive(path: Path) -> Iterator[IO[str]]:
    """Hold the lock of the workflow; wait if another one is running, and name its process."""
    with atomic_files.writing(path):
        lock = path.open("a+", encoding="utf-8")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for {_holder(lock)} to end", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        _write_ids(lock, os.getpid())
        yield lock


def _write_ids(lock: IO[str], *ids: int) -> None:
    with suppress(OSError):  # the ids are only used in messages
        lock.truncate(0)
        lock.write(" ".join(map(str, ids)))
        lock.flush()


def _holder(lock: IO[str]) -> str:
    """Describe the process that holds a lock: the first of its ids that is alive."""
    lock.seek(0)
    ids = [word for word in lock.read().split() if word.isdigit()]
    alive = [word for word in ids if psutil.pid_exists(int(word))]
    return f"process {alive[0]}" if alive else "another workflow"
