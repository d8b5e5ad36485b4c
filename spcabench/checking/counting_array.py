"""Arrays that count the products they take part in, for the audit (see `spcabench.checking.audit`
for the rules).
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
    """The audit saw nothing, or met a function that it has no count for."""


class Tally:
    """Flops and calls seen while it is on, those of the set-up apart."""

    def __init__(self) -> None:
        self.on = self.setup = False
        self.flops = {True: 0, False: 0}  # by setup
        self.calls: Counter[str] = Counter()
        self._solves: Counter[int] = Counter()  # by order
        self._quotients: dict[
            int, list[bool]
        ] = {}  # by order: of each one taken back, whether it was in the set-up

    @contextmanager
    def watching(self, setup: bool) -> Iterator[None]:
        """Count what happens inside."""
        self.on, self.setup = True, setup
        try:
            yield
        finally:
            self.on = False

    def count(self, name: str, flops: int) -> None:
        """Add one call."""
        if self.on:
            self.calls[name] += 1
            self.flops[self.setup] += int(flops)

    def count_solve(self, name: str, k: int) -> None:
        """Add one solve of order k."""
        if self.on:
            self.count(name, k**3 + 2 * k**2)
            self._solves[k] += 1

    def quotient(self, k: int) -> None:
        """Take back the product of a Rayleigh quotient of order k, unless it runs ahead of the
        solves of its order.
        """
        taken = self._quotients.setdefault(k, [])
        if self.on and len(taken) <= self._solves[k]:
            taken.append(self.setup)
            self.flops[self.setup] -= k**2

    def settle(self) -> None:
        """At the end: count the quotients after all whose order was never solved."""
        for k, taken in self._quotients.items():
            if not self._solves[k]:
                for setup in taken:
                    self.flops[setup] += k**2


TALLY = Tally()


class Seen(np.ndarray):
    """An array whose products are counted; what is made from it is seen too."""

    low_rank: bool
    square_product: tuple[int, Array] | None

    def __array_finalize__(self, parent: Any) -> None:
        self.low_rank = getattr(parent, "low_rank", False)
        self.square_product = None  # set on B y: the order of B and y

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
        out = settings.get("out")
        if out is not None:
            settings["out"] = tuple(plain(o) for o in out)
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

    def dot(
        self, other: Any, out: Any = None
    ) -> Any:  # a method of its own: it passes by __array_function__
        """The product, counted."""
        return np.matmul(self, other)


def seen(result: Any, low_rank: bool = False) -> Any:
    """A seen view of an array; scalars and anything else as they are."""
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
    """The array without its class, sharing its memory."""
    return x.view(np.ndarray) if isinstance(x, Seen) else x


def is_low_rank(x: Any) -> bool:
    """Whether x is part of a low-rank correction."""
    return isinstance(x, Seen) and x.low_rank


def _stays_low_rank(ufunc: np.ufunc, arrays: list[Any]) -> bool:
    """Whether an elementwise result is low-rank: all its arrays are, or it is one scaled by plain
    vectors.
    """
    if ufunc is np.multiply:
        arrays = [x for x in arrays if isinstance(x, Seen) or np.ndim(x) > 1]
    return bool(arrays) and all(map(is_low_rank, arrays))


def _all_plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_all_plain(v) for v in value)
    return {k: _all_plain(v) for k, v in value.items()} if isinstance(value, dict) else plain(value)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for v in value:
            yield from _leaves(v)
    else:
        yield value


def _product(count: Callable[..., int], name: str, inputs: Any, result: Any) -> Any:
    """Count one product unless a low-rank part is in it, and mark or take back a Rayleigh
    quotient's.
    """
    low_rank = any(map(is_low_rank, inputs))
    arrays = [np.asarray(x) for x in inputs if np.ndim(x)]
    if not low_rank and any(isinstance(x, Seen) and x.ndim > 1 for x in inputs):
        TALLY.count(name, count(*arrays))
    result = seen(result, low_rank)
    if len(inputs) == 2 and not low_rank:
        B, y = arrays
        if B.ndim == 2 and y.ndim == 1 and B.shape[0] == B.shape[1] and isinstance(result, Seen):
            result.square_product = len(y), y.copy()
        if B.ndim == y.ndim == 1:
            _quotient(*inputs)
    return result


def _quotient(x: Any, p: Any) -> None:
    """Recognise x'p with p = B x."""
    for v, product in ((x, p), (p, x)):
        made = getattr(product, "square_product", None)
        if made is not None and np.array_equal(plain(v), made[1]):
            TALLY.quotient(made[0])
            return


def _matmul(a: Array, b: Array) -> int:
    return (
        a.size
        * (b.shape[-1] if b.ndim > 1 else 1)
        * (int(np.prod(b.shape[:-2])) if a.ndim < 3 else 1)
    )


def _larger(a: Array, b: Array) -> int:
    return max(a.size, b.size)


def _einsum(subscripts: str, arrays: Any) -> int:
    sizes = {
        i: d
        for term, a in zip(subscripts.split("->")[0].split(","), arrays, strict=True)
        for i, d in zip(term.strip(), a.shape, strict=True)
    }
    return int(np.prod(list(sizes.values())))


def _eigh(a: Array, *rest: Any) -> int:
    return 9 * a.shape[-1] * a.size


PRODUCTS: dict[np.ufunc, Callable[..., int]] = {np.matmul: _matmul, np.vecdot: _larger}
PRODUCTS |= {getattr(np, name): _larger for name in ("matvec", "vecmat") if hasattr(np, name)}
FUNCTIONS: dict[Any, Callable[..., int]] = {
    np.dot: _matmul,
    np.inner: lambda a, b: a.size * (len(b) if b.ndim > 1 else 1),
    np.vdot: _larger,
    np.linalg.norm: lambda a, *rest: a.size,
    np.linalg.eigh: _eigh,
    np.linalg.eigvalsh: _eigh,
}
