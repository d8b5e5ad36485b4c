"""Arrays for the audit that count their products.

The counting rules are in `spcabench.checking.audit`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class AuditError(RuntimeError):
    """The audit observed no computation, or a function that it cannot count."""


class Tally:
    """Counts of flops and calls, with separate flops for the set-up."""

    def __init__(self) -> None:
        self.on = self.setup = False
        self.flops = {True: 0, False: 0}  # key: whether in the set-up
        self.calls: Counter[str] = Counter()
        self._solves: Counter[int] = Counter()  # order -> number of solves
        # order -> for each quotient that was refunded, whether it was in the set-up
        self._quotients: dict[int, list[bool]] = {}

    @contextmanager
    def watching(self, setup: bool) -> Iterator[None]:
        """Count flops inside the block."""
        self.on, self.setup = True, setup
        try:
            yield
        finally:
            self.on = False

    def count(self, name: str, flops: int) -> None:
        """Add the flops of one call."""
        if self.on:
            self.calls[name] += 1
            self.flops[self.setup] += int(flops)

    def count_solve(self, name: str, k: int) -> None:
        """Add one solve of order k."""
        if self.on:
            self.count(name, k**3 + 2 * k**2)
            self._solves[k] += 1

    def quotient(self, k: int) -> None:
        """Refund the product of a Rayleigh quotient of order k if a solve covers its cost."""
        # The cost of a solve, k^3 + 2 k^2, includes a quotient, but the audit has already counted
        # k^2 for its product B y. A quotient can precede its solve, so there can be one more
        # quotient than solves. No solve covers the cost of a second one.
        taken = self._quotients.setdefault(k, [])
        if self.on and len(taken) <= self._solves[k]:
            taken.append(self.setup)
            self.flops[self.setup] -= k**2

    def settle(self) -> None:
        """Cancel the refunds of quotients if no system of their order was solved."""
        for k, taken in self._quotients.items():
            if not self._solves[k]:
                for setup in taken:
                    self.flops[setup] += k**2


# Replaced by a new tally during an audit. It is global because arrays could not find it otherwise.
TALLY = Tally()


class Seen(np.ndarray):
    """An array that counts its products, as do arrays derived from it.

    Attributes
    ----------
    low_rank : bool
        Whether the array is part of a low-rank correction, whose products are not charged.
    square_product : tuple of int and array, or None
        The order of B and the vector y, if the array is a product B y with a square B.
    """

    low_rank: bool
    square_product: tuple[int, Array] | None

    def __array_finalize__(self, parent: Any) -> None:
        # A view or slice of a low-rank part is also low-rank, but it is not the product B y.
        self.low_rank = getattr(parent, "low_rank", False)
        self.square_product = None

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
        out = settings.get("out")
        if out is not None:
            settings["out"] = tuple(plain(o) for o in out)
        # Plain arrays are passed, because NumPy would otherwise call this method recursively.
        result = getattr(ufunc, method)(*map(plain, inputs), **settings)
        if out is not None:
            return out[0] if len(out) == 1 else out
        if method == "__call__" and ufunc in PRODUCTS:
            return _product(PRODUCTS[ufunc], ufunc.__name__, inputs, result)
        return seen(result, _stays_low_rank(ufunc, [x for x in inputs if np.ndim(x)]))

    def __array_function__(self, function: Any, types: Any, args: Any, settings: Any) -> Any:
        result = function(*_all_plain(args), **_all_plain(settings))
        if function is np.einsum:
            return _product(lambda *a: _einsum(args[0], a), "einsum", args[1:], result)
        if function in FUNCTIONS:
            return _product(FUNCTIONS[function], function.__name__, args, result)
        # Everything except linear algebra is free. A linear algebra function without a count raises
        # an error, so new calls in the matrix layer cannot remain uncounted.
        if function.__module__ == "numpy.linalg" or function in (np.tensordot, np.kron):
            raise AuditError(
                f"no count for {function.__module__}.{function.__name__}: add one to the audit"
            )
        flags = [
            x.low_rank if isinstance(x, Seen) else False
            for x in _leaves(args)
            if isinstance(x, np.ndarray)
        ]
        return seen(result, bool(flags) and all(flags))

    def dot(self, other: Any, out: Any = None) -> Any:
        """Count and return the product."""
        # The method of ndarray calls BLAS directly, without the two protocols above.
        return np.matmul(self, other)


def seen(result: Any, low_rank: bool = False) -> Any:
    """Return a counting view of an array; return scalars and other objects unchanged."""
    # Decompositions return (named) tuples of arrays, and the type of the tuple is preserved.
    if isinstance(result, tuple):
        return (
            type(result)(*(seen(r, low_rank) for r in result))
            if hasattr(result, "_fields")
            else tuple(seen(r, low_rank) for r in result)
        )
    if not isinstance(result, np.ndarray) or result.ndim == 0:
        return result
    view = result.view(Seen)
    view.low_rank = low_rank
    return view


def plain(x: Any) -> Any:
    """Return a plain view of a counting array; return other objects unchanged."""
    return x.view(np.ndarray) if isinstance(x, Seen) else x


def is_low_rank(x: Any) -> bool:
    """Whether x is part of a low-rank correction."""
    return isinstance(x, Seen) and x.low_rank


def _stays_low_rank(ufunc: np.ufunc, arrays: list[Any]) -> bool:
    """Whether the result of an elementwise operation on low-rank arrays is low-rank."""
    # A low-rank factor remains one if a plain vector scales its rows or columns. Its sum with
    # anything else is the corrected matrix itself, for which products cost flops.
    if ufunc is np.multiply:
        arrays = [x for x in arrays if isinstance(x, Seen) or np.ndim(x) > 1]
    return bool(arrays) and all(map(is_low_rank, arrays))


def _all_plain(value: Any) -> Any:
    """Replace counting arrays by plain views in nested lists, tuples and dicts."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_all_plain(v) for v in value)
    return {k: _all_plain(v) for k, v in value.items()} if isinstance(value, dict) else plain(value)


def _leaves(value: Any) -> Iterator[Any]:
    """Yield the elements of nested lists and tuples."""
    if isinstance(value, (list, tuple)):
        for v in value:
            yield from _leaves(v)
    else:
        yield value


def _product(count: Callable[..., int], name: str, inputs: Any, result: Any) -> Any:
    """Count a product, unless it involves a low-rank part, and detect Rayleigh quotients."""
    # A product is counted only if its matrix is derived from the problem. Products with a basis
    # that an iteration stores in its own array (Gram-Schmidt) are free by convention.
    low_rank = any(map(is_low_rank, inputs))
    arrays = [np.asarray(x) for x in inputs if np.ndim(x)]
    if not low_rank and any(isinstance(x, Seen) and x.ndim > 1 for x in inputs):
        TALLY.count(name, count(*arrays))
    result = seen(result, low_rank)
    if len(inputs) == 2 and not low_rank:
        B, y = arrays
        # A quotient is detected in two steps: B y is marked with a copy of y (because solvers reuse
        # their arrays), and an inner product of B y with an equal vector completes the quotient.
        if B.ndim == 2 and y.ndim == 1 and B.shape[0] == B.shape[1] and isinstance(result, Seen):
            result.square_product = len(y), y.copy()
        if B.ndim == y.ndim == 1:
            _quotient(*inputs)
    return result


def _quotient(x: Any, p: Any) -> None:
    """Refund the product B x if p is B x or x is B p."""
    for v, product in ((x, p), (p, x)):
        operands = getattr(product, "square_product", None)
        if operands is not None and np.array_equal(plain(v), operands[1]):
            TALLY.quotient(operands[0])
            return


def _matmul(a: Array, b: Array) -> int:
    """Count the flops of a product of two arrays, each of which can be a stack of matrices."""
    return (
        a.size
        * (b.shape[-1] if b.ndim > 1 else 1)
        * (int(np.prod(b.shape[:-2])) if a.ndim < 3 else 1)
    )


def _larger(a: Array, b: Array) -> int:
    """Count the flops of a product that uses every entry of the larger array once."""
    return max(a.size, b.size)


def _einsum(subscripts: str, arrays: Any) -> int:
    """Count one flop for every combination of indices."""
    sizes = {
        i: d
        for term, a in zip(subscripts.split("->")[0].split(","), arrays, strict=True)
        for i, d in zip(term.strip(), a.shape, strict=True)
    }
    return int(np.prod(list(sizes.values())))


def _eigh(a: Array, *options: Any) -> int:
    """Count 9 n^3 flops for each matrix of a stack."""
    return 9 * a.shape[-1] * a.size


PRODUCTS: dict[np.ufunc, Callable[..., int]] = {np.matmul: _matmul, np.vecdot: _larger}
# These functions exist only in NumPy 2.2 and later.
PRODUCTS |= {getattr(np, name): _larger for name in ("matvec", "vecmat") if hasattr(np, name)}
FUNCTIONS: dict[Any, Callable[..., int]] = {
    np.dot: _matmul,
    np.inner: lambda a, b: a.size * (len(b) if b.ndim > 1 else 1),
    np.vdot: _larger,
    np.linalg.norm: lambda a, *rest: a.size,
    np.linalg.eigh: _eigh,
    np.linalg.eigvalsh: _eigh,
}
