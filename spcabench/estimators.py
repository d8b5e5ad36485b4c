"""`SparsePCA`, a scikit-learn estimator for all solvers."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from pydantic import PositiveInt
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from spcabench import api, files, validate
from spcabench.errors import InputError
from spcabench.problem.problem import Problem
from spcabench.selecting.selection import select
from spcabench.showing import text
from spcabench.solving import model as models
from spcabench.solving.call import arguments, own_settings
from spcabench.solving.deflate import Components
from spcabench.solving.formulations import Formulation

# fitted attributes that `SparsePCA.save` stores as arrays
KEPT = ("explained_variance_", "explained_variance_ratio_", "deflated_variance_")
OPTIONAL = ("bound_", "singular_values_")  # not in every file


@dataclass(frozen=True)
class _Saved:
    """The part of a saved estimator that is stored as JSON."""

    parameters: dict[str, Any]
    named: bool
    cardinality: PositiveInt | list[PositiveInt]
    formulation: Formulation
    solver: str | None = None
    iterations: int | None = None


def _plain(value: Any) -> Any:
    """Convert a parameter to a value that JSON can represent; other objects become strings."""
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        return value.item()
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


class SparsePCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Sparse principal component analysis, as a scikit-learn estimator.

    Each loading is a unit vector with at most ``cardinality`` nonzeros. The data are centred.
    Sparse data are centred implicitly and are never converted to dense arrays.

    Parameters
    ----------
    n_components : int, optional
        Number of components. If no variance is left, fewer components are found, with a warning.
        With None, there are min(m, n), as in scikit-learn, or fewer if no variance is left.
    cardinality : int, float, "auto" or a sequence of int or float
        Number of nonzeros in each loading, from 1 to n. A float, above 0 and up to 1.0, is
        interpreted as a fraction of the features. A sequence contains one value per component. With
        "auto", `spcabench.select` chooses one value for all components, based on the variance of
        the first component on held-out samples.
    solver : str, optional
        Name of a solver, or the path of its file. The default is the same as in `spcabench.solve`
        and depends on the size of the data; for up to 30 features, it is an exact solver.
    deflation : str
        Deflation after each component, as in `spcabench.components`.
    scale : bool
        Whether to divide each feature by its standard deviation.
    nonnegative : bool
        Whether to require nonnegative loadings.
    refit : bool
        Whether to replace each loading by the leading eigenvector on its support.
    settings : dict, optional
        Settings of the solver.
    bound : bool
        Whether to compute certified bounds, which takes seconds for thousands of features.
    random_state : int | RandomState, optional
        Seed for solvers that use random numbers.

    Attributes
    ----------
    components_ : array of shape (K, n)
        The loadings, one per row.
    n_components_ : int
        Number K of components found.
    cardinality_ : int or list of int
        Maximum number of nonzeros in each loading.
    selection_ : Selection
        The selection of the cardinality. Only available with "auto".
    solver_ : str
        Name of the solver that was used.
    n_iter_ : int
        Largest number of iterations for a component.
    formulation_ : Formulation
        The multi-component problem that the components solve; see docs/components.md.
    mean_, scale_ : array of shape (n,)
        Mean and divisor of each feature.
    explained_variance_ : array of shape (K,)
        Variance that each component adds to the preceding components (adjusted variance). Variance
        shared by correlated components is counted once.
    explained_variance_ratio_ : array of shape (K,)
        ``explained_variance_`` divided by the total variance of all features. The ratios sum to at
        most 1.
    singular_values_ : array of shape (K,)
        Square roots of ``explained_variance_`` times m - 1, as in scikit-learn's ``PCA``.
    deflated_variance_ : array of shape (K,)
        Variance of each component in its deflated problem.
    bound_ : array of shape (K,)
        Certified upper bound on the variance of any feasible loading in the deflated problem. For
        the first component, this is the original problem. Not available with ``bound=False``.

    Notes
    -----
    All variances use the divisor m - 1. The adjusted variances are the squared diagonal entries of
    R in the QR decomposition of the scores, divided by m - 1.

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
        bound=True,
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
        self.bound = bound
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "SparsePCA":
        """Find the components of X.

        Parameters
        ----------
        X : array or sparse matrix of shape (m, n)
            Data with at least two samples.
        y : ignored
            Present for compatibility with scikit-learn's pipelines.

        Returns
        -------
        SparsePCA
            The fitted estimator.

        Raises
        ------
        InputError
            If a parameter is out of range or the solver found no feasible component.

        Warns
        -----
        RuntimeWarning
            If fewer components than requested were found, or if components add no variance.
        UserWarning
            If one feature dominates the variance of unscaled data.
        """
        validate.switch("bound", self.bound)
        problem = Problem.from_data(X, "X", scale=self.scale)
        validate_data(self, X, skip_check_array=True)  # sets n_features_in_ and feature_names_in_
        if sentence := text.dominance(problem, "use scale=True"):
            warnings.warn(f"X: {sentence}", UserWarning, stacklevel=2)
        components = self._found(problem)
        self.mean_, self.scale_ = np.array(problem.mean), np.array(problem.scale)
        self.components_, self.n_components_ = components.Z.T, len(components)
        self.formulation_, self.solver_ = components.formulation, components[0].solver
        self.n_iter_ = max(result.iterations for result in components)
        self.explained_variance_ = components.adjusted_variances
        self.singular_values_ = np.sqrt(self.explained_variance_ * problem.divisor)
        self.explained_variance_ratio_ = (
            components.adjusted_variances / problem.covariance.diagonal().sum()
        )
        self.deflated_variance_ = np.array([result.variance for result in components])
        if self.bound:
            self.bound_ = np.array([result.bound for result in components])
        return self

    def _samples(self, X: Any) -> Any:
        """Return samples (m, n) of the fitted features as a matrix of floats."""
        M, _ = validate.table("X", X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return M.astype(np.float64, copy=False)

    def _seed(self) -> int:
        try:
            return int(check_random_state(self.random_state).randint(2**31 - 1))
        except ValueError as error:
            raise InputError(f"random_state: {error}") from None

    def _found(self, problem: Problem) -> Components:
        seed = self._seed()
        self.cardinality_ = self._cardinality(problem, seed)
        count = self._count(problem)
        components = api.solve(
            problem,
            self.solver,
            n_components=count,
            k=self.cardinality_,
            random_state=seed,
            nonnegative=self.nonnegative,
            refit=self.refit,
            **arguments({**own_settings(self.settings), "deflation": self.deflation}),
        )
        if not components[0].good:
            raise InputError(
                f"solver: {components[0].solver!r} found no feasible answer "
                f"({components[0].status})"
            )
        good = [result for result in components if result.good]
        if self.n_components is not None and len(good) < count:
            warnings.warn(
                f"n_components: {self.n_components} requested, but only {len(good)} found, because "
                "no variance is left",
                RuntimeWarning,
                stacklevel=3,
            )
        components = replace(components, results=good)
        if components.idle:
            warnings.warn(
                f"n_components: {len(components.idle)} of {len(good)} components add nothing to "
                "the preceding ones; use deflation='schur' to avoid this",
                RuntimeWarning,
                stacklevel=3,
            )
        return components

    def _count(self, problem: Problem) -> int:
        """Return the number of components to look for."""
        if self.n_components is not None:
            return self.n_components  # type: ignore[no-any-return]
        if isinstance(self.cardinality_, list):
            return len(self.cardinality_)
        return min(problem.m or problem.n, problem.n)

    def _cardinality(self, problem: Problem, seed: int) -> int | list[int]:
        """Return a cardinality for all components, or a list with one per component."""
        cardinality = self.cardinality
        if isinstance(cardinality, str) and cardinality == "auto":
            self.selection_ = select(problem, nonnegative=self.nonnegative, random_state=seed)
            return self.selection_.k
        if isinstance(cardinality, np.ndarray) and cardinality.ndim == 0:
            cardinality = cardinality.item()
        if isinstance(cardinality, Sequence | np.ndarray) and not isinstance(cardinality, str):
            if self.n_components not in (None, len(cardinality)):
                raise InputError(
                    f"cardinality: {len(cardinality)} values for n_components = "
                    f"{self.n_components}; specify one value, or one per component"
                )
            return [_number_of(each, problem.n) for each in cardinality]
        return _number_of(cardinality, problem.n)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def transform(self, X: Any) -> Any:
        """Return the scores of X.

        Parameters
        ----------
        X : array or sparse matrix of shape (m, n)
            Samples with the features used in `fit`.

        Returns
        -------
        array of shape (m, K)
            The centred (and scaled) samples times the loadings.

        Notes
        -----
        These scores are projections, T = X Z. If the loadings are not orthogonal, the best
        approximation of X by T Z' is attained by the regression scores, T = X Z (Z'Z)^-1, which are
        ``pca.transform(X) @ np.linalg.inv(pca.components_ @ pca.components_.T)``.
        `inverse_transform` and `score` take this into account.
        """
        check_is_fitted(self)
        X = self._samples(X)
        Z = self.components_.T / self.scale_[:, None]
        return X @ Z - self.mean_ @ Z

    def save(self, file: Any) -> None:
        """Write the fitted estimator to an .npz file, without pickle.

        The file contains the loadings, means, scales, feature names, settings and versions, and can
        be used as a model in `spcabench apply`. A random_state that is no number becomes None.

        Parameters
        ----------
        file : str or Path
            The file to write. An existing file is replaced.
        """
        check_is_fitted(self)
        n = self.n_features_in_
        names = getattr(self, "feature_names_in_", [str(j) for j in range(n)])
        arrays = {name: getattr(self, name) for name in (*KEPT, *OPTIONAL) if hasattr(self, name)}
        parameters = _plain(self.get_params(deep=False))
        if not isinstance(parameters["random_state"], int):
            parameters["random_state"] = None
        about = {
            "estimator": type(self).__name__,
            "named": hasattr(self, "feature_names_in_"),
            "parameters": parameters,
            "cardinality": _plain(self.cardinality_),
            "formulation": str(self.formulation_),
            "solver": self.solver_,
            "iterations": self.n_iter_,
        }
        Z = np.ascontiguousarray(self.components_.T)
        models.Model(Z, [str(v) for v in names], self.mean_, self.scale_, about, arrays).save(file)

    @classmethod
    def load(cls, file: Any) -> "SparsePCA":
        """Read a fitted estimator from a file written by `save`.

        Parameters
        ----------
        file : str or Path
            The file to read. No code in the file is executed.

        Returns
        -------
        SparsePCA
            The fitted estimator, without ``selection_``.

        Raises
        ------
        InputError
            If the file does not contain an estimator.
        """
        model = models.load(file)
        if model.about.get("estimator") != cls.__name__:
            raise InputError(
                f"{file}: not a model of {cls.__name__}; use `spcabench apply` for other models"
            )
        saved = files.as_type(model.about, _Saved, f"{file}: about")
        for name, values in {"mean": model.mean, **{n: model.arrays.get(n) for n in KEPT}}.items():
            if values is None:
                raise InputError(f"{file}: no {name}; use a file written by SparsePCA.save")
        try:
            fitted = cls(**saved.parameters)
        except TypeError as error:
            raise InputError(f"{file}: about: parameters: {error!s:.100}") from None
        if isinstance(fitted.random_state, Mapping):  # in models of version 0.3.0
            fitted.random_state = None
        fitted.formulation_ = saved.formulation
        fitted.cardinality_ = saved.cardinality
        if saved.solver is not None:  # models of earlier releases have neither
            fitted.solver_, fitted.n_iter_ = saved.solver, saved.iterations
        fitted.components_ = model.loadings.T
        fitted.__dict__.update(mean_=model.mean, scale_=model.scale)
        fitted.n_components_, fitted.n_features_in_ = fitted.components_.shape
        if saved.named:
            fitted.feature_names_in_ = np.array(model.variables, dtype=object)
        for name in (*KEPT, *OPTIONAL):
            if name in model.arrays:
                setattr(fitted, name, model.arrays[name])
        return fitted

    def inverse_transform(self, X: Any) -> Any:
        """Reconstruct samples from their scores.

        Many samples have the same scores. The sample returned lies in the span of the components,
        relative to the mean, and is therefore the closest to the mean.

        Parameters
        ----------
        X : array of shape (m, K)
            Scores, as returned by `transform`.

        Returns
        -------
        array of shape (m, n)
            Samples in the units of the data.
        """
        check_is_fitted(self)
        scores = np.asarray(validate.table("X", X)[0], dtype=np.float64)
        if scores.shape[1] != self.n_components_:
            raise InputError(
                f"X: shape {scores.shape}; scores must have shape (m, {self.n_components_})"
            )
        scaled = scores @ np.linalg.pinv(self.components_.T)
        return scaled * self.scale_ + self.mean_

    def score(self, X: Any, y: Any = None) -> float:
        """Return the fraction of the variance of X that lies in the span of the components.

        Parameters
        ----------
        X : array or sparse matrix of shape (m, n)
            Samples with the features used in `fit`. Their variance is computed about the fitted
            mean.
        y : ignored
            Present for compatibility with scikit-learn's model selection.

        Returns
        -------
        float
            The fraction, from 0 to 1.
        """
        scores = self.transform(X)
        X = self._samples(X)
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


def _number_of(cardinality: Any, n: int) -> int:
    """Convert a cardinality, possibly a fraction of the features, to a number of features."""
    if isinstance(cardinality, Integral):
        return validate.cardinality(cardinality, n, "cardinality")
    if isinstance(cardinality, str) or not 0.0 < validate.number("cardinality", cardinality) <= 1.0:
        raise InputError(
            f"cardinality: {cardinality!r}; it must be from 1 to n = {n}, a fraction above 0.0 and "
            "up to 1.0, or 'auto'"
        )
    return max(1, round(cardinality * n))
