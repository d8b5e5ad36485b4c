"""An audit of the ledger that counts flops from outside the matrix layer.

The matrix layer charges the flops that it is supposed to compute. The audit repeats a run and, by
the same convention, counts the flops that are really computed, from the shapes of the arrays. The
arrays of the problem are replaced by arrays that count their products
(`spcabench.checking.counting_array`), and the solvers of SciPy and LAPACK and the sparse products
are wrapped. The rules are:

1. A (p x q)(q x r) product costs p q r flops, or r flops per stored entry if it is sparse. Squaring
   the entries of a matrix costs one flop per entry. Solving a bordered system of order k + 1 costs
   k^3 + 2 k^2, and a symmetric eigendecomposition of order n costs 9 n^3.
2. Vector operations, elementwise operations and indexing are free. Products with a basis of an
   iteration's own vectors (Gram-Schmidt) are also free.
3. A Rayleigh quotient y'(By) with B (k, k) is part of the preceding or following solve of order k
   and is free. For each order, the number of free quotients exceeds the number of solves by at most
   one.
4. Products with a low-rank part (centring, deflation) are free.

The audit observes the solver between two iterates, and ignores the grading by the harness. It
cannot observe compiled kernels or arrays that lost their class (``np.asarray``). It therefore
excludes the flops that kernels charge. An audit that observed nothing raises an error, because it
proves nothing.
"""

from __future__ import annotations

import copy
import functools
import itertools
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import scipy.sparse

from spcabench import api, registry
from spcabench.checking import counting_array
from spcabench.checking.counting_array import AuditError, Tally, is_low_rank, plain, seen
from spcabench.flops import LEDGER
from spcabench.iterate import Iterate
from spcabench.problem.data import Data
from spcabench.problem.problem import Problem
from spcabench.solving.call import arguments
from spcabench.solving.result import Result

LOW_RANK = ("U", "V", "Q")  # attributes of a matrix that contain low-rank corrections


@dataclass(frozen=True)
class Audit:
    """The flops charged by the ledger and the flops counted by the audit.

    Attributes
    ----------
    charged, seen : int
        Flops of the whole run, charged by the ledger and counted by the audit.
    setup_charged, setup_seen : int
        The part of ``charged`` and ``seen`` that precedes the first iterate.
    calls : dict of str to int
        Number of counted calls of each function.
    result : Result
        The result of the run, whose flops include those of compiled kernels.
    """

    charged: int
    seen: int
    setup_charged: int
    setup_seen: int
    calls: dict[str, int]
    result: Result

    @property
    def exact(self) -> bool:
        """Whether ledger and audit agree for the set-up and for the iterations."""
        # The parts are compared separately, because a charge to the wrong part preserves the sum.
        return (self.charged, self.setup_charged) == (self.seen, self.setup_seen)

    @property
    def complete(self) -> bool:
        """Whether the ledger includes all flops counted by the audit, in set-up and iterations.

        The ledger can include more flops, because cached results are charged each time they are
        used and the audit can miss flops in threads.
        """
        seen, charged = self.seen - self.setup_seen, self.charged - self.setup_charged
        return self.setup_seen <= self.setup_charged and seen <= charged


def audit(problem: Problem, name: str | ModuleType, **settings: Any) -> Audit:
    """Solve a problem once and count the flops independently of the ledger.

    If there is a penalty search, the flops of all its runs are counted.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    name : str or module
        The solver, as in `spcabench.solve`.
    **settings
        The settings, as in `spcabench.solve`.

    Returns
    -------
    Audit
        The counts of the ledger and the audit, and the result of the run.

    Raises
    ------
    AuditError
        If the audit observed no computation, or if the run called a function that the audit cannot
        count.
    """
    solver = name if isinstance(name, ModuleType) else registry.module("solver", name)
    charged = {True: 0, False: 0}
    with _wrapped() as tally:
        result = api.solve(problem, _watched_solver(solver, tally, charged), **arguments(settings))
        tally.settle()
    if not tally.calls:
        raise AuditError(
            f"solver {solver.__name__!r}: the audit observed no product, solve or decomposition"
        )
    return Audit(
        sum(charged.values()),
        sum(tally.flops.values()),
        charged[True],
        tally.flops[True],
        dict(tally.calls),
        result,
    )


def _watched_solver(solver: ModuleType, tally: Tally, charged: dict[bool, int]) -> ModuleType:
    """Return a copy of a solver that runs on counting arrays and is watched between iterates."""
    # The driver finds the solver's name, traits and defaults in this copy of the module, and the
    # original module is not changed.
    twin = ModuleType(solver.__name__)
    vars(twin).update(vars(solver))

    @functools.wraps(solver.solve)
    def solve(problem: Problem, **settings: Any) -> Iterator[Any]:
        # The cache is cleared, because it can contain other forms of the problem, whose plain
        # arrays do not count products.
        iterates = solver.solve(
            replace(problem, matrix=_watched(problem.matrix), _cache={}), **settings
        )
        for setup in itertools.chain([True], itertools.repeat(False)):
            # Kernels run on raw memory, where no array can count products. Their charges are
            # excluded from both counts, and tests compare each kernel with a plain Python version.
            before = LEDGER.flops - LEDGER.compiled
            with tally.watching(setup):
                item = next(iterates, None)
            charged[setup] += max(LEDGER.flops - LEDGER.compiled - before, 0)
            if item is None:
                return
            # convert to plain arrays, because operations of the driver must not be counted
            given = isinstance(item, Iterate)
            yield replace(item, x=plain(item.x), u=plain(item.u)) if given else plain(item)

    def penalty_range(problem: Problem) -> tuple[float, float]:
        watched = replace(problem, matrix=_watched(problem.matrix), _cache={})
        before = LEDGER.flops - LEDGER.compiled
        with tally.watching(False):
            ends = solver.penalty_range(watched)
        charged[False] += max(LEDGER.flops - LEDGER.compiled - before, 0)
        return ends

    twin.solve = solve  # type: ignore[attr-defined]
    if hasattr(solver, "penalty_range"):
        twin.penalty_range = penalty_range  # type: ignore[attr-defined]
    return twin


def _watched(matrix: Any) -> Any:
    """Return a copy of the matrix with counting views of its arrays and an empty cache."""
    # Views share the memory of the arrays, so an audited run computes the same numbers. Cached
    # properties are removed, because they contain products that would not be counted again.
    twin = copy.copy(matrix)
    for name, value in list(vars(twin).items()):
        if isinstance(getattr(type(matrix), name, None), functools.cached_property):
            delattr(twin, name)
        elif isinstance(value, Data):
            setattr(twin, name, _watched(value))
        elif isinstance(value, np.ndarray) and value.ndim == 2:
            setattr(twin, name, seen(value, name in LOW_RANK))
    return twin


@contextmanager
def _wrapped() -> Iterator[Tally]:
    """Count calls of the solvers of SciPy and LAPACK and of sparse products inside the block."""
    # These functions bypass the protocols of an ndarray subclass, so counting arrays cannot count
    # them. During the audit they are replaced by wrappers that count. A wrapper is only found by
    # calls through the module (scipy.linalg.eigh), which is how the matrix layer calls them.
    tally = Tally()
    with ExitStack() as stack:

        def wrap(place: str, name: str, make: Callable[[Any], Any]) -> None:
            owner, function = _of_scipy(place, name)
            stack.enter_context(mock.patch.object(owner, name, make(function)))

        stack.enter_context(mock.patch.object(counting_array, "TALLY", tally))
        for place, name, count in (*DENSE, *SPARSE, *OWN):
            wrap(place, name, functools.partial(_counted, tally, name, count))
        # A decomposition without a count would appear to be free, so it raises an error.
        for place, name in UNKNOWN:
            wrap(place, name, functools.partial(_refused, tally, name))
        # Sparse matrices are not arrays, and products with them lose the class of an array. The
        # wrapped C functions count these products. The wrapped methods in RESULTS restore the class
        # of dense results, so further operations on them are counted.
        for place, name in RESULTS:
            wrap(place, name, functools.partial(_seen_result, tally))
        yield tally


def _of_scipy(place: str, name: str) -> tuple[Any, Any]:
    """Return the module or class of SciPy that defines a function, and the function.

    Raises AuditError if SciPy does not define it. Some of these names are private and can change in
    any release.
    """
    try:
        owner = pkgutil.resolve_name(place)
        return owner, getattr(owner, name)
    except (ImportError, AttributeError):
        raise AuditError(
            f"SciPy {scipy.__version__} has no {place}.{name}, which the audit must count; "
            "change spcabench/checking/audit.py to use its new name"
        ) from None


def _counted(tally: Tally, name: str, count: Callable[..., int], function: Any) -> Any:
    """Wrap a function to count its calls and return a counting array."""

    @functools.wraps(function)
    def counted(*args: Any, **settings: Any) -> Any:
        (tally.count_solve if name in SOLVES else tally.count)(name, count(*args))
        return seen(function(*map(plain, args), **settings))

    return counted


def _refused(tally: Tally, name: str, function: Any) -> Any:
    """Wrap a function to raise AuditError if it is called in the watched part of a run."""

    @functools.wraps(function)
    def refused(*args: Any, **settings: Any) -> Any:
        if tally.on:
            raise AuditError(f"no count for scipy.linalg.{name}: add one to the audit")
        return function(*args, **settings)

    return refused


def _seen_result(tally: Tally, method: Any) -> Any:
    """Wrap a method of sparse matrices to return a counting array."""

    @functools.wraps(method)
    def wrapped(self: Any, *args: Any, **settings: Any) -> Any:
        low_rank, was = any(map(is_low_rank, args)), tally.on
        tally.on = was and not low_rank
        try:
            return seen(method(self, *map(plain, args), **settings), low_rank)
        finally:
            tally.on = was

    return wrapped


# The arguments of SciPy's C functions are rows, columns, indptr, indices, data, ... The last entry
# of indptr is the number of stored entries, which is the cost of a product with a vector.
def _matvec(M: int, N: int, indptr: Any, *arrays: Any) -> int:
    return indptr[-1]


def _matvecs(M: int, N: int, vectors: int, indptr: Any, *arrays: Any) -> int:
    return indptr[-1] * vectors


def _matmat(M: int, N: int, indptr: Any, *arrays: Any) -> int:
    return indptr[-1] * N


def _few_columns(X: Any, by_rows: Any, W: Any, *arrays: Any) -> int:
    columns = X[:, np.asarray(W)]
    return columns.nnz + by_rows[np.unique(columns.indices)].nnz


SOLVES = ("dgesv", "solve")
# dgesv solves a bordered system of order k + 1, which is charged as a system of order k.
DENSE: list[tuple[str, str, Callable[..., int]]] = [
    ("scipy.linalg.lapack", "dgesv", lambda K, *rest: len(K) - 1),
    ("scipy.linalg.lapack", "dsyevd", lambda S, *rest: 9 * len(S) ** 3),
    ("scipy.linalg.lapack", "dsyevr", lambda S, *rest: 9 * len(S) ** 3),
    ("scipy.linalg", "solve", lambda K, *rest: len(K)),
    ("scipy.linalg", "eigh", lambda S, *rest: 9 * len(S) ** 3),
    ("scipy.linalg", "eigvalsh", lambda S, *rest: 9 * len(S) ** 3),
]
# Private functions of SciPy that implement the public operators. X.multiply, which squares the
# entries, calls csr_elmul_csr. csr_matmat is patched in the module that imports it by name.
SPARSE: list[tuple[str, str, Callable[..., int]]] = [
    ("scipy.sparse._sparsetools", "csc_matvec", _matvec),
    ("scipy.sparse._sparsetools", "csr_matvec", _matvec),
    ("scipy.sparse._sparsetools", "csr_elmul_csr", _matvec),
    ("scipy.sparse._sparsetools", "csc_matvecs", _matvecs),
    ("scipy.sparse._sparsetools", "csr_matvecs", _matvecs),
    ("scipy.sparse._compressed", "csr_matmat", _matmat),
]
# A kernel of the matrix layer that costs one flop per entry that it reads.
OWN: list[tuple[str, str, Callable[..., int]]] = [
    ("spcabench.problem.sparse_gram", "gram_product", _few_columns)
]
RESULTS = [
    ("scipy.sparse._compressed._cs_matrix", "_matmul_dispatch"),
    ("scipy.sparse._compressed._cs_matrix", "toarray"),
]
UNKNOWN = [
    ("scipy.linalg", name)
    for name in (
        "cho_factor",
        "cholesky",
        "eig",
        "expm",
        "inv",
        "lstsq",
        "lu_factor",
        "pinv",
        "polar",
        "qr",
        "sqrtm",
        "svd",
    )
]
