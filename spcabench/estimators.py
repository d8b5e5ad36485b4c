"""A scikit-learn estimator over the solvers."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
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
    """Sparse principal components of data, as a scikit-learn estimator.

    Each loading is a unit vector with at most ``cardinality`` nonzeros. The data are centred.
    Sparse data are centred implicitly and never made dense.

    Parameters
    ----------
    n_components : int
        Number of components. There are fewer where no variance is left; a warning says so.
    cardinality : int or float
        Nonzeros of each loading, 1 to n; a float, above 0 and up to 1.0, is a share of the
        features.
    solver : str, optional
        Name of a solver, or the path of its file. Default: the one that `spcabench solve` takes,
        which is exact for up to 30 features and a local search for up to 2000.
    deflation : str
        What comes between two components, as for `spcabench.components`.
    scale : bool
        Whether to divide each feature by its standard deviation.
    nonnegative : bool
        Whether the loadings are nonnegative.
    refit : bool
        Whether each loading becomes the leading eigenvector on its support.
    settings : dict, optional
        The solver's own settings.
    random_state : int | RandomState, optional
        Seed of a solver that draws random numbers.

    Attributes
    ----------
    components_ : array of shape (K, n)
        The loadings, one in each row.
    n_components_ : int
        Number K of components found.
    formulation_ : Formulation
        Which problem of several components the answer is one to: see docs/components.md.
    mean_, scale_ : array of shape (n,)
        Mean of each feature, and what each is divided by.
    explained_variance_ : array of shape (K,)
        What each component adds to those before it (adjusted variance), so that correlated
        components are not counted twice.
    explained_variance_ratio_ : array of shape (K,)
        The same over the variance of all features. It adds up to at most one.
    deflated_variance_ : array of shape (K,)
        Variance of each component in the deflated problem in which it was found.
    bound_ : array of shape (K,)
        Certified upper bound on that variance, for any loading that is allowed. For the first
        component the deflated problem is the data itself.

    Notes
    -----
    All variances are divided by m - 1. The adjusted variance is the squared diagonal of R in the QR
    decomposition of the scores.

    References
    ----------
    Zou, Hastie, Tibshirani, "Sparse principal component analysis", Journal of Computational and
    Graphical Statistics 15 (2006).
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
        """Find the components of X.

        Parameters
        ----------
        X : array or sparse matrix of shape (m, n)
            m samples of n features, m at least 2.
        y : ignored
            There for scikit-learn's pipelines.

        Returns
        -------
        SparsePCA
            The estimator itself.

        Raises
        ------
        InputError
            For a parameter out of range, or a solver that gave no feasible component.

        Warns
        -----
        RuntimeWarning
            Where there are fewer components than asked for.
        """
        validate.switch("scale", self.scale)
        validate.switch("nonnegative", self.nonnegative)
        X = self._matrix(X, ensure_min_samples=2)
        m, n = X.shape
        if validate.whole("n_components", self.n_components, 1) > n:
            raise InputError(
                f"n_components: {self.n_components}; allowed are 1 to n_features = {n}"
            )
        validate.magnitudes("X", X)
        scaler = StandardScaler(with_mean=False, with_std=self.scale).fit(X)
        problem = Problem.from_data(scaler.transform(X), "X")
        found = self._found(problem)
        self.mean_ = np.asarray(X.mean(axis=0)).ravel()
        self.scale_ = np.ones(n) if scaler.scale_ is None else scaler.scale_
        self.components_, self.n_components_ = found.Z.T, len(found)
        self.formulation_ = found.formulation
        self.explained_variance_ = found.adjusted_variances / (m - 1)
        self.explained_variance_ratio_ = (
            found.adjusted_variances / problem.covariance.diagonal().sum()
        )
        self.deflated_variance_ = np.array([result.variance for result in found]) / (m - 1)
        self.bound_ = np.array([result.bound for result in found]) / (m - 1)
        return self

    def _matrix(self, X: Any, **conditions: Any) -> Any:
        """Return X as scikit-learn checks it; its errors are put in one line that names X."""
        validate.plain("X", X)
        try:
            return validate_data(
                self, X, accept_sparse=("csc", "csr"), dtype=np.float64, **conditions
            )
        except (TypeError, ValueError, OverflowError) as error:
            kind = TypeError if isinstance(error, TypeError) else InputError
            raise kind(f"X: {' '.join(str(error).split()):.400}") from None

    def _seed(self) -> int:
        try:
            return int(check_random_state(self.random_state).randint(2**31 - 1))
        except ValueError as error:
            raise InputError(f"random_state: {error}") from None

    def _settings(self) -> dict[str, Any]:
        given = {} if self.settings is None else self.settings
        if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
            raise InputError(
                f"settings: {validate.shown(given)}; allowed is a dict of the solver's settings"
            )
        return dict(given)

    def _found(self, problem: Problem) -> Components:
        default = registry.solver_for(problem.n, self.nonnegative)
        found = api.components(
            problem,
            default if self.solver is None else self.solver,
            self.n_components,
            k=self._k(problem.n),
            seed=self._seed(),
            deflation=self.deflation,
            nonnegative=self.nonnegative,
            refit=self.refit,
            **self._settings(),
        )
        if not found[0].good:
            raise InputError(
                f"solver: {found[0].solver!r} gave no feasible component of X ({found[0].status})"
            )
        good = [result for result in found if result.good]
        if len(good) < self.n_components:
            warnings.warn(
                f"n_components: {self.n_components} asked, {len(good)} found: "
                "no further one has variance",
                RuntimeWarning,
                stacklevel=3,
            )
        found = replace(found, results=good)
        if found.idle:
            warnings.warn(
                f"n_components: {len(found.idle)} of {len(good)} explain nothing that those before "
                "them do not; deflation='schur' leaves such components out",
                RuntimeWarning,
                stacklevel=3,
            )
        return found

    def _k(self, n: int) -> int:
        if isinstance(self.cardinality, Integral):
            return validate.cardinality(self.cardinality, n, "cardinality")
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
        """Return the scores of X.

        Parameters
        ----------
        X : array or sparse matrix of shape (m, n)
            Samples of the features that were fitted.

        Returns
        -------
        array of shape (m, K)
            The centred (scaled) samples times the loadings.
        """
        check_is_fitted(self)
        X = self._matrix(X, reset=False)
        Z = self.components_.T / self.scale_[:, None]
        return X @ Z - self.mean_ @ Z

    def inverse_transform(self, X: Any) -> Any:
        """Return the samples that the scores stand for.

        They are the points of the components' span that have these scores: of all such points they
        are nearest to the mean.

        Parameters
        ----------
        X : array of shape (m, K)
            Scores, as `transform` returns them.

        Returns
        -------
        array of shape (m, n)
            Samples in the units of the data.
        """
        check_is_fitted(self)
        scores = np.asarray(X, dtype=np.float64)
        if scores.ndim != 2 or scores.shape[1] != self.n_components_:
            raise InputError(
                f"X: shape {scores.shape}; allowed is (m, {self.n_components_}), the scores"
            )
        scaled = scores @ np.linalg.pinv(self.components_.T)
        return scaled * self.scale_ + self.mean_

    def score(self, X: Any, y: Any = None) -> float:
        """Return the share of the variance of X that lies in the span of the components.

        Parameters
        ----------
        X : array or sparse matrix of shape (m, n)
            Samples of the features that were fitted. Their variance is about the fitted mean.
        y : ignored
            There for scikit-learn's model selection.

        Returns
        -------
        float
            A number from 0 to 1.
        """
        scores = self.transform(X)
        X = self._matrix(X, reset=False)
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
