"""Scikit-learn's SparsePCA: dictionary learning by LARS, with an l1 penalty on the loadings.

Jenatton, Obozinski, Bach (2010), and Mairal, Bach, Ponce, Sapiro, "Online dictionary learning for
sparse coding", ICML 2009, as implemented in scikit-learn: one component that minimises ||A - u
v'||^2 / 2 + alpha ||v||_1 over ||u|| <= 1.

Differences from the library's class:

1. The class calls the function ``dict_learning`` on centred data. Here it is called directly on A,
   and the problem determines whether A is centred.
2. alpha is in units of the largest column norm, so one value suits every problem.
"""

import warnings

import numpy as np

from spcabench.iterate import Facts, Traits
from spcabench.vectors import normalize

TRAITS = Traits(control="penalty", accepts="data", penalty="alpha")
FACTS = Facts(
    authors="Jenatton, Obozinski, Bach",
    title="Structured sparse principal component analysis",
    venue="AISTATS",
    year=2010,
    address="https://proceedings.mlr.press/v9/jenatton10a.html",
    cost="not counted: inside the library",
    code="scikit-learn, https://scikit-learn.org (Python)",
    reproduced="none: the library itself is run",
)
COLOUR = "#B5651D"
EXAMPLE = dict(k=10)
STOP = "end"
COUNTED = False  # flops inside the library are not counted


def penalty_range(problem):
    """Return a range of penalties over which the cardinality falls from n to 1."""
    return 1e-6, 0.999  # for values closer to 1, the library's answer is zero


def solve(problem, *, alpha: float, steps: int = 200):
    """Yield loadings (n,): first A'u for the largest column u of A, then the library's answer.

    alpha : weight of ||v||_1, divided by the largest norm of a column of A.
    steps : maximum number of iterations in the library.
    """
    from sklearn.decomposition import dict_learning

    A = problem.data.dense() / float(problem.data.squared_norms().max()) ** 0.5  # (m, n)
    u = problem.data.largest_column()  # (m,)
    v = A.T @ u  # (n,)
    yield normalize(v)
    with warnings.catch_warnings():  # an answer that has not converged is still graded
        warnings.simplefilter("ignore")
        V, *_ = dict_learning(
            A.T,
            1,
            alpha=alpha,
            max_iter=steps,
            tol=1e-8,
            dict_init=u[None, :].copy(),
            code_init=v[:, None].copy(),
        )
    yield normalize(np.ravel(V))
