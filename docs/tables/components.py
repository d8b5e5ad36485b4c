"""Compute the tables of docs/components.md.

    python -m docs.tables.components gaps                          # takes a minute
    python -m docs.tables.components losses results/compare/NAME    # from a stored comparison

``gaps`` finds orthonormal loadings for every published covariance with up to 101 variables, and
bounds their variance. ``losses`` reads table.parquet of `spcabench compare --suite components`. It
computes the loss of each deflation, and the loss if disjoint supports are found one after the
other. Both commands write their tables to the document.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from spcabench import load, registry, solve
from spcabench.comparison.components.ways import FACTORS
from spcabench.page.generated_block import markdown_table, renew
from spcabench.solving.call import Limits
from spcabench.solving.deflate import DEFLATIONS
from spcabench.solving.formulations import Formulation
from spcabench.solving.joint_bounds import joint_bound

DOCUMENT = Path(__file__).parents[1] / "components.md"
LARGEST, COUNTS, KS = 101, (2, 3), (5, 10)
SECONDS = 5.0  # time limit of an alternating search
MEASURES = ("violation", "correlation")


def put(name, text):
    """Write a text to a block of docs/components.md."""
    renew(DOCUMENT, {name: f"\n{text}\n"}, by="docs.tables.components")


def gap(problem, r, k):
    """Return (bound - value) / bound for the better of two alternating searches."""
    values = []
    for solver in ("alternating_deflation", "alternating_disjoint"):
        if solver == "alternating_disjoint" and r * k > problem.n:
            continue
        loadings = solve(
            problem,
            solver,
            n_components=r,
            k=k,
            deflation="joint",
            limits=Limits(time_limit=SECONDS),
        )
        if len(loadings) == r and all(result.good for result in loadings):
            values.append(loadings.measures.total)
    bound, _ = joint_bound(problem, Formulation.ORTHONORMAL, r, k)
    return 1.0 - max(values) / bound


def gaps():
    """Compute the certified gaps of orthonormal loadings, and write the table of their means."""
    tables = registry.module("dataset", "published").TABLES
    names = [name for name, table in tables.items() if table.n <= LARGEST]
    cases = []
    for name in names:
        problem = load("published", name=name)
        for r in COUNTS:
            for k in KS:
                if k < problem.n:
                    cases.append((name, problem.n, r, k, gap(problem, r, k)))
                    print(*cases[-1], flush=True)
    table = pd.DataFrame(cases, columns=["name", "n", "r", "k", "gap"])
    groups = [(f"r = {r}, k = {k}", p) for (r, k), p in table.groupby(["r", "k"])]
    worst = table.loc[table.gap.idxmax()]
    rows = [
        [label, str(len(p)), *(f"{100 * v:.1f} %" for v in p.gap.agg(["mean", "median", "max"]))]
        for label, p in [*groups, ("all", table)]
    ]
    largest = f"The largest gap is for {worst['name']}, r = {worst.r}, k = {worst.k}.\n"
    head = ["loadings", "problems", "mean gap", "median", "largest"]
    put("gaps", f"{markdown_table(head, rows)}\n{largest}")


def losses(folder):
    """Write the losses of the deflations, and of finding disjoint supports one at a time."""
    table = pd.read_parquet(Path(folder) / "table.parquet")
    table = table[table.kind != "components, held out"]
    put("deflations", deflations(table[table.formulation == "deflation"]))
    put("disjoint", disjoint(table[table.formulation == "disjoint"]))


def deflations(table):
    """Return the projected variance of each deflation relative to the best of the four."""
    pair = ["solver", "item", "r", "k"]
    answers = table[table.solver.isin(FACTORS)]
    answers = answers.assign(
        share=answers.value.fillna(0.0) / answers.groupby(pair).value.transform("max")
    )
    rows = []
    for how in (how for how in DEFLATIONS if how != "drop_features"):
        part = answers[answers.how == how]
        shares = [part[part.solver == solver].share for solver in FACTORS]
        cells = [f"{100 * s.mean():.1f} %, worst {100 * s.min():.1f} %" for s in shares]
        spans = [part.groupby("solver")[name].mean() for name in MEASURES]
        cells += [f"{span.min():.2f} to {span.max():.2f}" for span in spans]
        rows.append([how.replace("_", " "), *cells])
    count = len(answers[["item", "r", "k"]].drop_duplicates())
    head = ["deflation", *(f"`{solver}`" for solver in FACTORS), *MEASURES]
    return markdown_table(head, rows) + f"\nThe table covers {count} problems.\n"


def disjoint(table):
    """Return the total variance relative to the best known disjoint loadings."""
    best = table.groupby(["item", "r", "k"]).value.transform("max")
    table = table.assign(share=table.value / best).dropna(subset=["share"])
    most = table.groupby(["solver", "how"]).share.transform("size").max()
    rows = []
    for (solver, how), part in table.groupby(["solver", "how"]):
        if len(part) == most:
            rows.append((part.share.mean(), part.share.min(), solver, how))
    rows = [
        [f"`{solver}`", how.replace("_", " "), f"{100 * mean:.1f} %", f"{100 * worst:.1f} %"]
        for mean, worst, solver, how in sorted(rows, reverse=True)
    ]
    head = ["solver", "supports", "mean, relative to the best", "worst"]
    return (
        markdown_table(head, rows)
        + f"\nThe table only shows solvers that answered all {most} problems.\n"
    )


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    {"gaps": gaps, "losses": losses}[sys.argv[1]](*sys.argv[2:])
