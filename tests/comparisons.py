"""Run comparisons on a few problems in the same way as the command, but time each run once."""

import textwrap
from dataclasses import replace
from pathlib import Path

from spcabench.comparison import making, plans, suite
from spcabench.comparison.entrants import Entrant, labelled
from spcabench.page import comparison_page

SOLVER = '''"""A solver of a test."""

import numpy as np

from spcabench.iterate import Traits
from spcabench.vectors import project

TRAITS = Traits(control="cardinality", accepts="covariance")
EXAMPLE = dict(k=3)
{top}

def solve(problem, *, k{settings}):
{body}
'''
HONEST = "yield project(problem.covariance.largest_column(), k)"


def file_of(folder, name, body=HONEST, top="", settings=""):
    """Write a solver file with ``top`` at the start of the module and ``body`` in solve."""
    file = folder / f"{name}.py"
    body = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    file.write_text(SOLVER.format(top=top, settings=settings, body=body), encoding="utf-8")
    return str(file)


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
