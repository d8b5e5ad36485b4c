"""Run every test file separately: in its own process, in random order, with an empty kernel cache.

`python -m tests.alone [--part I/N] [--jobs N]`. This catches tests that pass only because
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
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PASSED = (0, 5)  # 5: all its tests are deselected, as where they are thorough


class Part(NamedTuple):
    """One of several equal parts of the tests, numbered from 1."""

    number: int
    count: int

    @classmethod
    def of(cls, words):
        """Return the part that "2/3" describes. Raises ValueError for all other words."""
        number, count = map(int, words.split("/"))
        if not 1 <= number <= count:
            raise ValueError(words)
        return cls(number, count)


WHOLE = Part(1, 1)


def files(folder, part=WHOLE):
    """Return the test files of a folder, or every ``part.count``-th file, so all parts take about
    the same time.
    """
    return sorted(folder.rglob("test_*.py"))[part.number - 1 :: part.count]


def passes(file):
    """Return whether a file passes separately, and the seconds; print the output of a failure."""
    start = perf_counter()
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
    return completed.returncode in PASSED, perf_counter() - start


def main(words=None, folder=ROOT / "tests"):
    """Run the files, report failing files and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.alone")
    parser.add_argument("--part", type=Part.of, default=WHOLE, metavar="I/N")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(words)
    chosen, start = files(folder, options.part), perf_counter()
    failed = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for number, (file, (good, seconds)) in enumerate(
            zip(chosen, pool.map(passes, chosen), strict=True), 1
        ):
            name = file.relative_to(folder)
            print(f"{number} of {len(chosen)}: {name}, {seconds:.0f} s", flush=True)
            if not good:
                failed.append(file)
    for file in failed:
        print(f"fails alone: {file}")
    print(f"{len(chosen)} test files alone, {len(failed)} failed, {perf_counter() - start:.0f} s")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
