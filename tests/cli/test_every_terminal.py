"""Names of columns and files are treated as plain text, and output works on any terminal."""

import csv
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import spcabench
from spcabench import Problem, api, files
from spcabench.cli import figures
from spcabench.errors import InputError
from spcabench.readers import user_file
from spcabench.readers.delimited import guarded, unguarded
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


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "ascii", "utf-8"])
def test_an_answer_is_printed_in_every_encoding(survey, encoding):
    command = [sys.executable, "-m", "spcabench", "solve", survey.name, "-k", str(len(NAMES))]
    completed = subprocess.run(
        command, capture_output=True, env=os.environ | {"PYTHONIOENCODING": encoding}
    )
    shown = completed.stdout.decode(encoding)
    assert completed.returncode == 0, completed.stderr
    for name in NAMES:
        held = name.encode(encoding, "backslashreplace").decode(encoding)
        assert "".join(held.split()) in "".join(shown.split())


def test_letters_that_a_stream_lacks_have_other_words():
    files.accept_every_character()
    assert "K3 ≥ 10 µs ─ ö".encode("ascii", files.HANDLER) == rb"K3 >= 10 us - \xf6"


def test_names_are_text_in_tables_and_csv(survey, spcabench):
    completed = spcabench("solve", survey.name, "-k", 4, "--out", "x.csv")
    assert completed.returncode == 0 and completed.stdout.startswith("survey [x].csv: ")
    with open("x.csv", newline="", encoding="utf-8") as stream:
        cells = [row[0] for row in csv.reader(stream)][1:]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert [*map(unguarded, cells)] == NAMES
    graded = spcabench("grade", "x.csv", "--problem", survey.name)
    assert graded.returncode == 0 and "feasible, 4 nonzeros" in graded.stdout


@pytest.mark.parametrize("name", [*NAMES, "-1", "'=x", "'", "", "-"])
def test_a_name_that_is_written_is_read(name):
    assert unguarded(guarded(name)) == name or name == "'=x"


@pytest.mark.parametrize("kind", some(2, KINDS))
def test_names_are_text_in_pictures(survey, kind):
    problem = user_file.read(survey, user_file.Reading())
    figure = spcabench.components(problem, None, 2, k=len(NAMES)).plot(kind)
    figure.canvas.draw()  # matplotlib reads formulas when it draws
    if kind == "loadings":
        shown = {text.get_text() for text in figure.axes[0].get_yticklabels()}
        assert {*NAMES} <= shown


def test_a_column_of_dates_is_noted(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("day,a,b\n20200131,1,2\n20200229,2,1\n20200301,4,7\n")
    notes = user_file.read(file, user_file.Reading()).provenance["notes"]
    assert "column 'day' seems to contain dates; to drop it, use --drop day" in notes
    file.write_text("dose,a,b\n20200131,1,2\n20209999,2,1\n20200301,4,7\n")
    notes = user_file.read(file, user_file.Reading()).provenance["notes"]
    assert not [note for note in notes if "dates" in note]


def test_a_table_of_named_rows_is_told_of_transpose(tmp_path):
    file = tmp_path / "t.csv"
    rows = [f"g{i},{i % 7},{i % 5},{i % 3}" for i in range(60)]
    file.write_text("\n".join(["gene,s1,s2,s3", *rows]) + "\n")
    notes = user_file.read(file, user_file.Reading()).provenance["notes"]
    assert [note for note in notes if "use --transpose" in note]
    turned = user_file.read(file, user_file.Reading(transpose=True))
    assert turned.n == 60 and not [n for n in turned.provenance["notes"] if "--transpose" in n]


def test_an_infinite_entry_has_its_row_and_column(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("a,b\n1,2\n2,inf\n4,7\n")
    with pytest.raises(InputError, match=r"t\.csv: .*the first in row 2, column 'b'"):
        user_file.read(file, user_file.Reading())


@pytest.mark.parametrize("name", ["golub", "bag_of_words"])
def test_nothing_stands_in_unless_asked(name, monkeypatch, tmp_path, spcabench):
    monkeypatch.setenv("SPCABENCH_DATA", str(tmp_path))
    monkeypatch.setenv("SPCABENCH_OFFLINE", "1")
    monkeypatch.setattr("pooch.os_cache", lambda project: str(tmp_path / "cache"))
    if name == "bag_of_words":  # its stand-in takes long to make
        stand_in = Problem.from_covariance(np.eye(3), provenance={"stand_in": True})
        load = "spcabench.datasets.bag_of_words.load"
        monkeypatch.setattr(load, lambda corpus="nips", words=None: stand_in)
    with pytest.raises(InputError, match=f"{name}.*`spcabench data` shows"):
        api.load(name)
    assert api.load(name, stand_in=True).stand_in and api.load_or_stand_in(name).stand_in
    completed = spcabench("solve", name, "-k", 2)
    assert completed.returncode == 2 and not completed.stdout and "--stand-in" in completed.stderr
    file = tmp_path / "x.txt"
    file.write_text("1\n")
    assert "--stand-in" in spcabench("grade", file, "--problem", name).stderr
    assert "STAND-IN" in spcabench("solve", name, "-k", 2, "--stand-in").stdout


def test_what_needs_samples_is_refused_before_the_work(spcabench, monkeypatch, here):
    monkeypatch.setattr(api, "components", lambda *given, **more: pytest.fail("too late"))
    for arguments in (("-k", 3, "--picture", "scores"), ("-k", "2:4", "--picture", "scree")):
        completed = spcabench("solve", "pitprops", *arguments, "--plot", "x.png")
        assert completed.returncode == 2 and "--picture" in completed.stderr


FULL = ["solve {table} -k 2", "best-known", "list solvers", "figure --help", "doctor"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no full device")
@pytest.mark.parametrize("arguments", FULL)
def test_a_full_disk_behind_the_output_is_one_line(survey, arguments):
    typed = [str(survey) if word == "{table}" else word for word in arguments.split()]
    command = [sys.executable, "-m", "spcabench", *typed]
    with open("/dev/full", "w") as full:
        completed = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    lines = [x for x in completed.stderr.splitlines() if "change it with --solver" not in x]
    assert completed.returncode == 2 and len(lines) == 1, completed.stderr
    assert "the output cannot be written" in lines[0]


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space are Linux's")
@pytest.mark.parametrize("megabytes", some(2, [150, 400, 250, 500, 600, 700, 900, 1200]))
@pytest.mark.parametrize("arguments", ["best-known", "doctor", "solve pitprops -k 2"])
def test_little_memory_is_one_line(arguments, megabytes):
    command = f'ulimit -v {1024 * megabytes}; exec "$0" -m spcabench {arguments}'
    completed = subprocess.run(
        ["bash", "-c", command, sys.executable], capture_output=True, text=True, timeout=60
    )
    if completed.returncode != 0:
        assert completed.returncode == 2 and completed.stderr.count("\n") == 1, completed.stderr
        assert "not enough memory" in completed.stderr


INTERRUPTED = """
import os, runpy, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Interrupt:
    def find_spec(self, name, *more):
        if name == "typer":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
sys.argv = ["spcabench", "doctor"]
runpy.run_module("spcabench", run_name="__main__")
"""


def test_ctrl_c_shows_no_traceback_while_the_libraries_load():
    completed = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True)
    assert (completed.returncode, completed.stdout, completed.stderr) == (-signal.SIGINT, b"", b"")


def test_a_verdict_is_coloured_where_a_terminal_shows_colours(monkeypatch, capsys):
    statement = dict(id="K3", verdict="fails", marks=[], reason="", short="1 of 2 µs", readings=[])
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = {}
    for forced in ("", "1"):
        monkeypatch.setenv("FORCE_COLOR", forced)
        figures.print_statement(statement)
        shown[forced] = capsys.readouterr().out
    assert shown[""] == "K3 fails\n    1 of 2 µs\n"
    assert "\x1b[1;31mfails\x1b[0m\n" in shown["1"]
    monkeypatch.setenv("NO_COLOR", "1")
    figures.print_statement(statement)
    assert "[31m" not in capsys.readouterr().out
