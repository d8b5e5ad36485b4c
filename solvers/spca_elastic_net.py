"""SPCA: elastic-net regression of the principal components on the variables.

Zou, Hastie, Tibshirani (2006), Algorithm 1 (section 3.3): column j of B (n, q) is the elastic-net
regression of A alpha_j on A, and (alpha_1 ... alpha_q) is the polar factor of Sigma B.
Scikit-learn's LARS computes the elastic-net path.

Differences from the paper:

1. A path stops at k nonzeros, unless the penalties lambda_1 are specified.
2. lambda_2 is relative: it is ridge times the largest variance.

If variables tie, rounding errors can determine which of them scikit-learn selects. When the rows
were reordered, 2 of 1000 answers to small problems with ties changed, by up to 2 % of the variance.
"""

import warnings

import numpy as np

from spcabench import validate
from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.steps import polar, unit_columns
from spcabench.vectors import without_rounding

TRAITS = Traits(control="cardinality", accepts="covariance", components="joint", stable=False)
FACTS = Facts(
    authors="Zou, Hastie, Tibshirani",
    title="Sparse principal component analysis",
    venue="Journal of Computational and Graphical Statistics 15",
    year=2006,
    address="https://doi.org/10.1198/106186006X113430",
    cost="up to 2 n^2 q; scikit-learn's LARS is not counted",
    code="elasticnet, https://cran.r-project.org/package=elasticnet (R)",
    reproduced="the paper's Table 3: all nonzeros and adjusted variances on pit props are equal",
)
EXAMPLE = dict(k=10)
COUNTED = False  # flops inside LARS are not counted


def solve(
    problem,
    *,
    k: int,
    components: int = 1,
    cardinalities: list[int] | None = None,
    penalties: list[float] | None = None,
    ridge: float = 1e-6,
):
    """Yield the first component x (n,) and all components Z (n, q), the normalised columns of B.

    components : the number q of components.
    cardinalities : the cardinality of each component, at most k; by default k.
    penalties : lambda_1 for each component, instead of the cardinalities.
    ridge : lambda_2 divided by the largest variance.
    """
    if not 1 <= components <= problem.n:
        raise InputError(f"components: {components}; it must be from 1 to n = {problem.n}")
    ks = validate.cardinalities(cardinalities, components, k)
    if penalties is not None and len(penalties) != components:
        raise InputError(f"penalties: {penalties}; {components} are needed, one for each component")
    lambda_1 = np.zeros(components) if penalties is None else np.array(penalties, dtype=float)
    ks = ks if penalties is None else [problem.n] * components
    Sigma = problem.covariance  # (n, n)
    S = Sigma.S
    Gram = S + ridge * S.diagonal().max() * np.eye(len(S))
    _, alpha = Sigma.leading_pairs(components)  # step 1, (n, q)
    while True:
        targets = np.column_stack([Sigma @ a for a in alpha.T])
        B = np.column_stack(  # step 2
            [elastic_net(Gram, *column) for column in zip(targets.T, ks, lambda_1, strict=True)]
        )
        Z = unit_columns(B)
        yield Iterate(Z[:, 0], Z=Z)
        alpha = polar(np.column_stack([Sigma @ b for b in B.T]))  # step 3


def elastic_net(Gram, Xy, k, lambda_1):
    """Return the last point with at most k nonzeros on the elastic-net path down to lambda_1.

    The path minimises b'Gram b - 2 Xy'b + lambda_1 ||b||_1.
    """
    from sklearn.linear_model import lars_path_gram

    if not Xy.any():  # zero after every component has been deflated
        return Xy
    unit = np.abs(Gram).max()
    Xy, Gram = without_rounding(Xy / unit), without_rounding(Gram / unit)
    with warnings.catch_warnings():  # scikit-learn warns when it drops one of two equal variables
        warnings.simplefilter("ignore")
        _, _, path = lars_path_gram(
            Xy,
            Gram,
            n_samples=1,
            method="lasso",
            max_iter=4 * k + 8,
            alpha_min=0.5 * lambda_1 / unit,
        )
    fitting = path[:, (np.count_nonzero(path, axis=0) <= k) & path.any(axis=0)]
    return fitting[:, -1] if fitting.shape[1] else np.zeros(len(Xy))
