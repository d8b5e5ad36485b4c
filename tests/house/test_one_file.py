"""The solver, dataset, figure and paper of the documents are added by their own files alone."""

import os
import re
import subprocess
import sys

import pytest

from tests.faults import ROOT, copied
from tests.problems import WHOLE

# one process makes the copy, and takes these tests
pytestmark = [pytest.mark.xdist_group("house"), WHOLE]


def example(page, language="python"):
    """Return the first example of a document, on data and with a solver of the documents alone."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    (first, *_) = re.findall(rf"```{language}\n(.*?)```", text, re.S)
    return first.replace("pitprops", "wine").replace("grqi", "soft_power")


ADDED = {
    "spcabench/solvers/soft_power.py": example("new_solver.md"),
    "spcabench/datasets/wine.py": example("new_dataset.md"),
    "spcabench/figures/author2025_fig1.py": example("new_figure.md"),
    "spcabench/figures/author2025.toml": example("new_figure.md", "toml"),
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
    """Create the copy and plot the trial figure."""
    house = House(tmp_path_factory.mktemp("house"))
    house.verdicts = house.python("-m", "spcabench", "figure", "author2025_fig1")
    return house


def test_a_solver_and_a_dataset_work_together(house):
    words = "-m spcabench solve wine --solver soft_power -k 2"
    answer = house.python(*words.split())
    assert "soft_power" in answer and "wine" in answer


def test_a_figure_is_made_and_judged(house):
    assert re.search("M1.*(holds|fails)|(holds|fails).*M1", house.verdicts.splitlines()[0])


def test_a_paper_has_a_page(house):
    house.python("-m", "spcabench", "results-page", "results/quick")
    page = (house.folder / "results" / "quick" / "author2025.html").read_text(encoding="utf-8")
    assert "<h1>Author, Friend (2025)</h1>" in page and '<h2 id="author2025_fig1">' in page


def test_no_other_file_is_touched(house):
    assert sorted(house.git("diff", "--name-only", "first").split()) == sorted(ADDED)
