"""The script that runs each test file separately, on files made for this test."""

from pathlib import Path

import pytest

from tests import alone


def test_the_parts_are_all_files():
    folder = Path(__file__).parents[1]
    parts = [alone.files(folder, alone.Part.of(f"{number}/6")) for number in range(1, 7)]
    assert sorted(file for part in parts for file in part) == alone.files(folder)
    assert Path(__file__) in alone.files(folder)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize("words", ["0/3", "4/3", "1", "1/2/3", "a/b", "0/0"])
def test_what_is_no_part_is_refused(words, capsys):
    with pytest.raises(SystemExit):
        alone.main(["--part", words])
    assert f"invalid of value: '{words}'" in capsys.readouterr().err


EMPTY = """
import os

def test_the_cache_is_empty():
    assert os.listdir(os.environ["NUMBA_CACHE_DIR"]) == []
    open(os.path.join(os.environ["NUMBA_CACHE_DIR"], "kernel"), "w").close()
"""


def test_each_file_has_an_empty_cache_and_a_failure_is_one_line(tmp_path, capsys):
    for name, text in (("a", EMPTY), ("b", EMPTY), ("none", "")):
        (tmp_path / f"test_{name}.py").write_text(text)
    assert alone.main([], tmp_path) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines] == [
        "1 of 3: test_a.py",
        "2 of 3: test_b.py",
        "3 of 3: test_none.py",
        "3 test files alone",
    ]
    assert "0 failed" in lines[-1]
    for name in ("a", "none"):
        (tmp_path / f"test_{name}.py").unlink()
    (tmp_path / "test_b.py").write_text("def test_b():\n    assert False\n")
    assert alone.main(["--jobs", "2"], tmp_path) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2] == f"fails alone: {tmp_path / 'test_b.py'}"
    assert [line for line in lines if line.startswith("fails alone")] == lines[-2:-1]
    assert any("assert False" in line for line in lines)
