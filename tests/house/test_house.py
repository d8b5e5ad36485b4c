"""The house of docs/design.md: what each folder may import (pyproject.toml), and what no file may
hold.
"""

import ast
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from statistics import median

import pytest

import spcabench
from spcabench import registry

ROOT = Path(__file__).parents[2]
FILES = sorted(
    p for folder in ("spcabench", "solvers", "datasets") for p in (ROOT / folder).rglob("*.py")
)
SOLVERS = [p for p in FILES if p.parent.name == "solvers"]
# the core: the house without figures and comparison, which are about solvers that they name
CORE = [
    p
    for p in FILES
    if p.is_relative_to(ROOT / "spcabench")
    and p.parent.name not in ("figures", "comparison", "components")
]
NAMES = set(registry.names("solver"))
LONGEST = 40  # lines of a function without its docstring
every_file = pytest.mark.parametrize("file", FILES, ids=lambda p: str(p.relative_to(ROOT)))


def copied(folder):
    """The package as an installed one lies, solvers and datasets inside it, with the contracts
    beside it.
    """
    shutil.copytree(ROOT / "spcabench", folder / "spcabench")
    for name in ("solvers", "datasets"):
        shutil.copytree(ROOT / name, folder / "spcabench" / name)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def contracts(folder):
    """What import-linter says of a house: (kept, its words)."""
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.returncode == 0, done.stdout


def test_every_folder_imports_from_the_floors_below_only(tmp_path):
    kept, words = contracts(copied(tmp_path))
    assert kept, words


WRONG = [
    ("problem/problem.py", "from spcabench.solving import result"),
    ("methods/exact_search/pruning.py", "from spcabench.readers import docword"),
    ("solving/driver.py", "import spcabench.api"),
    ("running/worker.py", "from spcabench.page import draw"),
    ("comparison/suite.py", "from spcabench.figures import _truth"),
    ("page/verify.py", "from spcabench.cli import terminal"),
    ("solvers/tpower.py", "from spcabench.solvers import grqi"),
    ("solvers/thresholding.py", "from spcabench.solving import bounds"),
    ("datasets/spiked.py", "from spcabench.datasets import gaussian"),
    ("flops.py", "from spcabench.problem import data"),
]


@pytest.fixture(scope="module")
def complaints(tmp_path_factory):
    """What is said of a house with all wrong imports, each in a function of its own file."""
    house = copied(tmp_path_factory.mktemp("house"))
    for file, line in WRONG:
        path = house / "spcabench" / file
        text = path.read_text(encoding="utf-8")
        path.write_text(f"{text}\n\ndef _wrong():\n    {line}\n", encoding="utf-8")
    kept, words = contracts(house)
    assert not kept
    return words


@pytest.mark.parametrize(("file", "line"), WRONG)
def test_an_import_against_the_rule_is_found(complaints, file, line):
    importer = "spcabench." + file.removesuffix(".py").replace("/", ".")
    assert re.search(rf"{importer} -> \S+ \(l\.\d+\)", complaints)


def test_every_folder_says_what_it_is_for():
    for file in (ROOT / "spcabench").glob("*/__init__.py"):
        assert ast.get_docstring(_tree(file)), file


def test_the_package_list_is_whole():
    import tomllib

    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "setuptools"
    ]["packages"]
    folders = {p.parent.relative_to(ROOT) for p in FILES if p.name == "__init__.py"}
    there = {
        ".".join(f.parts if f.parts[0] == "spcabench" else ("spcabench", *f.parts)) for f in folders
    }
    assert set(listed) == there | {"spcabench.workflow"}  # the Snakefile, and no module


@cache
def _tree(file):
    return ast.parse(file.read_text(encoding="utf-8"))


def _imports(file):
    """Absolute dotted names of everything imported."""
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file.name}: imports are absolute"
            yield node.module


@every_file
def test_no_bare_import_of_the_repository_folders(file):
    assert not {n.split(".")[0] for n in _imports(file)} & {
        "solvers",
        "datasets",
        "figures",
        "benchmarks",
        "docs",
        "tests",
    }


@pytest.mark.parametrize("file", SOLVERS, ids=lambda p: p.name)
def test_solvers_do_not_time_print_charge_or_branch_on_the_storage(file):
    assert not {n.split(".")[0] for n in _imports(file)} & {"time", "timeit", "sys", "logging"}
    names = {n.id for n in ast.walk(_tree(file)) if isinstance(n, ast.Name)}
    names |= {n.attr for n in ast.walk(_tree(file)) if isinstance(n, ast.Attribute)}
    assert not names & {
        "print",
        "issparse",
        "perf_counter",
        "charge",
        "LEDGER",
        "solve_cost",
        "eigh_cost",
    }


def _strings(tree):
    """String constants that are not docstrings."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and ast.get_docstring(node) is not None
    }
    return {
        n.value
        for n in ast.walk(tree)
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in docstrings
    }


@pytest.mark.parametrize("file", CORE, ids=lambda p: p.name)
def test_the_core_names_no_solver(file):
    assert not _strings(_tree(file)) & NAMES


def _functions(file):
    return [
        n for n in ast.walk(_tree(file)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def _length(function):
    """Lines of a function without its docstring."""
    lines = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function) is None:
        return lines
    return lines - (function.body[0].end_lineno - function.body[0].lineno + 1)


@every_file
def test_functions_are_short(file):
    assert [f"{f.name}: {_length(f)} lines" for f in _functions(file) if _length(f) > LONGEST] == []


def test_figures_need_no_import_for_others_to_find():
    for file in (ROOT / "spcabench" / "figures").glob("*.py"):
        assert "noqa" not in file.read_text(encoding="utf-8"), file


def test_the_median_function_is_very_short():
    assert median(_length(f) for file in FILES for f in _functions(file)) <= 8


def test_no_module_is_named_as_a_public_function():
    public = set(spcabench.__all__) - {"Problem", "Result"}
    assert not public & {file.stem for file in CORE if file.parent.name == "spcabench"}


def test_importing_the_package_does_not_import_numpy():
    code = "import sys, spcabench; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_public_name_is_there():
    for name in spcabench.__all__:
        assert getattr(spcabench, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        spcabench.no_such_name  # noqa: B018
