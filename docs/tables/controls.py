"""Measure how often control problems would cause doubts about honest files (docs/trust.md).

    python -m docs.tables.controls quick 8                 # solvers of the repository, 8 seeds
    python -m docs.tables.controls certified 3 tpower,em   # these solvers

Each solver runs on a suite and on its control problems, like a file from outside the repository.
The doubts are those of a comparison.
"""

import sys
from time import perf_counter

import numpy as np
import pandas as pd

from spcabench import api
from spcabench.comparison import controls, jobs, plans, suite
from spcabench.registry import quick_solver
from spcabench.running.description import describe

ROUNDS, LIMIT = 3, 1.0  # rounds, of which the fastest is used, and seconds per run


def measured(name, solvers, seed=None):
    """Return value and time of each solver on each pair of a suite, or of fresh problems."""
    lines = []
    for item, fresh in zip(suite.items(name), suite.items(name, (), seed), strict=True):
        problem = api.load_or_stand_in(fresh.dataset, **fresh.parameters)
        sign = {"nonnegative": True} if item.nonnegative else {}
        able = [s for s in solvers if not plans.refused(describe(s).traits, item)]
        for k in item.ks:
            for solver in able:
                value, time = answered(problem, solver, k=k, **sign)
                lines.append(dict(item=item.name, asked=k, solver=solver, value=value, time=time))
            solver, settings = quick_solver(item.nonnegative)
            value, _ = answered(problem, solver, k=k, **sign, **settings)
            lines.append(dict(item=item.name, asked=k, solver="", value=value, time=np.nan))
    return pd.DataFrame(lines)


def answered(problem, solver, **settings):
    """Return the refitted variance, zero for a failure, and the time of the fastest round."""
    times, value = [], 0.0
    while len(times) < ROUNDS and sum(times) < LIMIT:
        begun = perf_counter()
        result = api.solve(problem, solver, refit=True, time_limit=LIMIT, **settings)
        times.append(perf_counter() - begun)
        value = problem.variance(result.x) if result.good else 0.0
    return value, min(times) if value else np.nan


def shares(table, everyone):
    """Return the table with fractions of the best value of all solvers, or of the quick solver."""
    pairs = ["item", "asked"]
    best = table.groupby(pairs).value.transform("max")
    quick = table[table.solver == ""].set_index(pairs).value
    own = np.maximum(
        table.value, quick.loc[list(zip(table.item, table.asked, strict=True))].to_numpy()
    )
    share = table.value / (best if everyone else own)
    return table.assign(share=share, shares=[[value] for value in share])


def main():
    """Print how many comparisons are doubted, and the range of the ratios of times."""
    name, count = sys.argv[1], int(sys.argv[2])
    solvers = sys.argv[3].split(",") if len(sys.argv) > 3 else jobs.entrants(name)
    items = suite.items(name)
    standard = shares(measured(name, solvers), everyone=True)
    doubted, ratios = [], []
    for seed in range(1, count + 1):
        control = shares(measured(name, solvers, seed), everyone=False)
        both = standard.merge(control, on=["item", "asked", "solver"], suffixes=("", "_control"))
        for solver, part in both[both.solver != ""].groupby("solver"):
            similar = part[part.item.isin(suite.similar(items))]
            worse = controls.worse(part[part.item.isin(suite.generated(items))])
            doubted += [f"{solver}, seed {seed}: {said}" for said, _ in worse]
            doubted += [f"{solver}, seed {seed}: {s}" for s, _ in controls.slower(similar)]
            ratios.append(float(np.exp(np.log(part.time_control / part.time).mean())))
    print(*doubted, sep="\n")
    low, high = np.nanmin(ratios), np.nanmax(ratios)
    print(f"{name}: {len(doubted)} doubts in {len(ratios)} comparisons")
    print(f"ratios of times: {low:.2f} to {high:.2f}")


if __name__ == "__main__":
    main()
