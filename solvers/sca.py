"""Sparse component analysis (SCA) by polar factors, varimax rotation and shrinkage.

Chen and Rohe (2020): maximise ||Z'A Y||_F over Z (m, q) with orthonormal columns and Y (n, q) with
||Y||_1 <= gamma. Z is the polar factor of A Y. Y is the polar factor of A'Z, rotated to a varimax
basis and soft-thresholded so that its absolute values sum to gamma.

Differences from the paper:

1. The bound gamma is q / ``shrinkage``, so the mean l1 norm of a column is 1 / shrinkage. Larger
   values of shrinkage give fewer nonzeros, as with all penalties here.
2. Z is not computed, because A'Z equals Sigma Y (Y'Sigma Y)^(-1/2). The rotation of Z in the
   authors' code only affects the start of the next rotation.
3. The columns of Y are ordered by decreasing ||A y||, where y is the thresholded column, and then
   normalised.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.steps import principal_components, unit_columns, varimax
from spcabench.vectors import soft_threshold

TRAITS = Traits(control="penalty", penalty="shrinkage", components="joint")
FACTS = Facts(
    authors="Chen and Rohe",
    title="A new basis for sparse PCA",
    venue="arXiv:2007.00596",
    year=2020,
    address="https://doi.org/10.48550/arXiv.2007.00596",
    cost="n^2 q",
    code="epca, https://cran.r-project.org/package=epca (R)",
    reproduced="nonzeros and cumulative variances of the package's vignette, on pit props",
)
COLOUR = "#3A7D44"
EXAMPLE = dict(k=10)
STOP = "end"
STILL, ROUNDING = 1e-8, 1e-12  # change of an entry of Y; relative size of a squared singular value
LEAST = 1e-5  # below this bound only rounding errors would be left, so Y is set to zero


def penalty_range(problem):
    """Return a range of shrinkage over which the number of nonzeros falls from all to one."""
    return 0.9 / np.sqrt(problem.n), 0.75 / LEAST


def solve(problem, *, shrinkage: float, components: int = 1):
    """Yield the first component x (n,) and all components Z (n, q).

    shrinkage : q / gamma. At 1 / sqrt(n), no entry is set to zero; at 1, each column can be a
        single entry; at larger values, only the largest entries of Y remain.
    components : the number q of components.
    """
    if not 1 <= components <= problem.n or shrinkage <= 0.0:
        raise InputError(
            f"components, shrinkage: {components}, {shrinkage}; they must be from 1 to "
            f"n = {problem.n}, and above 0"
        )
    Sigma = problem.covariance  # (n, n)
    gamma = components / shrinkage
    _, V = principal_components(Sigma, components)
    Y = shrunk(varimax(V), gamma)  # (n, q)
    while True:
        SY = Sigma.products(Y)
        variances = (Y * SY).sum(axis=0)  # ||A y||^2
        order = np.argsort(-variances, kind="stable")
        Y, SY = Y[:, order], SY[:, order]
        Z = unit_columns(Y)
        yield Iterate(Z[:, 0], Z=Z, extra={"objective": float(variances.sum())})
        new = shrunk(varimax(partial_polar(scores(Y, SY))), gamma)
        if np.abs(np.abs(new) - np.abs(Y)).max() <= STILL:
            return
        Y = new


def scores(Y, SY):
    """Return A'Z = SY (Y'SY)^(-1/2) (n, q), where Z is the polar factor of A Y.

    If Y'SY is singular, its pseudo-inverse is used.
    """
    w, U = np.linalg.eigh(np.asarray(Y).T @ np.asarray(SY))
    nonzero = w > ROUNDING * w[-1]
    return np.asarray(SY) @ (U[:, nonzero] / np.sqrt(w[nonzero])) @ U[:, nonzero].T


def partial_polar(G):
    """Return the polar factor of G (n, q), which is zero on the null space of G."""
    U, d, Vt = np.linalg.svd(G, full_matrices=False)
    nonzero = d > np.sqrt(ROUNDING) * d[0]
    return U[:, nonzero] @ Vt[nonzero]


def shrunk(Y, gamma):
    """Return Y (n, q), soft-thresholded at the smallest level that gives sum |Y| <= gamma."""
    if gamma < LEAST:
        return np.zeros_like(Y)
    a = np.sort(np.abs(Y), axis=None)[::-1]
    if a.sum() <= gamma:
        return Y
    levels = (np.cumsum(a) - gamma) / np.arange(1, len(a) + 1)
    level = levels[a > levels][-1]  # consistent with the number of entries above it
    new = soft_threshold(Y, max(level, 0.0))
    return np.where(np.abs(new) > ROUNDING, new, 0.0)
