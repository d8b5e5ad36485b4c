"""The ledger of flops, to which only the matrix layer adds, and kernels that return their flops.

The convention is that of Kuleshov (2013, section 4.2); see ``docs/numbers.md``:

- A (p x q) matrix-vector product costs p q flops, or p k for a k-sparse vector. With a sparse
  matrix, it costs one flop per stored entry.
- A (p x q)(q x r) product costs p q r, or p for each nonzero of the second factor if fewer than
  half of its entries are nonzero.
- X'X x, where X is sparse and x is so sparse that X x is also sparse, costs one flop for each entry
  in the columns and rows of X that are read.
- Solving a k x k system costs k^3 + 2 k^2, including the Rayleigh quotient.
- A symmetric eigendecomposition of order n costs 9 n^3.
- Operations that cost o(n^2) are not counted.

Every row of results records CONVENTION, which is incremented when the convention changes. Counts
under different conventions are never compared.

Kernels are compiled by numba. They return their flops, and timings exclude the compilation.
"""

import functools
from collections.abc import Callable, Container, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import perf_counter
from typing import Any

import numpy as np

# 1: the first convention.
# 2: A penalty search includes the cost of computing the range of the penalty.
# 3: Products with a sparse second factor or a sparse Gram matrix cost the entries that they read.
CONVENTION = 3


class Ledger:
    """A counter of flops, which is active while ``on`` is True.

    ``flops`` is the total count, and ``compiled`` is the number of flops reported by kernels.
    ``on`` is False while the harness grades. ``solving`` is True while a solver runs.
    ``compile_seconds`` is the total time of all compilations, which timings exclude.
    """

    __slots__ = ("compile_seconds", "compiled", "flops", "on", "solving")

    def __init__(self) -> None:
        self.flops = self.compiled = 0
        self.compile_seconds = 0.0
        self.on = self.solving = False

    def charge(self, count: int) -> None:
        """Add ``count`` flops."""
        if self.on:
            self.flops += int(count)

    def charge_compiled(self, count: int) -> None:
        """Add the flops returned by a kernel."""
        if self.on:
            self.flops += int(count)
            self.compiled += int(count)


LEDGER = Ledger()
charge = LEDGER.charge


def solve_cost(k: int) -> int:
    """Return the flops of solving a k x k system, including the Rayleigh quotient."""
    return k**3 + 2 * k**2


def eigh_cost(n: int) -> int:
    """Return the flops of a symmetric eigendecomposition of order n."""
    return 9 * n**3


@contextmanager
def counting() -> Iterator[Ledger]:
    """Count from zero inside the block, and add the flops to the previous count afterwards.

    A run inside another run is thus counted separately and also charged to the outer run.
    """
    outer = LEDGER.flops, LEDGER.compiled, LEDGER.on
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
    """Mark the block as part of a solver's run; see `uncharged`."""
    outer, LEDGER.solving = LEDGER.solving, True
    try:
        yield
    finally:
        LEDGER.solving = outer


def uncharged() -> AbstractContextManager[None]:
    """Switch the ledger off for grading, which is not charged.

    While a solver runs, the ledger stays on, because all functions that a solver calls are charged.
    """
    return nullcontext() if LEDGER.solving else conversion()


@contextmanager
def conversion() -> Iterator[None]:
    """Switch the ledger off for the conversion of a problem, which is free even during a run."""
    was, LEDGER.on = LEDGER.on, False
    try:
        yield
    finally:
        LEDGER.on = was


# context manager that is entered for each compilation; a command can use it to report progress
telling: Callable[[], AbstractContextManager[Any]] = nullcontext


def _jitted(function: Callable[..., Any], *signature: Any) -> Any:
    """Compile a function, and cache it on disk if possible."""
    import numba

    njit: Any = numba.njit

    try:
        return njit(*signature, cache=True)(function)
    except RuntimeError:  # numba found no writable folder for its cache
        return njit(*signature)(function)


class Inlined:
    """A function that kernels call; it is compiled with the first kernel that calls it.

    numba asks a global of a kernel for its type through the attribute ``_numba_type_``. Until then,
    numba is not imported, which takes as long as many first answers.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function

    @functools.cached_property
    def dispatcher(self) -> Any:
        """The function, as numba calls it."""
        return _jitted(self.py_func)

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_

    def __call__(self, *args: Any) -> Any:
        """Call the compiled function from Python."""
        return self.dispatcher(*args)


def inlined(function: Callable[..., Any]) -> Any:
    """Mark a function for use in kernels; its attribute ``py_func`` is the Python function."""
    return Inlined(function)


def _signed(signature: str, readonly: Container[int]) -> Any:
    """Return numba's signature with some read-only arrays, for which its notation has no symbol."""
    from numba.core import sigutils, types

    arguments, returned = sigutils.normalize_signature(signature)
    return returned(
        *(
            types.Array(kind.dtype, kind.ndim, kind.layout, readonly=True)
            if i in readonly
            else kind
            for i, kind in enumerate(arguments)
        )
    )


def compiled(
    signature: str, readonly: Container[int] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile a kernel on its first call, and charge the flops that it returns.

    The kernel returns (flops, ...), and its caller receives the other values. ``signature`` uses
    numba's notation. ``readonly`` contains the places of arguments that the kernel only reads: the
    arrays of a problem are read-only. Another array that is not C-ordered and writeable is copied.
    Other arrays are passed as they are, and the kernel can modify them. The attribute ``twin`` is
    the kernel as a Python function; the functions that it calls are still compiled.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.cache
        def kernel() -> Any:
            start = perf_counter()
            with telling():
                loaded = _jitted(function, _signed(signature, readonly))
            LEDGER.compile_seconds += perf_counter() - start
            return loaded

        @functools.wraps(function)
        def call(*args: Any) -> Any:
            flops, *results = kernel()(
                *[_ready(each, i in readonly) for i, each in enumerate(args)]
            )
            LEDGER.charge_compiled(flops)
            return results[0] if len(results) == 1 else tuple(results)

        call.twin = function  # type: ignore[attr-defined]
        return call

    return decorate


def _ready(argument: Any, readonly: bool = False) -> Any:
    """Convert an array to the form that kernels require; return other arguments unchanged."""
    if isinstance(argument, np.ndarray):
        flags = argument.flags
        if type(argument) is np.ndarray and (flags.carray or (readonly and flags.c_contiguous)):
            return argument  # a shortcut, because np.require takes a microsecond
        return np.require(np.asarray(argument), requirements=["C"] if readonly else ["C", "W"])
    return argument
