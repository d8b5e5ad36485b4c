"""An independent audit of the ledger: flops counted from outside the matrix layer, in the same
convention.

For one run the arrays of the problem are replaced by seen ones, which count the products they take
part in by their shapes; the solvers of SciPy and LAPACK and the sparse products are wrapped. What
counts:

1. A (p x q)(q x r) product p q r, a sparse one its stored entries times r; a pass over the squares
   of a matrix's entries their number; a solve of bordered order k + 1 k^3 + 2 k^2; a symmetric
   eigendecomposition 9 n^3.
2. Vector by vector, elementwise and gathering work, and that with a basis of an iteration's own
   vectors (Gram-Schmidt): nothing.
3. A Rayleigh quotient y'(By), B (k, k), belongs to the solve of order k before or after it:
   nothing, but never more than one ahead of the solves of that order.
4. Products with a low-rank part (centring, deflation): nothing.

Only what happens between two iterates is seen, none of the harness's grading. Blind spots: arrays
stripped of their class (``np.asarray``) and compiled kernels, whose charges are left out. A run in
which nothing is seen raises.
"""

from __future__ import annotations

import copy
import functools
import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import scipy.linalg
from scipy.linalg import lapack
from scipy.sparse import _compressed, _sparsetools

from spcabench import api, registry
from spcabench.checking import counting_array
from spcabench.checking.counting_array import AuditError, Tally, is_low_rank, plain, seen
from spcabench.flops import LEDGER
from spcabench.iterate import Iterate
from spcabench.problem.data import Data
from spcabench.problem.problem import Problem

LOW_RANK = ("U", "V", "Q")  # the attributes of a matrix that are low-rank corrections


@dataclass(frozen=True)
class Audit:
    """What the ledger charged and what was seen from outside: in all, and of it in the set-up;
    calls by name.
    """

    charged: int
    seen: int
    setup_charged: int
    setup_seen: int
    calls: dict[str, int]

    @property
    def exact(self) -> bool:
        """Whether the ledger agrees with what was seen, set-up and iterations each."""
        return (self.charged, self.setup_charged) == (self.seen, self.setup_seen)


def audit(problem: Problem, name: str | ModuleType, **settings: Any) -> Audit:
    """Solve once (with all the runs of a penalty search) and count from outside.

    Raises AuditError where nothing was seen or a function without a count was called.
    """
    solver = name if isinstance(name, ModuleType) else registry.module("solver", name)
    charged = {True: 0, False: 0}
    with _wrapped() as tally:
        api.solve(problem, _watched_solver(solver, tally, charged), **settings)
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
    )


def _watched_solver(solver: ModuleType, tally: Tally, charged: dict[bool, int]) -> ModuleType:
    """The solver on seen arrays, watched from one iterate to the next."""
    twin = ModuleType(solver.__name__)
    vars(twin).update(vars(solver))

    @functools.wraps(solver.solve)
    def solve(problem: Problem, **settings: Any) -> Iterator[Any]:
        iterates = solver.solve(
            replace(problem, matrix=_watched(problem.matrix), _cache={}), **settings
        )
        for setup in itertools.chain([True], itertools.repeat(False)):
            before = LEDGER.flops - LEDGER.compiled
            with tally.watching(setup):
                item = next(iterates, None)
            charged[setup] += LEDGER.flops - LEDGER.compiled - before
            if item is None:
                return
            yield _stripped(item)

    twin.solve = solve  # type: ignore[attr-defined]
    return twin


def _watched(matrix: Any) -> Any:
    """The matrix on seen views of its arrays, nothing cached."""
    twin = copy.copy(matrix)
    for name, value in list(vars(twin).items()):
        if isinstance(getattr(type(matrix), name, None), functools.cached_property):
            delattr(twin, name)
        elif isinstance(value, Data):
            setattr(twin, name, _watched(value))
        elif isinstance(value, np.ndarray) and value.ndim == 2:
            setattr(twin, name, seen(value, name in LOW_RANK))
    return twin


def _stripped(item: Any) -> Any:
    if isinstance(item, Iterate):
        return replace(item, x=plain(item.x), u=plain(item.u))
    return plain(item)


@contextmanager
def _wrapped() -> Iterator[Tally]:
    """Count SciPy's and LAPACK's solvers and the sparse products while inside."""
    tally = Tally()
    with ExitStack() as stack:

        def wrap(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
            stack.enter_context(mock.patch.object(owner, name, make(getattr(owner, name))))

        stack.enter_context(mock.patch.object(counting_array, "TALLY", tally))
        for owner, name, count in (*DENSE, *SPARSE):
            wrap(owner, name, functools.partial(_counted, tally, name, count))
        for name in UNKNOWN:
            wrap(scipy.linalg, name, functools.partial(_refused, tally, name))
        for name in ("_matmul_dispatch", "toarray"):
            wrap(_compressed._cs_matrix, name, functools.partial(_seen_result, tally))
        yield tally


def _counted(tally: Tally, name: str, count: Callable[..., int], function: Any) -> Any:
    @functools.wraps(function)
    def counted(*args: Any, **settings: Any) -> Any:
        (tally.count_solve if name in SOLVES else tally.count)(name, count(*args))
        return seen(function(*map(plain, args), **settings))

    return counted


def _refused(tally: Tally, name: str, function: Any) -> Any:
    @functools.wraps(function)
    def refused(*args: Any, **settings: Any) -> Any:
        if tally.on:
            raise AuditError(f"no count for scipy.linalg.{name}: add one to the audit")
        return function(*args, **settings)

    return refused


def _seen_result(tally: Tally, method: Any) -> Any:
    """A method of sparse matrices whose dense result is seen, a product with a low-rank part not
    counted.
    """

    @functools.wraps(method)
    def made(self: Any, *args: Any, **settings: Any) -> Any:
        low_rank, was = any(map(is_low_rank, args)), tally.on
        tally.on = was and not low_rank
        try:
            return seen(method(self, *map(plain, args), **settings), low_rank)
        finally:
            tally.on = was

    return made


def _matvec(M: int, N: int, indptr: Any, *rest: Any) -> int:
    return indptr[-1]


def _matvecs(M: int, N: int, vectors: int, indptr: Any, *rest: Any) -> int:
    return indptr[-1] * vectors


def _matmat(M: int, N: int, indptr: Any, *rest: Any) -> int:
    return indptr[-1] * N


SOLVES = ("dgesv", "solve")
DENSE: list[tuple[Any, str, Callable[..., int]]] = [
    (lapack, "dgesv", lambda K, *rest: len(K) - 1),
    (scipy.linalg, "solve", lambda K, *rest: len(K)),
    (scipy.linalg, "eigh", lambda S, *rest: 9 * len(S) ** 3),
    (scipy.linalg, "eigvalsh", lambda S, *rest: 9 * len(S) ** 3),
]
SPARSE: list[tuple[Any, str, Callable[..., int]]] = [
    *((_sparsetools, name, _matvec) for name in ("csc_matvec", "csr_matvec", "csr_elmul_csr")),
    *((_sparsetools, name, _matvecs) for name in ("csc_matvecs", "csr_matvecs")),
    (_compressed, "csr_matmat", _matmat),
]
UNKNOWN = (
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
