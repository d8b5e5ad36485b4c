"""A disturbed command, when repeated, ends with the rows of an undisturbed one."""

import errno
import os
import random
import re
import resource
from contextlib import contextmanager

import pytest

from spcabench import api
from spcabench.cli import output_files, solvers
from spcabench.errors import InputError
from spcabench.files import write_text
from spcabench.running import rows, workflow
from spcabench.running.journal import Journal
from tests import faults, kills
from tests.problems import WHOLE
from tests.trial import row

# one process makes the copy, and takes these tests
pytestmark = [pytest.mark.xdist_group("faults"), WHOLE]
TRIED = ("kill -9", "SIGTERM", "limited")  # `python -m tests.faults` tries all, at random moments


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """Make a copy of the repository and run a figure there without disturbance."""
    copy = faults.Workspace(tmp_path_factory.mktemp("faults"))
    copy.seconds = copy.run("figure")
    copy.expected = copy.rows()
    assert len(copy.expected[1]) == 8
    yield copy


@pytest.mark.parametrize("fault", TRIED)
def test_the_same_command_goes_on(workspace, fault):
    workspace.clear()
    faults.disturb(workspace, "figure", fault, 0.6 * workspace.seconds, limit=20_000)
    assert workspace.rows() == workspace.expected


def test_damaged_rows_are_named_and_made_again(workspace):
    folder = workspace.folder / "results" / "quick" / "rows" / faults.NAME
    file = folder / "others.parquet"
    file.write_bytes(file.read_bytes()[:1000])
    process = workspace.start("figure")
    printed, message = process.communicate(timeout=faults.LONGEST)
    assert process.returncode == 0 and "figure.svg" in printed
    assert (
        message.count(str(file)) == 1 and "created again" in message and "Traceback" not in message
    )
    assert workspace.rows() == workspace.expected


def flip(content, place):
    changed = bytearray(content)
    changed[int(place * len(content))] ^= 0xFF
    return bytes(changed)


DAMAGE = {
    "empty": lambda content: b"",
    "truncated": lambda content: content[: len(content) // 2],
    "one byte short": lambda content: content[:-1],
    "text": lambda content: b"not found",
    "a byte of the first page": lambda content: flip(content, 0.03),
    "the length of the footer": lambda content: content[:-6] + b"\1\1" + content[-4:],
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_file_is_removed_and_a_whole_one_is_not(tmp_path, capsys, kind):
    home = tmp_path / "compare"
    good, bad = (home / "rows" / "suite" / f"{name}.parquet" for name in ("good", "bad"))
    for file in (good, bad):
        file.parent.mkdir(parents=True, exist_ok=True)
        rows.write([row(), row(k=4)], file)
    bad.write_bytes(DAMAGE[kind](bad.read_bytes()))
    workflow.remove_damaged(home)
    assert good.exists() and not bad.exists()
    message = capsys.readouterr().err
    assert message.count("\n") == 1 and str(bad) in message


def test_damaged_verdicts_are_removed(tmp_path, capsys):
    for name, text in (("good", "{}"), ("bad", '{"claims": [')):
        file = tmp_path / "quick" / "figures" / name / "claims.json"
        file.parent.mkdir(parents=True)
        file.write_text(text)
    workflow.remove_damaged(tmp_path / "quick")
    assert not file.exists() and (file.parents[1] / "good" / "claims.json").exists()
    assert capsys.readouterr().err.count(str(file)) == 1


def test_rows_of_a_job_with_runs_that_were_not_run_are_made_again(tmp_path, capsys):
    home = tmp_path / "quick"
    complete, lacking = (home / "rows" / "trial" / f"{name}.parquet" for name in ("a", "b"))
    for file in (complete, lacking):
        file.parent.mkdir(parents=True, exist_ok=True)
        rows.write([row()], file)
    Journal(lacking, "abc").add("0", row())
    workflow.remove_damaged(home)
    assert complete.exists() and not lacking.exists() and not capsys.readouterr().err


@contextmanager
def no_room(limit):
    """Limit the length of files to some bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def write_rows(folder):
    rows.write([row(k=k) for k in range(2000)], folder / "rows.parquet")


def write_journal(folder):
    journal = Journal(folder / "rows.parquet", "abc")
    for number in range(2000):
        journal.add(str(number), row())


def write_loadings(suffix):
    def written(folder):
        problem = api.load("gaussian", m=5, n=200)
        components = api.solve(problem, "thresholding", k=100, n_components=1)
        (output_files.draw if suffix in output_files.PICTURES else output_files.write)(
            folder / f"z{suffix}", problem, components
        )

    return written


WRITTEN = {
    "rows": write_rows,
    "journal": write_journal,
    "text": lambda folder: write_text(folder / "page.html", "x" * 10_000),
    "table": write_loadings(".csv"),
    "arrays": write_loadings(".npz"),
    "parquet": write_loadings(".parquet"),
    "picture": write_loadings(".svg"),
    "picture to print": write_loadings(".pdf"),
    "points": write_loadings(".png"),
    "solver": lambda folder: solvers.new("solver", "mine_in_no_room"),
}


@pytest.mark.parametrize("kind", WRITTEN)
@pytest.mark.parametrize("limit", [0, 900])
def test_what_does_not_fit_on_the_disk_is_one_line_and_no_file(here, kind, limit):
    with pytest.raises(InputError, match="cannot be written") as caught, no_room(limit):
        WRITTEN[kind](here)
    assert "\n" not in str(caught.value)
    assert all(file.suffix == ".journal" and file.stat().st_size for file in here.iterdir())


@pytest.mark.parametrize("code", [errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_what_the_system_says_of_a_file_is_told(tmp_path, monkeypatch, code):
    def refused(*names):
        raise OSError(code, os.strerror(code))

    write_text(tmp_path / "page.html", "old")
    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(InputError, match=re.escape(os.strerror(code))):
        write_text(tmp_path / "page.html", "new")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]


@pytest.mark.parametrize("name", kills.COMMANDS)
def test_what_somebody_keeps_is_old_or_new_whenever_a_command_ends(name, tmp_path):
    """`python -m tests.kills` tries more moments and a full disk."""
    kinds = ("kill -9", "SIGTERM", "limited")
    assert len([*kills.trials(tmp_path, name, 3, random.Random(name), kinds)]) == 3
