"""Mcol-PCA: selects several columns at a time, then computes their leading eigenvector.

He, Monteiro, Park (2010), section 2.3.

Differences from the paper:

1. Vectors are scaled to norm 1, not sqrt(s).
2. The second phase starts from the signs of the first phase. It uses the Lanczos method or the
   power method.
3. The sign of 0, which the paper does not specify, is +1. All products of the first block are 0, so
   all its signs are +1.
"""

from math import ceil

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.steps import greedy_signs, leading_on
from spcabench.vectors import normalize

TRAITS = Traits(control="cardinality", accepts="either")
FACTS = Facts(
    paper_of="scol",
    cost="n c for c columns; m n if the input is data",
)
COLOUR = "#CC79A7"
EXAMPLE = dict(k=10)


def solve(
    problem,
    *,
    k: int,
    c: int | None = None,
    first_alone: bool = False,
    second: str = "lanczos",
    second_tol: float = 1e-9,
):
    """Yield unit x (n,) after each loop, with entries of equal size, then from the second phase.

    k : cardinality (the paper's s).
    c : number of columns selected in each loop; by default ceil(k / 10), for at most ten loops.
    first_alone : select the first column alone, and then c at a time (not in the paper).
    second : method of the second phase, "lanczos" or "power".
    second_tol : the Lanczos method stops when the relative increase of its value is below this.
    """
    c = ceil(k / 10) if c is None else c
    if c < 1:
        raise InputError(f"c: {c}; it must be a whole number from 1")
    Sigma = problem.covariance  # (n, n)
    taken = [1] if first_alone else []
    while sum(taken) < k:
        taken.append(min(c, k - sum(taken)))
    for signs, _J in greedy_signs(Sigma, taken):
        yield Iterate(normalize(signs), phase="columns")
    for x in leading_on(Sigma, signs, second, second_tol):
        yield Iterate(x, phase="eigenvector")
