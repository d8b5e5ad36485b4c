"""The fork server, a process with all libraries loaded that forks the steps of a workflow.

Imports take most of the time of a short step. This process imports the libraries and the modules of
this package that steps need, but no solver, dataset or figure. It does not interpret the
arguments of a command, so a forked process is as clean as a new process.

The program serves a socket until its standard input, which is a pipe from the workflow, is closed.
If the caller of a step disappears, the step is killed with all its descendants.
"""

import gc
import json
import multiprocessing.util
import os
import selectors
import shutil
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
STARTED = 60.0  # maximum seconds until the socket exists


class Server:
    """The server, with its running steps and the connections to their callers."""

    def __init__(self, address: Path) -> None:
        self.selector = selectors.DefaultSelector()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(address))
        self.listener.listen()
        self.steps: dict[int, tuple[int, socket.socket]] = {}  # pidfd -> pid, caller
        self.selector.register(self.listener, selectors.EVENT_READ, self._begin)
        self.selector.register(0, selectors.EVENT_READ, self._stop)

    def serve(self) -> None:
        """Serve requests until the standard input is closed."""
        while True:
            for key, _ in self.selector.select():
                key.data(key.fileobj)

    def _stop(self, _: Any) -> None:
        for pid, _caller in self.steps.values():
            supervisor.end(pid)
        os._exit(0)

    def _begin(self, _: Any) -> None:
        """Fork a process for a step."""
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
        """Send the exit code of a finished step to its caller."""
        pid, caller = self.steps.pop(done)
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        with suppress(OSError):
            caller.sendall(bytes([code if code >= 0 else 128 - code]))
        self._forget(done, caller)

    def _left(self, done: int) -> None:
        """Kill a step after its caller has disappeared."""
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
    """Read the request of a caller, and the file descriptors of its standard streams."""
    head, files, _, _ = socket.recv_fds(caller, 8, 3)
    left, text = int.from_bytes(head, "big"), b""
    while len(text) < left:
        text += caller.recv(left - len(text))
    return json.loads(text), files


def _be_step(step: dict[str, Any], files: list[int]) -> None:
    """Run the command of a step in this forked process, and exit."""
    code = 1
    try:
        os.setpgid(0, 0)  # create a process group, which can be killed as a whole
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
        if isinstance(end.code, str):  # Python also prints such a code
            say(f"spcabench: {end.code}", file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
            # os._exit skips the functions that would delete this folder of sockets
            shutil.rmtree(multiprocessing.util.get_temp_dir(), ignore_errors=True)
        os._exit(code)


def main() -> None:
    """Load the modules that steps need, and serve a socket, whose path is the argument."""
    machine.pin_threads()
    server = Server(Path(sys.argv[1]))  # created before the imports, so early callers can wait
    for name in LOADED:
        with suppress(ImportError):  # from an extra that is not installed, so no step needs it
            import_module(name)
    streams.accept_every_character()
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the workflow stops this process
    server.serve()


if __name__ == "__main__":
    main()
