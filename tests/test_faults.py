"""A command that is disturbed and repeated ends with the rows of an undisturbed one."""

import json

import pytest

from spcabench.running import damage, rows
from tests import faults
from tests.trial import row

pytestmark = pytest.mark.xdist_group("faults")  # one process makes the copy, and takes these tests
TRIED = ("kill -9", "SIGTERM", "limited")  # `python -m tests.faults` tries all, at random moments


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """The copy, with what an undisturbed figure gives."""
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
    file = workspace.folder / "results" / "quick" / "rows" / faults.NAME / "grqi.parquet"
    file.write_bytes(file.read_bytes()[:1000])
    process = workspace.start("figure")
    printed, said = process.communicate(timeout=faults.LONGEST)
    assert process.returncode == 0 and "figure.svg" in printed
    assert said.count(str(file)) == 1 and "made again" in said and "Traceback" not in said
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
    job = home / "jobs" / "suite" / "bad.json"
    job.parent.mkdir(parents=True)
    job.write_text(json.dumps({}))
    bad.write_bytes(DAMAGE[kind](bad.read_bytes()))
    assert damage.remove(home) == [bad]
    assert good.exists() and not bad.exists()
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and str(bad) in said


def test_damaged_verdicts_are_removed(tmp_path, capsys):
    for name, text in (("good", "{}"), ("bad", '{"claims": [')):
        file = tmp_path / "quick" / "figures" / name / "claims.json"
        file.parent.mkdir(parents=True)
        file.write_text(text)
    assert damage.remove(tmp_path / "quick") == []
    assert not file.exists() and (file.parents[1] / "good" / "claims.json").exists()
    assert str(file) in capsys.readouterr().err
