"""The ledger: exact floating-point operation counts, charged by the matrix layer only.

The convention is that of Kuleshov (2013, section 4.2), see ``docs/flops.md``:

- a (p x q) matrix-vector product costs p q; with a k-sparse vector p k; with a sparse matrix the
  number of its stored entries;
- a (p x q)(q x r) product costs p q r, or p for each nonzero of the second factor if fewer than
  half of its entries are nonzero;
- X'X x, with sparse X and x so sparse that X x is sparse too, costs the number of entries in the
  columns and the rows that it touches;
- solving with a k x k matrix costs k^3 + 2 k^2, including the Rayleigh quotient;
- a symmetric eigendecomposition of order n costs 9 n^3;
- work that is o(n^2) is not counted.

Every row records CONVENTION, which is raised whenever the convention changes: counts under two
conventions are never compared.
"""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from types import FrameType

from spcabench.errors import SolverError

# 1: the first.
# 2: searching a penalty includes the cost of finding its range.
# 3: products with a sparse second factor, or with a sparse Gram matrix, cost what they touch.
CONVENTION = 3
# free evaluations of x'Sigma x: for each iterate, and in a whole run
FREE, FREE_IN_ALL = 10, 100
PACKAGE = str(Path(__file__).parent)


class Ledger:
    """Counts flops while it is on.

    ``flops`` is the count, and ``compiled`` the part of it that kernels returned. ``on`` is False
    while the harness grades, and ``solving`` is True while a solver works. ``evaluations`` is the
    number of calls of `Problem.variance` since the last iterate, ``evaluations_in_all`` the number
    in the whole run. ``compile_seconds`` accumulates the time of all compilations, so that clocks
    can exclude it.
    """

    __slots__ = (
        *("compile_seconds", "compiled", "evaluations", "evaluations_in_all", "flops", "on"),
        "solving",
    )

    def __init__(self) -> None:
        self.flops = self.compiled = self.evaluations = self.evaluations_in_all = 0
        self.compile_seconds = 0.0
        self.on = self.solving = False

    def charge(self, count: int) -> None:
        """Add ``count`` flops."""
        if self.on:
            self.flops += int(count)

    def charge_compiled(self, count: int) -> None:
        """Add the flops that a kernel returned."""
        if self.on:
            self.flops += int(count)
            self.compiled += int(count)


LEDGER = Ledger()
charge = LEDGER.charge


def solve_cost(k: int) -> int:
    """Return the flops of one solve with a k x k matrix, including its Rayleigh quotient."""
    return k**3 + 2 * k**2


def eigh_cost(n: int) -> int:
    """Return the flops of one symmetric eigendecomposition of order n."""
    return 9 * n**3


@contextmanager
def counting() -> Iterator[Ledger]:
    """Switch a new ledger on, and restore the outer one at the end.

    A run inside another run is thus counted separately, and also charged to the outer one.
    """
    outer = LEDGER.flops, LEDGER.compiled, LEDGER.on
    if not LEDGER.on:  # a run inside another has no free evaluations for itself
        LEDGER.evaluations = LEDGER.evaluations_in_all = 0
    LEDGER.flops, LEDGER.compiled, LEDGER.on = 0, 0, True
    spent = 0, 0
    try:
        yield LEDGER
        spent = LEDGER.flops, LEDGER.compiled
    finally:
        LEDGER.flops, LEDGER.compiled, LEDGER.on = outer
        LEDGER.charge(spent[0])
        LEDGER.compiled += spent[1] if LEDGER.on else 0


@contextmanager
def solving() -> Iterator[None]:
    """Mark that a solver works inside; see `uncharged`."""
    outer, LEDGER.solving = LEDGER.solving, True
    try:
        yield
    finally:
        LEDGER.solving = outer


def uncharged() -> AbstractContextManager[None]:
    """Switch the ledger off, because grading costs a solver nothing.

    While a solver works it stays on: what a solver calls is its own work, wherever the code is.
    Raises SolverError if it is called from code outside this package.
    """
    check_caller("uncharged()")
    return nullcontext() if LEDGER.solving else _off()


def conversion() -> AbstractContextManager[None]:
    """Switch the ledger off, also while a solver works: the conversion of a problem is free."""
    check_caller("conversion()")
    return _off()


@contextmanager
def _off() -> Iterator[None]:
    was, LEDGER.on = LEDGER.on, False
    try:
        yield
    finally:
        LEDGER.on = was


def evaluation() -> AbstractContextManager[None]:
    """Count one evaluation of x'Sigma x, which is charged unless it `is_free`.

    Otherwise a search that evaluates many vectors could compute all its products here for free.
    """
    check_caller("evaluation()")
    if LEDGER.on:
        LEDGER.evaluations += 1
        LEDGER.evaluations_in_all += 1
    return _off() if is_free(LEDGER.evaluations, LEDGER.evaluations_in_all) else nullcontext()


def is_free(of_iterate: int, in_all: int) -> bool:
    """Whether an evaluation is free, given how many the iterate and the run have had."""
    return of_iterate <= FREE and in_all <= FREE_IN_ALL


def check_caller(operation: str) -> None:
    """Raise SolverError unless the calling function was itself called from this package.

    The file from which the module was loaded decides, not what the module says about itself.
    """
    if not is_ours(sys._getframe(2)):
        raise SolverError(
            f"{operation} belongs to the harness: the work of a solver is charged; say "
            "COUNTED = False if it cannot be counted"
        )


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs code of this package, judged by the file from which it was loaded."""
    module = sys.modules.get(str(frame.f_globals.get("__name__")))
    ours = module is not None and vars(module) is frame.f_globals
    return ours and frame.f_code.co_filename.startswith(PACKAGE)
