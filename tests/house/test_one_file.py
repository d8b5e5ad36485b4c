"""The solver, dataset, figure and paper of the documents are added by their own files alone."""

import os
import re
import subprocess
import sys

import pytest

from tests.faults import ROOT, copied
from tests.problems import WHOLE


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


@WHOLE
@pytest.mark.xdist_group("house")  # one process makes copies of the repository
def test_added_files_are_solved_judged_and_shown_on_the_page_of_their_paper(tmp_path):
    house = copied(tmp_path)
    for name, text in ADDED.items():
        (house / name).write_text(text, encoding="utf-8")
    outputs = []
    for command in (
        "solve wine --solver soft_power -k 2",
        "figure author2025_fig1",
        "results-page results/quick",
    ):
        completed = subprocess.run(
            [sys.executable, "-m", "spcabench", *command.split()],
            cwd=house,
            env=os.environ | {"PYTHONPATH": str(house)},
            capture_output=True,
            text=True,
        )
        assert completed.returncode == 0, completed.stdout + completed.stderr
        outputs.append(completed.stdout)
    answer, verdicts, _ = outputs
    assert "soft_power" in answer and "wine" in answer
    assert re.search("M1.*(holds|fails)|(holds|fails).*M1", verdicts.splitlines()[0])
    page = (house / "results" / "quick" / "author2025.html").read_text(encoding="utf-8")
    assert "<h1>Author, Friend (2025)</h1>" in page and '<h2 id="author2025_fig1">' in page
