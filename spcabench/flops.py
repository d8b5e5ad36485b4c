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

from collections.abc import Iterator
from contextlib import contextmanager

# 1: the first.
# 2: the search of a penalty includes the finding of the penalty's range.
# 3: products with a sparse second factor cost what they touch, those of a sparse Gram matrix too.
CONVENTION = 3


class Ledger:
    """Counts flops while it is on.

    ``flops`` is the count, ``compiled`` the part of it that kernels returned; ``on`` is False while
    the harness grades. ``compile_seconds`` grows with every compilation, so that a clock can leave
    it out.
    """

    __slots__ = ("compile_seconds", "compiled", "flops", "on")

    def __init__(self) -> None:
        self.flops = self.compiled = 0
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

    So a run that is made inside another run is counted apart.
    """
    outer = LEDGER.flops, LEDGER.compiled, LEDGER.on
    LEDGER.flops, LEDGER.compiled, LEDGER.on = 0, 0, True
    try:
        yield LEDGER
    finally:
        LEDGER.flops, LEDGER.compiled, LEDGER.on = outer


@contextmanager
def uncharged() -> Iterator[None]:
    """Switch the ledger off: grading and conversions cost a solver nothing."""
    was, LEDGER.on = LEDGER.on, False
    try:
        yield
    finally:
        LEDGER.on = was
