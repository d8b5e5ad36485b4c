"""The ledger: exact floating-point operation counts, charged by the matrix layer only.

The convention is Kuleshov's (2013, section 4.2), see ``docs/flops.md``:

- a (p x q) matrix-vector product costs p q, with a k-sparse vector p k, with a sparse matrix its
  stored entries;
- a (p x q)(q x r) product costs p q r, or p for each nonzero of a second factor of which fewer than
  half of the entries are nonzero;
- X'X x, for a sparse X and an x so sparse that X x is too, costs the entries of the columns and of
  the rows that it touches;
- solving with a k x k matrix costs k^3 + 2 k^2, the Rayleigh quotient included;
- a symmetric eigendecomposition of order n costs 9 n^3;
- work that is o(n^2) is not counted.

A change of the convention raises CONVENTION, which every row carries: counts by two conventions are
never compared.
"""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from types import FrameType

from spcabench.errors import SolverError

# 1: the first.
# 2: the search of a penalty includes the finding of the penalty's range.
# 3: products with a sparse second factor cost what they touch, those of a sparse Gram matrix too.
CONVENTION = 3
# evaluations of x'Sigma x that cost a solver nothing, for each iterate and in a run
FREE, FREE_IN_ALL = 10, 100
PACKAGE = str(Path(__file__).parent)


class Ledger:
    """Counts flops while it is on.

    ``flops`` is the count, ``compiled`` the part of it that kernels returned; ``on`` is False while
    the harness grades. ``evaluations`` is the number of calls of `Problem.variance` since the last
    iterate, ``evaluations_in_all`` of a run. ``compile_seconds`` grows with every compilation, so
    that a clock can leave it out.
    """

    __slots__ = (
        *("compile_seconds", "compiled", "evaluations", "evaluations_in_all", "flops", "on"),
    )

    def __init__(self) -> None:
        self.flops = self.compiled = self.evaluations = self.evaluations_in_all = 0
        self.compile_seconds = 0.0
        self.on = False

    def charge(self, count: int) -> None:
        """Add ``count`` flops."""
        if self.on:
            self.flops += int(count)

    def charge_compiled(self, count: int) -> None:
        """Add what a kernel returned."""
        if self.on:
            self.flops += int(count)
            self.compiled += int(count)


LEDGER = Ledger()
charge = LEDGER.charge


def solve_cost(k: int) -> int:
    """Flops of one solve with a k x k matrix, its Rayleigh quotient included."""
    return k**3 + 2 * k**2


def eigh_cost(n: int) -> int:
    """Flops of one symmetric eigendecomposition of order n."""
    return 9 * n**3


@contextmanager
def counting() -> Iterator[Ledger]:
    """Switch a fresh ledger on, and restore the outer one at the end.

    So a run that is made inside another run is counted apart; the outer one pays for it too.
    """
    outer = LEDGER.flops, LEDGER.compiled, LEDGER.on
    if not LEDGER.on:  # a run inside another has no free evaluations of its own
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


def uncharged() -> AbstractContextManager[None]:
    """Switch the ledger off: grading and conversions cost a solver nothing.

    Raises SolverError if code outside this package asks for it.
    """
    check_caller("uncharged()")
    return _off()


@contextmanager
def _off() -> Iterator[None]:
    was, LEDGER.on = LEDGER.on, False
    try:
        yield
    finally:
        LEDGER.on = was


def evaluation() -> AbstractContextManager[None]:
    """One evaluation of x'Sigma x, not charged if it `is_free`.

    A search that evaluates many vectors would otherwise make all its products here.
    """
    check_caller("evaluation()")
    if LEDGER.on:
        LEDGER.evaluations += 1
        LEDGER.evaluations_in_all += 1
    return _off() if is_free(LEDGER.evaluations, LEDGER.evaluations_in_all) else nullcontext()


def is_free(of_iterate: int, in_all: int) -> bool:
    """Whether an evaluation costs nothing, by its number within the iterate and within the run."""
    return of_iterate <= FREE and in_all <= FREE_IN_ALL


def check_caller(operation: str) -> None:
    """Raise SolverError unless the calling function was itself called from this package.

    It goes by the file that the module was loaded from, not by what a module says of itself.
    """
    if not is_ours(sys._getframe(2)):
        raise SolverError(
            f"{operation} belongs to the harness: the work of a solver is charged; say "
            "COUNTED = False if it cannot be counted"
        )


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs code of this package, judged by the file it was loaded from."""
    module = sys.modules.get(str(frame.f_globals.get("__name__")))
    ours = module is not None and vars(module) is frame.f_globals
    return ours and frame.f_code.co_filename.startswith(PACKAGE)
