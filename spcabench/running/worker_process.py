"""A worker process for code that may crash, hang, exhaust memory, or lie.

It is forked from a process that has the libraries loaded, and gets one end of a pipe. Messages are
plain data (`spcabench.running.messages`): what the other end says is read and never run.
"""

import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from spcabench import machine, registry
from spcabench.running import messages, supervisor
from spcabench.solving.status import Status

# a forked process has imported all that its parent has
FORKS = sys.platform == "linux"
SPAWN: Any = multiprocessing.get_context("spawn")
CONTEXT: Any = multiprocessing.get_context("fork") if FORKS else SPAWN
MEMORY = 12e9  # bytes of address space
START = 300.0  # seconds in which a process must be there
_OWN: set[int] = set()  # of all workers here: other children of this process were adopted
LOOK = 0.5  # seconds between two looks at whether the process is still there
ENDING = 5.0  # seconds in which a process that closed its pipe must be gone
INPUT_OUTPUT = 3  # file descriptors of standard input, output and error


class Ended(Exception):
    """The process gave no answer: ``status`` says whether it crashed or was killed."""

    def __init__(self, status: Status, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class Worker:
    """A process that answers messages; it is replaced when it dies or is too slow.

    What the work starts and leaves behind ends with the process, and where processes are forked
    also when the one that asks is killed.

    answer : message -> answer, both plain data; a function that a module holds. anew : never as
    the copy of a process that has run a stranger's code.
    """

    def __init__(self, answer: Callable[[Any], Any], anew: bool = False) -> None:
        self.answer, self.anew = answer, anew
        self.asked = 0
        self._start()

    def _start(self) -> None:
        if FORKS:  # where the process is killed, what it started comes to this one
            supervisor.adopt_orphans()
        context = SPAWN if self.anew and registry.has_strangers() else CONTEXT
        self.pipe, theirs = context.Pipe()
        # a daemon: it ends with a parent that forgets to close it
        self.process = context.Process(
            target=_serve, args=(self.pipe, theirs, self.answer), daemon=True
        )
        self.process.start()
        theirs.close()
        self.reader = messages.Reader(self.pipe.fileno())
        self.watcher = supervisor.watch_over(self.process.pid) if FORKS else None
        self.pids = {self.process.pid, self.watcher or self.process.pid}
        _OWN.update(self.pids)
        # no message waits for the imports of a process that was spawned
        with suppress(TimeoutError, EOFError, OSError, messages.Garbled):
            self.reader.message(START)

    def ask(self, message: Any, seconds: float) -> Any:
        """Return the answer to a message; raise Ended if none comes within some seconds."""
        self.asked += 1
        try:
            messages.send(self.pipe.fileno(), [self.asked, message])
            return self._reply(monotonic() + seconds)
        except TimeoutError:
            end = Ended(Status.KILLED, f"ended after {seconds:.3g} s")
        except messages.Garbled as garbled:
            end = Ended(Status.CRASH, f"the process was ended: {garbled}")
        except (EOFError, OSError):
            end = Ended(Status.CRASH, f"the process ended {_how(self._exit_code())}")
        self.restart()
        raise end

    def _reply(self, deadline: float) -> Any:
        """The reply to the last message, others passed over; TimeoutError where none comes."""
        while True:
            left = max(deadline - monotonic(), 0.0)
            try:
                message = self.reader.message(min(LOOK, left))
            except TimeoutError:
                # what the work forked holds the pipe too, and hides that the process has ended
                if not self.process.is_alive():
                    raise EOFError from None
                if left <= 0.0:
                    raise
                continue
            if isinstance(message, list) and len(message) == 2 and message[0] == self.asked:
                return message[1]

    def _exit_code(self) -> int | None:
        """The exit code of a process that ends now; None if it does not."""
        end = monotonic() + ENDING
        while self.process.is_alive() and monotonic() < end:
            sleep(0.01)
        return self.process.exitcode

    def restart(self) -> None:
        """End the process, and begin another."""
        self.close()
        self._start()

    def close(self) -> None:
        """End the process and all that it started."""
        supervisor.end(self.process.pid)
        self.process.join()
        if self.watcher is not None:
            supervisor.end_watcher(self.watcher)
            _OWN.difference_update(self.pids)
            supervisor.end_orphans(_OWN)
        self.pipe.close()


def _how(code: int | None) -> str:
    """An exit code in words; a negative one is that of a signal."""
    if code is None or code >= 0:
        return f"with exit code {code}"
    try:
        return f"by {signal.Signals(-code).name}"
    except ValueError:
        return f"by signal {-code}"


def _serve(ours: Connection, theirs: Connection, answer: Callable[[Any], Any]) -> None:
    home, pipe = os.getpid(), theirs.fileno()
    if FORKS:
        _keep_only(pipe)
    else:
        ours.close()
    _settle()
    reader = messages.Reader(pipe)
    with suppress(EOFError, OSError):  # there is nobody to answer any more
        messages.send(pipe, "ready")
        while True:
            number, message = reader.message()
            try:
                reply = answer(message)
            finally:
                if os.getpid() != home:  # the work forked, and this copy of it has ended
                    os._exit(0)
            _reply(pipe, number, reply)
    supervisor.end_below()


def _reply(pipe: int, number: int, reply: Any) -> None:
    """Send a reply, or why it cannot be sent."""
    try:
        messages.send(pipe, [number, reply])
    except (TypeError, ValueError, RecursionError) as error:
        messages.send(pipe, [number, {"fault": str(error)[:200]}])


def _keep_only(pipe: int) -> None:
    """Let this process have one pipe of all that it was forked with, and its input and output.

    The pipes of other processes are among them: a stranger could answer in their place. The numbers
    stay in use, because objects of Python would close whatever had them next.
    """
    with open(os.devnull, "r+b", buffering=0) as nothing:
        for number in map(int, os.listdir("/proc/self/fd")):
            if number >= INPUT_OUTPUT and number not in (pipe, nothing.fileno()):
                with suppress(OSError):
                    os.fstat(number)  # that of the list itself is closed by now
                    os.dup2(nothing.fileno(), number)


def _settle() -> None:
    """What a process does before its first message."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # a group, which ends as a whole
    tempfile.tempdir = (
        None  # that of the environment, which may have changed since it was asked for
    )
    supervisor.adopt_orphans()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    multiprocessing.current_process().daemon = False  # daemons may not use multiprocessing
    machine.limit_memory(MEMORY)
    with suppress(OSError):  # where the machine has less memory than that, the system ends this one
        Path("/proc/self/oom_score_adj").write_text("1000")
