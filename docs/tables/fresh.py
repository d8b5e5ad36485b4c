"""Print proofs and gaps of the exact search for docs/bounds.md, on problems not used to tune it.

    python -m docs.tables.fresh [COUNT [SECONDS]]

The problems are random with a fixed seed. n is between 50 and 1,000 and k between 5 and 50, both
uniform on a logarithmic scale. Seconds are processor time on one thread.
"""

import sys
from time import process_time

import numpy as np

from spcabench import Problem, load, solve
from spcabench.methods.exact_search.branch_and_bound import SECOND

SEED = 20261125


def _heavy(n, seed):
    """Return n samples of n variables from Student's t distribution with 3 degrees of freedom."""
    X = np.random.default_rng(seed).standard_t(3, (n, n))
    return Problem.from_data(X, f"heavy-tailed {n} x {n}", divisor="1")


FAMILIES = {
    "gaussian": lambda n, seed: load("gaussian", m=n, n=n, seed=seed),
    "weak spike": lambda n, seed: load("spiked", n=n, strength=1.5, seed=seed),
    "strong spike": lambda n, seed: load("spiked", n=n, strength=6.0, seed=seed),
    "blocks": lambda n, seed: load("blocks", n=n, seed=seed),
    "decaying": lambda n, seed: load("decaying", n=n, power=1.0, seed=seed),
    "heavy-tailed": _heavy,
}


def drawn(count):
    """Yield the family, the problem and k; the families take turns."""
    rng = np.random.default_rng(SEED)
    for place in range(count):
        family = list(FAMILIES)[place % len(FAMILIES)]
        n = round(50 * (1000 / 50) ** rng.random())
        k, seed = min(round(5 * 10 ** rng.random()), n // 2), int(rng.integers(10**9))
        yield family, FAMILIES[family](n, seed), k


def exact(count=40, seconds=60.0):
    """Print the outcome of the exact search for each problem, with a budget of ``seconds``."""
    print("| family | n | k | outcome | s |\n| --- | --- | --- | --- | --- |")
    proven = []
    for family, problem, k in drawn(int(count)):
        start = process_time()
        result = solve(
            problem, "branch_and_bound", k=k, settings={"budget": float(seconds) * SECOND}
        )
        spent, gap = process_time() - start, result.gap
        proven.append(result.status == "proven")
        outcome = "proven" if proven[-1] else f"{gap:.2%}"
        print(f"| {family} | {problem.n} | {k} | {outcome} | {spent:.1f} |", flush=True)
    print(f"\n{sum(proven)} of {len(proven)} are proven.")


if __name__ == "__main__":
    exact(*sys.argv[1:])
