"""Mistakes in a solver's file, a setting or an environment end in one sentence, not a traceback."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import spcabench
from spcabench import Problem, SparsePCA, machine
from spcabench.errors import InputError, SolverError
from spcabench.readers import user_file
from tests.own_solver import text_of

X = np.random.default_rng(0).standard_normal((20, 6))
PENALTY = "def solve(problem, *, weight):"


def file_of(folder, body, start="def solve(problem, *, k):", **traits):
    """Write a solver to a file, with other traits, and return its path."""
    stated = ", ".join(f"{name}={value!r}" for name, value in traits.items())
    text = text_of(body, start)
    if traits:
        text = text.replace('Traits(control="cardinality")', f"Traits({stated})")
    (folder / "mine.py").write_text(text)
    return str(folder / "mine.py")


@pytest.mark.parametrize("first", ["yield np.eye(problem.n)[0]", "pass"])
def test_an_exhausted_iterator_in_a_solver_is_named_with_its_line(first, tmp_path):
    file = file_of(tmp_path, f"{first}\nyield next(iter(()))")
    with pytest.raises(SolverError, match=r"next\(\).* exhausted .*mine.py, line 14: yield next"):
        spcabench.solve(X, file, k=2)


def test_a_setting_without_a_default_is_required_by_name(tmp_path):
    start = "def solve(problem, *, k, width, seed):"  # the seed is passed by the driver
    file = file_of(tmp_path, "yield np.eye(problem.n)[0]", start)
    with pytest.raises(InputError, match="'mine' requires the setting 'width'"):
        spcabench.solve(X, file, k=2)
    assert spcabench.solve(X, file, k=2, width=3).good


def test_a_penalty_needs_a_range_only_for_a_cardinality(tmp_path):
    file = file_of(
        tmp_path, "yield np.eye(problem.n)[0]", PENALTY, control="penalty", penalty="weight"
    )
    with pytest.raises(SolverError, match="defines no penalty_range"):
        spcabench.solve(X, file, k=2)
    assert spcabench.solve(X, file, weight=0.1).good


def test_control_by_a_penalty_needs_its_name(tmp_path):
    file = file_of(tmp_path, "yield np.eye(problem.n)[0]", PENALTY, control="penalty")
    with pytest.raises(SolverError, match="name of the penalty"):
        spcabench.solve(X, file, k=2)


@pytest.mark.parametrize(
    "name", ["a" * 10_000, "a" * 10_000 + ".py", "a/" * 5000, "a\0b", "a\0.py"], ids=range(5)
)
def test_a_name_that_no_file_can_have_is_unknown(name):
    with pytest.raises(InputError, match="solver") as caught:
        spcabench.solve(X, name, k=2)
    assert len(str(caught.value)) <= 200


@pytest.mark.parametrize(
    "name", ["name", "problem", "count", "tell", "k", "seed", "deflation", "nonnegative", "refit"]
)
def test_settings_of_an_estimator_do_not_replace_its_parameters(name):
    with pytest.raises(InputError, match=f"settings: '{name}' is not allowed"):
        SparsePCA(settings={name: 1}, cardinality=2).fit(X)


EMPTY = {
    "columns": sp.coo_array(([1.0, 2.0], ([0, 1], [0, 10**9])), shape=(3, 2 * 10**9)),
    "rows": sp.coo_array(([1.0, 2.0], ([0, 10**9], [0, 1])), shape=(2 * 10**9, 3)),
    "dok": sp.dok_array((3, 2 * 10**9)),
}


@pytest.mark.parametrize("kind", EMPTY)
@pytest.mark.parametrize(
    "call",
    [Problem.from_data, lambda X: SparsePCA().fit(X), lambda X: spcabench.solve(X, k=2)],
    ids=["problem", "estimator", "solve"],
)
def test_empty_rows_and_columns_of_a_sparse_matrix_count(kind, call, monkeypatch):
    monkeypatch.setattr(machine, "free_memory", lambda: 16e9)
    with pytest.raises(InputError, match="only 16 GB are free"):
        call(EMPTY[kind])


def test_every_message_is_one_line(tmp_path):
    frame = pd.DataFrame([[1.0, "x"], [2.0, "y"]], columns=["a", "b\nc"])
    file = tmp_path / "t\nable.csv"
    frame.to_csv(file, index=False)
    with pytest.raises(InputError) as caught:
        user_file.read(file, user_file.Reading())
    assert "\n" not in str(caught.value)


def test_a_backend_of_a_notebook_does_not_matter_to_a_command(tmp_path):
    # a notebook sets this variable for its children, which may lack the backend
    words = ("solve", "pitprops", "-k", "3", "--solver", "grqi", "--plot", "a.png")
    ended = subprocess.run(
        [sys.executable, "-m", "spcabench", *words],
        cwd=tmp_path,
        env=os.environ | {"MPLBACKEND": "nosuch"},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "a.png").stat().st_size
