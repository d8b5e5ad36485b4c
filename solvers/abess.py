"""abess: best-subset selection by adaptive splicing, using the abess library (optional).

In a clone, install it with ``pip install ".[compare]"``.

Zhu, Wang, Hu, Huang, Jiang, Zhang, Lin, Zhu (2022).

Differences from the library:

1. The input is the covariance, divided by its largest eigenvalue, with 1e-6 added to the diagonal.
   The library would centre data, and for some singular covariances it returns vectors with far
   less variance.
2. Only the k largest loadings of the library's answer are used.
"""

import warnings

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Traits
from spcabench.vectors import project

TRAITS = Traits(control="cardinality", accepts="covariance")
FACTS = Facts(
    authors="Zhu, Wang, Hu, Huang, Jiang, Zhang, Lin, Zhu",
    title="abess: a fast best-subset selection library in Python and R",
    venue="Journal of Machine Learning Research 23",
    year=2022,
    address="https://jmlr.org/papers/v23/21-1060.html",
    cost="not counted: inside the library",
    code="abess, https://github.com/abess-team/abess (Python, R)",
    reproduced="none: the library itself is run",
)
COLOUR = "#8C564B"
EXAMPLE = dict(k=10)
STOP = "end"
COUNTED = False  # flops inside the library are not counted
REQUIRES = "abess"  # if this package is missing, the solver is skipped with a message


def solve(problem, *, k: int):
    """Yield the truncated leading eigenvector (n,), then the loadings found by the library."""
    try:
        from abess.decomposition import SparsePCA
    except ImportError:
        raise InputError(
            "abess: the library is not installed; pip install spcabench[compare]"
        ) from None
    Sigma = problem.covariance  # (n, n)
    top, v = Sigma.leading()
    yield project(v, k)
    model = SparsePCA(support_size=k, thread=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(Sigma=Sigma.S / top + 1e-6 * np.eye(problem.n))
    yield project(np.ravel(model.coef_), k)
