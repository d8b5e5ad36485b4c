"""Print the table of docs/bounds.md that compares local search with EM and abess.

    python -m docs.tables.local_search

EM uses 20 restarts. abess (Zhu et al. 2022) is included if it is installed: `pip install
abess==0.4.11`. Values are compared after the same refit. Times are process times of the solver,
with one thread. "Proven" means proven by branch_and_bound.

For up to 1000 variables, the input of abess is Sigma / lambda_1 + 1e-6 I, which has the same
optima. If its input is data, abess centres them, and for n > m it returned vectors with far less
variance. If its input is a covariance, it refuses singular matrices; this check takes O(n^3) and is
included in its time.
"""

import warnings
from time import process_time

import numpy as np

from spcabench import Problem, load, solve
from spcabench.solving.call import arguments

FULL, FEW = 120, 40  # numbers of scans: the default, and a quick setting
BUDGETS = (1, 2, 3, 5, 8, 12, 20, 30, 45, 65, 100, 150, 230, 350, 500, 800, 1200, 2000, 3000)
SAME = 1e-6  # relative difference up to which values are equally good
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
    """Yield the name, the problem and the cardinalities of each problem."""
    rng = np.random.default_rng(0)
    few = (5, 10, 20, 50, 100)
    yield "gaussian 1000", load("gaussian", m=1000, n=1000), (3, *few)
    for seed in range(3):
        yield "gaussian 200", load("gaussian", m=200, n=200, seed=seed), few
    for seed in range(3):
        X = rng.standard_normal((150, 300))
        X[:, :20] += 0.5 * rng.standard_normal((150, 1))
        yield "spiked 300", Problem.from_data(X, f"spiked {seed}", divisor="1"), few
    for seed in range(3):
        X = rng.standard_normal((30, 300))
        yield "low rank 300", Problem.from_data(X, f"low rank {seed}", divisor="1"), few
    yield "kos", load("bag_of_words", corpus="kos", words=1000), few
    yield "cbcl", load("cbcl"), few
    yield "mnist", load("mnist"), few
    yield "mll", load("mll"), few[:3]
    yield "singh", load("singh"), few[:3]


def timed(problem, solver, **settings):
    """Return the refitted variance and the process time of the second of two runs."""
    solve(
        problem,
        solver,
        **arguments(settings | ({"budget": 1} if solver == "local_search" else {"restarts": 1})),
    )
    start = process_time()
    result = solve(problem, solver, refit=True, **arguments(settings))
    return result.variance, process_time() - start


def abess(problem, k):
    """Return the variance and the process time of abess.

    Return None if abess is not installed, or if the problem is too large for a covariance.
    """
    try:
        from abess.decomposition import SparsePCA
    except ImportError:
        return None
    if problem.form != "covariance":
        return None
    S = problem.matrix.S
    scaled = S / np.linalg.eigvalsh(S)[-1] + 1e-6 * np.eye(len(S))
    model = SparsePCA(support_size=k, thread=1)
    start = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(Sigma=scaled)
    seconds = process_time() - start
    W = np.argsort(-np.abs(np.ravel(model.coef_)), kind="stable")[:k]
    return float(np.linalg.eigvalsh(S[np.ix_(W, W)])[-1]), seconds


def rows():
    """Yield a row for each problem and cardinality."""
    for name, original, ks in problems():
        problem = original if original.n > 2000 else original.given_as("covariance")
        proven = optima(problem, PROVABLE[name])
        for k in ks:
            full, seconds = timed(problem, "local_search", k=k)
            em, em_seconds = timed(problem, "em", k=k, restarts=20)
            few, few_seconds = timed(problem, "local_search", k=k, budget=FEW)
            other = abess(problem, k)
            equal = at_most(problem, k, other[1]) if other else np.nan
            yield [
                original.name,
                k,
                full,
                seconds,
                few,
                few_seconds,
                em,
                em_seconds,
                *(other or (np.nan, np.nan)),
                equal,
                proven.get(k, np.nan),
            ]


def at_most(problem, k, seconds):
    """Return the variance of local search with the largest budget that takes at most ``seconds``.

    If even the smallest budget takes longer, return the variance with the smallest budget.
    """
    best = np.nan
    for budget in BUDGETS:
        value, own = timed(problem, "local_search", k=k, budget=budget)
        if own > seconds and best == best:
            break
        best = value
        if own > seconds:
            break
    return best


def optima(problem, limit):
    """Return proven optima by cardinality."""
    extra = solve(
        problem, "branch_and_bound", k=limit, settings={"budget": 3e8, "every": True}
    ).extra
    values = {k: (extra[f"value_{k}"], extra[f"bound_{k}"]) for k in range(1, limit + 1)}
    return {k: value for k, (value, bound) in values.items() if bound <= value * (1 + 1e-8)}


def main():
    """Print the table, and how many proven optima local search reaches."""
    numbers = np.array([row[2:] for row in rows()], dtype=float)
    full, seconds, few, few_seconds, em, em_seconds, other, other_seconds, equal, proven = numbers.T
    print("| local search | compared with | at least as good | better | at least as fast ", end="")
    print("| median ratio of times | ratio of total times |")
    print("|---|---|---|---|---|---|---|")
    for name, value, time in (("EM, 20 restarts", em, em_seconds), ("abess", other, other_seconds)):
        seen = ~np.isnan(value)
        if not seen.any():
            print(f"| | {name} | not installed | | | | |")
            continue
        for budget, own, own_seconds in ((FULL, full, seconds), (FEW, few, few_seconds)):
            good, slower = (own >= value * (1 - SAME))[seen], (own_seconds / time)[seen]
            better = (own > value * (1 + SAME))[seen].sum()
            print(
                f"| {budget} scans | {name} | {good.sum()} of {seen.sum()} | {better} | "
                f"{(slower <= 1).sum()} | {np.median(slower):.2f} | "
                f"{own_seconds[seen].sum() / time[seen].sum():.2f} |"
            )
    print()
    seen = ~np.isnan(other)
    if seen.any():
        good = (equal >= other * (1 - SAME))[seen].sum()
        print(
            "If local search stops after the time that abess takes (but completes at least one "
            f"scan), its answer is at least as good on {good} of {seen.sum()} pairs."
        )
    certain = ~np.isnan(proven)
    reached = [int((own >= proven * (1 - SAME))[certain].sum()) for own in (full, few)]
    print(
        f"With {FULL} scans, it reaches {reached[0]} of {certain.sum()} proven optima, and with "
        f"{FEW} scans, {reached[1]} of them."
    )


if __name__ == "__main__":
    main()
