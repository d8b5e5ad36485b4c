"""The rules of docs/design.md: what each folder may import, and what no file may name."""

import ast
import re
import subprocess
import sys
from pathlib import Path

from spcabench import registry
from tests.faults import copied

ROOT = Path(__file__).parents[2]
# the core: the house without figures and comparison, which are about solvers that they name
CORE = [
    p
    for p in sorted((ROOT / "spcabench").rglob("*.py"))
    if p.parent.name not in ("figures", "comparison", "components")
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
    ("methods/exact_search/crew.py", "from spcabench.readers import docword"),
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
    for file in CORE:
        assert not _strings(ast.parse(file.read_text(encoding="utf-8"))) & NAMES, file.name
