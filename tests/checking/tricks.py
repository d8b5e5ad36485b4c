"""Solvers with unusual behaviour, written to files, and their rows in a comparison."""

import textwrap

from spcabench.comparison import plans
from spcabench.comparison.jobs import Job
from spcabench.run import Run
from tests.answers import row_of

HEAD = '''"""A solver with a trick, 2026."""

import time

import numpy as np

from spcabench.iterate import Iterate, Traits
from spcabench.vectors import project

TRAITS = Traits(control="{control}"{traits})
EXAMPLE = dict(k=3)
{top}

def work(Sigma, k, steps=40):
    x = project(Sigma.largest_column(), k)
    for _ in range(steps):
        x = project(Sigma @ x, k)
    return x


def solve(problem, *, {by}{settings}):
    """Yield iterates."""
{body}
'''
HONEST = "yield work(problem.covariance, k)"
COVARIANCE = ', accepts="covariance"'
SMALL = dict(m=40, n=40, seed=0)
K = 6


def file_of(folder, name, top="", body=HONEST, traits=COVARIANCE, settings="", by="k"):
    """Write a solver file with ``top`` at the start of the module and ``body`` in solve.

    by : the setting that controls the cardinality, k or a penalty.
    """
    file = folder / f"{name.replace(' ', '_').replace('-', '_')}.py"
    top, body = textwrap.dedent(top), textwrap.indent(textwrap.dedent(body).strip(), "    ")
    control = "cardinality" if by == "k" else "penalty"
    text = HEAD.format(control=control, traits=traits, by=by, settings=settings, top=top, body=body)
    file.write_text(text, encoding="utf-8")
    return str(file)


def row(file, folder, limit=2.0, timeout=60.0, history=False, warm=False, timed=True, **problem):
    """Return the row of a solver's file on one problem.

    warm : run on other problems first, as each process of a comparison does. timed : as for the
        first seed of a comparison, but not for the other seeds.
    """
    problem = problem or dict(dataset="gaussian", parameters=SMALL)
    settings = dict(k=K, time_limit=limit, history=history)
    kept = dict(timed=timed, memory=True, vectors=True)
    run = Run(solver=file, settings=settings, timeout=timeout, **kept, **problem)
    protocol = [plans.plan(Job.of(file, "quick")).protocol] if warm else []
    return row_of(run, folder, *protocol)
