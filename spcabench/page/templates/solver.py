"""NAME: a line that describes the method.

Author (year), algorithm number.

Differences from the paper:

1. Nothing yet.
"""

from spcabench.iterate import Facts, Traits
from spcabench.vectors import Vector, project

# control: "cardinality" (solve has a setting k), "penalty" (solve has the setting named by
#   penalty="...", and the file defines penalty_range(problem) -> (low, high), in which the harness
#   searches for a given k), or None (not sparse)
# accepts: "covariance", "data" or "either"; the harness converts the problem free of charge
# nonnegative, components, exact: see spcabench/iterate.py
TRAITS = Traits(control="cardinality", accepts="either")
FACTS = Facts(  # facts about the paper, for the table of all methods; omit fields that do not apply
    authors="Author",
    title="Title",
    venue="journal or conference",
    year=2000,
    address="https://doi.org/...",
    cost="n^2",
    code="none found",
)
EXAMPLE = dict(k=10)
COLOUR = "#7F3C8D"  # the solver's colour in all figures
# STOP = "end": run until solve returns. Otherwise, the run stops when x changes by less than
#   TOL = 1e-6 (for example, if two consecutive iterates are equal), or after MAX_ITERATIONS = 1000.
#   The last iterate is the answer.
# GRID = {"max_iterations": [100, 1000]}: the settings from which --settings tuned chooses
# PAPER, TUNED = {}, {}: the settings of `spcabench compare --settings paper` and `--settings tuned`


def solve(problem, *, k: int, start: Vector | None = None):
    """Yield unit vectors x (n,) with at most k nonzeros.

    k : cardinality. A setting with a type (tol: float = 1e-6) can be set on the command line:
        `--set tol=1e-3`.
    start : the initial loading (n,); by default, the largest column of Sigma.
    """
    Sigma = problem.covariance
    # it has Sigma @ x, Sigma[W] and Sigma.diagonal(); problem.data is A, with A @ x and A.T @ y
    # the code before the first yield is the set-up, of n^2 flops here
    x = project(Sigma.largest_column() if start is None else start, k)
    while True:  # the harness stops the run, so there are no limits, clocks or prints here
        yield x  # the first yield is the start
        x = project(Sigma @ x, k)  # one step of your method; this is the truncated power method
