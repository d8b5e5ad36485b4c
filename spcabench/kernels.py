"""Compiled kernels (numba), which return their flops; timings exclude their compilation."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter
from typing import Any

import numpy as np

from spcabench.flops import LEDGER

# context in which a command compiles kernels, which takes seconds, once per machine
telling: Callable[[], AbstractContextManager[None]] = nullcontext
_KERNELS: dict[str, list[Callable[[], Any]]] = {}  # module -> functions that load its kernels


@functools.cache
def load(package: str) -> None:
    """Load or compile the kernels of those modules of a package that are already imported."""
    for module in [*_KERNELS]:
        if module.startswith(f"{package}."):
            for load_kernel in _KERNELS[module]:
                load_kernel()


def _jitted(function: Callable[..., Any], *signature: str) -> Any:
    """Compile a function, and cache it on disk if some folder is writable."""
    import numba

    njit: Any = numba.njit

    try:
        return njit(*signature, cache=True)(function)
    except RuntimeError:  # numba found no folder for its cache
        return njit(*signature)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a function that kernels call; its attribute ``py_func`` is the Python version."""
    return _jitted(function)


def compiled(signature: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile a kernel at its first call, and charge the flops that it returns.

    The kernel returns (flops, ...), and the caller gets the rest. It has one signature, in numba's
    notation. Arrays are passed C-ordered and writeable. An array that already is both is not
    copied, so a kernel may write to it. The attribute ``twin`` is the Python function, which still
    calls compiled functions.
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
    """Return an array in the form that kernels need; anything else is returned unchanged."""
    if isinstance(argument, np.ndarray):
        if type(argument) is np.ndarray and argument.flags.carray:
            return argument  # np.require takes a microsecond to find this out
        return np.require(np.asarray(argument), requirements=["C", "W"])
    return argument
