"""The rules of docs/design.md: what each folder may import, and what no file may contain."""

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

import spcabench
from spcabench import registry
from tests.faults import copied

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
HOUSE = ("spcabench", "solvers", "datasets", "pyproject.toml")  # its rooms and its rules
NAMES = set(registry.names("solver"))


def contracts(folder):
    """Run import-linter and return whether the contracts hold, and its report."""
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    completed = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return completed.returncode == 0, completed.stdout


def test_every_folder_imports_from_the_floors_below_only(tmp_path):
    passed, report = contracts(copied(tmp_path, HOUSE))
    assert passed, report


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


def test_an_import_against_the_rule_is_found(tmp_path):
    house = copied(tmp_path, HOUSE)
    for file, line in WRONG:
        path = house / "spcabench" / file
        text = path.read_text(encoding="utf-8")
        path.write_text(f"{text}\n\ndef _wrong():\n    {line}\n", encoding="utf-8")
    passed, report = contracts(house)
    assert not passed
    importers = ["spcabench." + file.removesuffix(".py").replace("/", ".") for file, _ in WRONG]
    assert [i for i in importers if not re.search(rf"{i} -> \S+ \(l\.\d+\)", report)] == []


def test_the_package_list_is_whole():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = project["tool"]["setuptools"]["packages"]
    folders = {p.parent.relative_to(ROOT) for p in FILES if p.name == "__init__.py"}
    packages = {
        ".".join(f.parts if f.parts[0] == "spcabench" else ("spcabench", *f.parts)) for f in folders
    }
    assert set(listed) == packages | {"spcabench.workflow", "spcabench.published"}  # no modules


@cache
def _tree(file):
    return ast.parse(file.read_text(encoding="utf-8"))


def _imports(file):
    """Yield the absolute dotted name of everything that a file imports."""
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file.name}: imports are absolute"
            yield node.module


def _tops(file):
    """Return the top-level names of everything that a file imports."""
    return {name.split(".")[0] for name in _imports(file)}


def _offences(files, offence):
    """Return the offences of each file that has any."""
    return {file.name: sorted(offence(file)) for file in files if offence(file)}


def test_no_bare_import_of_the_repository_folders():
    folders = {"solvers", "datasets", "figures", "benchmarks", "docs", "tests"}
    assert _offences(FILES, lambda file: _tops(file) & folders) == {}


# a solver does not time, print, charge or branch on the storage
HARNESS = {"print", "issparse", "perf_counter", "charge", "LEDGER", "solve_cost", "eigh_cost"}


def _work_of_the_harness(file):
    nodes = [*ast.walk(_tree(file))]
    names = {n.id for n in nodes if isinstance(n, ast.Name)}
    names |= {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    return _tops(file) & {"time", "timeit", "sys", "logging"} | names & HARNESS


def test_solvers_do_not_do_what_the_harness_does():
    assert _offences(SOLVERS, _work_of_the_harness) == {}


def _strings(tree):
    """Return the string constants that are not docstrings."""
    docstrings = {
        id(next(ast.iter_child_nodes(node.body[0])))
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and ast.get_docstring(node) is not None
    }
    return {
        n.value
        for n in ast.walk(tree)
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in docstrings
    }


def test_the_core_names_no_solver():
    assert _offences(CORE, lambda file: _strings(_tree(file)) & NAMES) == {}


def test_every_public_name_is_there():
    for name in spcabench.__all__:
        assert getattr(spcabench, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        spcabench.no_such_name  # noqa: B018
