"""Covariance thresholding: selects variables after setting small covariances to zero.

Deshpande and Montanari (2016), Algorithm 1, after Krauthgamer, Nadler, Vilenchik (2015): the
entries of Sigma - sigma^2 I are soft-thresholded at a level t, where sigma^2 is the noise variance.
The variables with the largest entries in the leading eigenvector of the result are selected.

Differences from the paper:

1. The paper's level t = tau / sqrt(m) requires the number of samples m and a noise variance of 1.
   Here the levels are quantiles of |Sigma_ij|, and the best answer over all levels is returned, as
   in Holtzman, Soffer, Vilenchik (COLT 2020, section 9). ``tau`` sets a single level instead.
2. sigma^2, which is 1 in the paper, is the median of the variances.
3. The k largest entries of the eigenvector are selected. The paper selects the entries that exceed
   a threshold, which it tests on the second half of the samples.
4. The answer is the leading eigenvector of Sigma on these variables.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.problem.spectral import leading_pairs
from spcabench.vectors import TIE, embed, largest_indices, soft_threshold

TRAITS = Traits(control="cardinality", accepts="covariance")
FACTS = Facts(
    authors="Deshpande and Montanari",
    title="Sparse PCA via covariance thresholding",
    venue="JMLR 17",
    year=2016,
    cost="9 n^3 per level, 20 levels",
    code="none found",
    reproduced="the largest support that it recovers for n = 400",
)
EXAMPLE = dict(k=10)
STOP = "end"


def solve(problem, *, k: int, tau: float | None = None, levels: int = 20):
    """Yield the best x (n,) so far, after each level.

    tau : a single level t, in units of Sigma, used instead of the quantiles.
    levels : number of levels. They are equally spaced quantiles of the absolute covariances.
    """
    if levels < 1:
        raise InputError(f"levels: {levels}; it must be at least 1")
    Sigma, n = problem.covariance, problem.n  # (n, n)
    noise = np.median(Sigma.diagonal())
    covariances = np.abs(Sigma.S[np.triu_indices(n, 1)])
    best = 0.0
    for t in thresholds(covariances, levels) if tau is None else [tau]:
        eta = soft_threshold(Sigma.S - noise * np.eye(n), t)
        _, V = leading_pairs(eta, 1)
        Q = largest_indices(np.abs(V[:, 0]), k)
        value, v = Sigma[Q].leading()
        if not best or value > best + TIE * abs(best):
            best, x = value, embed(v, Q, n)
        yield Iterate(x, extra={"tau": float(t)})


def thresholds(covariances, levels):
    """Return quantiles of the absolute covariances, in increasing order."""
    if not len(covariances):
        return [0.0]
    return np.quantile(covariances, np.arange(levels) / levels)
