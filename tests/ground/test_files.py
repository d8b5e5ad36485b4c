"""Files are written whole or not at all, and read only if they are what was expected."""

import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from spcabench import files
from spcabench.errors import InputError


def test_a_file_is_replaced_as_a_whole_through_links_and_no_pipe_is(tmp_path):
    target, link, pipe = (tmp_path / name for name in ("target", "link", "pipe"))
    link.symlink_to(target.name)
    files.write_text(link, "first")
    assert link.is_symlink() and target.read_text() == "first"
    with pytest.raises(ZeroDivisionError), files.replacing(target) as aside:
        aside.write_text("half")
        raise ZeroDivisionError
    assert target.read_text() == "first"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="pipe: cannot be written"):
        files.write_text(pipe, "text")
    assert pipe.is_fifo() and {*tmp_path.iterdir()} == {target, link, pipe}
    written = target.stat().st_mtime_ns
    files.write_changed(target, "first")
    assert target.stat().st_mtime_ns == written
    files.write_changed(tmp_path / "new" / "file", "second")
    assert files.read_text(tmp_path / "new" / "file") == "second"


@pytest.mark.parametrize("before", [None, "kept\n"])
def test_what_does_not_fit_on_the_disk_is_not_appended(before, tmp_path):
    file = tmp_path / "rows"
    if before:
        files.append(file, before)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(InputError, match="cannot be written"):
            files.append(file, "longer than the disk")
        with pytest.raises(InputError, match="cannot be written"):
            files.check_room(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [each.read_text() for each in tmp_path.iterdir()] == [before] * bool(before)
    files.check_room(tmp_path / "new" / "folder")


@pytest.mark.parametrize("keep", [False, True])
def test_a_folder_is_replaced_as_a_whole(keep, tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    for number in (1, 2):
        with files.replacing_folder(folder, keep) as aside:
            (aside / str(number)).touch()
            if number == 2 and sys.platform == "linux":  # the system exchanges the two at once
                monkeypatch.setattr(Path, "rename", None)
    assert {file.name for file in folder.iterdir()} == ({"1", "2"} if keep else {"2"})
    with pytest.raises(ZeroDivisionError), files.replacing_folder(folder) as aside:
        raise ZeroDivisionError
    assert (folder / "2").exists() and [*tmp_path.iterdir()] == [folder]


def test_a_temporary_folder_removes_those_of_killed_processes():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    home = Path(tempfile.gettempdir())
    left, others = (home / f"spcabench-of-{pid}-abc" for pid in (ended.pid, os.getpid()))
    for folder in (left, others):
        folder.mkdir()
        (folder / "data.npy").write_bytes(b"1")
    with files.temporary_folder() as folder:
        assert folder.is_dir() and not left.exists() and others.exists()
    assert not folder.exists()


@dataclass
class About:
    name: str
    ks: list[int]


def test_a_file_that_is_not_what_was_expected_is_refused(tmp_path):
    (tmp_path / "text").write_bytes(b"\xef\xbb\xbfab")
    assert files.read_text(tmp_path / "text") == "ab"  # without the mark of its encoding
    assert files.regular_file(tmp_path / "text", largest=5) == tmp_path / "text"
    with pytest.raises(InputError, match="5 bytes; at most 4"):
        files.regular_file(tmp_path / "text", largest=4)
    assert files.from_json('{"name": "a", "ks": [1]}', About, "x") == About("a", [1])
    with pytest.raises(InputError, match=r"x: ks\.1: input should be a valid integer, not 'b'"):
        files.from_json('{"name": "a", "ks": [1, "b"]}', About, "x")


def test_no_text_moves_the_cursor():
    assert files.plain("a\x1b[2J\tb\n\u202e") == "a\\x1b[2J\tb\n\\u202e"
    assert files.one_line("a\n b\t c") == "a b c"
