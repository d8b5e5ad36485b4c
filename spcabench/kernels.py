"""Compiled kernels (numba), which return their flops; no timing includes their compilation."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter
from typing import Any

import numpy as np

from spcabench.flops import LEDGER

# what a command does while kernels compile, which takes seconds, once on a machine
telling: Callable[[], AbstractContextManager[None]] = nullcontext
_KERNELS: dict[str, list[Callable[[], Any]]] = {}  # module -> what loads its kernels


@functools.cache
def load(package: str) -> None:
    """Load or compile the kernels of the modules of a package that are imported by now."""
    for module in [*_KERNELS]:
        if module.startswith(f"{package}."):
            for load_kernel in _KERNELS[module]:
                load_kernel()


def _jitted(function: Callable[..., Any], *signature: str) -> Any:
    """Compile a function, and cache it on disk where some folder can be written to."""
    import numba

    njit: Any = numba.njit

    try:
        return njit(*signature, cache=True)(function)
    except RuntimeError:  # numba found no folder for its cache
        return njit(*signature)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a function that kernels call; its attribute ``py_func`` is the Python form."""
    return _jitted(function)


def compiled(signature: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile a kernel at its first call, and charge the flops that it returns.

    The kernel returns (flops, ...), and the caller gets the rest. It has one signature, in numba's
    notation. Arrays are handed over C-ordered and writeable. One that is so already is not copied,
    and a kernel may write to it. The attribute ``twin`` is the Python function, which still calls
    compiled ones.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.cache
        def kernel() -> Any:
            start = perf_counter()
            with telling():
                loaded = _jitted(function, signature)
            LEDGER.compile_seconds += perf_counter() - start
            return loaded

        @functools.wraps(function)
        def call(*args: Any) -> Any:
            flops, *results = kernel()(*map(_ready, args))
            LEDGER.charge_compiled(flops)
            return results[0] if len(results) == 1 else tuple(results)

        call.twin = function  # type: ignore[attr-defined]
        _KERNELS.setdefault(function.__module__, []).append(kernel)
        return call

    return decorate


def _ready(argument: Any) -> Any:
    """Return an array as kernels take it; anything else is returned as it is."""
    if isinstance(argument, np.ndarray):
        if type(argument) is np.ndarray and argument.flags.carray:
            return argument  # np.require takes a microsecond to say so
        return np.require(np.asarray(argument), requirements=["C", "W"])
    return argument
