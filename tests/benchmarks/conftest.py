"""A repository for the tests of the gate and of the history."""

import subprocess
from pathlib import Path

import pytest

from benchmarks import commits


@pytest.fixture
def commit(tmp_path, monkeypatch):
    """Return a function that commits files to a new repository, which is the current folder.

    The function returns the commit before.
    """
    monkeypatch.chdir(tmp_path)
    author = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")

    def put(files, message="a change"):
        before = commits.git("rev-parse", "HEAD")
        for name, text in files.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text, encoding="utf-8")
        for command in (["add", "-A"], ["commit", "-q", "--allow-empty", "-m", message]):
            subprocess.run(["git", *author, *command], check=True)
        return before

    subprocess.run(["git", "init", "-q"], check=True)
    return put
