"""A process that has all libraries loaded, and forks the steps of a workflow.

Most of the time of a short step would be its imports. This process imports libraries and the parts
of this package that steps need, and nothing else: no solver, no dataset, no figure. What it is sent
are the words of a command, which it does not read. So what it forks is as good as new.

As a program it serves a socket until its standard input ends, which is the workflow's end of a
pipe. A step whose caller is gone is ended, with all that it started.
"""

import gc
import json
import os
import selectors
import signal
import socket
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from spcabench import machine, streams
from spcabench.running import supervisor
from spcabench.streams import say

LOADED = (
    "spcabench.cli.application",
    "spcabench.api",
    "spcabench.claims",
    "spcabench.running.runner",
    "spcabench.style",
    "matplotlib.pyplot",
    "matplotlib.backends.backend_svg",
    "matplotlib.backends.backend_pdf",
    "numba",
    "pandas",
    "pyarrow.parquet",
    "scipy.optimize",
    "scipy.special",
    "scipy.sparse.linalg",
    "jinja2",
)
STARTED = 60.0  # seconds in which the socket must be there


class Server:
    """The steps at work, each by the connection of its caller."""

    def __init__(self, address: Path) -> None:
        self.selector = selectors.DefaultSelector()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(address))
        self.listener.listen()
        self.steps: dict[int, tuple[int, socket.socket]] = {}  # pidfd -> pid, caller
        self.selector.register(self.listener, selectors.EVENT_READ, self._begin)
        self.selector.register(0, selectors.EVENT_READ, self._stop)

    def serve(self) -> None:
        """Serve until the standard input ends."""
        while True:
            for key, _ in self.selector.select():
                key.data(key.fileobj)

    def _stop(self, _: Any) -> None:
        for pid, _caller in self.steps.values():
            supervisor.end(pid)
        os._exit(0)

    def _begin(self, _: Any) -> None:
        """Fork a step."""
        caller, _address = self.listener.accept()
        step, files = _message(caller)
        pid = os.fork()
        if not pid:
            _be_step(step, files)
        for file in files:
            os.close(file)
        done = os.pidfd_open(pid)
        self.steps[done] = pid, caller
        self.selector.register(done, selectors.EVENT_READ, self._ended)
        self.selector.register(caller, selectors.EVENT_READ, lambda _: self._left(done))

    def _ended(self, done: int) -> None:
        """Tell the caller how a step ended."""
        pid, caller = self.steps.pop(done)
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        with suppress(OSError):
            caller.sendall(bytes([code if code >= 0 else 128 - code]))
        self._forget(done, caller)

    def _left(self, done: int) -> None:
        """The caller is gone: end its step."""
        if done in self.steps:
            pid, caller = self.steps.pop(done)
            supervisor.end(pid)
            os.waitpid(pid, 0)
            self._forget(done, caller)

    def _forget(self, done: int, caller: socket.socket) -> None:
        self.selector.unregister(done)
        self.selector.unregister(caller)
        os.close(done)
        caller.close()


def _message(caller: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """What a caller asks for, and its standard input, output and error."""
    head, files, _, _ = socket.recv_fds(caller, 8, 3)
    left, text = int.from_bytes(head, "big"), b""
    while len(text) < left:
        text += caller.recv(left - len(text))
    return json.loads(text), files


def _be_step(step: dict[str, Any], files: list[int]) -> None:
    """Run the command in this process, which was forked for it, and end."""
    code = 1
    try:
        os.setpgid(0, 0)  # a group, which ends as a whole
        for number, file in enumerate(files):
            os.dup2(file, number)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        gc.unfreeze()
        os.environ.clear()
        os.environ.update(step["environment"])
        os.chdir(step["folder"])
        sys.argv = ["spcabench", *step["words"]]
        import_module("spcabench.cli.application").main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):  # as Python prints it
            say(f"spcabench: {end.code}", file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def main() -> None:
    """Load what steps need, then serve the socket that is named."""
    machine.pin_threads()
    server = Server(Path(sys.argv[1]))  # callers wait in its queue
    for name in LOADED:
        with suppress(ImportError):  # an extra that is not installed is needed by no step
            import_module(name)
    streams.accept_every_character()
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the workflow ends this process
    server.serve()


if __name__ == "__main__":
    main()
