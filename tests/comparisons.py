"""Run comparisons on a few problems in the same way as the command, but time each run once."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from spcabench.comparison import making, plans, suite
from spcabench.comparison.entrants import Entrant, labelled
from spcabench.page import comparison_page
from tests.own_solver import file_of as file_of

SEEDS_OF = {"random": 3, "search": 1, "plain": 1, "skipped": 1}  # number of seeds of a solver


def few_problems(patch, items):
    """Restrict the quick suite to these problems, and execute each run once."""
    patch.setattr(suite, "recovery", lambda fresh: [])
    patch.setitem(suite.SUITES, "quick", items)
    patch.setattr(plans, "TIMING", replace(plans.TIMING, rounds=1))


def home_of(folder):
    """Return the folder of comparisons in a folder."""
    return Path(folder) / "results" / "compare"


def entrants_of(solvers, **terms):
    """Return the entrants of solvers on the quick suite, by label."""
    terms = dict(suite="quick", limit=0.5) | terms
    return labelled([Entrant.of(str(solver), **terms) for solver in solvers])


def computed(home, entrants):
    """Compute the missing rows of entrants; return the labels of those that were missing."""
    missing = making.missing(entrants, home)
    making.compute(missing)
    return [*missing]


def compared(patch, folder, name, solvers, items=1, named=(), **terms):
    """Compare solvers on the first problems of the quick suite; return the folder."""
    few_problems(patch, suite.SUITES["quick"][:items])
    entrants, home = entrants_of(solvers, **terms), home_of(folder)
    computed(home, entrants)
    making.write(home / name, entrants, [*named])
    comparison_page.write(home / name)
    return home / name


def drawn(seed, items="pqr"):
    """Return random rows as dicts; a failure has numbers too, which must not be used."""
    rng = np.random.default_rng(seed)

    def row(solver, run, item, k):
        good = solver != "skipped" and rng.random() < 0.8
        spent = zip(np.sort(rng.uniform(0, 2, 4)), np.sort(rng.integers(1e5, size=4)), strict=True)
        steps = [
            dict(iteration=i, seconds=seconds, flops=int(flops), variance=rng.uniform(0.8, 1.0))
            | dict(cardinality=int(rng.integers(2, 8)))
            for i, (seconds, flops) in enumerate(spent)
        ]
        times = dict(zip(("setup_time", "solve_time"), rng.uniform(0, 1, 2), strict=True))
        counts = dict(zip(("setup_flops", "flops"), rng.integers(1e5, size=2), strict=True))
        if solver == "search":
            times["search_time"], counts["search_flops"] = rng.uniform(2, 3), 10**6
        return dict(
            **times,
            **counts,
            **dict(solver=solver, kind="seed" if run else "suite", seed=run, item=item, asked=k),
            **dict(problem=item, sign=False, m=None if item == "p" else 7, nnz=10 * k),
            status="converged" if good else ("skipped" if solver == "skipped" else "crash"),
            variance_refit=rng.choice([0.9, 0.95, 0.9999, 1.0]),
            bound=rng.uniform(1.0, 1.1),
            peak_memory=5.0 + k,
            memory_before=k / 2,
            round_times=[*rng.uniform(0, 3, 2)] if rng.random() < 0.5 else None,
            history=json.dumps(steps) if rng.random() < 0.7 else None,
        )

    pairs = product(SEEDS_OF.items(), items, (3, 5))
    rows = [row(solver, run, i, k) for (solver, runs), i, k in pairs for run in range(runs)]
    return [rows[i] for i in rng.permutation(len(rows))]
