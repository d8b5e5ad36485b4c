"""Local search against EM with 20 restarts, and against abess where it is installed: docs/local_search.md.

    python -m benchmarks.local_search_table > docs/local_search.md

Quality after the same refit; process time of the solver alone, one thread. abess (Zhu et al. 2022) is an optional extra
for comparison, `pip install abess==0.4.11`: its Sigma path checks the matrix at O(n^3) and refuses singular ones, so it
is given data; what it returns beyond k entries is cut. "Proven" is what branch_and_bound proves within its budget.
"""

import warnings
from time import process_time

import numpy as np

from spcabench import Problem, load, solve

SAME = 1e-6  # relative: as good
PROVABLE = {
    "gaussian 1000": 3,
    "gaussian 200": 5,
    "spiked 300": 10,
    "low rank 300": 5,
    "kos": 20,
    "mll": 20,
    "singh": 20,
}
PROVABLE |= {"cbcl": 20, "mnist": 10, "nips": 10}


def problems():
    """Name -> problem and cardinalities: 66 in all."""
    rng = np.random.default_rng(0)
    few = (5, 10, 20, 50, 100)
    yield "gaussian 1000", load("gaussian", m=1000, n=1000), (3, *few)
    for seed in range(3):
        yield "gaussian 200", load("gaussian", m=200, n=200, seed=seed), few
    for seed in range(3):
        X = rng.standard_normal((150, 300))
        X[:, :20] += 0.5 * rng.standard_normal((150, 1))
        yield "spiked 300", Problem.from_data(X, f"spiked {seed}"), few
    for seed in range(3):
        X = rng.standard_normal((30, 300))
        yield "low rank 300", Problem.from_data(X, f"low rank {seed}"), few
    yield "kos", load("bag_of_words", corpus="kos", words=1000), few
    yield "cbcl", load("cbcl"), few
    yield "mnist", load("mnist"), few
    yield "mll", load("mll"), few[:3]
    yield "singh", load("singh"), few[:3]


def timed(problem, solver, **settings):
    """The refitted variance and the process time of the second of two runs."""
    solve(problem, solver, **settings | ({"budget": 1} if solver == "local_search" else {"restarts": 1}))
    start = process_time()
    result = solve(problem, solver, refit=True, **settings)
    return result.variance, process_time() - start


def abess(problem, k):
    """Variance and process time of abess; None where it is not installed."""
    try:
        from abess.decomposition import SparsePCA
    except ImportError:
        return None
    A = np.ascontiguousarray(problem.given_as("data").data.dense())
    model = SparsePCA(support_size=k, thread=1)
    start = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(A)
    seconds = process_time() - start
    W = np.argsort(-np.abs(np.ravel(model.coef_)), kind="stable")[:k]
    B = A[:, W].T @ A[:, W]
    return float(np.linalg.eigvalsh(B)[-1]), seconds


def rows():
    """One row for each problem and cardinality."""
    for name, given, ks in problems():
        problem = given if given.n > 2000 else given.given_as("covariance")
        proven = optima(problem, PROVABLE[name])
        for k in ks:
            mine, seconds = timed(problem, "local_search", k=k)
            em, em_seconds = timed(problem, "em", k=k, restarts=20)
            other = abess(given, k) if given.m else None
            yield [given.name, k, mine, seconds, em, em_seconds, *(other or (np.nan, np.nan)), proven.get(k, np.nan)]


def optima(problem, limit):
    """Proven optima by cardinality."""
    extra = solve(problem, "branch_and_bound", k=limit, budget=3e8).extra
    values = {k: (extra[f"value_{k}"], extra[f"bound_{k}"]) for k in range(1, limit + 1)}
    return {k: value for k, (value, bound) in values.items() if bound <= value * (1 + 1e-8)}


def main():
    """The document."""
    table = list(rows())
    numbers = np.array([row[2:] for row in table], dtype=float)
    mine, seconds, em, em_seconds, other, other_seconds, proven = numbers.T
    print("# Local search against EM, abess and the truth\n")
    print(
        "Made by `python -m benchmarks.local_search_table`. Variances refitted, as shares of the best known;\n"
        "process time in seconds, one thread.\n"
    )
    for name, value, time in (("EM, 20 restarts", em, em_seconds), ("abess, data given", other, other_seconds)):
        if np.isnan(value).all():
            print(f"- {name}: not installed, skipped.")
            continue
        seen = ~np.isnan(value)
        good, faster = (mine >= value * (1 - SAME))[seen], (seconds <= time)[seen]
        print(f"- at least as good as {name}: {good.sum()} of {seen.sum()}; better: "
              f"{(mine > value * (1 + SAME))[seen].sum()}; in no more time: {faster.sum()}; "
              f"time ratio, median {np.median(seconds[seen] / time[seen]):.2f}.")  # fmt: skip
    known = ~np.isnan(proven)
    print(f"- proven optima reached: {(mine >= proven * (1 - SAME))[known].sum()} of {known.sum()}.\n")
    print("| problem | k | local search | EM | abess | proven | s | EM s | abess s |\n|" + "---|" * 9)
    for (name, k, *_), row in zip(table, numbers, strict=True):
        best = np.nanmax(row[[0, 2, 4, 6]])
        shares = [f"{row[i] / best:.5f}" if row[i] == row[i] else "" for i in (0, 2, 4, 6)]
        times = [f"{row[i]:.2f}" if row[i] == row[i] else "" for i in (1, 3, 5)]
        print(f"| {name} | {k} | {' | '.join(shares)} | {' | '.join(times)} |", flush=True)


if __name__ == "__main__":
    main()
