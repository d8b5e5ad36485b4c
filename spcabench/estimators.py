"""A scikit-learn estimator over the solvers."""

from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from spcabench import api, registry, validate
from spcabench.errors import InputError
from spcabench.problem.problem import Problem
from spcabench.solving.deflate import Components


class SparsePCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Sparse principal components of X (m, n): each loading is a unit vector with at most
    ``cardinality`` nonzeros.

    X is centred, a sparse X implicitly: it is never made dense.

    n_components : how many at most; fewer where no variance is left.
    cardinality : nonzeros of each loading, 1 to n; a share of the features if below 1. 1.0 is all
        of them.
    solver : name of a solver, or the path of its file; None is `spcabench.solvers.DEFAULT`.
    deflation : what comes between two components: see `spcabench.components`.
    scale : divide each feature by its standard deviation.
    nonnegative : loadings of one sign.
    refit : each loading becomes the leading eigenvector on its support.
    settings : the solver's own, a dict.
    random_state : seed of solvers that draw numbers.

    components_ (K, n), mean_ and scale_ (n,); all variances are divided by m - 1.
    explained_variance_ (K,) : what each component adds to those before it, the squared diagonal of
    R in the QR
        decomposition of the scores (Zou et al. 2006): correlated components are not counted twice.
    explained_variance_ratio_ (K,) : that, over the variance of all features; it adds up to at most
    one. bound_ (K,) : certified upper bounds on the variance of any such loading in the deflated
    problem in which the
        component was sought, hence for the first component in X; deflated_variance_ (K,) is what
        was reached there.
    """

    def __init__(
        self,
        n_components=2,
        *,
        cardinality=0.2,
        solver=None,
        deflation="projection",
        scale=False,
        nonnegative=False,
        refit=False,
        settings=None,
        random_state=None,
    ):
        self.n_components = n_components
        self.cardinality = cardinality
        self.solver = solver
        self.deflation = deflation
        self.scale = scale
        self.nonnegative = nonnegative
        self.refit = refit
        self.settings = settings
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "SparsePCA":
        """Find the components of X (m, n), an array or sparse; y is ignored."""
        X = validate_data(
            self, X, accept_sparse=("csc", "csr"), dtype=np.float64, ensure_min_samples=2
        )
        m, n = X.shape
        if validate.whole("n_components", self.n_components, 1) > n:
            raise InputError(
                f"n_components: {self.n_components}; allowed are 1 to n_features = {n}"
            )
        scaler = StandardScaler(with_mean=False, with_std=self.scale).fit(X)
        problem = Problem.from_data(scaler.transform(X), "X")
        found = self._found(problem)
        self.mean_ = np.asarray(X.mean(axis=0)).ravel()
        self.scale_ = np.ones(n) if scaler.scale_ is None else scaler.scale_
        self.components_, self.n_components_ = found.Z.T, len(found)
        self.explained_variance_ = found.adjusted_variances / (m - 1)
        self.explained_variance_ratio_ = (
            found.adjusted_variances / problem.covariance.diagonal().sum()
        )
        self.deflated_variance_ = np.array([result.variance for result in found]) / (m - 1)
        self.bound_ = np.array([result.bound for result in found]) / (m - 1)
        return self

    def _found(self, problem: Problem) -> Components:
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        found = api.components(
            problem,
            self.solver or registry.default_solver(),
            self.n_components,
            k=self._k(problem.n),
            seed=seed,
            deflation=self.deflation,
            nonnegative=self.nonnegative,
            refit=self.refit,
            **(self.settings or {}),
        )
        if not found[0].good:
            raise InputError(
                f"solver: {found[0].solver!r} gave no feasible component of X ({found[0].status})"
            )
        return Components(problem, [result for result in found if result.good])

    def _k(self, n: int) -> int:
        if isinstance(self.cardinality, Integral):
            return validate.cardinality(self.cardinality, n)
        if not 0.0 < validate.number("cardinality", self.cardinality) <= 1.0:
            raise InputError(
                f"cardinality: {self.cardinality!r}; allowed are 1 to n = {n}, or a share above "
                "0, up to 1.0"
            )
        return max(1, round(self.cardinality * n))

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def transform(self, X: Any) -> Any:
        """The scores (m, K) of X (m, n)."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=("csc", "csr"), dtype=np.float64, reset=False)
        Z = self.components_.T / self.scale_[:, None]
        return X @ Z - self.mean_ @ Z

    def score(self, X: Any, y: Any = None) -> float:
        """The share of the variance of X (m, n), about the fitted mean, in the span of the
        components: up to 1.
        """
        scores = self.transform(X)
        X = validate_data(self, X, accept_sparse=("csc", "csr"), dtype=np.float64, reset=False)
        scaled, mean = X / self.scale_, self.mean_ / self.scale_
        total = (scaled.multiply(scaled) if issparse(X) else scaled * scaled).sum() - 2.0 * (
            scaled @ mean
        ).sum()
        gram = np.linalg.pinv(self.components_ @ self.components_.T)
        return float(
            np.einsum("mi,ij,mj->", scores, gram, scores) / (total + len(scores) * mean @ mean)
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
