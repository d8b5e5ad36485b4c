"""Compute two tables of docs/analysis.md: the level of the permutation test, and recovery.

    python -m docs.tables.chance            # prints the tables (about fifteen minutes)
    python -m docs.tables.chance --write    # also writes them to docs/analysis.md

The samples are generated as in `docs.tables.choosing_k`: one direction with k equal entries, plus
noise of variance one.
"""

import argparse
from pathlib import Path

import numpy as np

from docs.tables.choosing_k import draw
from spcabench import inclusion, permutation_test, solve
from spcabench.page.generated_block import markdown_table, renew
from spcabench.problem.problem import Problem
from spcabench.solving.call import arguments

PAGE = Path(__file__).parents[1] / "analysis.md"
LEVEL = 0.05
TABLES, M, N, K = 200, 100, 40, 5
STRENGTHS = (0.25, 0.5, 0.75, 1.0, 1.5)
KS = range(1, 21)
STUDY_N, STUDY_K, DRAWS = 200, 10, 20
SAMPLES = (25, 50, 100, 200)
SIGNALS = (2.0, 4.0)
METHODS = {
    "the best found (local search)": ("local_search", {}),
    "truncated power (tpower)": ("tpower", {}),
    "GPower, l1 (gpower1)": ("gpower1", {}),
    "covariance thresholding": ("covariance_thresholding", {}),
    "diagonal thresholding": ("diagonal_thresholding", {}),
    "thresholded PCA": ("thresholding", {}),
}


def rejected(strength, k, tables):
    """Return the fraction of tables with a p-value of at most 5 %; k is a number or a range."""
    p_values = [
        permutation_test(draw(K, strength, seed, M, N), k, random_state=seed).p_value
        for seed in range(tables)
    ]
    return float(np.mean(np.array(p_values) <= LEVEL))


def rejections(tables=TABLES):
    """Return the rejection rates for noise and for planted directions, as Markdown."""
    heads = ["k", "noise", *(f"strength {strength:g}" for strength in STRENGTHS)]
    lines = []
    for label, k in ((f"k = {K}", K), ("chosen from 1 to 20", KS)):
        shares = [rejected(0.0, k, tables)]
        shares += [rejected(strength, k, tables // 8) for strength in STRENGTHS]
        lines.append([label, *(f"{share:.1%}" for share in shares)])
        print(*lines[-1], sep=" | ", flush=True)
    return markdown_table(heads, lines)


def recovery(strength, m, draws=DRAWS):
    """Return the recovery of each method, and the stability of the best answer's variables."""
    shares = {name: [] for name in METHODS}
    looks = []
    for seed in range(draws):
        problem = Problem.from_data(draw(STUDY_K, strength, seed, m, STUDY_N))
        for name, (solver, settings) in METHODS.items():
            answer = solve(problem, solver, k=STUDY_K, **arguments(settings))
            shares[name].append(np.mean(answer.support < STUDY_K) if answer.good else 0.0)
            if solver == "local_search":
                often, _ = inclusion(answer, most=20)
                looks.append(often[answer.support].mean())
    return {name: float(np.mean(found)) for name, found in shares.items()}, float(np.mean(looks))


def recoveries(draws=DRAWS):
    """Return the recovery by method as Markdown."""
    cases = [(strength, m) for strength in SIGNALS for m in SAMPLES]
    by_case = {case: recovery(*case, draws) for case in cases}
    heads = ["method", *(f"{strength:g}, m = {m}" for strength, m in cases)]
    lines = [[name, *(f"{by_case[case][0][name]:.0%}" for case in cases)] for name in METHODS]
    lines.append(
        [
            "stability of the best answer's variables in halves",
            *(f"{by_case[c][1]:.0%}" for c in cases),
        ]
    )
    return markdown_table(heads, lines)


def main():
    """Print the tables, and write them to the document with --write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the tables to docs/analysis.md")
    options = parser.parse_args()
    blocks = {"recovery": f"{recoveries()}\n", "rejections": f"{rejections()}\n"}
    print(*blocks.values(), flush=True)
    if options.write:
        renew(PAGE, blocks, by="docs.tables.chance")


if __name__ == "__main__":
    main()
