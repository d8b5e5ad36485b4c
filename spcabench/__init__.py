"""spcabench: a benchmarking and reproduction suite for sparse principal component analysis.

``load`` returns a dataset as a `Problem`. You can also create a problem from your own data.
``solve`` finds one sparse component with a solver, and ``components`` finds several components.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spcabench.api import (
        components,
        list_datasets,
        list_figures,
        list_solvers,
        load,
        path,
        solve,
    )
    from spcabench.estimators import SparsePCA
    from spcabench.problem.problem import Problem
    from spcabench.selecting.inclusion import inclusion
    from spcabench.selecting.permutation_test import PermutationTest, permutation_test
    from spcabench.selecting.selection import Selection, select
    from spcabench.solving.result import Result

__all__ = [
    "PermutationTest",
    "Problem",
    "Result",
    "Selection",
    "SparsePCA",
    "components",
    "inclusion",
    "list_datasets",
    "list_figures",
    "list_solvers",
    "load",
    "path",
    "permutation_test",
    "select",
    "solve",
]

_HOME = {
    "PermutationTest": "selecting.permutation_test",
    "Problem": "problem.problem",
    "Result": "solving.result",
    "Selection": "selecting.selection",
    "SparsePCA": "estimators",
    "inclusion": "selecting.inclusion",
    "permutation_test": "selecting.permutation_test",
    "select": "selecting.selection",
}


def __getattr__(name: str) -> Any:
    # Imports are lazy, because a worker must pin its threads after importing this file and before
    # importing NumPy.
    if name == "__version__":
        return import_module("importlib.metadata").version(__name__)
    if name not in __all__:
        raise AttributeError(f"module 'spcabench' has no attribute {name!r}")
    return getattr(import_module(f".{_HOME.get(name, 'api')}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
