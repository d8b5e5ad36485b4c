"""Information about the machine (speed, memory, versions), and limits on threads and memory."""

import contextlib
import importlib
import math
import os
import platform
import re
import resource
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from spcabench.errors import InputError

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
)
UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")
PACKAGES = (
    "numpy",
    "scipy",
    "pandas",
    "numba",
    "cvxpy",
    "scs",
    "matplotlib",
    "snakemake",
    "spcabench",
)


def pin_threads() -> None:
    """Limit numerical libraries to one thread. Must be called before NumPy is imported."""
    for name in THREAD_VARIABLES:
        os.environ[name] = "1"
    # pyarrow's memory allocator would start a thread, and a process with threads should not fork
    os.environ["JE_ARROW_MALLOC_CONF"] = "background_thread:false"


@lru_cache
def _pools() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()  # finding the libraries takes a millisecond


def one_thread() -> contextlib.AbstractContextManager[Any]:
    """Limit BLAS to one thread in a block, as in comparisons.

    For matrices of a few hundred rows, further threads mostly wait for each other: 60
    eigendecompositions of order 100 take 50 times the processor time with two threads on a busy
    machine. The number of threads also changes rounding errors.
    """
    limit: contextlib.AbstractContextManager[Any] = _pools().limit(limits=1, user_api="blas")
    return limit


@lru_cache
def describe() -> dict[str, Any]:
    """Describe the processor, operating system, BLAS, number of threads and library versions."""
    import numpy  # noqa: F401  (threadpoolctl only finds a loaded BLAS)
    from threadpoolctl import threadpool_info

    pools = [p for p in threadpool_info() if p["user_api"] == "blas"]
    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "platform": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "blas": ", ".join(f"{p['internal_api']} {p['version']}" for p in pools) or "unknown",
        "threads": max((p["num_threads"] for p in pools), default=1),
        "versions": _versions(),
    }


def _versions() -> dict[str, str]:
    """Return the versions of installed libraries that can affect results."""
    versions = {}
    for name in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()


@lru_cache
def checkout() -> Path | None:
    """Return the clone of the repository from which this package is imported.

    The result is None for an installed package, even if its environment is inside a repository.
    """
    folder = Path(__file__).resolve().parents[1]
    return folder if (folder / "Snakefile").is_file() else None


@lru_cache
def commit() -> tuple[str, bool]:
    """Return the commit of the working tree, and whether there are uncommitted changes.

    Outside a checkout, the result is ("unknown", False).
    """
    here = checkout()
    if here is None:
        return "unknown", False
    try:
        head = git(here, "rev-parse", "--short=10", "HEAD")
        return head, bool(git(here, "status", "--porcelain", "--untracked-files=no"))
    except (OSError, subprocess.CalledProcessError):
        return "unknown", False


def git(folder: Path, *words: str) -> str:
    """Return the output of git in a folder; raise OSError or CalledProcessError on failure."""
    return subprocess.run(
        # without locks, because git would leave a lock in the repository if it were killed
        ["git", "--no-optional-locks", "-C", folder, *words],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.rstrip()


@lru_cache
def mixed_checkouts() -> str:
    """Return a warning if solvers or datasets come from a different checkout; otherwise "".

    This happens if one work tree is on the path while another is installed in editable mode. Python
    then imports the package from the first work tree, but solvers and datasets from the second.
    """
    home = Path(__file__).resolve().parent
    strangers = []
    for name in ("solvers", "datasets"):
        spec = find_spec(f"spcabench.{name}")
        folder = Path(spec.origin).resolve().parent if spec and spec.origin else home / name
        # next to the package in a checkout, inside it in a wheel
        if folder not in (home.parent / name, home / name):
            strangers.append(f"its {name} from {folder}")
    if not strangers:
        return ""
    return (
        f"two checkouts are mixed: spcabench comes from {home}, and {' and '.join(strangers)}; "
        "use the environment of this checkout"
    )


_told: list[str] = []


def warn_of_mixed_checkouts(tell: Callable[[str], None] | None = None) -> None:
    """Report `mixed_checkouts` once per process, with ``tell`` or as a RuntimeWarning."""
    warning = mixed_checkouts()
    if not warning or _told:
        return
    _told.append(warning)
    if tell is not None:
        tell(warning)
    else:
        warnings.warn(warning, RuntimeWarning, stacklevel=3)


def calibration() -> float:
    """Measure the current speed of the machine as the time in seconds of a fixed computation.

    The computation is a product of two 200 x 200 matrices. The shortest of five times is returned.
    """
    import numpy as np

    A = np.ones((200, 200))
    best = np.inf
    for _ in range(5):
        start = perf_counter()
        A @ A
        best = min(best, perf_counter() - start)
    return best


def waited(pid: int | str = "self") -> float:
    """Return the time in seconds in which a process was ready to run but waited for the processor.

    The result is nan if the system does not report this time. Linux reports it only for the main
    thread.
    """
    try:
        return 1e-9 * float(Path(f"/proc/{pid}/schedstat").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return float("nan")


def busy(seconds: float = 0.2) -> float:
    """Run a short test, and return the fraction of its time spent waiting for the processor."""
    begun, before = perf_counter(), (process_time(), waited())
    while (elapsed := perf_counter() - begun) < seconds:
        calibration()
    lost = waited() - before[1]
    return (elapsed - process_time() + before[0] if math.isnan(lost) else lost) / elapsed


def load_average() -> float:
    """Return the mean number of processes that were running or ready during the last minute."""
    return os.getloadavg()[0]


def process_memory(key: str, pid: int | str = "self") -> float:
    """Return the memory of a process in bytes ("VmRSS": current, "VmHWM": peak), or nan."""
    try:
        status = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return float("nan")
    return next(
        (1024.0 * float(line.split()[1]) for line in status if line.startswith(key + ":")),
        float("nan"),
    )


def memory_of_children() -> float:
    """Return the peak memory of the largest finished child minus the memory of this process.

    The result is at least 0. The memory of this process is subtracted, because a forked child
    inherits it.
    """
    unit = 1 if sys.platform == "darwin" else 1024
    largest = float(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit)
    now = process_memory("VmRSS")
    return max(largest - now, 0.0) if largest and now == now else 0.0


def readable(count: float) -> str:
    """Format a number of bytes with its unit, such as "12 kB" or "3.4 GB"."""
    unit = 0
    while count >= 999.5 and unit < len(UNITS) - 1:
        count, unit = count / 1000.0, unit + 1
    digits = f"{count:.2g}" if count < 99.5 else f"{count:,.0f}"
    return f"{digits} {UNITS[unit]}" if count < 1e15 else f"more than 1,000 {UNITS[-1]}"


def free_memory() -> float:
    """Return the memory that is available without swapping, in bytes."""
    import psutil

    return float(psutil.virtual_memory().available)


def forget_peak() -> None:
    """Reset the peak memory of this process ("VmHWM") if the system supports it."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


@contextlib.contextmanager
def limited_memory() -> Iterator[None]:
    """Limit this process to the memory that is free now; beyond it, Python raises MemoryError.

    Without this limit, the system would kill a process, not necessarily this one.
    """
    if not sys.platform.startswith("linux"):
        yield
        return
    earlier = resource.getrlimit(resource.RLIMIT_AS)
    limit = process_memory("VmSize") + free_memory()
    hard = earlier[1]
    if math.isfinite(limit) and (hard == resource.RLIM_INFINITY or limit < hard):
        resource.setrlimit(resource.RLIMIT_AS, (int(limit), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, earlier)


def limit_memory(limit: float) -> None:
    """Limit the address space of this process, in bytes; beyond it, Python raises MemoryError."""
    if sys.platform.startswith("linux"):
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = int(limit) if hard == resource.RLIM_INFINITY else min(int(limit), hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


class MissingExtra(InputError, ImportError):
    """Raised if an optional library is missing; the message names the extra that installs it."""


def extra_of(library: str) -> str:
    """Return the extra that installs a library, according to the metadata of the package."""
    try:
        declared = requires("spcabench") or []
    except PackageNotFoundError:  # the package is used without being installed
        declared = []
    wanted = library.partition(".")[0]
    for line in declared:
        match = re.match(r"""([\w-]+)[^;]*;.*extra == ["']([\w-]+)["']""", line)
        if match and match[1].replace("-", "_") == wanted and match[2] not in ("all", "dev"):
            return match[2]
    return "all"


def installation(extra: str) -> str:
    """Return the command that installs an extra; the package is in no index.

    If the package is installed, pip adds the libraries of the extra to it.
    """
    try:
        version("spcabench")
    except PackageNotFoundError:
        return f'pip install ".[{extra}]" in a clone of spcabench'
    return f'pip install "spcabench[{extra}]"'


def missing(library: str, extra: str = "") -> MissingExtra:
    """Return the error for a library that is not installed."""
    name = library.partition(".")[0]
    return MissingExtra(f"{name} is not installed; use {installation(extra or extra_of(name))}")


def require(library: str) -> Any:
    """Import and return a library; raise MissingExtra if it is not installed."""
    try:
        return importlib.import_module(library)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != library.partition(".")[0]:
            raise
        raise missing(library) from None
