"""Compute the numbers of docs/solvers.md that take minutes.

    python -m docs.tables.solvers thresholding    # covariance thresholding, n = 400
    python -m docs.tables.solvers anytime         # greedy anytime sparse PCA, n = 2,000

Each command prints the percentage of the support that is recovered: its mean over the draws and the
standard error. The samples are drawn from the dataset `spiked_samples`, with as many samples as
variables and seeds 0, 1, ...
"""

import sys

import numpy as np

from spcabench import load, registry, solve

STRENGTH = 0.5  # beta of Holtzman, Soffer, Vilenchik (2020), section 9


def drawn(n, k, seed):
    """Draw n samples of n variables with a component of k variables; return both."""
    problem = load("spiked_samples", m=n, n=n, count=k, strength=STRENGTH, seed=seed)
    return problem, np.array(problem.provenance["support"])


def share(support, planted):
    """Return the fraction of the planted variables that are in the support."""
    return len(np.intersect1d(support, planted)) / len(planted)


def print_mean(label, shares):
    """Print the mean of the shares and its standard error."""
    error = np.std(shares, ddof=1) / np.sqrt(len(shares))
    print(f"{label}: {100 * np.mean(shares):.0f} % (+- {100 * error:.0f}), {len(shares)} draws")


def thresholding(n=400, draws=8):
    """Print the recovery of covariance thresholding for three sizes of the support."""
    for ratio in (0.2, 0.3, 0.4):
        k = round(ratio * np.sqrt(n))
        shares = []
        for seed in range(draws):
            problem, planted = drawn(n, k, seed)
            shares.append(share(solve(problem, "covariance_thresholding", k=k).support, planted))
        print_mean(f"n = {n}, k = {k} = {ratio:g} sqrt(n)", shares)


def anytime(n=2000, k=7, draws=20):
    """Compare the solver, which tries every variable, with seeds taken from the planted support."""
    completed = registry.module("solver", "greedy_anytime").completed
    from_all, from_one, from_third = [], [], []
    for seed in range(draws):
        problem, planted = drawn(n, k, seed)
        from_all.append(share(solve(problem, "greedy_anytime", k=k).support, planted))
        C = np.abs(problem.given_as("covariance").matrix.S)
        from_one.append(share(completed(C, planted[:1], k, False), planted))
        from_third.append(share(completed(C, planted[: round(k / 3)], k, False), planted))
    print_mean(f"n = {n}, k = {k}, all seeds of one variable", from_all)
    print_mean(f"n = {n}, k = {k}, from one variable of the support", from_one)
    print_mean(f"n = {n}, k = {k}, from a third of the support", from_third)


if __name__ == "__main__":
    {"thresholding": thresholding, "anytime": anytime}[sys.argv[1]]()
