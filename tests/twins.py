"""Compiled kernels as plain Python, with which tests compare them."""

from types import FunctionType


def twin(kernel):
    """A kernel as plain Python, and so are all compiled functions that it calls.

    It gets namespaces of its own. No module is changed: a kernel that has yet to be compiled takes
    what it calls from its module, and would not compile with plain functions there.

    Parameters
    ----------
    kernel : callable
        A function that `spcabench.flops.compiled` or numba has compiled, or is to compile.

    Returns
    -------
    function
        The same function in plain Python. That of a `flops.compiled` returns (flops, ...).
    """
    return _plain(kernel, {})


def python_form(value):
    """Return the Python function behind a compiled function, or None for any other value."""
    return getattr(value, "py_func", None) or getattr(value, "twin", None)


def _plain(kernel, namespaces):
    """Return the twin, with the namespaces made so far: one for each module, by its identity."""
    function = python_form(kernel)
    assert not function.__closure__, f"{function.__qualname__}: a twin takes what it calls by name"
    module = function.__globals__
    namespace = namespaces.get(id(module))
    if namespace is None:
        # kept before it is filled: what is called may call back
        namespace = namespaces[id(module)] = dict(module)
        compiled = {name: value for name, value in module.items() if python_form(value)}
        namespace |= {name: _plain(value, namespaces) for name, value in compiled.items()}
    copy = FunctionType(function.__code__, namespace, function.__name__, function.__defaults__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy
