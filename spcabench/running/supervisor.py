"""Functions that kill processes together with all their descendants.

As a program, the supervisor runs between a command and the workflow that the command starts. If the
command exits for any reason, even after a kill signal, the supervisor kills the workflow, its jobs,
and all processes that their solvers left behind.
"""

import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Collection, Iterable
from contextlib import suppress
from time import sleep

import psutil

# options of prctl(2) on Linux; on other systems, only the process group and the tree of processes
# are available
SET_PARENT_DEATH_SIGNAL, SET_CHILD_SUBREAPER = 1, 36
LOOK = 1.0  # seconds between two checks of a parent if its death causes no signal
PATIENCE = 5.0  # maximum seconds to wait for killed processes to disappear


def _prctl(option: int, value: int) -> None:
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of all orphaned descendants; only on Linux."""
    _prctl(SET_CHILD_SUBREAPER, 1)


def watch_over(pid: int) -> int:
    """Fork a process that kills a process group and its leader's descendants if this one exits.

    Returns the id of the forked process. The leader must not exit by itself in the meantime,
    because its descendants can be found only while it exists.
    """
    home = os.getpid()
    # signals are blocked, because they would unwind the forked process as if it were this one
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    watcher = os.fork()
    if watcher:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return watcher
    try:
        os.setpgid(0, 0)  # not affected by signals to the group of the parent
        os.closerange(0, os.sysconf("SC_OPEN_MAX"))  # release inherited locks and pipes
        _prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGUSR1)
        while os.getppid() == home:
            signal.sigtimedwait([signal.SIGUSR1], LOOK)
        end(pid)
    finally:
        os._exit(0)


def end_watcher(watcher: int) -> None:
    """Kill the process started by `watch_over`, but not the group that it watches."""
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(watcher, signal.SIGKILL)
        os.waitpid(watcher, 0)


def end_orphans(own: Collection[int]) -> bool:
    """Kill the processes that this process adopted, and their descendants.

    Adopted processes are children in other process groups, except for the ids in ``own``. Returns
    whether there were any.
    """
    found = False
    for _ in range(int(PATIENCE / 0.01)):
        orphans = [p for p in psutil.Process().children() if p.pid not in own and _apart(p.pid)]
        if not orphans:
            break
        found = True
        for process in orphans:
            _kill([*_stopped_below(process.pid), process])
        psutil.wait_procs(orphans, timeout=0.01)  # also reaps the killed processes
    return found


def _apart(pid: int) -> bool:
    """Whether a process belongs to a different group from this process."""
    with suppress(OSError):
        return os.getpgid(pid) != os.getpgid(0)
    return False


def end_below() -> None:
    """Kill all descendants of this process."""
    _kill(psutil.Process().children(recursive=True))


def raise_on_termination() -> None:
    """Raise an exception on Ctrl-C, SIGTERM or a closed terminal, which cleans up children."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        # under nohup, the process must outlive its terminal
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _exit)


def _exit(number: int, frame: object) -> None:
    sys.exit(128 + number)


def end(pid: int) -> None:
    """Kill the leader of a process group, the group, and all descendants of the leader."""
    below = _stopped_below(pid)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)
    _kill(below)


def _stopped_below(pid: int) -> list[psutil.Process]:
    """Suspend all descendants of a process, so they cannot start others, and return them."""
    stopped: list[psutil.Process] = []
    with suppress(psutil.Error):
        root = psutil.Process(pid)
        new = [root]
        while new:
            for process in new:
                _stop(process)
            new = [p for p in root.children(recursive=True) if p not in stopped]
            stopped += new
    return stopped


def _stop(process: psutil.Process) -> None:
    """Suspend a process, and wait until it is suspended."""
    still = (psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    with suppress(psutil.Error):
        process.suspend()
        for _ in range(100):
            if process.status() in still:
                return
            sleep(0.001)


def end_session(leader: int) -> None:
    """Kill all processes of a session except this one.

    If this process is the leader of the session, its descendants in other sessions are also killed.
    """
    for _ in range(int(PATIENCE / 0.1)):
        members = [p for p in psutil.process_iter() if _is_in(p, leader)]
        if leader == os.getpid():  # a descendant can have created its own session
            members += psutil.Process().children(recursive=True)
        if not members:
            return
        _kill(members)
        psutil.wait_procs(members, timeout=0.1)


def _is_in(process: psutil.Process, session: int) -> bool:
    """Whether a process runs in a session and is not this process."""
    with suppress(OSError, psutil.Error):
        return (
            os.getsid(process.pid) == session
            and process.pid != os.getpid()
            and process.status() != psutil.STATUS_ZOMBIE
        )
    return False


def _kill(processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.Error):
            process.kill()


def _watch(gone: threading.Event) -> None:
    """Kill all processes when the standard input, which is a pipe from the command, is closed."""
    while os.read(0, 1):
        pass
    gone.set()
    end_session(os.getpid())
    os._exit(1)


def main() -> None:
    """Run a command, kill all processes that it left behind, and exit with its exit code."""
    adopt_orphans()
    raise_on_termination()
    gone = threading.Event()
    threading.Thread(target=_watch, args=(gone,), daemon=True).start()
    code = 1
    try:
        code = subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL)
    finally:
        end_session(os.getpid())
    # if the thread has already reaped the command, its exit code is reported as 0
    sys.exit(1 if gone.is_set() else code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
