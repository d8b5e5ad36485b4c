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


def row(x, bound, solver="branch_and_bound"):
    """Return a comparison's row that has x as its vector, with a bound."""
    problem = api.load(ITEM.dataset)
    W = np.flatnonzero(x)
    pair = dict(kind="suite", item=ITEM.name, sign=False, asked=K, problem=problem.name)
    vector = dict(support=W.tolist(), values=x[W].tolist(), variance_refit=problem.variance(x))
    return trial.row(**pair, **vector, solver=solver, bound=bound)


@pytest.fixture
def proposed(tmp_path, monkeypatch):
    """Return a function that proposes entries from rows; pit props is the only problem."""
    monkeypatch.setattr(update_best_known, "by_name", lambda: {(ITEM.name, False): ITEM})

    def propose(new_rows, table=()):
        folder = tmp_path / "standard"
        folder.mkdir(exist_ok=True)
        rows.write(new_rows, folder / "rows.parquet")
        messages = []
        table = {entry.key: entry for entry in table}
        entries = update_best_known.proposed(table, tmp_path, messages.append)
        return next(iter(entries.values())), messages

    return propose


def poor():
    x = np.zeros(13)
    x[[3, 8, 11]] = 1.0
    return x / np.linalg.norm(x)


def test_a_false_bound_proves_nothing_and_the_search_is_made_again(proposed):
    x = poor()
    entry, messages = proposed([row(x, bound=api.load(ITEM.dataset).variance(x) * (1 + 1e-12))])
    exact = api.solve(api.load(ITEM.dataset), "branch_and_bound", k=K)
    assert entry.value == pytest.approx(exact.variance)
    assert entry.proven
    assert entry.bound >= exact.variance * (1 - 1e-12)
    (line,) = messages
    assert "proven again" in line


def test_an_open_answer_has_the_bound_of_the_harness(proposed):
    entry, messages = proposed([row(poor(), bound=9.0)])
    assert entry.bound >= api.solve(api.load(ITEM.dataset), "branch_and_bound", k=K).variance
    assert entry.value < entry.bound
    assert not entry.proven
    assert not messages


def test_changes_in_the_last_digits_are_no_improvement(proposed):
    best = api.solve(api.load(ITEM.dataset), "branch_and_bound", k=K, refit=True)
    entry = best_known.of_result(ITEM, best)
    again, _ = proposed([row(best.x, bound=entry.bound * (1 - 1e-13), solver="tpower")], [entry])
    assert again == entry


def test_a_stored_bound_that_a_row_refutes_is_dropped_and_the_search_is_made(proposed):
    best = api.solve(api.load(ITEM.dataset), "branch_and_bound", k=K, refit=True)
    x, problem = poor(), api.load(ITEM.dataset)
    value, W = problem.variance(x), np.flatnonzero(x)
    vector = dict(support=W.tolist(), loadings=x[W].tolist(), value=value)
    wrong = replace(best_known.of_result(ITEM, best), **vector, bound=value, bound_by="mistaken")
    entry, messages = proposed([row(best.x, bound=best.variance)], [wrong])
    assert entry.value == pytest.approx(best.variance)
    assert entry.proven and entry.bound_by in ("branch_and_bound", "dual")
    assert any("mistaken" in line for line in messages)


def test_a_search_that_is_stopped_keeps_what_it_has_found(tmp_path, monkeypatch):
    """It also keeps what another search has written in the meantime."""
    file = tmp_path / "table.json"
    read, write = best_known.read, best_known.write
    monkeypatch.setattr(best_known, "read", lambda: read(file))
    monkeypatch.setattr(best_known, "write", lambda entries: write(entries, file))
    other = best_known.searched(ITEM, 6)[0]

    def searched(item, k, effort):
        if k == 9:
            best_known.write([*read(file).values(), other])
            raise KeyboardInterrupt
        return [entry]

    entry = best_known.searched(ITEM, 3)[0]
    monkeypatch.setattr(best_known, "searched", searched)
    with pytest.raises(KeyboardInterrupt):
        best_known.improve([(ITEM, 3), (ITEM, 9)], 1.0)
    assert read(file).keys() == {entry.key, other.key}


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


@pytest.mark.parametrize("wrong", ["long", "dense", "elsewhere"])
def test_a_row_that_is_no_answer_is_said_and_blocks_nobody(proposed, wrong):
    good, bad = row(poor(), bound=9.0, solver="tpower"), row(poor(), bound=9.0, solver="liar")
    lies = {
        "long": dict(values=[2.0, 0.0, 1.0]),
        "dense": dict(support=[0, 1, 2, 3], values=[0.5] * 4),
        "elsewhere": dict(support=[1, 2, 99]),
    }
    bad = replace(bad, variance_refit=50.0, **lies[wrong])
    entry, messages = proposed([bad, good])
    assert entry.who == "tpower" and entry.value < 9.0
    assert any("liar" in line and "rejected" in line for line in messages)
