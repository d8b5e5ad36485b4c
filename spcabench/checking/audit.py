"""An audit of the ledger that counts flops from outside the matrix layer.

The matrix layer charges the flops that it is supposed to compute. The audit repeats a run and
counts what it really computes, from the shapes of the arrays, by the same convention. The arrays of
the problem are replaced by arrays that count the products in which they take part
(`spcabench.checking.counting_array`), and the solvers of SciPy and LAPACK and the sparse products
are wrapped. The rules are:

1. A (p x q)(q x r) product counts p q r, and a sparse one its stored entries times r. A pass over
   the squares of a matrix's entries counts their number. A solve of bordered order k + 1 counts k^3
   + 2 k^2, and a symmetric eigendecomposition of order n counts 9 n^3.
2. Vector operations, elementwise operations and gathers count nothing. Neither do products with a
   basis of an iteration's own vectors (Gram-Schmidt).
3. A Rayleigh quotient y'(By) with B (k, k) belongs to the preceding or following solve of order k,
   and counts nothing. For each order there is at most one quotient more than solves.
4. Products with a low-rank part (centring, deflation) count nothing.
5. The first ten evaluations by `Problem.variance` of an iterate, and the first hundred of a run,
   count nothing; later ones do.
6. A product with complex numbers counts twice.

The audit sees only what happens between two iterates, and nothing of the harness's grading. It
cannot see arrays that lost their class (``np.asarray``) or compiled kernels. It therefore leaves
out the flops that kernels charge, and reports whether the solver's own file accessed the entries of
a matrix. An audit that saw nothing raises an error, because silence does not mean agreement.
"""

from __future__ import annotations

import copy
import functools
import itertools
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import scipy.sparse

from spcabench import api, registry, vectors
from spcabench.checking import counting_array
from spcabench.checking.counting_array import AuditError, Tally, is_low_rank, plain, seen
from spcabench.flops import LEDGER, Ledger, is_free, is_ours
from spcabench.iterate import Iterate
from spcabench.problem.data import Data
from spcabench.problem.problem import Problem
from spcabench.problem.working_set import Symmetric
from spcabench.solving.result import Result

# attributes that expose the entries of a matrix
ENTRIES = ("__dict__", "dense", "block", "column")
LOW_RANK = ("U", "V", "Q")  # the attributes of a matrix that are low-rank corrections


@dataclass(frozen=True)
class Audit:
    """The flops that the ledger charged, and the flops that the audit counted.

    Attributes
    ----------
    charged, seen : int
        Flops of the whole run.
    setup_charged, setup_seen : int
        The part of these flops before the first iterate.
    calls : dict of str to int
        Number of calls seen, by the name of the function.
    compiled : int
        Flops returned by compiled kernels, as noted by the audit.
    ledger : int
        Flops of the run according to the ledger, including those of compiled kernels.
    taken : bool
        Whether code outside the package accessed the entries of a matrix, so that it may have
        worked on them unseen.
    result : Result
        The result of the run.
    """

    charged: int
    seen: int
    setup_charged: int
    setup_seen: int
    calls: dict[str, int]
    compiled: int
    ledger: int
    taken: bool
    result: Result

    @property
    def exact(self) -> bool:
        """Whether the ledger agrees with what was seen, in the set-up and in the iterations."""
        # Both parts are compared, because a charge booked to the wrong one preserves the sum.
        return (self.charged, self.setup_charged) == (self.seen, self.setup_seen)

    @property
    def complete(self) -> bool:
        """Whether the ledger has all that was seen, in the set-up and in the iterations.

        It may have more: what the package keeps is charged each time it is asked for, and threads
        may lose a count of the audit.
        """
        seen, charged = self.seen - self.setup_seen, self.charged - self.setup_charged
        return self.setup_seen <= self.setup_charged and seen <= charged


def audit(problem: Problem, name: str | ModuleType, **settings: Any) -> Audit:
    """Solve a problem once, and count its flops independently of the ledger.

    For a penalty search, the flops of all its runs are counted.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    name : str or module
        A solver, as for `spcabench.solve`.
    **settings
        As for `spcabench.solve`.

    Returns
    -------
    Audit
        Both counts, and the result of the run.

    Raises
    ------
    AuditError
        If nothing was seen, or if the run called a function that the audit cannot count.
    """
    solver = name if isinstance(name, ModuleType) else registry.module("solver", name)
    charged = {True: 0, False: 0}
    with _wrapped() as tally:
        result = api.solve(problem, _watched_solver(solver, tally, charged), **settings)
        tally.settle()
    if not tally.calls:
        raise AuditError(
            f"solver {solver.__name__!r}: the audit saw no product, solve or decomposition at all"
        )
    return Audit(
        sum(charged.values()),
        sum(tally.flops.values()),
        charged[True],
        tally.flops[True],
        dict(tally.calls),
        tally.compiled,
        int(result.search.get("flops", result.flops + result.setup_flops)),
        tally.taken,
        result,
    )


def _watched_solver(solver: ModuleType, tally: Tally, charged: dict[bool, int]) -> ModuleType:
    """Return a solver that runs on counting arrays and is watched from one iterate to the next."""
    # A copy of the module, so that the driver still finds the solver's name, traits and defaults,
    # and the real module is not changed.
    twin = ModuleType(solver.__name__)
    vars(twin).update(vars(solver))

    @functools.wraps(solver.solve)
    def solve(problem: Problem, **settings: Any) -> Iterator[Any]:
        # The cache is emptied, because another form of the problem, created earlier from plain
        # arrays, would be used unseen.
        iterates = solver.solve(
            replace(problem, matrix=_watched(problem.matrix), _cache={}), **settings
        )
        for setup in itertools.chain([True], itertools.repeat(False)):
            # Kernels run on raw memory, where no array can count. Their charges are left out here
            # too, and tests compare each kernel with its plain Python twin.
            before = LEDGER.flops - LEDGER.compiled
            with tally.watching(setup):
                item = next(iterates, None)
            charged[setup] += max(LEDGER.flops - LEDGER.compiled - before, 0)
            if item is None:
                return
            # plain arrays, so that the driver's work on them is not counted
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
    """Return a copy of the matrix with counting views of its arrays and nothing cached."""
    # Views share the memory of the arrays, so an audited run computes the same numbers. Cached
    # properties are dropped, because they hold products that would be used without being counted.
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
    """Count the calls of SciPy's and LAPACK's solvers and the sparse products inside the block."""
    # These functions accept an ndarray subclass without consulting it, or convert it first, so
    # counting arrays cannot see them. They are replaced by counting ones while the audit runs. Only
    # calls through the module are caught (scipy.linalg.eigh, not a name imported from it), which is
    # how the matrix layer calls them.
    tally = Tally()
    with ExitStack() as stack:

        def wrap(place: str, name: str, make: Callable[[Any], Any]) -> None:
            owner, function = _of_scipy(place, name)
            stack.enter_context(mock.patch.object(owner, name, make(function)))

        stack.enter_context(mock.patch.object(counting_array, "TALLY", tally))
        allowed = {*vectors.ARRAYS, counting_array.Seen}
        stack.enter_context(mock.patch.object(vectors, "ARRAYS", allowed))
        evaluated = functools.partial(_evaluated, tally, Problem.variance)
        stack.enter_context(mock.patch.object(Problem, "variance", _method(evaluated)))
        noted = functools.partial(_noted, tally, Ledger.charge_compiled)
        stack.enter_context(mock.patch.object(Ledger, "charge_compiled", _method(noted)))
        for kind in (Symmetric, Data):
            looked_at = _method(functools.partial(_looked_at, tally))
            stack.enter_context(mock.patch.object(kind, "__getattribute__", looked_at))
        for place, name, count in (*DENSE, *SPARSE, *OWN):
            wrap(place, name, functools.partial(_counted, tally, name, count))
        # A decomposition without a count would appear to be free, so it is refused.
        for place, name in UNKNOWN:
            wrap(place, name, functools.partial(_refused, tally, name))
        # Sparse matrices are not arrays, and their products with an array lose the array's class.
        # The C functions below count these products; the two methods in RESULTS restore the class
        # of dense results, so that further operations on them are seen.
        for place, name in RESULTS:
            wrap(place, name, functools.partial(_seen_result, tally))
        yield tally


def _of_scipy(place: str, name: str) -> tuple[Any, Any]:
    """Return the module or class of SciPy that contains a name, and the object of that name.

    Raises AuditError if there is no such name: some are private, and SciPy may rename them in
    any release.
    """
    try:
        owner = pkgutil.resolve_name(place)
        return owner, getattr(owner, name)
    except (ImportError, AttributeError):
        raise AuditError(
            f"SciPy {scipy.__version__} has no {place}.{name}, which the audit must count: "
            "find its new name, and write it into spcabench/checking/audit.py"
        ) from None


def _counted(tally: Tally, name: str, count: Callable[..., int], function: Any) -> Any:
    """Wrap a function so that each call is counted and its result is seen."""

    @functools.wraps(function)
    def counted(*args: Any, **settings: Any) -> Any:
        flops = count(*args) * counting_array.parts(args)
        (tally.count_solve if name in SOLVES else tally.count)(name, flops)
        return seen(function(*map(plain, args), **settings))

    return counted


def _evaluated(tally: Tally, variance: Any, problem: Problem, x: Any) -> Any:
    """Evaluate x'Sigma x, without counting it while evaluations are free."""
    x, was = np.asarray(plain(x)), tally.on
    tally.evaluations += was
    tally.evaluations_in_all += was
    tally.on = was and not is_free(tally.evaluations, tally.evaluations_in_all)
    try:
        return variance(problem, x)
    finally:
        tally.on = was


def _looked_at(tally: Tally, matrix: Any, name: str) -> Any:
    """Return an attribute of a matrix, and note if a solver's own file accesses the entries."""
    value = object.__getattribute__(matrix, name)
    dense = isinstance(value, np.ndarray) and value.ndim == 2 and min(value.shape) > 1
    if tally.on and (dense or scipy.sparse.issparse(value) or name in ENTRIES):
        # skip this function and the method wrapped around it, and the frames of functools, which
        # computes cached properties
        frame: Any = sys._getframe(2)
        while frame.f_code.co_filename == functools.__file__:
            frame = frame.f_back
        tally.taken |= not is_ours(frame)
    return value


def _noted(tally: Tally, charge_compiled: Any, ledger: Ledger, count: int) -> None:
    """Charge what a kernel returned, and note it in addition to the ledger."""
    if tally.on and ledger.on:
        tally.compiled += int(count)
    charge_compiled(ledger, count)


def _method(function: Any) -> Any:
    """Turn a function into one that works as a method; a partial function would not be bound."""
    return lambda *args: function(*args)


def _refused(tally: Tally, name: str, function: Any) -> Any:
    """Wrap a function so that a call inside the watched part of a run raises AuditError."""

    @functools.wraps(function)
    def refused(*args: Any, **settings: Any) -> Any:
        if tally.on:
            raise AuditError(f"no count for scipy.linalg.{name}: add one to the audit")
        return function(*args, **settings)

    return refused


def _seen_result(tally: Tally, method: Any) -> Any:
    """Wrap a method of sparse matrices so that its dense result is seen by the audit."""

    @functools.wraps(method)
    def wrapped(self: Any, *args: Any, **settings: Any) -> Any:
        low_rank, was = any(map(is_low_rank, args)), tally.on
        tally.on = was and not low_rank
        try:
            return seen(method(self, *map(plain, args), **settings), low_rank)
        finally:
            tally.on = was

    return wrapped


# SciPy's C functions are called as (rows, columns, indptr, indices, data, ...). The last entry of
# indptr is the number of stored entries, which is the cost of a product with one vector.
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
# dgesv solves the bordered system of order k + 1, which the convention counts as one of order k.
DENSE: list[tuple[str, str, Callable[..., int]]] = [
    ("scipy.linalg.lapack", "dgesv", lambda K, *rest: len(K) - 1),
    ("scipy.linalg", "solve", lambda K, *rest: len(K)),
    ("scipy.linalg", "eigh", lambda S, *rest: 9 * len(S) ** 3),
    ("scipy.linalg", "eigvalsh", lambda S, *rest: 9 * len(S) ** 3),
]
# Private names of SciPy, in which all public operators end. X.multiply (the squares of the entries)
# ends in csr_elmul_csr. csr_matmat is patched in the module that imported it by name.
SPARSE: list[tuple[str, str, Callable[..., int]]] = [
    ("scipy.sparse._sparsetools", "csc_matvec", _matvec),
    ("scipy.sparse._sparsetools", "csr_matvec", _matvec),
    ("scipy.sparse._sparsetools", "csr_elmul_csr", _matvec),
    ("scipy.sparse._sparsetools", "csc_matvecs", _matvecs),
    ("scipy.sparse._sparsetools", "csr_matvecs", _matvecs),
    ("scipy.sparse._compressed", "csr_matmat", _matmat),
]
# A kernel of the matrix layer itself, which costs the entries that it touches.
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
