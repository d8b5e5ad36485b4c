"""A process of its own, for work that may crash, hang or want all memory."""

import fcntl
import multiprocessing
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from multiprocessing.connection import Connection
from typing import Any

from spcabench import machine
from spcabench.solving.status import Status

# a forked process has imported all that its parent has
CONTEXT: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
MEMORY = 12e9  # bytes of address space
START = 300.0  # seconds in which a process must be there
LOCK = ".workers.lock"  # in the folder of a workflow: workers may outlive it


class Ended(Exception):
    """The process gave no answer: ``status`` says whether it crashed or was killed."""

    def __init__(self, status: Status, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class Worker:
    """A process that answers messages; it is replaced when it dies or is too slow.

    answer : message -> answer, a function that a module holds.
    lock : a file on which the process has a shared lock as long as it lives.
    """

    def __init__(self, answer: Callable[[Any], Any], lock: str | None = None) -> None:
        self.answer, self.lock = answer, lock
        self._start()

    def _start(self) -> None:
        self.pipe, theirs = CONTEXT.Pipe()
        given = (self.pipe, theirs, self.answer, self.lock)
        self.process = CONTEXT.Process(target=_serve, args=given, daemon=True)
        self.process.start()
        theirs.close()
        if self.pipe.poll(START):  # no message waits for the imports of a process that was spawned
            self.pipe.recv()

    def ask(self, message: Any, seconds: float) -> Any:
        """Return the answer to a message; raise Ended where none comes within some seconds."""
        try:
            self.pipe.send(message)
            if self.pipe.poll(seconds):
                return self.pipe.recv()
            end = Ended(Status.KILLED, f"ended after {seconds:.3g} s")
        except (EOFError, OSError):
            self.process.join(5)
            code = self.process.exitcode
            end = Ended(Status.CRASH, f"the process ended with exit code {code}")
        self.close()
        self._start()
        raise end

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()


def _serve(
    ours: Connection, theirs: Connection, answer: Callable[[Any], Any], lock: str | None
) -> None:
    ours.close()  # a forked process has it too, and would never see that its parent was killed
    machine.limit_memory(MEMORY)
    with ExitStack() as stack, suppress(EOFError):  # there is nobody to answer any more
        if lock:
            fcntl.flock(stack.enter_context(open(lock, "w")), fcntl.LOCK_SH)
        theirs.send("ready")
        while True:
            theirs.send(answer(theirs.recv()))
