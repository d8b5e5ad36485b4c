"""Compute the tables of docs/chance.md: the level of the permutation test, and recovery.

    python -m docs.tables.chance            # prints the tables (about fifteen minutes)
    python -m docs.tables.chance --write    # also writes them to docs/chance.md, with the picture

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

PAGE = Path(__file__).parents[1] / "chance.md"
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
        permutation_test(draw(K, strength, seed, M, N), k, seed=seed).p_value
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
            answer = solve(problem, solver, k=STUDY_K, **settings)
            shares[name].append(np.mean(answer.support < STUDY_K) if answer.good else 0.0)
            if solver == "local_search":
                often, _ = inclusion(answer, most=20)
                looks.append(often[answer.support].mean())
    return {name: float(np.mean(found)) for name, found in shares.items()}, float(np.mean(looks))


def recoveries(draws=DRAWS):
    """Return the recovery by method as Markdown, and the numbers for each case."""
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
    return markdown_table(heads, lines), by_case


def single_draws(draws=40, strength=2.0, m=50, more=3):
    """Return how often thresholded PCA finds more or fewer true variables than the best answer."""
    differences = []
    for seed in range(draws):
        problem = Problem.from_data(draw(STUDY_K, strength, seed, m, STUDY_N))
        best, plain = (
            np.sum(solve(problem, solver, k=STUDY_K).support < STUDY_K)
            for solver in ("local_search", "thresholding")
        )
        differences.append(plain - best)
    counts = np.array(differences)
    return (
        f"An answer with more variance does not always contain more true variables. In {draws} "
        f"draws with {m} samples and strength {strength:g}, thresholded PCA finds at least {more} "
        f"more true variables than the best answer in {np.sum(counts >= more)} draws, and at least "
        f"{more} fewer in {np.sum(counts <= -more)} draws.\n"
    )


def picture(by_case, file):
    """Plot the recovery against the number of samples, with a panel for each strength."""
    import matplotlib.pyplot as plt

    from spcabench import style

    figure, panels = plt.subplots(1, len(SIGNALS), figsize=(9.0, 3.6), sharey=True)
    looks_of = style.looks([solver for solver, _ in METHODS.values()])
    for panel, strength in zip(panels, SIGNALS, strict=True):
        for name, (solver, _) in METHODS.items():
            values = [by_case[strength, m][0][name] for m in SAMPLES]
            panel.plot(SAMPLES, values, label=name, **looks_of[solver])
        looks = [by_case[strength, m][1] for m in SAMPLES]
        panel.plot(SAMPLES, looks, "k:", label="chosen in halves (no truth needed)")
        panel.set(xscale="log", xlabel="samples m", title=f"strength {strength:g}", ylim=(0, 1.03))
        panel.set_xticks(SAMPLES, [str(m) for m in SAMPLES])
        panel.minorticks_off()
    style.name_lines(panels[-1])
    panels[0].set_ylabel("share of the planted variables")
    figure.savefig(file, bbox_inches="tight", metadata={"Date": None})


def main():
    """Print the tables, and write them to the document with --write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the tables to docs/chance.md")
    options = parser.parse_args()
    table, by_case = recoveries()
    print(table, flush=True)
    blocks = {"recovery": f"{table}\n", "rejections": f"{rejections()}\n"}
    blocks["draws"] = single_draws()
    if options.write:
        renew(PAGE, blocks, by="docs.tables.chance")
        picture(by_case, PAGE.with_name("chance_recovery.svg"))


if __name__ == "__main__":
    main()
