"""A process of its own, for work that may crash, hang or want all memory."""

import multiprocessing
import os
import pickle
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import Any

from spcabench import machine
from spcabench.running import supervisor
from spcabench.solving.status import Status

# a forked process has imported all that its parent has
FORKS = sys.platform == "linux"
CONTEXT: Any = multiprocessing.get_context("fork" if FORKS else "spawn")
MEMORY = 12e9  # bytes of address space
START = 300.0  # seconds in which a process must be there
_OWN: set[int] = set()  # of all workers here: other children of this process were adopted
LOOK = 0.5  # seconds between two looks at whether the process is still there


class Ended(Exception):
    """The process gave no answer: ``status`` says whether it crashed or was killed."""

    def __init__(self, status: Status, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class Worker:
    """A process that answers messages; it is replaced when it dies or is too slow.

    What the work starts and leaves behind ends with the process, and where processes are forked
    also when the one that asks is killed.

    answer : message -> answer, a function that a module holds.
    """

    def __init__(self, answer: Callable[[Any], Any]) -> None:
        self.answer = answer
        self.asked = 0
        self._start()

    def _start(self) -> None:
        if FORKS:  # where the process is killed, what it started comes to this one
            supervisor.adopt_orphans()
        self.pipe, theirs = CONTEXT.Pipe()
        # a daemon: it ends with a parent that forgets to close it
        self.process = CONTEXT.Process(
            target=_serve, args=(self.pipe, theirs, self.answer), daemon=True
        )
        self.process.start()
        theirs.close()
        self.watcher = supervisor.watch_over(self.process.pid) if FORKS else None
        self.pids = {self.process.pid, self.watcher or self.process.pid}
        _OWN.update(self.pids)
        if self.pipe.poll(START):  # no message waits for the imports of a process that was spawned
            self.pipe.recv()

    def ask(self, message: Any, seconds: float) -> Any:
        """Return the answer to a message; raise Ended where none comes within some seconds."""
        self.asked += 1
        try:
            self.pipe.send((self.asked, message))
            return self._reply(monotonic() + seconds)
        except TimeoutError:
            end = Ended(Status.KILLED, f"ended after {seconds:.3g} s")
        except (EOFError, OSError, pickle.UnpicklingError):
            self.process.join(5)
            end = Ended(Status.CRASH, f"the process ended {_how(self.process.exitcode)}")
        self.restart()
        raise end

    def _reply(self, deadline: float) -> Any:
        """The reply to the last message, others passed over; TimeoutError where none comes."""
        while True:
            # what the work forked holds the pipe too, and hides that the process has ended
            if self.pipe.poll(min(LOOK, max(deadline - monotonic(), 0.0))):
                number, reply = self.pipe.recv()
                if number == self.asked:
                    return reply
            elif not self.process.is_alive():
                raise EOFError
            elif monotonic() >= deadline:
                raise TimeoutError

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
    ours.close()  # a forked process has it too, and would never see that its parent was killed
    home = os.getpid()
    _settle()
    with suppress(EOFError, ConnectionError):  # there is nobody to answer any more
        theirs.send("ready")
        while True:
            number, message = theirs.recv()
            try:
                reply = answer(message)
            finally:
                if os.getpid() != home:  # the work forked, and this copy of it has ended
                    os._exit(0)
            theirs.send((number, reply))
    supervisor.end_below()


def _settle() -> None:
    """What a process does before its first message."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # a group, which ends as a whole
    supervisor.adopt_orphans()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    multiprocessing.current_process().daemon = False  # daemons may not use multiprocessing
    machine.limit_memory(MEMORY)
    with suppress(OSError):  # where the machine has less memory than that, the system ends this one
        Path("/proc/self/oom_score_adj").write_text("1000")
