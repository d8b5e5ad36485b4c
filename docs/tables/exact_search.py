"""Write proofs and gaps of the exact search to docs/bounds.md.

    python -m docs.tables.exact_search new    # on problems not used to tune it
    python -m docs.tables.exact_search large  # on the suite of large data

The new problems are random with a fixed seed. n is between 50 and 1,000 and k between 5 and 50,
both uniform on a logarithmic scale. Seconds are processor time on one thread.
"""

import sys
from pathlib import Path
from time import process_time

import numpy as np

from spcabench import Problem, load, solve
from spcabench.comparison.suite import SUITES
from spcabench.methods.exact_search.branch_and_bound import SECOND
from spcabench.page.generated_block import markdown_table, renew

SEED, COUNT, SECONDS = 20261125, 40, 20.0


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


def outcome(problem, k, **settings):
    """Return (gap, 0 if the optimum is proven; processor seconds) of the exact search."""
    start = process_time()
    result = solve(problem, "branch_and_bound", k=k, settings=settings)
    return 0.0 if result.status == "proven" else result.gap, process_time() - start


def new():
    """Write the table of problems that were not used to tune the search."""
    found = {family: [] for family in FAMILIES}
    for family, problem, k in drawn(COUNT):
        found[family].append((problem.n, k, *outcome(problem, k, budget=SECONDS * SECOND)))
        print(family, *found[family][-1], flush=True)
    lines = []
    for family, runs in found.items():
        proofs = [spent for *_, gap, spent in runs if not gap]
        still = "; ".join(f"{n}, {k}: {100.0 * gap:.2f} %" for n, k, gap, _ in runs if gap)
        times = (f"{np.median(proofs):.1f}", f"{max(proofs):.1f}")
        lines.append([family, len(runs), len(proofs), *times, still])
    times = ("median s of proofs", "longest s of proofs")
    put("new", ["family", "problems", "proven", *times, "open: n, k, gap"], lines)


def large():
    """Write the table of the suite `large`, with the default budget."""
    lines = []
    for item in SUITES["large"]:
        problem = load(item.dataset, **item.parameters)
        for k in item.ks:
            gap, spent = outcome(problem, k)
            lines.append(
                [item.name, k, f"{100.0 * gap:.2f} %" if gap else "proven", f"{spent:.1f}"]
            )
            print(*lines[-1], flush=True)
    put("large", ["problem", "k", "gap", "s"], lines)


def put(name, heads, lines):
    """Write a table to a block of docs/bounds.md."""
    text = f"\n{markdown_table(heads, lines)}\n"
    renew(Path(__file__).parents[1] / "bounds.md", {name: text}, by="docs.tables.exact_search")


if __name__ == "__main__":
    {"new": new, "large": large}[sys.argv[1]]()
