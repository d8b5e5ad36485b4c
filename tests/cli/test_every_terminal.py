"""Names of columns and files are treated as plain text, and output works on any terminal."""

import csv
import io
import shlex
import subprocess
import sys

import numpy as np
import pytest

from spcabench import api
from spcabench.readers import user_file
from tests.problems import some

NAMES = ["weight [kg]", "[/b]", r"$x^2$ $\frac{1}$", "=cmd", "größe", "@home", "+1-", "[red]x"]
KINDS = ("loadings", "biplot", "scores", "scree", "substitutes")


@pytest.fixture
def survey(here):
    """Write a table with column names that other programs would take for code."""
    rng = np.random.default_rng(0)
    with open("survey [x].csv", "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(NAMES)
        writer.writerows(rng.integers(0, 9, (12, len(NAMES))).tolist())
    return here / "survey [x].csv"


def test_names_are_text_in_every_encoding_and_in_csv(survey, spcabench, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    words = ("-k", str(len(NAMES)), "--checks", "none", "--out", "x.csv")
    assert spcabench("solve", survey.name, *words).returncode == 0
    with open("x.csv", newline="", encoding="utf-8") as file:
        assert [row[0] for row in csv.reader(file)][1:] == NAMES
    assert spcabench("grade", "x.csv", "--problem", survey.name).returncode == 0
    shown = "".join(stream.buffer.getvalue().decode("ascii").split())
    for name in NAMES:
        printed = name.encode("ascii", "backslashreplace").decode("ascii")
        assert "".join(printed.split()) in shown


@pytest.mark.parametrize("kind", some(2, KINDS))
def test_names_are_text_in_pictures(survey, kind):
    problem = user_file.read(survey, user_file.Reading())
    figure = api.solve(problem, None, n_components=2, k=len(NAMES)).plot(kind)
    figure.canvas.draw()  # matplotlib reads formulas when it draws
    shown = {text.get_text() for text in figure.axes[0].get_yticklabels()}
    assert kind != "loadings" or {*NAMES} <= shown


def test_commands_accept_no_stand_in(data_folder, tmp_path, spcabench):
    assert api.load("golub", stand_in=True).stand_in and api.load_or_stand_in("golub").stand_in
    (tmp_path / "x.txt").write_text("1\n")
    for words in (("solve", "golub", "-k", 2), ("grade", tmp_path / "x.txt", "--problem", "golub")):
        completed = spcabench(*words)
        assert completed.returncode == 2 and "`spcabench data`" in completed.stderr


# where the output goes, and the exit code
STREAMS = {">&-": 0, "> /dev/full": 2, "| true": 0}


@pytest.mark.parametrize("stream", STREAMS)
def test_an_output_that_cannot_be_written_is_no_traceback(stream):
    command = f"{shlex.quote(sys.executable)} -m spcabench list datasets {stream}"
    completed = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert completed.returncode == STREAMS[stream]
    expected = "spcabench: the output cannot be written" if "full" in stream else ""
    assert completed.stderr.startswith(expected) and completed.stderr.count("\n") == bool(expected)
