"""The rules of docs/design.md: what each folder may import, and what no file may name."""

import ast
import subprocess
import sys
from pathlib import Path

from spcabench import registry
from tests.faults import copied

ROOT = Path(__file__).parents[2]


def test_imports_keep_the_rule(tmp_path):
    house = copied(tmp_path, ("spcabench", "solvers", "datasets", "pyproject.toml"))
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    report = subprocess.run(command, cwd=house, capture_output=True, text=True)
    assert report.returncode == 0, report.stdout


def test_the_core_names_no_solver():
    """The core is all but the figures and the comparison, which are about solvers."""
    names = set(registry.names("solver"))
    for file in (ROOT / "spcabench").rglob("*.py"):
        if file.parent.name in ("figures", "comparison", "components"):
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        constants = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        assert not constants & names, file.name
