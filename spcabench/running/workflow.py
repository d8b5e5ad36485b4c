"""Runs the Snakemake workflow, one call at a time, with progress reports; calls can be resumed."""

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

# messages of the system about a full disk, which Snakemake can print before any job does
FULL = [os.strerror(n) for n in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EROFS)]
# a step without an error message, which was killed or whose process a library aborted
SILENT = re.compile(r"step\.py'? (.*)' returned non-zero exit status (\d+)")
LOCK = ".figures.lock"  # in the folder of the workflow; contains the ids of running processes
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
    first: Collection[str] = (),
) -> int:
    """Create files and their dependencies with Snakemake.

    Parameters
    ----------
    targets : list of str
        Files to create, relative to ``root``.
    log : Path
        File for the output of Snakemake. Damaged rows and figures in the same folder are first
        removed and reported.
    jobs : int
        Maximum number of parallel jobs.
    root : Path
        Folder in which the workflow runs.
    profile : str
        A profile, as in `profile_folder`. All profiles except the default submit jobs to other
        machines.
    snakefile : Path
        The Snakefile.
    first : collection of str
        Files whose jobs are started first.

    Returns
    -------
    int
        The exit code.

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
    """Start the fork server, and yield the environment variables that steps need to find it.

    here : whether the steps run on this machine. On a cluster, or on systems without forking, no
        server is used.
    """
    if not here or not hasattr(os, "pidfd_open"):
        yield {}
        return
    with TemporaryDirectory(prefix="spcabench-", dir=atomic_files.temporary()) as folder:
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
            process.stdin.close()  # the server then kills its steps and exits
            process.wait()


def _supervised(
    command: list[str], log: Path, root: Path, lock: IO[str], environment: dict[str, str]
) -> int:
    """Run a command under the supervisor, which kills the command if this process exits.

    The supervisor also holds the lock. If this process is killed, the next call therefore waits
    until the workflow of the killed process has stopped.
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
            # otherwise a user's file could be imported instead of a library with the same name
            env={**os.environ, **environment}
            | ({} if machine.checkout() else {"PYTHONSAFEPATH": "1"}),
        )
        assert process.stdin
        _write_ids(lock, os.getpid(), process.pid)
        try:
            while not _has_ended(process, 0.3):
                progress.show()
        except BaseException:  # Ctrl-C, and a request to terminate
            say("stopped; to continue, repeat the command", file=sys.stderr)
            raise
        finally:
            process.stdin.close()  # the supervisor then kills the workflow and exits
            process.wait()
            if process.returncode < 0:  # the supervisor itself was killed
                supervisor.end_session(process.pid)
    return process.returncode


def _has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.returncode is not None


def _explain(log: Path) -> None:
    """Print the lines of the log that describe errors, preferably messages of jobs."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    # messages of jobs come first, because Snakemake prints many lines
    sentences = list(_sentences(lines)) or list(_ends(lines))
    if not sentences:
        atomic_files.check_room(log.parent)  # the log can be incomplete because the disk is full
        atomic_files.append(log, "\n")
    full = next((why for why in FULL if any(why in line for line in sentences or lines)), None)
    if full and not any(line.startswith("spcabench: ") for line in sentences):
        sentences = [f"spcabench: {log.parent}: cannot be written ({full})"]
    sentences = sentences or [
        line for line in lines if re.search("error|exception", line, re.IGNORECASE)
    ]
    say("\n".join(list(dict.fromkeys(sentences))[:MOST]), file=sys.stderr)
    say(
        f"the workflow did not finish; to continue, repeat the command; the log is {log}",
        file=sys.stderr,
    )


def _sentences(lines: list[str]) -> Iterator[str]:
    """Yield error messages of failed jobs: lines of spcabench, or the last line of a traceback."""
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
    """Yield lines about jobs that failed without an error message."""
    for end in filter(None, map(SILENT.search, lines)):
        step, code = " ".join(end[1].split()[:2]), int(end[2])
        killed = code == 128 + signal.SIGKILL
        how = f"signal {code - 128}" if code > 128 else f"exit code {code}"
        how += ", perhaps out of memory" if killed else ""
        yield f"spcabench: {step}: failed without an error message ({how})"


@contextmanager
def _exclusive(path: Path) -> Iterator[IO[str]]:
    """Hold the lock of the workflow; if another workflow holds it, report its process and wait."""
    with atomic_files.writing(path):
        lock = path.open("a+", encoding="utf-8")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for {_holder(lock)} to finish", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        _write_ids(lock, os.getpid())
        yield lock


def _write_ids(lock: IO[str], *ids: int) -> None:
    with suppress(OSError):  # the ids are only used in messages
        lock.truncate(0)
        lock.write(" ".join(map(str, ids)))
        lock.flush()


def _holder(lock: IO[str]) -> str:
    """Describe the process that holds a lock: the first process in the file that still exists."""
    lock.seek(0)
    ids = [word for word in lock.read().split() if word.isdigit()]
    alive = [word for word in ids if psutil.pid_exists(int(word))]
    return f"process {alive[0]}" if alive else "another workflow"
