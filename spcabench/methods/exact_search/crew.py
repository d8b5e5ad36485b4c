"""The processes that work on the parts of a search: this process, or several others.

The outcome of a part depends only on its `Order` (`exact_search.part`), and not on the process that
works on it. On Linux, the other processes are forked and share the covariance.
"""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Generator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection
from typing import Any

from threadpoolctl import threadpool_limits

from spcabench.flops import LEDGER, counting
from spcabench.methods.exact_search.part import SECOND, UNSEEN, Order, Outcome, Part
from spcabench.vectors import Array

Question = tuple[type[Part], Array, int, bool, float]
Work = Generator[None, None, Outcome]


class Crew:
    """A context manager that computes the parts of a search on S (n, n) for cardinality k.

    jobs : number of processes. kind : the bound of the parts. positive, tolerance : as in `Part`.
    """

    def __init__(
        self, jobs: int, kind: type[Part], S: Array, k: int, positive: bool, tolerance: float
    ) -> None:
        self.question: Question = kind, S, k, positive, tolerance
        self.others: ProcessPoolExecutor | None = None
        if jobs > 1:
            context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
            self.stop = context.Event()
            started = (self.question, self.stop)
            self.others = ProcessPoolExecutor(jobs, context, _begin, started)

    def __enter__(self) -> "Crew":
        return self

    def __exit__(self, *error: object) -> None:
        if self.others:
            # otherwise a search that is stopped would wait for parts whose results are no longer
            # needed
            self.stop.set()
            self.others.shutdown(cancel_futures=True)

    def begin(self, order: Order) -> Work:
        """Start a part; return a generator that yields regularly and returns the outcome."""
        if self.others is None:
            return _part(self.question, order).run()
        try:
            return self._awaited(order, self.others.submit(_done, order))
        except BrokenProcessPool:  # one of the processes was killed from outside
            return _part(self.question, order).run()

    def _awaited(self, order: Order, sent: "Future[tuple[Outcome, int, int]]") -> Work:
        """Wait for a part that another process works on."""
        try:
            while not wait([sent], UNSEEN / SECOND).done:
                yield
            outcome, flops, compiled = sent.result()
        except BrokenProcessPool:
            return (yield from _part(self.question, order).run())
        finally:
            sent.cancel()
        LEDGER.charge(flops - compiled)
        LEDGER.charge_compiled(compiled)
        return outcome


def _part(question: Question, order: Order) -> Part:
    kind, S, k, positive, tolerance = question
    return kind(S, k, positive, tolerance, order)


# set in each process of the crew: the question to answer, and the event that stops the process
_asked: list[tuple[Question, Any]] = []


def _begin(question: Question, stop: Any) -> None:
    """Run a process of the crew."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent process
    # By this signal, the pool ends all processes if one was killed. With the handler of a command,
    # which raises an exception, a process would wait for ever for what the killed one had locked.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    threadpool_limits(1)  # otherwise each process would start as many threads as there are cores
    _asked[:] = [(question, stop)]


def _end_with_parent() -> None:
    """Terminate this process when its parent dies, for whatever reason."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os._exit(1)


def _done(order: Order) -> tuple[Outcome, int, int]:
    """Return the outcome of a part, its flops, and the number of flops counted by kernels."""
    question, stop = _asked[0]
    with counting() as ledger:
        part = _part(question, order)
        for _ in part.run():
            if stop.is_set():
                break
        return part.outcome, ledger.flops, ledger.compiled
