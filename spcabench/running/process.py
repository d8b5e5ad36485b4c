"""A worker process, for code that can crash, hang or exhaust memory.

The worker is forked from a process with the libraries loaded, and answers calls through a
`multiprocessing.connection.Connection`. It and everything that it started end when its process
tree is killed, and also when the process that asks is killed: all workers of a process belong to a
process group of a shell that waits for this and then kills the group.
"""

import atexit
import faulthandler
import gc
import math
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import Any

import psutil

from spcabench import machine
from spcabench.solving.status import Status

FORKS = sys.platform == "linux"  # elsewhere, forking is not safe with all numerical libraries
CONTEXT: Any = multiprocessing.get_context("fork" if FORKS else "spawn")
MEMORY = 12e9  # limit of the address space in bytes, beyond which Python raises MemoryError
LOOK = 0.5  # seconds between two checks whether the process is still alive
ENDING = 5.0  # seconds within which a process that closed its connection must be gone
SHOWN = 2.0  # seconds within which a process that hangs must write its stack
IDLE = 10.0  # multiple of a limit of processor seconds after which a process is killed anyway
# Signals from outside. The system sends SIGKILL if memory runs out, and the user the others.
OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_guards: dict[int, subprocess.Popen[bytes]] = {}  # process -> the shell that guards its workers


class Ended(Exception):
    """The worker did not answer; ``status`` and the message state the reason.

    The status is "killed" at the time limit, "not_run" if the process was killed by something else
    than this limit and its own error, and "crash" otherwise. ``where`` is the line of the user's
    file in which a killed process was, or "".
    """

    def __init__(self, status: Status, reason: str, where: str = "") -> None:
        super().__init__(reason + where)
        self.status, self.reason, self.where = status, reason + where, where


class Worker:
    """A process that executes functions, and is replaced if it dies or exceeds a time limit."""

    def __init__(self) -> None:
        self.memory = min(MEMORY, psutil.virtual_memory().total)
        self.stack = tempfile.NamedTemporaryFile()  # noqa: SIM115  of a process that hangs
        self._start()

    def _start(self) -> None:
        self.used = False
        self.pipe, theirs = CONTEXT.Pipe()
        words = (theirs, self.pipe, self.memory, guard(), self.stack.name)
        self.process = CONTEXT.Process(target=_serve, args=words, daemon=True)
        self.process.start()
        theirs.close()

    def call(
        self, function: Callable[..., Any], *arguments: Any, timeout: float, working: bool = False
    ) -> Any:
        """Return ``function(*arguments)``, computed in the worker.

        function : a function of a module. timeout : seconds after which the worker is killed.
            working : whether these are processor seconds, of which a busy machine gives few.

        Raises Ended if there is no answer; the worker is then replaced. Raises RuntimeError with
        the traceback if the function raises an exception.
        """
        self.used = True
        try:
            self.pipe.send((function, arguments))
            good, value = self._reply(timeout, working)
        except TimeoutError:
            reason = f"killed after {timeout:.3g} s without an answer"
            end = Ended(Status.KILLED, reason, self._where())
        except (EOFError, OSError):
            end = self._death()
        else:
            if good:
                return value
            raise RuntimeError(value)
        self.restart()
        raise end

    def _reply(self, timeout: float, working: bool) -> Any:
        """Return the reply to the last call; raise TimeoutError or EOFError if none arrives."""
        end = monotonic() + timeout * (IDLE if working else 1.0)
        worked = self._processor_seconds() + timeout if working else math.inf
        while not self.pipe.poll(max(min(LOOK, end - monotonic()), 0.0)):
            # processes that it forked keep the connection open after it has exited
            if not self.process.is_alive():
                raise EOFError
            if monotonic() >= end or self._processor_seconds() >= worked:
                raise TimeoutError
        return self.pipe.recv()

    def _processor_seconds(self) -> float:
        """Return the processor time of the process and of the processes that it has waited for."""
        with suppress(psutil.NoSuchProcess):
            return float(sum(psutil.Process(self.process.pid).cpu_times()[:4]))
        return 0.0

    def _death(self) -> Ended:
        """Describe how the process exited."""
        self.process.join(ENDING)
        code = self.process.exitcode
        if code is None or code >= 0:
            return Ended(Status.CRASH, f"the process ended with exit code {code}")
        name = signal.Signals(-code).name
        if -code in OUTSIDE:
            more = ", perhaps because memory ran out" if -code == signal.SIGKILL else ""
            return Ended(Status.NOT_RUN, f"its process was killed from outside by {name}{more}")
        return Ended(Status.CRASH, f"the process ended by {name}")

    def _where(self) -> str:
        """Return the innermost line of a solver's file that the process is executing, or ""."""
        os.kill(self.process.pid, signal.SIGUSR1)
        end, stack, earlier = monotonic() + SHOWN, b"", b"unread"
        while monotonic() < end and not (stack and stack == earlier):  # until all of it is written
            self.process.join(0.05)
            earlier, stack = stack, Path(self.stack.name).read_bytes()
        return _own_line(stack.decode(errors="replace"))

    def restart(self) -> None:
        """Kill the process, and start another one."""
        self._kill()
        self._start()

    def close(self) -> None:
        """Kill the process and all its descendants."""
        self._kill()
        self.stack.close()

    def _kill(self) -> None:
        kill(self.process.pid)
        self.process.join()
        self.process.close()
        self.pipe.close()


def _own_line(stack: str) -> str:
    """Return the innermost line of a stack that is in no library and no module of this package.

    The stack has the format of `faulthandler`.
    """
    package, libraries = Path(__file__).parents[1], (Path(sys.prefix), Path(os.__file__).parent)
    for line in stack.splitlines():
        if line.startswith("  File "):
            name, _, place = line.removeprefix('  File "').partition('", ')
            file = Path(name)
            ours = file.is_relative_to(package) and file.parent.name != "solvers"
            if not ours and not any(file.is_relative_to(folder) for folder in libraries):
                return f" (in {file.name}, {place})"
    return ""


def guard() -> int:
    """Return the process group of the workers of this process.

    The group is that of a shell. When this process ends, for whatever reason, the shell reads the
    end of its input and kills the group.
    """
    process = _guards.get(os.getpid())
    if process is None or process.poll() is not None:
        atexit.unregister(end_group)  # registered once, however often a guard is started
        atexit.register(end_group)
        process = _guards[os.getpid()] = subprocess.Popen(
            ["/bin/sh", "-c", "read -r _; kill -9 0"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
    return process.pid


def end_group() -> None:
    """Kill all processes of the group, also those that outlived the worker that started them."""
    if process := _guards.pop(os.getpid(), None):
        assert process.stdin
        process.stdin.close()
        process.wait()


def kill(pid: int) -> None:
    """Kill a process and all its descendants."""
    with suppress(psutil.Error):
        root = psutil.Process(pid)
        root.suspend()  # so that it starts no other process meanwhile
        for process in [*root.children(recursive=True), root]:
            with suppress(psutil.Error):
                process.kill()


def _serve(pipe: Connection, theirs: Connection, memory: float, group: int, stack: str) -> None:
    """Answer calls until the asking process is gone."""
    home = os.getpid()
    _settle(memory, group)
    faulthandler.register(signal.SIGUSR1, file=open(stack, "wb"), all_threads=False)  # noqa: SIM115
    gc.freeze()  # what was loaded before remains, so a collection looks only at a run's own objects
    if FORKS:
        theirs.close()
    with suppress(EOFError, OSError):
        while True:
            function, arguments = pipe.recv()
            try:
                reply = True, function(*arguments)
            except Exception:
                import traceback

                reply = False, traceback.format_exc()
            finally:
                if os.getpid() != home:  # a copy of this process, which a solver has forked
                    os._exit(0)
            pipe.send(reply)


def _settle(memory: float, group: int) -> None:
    """Prepare a new process for its first call."""
    os.setpgid(0, group)
    with open(os.devnull, "wb") as nothing:
        for process in _guards.values():  # otherwise, the shell would wait for this process too
            os.dup2(nothing.fileno(), process.stdin.fileno())  # type: ignore[union-attr]
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    multiprocessing.current_process().daemon = False  # type: ignore[misc]  # it may start processes
    machine.limit_memory(memory)
    with suppress(OSError):  # if memory runs out, the system should kill this process first
        Path("/proc/self/oom_score_adj").write_text("1000")
