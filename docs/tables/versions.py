"""Table of docs/bounds.md: the exact search of this version beside that of another, in one run.

    git worktree add /tmp/other 3bdf5262    # version 0.2.0
    python -m docs.tables.versions /tmp/other [COUNT [SECONDS]]

On each problem of `docs.tables.fresh`, both versions search for as many seconds of processor time,
one after the other, each in a process of its own on one thread.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from docs.tables.fresh import drawn

PROVEN = 3e-9  # relative gap of a proof
HERE = Path(__file__).resolve().parents[2]
# It runs with either version, so it asks the solver itself, and reads the clock.
SEARCH = """
import sys
from time import process_time
import numpy as np
from solvers import branch_and_bound
from spcabench import Problem
S, k, seconds = np.load(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
warm = np.eye(40) + np.random.default_rng(0).standard_normal((40, 40)) / 9.0
for A, k, limit in ((warm @ warm.T, 8, 60.0), (S, k, seconds)):
    value, bound, start = 0.0, np.inf, process_time()
    for now in branch_and_bound.solve(Problem.from_covariance(A), k=k, budget=1e12):
        x = now.x
        value, bound = max(value, float(x @ A @ x)), min(bound, now.bound)
        if process_time() - start > limit:
            break
print(value, bound, process_time() - start)
"""


def searched(checkout, file, k, seconds):
    """Value, bound and processor seconds of a version's search."""
    one = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    environment = {**os.environ, **one, "PYTHONPATH": str(checkout)}
    command = [sys.executable, "-c", SEARCH, str(file), str(k), str(seconds)]
    done = subprocess.run(
        command, cwd=checkout, env=environment, check=True, capture_output=True, text=True
    )
    return map(float, done.stdout.split())


def main(other, count=40, seconds=60.0):
    """Print the gaps and the processor seconds of both versions on each problem."""
    print("| family | n | k | this version | s | the other | s |\n" + "| --- " * 7 + "|")
    proven, gaps = [0, 0], []
    with tempfile.TemporaryDirectory() as folder:
        for family, problem, k in drawn(int(count)):
            file = Path(folder) / "Sigma.npy"
            np.save(file, problem.given_as("covariance").covariance.S)
            runs = [tuple(searched(place, file, k, seconds)) for place in (HERE, Path(other))]
            best, cells = max(value for value, _, _ in runs), ""
            both = [bound / best - 1.0 for _, bound, _ in runs]
            for place, gap in enumerate(both):
                proven[place] += gap <= PROVEN
                outcome = "proven" if gap <= PROVEN else f"{gap:.2%}"
                cells += f" {outcome} | {runs[place][2]:.1f} |"
            if max(both) > PROVEN:
                gaps.append(max(both[0], 0.0) / both[1])
            print(f"| {family} | {problem.n} | {k} |{cells}", flush=True)
    print(f"\nProven: {proven[0]} by this version, {proven[1]} by the other, of {count}.")
    print(f"Gap over the other's where one is open, median: {np.median(gaps):.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
