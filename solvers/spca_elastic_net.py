"""SPCA: a sparse regression on the principal component, by the elastic net.

Zou, Hastie, Tibshirani, "Sparse principal component analysis", Journal of Computational and
Graphical Statistics 15 (2006), Algorithm 1 (section 3.3) for one component; the elastic net's path
by scikit-learn's LARS.

Differs from the paper in:

1. The path ends at k nonzeros, in place of a penalty lambda_1.
2. The ridge is relative: ridge times the largest variance.

Where variables tie, scikit-learn decides, now and then by rounding: with the rows in another order,
2 of 1000 answers to small problems with ties differed, by up to 2 % of the variance.
"""

import warnings

import numpy as np

from spcabench.iterate import Traits
from spcabench.vectors import normalize, without_rounding

TRAITS = Traits(control="cardinality", accepts="covariance", stable=False)
EXAMPLE = dict(k=10)
COUNTED = False  # what the path costs is not counted


def solve(problem, *, k, ridge=1e-6):
    """Yield unit x (n,): beta of the elastic net on A alpha, alpha = Sigma beta, and so on.

    alpha is scaled to norm one.

    ridge : lambda_2 over the largest variance.
    """
    Sigma = problem.covariance  # (n, n)
    S = Sigma.S
    Gram = S + ridge * S.diagonal().max() * np.eye(len(S))
    _, alpha = Sigma.leading()  # step 1
    while True:
        beta = elastic_net(Gram, Sigma @ alpha, k)  # step 2
        yield normalize(beta)
        alpha = normalize(Sigma @ beta)  # step 3, for one component


def elastic_net(Gram, Xy, k):
    """The last point with at most k nonzeros on the path of the elastic net.

    The path is that of min b'Gram b - 2 Xy'b + lambda_1 ||b||_1.
    """
    from sklearn.linear_model import lars_path_gram

    if not Xy.any():  # after the last component nothing is left
        return Xy
    unit = np.abs(Gram).max()
    Xy, Gram = without_rounding(Xy / unit), without_rounding(Gram / unit)
    with warnings.catch_warnings():  # equal variables: scikit-learn drops one and says so
        warnings.simplefilter("ignore")
        _, _, path = lars_path_gram(
            Xy, Gram, n_samples=1, method="lasso", max_iter=4 * k + 8, alpha_min=0.0
        )
    fitting = path[:, (np.count_nonzero(path, axis=0) <= k) & path.any(axis=0)]
    return fitting[:, -1] if fitting.shape[1] else np.zeros(len(Xy))
