"""Kernels compiled by numba, which return their flops; timings exclude the compilation."""

from __future__ import annotations

import functools
from collections.abc import Callable, Container
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from spcabench.flops import LEDGER

# context manager that is entered for each compilation; a command can use it to report progress
telling: Callable[[], AbstractContextManager[None]] = nullcontext
_KERNELS: dict[str, list[Any]] = {}  # module -> functions that load its kernels


@functools.cache
def load(package: str) -> None:
    """Load or compile the kernels of all imported modules of a package."""
    for kernel in _imported(package):
        kernel()


def load_cached(package: str) -> None:
    """Load the kernels of a package that numba has already compiled and cached."""
    for kernel in _imported(package):
        if _is_cached(kernel.function):
            kernel()


def _imported(package: str) -> list[Any]:
    modules = [module for module in _KERNELS if module.startswith(f"{package}.")]
    return [kernel for module in modules for kernel in _KERNELS[module]]


def _is_cached(function: Callable[..., Any]) -> bool:
    """Whether numba's cache on disk seems to contain a function in compiled form."""
    folder = Path(_jitted(function).stats.cache_path or "none")
    return any(folder.glob(f"*.{function.__name__}-*.nbi"))


def _jitted(function: Callable[..., Any], *signature: Any) -> Any:
    """Compile a function, and cache it on disk if possible."""
    import numba

    njit: Any = numba.njit

    try:
        return njit(*signature, cache=True)(function)
    except RuntimeError:  # numba found no writable folder for its cache
        return njit(*signature)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a function for use in kernels; its attribute ``py_func`` is the Python function."""
    return _jitted(function)


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
            ready = (_ready(each, i in readonly) for i, each in enumerate(args))
            flops, *results = kernel()(*ready)
            LEDGER.charge_compiled(flops)
            return results[0] if len(results) == 1 else tuple(results)

        call.twin = function  # type: ignore[attr-defined]
        kernel.function = function  # type: ignore[attr-defined]
        _KERNELS.setdefault(function.__module__, []).append(kernel)
        return call

    return decorate


def _ready(argument: Any, readonly: bool = False) -> Any:
    """Convert an array to the form that kernels require; return other arguments unchanged."""
    if isinstance(argument, np.ndarray):
        if type(argument) is np.ndarray and argument.flags.carray:
            return argument  # a shortcut, because np.require takes a microsecond
        return np.require(np.asarray(argument), requirements=["C"] if readonly else ["C", "W"])
    return argument
