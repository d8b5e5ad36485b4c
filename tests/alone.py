"""Run every test file separately: in its own process, in random order, with an empty kernel cache.

`python -m tests.alone [--third 0|1|2] [--jobs N]`. This catches tests that pass only because
another test, in the same file or in an earlier run, made or compiled something first.
"""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

ROOT = Path(__file__).parents[1]
PASSED = (0, 5)  # 5: all its tests are deselected, as where they are thorough


def files(folder, third=None):
    """Return the test files of a folder, or every third file, so all thirds take about the same
    time.
    """
    return sorted(folder.rglob("test_*.py"))[third :: 1 if third is None else 3]


def passes(file):
    """Return whether a file passes separately; print pytest's output if it fails."""
    with TemporaryDirectory() as cache:
        completed = subprocess.run(
            [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", str(file)],
            cwd=ROOT,
            env=os.environ | {"NUMBA_CACHE_DIR": cache},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
    if completed.returncode not in PASSED:
        print(completed.stdout, flush=True)
    return completed.returncode in PASSED


def main(words=None, folder=ROOT / "tests"):
    """Run the files, report failing files and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.alone")
    parser.add_argument("--third", type=int, choices=range(3))
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(words)
    chosen, start = files(folder, options.third), perf_counter()
    with ThreadPoolExecutor(options.jobs) as pool:
        passed = [*pool.map(passes, chosen)]
    failed = [file for file, good in zip(chosen, passed, strict=True) if not good]
    for file in failed:
        print(f"fails alone: {file}")
    print(f"{len(chosen)} test files alone, {len(failed)} failed, {perf_counter() - start:.0f} s")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
