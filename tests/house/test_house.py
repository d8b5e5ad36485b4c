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


WRONG = {  # module -> what it must not import
    "problem.problem": "solving.result",
    "methods.exact_search.crew": "readers.docword",
    "solving.driver": "api",
    "running.worker": "page.draw",
    "comparison.suite": "figures._truth",
    "page.verify": "cli.terminal",
    "solvers.tpower": "solvers.grqi",
    "solvers.thresholding": "solving.bounds",
    "datasets.spiked": "datasets.gaussian",
    "flops": "problem.data",
}


def test_only_imports_against_the_rule_are_found(tmp_path):
    """Each chain of imports in the report of import-linter contains one that is planted here."""
    house = copied(tmp_path, HOUSE)
    for module, imported in WRONG.items():
        with (house / "spcabench" / f"{module.replace('.', '/')}.py").open("a") as file:
            file.write(f"\n\ndef _wrong():\n    import spcabench.{imported}\n")
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    report = subprocess.run(command, cwd=house, capture_output=True, text=True).stdout
    planted = {f"spcabench.{module} -> spcabench.{name} " for module, name in WRONG.items()}
    assert {edge for edge in planted if edge in report} == planted
    chains = re.findall(r"^- .*\n(?:    .*\n)*", report, re.M)
    assert chains and not [c for c in chains if not any(edge in c for edge in planted)]


def test_the_core_names_no_solver():
    for file in CORE:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        constants = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        assert not constants & NAMES, file.name
