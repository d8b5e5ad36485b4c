"""A sparse-PCA problem: data A (m, n) or a covariance Sigma (n, n), with names and provenance."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from spcabench import files, validate
from spcabench.errors import InputError, shown
from spcabench.flops import conversion, uncharged
from spcabench.problem.covariance import Covariance, Gram
from spcabench.problem.data import Data
from spcabench.vectors import Array, Vector, support

Form = Literal["covariance", "data", "sparse"]
Divisor = Literal["1", "m", "m - 1"]
MOST_BYTES = 8e9  # conversions to larger matrices are rejected
LARGEST_ROOT = 5000  # order of the largest covariance that is factorised into data
SPARSE = 20  # time per stored entry of a sparse matrix in a product, relative to a dense array

SHOWN = 6  # maximum number of variables that are listed when a problem is printed


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """Maximise x'Sigma x over unit vectors x (n,) with at most k nonzeros.

    Create a problem with `Problem.from_data` or `Problem.from_covariance`, or load one by name with
    `spcabench.load`. Problems are immutable: deflation and `given_as` return new problems.

    Attributes
    ----------
    name : str
        Name of the problem, as shown in results and on pages.
    matrix : Covariance | Data | Gram
        The matrix used for products: a covariance, data, or a deflated A'A that cannot be written
        as the Gram matrix of data.
    features : sequence of str, or None
        Names of the n variables.
    labels : sequence of str, or None
        Class labels of the m samples.
    provenance : mapping
        Origin of the data. The entry "stand_in" is true if substitute data replace the real data.
    indefinite : bool
        Whether Sigma can have negative eigenvalues, for example after Hotelling's deflation.
    divisor : int
        Divisor of A'A of the centred data: 1, m or m - 1.
    mean, scale : array of shape (n,), or None
        The mean that was subtracted from each variable of the data, and the number by which the
        variable was then divided; None for a covariance. Both are 0 and 1 if unused.
    noise : float
        Absolute error of a variance by rounding, which all bounds include. It is relative to the
        data before centring and deflation, because both can cancel most digits.

    Notes
    -----
    All arrays of a problem are read-only, so a solver that changes one by mistake gets an error. No
    array is shared with the user: changes that are made to X or Sigma later have no effect.
    """

    name: str
    matrix: Covariance | Data | Gram
    features: Sequence[str] | None = None
    labels: Sequence[str] | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    indefinite: bool = False
    divisor: int = 1
    mean: Vector | None = None
    scale: Vector | None = None
    noise: float = 0.0
    _cache: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        self.matrix.protect()

    def __repr__(self) -> str:
        size = f"n = {self.n}" if self.m is None else f"m = {self.m}, n = {self.n}"
        names = [str(name) for name in self.features or ()]
        shown = f"; {', '.join(names[:SHOWN])}{', ...' if self.n > SHOWN else ''}" if names else ""
        stand_in = ", stand-in data" if self.stand_in else ""
        form = f"{self.form}{self._divided}{stand_in}"
        return files.plain(f"Problem({self.name}: {size}, {form}{shown})")

    @property
    def _divided(self) -> str:
        """The divisor of the variances in words; empty for a covariance."""
        if self.m is None:
            return ""
        words = {self.m - 1: "m - 1", self.m: "m", 1: "1"}
        return f", divisor {words.get(self.divisor, self.divisor)}"

    @classmethod
    def from_covariance(
        cls,
        Sigma: Any,
        name: str = "unnamed",
        *,
        features: Sequence[str] | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> Problem:
        """Create a problem from its covariance (or correlation) matrix.

        Parameters
        ----------
        Sigma : array, data frame or sparse matrix of shape (n, n)
            Covariance matrix, symmetric and positive semidefinite up to rounding. It is copied.
        name : str
            Name of the problem.
        features : sequence of str, optional
            Names of the n variables. The default is the column names of a data frame.
        provenance : mapping, optional
            Origin of the data.

        Returns
        -------
        Problem
            A problem in the form "covariance".

        Raises
        ------
        InputError
            If the matrix has the wrong shape, contains NaN or infinite entries, has no variance, or
            is clearly asymmetric or indefinite. InputError is a subclass of ValueError.
        """
        S, names, smallest = validate.covariance(Sigma)
        # A negative eigenvalue lets a component of k variables have more variance than these
        # variables in total, by at most k times its absolute value. If Sigma is not called
        # indefinite, this is at most ``excess``. A deflation can remove almost all variance, but
        # leaves small negative eigenvalues unchanged.
        excess = validate.EXCESS * float(np.abs(S).max())
        noise = validate.NOISE * float(S.trace())
        return cls(
            name,
            Covariance(S),
            validate.names("features", names if features is None else features, len(S)),
            None,
            dict(provenance or {}),
            indefinite=smallest < -excess / len(S),
            noise=noise + excess if smallest < -noise else noise,
        )

    @classmethod
    def from_data(
        cls,
        X: Any,
        name: str = "unnamed",
        *,
        center: bool = True,
        scale: bool = False,
        divisor: Divisor = "m - 1",
        features: Sequence[str] | None = None,
        labels: Sequence[str] | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> Problem:
        """Create a problem from data: Sigma = A'A, where A is X, centred and optionally scaled.

        Sigma itself is not formed. A sparse X is centred implicitly and remains sparse. X is copied
        once.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (m, n)
            Data with m samples of n features.
        name : str
            Name of the problem.
        center : bool
            Whether to subtract the mean of each feature.
        scale : bool
            Whether to divide each feature by its standard deviation (with the divisor m). A feature
            that is constant up to rounding is set to zero.
        divisor : {"m - 1", "m", "1"}
            Divisor of A'A. With "m - 1", Sigma is the sample covariance, as everywhere else for
            the user's data. With "m", Sigma is A'A / m. With "1", Sigma is A'A, as in most papers.
        features : sequence of str, optional
            Names of the n features. The default is the column names of a data frame.
        labels : sequence of str, optional
            Class labels of the m samples.
        provenance : mapping, optional
            Origin of the data.

        Returns
        -------
        Problem
            A problem in the form "data" or "sparse".

        Raises
        ------
        InputError
            If the data have the wrong shape, contain NaN or infinite entries, or have no variance.

        Warns
        -----
        RuntimeWarning
            If the means of sparse data are so large that implicit centring loses half the digits.
        """
        validate.switch("center", center)
        validate.switch("scale", scale)
        given = X
        X, names = validate.data(X)
        features = validate.names("features", names if features is None else features, X.shape[1])
        labels = validate.names("labels", labels, X.shape[0])
        number = _divisor(divisor, X.shape[0])
        if sp.issparse(X):
            made = _sparse_data(_unshared(X, given), center, scale, number)
        else:
            made = _dense_data(X, center, scale, number)
        with conversion():
            validate.has_variance("X", made.A.squared_norms())
        about = dict(provenance or {})
        noise = validate.NOISE * made.moments
        return cls(
            name, made.A, features, labels, about, False, number, made.mean, made.scale, noise
        )

    @property
    def form(self) -> Form:
        """Form of the problem: "covariance", "data" (dense) or "sparse"."""
        A = self._A
        return "covariance" if A is None else "sparse" if A.sparse else "data"

    @property
    def _A(self) -> Data | None:
        """The data from which the matrix is computed, or None for a covariance."""
        if isinstance(self.matrix, Covariance):
            return None
        return self.matrix if isinstance(self.matrix, Data) else self.matrix.A

    @property
    def n(self) -> int:
        """Number of variables."""
        return self.matrix.shape[1] if isinstance(self.matrix, Data) else self.matrix.n

    @property
    def m(self) -> int | None:
        """Number of samples; None for a covariance."""
        return None if self._A is None else self._A.shape[0]

    @property
    def nnz(self) -> int:
        """Number of stored entries of the matrix."""
        return self.n**2 if self._A is None else self._A.stored

    @property
    def product_cost(self) -> int:
        """Estimated time of a product with the matrix, relative to one entry of a dense array."""
        return self.nnz * (SPARSE if self.form == "sparse" else 1)

    @property
    def covariance(self) -> Covariance | Gram:
        """Sigma (n, n) for products, as an array or as A'A without forming it."""
        return Gram(self.matrix) if isinstance(self.matrix, Data) else self.matrix

    @property
    def data(self) -> Data:
        """A (m, n) for products; raises InputError if the problem has no data (see `given_as`)."""
        if not isinstance(self.matrix, Data):
            raise InputError(f"problem {self.name!r} has no data; use problem.given_as('data')")
        return self.matrix

    @property
    def stand_in(self) -> bool:
        """Whether substitute data replace the real data."""
        return bool(self.provenance.get("stand_in", False))

    def variance(self, x: Vector) -> float:
        """Return x'Sigma x for x of shape (n,). A solver is charged for the product."""
        x = np.asarray(x)
        with uncharged():
            if isinstance(self.matrix, Data):
                p = self.matrix @ x
                return float(p @ p)
            W = support(x)
            return float(x[W] @ (self.matrix @ x)[W])

    def copied(self) -> Problem:
        """Return the problem with the same arrays, without values that were computed from them.

        Its other forms, which are not charged, are kept, so a run on the copy computes everything
        that a first run would compute.
        """
        forms = {form: self._cache[form] for form in get_args(Form) if form in self._cache}
        kept = {form: problem.copied() for form, problem in forms.items()}
        return replace(self, matrix=self.matrix.copied(), _cache=kept)

    def given_as(self, form: Form) -> Problem:
        """Return the same problem in another form.

        The problem is converted only once, and solvers are not charged for the conversion.

        Parameters
        ----------
        form : str
            "covariance", "data" or "sparse".

        Returns
        -------
        Problem
            The converted problem, or the problem itself if it already has the requested form.

        Raises
        ------
        InputError
            If the form is unknown, if the matrix would need more than 8 GB, or if data are
            requested for an indefinite covariance, for which no data exist.
        """
        if form not in ("covariance", "data", "sparse"):
            raise InputError(f"form: {shown(form)}; choose 'covariance', 'data' or 'sparse'")
        if form == self.form and not (form == "data" and isinstance(self.matrix, Gram)):
            return self
        return cached(self, form, lambda: replace(self, matrix=_converted(self, form), _cache={}))


def cached(problem: Problem, key: str, make: Callable[[], Any]) -> Any:
    """Return the result of ``make()``, which is called once per problem and key, uncharged."""
    if key not in problem._cache:
        with conversion():
            problem._cache[key] = make()
    return problem._cache[key]


def _divisor(divisor: Any, m: int) -> int:
    """Return the divisor of A'A as a number."""
    if divisor not in get_args(Divisor):
        raise InputError(f"divisor: {shown(divisor)}; choose '1', 'm' or 'm - 1'")
    return {"1": 1, "m": m, "m - 1": m - 1}[divisor]


class _Made(NamedTuple):
    """Prepared data A, their means and scales (n,), and the sum of the uncentred second moments."""

    A: Data
    mean: Vector
    scale: Vector
    moments: float


def _dense_data(X: Any, center: bool, scale: bool, divisor: int) -> _Made:
    # Implicit centring would need as much memory as this copy and suffer from cancellation.
    A = np.array(X, dtype=np.float64, order="F")
    m, n = A.shape
    mean, factors = np.zeros(n), np.ones(n)
    if center:
        mean = A.mean(axis=0)
        A -= mean
    if center or scale:
        variances = np.einsum("ij,ij->j", A, A) / m
        # The computed mean of a constant column contains a rounding error. Centring would leave
        # this error in the column, and scaling would inflate it to a variance of one.
        constant = _constant(variances, mean, m)
        A[:, constant] = 0.0
        factors = _scales(variances, constant) if scale else factors
        A *= 1.0 / factors
    if divisor != 1:
        A /= np.sqrt(divisor)
    return _Made(Data(A), mean, factors, float(np.einsum("ij,ij->", A, A)))


def _sparse_data(X: Any, center: bool, scale: bool, divisor: int) -> _Made:
    m, n = X.shape
    mean = np.asarray(X.sum(axis=0)).ravel() / m if center else np.zeros(n)
    variances = _sparse_variances(X, mean)
    constant = _constant(variances, mean, m)
    factors = _scales(variances, constant) if scale else np.ones(n)
    # centring would leave rounding errors in a constant column that is not empty
    weights = np.where(constant & (mean != 0.0), 0.0, 1.0 / factors) / np.sqrt(divisor)
    scaled = Data(X, weights if (weights != 1.0).any() else None)
    A = scaled
    if center:
        A = Data(X, scaled.scale, np.ones((m, 1)), (mean * weights)[:, None])
        _check_precision(X, scaled._squares, A._squares)
    return _Made(A, mean, factors, float(scaled._squares.sum()))


def _sparse_variances(X: Any, mean: Vector) -> Vector:
    """Return the mean squared deviation of each column (n,) from ``mean``, in two passes."""
    m, n = X.shape
    stored = np.diff(X.indptr)
    column = np.repeat(np.arange(n), stored)
    deviations = (X.data - mean[column]) ** 2
    return (np.bincount(column, deviations, n) + (m - stored) * mean**2) / m


def _constant(variances: Vector, means: Vector, m: int) -> Any:
    """Return which columns (n,) of m samples are constant up to rounding, by scikit-learn's rule.

    The rule bounds the rounding errors of a variance that is computed in two passes. A column that
    varies less would consist of rounding errors, and scaling would inflate them to a variance of 1.
    """
    eps = np.finfo(np.float64).eps
    return variances <= m * eps * variances + (m * means * eps) ** 2


def _check_precision(X: Any, raw: Vector, centred: Vector) -> None:
    """Warn if implicit centring cancels most digits of a column.

    ``raw`` and ``centred`` are the squared norms of the columns (n,) before and after centring.
    """
    suspects = X[:, centred < 1e-9 * raw]
    lost = (suspects.max(axis=0) != suspects.min(axis=0)).nnz if suspects.shape[1] else 0
    if lost:
        warnings.warn(
            f"X: {lost} sparse columns have means far above their deviations, so implicit centring "
            "loses precision; subtract a constant from their entries, or use a dense X",
            RuntimeWarning,
            stacklevel=4,
        )


def _scales(variances: Vector, constant: Any) -> Vector:
    """Return the standard deviations (n,), and 1 for constant columns."""
    return np.where(constant, 1.0, np.sqrt(variances))


def _unshared(X: sp.csc_array, given: Any) -> sp.csc_array:
    """Return a sparse matrix that shares no memory with the matrix that the user handed in."""
    parts = [getattr(given, name, None) for name in ("data", "indices", "indptr", "row", "col")]
    theirs = [part for part in parts if isinstance(part, np.ndarray)]
    mine = (X.data, X.indices, X.indptr)
    shared = any(np.may_share_memory(a, b) for a in mine for b in theirs)
    return X.copy() if shared else X


def _converted(problem: Problem, form: Form) -> Covariance | Data:
    matrix, n = problem.matrix, problem.n
    rows = n if problem.m is None or form == "covariance" else problem.m
    if 8.0 * rows * n > MOST_BYTES:
        raise InputError(
            f"problem {problem.name!r}: too large for form {form!r}, which would need "
            f"{8e-9 * rows * n:.0f} GB"
        )
    if form == "covariance":
        rows_of = problem.covariance[np.arange(n)]
        return Covariance((rows_of.B + rows_of.B.T) / 2)
    A = matrix.dense() if isinstance(matrix, Data) else _root(problem)
    return Data(sp.csc_array(A) if form == "sparse" else np.asfortranarray(A))


def _root(problem: Problem) -> Array:
    """Return A (r, n) with A'A = Sigma, computed from the nonnegligible eigenpairs of Sigma."""
    if problem.n > LARGEST_ROOT:
        raise InputError(
            f"problem {problem.name!r}: {problem.n} variables; only covariances of at most "
            f"{LARGEST_ROOT} are converted to data. Use projection or schur deflation, or choose a "
            "solver that accepts a covariance"
        )
    w, V = scipy.linalg.eigh(problem.given_as("covariance").matrix.S)  # type: ignore[union-attr]
    if w[0] < -1e-8 * max(w[-1], 0.0):
        raise InputError(
            f"problem {problem.name!r}: no data exist for an indefinite covariance (smallest "
            f"eigenvalue {w[0]:.3g})"
        )
    positive = w > len(w) * np.finfo(float).eps * w[-1]
    return np.sqrt(w[positive])[:, None] * V[:, positive].T
