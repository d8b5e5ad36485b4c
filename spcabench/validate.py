"""Checks of arguments. Errors state the argument, its value and the valid values in one line."""

from collections.abc import Mapping, Sequence, Set
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from spcabench import machine
from spcabench.errors import InputError, NotNumbersError, few, shown
from spcabench.vectors import Array, Vector

# objects that NumPy would convert to numbers
FOREIGN = (str, bytes, np.datetime64, np.timedelta64)
# rounding errors of a variance, as a fraction of the sum of all second moments
NOISE = 10.0 * float(np.finfo(np.float64).eps)
# by how much a variance can exceed the sum of variances if Sigma is nearly PSD, and the largest
# negative eigenvalue per variable that is accepted, both relative to the largest entry of Sigma
EXCESS, INDEFINITE = 5e-10, 1e-8


def whole(argument: str, value: Any, least: int, most: int | None = None) -> int:
    """Return the value as an int; raise InputError unless it is an integer in the range."""
    integer = isinstance(value, Integral) and not isinstance(value, bool | np.timedelta64)
    if not integer or value < least or (most is not None and value > most):
        valid = f"at least {least}" if most is None else f"from {least} to {most}"
        raise InputError(f"{argument}: {shown(value)}; it must be a whole number, {valid}")
    return int(value)


def cardinality(k: Any, n: int, argument: str = "k") -> int:
    """Return the cardinality k as an int; raise InputError unless 1 <= k <= n."""
    return whole(argument, k, 1, n)


def cardinalities(values: Sequence[int] | None, count: int, k: int) -> list[int]:
    """Return a list of ``count`` cardinalities: the values if specified, otherwise k.

    Raises InputError unless there are ``count`` values, all of which are integers from 1 to k.
    """
    listed = [k] * count if values is None else list(values)
    if len(listed) != count:
        raise InputError(f"cardinalities: {shown(listed)}; {count} numbers are needed")
    return [whole("cardinalities", each, 1, k) for each in listed]


def number(argument: str, value: Any, finite: bool = True) -> float:
    """Return the value as a float; raise InputError unless it is a nonnegative number."""
    real = isinstance(value, Real) and not isinstance(value, bool | np.timedelta64)
    if not real or not float(value) >= 0 or (finite and value == np.inf):
        raise InputError(f"{argument}: {shown(value)}; it must be a number, at least 0")
    return float(value)


def names(argument: str, values: Sequence[str] | None, count: int) -> tuple[str, ...] | None:
    """Return names as a tuple of ``count`` strings, or None; raise InputError otherwise."""
    if values is None:
        return None
    listed = several(argument, values)
    if len(listed) != count or not all(map(np.isscalar, listed)):
        raise InputError(f"{argument}: {shown(listed)}; it must consist of {count} names")
    return tuple(map(str, listed))


def switch(argument: str, value: Any) -> bool:
    """Return the value as a bool; raise InputError unless it is a boolean."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{argument}: {shown(value)}; it must be True or False")
    return bool(value)


def several(argument: str, values: Any) -> list[Any]:
    """Return a sequence as a list; raise InputError if it is empty or not a sequence."""
    try:
        # sets are rejected, because the order of their elements is arbitrary
        if isinstance(values, str | bytes | Mapping | Set):
            raise TypeError
        listed = list(values)
    except (TypeError, MemoryError):
        raise InputError(
            f"{argument}: {shown(values)}; it must be a sequence, such as a list"
        ) from None
    if not listed:
        raise InputError(f"{argument}: empty; it must have at least one entry")
    return listed


def loading(argument: str, x: Any, n: int) -> Vector:
    """Return a vector of shape (n,); raise InputError unless it is finite and nonzero."""
    x = np.array(_array(argument, x))
    if x.shape != (n,) or not np.isfinite(x).all() or not x.any():
        raise InputError(
            f"{argument}: {shown(x)}; it must be a finite nonzero vector of shape ({n},)"
        )
    return x.astype(np.float64)


def has_variance(argument: str, variances: Vector) -> None:
    """Raise InputError if all variances are zero."""
    if not (variances > 0).any():
        raise InputError(f"{argument}: every variable is constant; at least one must vary")


def magnitude(argument: str, M: Any, power: int) -> None:
    """Raise InputError unless the largest entry is between 10^-power and 10^power.

    Computing a bound squares the entries of Sigma, which are themselves quadratic in the data. If
    entries are larger, these squares overflow. If they are smaller, the squares underflow, and the
    bound would be below the variance.
    """
    entries = M.data if sp.issparse(M) else M
    # the largest absolute value, without creating an array of absolute values
    largest = max(float(entries.max(initial=0)), -float(entries.min(initial=0)))
    if largest > 0.0 and not 10.0**-power <= largest <= 10.0**power:
        raise InputError(
            f"{argument}: the largest entry is {largest:.3g}; it must be from 1e-{power} to "
            f"1e{power}; multiply all entries by a constant, which does not change components"
        )


def data(X: Any) -> tuple[Any, Sequence[str] | None]:
    """Return X as a finite real matrix (m, n), and its column names or None; see `table`."""
    X, columns = table("X", X)
    if X.shape[0] < 2:
        raise InputError("X: 1 sample; at least two samples (rows) are needed")
    magnitude("X", X, 60)
    return X, columns


def table(argument: str, M: Any) -> tuple[Any, Sequence[str] | None]:
    """Return a finite real matrix as an array or a float64 csc_array, and its column names or None.

    All matrices of the user pass through this function: those of a problem when it is made, and new
    samples for an estimator. The words of two errors are those of scikit-learn's conventions.
    """
    columns = [str(name) for name in getattr(M, "columns", ())] or None
    M = sparse(argument, M) if sp.issparse(M) else _array(argument, M)
    if M.ndim != 2:
        raise InputError(
            f"{argument}: shape {tuple(M.shape)}; it must be a matrix. Reshape your data, for "
            "example with X.reshape(-1, 1)"
        )
    if 0 in M.shape:
        raise InputError(
            f"{argument}: 0 {'sample' if M.shape[1] else 'feature'}(s) (shape={tuple(M.shape)}) "
            "while a minimum of 1 is required."
        )
    finite(argument, M, columns)
    return M, columns


def _array(argument: str, M: Any) -> Any:
    """Return an array of real numbers; raise InputError for anything else."""
    if np.ma.isMaskedArray(M):
        if np.ma.is_masked(M):
            raise InputError(f"{argument}: masked entries; fill them in, or drop their rows")
        M = M.data
    try:
        A = np.asarray(M)
        if A.dtype == object:
            if any(issubclass(kind, FOREIGN) for kind in set(map(type, A.flat))):
                raise TypeError("texts or dates")
            A = A.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        reason = _reason(M) or str(error)
        wrong = NotNumbersError if isinstance(error, TypeError) else InputError
        raise wrong(f"{argument}: not a matrix of numbers ({reason:.180})") from error
    if A.dtype.kind not in "biuf":  # dates would be read as integers
        kind = "Complex data not supported" if A.dtype.kind == "c" else f"entries of type {A.dtype}"
        raise InputError(f"{argument}: {kind}; they must be real numbers")
    affordable(argument, A.shape, 9.0 * A.size)  # for a copy and a mask of the finite entries
    return A


def _reason(M: Any) -> str:
    """Return which columns of a data frame contain something that is not a number."""
    if getattr(M, "ndim", 0) != 2 or not hasattr(M, "items"):
        return ""
    # pandas.NA cannot be converted
    wrong = [str(name) for name, c in M.items() if not all(isinstance(v, Real) for v in c)]
    return f"texts, dates or missing values in {few(wrong)}"


def sparse(argument: str, M: Any) -> sp.csc_array:
    """Return a real sparse matrix as a float64 csc_array without duplicates.

    Raises InputError if the matrix is damaged, because SciPy would read and write out of bounds, or
    if it needs more memory than is free, because a column needs memory even if it is empty.
    """
    affordable(argument, M.shape, 100.0 * M.shape[-1] + 16.0 * M.shape[0])
    try:
        if M.dtype.kind not in "biufO":
            raise TypeError(f"entries of type {M.dtype}")
        if hasattr(M, "indptr"):
            # SciPy does not check whether indptr decreases if its last number is 0
            kinds = {M.indices.dtype.kind, M.indptr.dtype.kind}
            if kinds - {*"iu"} or (np.diff(M.indptr) < 0).any():
                raise ValueError("indices must be whole numbers, and indptr must increase")
            M = type(M)((M.data, M.indices, M.indptr), shape=M.shape)
            M.check_format()
        else:
            M = M.tocoo()
            M = sp.coo_array((M.data, M.coords), shape=M.shape)  # checks the indices
        # converted first, because sums of small integer types would overflow
        M = sp.csc_array(M.astype(np.float64, copy=False))
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise InputError(f"{argument}: not a sparse matrix of numbers ({error!s:.100})") from None
    if not M.has_canonical_format:
        M = M.copy()
        M.sum_duplicates()
    if M.indices.dtype != np.int32 and max(M.nnz, *M.shape) <= np.iinfo(np.int32).max:
        # products with 32-bit indices are faster
        short = (M.indices.astype(np.int32), M.indptr.astype(np.int32))
        M = sp.csc_array((M.data, *short), shape=M.shape)
    return M


def affordable(argument: str, shape: Sequence[int], needed: float) -> None:
    """Raise InputError if a matrix of this shape needs more bytes than are free.

    The shape of an array can be larger than its memory suggests (`numpy.broadcast_to`), as can the
    shape of a sparse matrix.
    """
    if needed > (free := machine.free_memory()):
        raise InputError(
            f"{argument}: shape {tuple(map(int, shape))} needs {machine.readable(needed)}; only "
            f"{machine.readable(free)} are free"
        )


def finite(argument: str, M: Any, columns: Sequence[str] | None = None) -> None:
    """Raise InputError if a matrix has NaN or infinite entries; the error names the first position.

    columns : names of the columns. Without names, columns are numbered from 1.
    """
    wrong = ~np.isfinite(M.data if sp.issparse(M) else M)
    if not wrong.any():
        return
    if sp.issparse(M):
        first = np.argmax(wrong)
        i, j = int(M.indices[first]), int(np.searchsorted(M.indptr, first, side="right")) - 1
    else:
        i, j = np.argwhere(wrong)[0]
    raise InputError(
        f"{argument}: {int(wrong.sum()):,} NaN or infinite entries, the first in row {i + 1}, "
        f"column {repr(columns[j]) if columns else j + 1}; all entries must be finite"
    )


def covariance(Sigma: Any) -> tuple[Array, Sequence[str] | None, float]:
    """Return Sigma as an exactly symmetric array (n, n), and its column names or None.

    The last value is the smallest eigenvalue of Sigma, or 0 if Sigma is PSD up to rounding.
    """
    rows = [*getattr(Sigma, "index", ())] if hasattr(Sigma, "columns") else []
    Sigma, columns = table("Sigma", Sigma)
    if Sigma.shape[0] != Sigma.shape[1]:
        raise InputError(f"Sigma: shape {tuple(Sigma.shape)}; it must be square, (n, n)")
    if rows != [*range(len(rows))] and [str(row) for row in rows] != columns:
        raise InputError("Sigma: rows and columns must have the same names in the same order")
    # for a copy, the transpose and the factorisation
    affordable("Sigma", Sigma.shape, 24.0 * Sigma.shape[0] ** 2)
    S = Sigma.toarray() if sp.issparse(Sigma) else np.array(Sigma, dtype=np.float64, order="C")
    has_variance("Sigma", np.abs(S).max(axis=0))
    top = np.abs(S).max()
    if (skew := np.abs(S - S.T).max()) > 1e-8 * top:
        raise InputError(
            f"Sigma: not symmetric, entries differ by up to {skew:.3g}; use (Sigma + Sigma')/2"
        )
    S = (S + S.T) / 2
    magnitude("Sigma", S, 120)
    smallest = _smallest_eigenvalue(S, min(NOISE * S.trace(), EXCESS * top / len(S)))
    if smallest < -INDEFINITE * top * len(S):
        raise InputError(
            f"Sigma: indefinite (smallest eigenvalue {smallest:.3g}); it must be positive "
            "semidefinite"
        )
    return S, columns, smallest


def _smallest_eigenvalue(S: Array, tolerance: float) -> float:
    """Return the smallest eigenvalue of S, or 0 if it is above -tolerance."""
    try:  # much faster than computing eigenvalues, but it can also fail because of rounding errors
        scipy.linalg.cholesky(S + tolerance * np.eye(len(S)), check_finite=False, overwrite_a=True)
    except scipy.linalg.LinAlgError:
        return float(np.linalg.eigvalsh(S)[0])
    return 0.0
