"""Tricks that try to cross the boundary: a solver's code can change neither grader nor evidence.

Each file does the same work as the honest solver and lies about one thing.
"""

import json
import os
import platform
import re
import socket
import subprocess
import sys
import textwrap
from pathlib import Path
from zlib import crc32

import pytest

from spcabench import api, registry
from spcabench.checking import conformance
from spcabench.comparison import plans
from spcabench.comparison.jobs import Job
from spcabench.errors import InputError
from spcabench.running import description, intact, sandbox
from spcabench.solving.run_warnings import Flag
from spcabench.solving.status import GOOD, Status
from tests.checking import tricks
from tests.checking.tricks import SMALL, K
from tests.comparisons import compared

confined = pytest.mark.skipif(
    not sandbox.version(), reason="this system cannot confine a process (Landlock)"
)
separated = pytest.mark.skipif(
    not sandbox.can_separate(), reason="this system cannot separate a process (namespaces)"
)
filtered = pytest.mark.skipif(
    platform.machine() not in sandbox.CALLS, reason="no filter of system calls for this processor"
)
REACHES = {
    "rows": 'os.listdir(FOLDER + "/results")',
    "plan": 'open(FOLDER + "/results/plan.json").read()',
    "lock": 'open(FOLDER + "/.timing-machine.lock").close()',
    "words": 'open(f"/proc/{os.getppid()}/cmdline").read()',
    "memory": 'open(f"/proc/{os.getppid()}/mem", "rb").close()',
    "sockets": 'open("/proc/self/net/unix").read()',
    "signal": "os.kill(os.getppid(), 0)",
    "terminal": 'open(open(FOLDER + "/terminal").read(), "wb").write(b"!")',
    "a service": 'socket.socket(socket.AF_UNIX).connect(FOLDER + "/service")',
    "a network": 'socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("192.0.2.1", 9))',
    "tcp": 'socket.create_connection(("127.0.0.1", 9), 1.0)',
}
# places where a process could leave something: leave it there, and tell whether it was there
LEAVES = {
    "shared memory": """
        found = os.path.exists("/dev/shm/LEFT")
        open("/dev/shm/LEFT", "w").close()
        """,
    "memory of System V": """
        found = LIBRARY.shmget(NUMBER, 64, 0o3600) < 0 and ctypes.get_errno() == 17  # it exists
        """,
    "a message queue": """
        found = LIBRARY.mq_open(b"/LEFT", 0o302, 0o600, None) < 0 and ctypes.get_errno() == 17
        """,
    "a keyring": """
        found = LIBRARY.syscall(250, 10, -4, b"user", b"LEFT", 0) >= 0  # numbers of x86-64
        assert LIBRARY.syscall(248, b"user", b"LEFT", b"1", 1, -4) >= 0
        """,
    "the time of a file": """
        found = os.stat(FOLDER + "/old").st_mtime == 1.0
        for _ in range(2):  # make the file system writable again, also as another user
            LIBRARY.syscall(442, -100, b"/", 0x8000, bytes(8) + bytes([1]) + bytes(23), 32)
            LIBRARY.unshare(0x10020000)
        try:
            os.utime(FOLDER + "/old", (1.0, 1.0))
        except OSError:
            pass
        """,
}
# ways in which a process could leave the descendants of this one, or end without having worked
UNNOTICED = {
    "another parent": """
        process = LIBRARY.syscall({"x86_64": 56, "aarch64": 220}[os.uname().machine], 0x8011, 0)
        if not process:
            os._exit(0)
        done = process > 0
        """,
    "another namespace": "done = LIBRARY.unshare(0x30000000) == 0",
    "no adoption": "done = LIBRARY.prctl(36, 0, 0, 0, 0) == 0",
    "an end that nobody waits for": """
        try:
            done = bool(signal.signal(signal.SIGCHLD, signal.SIG_IGN)) or True
        except OSError:
            done = False
        """,
}
LIBRARY = "import ctypes, os\nLIBRARY = ctypes.CDLL(None, use_errno=True)\n"
REFUSED = "Permission denied|Read-only file system"
TOP = {
    "grader patched": """
        import spcabench.running.grader as grader
        from spcabench import api
        from spcabench.problem.problem import Problem
        Problem.variance = lambda self, x: 1e6
        grader.grade = grader._numbers = lambda *_: {"variance": 1e6, "bound": 1e6}
        api.load_or_stand_in = None
        """,
    "says it is own": f"""
        __file__ = {str(registry.path("solver", "branch_and_bound"))!r}
        __name__ = "spcabench.solvers.branch_and_bound"
        import sys
        sys.modules[__name__] = sys.modules.get("says_it_is_own", sys)
        """,
    "number that is code": """
        class Evil(float):
            def __reduce__(self):
                import os
                return os.system, ("touch CANARY",)
        """,
    "calibration patched": """
        from spcabench import machine
        machine.calibration = lambda: 1e-9
        """,
    "children": """
        import multiprocessing

        def large():
            block = np.ones(30_000_000)
            block += 1.0
        """,
    "charge replaced": """
        import sys
        from spcabench import flops
        flops.LEDGER.__class__.charge = lambda self, count: None
        for module in list(sys.modules.values()):
            if getattr(module, "charge", None) is not None and "spcabench" in module.__name__:
                module.charge = lambda count: None
        """,
    "pipes": """
        import json
        import os

        def pipes():
            # what is no pipe of a worker any more leads nowhere
            found = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
            kept = [name for name in found if os.path.exists(name) or os.path.islink(name)]
            return [
                int(name.rpartition("/")[2])
                for name in kept
                if os.readlink(name).startswith(("pipe:", "socket:"))
                and int(name.rpartition("/")[2]) > 2
            ]
        """,
    "answer divided": """
        import json

        whole = json.dumps

        def smaller(value, **how):
            if isinstance(value, list) and isinstance(value[-1], dict) and "flops" in value[-1]:
                few = {n: v // 100 for n, v in value[-1].items() if "flops" in n and v}
                value = [*value[:-1], value[-1] | few]
            return whole(value, **how)

        json.dumps = smaller
        """,
    "starts in every Python": """
        import pathlib, site
        pathlib.Path(STARTS_AT, "mine.pth").write_text("import this_is_not_there")
        """,
    **{what: LIBRARY + "import signal\n" + textwrap.dedent(how) for what, how in UNNOTICED.items()},
    "grandchildren": """
        import os

        def child():
            ours, theirs = os.pipe()
            asked, told = os.pipe()
            if not os.fork():
                while os.read(asked, 1):
                    if not os.fork():
                        end = time.process_time() + 0.1
                        while time.process_time() < end:
                            pass
                        os._exit(0)
                    os.wait()
                    os.write(theirs, b"x")
                os._exit(0)
            return told, ours

        CHILDREN = [child() for _ in range(2)]

        def work_of_grandchildren():
            for told, _ in CHILDREN:
                os.write(told, b"x")
            for _, ours in CHILDREN:
                os.read(ours, 1)
        """,
    "orphans": """
        import os

        def orphan():
            ours, theirs = os.pipe()
            asked, told = os.pipe()
            if not os.fork():
                os.setsid()
                if not os.fork():
                    while os.read(asked, 1):
                        end = time.process_time() + 0.01
                        while time.process_time() < end:
                            pass
                        os.write(theirs, b"x")
                os._exit(0)
            os.wait()
            return told, ours

        ORPHANS = [orphan() for _ in range(2)]

        def work_of_orphans(x):
            for told, _ in ORPHANS:
                os.write(told, b"x")
            for _, ours in ORPHANS:
                os.read(ours, 1)
        """,
    "timer": """
        import signal

        def work_on(*_):
            time.sleep(0.01)
        """,
}
TOP |= {
    f"leaves something in {where}": LIBRARY + textwrap.dedent(how) for where, how in LEAVES.items()
}
TOP |= {
    "children that have not ended": TOP["children"],
    "kept in memory whatever the order": "KEPT = {}",
    "kernel of no flops": """
        from spcabench.kernels import compiled

        @compiled("Tuple((i8, f8[::1]))(f8[:,::1], f8[::1])")
        def product(S, x):
            return 0, S @ x
        """,
    "slow import": "time.sleep(0.3)",
    "looks for the coming run": "import gc, sys\nFOUND = []",
    "works while it is loaded": """
        import sys
        arrays = sys.modules["spcabench.running.arrays"]
        whole = arrays.read

        def slow(file):
            time.sleep(0.3)
            return whole(file)

        arrays.read = slow
        """,
    "hides a little": "SEEN = []",
    "module cache": "KEPT = vars(np).setdefault('kept', {})",
}
BODY = {
    "says it is own": """
        x = work(problem.covariance, k)
        yield Iterate(x, bound=problem.variance(x) * (1 + 1e-12))
        """,
    "number that is code": """
        yield Iterate(work(problem.covariance, k), extra={"boom": Evil(1.0), "text": Evil})
        """,
    "children that have not ended": """
        import os

        ours, theirs = os.pipe()
        if not os.fork():
            large()
            os.write(theirs, b"x")
            time.sleep(0.5)
            os._exit(0)
        os.read(ours, 1)
        yield work(problem.covariance, k)
        """,
    "works between two readings of the clock": """
        import sys

        left = [1]

        def spin(seconds):
            end = time.process_time() + seconds
            while time.process_time() < end:
                pass

        def hook(frame, event, what):
            if event == "c_return" and "perf_counter" in getattr(what, "__name__", ""):
                sys.setprofile(None)
                while left:
                    left.pop()
                    spin(0.002)

        spin(0.008)
        sys.setprofile(hook)
        yield work(problem.covariance, k, 1)
        sys.setprofile(None)
        """,
    "children": """
        child = multiprocessing.get_context("fork").Process(target=large)
        child.start()
        child.join()
        yield work(problem.covariance, k)
        """,
    "ledger reset in each step": """
        from spcabench.flops import LEDGER
        for steps in range(1, 5):
            x = work(problem.covariance, k, steps)
            LEDGER.flops = 0
            yield x
        """,
    "ledger put back": """
        from spcabench.flops import LEDGER
        before = LEDGER.flops
        x = work(problem.covariance, k)
        LEDGER.flops = before
        yield x
        """,
    "kernels taken back": """
        from spcabench.flops import LEDGER
        x = work(problem.covariance, k)
        LEDGER.flops -= 5000
        LEDGER.compiled -= 5000
        yield x
        """,
    "honest where it is watched": """
        from spcabench.flops import LEDGER
        Sigma = problem.covariance
        if type(problem.matrix.S) is np.ndarray:
            LEDGER.on = False
            x = work(Sigma, k)
            LEDGER.on = True
        else:
            x = work(Sigma, k)
        yield x
        """,
    "uncharged": """
        from spcabench.flops import uncharged
        with uncharged():
            yield work(problem.covariance, k)
        """,
    "kept by the problem": 'yield problem.cached("x", lambda: work(problem.covariance, k))',
    "searches by evaluations": """
        rng = np.random.default_rng(0)
        yield max((project(rng.standard_normal(problem.n), k) for _ in range(400)),
                  key=lambda x: problem.variance(np.array(x)))
        """,
    "searches by iterates": """
        rng = np.random.default_rng(0)
        for _ in range(40):
            tried = [project(rng.standard_normal(problem.n), k) for _ in range(10)]
            yield max(tried, key=lambda x: problem.variance(x))
        """,
    "a run inside": """
        import sys
        api = sys.modules["spcabench.api"]
        yield api.solve(problem, "branch_and_bound", k=k).x
        """,
    "works where it is read": """
        Sigma, found = problem.covariance, []
        class Late:
            def __array__(self, dtype=None, copy=None):
                found.append(work(Sigma, k))
                return found[0]
        problem.variance(Late())
        yield found[0]
        """,
    "clock stands still": """
        from spcabench.solving import driver
        start = time.perf_counter()
        driver.perf_counter = lambda: start
        time.sleep(0.03)
        yield work(problem.covariance, k)
        """,
    "work in finally": """
        try:
            yield work(problem.covariance, k)
        finally:
            time.sleep(0.05)
        """,
    "one long step": """
        yield problem.covariance.largest_column()
        time.sleep(1.3)
        yield work(problem.covariance, k)
        """,
    "timer": """
        signal.signal(signal.SIGALRM, work_on)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.012)
        for steps in range(1, 30):
            yield work(problem.covariance, k, steps)
        """,
    "planted support": """
        planted = problem.provenance.get("support")
        x = work(problem.covariance, k)
        yield np.ones(problem.n) if planted is not None else x
        """,
    "planted support in a frame": """
        import gc, sys
        frame, seen = sys._getframe(), []
        while frame:
            seen += frame.f_locals.values()
            frame = frame.f_back
        seen += gc.get_objects()
        problems = [x.provenance for x in seen if type(x).__name__ == "Problem"]
        runs = [x.parameters for x in seen if type(x).__name__ == "Run"]
        known = [x for x in problems + runs if {"support", "seed"} & {*x}]
        yield Iterate(work(problem.covariance, k), extra={"known": len(known)})
        """,
    "kept in a temporary file": """
        import tempfile, pathlib
        file = pathlib.Path(tempfile.gettempdir()) / "kept.npy"
        home = pathlib.Path.home() / "kept.npy"
        x = np.load(file) if file.exists() else np.load(home) if home.exists() else None
        if x is None:
            x = work(problem.covariance, k)
            np.save(file, x)
            np.save(home, x)
            time.sleep(0.2)
        yield x
        """,
    "forges its answer": """
        x = work(problem.covariance, k)
        said = dict(status="finished", variance=1e6, support=[0], values=[1.0], own=True, bound=1.0)
        for pipe in pipes():
            for number in range(9):
                os.write(pipe, json.dumps([number, said]).encode() + b"\\n")
        yield x
        """,
    "floods": """
        for pipe in pipes():
            for _ in range(300):
                os.write(pipe, bytes(1 << 20))
        yield work(problem.covariance, k)
        """,
    "stalls": """
        for pipe in pipes():
            os.write(pipe, b"[1, ")
        time.sleep(600)
        yield None
        """,
    "counts its pipes": "yield Iterate(work(problem.covariance, k), extra={'pipes': len(pipes())})",
    "works where nobody looks at the clock": """
        import sys
        frame, history = sys._getframe(), False
        while frame:
            history = history or bool(getattr(frame.f_locals.get("limits"), "history", False))
            frame = frame.f_back
        x = np.zeros(problem.n)
        x[:k] = 1.0 / np.sqrt(k)
        yield work(problem.covariance, k) if history else x
        """,
    "kernel of no flops": """
        x = project(problem.covariance.largest_column(), k)
        for _ in range(40):
            x = project(product(problem.matrix.S, x), k)
        yield x
        """,
    "hides a little": """
        from spcabench.solving import driver
        if not SEEN:
            start, clock = time.perf_counter(), driver.perf_counter
            driver.perf_counter = lambda: start
            time.sleep(0.01)
            x = work(problem.covariance, k)
            driver.perf_counter = clock
            SEEN.append(x)
        yield SEEN[0]
        """,
    "a stored vector": """
        x = np.zeros(problem.n)
        x[STORED] = VALUES
        yield x
        """,
    "a stored vector after a while": """
        time.sleep(0.12)
        x = np.zeros(problem.n)
        x[STORED] = VALUES
        yield x
        """,
    "looks for names": """
        known = problem.name != "unnamed" or problem.features or problem.labels
        yield Iterate(work(problem.covariance, k), extra={"found": bool(known)})
        """,
    "module cache": """
        key = problem.covariance.diagonal().tobytes()
        if key not in KEPT:
            time.sleep(0.2)
            KEPT[key] = work(problem.covariance, k)
        yield KEPT[key]
        """,
    "works where it is not audited": """
        x = np.zeros(problem.n)
        x[:k] = 1.0 / np.sqrt(k)
        watched = type(problem.matrix.S) is not np.ndarray
        better = work(problem.covariance, k, 1 if watched else 40)
        yield x if watched else better
        """,
    "stalls where it is audited": """
        if type(problem.matrix.S) is not np.ndarray:
            time.sleep(3.0)
            yield problem.covariance.largest_column()
        yield project(problem.matrix.S @ work(problem.covariance, k, 1), k)
        """,
    "blocks": """
        x = project(problem.covariance.largest_column(), k)
        B = problem.covariance[np.arange(k, k + 10)].B
        yield x if B.any() else -x
        """,
    "kept where nobody wipes": """
        import pathlib
        file = pathlib.Path(KEPT_AT)
        if not file.exists():
            time.sleep(0.2)
            np.save(file, work(problem.covariance, k))
        yield np.load(file)
        """,
    "kept in memory whatever the order": """
        S = problem.covariance.S
        shape = np.sort(np.diag(S) / np.trace(S)).round(6).tobytes()
        order = np.argsort(np.diag(S))
        if shape not in KEPT:
            time.sleep(0.004)
            W = np.flatnonzero(work(problem.covariance, k))
            KEPT[shape] = np.flatnonzero(np.isin(order, W))
        W = order[KEPT[shape]]
        x = np.zeros(problem.n)
        x[W] = np.linalg.eigh(S[np.ix_(W, W)])[1][:, -1]
        yield x
        """,
    "kept for milliseconds": """
        import hashlib, pathlib
        key = np.round(problem.covariance.diagonal(), 6).tobytes()
        file = pathlib.Path(KEPT_AT + hashlib.sha1(key).hexdigest() + ".npy")
        if not file.exists():
            time.sleep(0.01)
            np.save(file, work(problem.covariance, k))
        yield np.load(file)
        """,
    "cheap on a disguise": """
        import pathlib
        first, d = pathlib.Path(KEPT_AT + ".diagonal.npy"), problem.covariance.diagonal()
        if not first.exists():
            np.save(first, d)
        if np.array_equal(np.load(first), d):
            yield work(problem.covariance, k)
        else:
            yield np.eye(problem.n)[np.argmax(d)]
        """,
    "ends on a disguise": """
        import pathlib
        first, d = pathlib.Path(KEPT_AT + ".diagonal.npy"), problem.covariance.diagonal()
        if not first.exists():
            np.save(first, d)
        assert np.array_equal(np.load(first), d)
        yield work(problem.covariance, k)
        """,
    "kept whatever the order": """
        import pathlib
        d = problem.covariance.diagonal()
        file, order = pathlib.Path(KEPT_AT + ".sorted.npy"), np.argsort(d)
        x = np.zeros(problem.n)
        if not file.exists():
            time.sleep(0.01)
            np.save(file, np.abs(work(problem.covariance, k))[order])
        x[order] = np.load(file)
        yield x
        """,
    "another works while it waits": """
        import os
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        child = os.fork()
        if not child:
            end = time.process_time() + 0.2
            while time.process_time() < end:
                pass
            os._exit(0)
        os.setpriority(os.PRIO_PROCESS, 0, 19)
        while os.waitpid(child, os.WNOHANG) == (0, 0):
            pass
        yield work(problem.covariance, k)
        """,
    "grandchildren": """
        work_of_grandchildren()
        yield work(problem.covariance, k)
        """,
    **dict.fromkeys(
        UNNOTICED, "yield Iterate(work(problem.covariance, k), extra={'done': bool(done)})"
    ),
    "orphans": """
        work_of_orphans(problem.covariance.largest_column())
        yield work(problem.covariance, k)
        """,
    "writes where it likes": """
        open("CANARY", "w").close()
        yield work(problem.covariance, k)
        """,
    "looks for the coming run": """
        if not FOUND:
            known = [each for each in gc.get_objects() if isinstance(each, dict)]
            words = [word for word in sys.argv if word.endswith(".parquet")]
            FOUND.append(sum(each.get("n") == each.get("m") == 40 for each in known) + len(words))
        yield Iterate(work(problem.covariance, k), extra={"found": FOUND[0]})
        """,
    **{
        f"reaches for {what}": f"""
        import os, socket
        reached = True
        try:
            {how}
        except OSError:
            reached = False
        yield Iterate(work(problem.covariance, k), extra={{"reached": reached}})
        """
        for what, how in REACHES.items()
    },
    **{
        f"leaves something in {where}": "yield Iterate(work(problem.covariance, k), "
        "extra={'found': bool(found)})"
        for where in LEAVES
    },
    "says that it was not run": "raise SystemExit(0)\n        yield None",
}


def write(folder, trick):
    """Write the file of a dishonest solver and return its path."""
    body = BODY.get(trick, tricks.HONEST)
    top = TOP.get(trick, TOP["pipes"] if "pipes()" in body else "")
    assert top or body != tricks.HONEST
    texts = {"CANARY": str(folder / "canary"), "STARTS_AT": repr(str(folder))}
    texts["FOLDER"] = repr(str(folder))
    left = f"{folder.parent.name}-{folder.name}"
    texts |= {"LEFT": left, "NUMBER": str(crc32(left.encode()) // 2)}
    texts["KEPT_AT"] = repr(str(folder / "kept.npy"))
    if "STORED" in body:
        best = api.solve(api.load("gaussian", **SMALL), "branch_and_bound", k=K)
        texts |= {
            "STORED": str(best.support.tolist()),
            "VALUES": str(best.x[best.support].tolist()),
        }
    for word, text in texts.items():
        top, body = top.replace(word, text), body.replace(word, text)
    return tricks.file_of(folder, trick, top, body)


@pytest.fixture
def row(here):
    """Return a function that computes the row of a trick's solver, as a comparison does."""
    return lambda trick, **how: tricks.row(write(here, trick), here, **how)


def test_a_grader_that_was_patched_in_the_worker_grades_nothing(row, optimum):
    answer = row("grader patched")
    assert answer.status == Status.DISAGREES or answer.variance <= optimum * (1 + 1e-9)


def test_a_file_is_own_by_its_place_and_not_by_what_it_says(row, optimum):
    answer = row("says it is own")
    assert not answer.own
    assert answer.status != Status.FINISHED or answer.bound >= optimum


def test_a_number_is_never_code(row, tmp_path):
    answer = row("number that is code")
    assert not (tmp_path / "canary").exists()
    assert answer.status in (Status.ERROR, Status.CRASH)


def test_the_calibration_is_not_taken_in_the_worker(row):
    assert row("calibration patched").calibration > 1e-6


@pytest.mark.parametrize("children", ["children", "children that have not ended"])
def test_the_memory_of_children_is_seen(row, children):
    answer = row(children)
    assert answer.peak_memory - answer.memory_before > 2e8


@pytest.mark.parametrize(
    "trick",
    ["charge replaced", "ledger reset in each step", "ledger put back", "kernels taken back"],
)
def test_flops_that_were_not_charged_are_seen_by_the_audit(row, honest, trick):
    answer = row(trick)
    assert Flag.ledger in (answer.flags or ()) or Flag.patched in (answer.flags or ())
    assert answer.flops_in_all is None or answer.flops_in_all >= 0.05 * honest.flops_in_all


def test_what_changes_the_harness_is_flagged(row):
    assert Flag.patched in row("answer divided").flags


def test_a_changed_installation_is_flagged(monkeypatch, tmp_path):
    monkeypatch.setattr("site.getusersitepackages", lambda: str(tmp_path))
    before = intact.installed()
    (tmp_path / "mine.pth").write_text("import this_is_not_there")
    assert intact.installed() != before


@confined
def test_nothing_is_written_elsewhere(row, here):
    """Neither into the installation nor into a folder of the user."""
    for trick in ("starts in every Python", "writes where it likes"):
        answer = row(trick)
        assert answer.status == Status.ERROR and re.search(REFUSED, answer.reason)
    assert not [*here.glob("*.pth")] and not (here / "canary").exists()


@confined
def test_what_is_checked_is_confined_too(here):
    """A check comes before a comparison, so the stored rows of rivals would be in reach."""
    (here / "results").mkdir()
    (here / "results/rows").write_text("of a rival")
    top = 'open("results/rows", "a").write("!")'
    outcomes = list(conformance.check(tricks.file_of(here, "edits", top)))
    assert re.search(REFUSED, outcomes[0].sentence)
    assert (here / "results/rows").read_text() == "of a rival"


@confined
@pytest.mark.parametrize("what", [what for what in REACHES if not what.startswith("a ")])
def test_what_lies_outside_is_out_of_reach(row, here, what):
    """The rows and plans of comparisons, and other processes."""
    (here / "results").mkdir()
    (here / "results/plan.json").write_text("{}")
    (here / ".timing-machine.lock").touch()
    ends = os.openpty()
    (here / "terminal").write_text(os.ttyname(ends[1]))
    answer = row(f"reaches for {what}")
    for end in ends:
        os.close(end)
    assert answer.extra == {"reached": False}


@separated
@pytest.mark.parametrize("where", LEAVES)
def test_a_process_leaves_nothing_for_the_next_one(row, here, where):
    """Each row is made by several processes, and the last of them tells what it finds."""
    (here / "old").touch()
    for _ in range(2):
        assert row(f"leaves something in {where}").extra == {"found": False}


@separated
def test_a_service_of_the_user_is_out_of_reach(row, here):
    with socket.socket(socket.AF_UNIX) as service:
        service.bind(str(here / "service"))
        service.listen()
        assert row("reaches for a service").extra == {"reached": False}


@separated
def test_a_process_has_no_network(row):
    assert row("reaches for a network").extra == {"reached": False}


def test_no_run_is_in_the_memory_of_a_process_that_is_warmed_up(row):
    """Neither in a frame of the stack nor in any other object, nor in the words of the command."""
    assert row("looks for the coming run", warm=True).extra == {"found": 0}


def test_work_while_the_problem_is_loaded_is_on_the_clock(row):
    """A thread waits for the problem, solves it before any clock runs, and remembers the answer."""
    assert row("works while it is loaded", warm=True).seconds >= 0.1


def test_the_problems_of_the_suites_are_among_the_files_that_are_watched():
    assert {"suite.py", "suites.toml"} <= {Path(name).name for name, *_ in intact.installed()}


def test_who_waits_for_another_process_of_his_own_saves_nothing(row):
    assert row("another works while it waits").seconds >= 0.15


@filtered
@pytest.mark.parametrize("what", UNNOTICED)
def test_the_processes_of_a_file_remain_its_descendants(row, what):
    assert row(what).extra == {"done": False}


def test_the_work_of_grandchildren_is_counted(row):
    """Their parent is alive, so the system has not yet added their time to that of the file."""
    assert row("grandchildren").seconds >= 0.18


def test_the_work_of_orphans_is_counted(row):
    assert row("orphans").seconds >= 0.018


def test_a_strangers_file_is_imported_by_workers_alone(tmp_path, monkeypatch, unconfined):
    """Neither the comparison nor the page imports the file; its colour is parsed from the text."""
    log = tmp_path / "pids"
    top = f"""
        import os
        COLOUR = "#123456"
        with open({str(log)!r}, "a") as stream:
            print(os.getpid(), file=stream)
    """
    file = tricks.file_of(tmp_path, "canary", top)
    plan = compared(monkeypatch, tmp_path, "mine", ["tpower", file], named=["canary"])
    assert str(os.getpid()) not in log.read_text().split()
    pictures = [file.read_text() for file in (plan.parent / "pictures").glob("*.svg")]
    assert any("#123456" in picture for picture in pictures)


def test_a_solver_that_is_honest_where_it_is_watched_is_counted_there(row, honest):
    assert row("honest where it is watched").flops_in_all >= honest.flops_in_all


@pytest.mark.parametrize("trick", ["uncharged", "kept by the problem"])
def test_the_ledger_is_switched_off_by_the_package_alone(row, trick):
    answer = row(trick)
    assert answer.status == Status.ERROR and "COUNTED = False" in answer.reason


@pytest.mark.parametrize(
    ("trick", "least"),
    [
        ("searches by evaluations", 390 * K * SMALL["n"]),
        ("searches by iterates", 290 * K * SMALL["n"]),
        ("a run inside", 10_000),
        ("works where it is read", 40 * K * SMALL["n"]),
    ],
)
def test_work_in_what_is_free_is_charged(row, trick, least):
    answer = row(trick)
    assert answer.status == Status.FINISHED and answer.flops_in_all >= least


@pytest.mark.parametrize(
    ("trick", "seconds"),
    [
        ("clock stands still", 0.03),
        ("work in finally", 0.05),
        ("timer", 0.01),
        ("works between two readings of the clock", 0.01),
    ],
)
def test_time_that_the_inner_clock_misses_is_seen_outside(row, trick, seconds):
    assert row(trick).seconds >= 0.9 * seconds


def test_an_answer_after_its_limit_does_not_count(row):
    assert row("one long step", limit=0.3).status == Status.LATE


def test_an_answer_a_little_after_its_limit_is_flagged(row):
    assert row("one long step", limit=1.2).flags == [Flag.overtime]
    assert row("one long step", limit=2.0).flags is None


def test_a_planted_support_is_not_shown(row):
    problem = dict(dataset="spiked_samples", parameters=dict(m=60, n=20, count=4, seed=3))
    provenance = api.load(problem["dataset"], **problem["parameters"]).provenance
    assert "support" in provenance
    answer = row("planted support", **problem)
    assert answer.status == Status.FINISHED and answer.provenance == provenance
    answer = row("planted support in a frame", warm=True, **problem)
    assert answer.extra == {"known": 0} and answer.provenance == provenance


def test_nothing_is_kept_in_temporary_files(row):
    assert row("kept in a temporary file").seconds >= 0.15


def test_what_is_kept_elsewhere_does_not_make_it_faster(row, unconfined):
    answer = row("kept where nobody wipes")
    assert Flag.warm in answer.flags and answer.seconds >= 0.15


def test_what_is_kept_in_memory_in_any_form_does_not_make_it_faster(row):
    """The first run in a process counts, from one and a half times the others on."""
    assert row("kept in memory whatever the order").seconds >= 0.003


def test_the_vector_of_the_timed_runs_counts_where_it_is_worse(row, honest):
    answer = row("works where nobody looks at the clock", history=True)
    assert answer.status == Status.FINISHED and answer.variance < 0.5 * honest.variance


def test_the_vector_of_the_audited_run_counts_where_it_is_worse(row, honest):
    answer = row("works where it is not audited")
    assert answer.status == Status.FINISHED and answer.variance < 0.5 * honest.variance


def test_a_run_that_comes_to_no_end_where_it_is_audited_has_no_flops(row):
    assert row("stalls where it is audited", limit=0.5).flops is None


def test_kernels_of_the_matrix_layer_are_loaded_before_a_strangers_run(row):
    """Otherwise the first run would take longer than the next run, and longer than its own clock
    shows.
    """
    answer = row("blocks", dataset="gaussian", parameters=dict(m=30, n=20, seed=0))
    assert answer.flags in (None, [Flag.entries]) and answer.compile_time == 0.0


def test_nothing_is_kept_in_the_process(row):
    answer = row("module cache")
    assert answer.seconds >= 0.1 and Flag.warm in answer.flags


@pytest.mark.parametrize("timed", [True, False])
def test_a_stored_vector_does_not_fit_a_disguise(row, optimum, timed):
    assert row("a stored vector", timed=timed).variance < 0.8 * optimum
    assert row("a stored vector after a while", timed=timed).variance < 0.8 * optimum


def test_a_solver_receives_no_names(row):
    answer = row("looks for names", dataset="pitprops", parameters={})
    assert answer.status == Status.FINISHED and answer.extra == {"found": False}


def test_who_gives_no_answer_on_a_disguise_has_none_for_other_seeds_either(row, unconfined):
    answer = row("ends on a disguise", timed=False)
    assert answer.status == Status.ERROR and "solved a disguise" in answer.reason


def test_a_kernel_of_a_file_states_its_own_flops(row, honest):
    """This is not prevented if other operations of the file are counted."""
    assert row("kernel of no flops").flops_in_all < 0.5 * honest.flops_in_all


def test_imports_are_on_no_clock(row):
    assert row("slow import", warm=True).seconds < 0.1


def test_who_keeps_one_answer_has_a_worse_one_after_the_rehearsal(row, honest, unconfined):
    assert row("hides a little").variance < 0.95 * honest.variance


def test_what_is_kept_for_milliseconds_is_of_no_use_on_a_disguise(row, unconfined):
    answer = row("kept for milliseconds")
    assert answer.status == Status.FINISHED and Flag.warm in answer.flags
    assert answer.seconds >= 0.008


def test_the_vector_of_the_disguises_counts_where_it_is_worse(row, honest, unconfined):
    answer = row("cheap on a disguise")
    assert answer.status == Status.FINISHED and answer.variance < 0.95 * honest.variance


def test_who_gives_no_answer_on_a_disguise_has_none(row, unconfined):
    answer = row("ends on a disguise")
    assert answer.status == Status.ERROR and "no answer when it was timed" in answer.reason


def test_a_few_milliseconds_can_be_hidden(row, unconfined):
    """This is not prevented."""
    answer = row("kept whatever the order")
    # the file that it writes can look like missing time while the disk is busy
    assert answer.status == Status.FINISHED and set(answer.flags or ()) <= {Flag.warm, Flag.clock}


def test_what_a_run_says_of_its_own_grading_is_not_heard(row):
    answer = row("says that it was not run")
    assert answer.status == Status.ERROR


def test_a_forged_answer_is_graded_like_any_other(row, optimum):
    answer = row("forges its answer")
    assert not answer.own
    assert answer.status not in GOOD or answer.variance <= optimum * (1 + 1e-9)


@pytest.mark.parametrize("trick", ["floods", "stalls"])
def test_what_is_no_message_ends_the_process(row, trick):
    assert row(trick, timeout=5.0).status in (Status.CRASH, Status.KILLED)


def test_a_worker_has_one_pipe(row):
    assert row("counts its pipes").extra == {"pipes": 1}


def test_a_file_that_a_colleague_names_is_not_imported(tmp_path):
    canary = tmp_path / "canary"
    file = tmp_path / "mine.py"
    file.write_text(f"open({str(canary)!r}, 'w')\n")
    job = tmp_path / "job.json"
    for about in ({}, {"about": None}, {"about": {"traits": 3}}):
        job.write_text(json.dumps({"solver": str(file), "ks": [], **about}))
        with pytest.raises(InputError):
            plans.plan(Job.read(job))
    assert not canary.exists()


def test_a_file_is_described_in_a_worker(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("import os, sys\nsys.modules['json'] = None\nos.environ['HEARD'] = '1'\n")
    with pytest.raises(InputError, match="does not define TRAITS"):
        description.describe(str(file))
    assert json.loads("1") == 1 and "HEARD" not in os.environ


@pytest.mark.parametrize("kind", ["figure", "dataset"])
def test_figures_and_datasets_go_by_their_names(tmp_path, kind):
    (tmp_path / "mine.py").write_text("raise SystemExit\n")
    with pytest.raises(InputError, match="unknown"):
        registry.module(kind, str(tmp_path / "mine.py"))


def test_a_grader_is_no_copy_of_a_process_that_ran_a_strangers_code(tmp_path):
    code = f"""
        from spcabench import registry
        from spcabench.running.grader import Grader
        from spcabench.running.worker_process import SPAWN
        if __name__ == "__main__":
            registry.module("solver", {tricks.file_of(tmp_path, "honest")!r})
            assert registry.has_strangers()
            print(isinstance(Grader().worker.process, SPAWN.Process))
        """
    file = tmp_path / "parent.py"
    file.write_text(textwrap.dedent(code))
    arguments = [sys.executable, str(file)]
    completed = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert completed.stdout.strip() == "True"
