"""Adding a solver, dataset, figure or paper only requires its own files."""

import json
import os
import subprocess
import sys

import pytest

from tests.faults import copied
from tests.problems import WHOLE

# one process makes the copy, and takes these tests
pytestmark = [pytest.mark.xdist_group("house"), WHOLE]
SOLVER = '''"""Trial method: the first variables, whatever they are."""
from spcabench.iterate import Traits
from spcabench.vectors import project

TRAITS = Traits(control="cardinality")
EXAMPLE = dict(k=3)


def solve(problem, *, k):
    x = problem.covariance.diagonal() * 0.0
    x[:k] = 1.0
    yield project(x, k)
'''
DATASET = '''"""Trial data: a diagonal covariance that falls by steps of one."""
import numpy as np

from spcabench.problem.problem import Problem


def load(n=6):
    Sigma = np.diag(np.arange(n, 0.0, -1.0))
    provenance = dict(source="a trial", preprocessing="none", stand_in=False)
    return Problem.from_covariance(Sigma, "staircase", provenance=provenance)
'''
FIGURE = '''"""Newcomer (2025), Figure 1: a trial of adding a figure."""
from spcabench.claims import at_least, claim, one
from spcabench.run import Run

PANELS, SIZE = (1, 1), (3, 2)


@claim("N1", "section 1", "the first variables are best", kind="number",
    measures="variance at k = 1", unit="", rule=at_least(6), null=1)
def N1(data):
    return one(data, "variance", "k = 1", reading="as run", seed=None)


def runs(scale):
    yield Run(dataset="staircase", solver="first_variables", settings=dict(k=1))


def draw(data, axes):
    axes.flat[0].plot(data.cardinality, data.variance, "o")
'''
PAPER = """authors = ["Newcomer", "Friend"]
year = 2025
title = "How papers are added"
venue = "Journal of Trials 1"
address = "https://example.org/newcomer"
place = 3
"""
ADDED = {
    "spcabench/solvers/first_variables.py": SOLVER,
    "spcabench/datasets/staircase.py": DATASET,
    "spcabench/figures/newcomer2025_fig1.py": FIGURE,
    "spcabench/figures/newcomer2025.toml": PAPER,
}


class House:
    """A copy of the repository with the added files, in which commands are run."""

    def __init__(self, folder):
        self.folder, self.verdicts = copied(folder), ""
        (folder / ".gitignore").write_text("results/\n__pycache__/\n.*.lock\n.snakemake/\n")
        self.git("init", "--quiet")
        self.commit()
        self.git("tag", "first")
        for name, text in ADDED.items():
            (folder / name).write_text(text, encoding="utf-8")
        self.commit()

    def commit(self):
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "A trial")

    def python(self, *arguments):
        """Run Python with this copy of the package and return its output."""
        completed = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": str(self.folder)},
            capture_output=True,
            text=True,
        )
        assert completed.returncode == 0, completed.stdout + completed.stderr
        return completed.stdout

    def git(self, *arguments):
        user = ("-c", "user.name=trial", "-c", "user.email=trial@example.org")
        command = ["git", *user, *arguments]
        completed = subprocess.run(
            command, cwd=self.folder, check=True, capture_output=True, text=True
        )
        return completed.stdout


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """Create the copy, plot the trial figure, write its page and publish the run."""
    house = House(tmp_path_factory.mktemp("house"))
    house.verdicts = house.python("-m", "spcabench", "figure", "newcomer2025_fig1")
    house.python("-m", "spcabench", "results-page", "results/quick")
    house.python("-m", "spcabench", "publish", "results/quick")
    return house


def test_a_solver_and_a_dataset_work_together(house):
    words = "-m spcabench solve staircase --solver first_variables -k 2"
    answer = house.python(*words.split())
    assert "first_variables" in answer and "staircase" in answer


def test_a_figure_is_made_and_judged(house):
    first = house.verdicts.splitlines()[0]
    assert "holds" in first and "N1" in first and "6" in house.verdicts


def test_a_paper_is_on_the_pages_and_in_the_table_of_the_readme(house):
    home = house.folder / "results"
    page = (home / "quick" / "newcomer2025.html").read_text(encoding="utf-8")
    assert "<h1>Newcomer, Friend (2025)</h1>" in page
    assert '<h2 id="newcomer2025_fig1">' in page
    assert "Trial method" in (home / "quick/solvers/first_variables.html").read_text("utf-8")
    run = json.loads((home / "quick" / "claims.json").read_text())
    statements = [(statement["paper_key"], statement["id"]) for statement in run["statements"]]
    assert statements == [("newcomer2025", "N1")]
    document = (home / "published" / "newcomer2025.md").read_text(encoding="utf-8")
    assert document.startswith("# Newcomer, Friend (2025)\n")
    name = "[Newcomer, Friend (2025)](results/published/newcomer2025.md)"
    assert f"| {name} | 1 · 0 · 0 · 0 |" in (house.folder / "README.md").read_text(encoding="utf-8")


def test_no_other_file_is_touched_but_the_readme_by_publishing(house):
    changed = house.git("diff", "--name-only", "first").split()
    assert sorted(changed) == sorted(["README.md", *ADDED])
