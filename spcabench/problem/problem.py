"""A sparse-PCA problem: data A (m, n) or a covariance Sigma (n, n), with names and provenance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from spcabench import validate
from spcabench.errors import InputError
from spcabench.flops import uncharged
from spcabench.problem.covariance import Covariance, Gram
from spcabench.problem.data import Data
from spcabench.vectors import Array, Vector, support

Form = Literal["covariance", "data", "sparse"]
MOST_BYTES = 8e9  # a conversion that would need more is refused
LARGEST_ROOT = 5000  # order of the largest covariance that is factorised into data


@dataclass(frozen=True, eq=False)
class Problem:
    """Maximise x'Sigma x over unit vectors x (n,) with at most k nonzeros.

    matrix : `Covariance`, `Data` or, after a deflation that has no data form, `Gram`.
    features : names of the n variables, or None; ``labels`` : classes of the m samples, or None.
    provenance : where the numbers come from; ``stand_in`` in it is true for a stand-in of real
        data.
    indefinite : Sigma may have negative eigenvalues (after Hotelling's deflation).
    """

    name: str
    matrix: Covariance | Data | Gram
    features: Sequence[str] | None = None
    labels: Sequence[str] | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    indefinite: bool = False
    _cache: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_covariance(
        cls,
        Sigma: Any,
        name: str = "unnamed",
        *,
        features: Sequence[str] | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> Problem:
        """A problem given by its covariance (or correlation) matrix.

        Sigma : (n, n), symmetric and positive semidefinite up to rounding; copied.

        Raises ValueError for a wrong shape, NaN or infinite entries, a clearly asymmetric or
        indefinite matrix, or one without any variance.
        """
        S, names = validate.covariance(Sigma)
        return cls(
            name,
            Covariance(S),
            validate.names("features", features or names, len(S)),
            None,
            provenance or {},
        )

    @classmethod
    def from_data(
        cls,
        X: Any,
        name: str = "unnamed",
        *,
        center: bool = True,
        scale: bool = False,
        divide_by_m: bool = False,
        features: Sequence[str] | None = None,
        labels: Sequence[str] | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> Problem:
        """A problem given by data: Sigma = A'A with A the centred (scaled) X; Sigma is never
        formed.

        X : (m, n), m samples of n features; an array, a data frame or any scipy.sparse matrix. A
            sparse X is centred implicitly and stays sparse; a dense one is copied once, and the
            copy centred.
        center : subtract the mean of each feature.
        scale : divide each feature by its standard deviation (1/m); features without variance stay
            zero.
        divide_by_m : Sigma = A'A / m, the covariance, in place of A'A.

        Raises ValueError for a wrong shape, NaN or infinite entries, or data without any variance.
        Warns where the means of sparse data are so large that implicit centring loses half of the
        digits.
        """
        X, names = validate.data(X)
        features = validate.names("features", features or names, X.shape[1])
        labels = validate.names("labels", labels, X.shape[0])
        A = (_sparse_data if sp.issparse(X) else _dense_data)(X, center, scale, divide_by_m)
        with uncharged():
            validate.has_variance("X", A.squared_norms())
        return cls(name, A, features, labels, provenance or {})

    @property
    def form(self) -> Form:
        """How the problem is given: "covariance", "data" (dense) or "sparse"."""
        if not isinstance(self.matrix, Data):
            return "covariance" if isinstance(self.matrix, Covariance) else self._gram_form
        return "sparse" if self.matrix.sparse else "data"

    @property
    def _gram_form(self) -> Form:
        assert isinstance(self.matrix, Gram)
        return "sparse" if self.matrix.A.sparse else "data"

    @property
    def n(self) -> int:
        """Number of variables."""
        return self.matrix.shape[1] if isinstance(self.matrix, Data) else self.matrix.n

    @property
    def m(self) -> int | None:
        """Number of samples; None for a covariance."""
        if isinstance(self.matrix, Covariance):
            return None
        return (self.matrix if isinstance(self.matrix, Data) else self.matrix.A).shape[0]

    @property
    def nnz(self) -> int:
        """Stored entries of the matrix."""
        if isinstance(self.matrix, Covariance):
            return self.matrix.n**2
        return (self.matrix if isinstance(self.matrix, Data) else self.matrix.A).stored

    @property
    def covariance(self) -> Covariance | Gram:
        """Sigma (n, n) as the problem has it: an array, or A'A unformed."""
        return Gram(self.matrix) if isinstance(self.matrix, Data) else self.matrix

    @property
    def data(self) -> Data:
        """A (m, n). Raises ValueError where the problem has none: see `given_as`."""
        if not isinstance(self.matrix, Data):
            raise InputError(
                f"problem {self.name!r} is given without data: use problem.given_as('data')"
            )
        return self.matrix

    @property
    def stand_in(self) -> bool:
        """Whether the numbers stand in for real data."""
        return bool(self.provenance.get("stand_in", False))

    def variance(self, x: Vector) -> float:
        """x'Sigma x, never charged."""
        with uncharged():
            if isinstance(self.matrix, Data):
                p = self.matrix @ x
                return float(p @ p)
            W = support(x)
            return float(x[W] @ (self.matrix @ x)[W])

    def given_as(self, form: Form) -> Problem:
        """The same problem in another form; its making is not charged, and is done once.

        Raises ValueError for an unknown form, one too large to be made, or data asked of a deflated
        covariance that has none.
        """
        if form not in ("covariance", "data", "sparse"):
            raise InputError(f"form: {form!r} is none of 'covariance', 'data', 'sparse'")
        if form == self.form and not (form == "data" and isinstance(self.matrix, Gram)):
            return self
        return self.cached(form, lambda: replace(self, matrix=_converted(self, form), _cache={}))

    def cached(self, key: str, make: Callable[[], Any]) -> Any:
        """What ``make`` gives, made once per problem and never charged."""
        if key not in self._cache:
            with uncharged():
                self._cache[key] = make()
        return self._cache[key]


def _dense_data(X: Any, center: bool, scale: bool, divide_by_m: bool) -> Data:
    A = np.array(X, dtype=np.float64, order="F")
    m = A.shape[0]
    if center:
        constant = A.max(axis=0) == A.min(axis=0)
        A -= A.mean(axis=0)
        A[:, constant] = 0.0
    if scale:
        A *= validate.inverse(np.sqrt(np.einsum("ij,ij->j", A, A) / m))
    if divide_by_m:
        A /= np.sqrt(m)
    return Data(A)


def _sparse_data(X: Any, center: bool, scale: bool, divide_by_m: bool) -> Data:
    m, n = X.shape
    A = Data(X)
    factors = np.ones(n)
    if scale:
        centred = _centred(A, np.ones(n)) if center else A
        factors = validate.inverse(np.sqrt(centred._squares / m))
    if divide_by_m:
        factors = factors / np.sqrt(m)
    scaled = Data(X, None if not (scale or divide_by_m) else factors)
    if not center:
        return scaled
    centred = _centred(scaled, factors)
    validate.precision_left(X, scaled._squares, centred._squares)
    return centred


def _centred(A: Data, factors: Vector) -> Data:
    m = A.shape[0]
    mean = np.asarray(A.X.sum(axis=0)).ravel() / m * factors
    return Data(A.X, A.scale, np.ones((m, 1)), mean[:, None])


def _converted(problem: Problem, form: Form) -> Covariance | Data:
    matrix, n = problem.matrix, problem.n
    rows = n if problem.m is None or form == "covariance" else problem.m
    if 8.0 * rows * n > MOST_BYTES:
        raise InputError(
            f"problem {problem.name!r} as {form!r} would need {8e-9 * rows * n:.0f} GB: too large"
        )
    if form == "covariance":
        rows_of = problem.covariance[np.arange(n)]
        return Covariance((rows_of.B + rows_of.B.T) / 2)
    A = matrix.dense() if isinstance(matrix, Data) else _root(problem)
    return Data(sp.csc_array(A) if form == "sparse" else np.asfortranarray(A))


def _root(problem: Problem) -> Array:
    """A (r, n) with A'A = Sigma, from the eigendecomposition; rows of negligible weight are left
    out.
    """
    if problem.n > LARGEST_ROOT:
        raise InputError(
            f"problem {problem.name!r}: {problem.n} variables; data are made of a covariance of "
            f"up to {LARGEST_ROOT}. "
            "Deflate by projection or schur, or choose a solver that works on a covariance"
        )
    w, V = scipy.linalg.eigh(problem.given_as("covariance").matrix.S)  # type: ignore[union-attr]
    if w[0] < -1e-8 * max(w[-1], 0.0):
        raise InputError(
            f"problem {problem.name!r} is indefinite (smallest eigenvalue {w[0]:.3g}) and has no "
            "data form"
        )
    kept = w > len(w) * np.finfo(float).eps * w[-1]
    return np.sqrt(w[kept])[:, None] * V[:, kept].T
