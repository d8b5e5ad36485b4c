"""Checks of arguments. Errors state the argument, its value and the valid values in one line."""

import difflib
import math
import warnings
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import accumulate, chain, islice
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from spcabench import machine
from spcabench.errors import InputError
from spcabench.vectors import Array, Vector

LISTED = 75  # maximum length of a list of known names in errors, in characters
LONGEST = 10**6  # maximum length of a sequence that is passed as an argument
# rounding errors of a variance, as a fraction of the sum of all second moments
NOISE = 10.0 * float(np.finfo(np.float64).eps)
SMALL = 10**7  # matrices with at most this number of entries are always affordable


def nearest(kind: str, name: str, names: Iterable[str], owner: str = "") -> str:
    """Return an error message that rejects an unknown name and suggests the most similar one.

    owner : the object, such as a solver, that does not have an element with this name.
    """
    names = sorted(names)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    unknown = f"{owner} has no {kind} {shown(name)}" if owner else f"unknown {kind} {shown(name)}"
    if close:
        return f"{unknown}; did you mean {close[0]!r}?"
    return f"{unknown}; choose from {_listed(names)}" if names else f"{unknown}; none exist"


def _listed(names: list[str]) -> str:
    """List names in at most `LISTED` characters, and count the remaining ones."""
    ends = accumulate(len(name) + 2 for name in names)
    count = sum(end <= LISTED for end in ends)
    others = f" and {len(names) - count} more" if count < len(names) else ""
    return ", ".join(names[:count]) + others


def shown(value: Any) -> str:
    """Return a short representation of a value on one line."""
    return f"{' '.join(repr(value).split()):.60}"


def whole(argument: str, value: Any, least: int) -> int:
    """Return the value as an int; raise InputError unless it is an integer >= ``least``."""
    if isinstance(value, bool) or not _is_whole(value) or int(value) < least:
        raise InputError(f"{argument}: {shown(value)}; it must be a whole number, at least {least}")
    return int(value)


def _is_whole(value: Any) -> bool:
    """Whether a value is an integer; timedeltas, which NumPy treats as integers, are not."""
    return isinstance(value, Integral) and not isinstance(value, np.timedelta64)


def provenance(origin: Any) -> Mapping[str, Any]:
    """Return the provenance of data; raise InputError unless it is a mapping with string keys."""
    if origin is None:
        return {}
    if not isinstance(origin, Mapping) or not all(isinstance(name, str) for name in origin):
        raise InputError(f"provenance: {shown(origin)}; it must be a dict with strings as keys")
    return dict(origin)


def number(argument: str, value: Any, finite: bool = True) -> float:
    """Return the value as a float; raise InputError unless it is a nonnegative number."""
    if (
        isinstance(value, bool | np.timedelta64)  # NumPy treats timedeltas as integers
        or not isinstance(value, Real)
        or not float(value) >= 0
        or (finite and value == np.inf)
    ):
        raise InputError(f"{argument}: {shown(value)}; it must be a number, at least 0")
    return float(value)


def cardinality(k: Any, n: int, argument: str = "k") -> int:
    """Return the cardinality k as an int; raise InputError unless 1 <= k <= n."""
    if isinstance(k, bool) or not _is_whole(k):
        raise InputError(f"{argument}: {shown(k)} is not a whole number from 1 to n = {n}")
    if not 1 <= int(k) <= n:
        raise InputError(f"{argument}: {k} is out of range; it must be from 1 to n = {n}")
    return int(k)


def cardinalities(values: Sequence[int] | None, count: int, k: int) -> list[int]:
    """Return a list of ``count`` cardinalities: the values if specified, otherwise k.

    Raises InputError unless there are ``count`` values, all of which are integers from 1 to k.
    """
    listed = [k] * count if values is None else list(values)
    fitting = all(isinstance(c, Integral) and 1 <= c <= k for c in listed)
    if len(listed) != count or not fitting:
        raise InputError(f"cardinalities: {listed}; must be {count} whole numbers, 1 to k = {k}")
    return [int(c) for c in listed]


def names(argument: str, values: Sequence[str] | None, count: int) -> tuple[str, ...] | None:
    """Return names as a tuple of ``count`` strings, or None; raise InputError otherwise."""
    if values is None:
        return None
    # sets are rejected, because the order of their elements is arbitrary
    if isinstance(values, str | bytes | set | frozenset) or not isinstance(values, Iterable):
        raise InputError(f"{argument}: {shown(values)}; must be a sequence of {count} names")
    listed = list(values)
    if len(listed) != count:
        raise InputError(f"{argument}: {len(listed)} names; {count} are needed")
    if not all(np.isscalar(v) for v in listed):
        raise InputError(f"{argument}: all names must be strings or numbers")
    return tuple(str(v) for v in listed)


def switch(argument: str, value: Any) -> bool:
    """Return the value as a bool; raise InputError unless it is a boolean."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{argument}: {shown(value)}; it must be True or False")
    return bool(value)


def several(argument: str, values: Any) -> list[Any]:
    """Return a sequence as a list; raise InputError if it is empty or not a sequence."""
    # sets are rejected, because the order of their elements is arbitrary
    if isinstance(values, str | bytes | Mapping | Set) or not isinstance(values, Iterable):
        raise InputError(f"{argument}: {shown(values)}; it must be a sequence, such as a list")
    listed = list(islice(values, LONGEST + 1))
    if len(listed) > LONGEST:
        raise InputError(f"{argument}: more than {LONGEST:,} entries")
    if not listed:
        raise InputError(f"{argument}: empty; at least one entry is needed")
    return listed


def loading(argument: str, x: Any, n: int) -> Vector:
    """Return a vector of shape (n,); raise InputError unless it is finite and nonzero."""
    try:
        x = np.asarray(x)
        x = np.array(x.astype(np.float64, casting="same_kind" if x.dtype != object else "unsafe"))
    except (TypeError, ValueError):
        raise InputError(f"{argument}: not a vector of real numbers of shape ({n},)") from None
    if x.shape != (n,):
        raise InputError(f"{argument}: shape {x.shape}; it must be ({n},)")
    if not np.isfinite(x).all() or not x.any():
        raise InputError(
            f"{argument}: has NaN or infinite entries, or only zeros; it must be finite and nonzero"
        )
    return x


def constant(variances: Vector, means: Vector, m: int) -> Any:
    """Return which columns (n,) of m samples are constant up to rounding, by scikit-learn's rule.

    The rule bounds the rounding errors of a variance that is computed in two passes. A column that
    varies less would consist of rounding errors, and scaling would inflate them to a variance of 1.
    """
    eps = np.finfo(np.float64).eps
    return variances <= m * eps * variances + (m * means * eps) ** 2


def has_variance(argument: str, variances: Vector) -> None:
    """Raise InputError if all variances are zero."""
    if not (variances > 0).any():
        raise InputError(f"{argument}: every variable is constant; at least one must vary")


def scale(argument: str, largest: float, power: int) -> None:
    """Raise InputError unless the largest entry is between 10^-power and 10^power.

    Computing a bound squares the entries of Sigma, which are themselves quadratic in the data. If
    entries are larger, these squares overflow. If they are smaller, the squares underflow, and the
    bound would be below the variance.
    """
    if largest > 0.0 and not 10.0**-power <= largest <= 10.0**power:
        raise InputError(
            f"{argument}: the largest entry is {largest:.3g}; it must be from 1e-{power} to "
            f"1e{power}; multiply all entries by a constant, which does not change components"
        )


def magnitudes(X: Any) -> None:
    """Raise InputError if the largest entry of data X is too large or too small; see `scale`.

    X is an array, or a sparse matrix that stores its entries in ``data``.
    """
    entries = X.data if sp.issparse(X) else X
    # the largest absolute value, without creating an array of absolute values
    largest = max(float(entries.max(initial=0)), -float(entries.min(initial=0)))
    scale("X", largest, 60)


def precision_left(X: Any, raw: Vector, centred: Vector) -> None:
    """Warn if implicit centring cancels most digits of a column.

    ``raw`` and ``centred`` are the squared norms of the columns (n,) before and after centring.
    """
    varies = np.asarray((X.max(axis=0) != X.min(axis=0)).todense()).ravel()
    lost = int((varies & (centred < 1e-9 * raw)).sum())
    if lost:
        warnings.warn(
            f"X: {lost} sparse columns have means far above their deviations, so implicit centring "
            "loses precision; subtract a constant from their entries, or use a dense X",
            RuntimeWarning,
            stacklevel=4,
        )


def _numbers(argument: str, M: Any) -> tuple[Any, Sequence[str] | None]:
    """Return a finite real matrix as a float64 array or csc_array, and its column names."""
    columns = (
        [str(c) for c in M.columns] if hasattr(M, "columns") and hasattr(M, "to_numpy") else None
    )
    M = sparse(argument, M) if sp.issparse(M) else _real_array(argument, M)
    _expect_matrix(argument, M)
    if sp.issparse(M):
        M = _summed(M)
    else:
        affordable(argument, M.shape, 9)  # a copy and a mask of the finite entries
    finite(argument, M, columns)
    return M, columns


def matrix(argument: str, M: Any) -> Array:
    """Return a finite real matrix as a float64 array."""
    M, _ = _numbers(argument, M)
    return np.asarray(M.toarray() if sp.issparse(M) else M, dtype=np.float64)


def affordable(argument: str, shape: Sequence[int], each: float) -> None:
    """Raise InputError if a matrix of this shape would need more memory than is free.

    The shape of an array can be larger than its memory suggests (`numpy.broadcast_to`), as can the
    shape of a sparse matrix.

    each : bytes per entry.
    """
    count = math.prod(map(int, shape))
    if count <= SMALL:
        return
    free = machine.free_memory()
    if each * count > free:
        raise InputError(
            f"{argument}: shape {tuple(map(int, shape))} needs {machine.readable(each * count)}; "
            f"only {machine.readable(free)} are free"
        )


def finite(argument: str, M: Any, columns: Sequence[str] | None = None) -> None:
    """Raise InputError if a matrix has NaN or infinite entries; the error names the first position.

    columns : names of the columns. Without names, columns are numbered from 1.
    """
    wrong = ~np.isfinite(M.data if sp.issparse(M) else M)
    if not wrong.any():
        return
    if sp.issparse(M):
        entries = M.tocoo()
        first = np.flatnonzero(~np.isfinite(entries.data))[0]
        i, j = entries.row[first], entries.col[first]
    else:
        i, j = np.argwhere(wrong)[0]
    named = repr(columns[j]) if columns else j + 1
    raise InputError(
        f"{argument}: {int(wrong.sum()):,} NaN or infinite entries, the first in row {i + 1}, "
        f"column {named}; all entries must be finite"
    )


def _expect_matrix(argument: str, M: Any) -> None:
    if np.iscomplexobj(M):
        raise InputError(f"{argument}: complex entries; they must be real")
    if M.ndim != 2:
        raise InputError(f"{argument}: {M.ndim} dimensions; it must be a matrix with 2")
    if 0 in M.shape:
        raise InputError(
            f"{argument}: shape {tuple(M.shape)}; at least one row and one column are needed"
        )


def plain(argument: str, M: Any) -> None:
    """Raise InputError if scikit-learn would misinterpret the input or read out of bounds.

    The checks detect masked entries, strings, matrices that do not fit into memory, and sparse
    matrices with indices out of range.
    """
    if isinstance(M, np.ndarray):
        affordable(argument, M.shape, 9)
    if sp.issparse(M):
        sparse(argument, M)
    elif isinstance(M, np.ndarray) and (M.dtype.kind in "USmM" or np.ma.isMaskedArray(M)):
        _real_array(argument, M)
    elif isinstance(M, np.ndarray) and M.dtype == object and _has_texts(M):
        raise InputError(f"{argument}: strings; the entries must be real numbers")


def _has_texts(M: Any) -> bool:
    return any(issubclass(kind, str | bytes) for kind in set(map(type, M.flat)))


def _real_array(argument: str, M: Any) -> Any:
    """Return an array of real or complex numbers; raise InputError for anything else."""
    if isinstance(M, np.ma.MaskedArray):
        if np.ma.is_masked(M):
            raise InputError(f"{argument}: masked entries; fill them in, or drop their rows")
        M = M.data
    frame = M
    try:
        M = np.asarray(M)
        if M.dtype == object:
            # float() would accept strings as numbers
            if _has_texts(M):
                raise TypeError("texts")
            M = M.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        reason = " ".join(str(error).split())
        if hasattr(frame, "isna") and np.any(frame.isna()):  # pandas.NA cannot be converted
            reason = "it has missing values"
        raise InputError(f"{argument}: not a matrix of numbers ({reason:.150})") from None
    _expect_numbers(argument, M.dtype)
    return M


def _expect_numbers(argument: str, dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "biufc":  # dates would be read as integers
        raise InputError(f"{argument}: entries of type {dtype}; they must be real numbers")


def sparse(argument: str, M: Any) -> Any:
    """Validate a sparse matrix, and return it in a format with a single array of entries.

    SciPy trusts the arrays of a matrix and would read and write out of bounds. Therefore no method
    of the matrix is called before its arrays are checked.
    """
    if M.ndim != 2:
        raise InputError(f"{argument}: {M.ndim} dimensions; it must be a matrix with 2")
    try:
        if M.format == "lil":
            _check_lists(argument, M)
        if M.format == "dia":
            in_range(argument, "offsets", M.offsets, M.shape[1], 1 - M.shape[0])
        if M.format in ("lil", "dok", "dia"):
            M = M.tocoo().tocsr()
        _check_parts(argument, M)
        # an object array can contain numbers
        M = M.astype(np.float64) if M.dtype == object else M
    except InputError:
        raise
    except (AttributeError, IndexError, TypeError, ValueError, ZeroDivisionError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{argument}: damaged sparse matrix ({reason:.100})") from None
    _expect_numbers(argument, M.data.dtype)
    return M


def _check_lists(argument: str, M: Any) -> None:
    """Raise InputError if the lists of columns and entries of a LIL matrix are inconsistent."""
    if len(M.rows) != M.shape[0] or [*map(len, M.rows)] != [*map(len, M.data)]:
        raise InputError(
            f"{argument}: damaged: rows of a sparse matrix have lists of different lengths"
        )
    in_range(argument, "columns", np.array([*chain.from_iterable(M.rows)] or [0]), M.shape[1])


def _check_parts(argument: str, M: Any) -> None:
    if M.format == "coo":
        for part, indices, length in zip(("row", "col"), (M.row, M.col), M.shape, strict=True):
            in_range(argument, part, indices, length)
            _as_many(argument, part, indices, M.data)
        return
    block = M.data.shape[1:] if M.format == "bsr" else (1, 1)
    outer, inner = (length // side for length, side in zip(M.shape, block, strict=True))
    if M.format == "csc":
        outer, inner = inner, outer
    compressed(argument, M.indices, M.indptr, M.data, outer, inner)


def compressed(
    argument: str, indices: Any, starts: Any, entries: Any, outer: int, inner: int
) -> None:
    """Raise InputError if SciPy would read the arrays of a compressed matrix out of bounds.

    SciPy's own check is not sufficient, because it trusts the last entry of indptr.
    """
    in_range(argument, "indices", indices, inner)
    _as_many(argument, "indices", indices, entries)
    numbered = starts.ndim == 1 and starts.dtype.kind in "iu"
    if not numbered or len(starts) != outer + 1 or starts[0] != 0 or (np.diff(starts) < 0).any():
        raise InputError(
            f"{argument}: damaged: indptr of a sparse matrix must consist of {outer + 1} whole "
            "numbers that increase from 0"
        )
    if starts[-1] > len(indices):
        raise InputError(
            f"{argument}: damaged: indptr of a sparse matrix ends at {starts[-1]}, but there are "
            f"{len(indices)} entries"
        )


def in_range(argument: str, part: str, indices: Any, length: int, least: int = 0) -> None:
    """Raise InputError unless the indices of a sparse matrix are integers in the valid range."""
    if indices.ndim != 1 or indices.dtype.kind not in "iu":
        raise InputError(f"{argument}: damaged: {part} of a sparse matrix are not whole numbers")
    if len(indices) and not least <= indices.min() <= indices.max() < length:
        raise InputError(
            f"{argument}: damaged: {part} of a sparse matrix are {indices.min()} to "
            f"{indices.max()}; they must be from {least} to {length - 1}"
        )


def _as_many(argument: str, part: str, indices: Any, entries: Any) -> None:
    if len(indices) != len(entries):
        raise InputError(
            f"{argument}: damaged: a sparse matrix has {len(entries)} entries but {len(indices)} "
            f"{part}"
        )


def _summed(M: Any) -> sp.csc_array:
    """Return a sparse matrix as a float64 csc_array in which duplicates are summed."""
    # converted first, because sums of small integer types would overflow
    M = sp.csc_array(M.astype(np.float64, copy=False))
    if not M.has_canonical_format:
        M = M.copy()
        M.sum_duplicates()
    return M


def data(X: Any) -> tuple[Any, Sequence[str] | None]:
    """Return a finite real matrix (m, n), and its column names or None.

    A sparse matrix is returned as a float64 csc_array, with 32-bit indices if possible, because
    they make products faster.
    """
    X, columns = _numbers("X", X)
    if X.shape[0] < 2:
        raise InputError(f"X: shape {tuple(X.shape)}; at least two samples (rows) are needed")
    return (_with_short_indices(X) if sp.issparse(X) else X), columns


def _with_short_indices(X: sp.csc_array) -> sp.csc_array:
    if X.indices.dtype == np.int32 or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    short = (X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return sp.csc_array((X.data, *short), shape=X.shape)


def covariance(Sigma: Any) -> tuple[Vector, Sequence[str] | None]:
    """Return Sigma as an exactly symmetric PSD array (n, n), and its column names or None."""
    rows = [*getattr(Sigma, "index", ())] if hasattr(Sigma, "columns") else []
    Sigma, columns = _numbers("Sigma", Sigma)
    if Sigma.shape[0] != Sigma.shape[1]:
        raise InputError(f"Sigma: shape {tuple(Sigma.shape)}; it must be square, (n, n)")
    if rows != [*range(len(rows))] and [str(row) for row in rows] != columns:
        raise InputError("Sigma: rows and columns must have the same names in the same order")
    affordable("Sigma", Sigma.shape, 24)  # for a copy, the transpose and the factorisation
    S = Sigma.toarray() if sp.issparse(Sigma) else np.array(Sigma, dtype=np.float64, order="C")
    top = np.abs(S).max()
    skew = np.abs(S - S.T).max()
    if skew > 1e-8 * top:
        raise InputError(
            f"Sigma: not symmetric, entries differ by up to {skew:.3g}; use (Sigma + Sigma')/2"
        )
    S = (S + S.T) / 2
    if top == 0.0:
        raise InputError("Sigma: every entry is zero; at least one variable must have variance")
    scale("Sigma", top, 120)
    if not _has_factor(S, 1e-8 * top * len(S)):
        smallest = np.linalg.eigvalsh(S)[0]
        raise InputError(
            f"Sigma: indefinite (smallest eigenvalue {smallest:.3g}); it must be positive "
            "semidefinite"
        )
    return S, columns


def indefinite(S: Array) -> bool:
    """Whether negative eigenvalues of an accepted S (n, n) are large enough to affect bounds.

    If S has a negative eigenvalue, a component of k variables can have more variance than these
    variables in total, by at most k times the absolute eigenvalue, which is at most `excess` for an
    S that is not called indefinite. The margin of the bounds covers it.
    """
    most = excess(S) / len(S)
    # the factorisation can also fail because of rounding errors; eigenvalues are more accurate
    return not _has_factor(S, most) and bool(np.linalg.eigvalsh(S)[0] < -most)


def excess(S: Array) -> float:
    """Return by how much a variance can exceed the sum of variances if S is nearly PSD."""
    return 5e-10 * float(np.abs(S).max())


def noise(S: Array) -> float:
    """Return the absolute error of a variance by rounding, for S and for its deflations.

    A deflation leaves small negative eigenvalues unchanged, but can remove almost all variance.
    """
    rounding = NOISE * float(S.trace())
    return rounding if _has_factor(S, rounding) else rounding + excess(S)


def _has_factor(S: Array, shift: float) -> bool:
    """Whether S + shift I has a Cholesky factor; this is much faster than computing eigenvalues."""
    try:
        scipy.linalg.cholesky(S + shift * np.eye(len(S)), check_finite=False, overwrite_a=True)
    except scipy.linalg.LinAlgError:
        return False
    return True
