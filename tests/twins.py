"""Compiled kernels as plain Python, which tests hold them against, and what no test may replace."""

from dis import get_instructions
from types import FunctionType, ModuleType


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


def refuse(target, name):
    """Fail if a test replaces a function or constant that one of a module's kernels reads.

    A kernel compiled in the meantime would use the replacement, or fail to compile. Whether one is
    compiled depends on earlier tests and on the cache.
    """
    if isinstance(target, ModuleType):
        forms = [python_form(value) for value in vars(target).values()]
        here = [form for form in forms if form and form.__globals__ is vars(target)]
        readers = [form.__name__ for form in here if _reads(form, name)]
        assert not readers, f"{target.__name__}.{name} is compiled into {', '.join(readers)}"


def _reads(function, name):
    """Return whether a function reads a name of its module."""
    return any(
        step.opname == "LOAD_GLOBAL" and step.argval == name for step in get_instructions(function)
    )


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
