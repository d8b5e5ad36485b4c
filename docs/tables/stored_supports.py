"""Compute the table of docs/trust.md on supports that were stored before the problems were drawn.

    python -m docs.tables.stored_supports [--write]    # half a minute

A file could contain the supports that tpower found for other samples of the same real data. The
table shows how often the best of these supports reaches 99.9 % of the value that local_search finds
for a new sample. The variables of each sample are multiplied by random factors.
"""

import argparse
from pathlib import Path

import numpy as np

from spcabench import registry, solve
from spcabench.page.generated_block import markdown_table, renew
from spcabench.problem.problem import Problem
from spcabench.vectors import largest_indices

PAGE = Path(__file__).parents[1] / "trust.md"
# label -> dataset, number of variables with the largest variances (or all), k
PROBLEMS = {
    "pit props, k = 6": ("pitprops", None, 6),
    "colon, k = 20": ("alon", 300, 20),
    "leukemia, k = 20": ("golub", 500, 20),
    "spectra, k = 10": ("lrs", None, 10),
}
SPREADS = (0.0, 0.1, 0.25, 0.5)  # standard deviations of the logarithms of the factors
STORED, DRAWN, SAMPLES = 60, 12, 180  # the number of samples is only used for a covariance
REACHED = 0.999


def samples(dataset, variables, spread, count):
    """Yield covariances of random samples, with the original indices of their variables."""
    bootstrap, rng = registry.module("dataset", "bootstrap"), np.random.default_rng(1)
    original = registry.module("dataset", dataset).load()
    for _ in range(count):
        X = np.asarray(bootstrap._drawn(original, SAMPLES, rng))
        X = (X - X.mean(axis=0)) * np.exp(spread * rng.standard_normal(original.n))
        columns = largest_indices(X.var(axis=0), variables or original.n)
        yield X[:, columns].T @ X[:, columns] / len(X), columns


def reached(dataset, variables, k, spread):
    """Return the fraction of new samples on which the best stored support is good enough."""
    stored, hits = [], []
    for place, (S, columns) in enumerate(samples(dataset, variables, spread, STORED + DRAWN)):
        problem = Problem.from_covariance(S)
        if place < STORED:
            stored.append(columns[solve(problem, "tpower", k=k).support])
            continue
        best = solve(problem, "local_search", k=k).variance
        known = [np.flatnonzero(np.isin(columns, support)) for support in stored]
        value = max(np.linalg.eigvalsh(S[np.ix_(W, W)])[-1] for W in known if len(W))
        hits.append(value >= REACHED * best)
    return float(np.mean(hits))


def table():
    """Return the table as Markdown."""
    lines = []
    for label, problem in PROBLEMS.items():
        shares = (reached(*problem, spread) for spread in SPREADS)
        lines.append([label, *(f"{share:.0%}".replace("%", " %") for share in shares)])
        print(*lines[-1], sep=" | ", flush=True)
    return markdown_table(
        ["problem", "same scales", *(f"spread {spread:g}" for spread in SPREADS[1:])], lines
    )


def main():
    """Print the table, and write it to the document with --write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the table to docs/trust.md")
    options = parser.parse_args()
    text = table()
    if options.write:
        renew(PAGE, {"stored": f"\n{text}\n"}, by="docs.tables.stored_supports")


if __name__ == "__main__":
    main()
