"""The best-known table trusts neither the bound in a row nor the name of its solver."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from spcabench import api
from spcabench.comparison import best_known, suite, update_best_known
from spcabench.running import rows
from tests import trial

ITEM = next(item for item in suite.ITEMS if item.name == "pit props")
K = 3


@pytest.fixture(scope="module")
def problem():
    return api.load(ITEM.dataset)


@pytest.fixture(scope="module")
def best(problem):
    return api.solve(problem, "branch_and_bound", k=K, refit=True)


def poor():
    x = np.zeros(13)
    x[[3, 8, 11]] = 1.0
    return x / np.linalg.norm(x)


@pytest.fixture
def row(problem):
    """Return a function that returns a comparison's row with the vector x and a bound."""

    def row_of(x, bound, solver="branch_and_bound"):
        W = np.flatnonzero(x)
        pair = dict(kind="suite", item=ITEM.name, sign=False, asked=K, problem=problem.name)
        vector = dict(support=W.tolist(), values=x[W].tolist(), variance_refit=problem.variance(x))
        return trial.row(**pair, **vector, solver=solver, bound=bound)

    return row_of


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Return a function that reads the table of this test, which is empty at first."""
    file = tmp_path / "table.json"
    read, write = best_known.read, best_known.write
    monkeypatch.setattr(best_known, "read", lambda: read(file))
    monkeypatch.setattr(best_known, "write", lambda entries: write(entries, file))
    return lambda: read(file)


@pytest.fixture
def adopted(tmp_path, monkeypatch, table, capsys):
    """Return a function that adopts rows about pit props; it returns the entry and the messages."""
    monkeypatch.setattr(update_best_known, "by_name", lambda: {(ITEM.name, False): ITEM})

    def adopt(new_rows, known=()):
        best_known.write(known)
        folder = tmp_path / "standard"
        folder.mkdir(exist_ok=True)
        rows.write(new_rows, folder / "rows.parquet")
        for entry in update_best_known.of_rows(tmp_path):
            update_best_known.adopt(entry)
        (entry,) = table().values()
        return entry, capsys.readouterr().out

    return adopt


def test_a_false_bound_proves_nothing_and_the_search_is_made_again(adopted, row, problem, best):
    x = poor()
    entry, messages = adopted([row(x, bound=problem.variance(x) * (1 + 1e-12))])
    assert entry.value == pytest.approx(best.variance)
    assert entry.proven
    assert entry.bound >= best.variance * (1 - 1e-12)
    assert "proving again" in messages


def test_an_open_answer_has_the_bound_of_the_harness(adopted, row, best):
    entry, messages = adopted([row(poor(), bound=9.0)])
    assert entry.value < best.variance <= entry.bound
    assert not entry.proven and "proving" not in messages


def test_a_stored_bound_that_a_row_refutes_is_dropped_and_the_search_is_made(
    adopted, row, problem, best
):
    x = poor()
    value, W = problem.variance(x), np.flatnonzero(x)
    vector = dict(support=W.tolist(), loadings=x[W].tolist(), value=value)
    right = update_best_known.of_result(ITEM, best)
    wrong = replace(right, **vector, bound=value, bound_by="mistaken")
    entry, messages = adopted([row(best.x, bound=best.variance)], [wrong])
    assert entry.value == pytest.approx(best.variance)
    assert entry.proven and entry.bound_by in ("branch_and_bound", "dual")
    assert "mistaken" in messages


def test_a_change_keeps_what_another_search_has_written_in_the_meantime(table):
    (entry, *_), (other, *_) = (update_best_known.searched(ITEM, k) for k in (3, 6))
    assert update_best_known.adopt(other)
    assert update_best_known.adopt(entry) and not update_best_known.adopt(entry)
    assert table().keys() == {entry.key, other.key}


def test_no_stored_bound_lies_below_a_value_known_at_fewer_variables():
    """More variables reach at least what k variables reach."""
    table = sorted(best_known.read().values(), key=lambda e: (*e.key[:2], e.nonnegative, e.k))
    pairs = [
        (a, b)
        for a, b in pairwise(table)
        if (*a.key[:2], a.nonnegative) == (*b.key[:2], b.nonnegative)
    ]
    assert len(pairs) > 50
    for fewer, more in pairs:
        assert fewer.value <= more.bound and fewer.value <= more.value * (1.0 + 1e-12)


def test_a_row_that_is_no_answer_is_said_and_blocks_nobody(adopted, row):
    good, bad = row(poor(), bound=9.0, solver="tpower"), row(poor(), bound=9.0, solver="liar")
    entry, messages = adopted([replace(bad, variance_refit=50.0, values=[2.0, 0.0, 1.0]), good])
    assert entry.who == "tpower" and entry.value < 9.0
    assert "a row of liar was rejected" in messages
