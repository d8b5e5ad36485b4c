"""A worker process for code that can crash, hang, exhaust memory or cheat.

The worker is forked from a process with the libraries loaded and communicates through a pipe.
Messages are plain data (`spcabench.running.messages`) and are never executed.
"""

import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic, sleep
from types import ModuleType
from typing import Any

from spcabench import atomic_files, machine, registry
from spcabench.readers import sources
from spcabench.running import messages, sandbox, supervisor
from spcabench.solving.status import Status

# a forked process already has everything that its parent imported
FORKS = sys.platform == "linux"
SPAWN: Any = multiprocessing.get_context("spawn")
CONTEXT: Any = multiprocessing.get_context("fork") if FORKS else SPAWN
# a process forked there has the libraries too, but nothing of the plan is in its memory
IGNORANT: Any = multiprocessing.get_context("forkserver") if FORKS else SPAWN
IGNORANT_LOADED = "spcabench.running.ignorant"
MEMORY = 12e9  # limit of the address space in bytes
START = 300.0  # maximum seconds until a process is ready
_OWN: set[int] = set()  # ids of all workers; other children of this process were adopted
LOOK = 0.5  # seconds between two checks whether the process is still alive
HOMES = ("HOME", "TMPDIR", "XDG_CACHE_HOME")  # variables that name folders of the user
# in the current folder: plans, rows and logs, and locks, which show when other solvers are timed
RESULTS, LOCKS = ("results", ".snakemake"), ".*.lock"
TEMPORARY = ("spcabench-*", "pymp-*")  # temporary folders of this package and of multiprocessing
ENDING = 5.0  # seconds within which a process that closed its pipe must be gone
SEPARATED = "separated"  # message of a new process whose users have yet to be mapped
INPUT_OUTPUT = 3  # number of file descriptors of standard input, output and error


class Ended(Exception):
    """The process exited without an answer; ``status`` is "crash" or "killed"."""

    def __init__(self, status: Status, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


@dataclass(frozen=True)
class Cell:
    """The limits of a process that runs a stranger's code.

    folder : its home, and the only folder in which it can write. given : a folder in which it can
    only read, with the problems that it is given. hidden : folders that it cannot read. shown :
    files in them that it can read, such as the solver's own file.
    """

    folder: Path
    given: Path
    hidden: Sequence[Path]
    shown: Sequence[Path]

    def enter(self, mapped: Callable[[], None]) -> None:
        """Confine this process; ``mapped`` asks for `sandbox.map_users` and waits for it."""
        self.settle()
        sandbox.confine(self.folder, self.hidden, [*self.shown, self.given], mapped)

    def settle(self) -> None:
        """Make the folder the home of this process."""
        downloads = str(sources.downloads())  # in the home of the user, which changes now
        os.environ.update({**dict.fromkeys(HOMES, str(self.folder)), sources.DOWNLOADS: downloads})
        tempfile.tempdir = None  # read again from the environment


@contextmanager
def cell(files: Sequence[Path], *hidden: Path) -> Iterator[Cell]:
    """Yield the limits of a process that can read some files; its folders are deleted at the end.

    It can read neither results, plans, locks nor folders of other processes, in which sockets
    listen.
    """
    temporary = atomic_files.temporary()
    others = [path for name in TEMPORARY for path in temporary.glob(name)]
    others += Path().glob(LOCKS)
    with (
        tempfile.TemporaryDirectory(prefix="spcabench-") as folder,
        tempfile.TemporaryDirectory(prefix="spcabench-") as given,
    ):
        yield Cell(Path(folder), Path(given), [*map(Path, RESULTS), *others, *hidden], files)


class Worker:
    """A process that answers messages; it is replaced if it dies or is too slow.

    Everything that the work starts and leaves behind ends with the process, and on systems with
    forking also when the asking process is killed.

    answer : message -> answer, both plain data; a module-level function. anew : whether the process
        must never be forked from one that has run a stranger's code. cell : for a stranger's code,
        the limits within which it works.
    """

    def __init__(
        self, answer: Callable[[Any], Any], anew: bool = False, cell: Cell | None = None
    ) -> None:
        self.answer, self.anew, self.cell = answer, anew, cell
        self.asked = 0
        self._start()

    def _start(self) -> None:
        if FORKS:  # if the process is killed, this process adopts its children
            supervisor.adopt_orphans()
        context = SPAWN if self.anew and registry.has_strangers() else CONTEXT
        self.pipe, theirs = CONTEXT.Pipe()
        ours = self.pipe
        if self.cell:
            context, ours = IGNORANT, None
            IGNORANT.set_forkserver_preload([IGNORANT_LOADED])
        # a daemon ends with its parent, even if that forgets to close it
        self.process = context.Process(
            target=_serve, args=(ours, theirs, self.answer, self.cell), daemon=True
        )
        with _unknown_command() if self.cell else nullcontext():
            self.process.start()
        theirs.close()
        self.reader = messages.Reader(self.pipe.fileno())
        self.watcher = supervisor.watch_over(self.process.pid) if FORKS else None
        self.pids = {self.process.pid, self.watcher or self.process.pid}
        _OWN.update(self.pids)
        # wait until it is ready, so that the first message does not wait for its imports
        with suppress(TimeoutError, EOFError, OSError, messages.Garbled):
            if self.reader.message(START) == SEPARATED:
                sandbox.map_users(self.process.pid)
                messages.send(self.pipe.fileno(), SEPARATED)
                self.reader.message(START)

    def ask(self, message: Any, seconds: float) -> Any:
        """Return the answer to a message; raise Ended if none arrives within ``seconds``."""
        self.asked += 1
        try:
            messages.send(self.pipe.fileno(), [self.asked, message])
            return self._reply(monotonic() + seconds)
        except TimeoutError:
            end = Ended(Status.KILLED, f"killed after {seconds:.3g} s without an answer")
        except messages.Garbled as garbled:
            end = Ended(Status.CRASH, f"the process was ended: {garbled}")
        except (EOFError, OSError):
            end = Ended(Status.CRASH, f"the process ended {_how(self._exit_code())}")
        self.restart()
        raise end

    def _reply(self, deadline: float) -> Any:
        """Return the reply to the last message; raise TimeoutError if none arrives."""
        while True:
            left = max(deadline - monotonic(), 0.0)
            try:
                message = self.reader.message(min(LOOK, left))
            except TimeoutError:
                # if the process forked others, these keep the pipe open after it has exited
                if not self.process.is_alive():
                    raise EOFError from None
                if left <= 0.0:
                    raise
                continue
            if isinstance(message, list) and len(message) == 2 and message[0] == self.asked:
                return message[1]

    def _exit_code(self) -> int | None:
        """Wait for the process to exit and return its exit code, or None after a timeout."""
        end = monotonic() + ENDING
        while self.process.is_alive() and monotonic() < end:
            sleep(0.01)
        return self.process.exitcode

    def restart(self) -> None:
        """Kill the process, and start another one."""
        self.close()
        self._start()

    def close(self) -> None:
        """Kill the process and all its descendants."""
        supervisor.end(self.process.pid)
        self.process.join()
        if self.watcher is not None:
            supervisor.end_watcher(self.watcher)
            _OWN.difference_update(self.pids)
            supervisor.end_orphans(_OWN)
        self.pipe.close()


def _how(code: int | None) -> str:
    """Describe an exit code, which is negative for a signal."""
    if code is None or code >= 0:
        return f"with exit code {code}"
    try:
        return f"by {signal.Signals(-code).name}"
    except ValueError:
        return f"by signal {-code}"


@contextmanager
def _unknown_command() -> Iterator[None]:
    """Hide the main module and the words of this command, which Python hands to a new process."""
    words, main = sys.argv, sys.modules["__main__"]
    sys.argv, sys.modules["__main__"] = words[:1], ModuleType("__main__")
    try:
        yield
    finally:
        sys.argv, sys.modules["__main__"] = words, main


def _serve(
    ours: Connection | None,
    theirs: Connection,
    answer: Callable[[Any], Any],
    cell: Cell | None,
) -> None:
    home, pipe = os.getpid(), theirs.fileno()
    if FORKS:
        _keep_only(pipe)
    elif ours:
        ours.close()
    _settle()
    reader = messages.Reader(pipe)
    with suppress(EOFError, OSError):  # the asking process is gone
        if cell:
            cell.enter(partial(_mapped, pipe, reader))
        messages.send(pipe, "ready")
        while True:
            number, message = reader.message()
            try:
                reply = answer(message)
            except Exception:
                if cell is None:  # a fault of ours, whose traceback is of use
                    raise
                os._exit(1)
            finally:
                if os.getpid() != home:  # this is a copy that was forked in `answer` and returned
                    os._exit(0)
            _reply(pipe, number, reply)
    supervisor.end_below()


def _mapped(pipe: int, reader: messages.Reader) -> None:
    """Ask the asking process to map the users of the namespaces of this one, and wait for it."""
    messages.send(pipe, SEPARATED)
    reader.message()


def _reply(pipe: int, number: int, reply: Any) -> None:
    """Send a reply, or the reason why the reply cannot be sent."""
    try:
        messages.send(pipe, [number, reply])
    except (TypeError, ValueError, RecursionError) as error:
        messages.send(pipe, [number, {"fault": str(error)[:200]}])


def _keep_only(pipe: int) -> None:
    """Close all inherited file descriptors except a pipe and the standard streams.

    They include pipes of other processes, through which third-party code could answer. Their
    numbers are redirected to the null device, because Python objects would otherwise close other
    files that reuse these numbers.
    """
    with open(os.devnull, "r+b", buffering=0) as nothing:
        for number in map(int, os.listdir("/proc/self/fd")):
            if number >= INPUT_OUTPUT and number not in (pipe, nothing.fileno()):
                with suppress(OSError):
                    os.fstat(number)  # skips the descriptor of the listing, which is already closed
                    os.dup2(nothing.fileno(), number)


def _settle() -> None:
    """Prepare a new process for its first message."""
    os.setpgid(0, 0)  # a group, so that all of it can be ended at once
    supervisor.adopt_orphans()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    multiprocessing.current_process().daemon = False  # daemons cannot use multiprocessing
    machine.limit_memory(MEMORY)
    with suppress(OSError):  # if memory runs out, the system should kill this process first
        Path("/proc/self/oom_score_adj").write_text("1000")
