"""The layers of docs/design.md, read from the imports, and what no file may hold."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import spcabench
from spcabench import registry

ROOT = Path(spcabench.__file__).parents[1]
LAYERS = {
    0: ["flops", "vectors", "iterate", "kernels"],
    1: [
        *(
            "validate",
            "matrix",
            "covariance",
            "problem",
            "sources",
            "steps",
            "eliminate",
            "docword",
            "expression",
            "corpus",
        ),
        *(
            "spectral",
            "rows",
            "relaxation",
            "smoothing",
            "convex",
            "sdp",
            "lowrank",
            "spannogram",
            "swap",
            "pruning",
            "exact",
            "ceilings",
        ),
    ],
    1.5: ["solvers", "datasets"],
    2: ["bounds", "certify", "result", "driver"],
    3: ["registry", "tune", "deflate"],
    3.5: ["api"],
    5: ["figures", "comparison"],
    6: [
        *("report", "solverpages", "making", "verify", "publish"),
        *("comparing", "estimators", "workflow", "show", "export", "doctor", "__main__"),
    ],
}
OTHERS = 4  # run, worker, machine, claims, style, audit and what they are split into
# solvers and datasets see the problem and what it is made of, never each other
BELOW_SOLVERS = LAYERS[0] + LAYERS[1]
FILES = sorted(p for folder in ("spcabench", "solvers", "datasets") for p in (ROOT / folder).rglob("*.py"))
CORE = [p for p in FILES if p.parent == ROOT / "spcabench"]
SOLVERS = [p for p in FILES if p.parent.name == "solvers"]
every_file = pytest.mark.parametrize("file", FILES, ids=lambda p: str(p.relative_to(ROOT)))


@cache
def _tree(file):
    return ast.parse(file.read_text(encoding="utf-8"))


def _module(file):
    """The module's name below spcabench: "matrix", "solvers", "figures"."""
    return file.stem if file.parent == ROOT / "spcabench" else file.parent.name


def _layer(module):
    return next((layer for layer, modules in LAYERS.items() if module in modules), OTHERS)


def _type_checking(tree):
    """What only type checkers see."""
    return {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }


def _imports(file):
    """Absolute dotted names of everything imported."""
    tree = _tree(file)
    skipped = _type_checking(tree)
    package = ["spcabench", *([file.parent.name] if file.parent != ROOT / "spcabench" else [])]
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) + 1 - node.level]) if node.level else ""
            source = ".".join(filter(None, [base, node.module]))
            yield from (f"{source}.{alias.name}" for alias in node.names)


def _own(name):
    """The module below spcabench that an import names, or None."""
    parts = name.split(".")
    if parts[0] != "spcabench":
        return None
    if len(parts) > 1 and (
        (ROOT / "spcabench" / f"{parts[1]}.py").exists() or parts[1] in ("solvers", "datasets", "figures", "comparison")
    ):
        return parts[1]
    return "api" if len(parts) > 1 else "__init__"


@every_file
def test_imports_go_down(file):
    me = _module(file)
    for name in _imports(file):
        other = _own(name)
        if other is None or (me == "figures" and other == "figures") or file.name == "__init__.py":
            continue
        if me in ("solvers", "datasets"):
            assert other in BELOW_SOLVERS, f"{file.name} imports {name}"
        else:
            assert other not in ("solvers", "datasets"), f"{file.name} imports {name}"
            assert _layer(other) <= _layer(me), (
                f"{file.name} (layer {_layer(me)}) imports {name} (layer {_layer(other)})"
            )


@every_file
def test_no_bare_import_of_the_repository_folders(file):
    assert not {n.split(".")[0] for n in _imports(file)} & {"solvers", "datasets", "figures", "benchmarks", "tests"}


@pytest.mark.parametrize("file", SOLVERS, ids=lambda p: p.name)
def test_solvers_do_not_time_print_charge_or_branch_on_the_storage(file):
    assert not {n.split(".")[0] for n in _imports(file)} & {"time", "timeit", "sys", "logging"}
    names = {n.id for n in ast.walk(_tree(file)) if isinstance(n, ast.Name)}
    names |= {n.attr for n in ast.walk(_tree(file)) if isinstance(n, ast.Attribute)}
    assert not names & {"print", "issparse", "perf_counter", "charge", "LEDGER", "solve_cost", "eigh_cost"}


def _strings(tree):
    """String constants that are not docstrings."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None
    }
    return {
        n.value
        for n in ast.walk(tree)
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in docstrings
    }


@pytest.mark.parametrize("file", CORE, ids=lambda p: p.name)
def test_the_core_names_no_solver(file):
    assert not _strings(_tree(file)) & set(registry.names("solver"))


@every_file
def test_files_are_short(file):
    assert len(file.read_text(encoding="utf-8").splitlines()) < 250


@pytest.mark.parametrize("file", sorted((ROOT / "tests").glob("*.py")), ids=lambda p: p.name)
def test_tests_are_short(file):
    assert len(file.read_text(encoding="utf-8").splitlines()) < 250


def _code_lines(file):
    """Lines that are neither empty, nor comments, nor docstrings."""
    lines = file.read_text(encoding="utf-8").splitlines()
    prose = set()
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            prose |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return sum(bool(x.strip()) and not x.strip().startswith("#") for i, x in enumerate(lines, 1) if i not in prose)


def test_the_core_is_small():
    """The harness apart from what solvers and datasets are made of (layers 0 and 1)."""
    lines = {file.stem: _code_lines(file) for file in CORE}
    assert sum(lines[name] for name in BELOW_SOLVERS) < 2400
    assert sum(lines[name] for name in lines.keys() - BELOW_SOLVERS) < 3500


def test_no_module_is_named_as_a_public_function():
    public = set(spcabench.__all__) - {"Problem", "Result"}
    assert not public & {file.stem for file in CORE}


def test_importing_the_package_does_not_import_numpy():
    code = "import sys, spcabench; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_public_name_is_there():
    for name in spcabench.__all__:
        assert getattr(spcabench, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        spcabench.no_such_name  # noqa: B018
