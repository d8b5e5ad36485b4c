"""Performance history: read from asv's results, compared between commits, shown on a page."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from benchmarks import changes, charts, commits, history_page, results


def last(count):
    """Return the last commits, the oldest first; skip the test in a shallow clone without them."""
    shas = commits.git("rev-list", "-n", str(count), "HEAD").split()[::-1]
    if len(shas) < count:
        pytest.skip("a shallow clone")
    return shas


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Return a function that writes results for solver grqi and the last commits, as asv does.

    It takes the numbers of each measure, with None for a missing one, and returns the commits.
    """
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    monkeypatch.setattr(changes, "convention", lambda sha: 1)  # whatever the last commits changed
    monkeypatch.setattr(changes, "accepted", lambda base, head: [])

    def put(**measures):
        home = tmp_path / "trial"
        home.mkdir()
        about = dict(machine="trial", arch="x", cpu="c", num_cpu="2", os="o", ram="1")
        (home / "machine.json").write_text(json.dumps(about | {"version": 1}))
        shas = last(len(measures["track_flops"]))
        for i, sha in enumerate(shas):
            numbers = {f"solvers.grqi.{m}": [v[i]] for m, v in measures.items() if v[i] is not None}
            rows = {
                key: [[*v, None], [["'gaussian-100'", "'x'"]], "1"] for key, v in numbers.items()
            }
            rows["solvers.Package.timeraw_import"] = [[2.0], [], "1"]
            text = dict(version=2, commit_hash=sha, env_name="e", date=0, python="3")
            text |= dict(params={"machine": "trial"}, requirements={}, env_vars={}, durations={})
            text |= dict(result_columns=["result", "params", "version"], results=rows)
            (home / f"{sha[:8]}-e.json").write_text(json.dumps(text))
        return shas

    return put


def test_the_history_is_read_drawn_and_needs_no_network(store, tmp_path):
    shas = store(track_flops=[100.0, 150.0], time_solve=[0.1, 0.3])
    folder = tmp_path / "page"
    page = history_page.write("trial", folder).read_text()
    summary = json.loads((folder / "history.json").read_text())
    assert [c["sha"] for c in summary["commits"]] == shas
    after = summary["commits"][1]
    change = dict(solver="grqi", problems=1, measure="flops", low=1.5, high=1.5, word="worse")
    assert after["changed"] == [change] and after["measured"] == ["grqi"]
    assert [(c["measure"], c["word"]) for c in after["also"]] == [("seconds", "more")]
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page) and "<script src" not in page
    for name in re.findall(r'src="([^"]+)"', page):
        assert (folder / name).stat().st_size > 500
    for file in folder.glob("*.[hj]*"):
        assert str(tmp_path) not in file.read_text() and str(commits.ROOT) not in file.read_text()
    assert 'id="grqi"' in page and "×1.5" in page and "Package.timeraw_import" in page


def test_an_accepted_regression_is_on_the_page_with_its_reason(store, tmp_path, monkeypatch):
    store(track_flops=[100.0, 150.0])
    reason = commits.Accepted("grqi", "flops", "more starts", "abc")
    monkeypatch.setattr(changes, "accepted", lambda base, head: [reason])
    page = history_page.write("trial", tmp_path / "page").read_text()
    assert "more starts" in page and ", accepted" in page


def test_the_history_compares_no_flops_across_two_conventions(store, monkeypatch):
    shas = store(track_flops=[100.0, 110.0, 500.0])
    monkeypatch.setattr(changes, "convention", lambda sha: 2 if sha == shas[2] else 1)
    table = results.read("trial")
    history = changes.by_commit(table)
    assert [len(commit["changed"]) for commit in history] == [0, 1, 0]
    assert [commit["recounted"] for commit in history] == [False, False, True]
    added = charts.sums(table, {c["sha"]: c["convention"] for c in history})["grqi"]
    assert added.flops_ratio == pytest.approx(1.1) and added.dearer


def test_a_line_is_level_until_the_next_number():
    assert charts.path([0, 1, 2, 3], [1, 1, 1, 5]) == "M0 1H2H3V5"


def test_small_changes_add_up_until_they_exceed_the_noise():
    """Ten commits in a row are each 10 % slower than the one before; another solver only
    fluctuates.
    """
    rows = []
    for solver, times in (("drifts", 1.1 ** np.arange(12)), ("varies", [1.0, 1.2] * 6)):
        for commit, time in enumerate(times):
            for measure, value in (("seconds", time), ("flops", 7.0)):
                rows.append((str(commit), solver, "p", measure, value, True))
    table = pd.DataFrame(rows, columns=[*results.COLUMNS, "measured"])
    added = charts.sums(table, {str(commit): 1 for commit in range(12)})
    drifts, varies = added["drifts"], added["varies"]
    assert drifts.word == "slower" and drifts.ratio == pytest.approx(1.1**11)
    assert drifts.flops_ratio == 1.0 and not drifts.dearer
    assert varies.word == "same" and varies.ends == pytest.approx((1.0, 1.44))
    assert charts.slower_first(added) == ["drifts", "varies"]
    said = history_page.answer(added, [{"sha": "11"}])
    assert said.startswith("1 of 2 solvers became slower") and "drifts ×2.9. 0 became" in said


def test_a_solver_that_was_not_timed_at_a_commit_has_its_earlier_time_and_no_dot(store):
    shas = store(track_flops=[100.0, 100.0, 90.0, None], time_solve=[0.2, None, 0.1, None])
    table = results.read("trial")
    times = table[table.measure == "seconds"]
    assert list(zip(times.commit, times.value, times.measured, strict=True)) == [
        (shas[0], 0.2, True),
        (shas[1], 0.2, False),
        (shas[2], 0.1, True),
    ]
    history = changes.by_commit(table)
    assert [c["measured"] for c in history] == [["grqi"], [], ["grqi"], []]
    assert [c["word"] for c in history[2]["changed"] + history[2]["also"]] == ["better", "less"]
    added = charts.sums(table, {c["sha"]: c["convention"] for c in history})["grqi"]
    assert len(added.time) == 2 and added.ratio == pytest.approx(0.5)


def test_the_published_results_are_those_of_the_published_page():
    published = commits.ROOT / "results" / "published" / "history" / "history.json"
    summary = json.loads(published.read_text(encoding="utf-8"))
    table = results.read(summary["machine"]["machine"])
    shas = [commit["sha"] for commit in summary["commits"]]
    if len(table.commit.unique()) < len(shas):
        pytest.skip("a shallow clone")
    assert list(table.commit.unique()) == shas and len(shas) >= 44
    recent = changes.by_commit(table[table.commit.isin(shas[-3:])])
    assert recent[1:] == summary["commits"][-2:]


@pytest.mark.parametrize(
    ("measure", "old", "new", "word"),
    [
        ("flops", 100.0, 101.5, "worse"),
        ("flops", 100.0, 100.5, "same"),
        ("iterations", 10.0, 9.0, "better"),
        ("shortfall", 0.0, 0.01, "worse"),
        ("gap", 0.2, 0.1, "better"),
        ("gap", 0.2, 0.2 + 1e-9, None),
        ("seconds", 1.0, 1.9, None),
        ("seconds", 1.0, 0.5, "less"),
        ("memory", 2e8, 2.05e8, None),
        ("memory", 2e8, 3e8, "more"),
    ],
)
def test_each_measure_has_its_own_rule_of_what_is_a_change(measure, old, new, word):
    rows = [(sha, "grqi", "p", measure, value) for sha, value in (("a", old), ("b", new))]
    table = pd.DataFrame(rows, columns=results.COLUMNS)
    between = changes.between(table, "a", "b", [], recounted=False)
    assert [change["word"] for change in between] == ([] if word is None else [word])
