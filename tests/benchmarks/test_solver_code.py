"""The hash of a solver's code changes if and only if a change can affect its counts."""

import shutil

import pytest

import spcabench
from benchmarks import commits, gate, solver_code
from benchmarks.problems import DATASETS, PROBLEMS
from spcabench import registry


@pytest.fixture
def package(tmp_path):
    """Return the folder of a small package, and a function that writes a file to it."""

    def put(name, text=""):
        file = tmp_path / "tree" / "spcabench" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    put(
        "api.py",
        "from spcabench.driver import drive\nfrom spcabench import parts, wholes\n"
        "import spcabench.inner.runner as runner\n\n"
        "def solve(): return inner()\n\ndef inner(): return drive, wholes.one, runner.run\n\n"
        "def load():\n    from spcabench.late import here\n\n"
        "def components(): return parts.several\n",
    )
    put(
        "solvers/own.py",
        "from spcabench.steps import step\nfrom ._own_help import two\nfrom . import _own_more\n"
        'from spcabench.given import again\nTABLE = "own.txt"\nLATE = "spcabench.by_name"\n'
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
        "    from spcabench.only_types import one\n",
    )
    for name in ("parts", "wholes", "late", "driver", "by_name", "only_types", "given_by"):
        put(f"{name}.py", "several = one = here = drive = again = 1")
    for name in ("inner/runner.py", "inner/deep.py", "datasets/own.py", "datasets/faces.py"):
        put(name, "run = one = drawn = 1")
    for name in DATASETS:
        put(f"datasets/{name}.py", "from spcabench.datasets import own")
    for name in ("_own_help.py", "_own_more.py", "own.txt", "other.py"):
        put(f"solvers/{name}", "two = three = done = 1")
    put("given/__init__.py", "from spcabench.given_by import again")
    put("steps.py", "import spcabench.inner.deep as deep\n\nstep = deep.one")
    return tmp_path / "tree", put


BY_OWN = "solvers/own.py steps.py inner/deep.py solvers/_own_help.py solvers/_own_more.py "
BY_OWN += "solvers/own.txt by_name.py given/__init__.py given_by.py"
BY_ALL = "inner/runner.py driver.py wholes.py late.py datasets/own.py"
BY_NONE = "only_types.py parts.py datasets/faces.py"  # no run of a solver uses them


@pytest.mark.parametrize(
    ("file", "solvers"),
    [(file, {"own"}) for file in BY_OWN.split()]
    + [(file, {"own", "other"}) for file in BY_ALL.split()]
    + [(file, set()) for file in BY_NONE.split()],
)
def test_a_solver_is_measured_again_where_its_code_or_what_it_imports_changed(
    package, file, solvers
):
    tree, put = package
    before = solver_code.hashes(tree)
    text = (tree / "spcabench" / file).read_text()
    if file.endswith(".py"):
        put(file, f"# a comment\n{text}\n")
    assert solver_code.hashes(tree) == before and set(before) == {"own", "other"}
    put(file, f"{text}\nmore = 2\n")
    after = solver_code.hashes(tree)
    assert {name for name in after if after[name] != before[name]} == solvers
    assert gate.unchanged(before, after) == set(before) - solvers


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ('COLOUR = "#111111"', 'COLOUR = "#222222"', True),
        ("COLOUR = more = 1", "COLOUR = more = 2", False),
        ("COLOUR = made(1)", "COLOUR = made(2)", False),
        ("from .....far import one", "# a comment\nfrom .....far import one", True),
    ],
)
def test_only_what_sets_a_colour_alone_changes_nothing(package, first, second, same):
    tree, put = package
    put("solvers/other.py", first)
    before = solver_code.hashes(tree)
    put("solvers/other.py", second)
    assert (solver_code.hashes(tree) == before) is same


def test_a_wrong_syntax_of_what_runs_every_solver_is_said(package):
    tree, put = package
    (tree / "spcabench" / "solvers" / "own.py").write_bytes(b"odd = '\xe9'")  # no UTF-8
    assert solver_code.hashes(tree)
    put("api.py", "def solve(:")
    with pytest.raises(ValueError, match=r"api\.py has a syntax error"):
        solver_code.hashes(tree)


def test_a_change_of_the_matrix_layer_changes_the_code_of_every_solver(tmp_path):
    tree = tmp_path / "tree"
    caches = shutil.ignore_patterns("__pycache__")  # another test may write there
    shutil.copytree(commits.package_of(commits.full_hash("HEAD")), tree, ignore=caches)
    before = solver_code.hashes(tree)
    file = tree / "spcabench" / "problem" / "covariance.py"
    file.write_text(file.read_text() + "\nmore = 1\n")
    after = solver_code.hashes(tree)
    assert all(after[name] != before[name] for name in before)
    assert set(before) == set(registry.names("solver"))


def test_the_standard_problems_are_made_of_the_datasets_that_are_hashed(monkeypatch):
    loaded, load = set(), spcabench.load
    monkeypatch.setattr(
        spcabench, "load", lambda name, **more: loaded.add(name) or load(name, **more)
    )
    for standard in PROBLEMS.values():
        standard.make()
    assert loaded == set(DATASETS)
