"""The files of a user's solvers, with what a test inserts."""

import textwrap

HEAD = '''"""A solver of a test."""
import faulthandler, os, signal, sys, threading, time
import numpy as np
from spcabench.iterate import Iterate, Traits
from spcabench.vectors import normalize, project
{top}
TRAITS = Traits(control="cardinality"{traits})
EXAMPLE = dict(k=3)
KEPT = {{}}

{start}
'''
HONEST = "yield project(problem.covariance.largest_column(), k)"


def text_of(body, start="def solve(problem, *, k):"):
    """Return the file of a solver whose body is in line 13 and the following ones."""
    head = HEAD.format(top="", traits="", start=start)
    return f"{head}    A = np.ones((3, 4))\n{textwrap.indent(body, '    ')}\n"


def file_of(folder, name, body=HONEST, top="", settings="", traits=', accepts="covariance"'):
    """Write a solver file with ``top`` at the start of the module and ``body`` in solve."""
    file = folder / f"{name}.py"
    head = HEAD.format(top=top, traits=traits, start=f"def solve(problem, *, k{settings}):")
    body = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    file.write_text(f"{head}{body}\n", encoding="utf-8")
    return str(file)
