"""Imported once by the process from which strangers' workers are forked, which knows no plan.

That process is Python's fork server (`multiprocessing`). A worker forked there has the libraries
and kernels loaded, because it is confined and can save no kernel, but its memory shows no coming
run.
"""

from importlib import import_module
from pkgutil import walk_packages

from spcabench import kernels, methods
from spcabench.running import worker  # noqa: F401

for module in walk_packages(methods.__path__, f"{methods.__name__}."):
    import_module(module.name)
kernels.load("spcabench.problem")
kernels.load_cached("spcabench.methods")
