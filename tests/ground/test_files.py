"""The function that writes files follows links and only replaces regular files."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from spcabench import SparsePCA, api, files, select
from spcabench.errors import InputError
from spcabench.files import write_text

X = np.random.default_rng(0).standard_normal((20, 5))
WRITERS = {
    "a text": lambda file: write_text(file, "text"),
    "a model": SparsePCA(2, cardinality=3).fit(X).save,
    "a result": api.solve(X, "tpower", k=2).to_csv,
    "components": api.solve(X, "tpower", n_components=2, k=2).to_csv,
    "a path": api.path(X, "tpower", [1, 2]).to_csv,
    "a selection": select(X, [1, 2]).to_csv,
}
writers = pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)


@writers
def test_a_pipe_stays_a_pipe(write, tmp_path):
    pipe = tmp_path / "pipe.npz"
    os.mkfifo(pipe)
    with pytest.raises(
        InputError, match=r"pipe.npz: cannot be written, because it is a device or a pipe"
    ):
        write(pipe)
    assert pipe.is_fifo() and [*tmp_path.iterdir()] == [pipe]


@writers
def test_of_a_link_the_target_is_written(write, tmp_path):
    target, link = tmp_path / "target", tmp_path / "link.npz"
    target.write_bytes(b"")
    link.symlink_to(target.name)
    write(link)
    assert link.is_symlink() and target.stat().st_size > 0
    assert {*tmp_path.iterdir()} == {link, target}


def test_no_cell_of_a_table_is_a_formula(tmp_path):
    import pandas as pd

    path = api.path(pd.DataFrame(X, columns=["=cmd", "b", "c", "d", "e"]), "tpower", [1, 5])
    path.to_csv(tmp_path / "path.csv")
    assert ",=cmd" not in (tmp_path / "path.csv").read_text()


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
