"""The registry of solvers, datasets and figures, which finds files by name without importing them.

Solvers outside the repository are specified by path (``my_solver.py``) or installed in the
entry-point group ``spcabench.solvers``.

Numerical libraries are imported only when they are needed, so listing names is fast.
"""

import ast
import importlib
import importlib.util
import inspect
import os
import pkgutil
import re
import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from spcabench import machine
from spcabench.errors import InputError, SolverError
from spcabench.files import read_bytes
from spcabench.machine import extra_of

Kind = Literal["solver", "dataset", "figure"]
PACKAGES: dict[Kind, str] = {
    "solver": "spcabench.solvers",
    "dataset": "spcabench.datasets",
    "figure": "spcabench.figures",
}
PARTS = ("TRAITS", "solve")  # names that the file of a solver must define
# characters allowed in the name of a solver, which is part of file names and addresses
NAME, LETTERS = re.compile("[A-Za-z0-9_]+"), "only letters from a to z, digits and _"


def _package(kind: Kind) -> ModuleType:
    machine.warn_of_mixed_checkouts()
    return importlib.import_module(PACKAGES[kind])


@lru_cache
def _files(kind: Kind) -> dict[str, Path]:
    package = _package(kind)
    files = {}
    for folder in package.__path__:
        for module in pkgutil.iter_modules([folder]):
            if not (module.ispkg or module.name.startswith("_")):  # single files, not folders
                files[module.name] = Path(folder) / f"{module.name}.py"
    return files


def _entry_points(kind: Kind) -> dict[str, EntryPoint]:
    points = entry_points(group=PACKAGES[kind]) if kind == "solver" else ()
    return {point.name: point for point in points if NAME.fullmatch(point.name)}


def names(kind: Kind) -> list[str]:
    """Return the sorted names of all solvers, datasets or figures."""
    return sorted({*_files(kind), *_entry_points(kind)})


def path(kind: Kind, name: str) -> Path:
    """Return the file of a solver (by name or path), a dataset or a figure (by name).

    Raises InputError if the name is unknown; the error suggests a similar name.
    """
    if kind == "solver" and name.endswith(".py"):
        if os.path.isdir(name):
            raise InputError(f"{kind}: {name!r} is a folder, not a file")
        if not os.path.isfile(name):  # also if no file can have this name
            raise InputError(f"{kind}: there is no file {name!r:.80}")
        if not NAME.fullmatch(Path(name).stem):
            raise InputError(f"{kind}: {name!a:.200}; the name of the file must have {LETTERS}")
        return Path(name)
    if name in _files(kind):
        return _files(kind)[name]
    if name in _entry_points(kind):
        spec = importlib.util.find_spec(_entry_points(kind)[name].module)
        if spec is not None and spec.origin:
            return Path(spec.origin)
    if kind == "solver" and name and os.path.exists(name):
        found_kind = "folder" if os.path.isdir(name) else "file whose name does not end in .py"
        raise InputError(
            f"solver: {name!r} is a {found_kind}; specify the name of a solver (see `spcabench "
            "list solvers`) or its file NAME.py"
        )
    from spcabench.errors import nearest

    raise InputError(nearest(kind, name, names(kind)))


def module(kind: Kind, name: str) -> ModuleType:
    """Import and return the module of a solver, dataset or figure.

    Raises InputError if the name is unknown, and SolverError if the file is not a solver.
    """
    file = path(kind, name)
    if kind == "solver" and name.endswith(".py"):
        loaded = _once_from_file(file)
    elif name in _files(kind):
        loaded = importlib.import_module(f"{PACKAGES[kind]}.{name}")
    else:
        loaded = importlib.import_module(_entry_points(kind)[name].module)
    if kind == "solver":
        _check_solver(loaded)
    return loaded


def _alternatives(hint: Any) -> list[Any]:
    """Return the values and types that a type hint allows."""
    parts = get_args(hint)
    if get_origin(hint) is Literal:
        return [*parts]
    return [each for part in parts for each in _alternatives(part)] or [hint]


@lru_cache
def _check_solver(solver: ModuleType) -> None:
    """Raise SolverError if a module is not a solver."""
    from spcabench.iterate import Traits

    for part in PARTS:
        if not hasattr(solver, part):
            raise SolverError(f"the file does not define {part}; see `spcabench new solver`")
    if not isinstance(solver.TRAITS, Traits):
        raise SolverError(f"TRAITS is {solver.TRAITS!r:.40}; it must be Traits(...)")
    for name, hint in get_type_hints(Traits).items():
        value, allowed = getattr(solver.TRAITS, name), _alternatives(hint)
        if value not in allowed and type(value) not in allowed:
            shown = ", ".join(getattr(each, "__name__", repr(each)) for each in allowed)
            raise SolverError(f"TRAITS has {name}={value!r:.40}; it must be one of {shown}")
    if solver.TRAITS.control == "penalty" and not solver.TRAITS.penalty:
        raise SolverError('TRAITS has control="penalty"; it must also have the name of the penalty')
    if not callable(solver.solve):
        raise SolverError(f"solve is {solver.solve!r:.40}; it must be a function")
    arguments = inspect.signature(solver.solve).parameters
    control = {"cardinality": "k", "penalty": solver.TRAITS.penalty}.get(str(solver.TRAITS.control))
    if next(iter(arguments), None) != "problem" or (control and control not in arguments):
        setting = f", *, {control}" if control else ""
        raise SolverError(
            f"solve has the parameters {[*arguments]}; they must be (problem{setting}, ...)"
        )


def unavailable(solver: str) -> str:
    """Return the reason why a solver cannot run (the library it REQUIRES is missing), or ""."""
    needed = written(solver, "REQUIRES")
    if not needed or importlib.util.find_spec(needed):
        return ""
    return f"needs {needed}, which is not installed; use the extra {extra_of(needed)}"


def written(solver: str, name: str) -> str:
    """Return the string that a solver's file assigns to a name, or ""; the file is not imported."""
    return _texts(path("solver", solver).read_bytes()).get(name, "")


@lru_cache(maxsize=256)
def _texts(source: bytes) -> dict[str, str]:
    """Return the strings that a file assigns to names; empty if the file has a syntax error."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # reported by the import
        return {}
    return {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets[:1]
        if isinstance(target, ast.Name) and isinstance(node.value.value, str)
    }


def is_own_file(solver: str) -> bool:
    """Whether a solver (a name or a path) is a file of this repository, without loading it."""
    file = path("solver", solver).resolve()
    return _files("solver").get(file.stem, Path()).resolve() == file


@lru_cache
def is_own(loaded: ModuleType) -> bool:
    """Whether a solver's module was loaded from a file of this repository."""
    file = getattr(loaded, "__file__", None)
    return file is not None and is_own_file(str(file))


_LOADED: dict[tuple[Path, bytes], ModuleType] = {}  # (path, content) -> module loaded by path


def _once_from_file(file: Path) -> ModuleType:
    """Load a file only if it is new or has changed, because loading it can compile kernels."""
    key = file.resolve(), read_bytes(file, "a solver's file, NAME.py")
    if key not in _LOADED:
        _LOADED[key] = _from_file(file)
    return _LOADED[key]


_GIVEN: dict[str, ModuleType] = {}  # name -> the last module with this name that was loaded by path


def _from_file(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    # pickling functions requires an entry in sys.modules; that of a library is never replaced
    if sys.modules.get(file.stem) is _GIVEN.get(file.stem):
        sys.modules[file.stem] = _GIVEN[file.stem] = loaded
    try:
        spec.loader.exec_module(loaded)
    except SystemExit as end:
        raise SolverError(f"importing the file exits the program: {end!r}") from None
    except ImportError as error:
        name = str(error.name or "").partition(".")[0]
        if (file.parent / f"{name}.py").is_file() or "relative import" in str(error):
            raise SolverError(
                f"{error}: a solver is a single file and cannot import modules next to it; put the "
                "code into the file, or install it as a package"
            ) from None
        raise
    return loaded


def solver_for(n: int) -> str:
    """Return the default solver for n variables."""
    return next(name for most, name in _package("solver").BY_SIZE if n <= most)


def quick_solver(nonnegative: bool = False) -> tuple[str, dict[str, Any]]:
    """Return a fast solver and its settings, for many runs whose answers need not be optimal."""
    name, settings = _package("solver").QUICK[nonnegative]
    return name, dict(settings)


def descriptions(kind: Kind) -> dict[str, str]:
    """Return a mapping from names to the first paragraph of each docstring."""
    return {name: _first_paragraph(path(kind, name)) for name in names(kind)}


def _first_paragraph(file: Path) -> str:
    try:
        docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    except SyntaxError as error:
        return f"(broken: line {error.lineno}: {error.msg})"
    except (OSError, ValueError, RecursionError) as error:
        return f"(broken: {error})"
    first = (docstring or "(no docstring)").partition("\n\n")[0]
    return " ".join(first.split()).rstrip(".")
