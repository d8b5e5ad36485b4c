"""spcabench: a benchmarking and reproduction suite for sparse principal component analysis.

``load`` returns a dataset as a `Problem`. You can also create a problem from your own data.
``solve`` finds one sparse component, or several, with a solver.
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
    from spcabench.errors import InputError
    from spcabench.estimators import SparsePCA
    from spcabench.iterate import Iterate, Traits
    from spcabench.problem.problem import Problem
    from spcabench.selecting.inclusion import inclusion
    from spcabench.selecting.permutation_test import PermutationTest, permutation_test
    from spcabench.selecting.selection import Selection, select
    from spcabench.solving.call import Limits
    from spcabench.solving.cardinality_path import CardinalityPath
    from spcabench.solving.deflate import Components
    from spcabench.solving.result import Result

__all__ = [
    "CardinalityPath",
    "Components",
    "InputError",
    "Iterate",
    "Limits",
    "PermutationTest",
    "Problem",
    "Result",
    "Selection",
    "SparsePCA",
    "Traits",
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
    "CardinalityPath": "solving.cardinality_path",
    "Components": "solving.deflate",
    "InputError": "errors",
    "Iterate": "iterate",
    "Limits": "solving.call",
    "PermutationTest": "selecting.permutation_test",
    "Problem": "problem.problem",
    "Result": "solving.result",
    "Selection": "selecting.selection",
    "SparsePCA": "estimators",
    "Traits": "iterate",
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
