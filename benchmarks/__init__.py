"""The asv benchmarks, the history page and the gate.

asv names a benchmark by its module, class and method. The classes are here, and not in a module, so
that ``asv run --bench '^grqi'`` selects a solver.
"""

from importlib.util import find_spec as _find_spec
from pathlib import Path as _Path

from .solver import _Solver

_COMMIT = {file.stem for file in _Path(_find_spec("spcabench.solvers").origin).parent.glob("*.py")}
_HERE = {file.stem for file in _Path(__file__).parents[1].glob("solvers/*.py")}

# A class for each solver of the measured commit and of this checkout. A commit skips the solvers
# that it lacks.
for _name in sorted(name for name in _COMMIT | _HERE if not name.startswith("_")):
    globals()[_name] = type(_name, (_Solver,), {"solver": _name, "present": _name in _COMMIT})


def timeraw_import():
    """Time the imports for a solve in a new interpreter."""
    return "from spcabench import solve, load"


timeraw_import.version = "1"
