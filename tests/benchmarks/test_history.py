"""The history: ratios since a release, where they changed, and the noise of times."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from asv.results import Results
from asv.runner import BenchmarkResult

from benchmarks import commits, history
from spcabench.page import render

NAMES = ("p", "q", "r")


def table_of(**solvers):
    """Return a table of numbers: solver -> measure -> array (places, problems)."""
    rows = [
        (place, solver, problem, measure, value)
        for solver, measures in solvers.items()
        for measure, numbers in measures.items()
        for place, line in enumerate(np.reshape(numbers, (len(numbers), -1)))
        for problem, value in zip(NAMES, line, strict=False)
    ]
    return pd.DataFrame(rows, columns=["place", "solver", "problem", "measure", "value"]).dropna()


def commits_of(count, conventions=None, hardware=None):
    """Return commits that accept nothing."""
    rules, boxes = conventions or [1] * count, hardware or [""] * count
    return [
        {"short": str(i), "convention": rules[i], "hardware": boxes[i], "accepted": []}
        for i in range(count)
    ]


def rows_since(start, table, about):
    """Return solver -> its row."""
    rows = history.since(start, history.series_of(table, about), about)
    return {row["name"]: row for row in rows}


@pytest.mark.parametrize("start", [-1, 0, 2, 4])
def test_a_ratio_is_the_geometric_mean_over_the_problems(start):
    rng = np.random.default_rng(start + 1)
    flops = rng.integers(100, 10_000, (6, 3))
    flops[3] = flops[2]
    rows = rows_since(start, table_of(s={"flops": flops}), commits_of(6))
    mean = np.prod(flops[-1] / flops[max(start, 0)]) ** (1 / 3)
    assert rows["s"]["flops"] == pytest.approx(mean) and np.isnan(rows["s"]["time"])
    places = [int(commit["short"]) for commit in rows["s"]["flops at"]]
    assert places == [place for place in (1, 2, 4, 5) if place > start]
    steps = [commit["ratio"] for commit in rows["s"]["flops at"]]
    assert np.prod(steps) == pytest.approx(mean)


def test_flops_of_two_conventions_are_not_compared():
    table = table_of(s={"flops": [100.0, 110.0, 500.0, 1000.0]})
    row = rows_since(0, table, commits_of(4, [1, 1, 2, 2]))["s"]
    assert row["flops"] == pytest.approx(2.2)
    assert [commit["short"] for commit in row["flops at"]] == ["1", "3"]


def test_times_of_two_machines_are_not_compared():
    """The second machine is twice as fast, and each commit 10 % slower than the one before."""
    time = 1.1 ** np.arange(6) * [2.0, 2.0, 2.0, 1.0, 1.0, 1.0]
    about = commits_of(6, hardware=["old"] * 3 + ["new"] * 3)
    flops = np.full((6, 2), 9.0)
    time = np.stack([time, time], axis=1)
    time[3, 1] = np.nan  # one problem was not measured at the first commit of the second machine
    row = rows_since(0, table_of(s={"flops": flops, "time_solve": time}), about)["s"]
    assert row["time"] == pytest.approx(1.1**4) and row["noise"] == pytest.approx(1.1)


def test_small_changes_add_up_until_they_exceed_the_noise():
    """One solver is 10 % slower at each commit; the other only varies by 20 %."""
    same = {"flops": np.full(12, 7.0)}
    table = table_of(
        drifts=same | {"time_solve": 1.1 ** np.arange(12)},
        varies=same | {"time_solve": np.array([1.0, 1.2] * 6)},
        quickens=same | {"time_solve": 1.1 ** -np.arange(12)},
        newcomer=same | {"time_solve": [np.nan] * 10 + [1.0, 1.01]},
    )
    rows = rows_since(0, table, commits_of(12))
    assert {name: row["word"] for name, row in rows.items()} == {
        "drifts": "slower",
        "quickens": "faster",
    }
    series = history.series_of(table, commits_of(12))
    assert series["newcomer"][2] == pytest.approx(np.log(1.2))  # that of all solvers
    assert rows["drifts"]["time"] == pytest.approx(1.1**11)
    assert rows["drifts"]["noise"] == pytest.approx(1.1)
    assert history.noise_of(np.array([-3.0, 0.1, 0.2])) == pytest.approx(0.95 * 3.0, rel=0.1)
    assert history.answer([*rows.values()], 2).startswith(
        "Slower by more than the noise: 1 of 2 solvers (drifts ×2.85); 1 became faster"
    )


def test_changes_of_the_code_are_not_noise():
    """At each other commit the counts change with the time."""
    flops = np.repeat(2.0 ** np.arange(10), 2)
    time = flops * 1.01 ** (np.arange(20) % 2)
    row = rows_since(0, table_of(s={"flops": flops, "time_solve": time}), commits_of(20))["s"]
    assert row["noise"] == pytest.approx(1.01) and row["word"] == "slower"
    assert [int(commit["short"]) for commit in row["time at"]] == [*range(2, 20, 2)]


def test_a_problem_without_a_number_at_one_commit_changes_at_the_next():
    time = table_of(s={"flops": [9.0] * 4, "time_solve": [0.2, np.nan, 0.1, np.nan]})
    series = history.series_of(time, commits_of(4))["s"][1]
    assert [*series.index] == [0, 2] and np.exp(series.sum()) == pytest.approx(0.5)
    of = ("flops", commits_of(4), "convention")
    counted = history.changes(table_of(s={"flops": [0.0, 5.0, 10.0]}), *of)  # 0 has no ratio
    assert [*counted.index] == [1, 2] and np.allclose(counted, [0.0, np.log(2.0)])
    table = table_of(s={"flops": np.array([[8.0, 5.0], [np.nan, 5.0], [2.0, 5.0]])})
    counted = history.changes(table, *of)
    assert np.allclose(counted, [0.0, 0.0, 0.5 * np.log(2.0 / 8.0)])


def test_times_are_alike_only_where_no_count_of_any_problem_changed():
    time = np.array([1.0, 2.0, 8.0, 4.0])
    counts = {"flops": [7.0] * 4, "iterations": [[3.0, 9.0], [3.0, 9.0], [3.0, 8.0], [3.0, 8.0]]}
    alike = history.alike(table_of(s=counts | {"time_solve": time}), commits_of(4))
    assert np.allclose(alike, np.log([2.0, 0.5]))


def test_an_accepted_regression_is_shown_with_its_reason():
    about = commits_of(2)
    about[1]["accepted"] = [commits.Accepted(name, "flops", "safer", "abc") for name in "su"]
    table = table_of(s={"flops": [1.0, 2.0]}, t={"flops": [1.0, 2.0]}, u={"flops": [2.0, 1.0]})
    rows = rows_since(0, table, about)
    reasons = {name: row["flops at"][0]["reason"] for name, row in rows.items()}
    assert reasons == {"s": "safer", "t": "", "u": ""}


def save(folder, sha, values, machine="m"):
    """Save benchmark -> numbers as asv's results of a commit."""
    result = Results({"machine": machine}, {}, sha, 0, "3.11", "environment", {})
    for name, numbers in values.items():
        params = [["'p'", "'q'", "'r'"]] if numbers[1:] else []
        benchmark = {"name": name, "version": "1", "params": params}
        empty = [None] * len(numbers)
        measured = BenchmarkResult(numbers, empty, empty, 1, "", None)
        result.add_result(benchmark, measured)
    result.save(str(folder))
    about = {"machine": machine, "version": 1, "cpu": "c"}
    Path(folder, machine, "machine.json").write_text(json.dumps(about))


def test_what_asv_writes_is_read(tmp_path):
    save(tmp_path, "a" * 40, {"grqi.track_flops": [7, None, np.nan], "timeraw_import": [0.2]})
    *numbers, last = history.numbers_of(tmp_path, "m")
    assert last == ("a" * 40, "", "", "timeraw_import", 0.2)
    assert [row[:4] for row in numbers] == [("a" * 40, "grqi", name, "flops") for name in NAMES]
    assert [row[4] for row in numbers[:2]] == [7, None] and np.isnan(numbers[2][4])


def test_the_page_compares_with_the_last_measured_commit_of_each_release(
    commit, monkeypatch, tmp_path
):
    """The second of four commits, which has no results, is a release."""
    with pytest.raises(ValueError, match="no commit with results"):
        history.write("m", tmp_path / "index.html")
    text = ""
    for place, flops in enumerate((100, None, 110, 165)):
        text = f"## 0.{place + 1}.0 - 2026-01-0{place + 1}\n{text}" if place < 3 else text
        reason = f"{commits.KEY}: s: safer" if place == 3 else ""
        commit({"CHANGELOG.md": text}, f"a change\n\n{reason}")
        if flops:
            values = {"s.track_flops": [flops] * 3, "corpus.size.track_bytes": [place] * 3}
            save(history.RESULTS, commits.git("rev-parse", "HEAD"), values)
    save(history.RESULTS, "b" * 40, {"s.track_flops": [7, 7, 7]})  # this clone lacks it
    shown = {}
    monkeypatch.setattr(render, "render", lambda name, **values: shown.update(values) or name)
    assert history.write("m", tmp_path / "index.html").exists()
    first, third, fourth = shown["commits"]
    found = {title: (start, rows) for title, start, _, rows in shown["sections"]}
    assert [*found] == ["0.3.0", "0.2.0", "0.1.0", "the first commit of each solver"]
    starts = [start and start["sha"] for start, _ in found.values()]
    assert starts == [third["sha"], first["sha"], first["sha"], None]
    ratios = [row["flops"] for _, rows in found.values() for row in rows]
    assert ratios == pytest.approx([1.5, 1.65, 1.65, 1.65])
    changed = found["0.1.0"][1][0]["flops at"]
    assert [each["sha"] for each in changed] == [third["sha"], fourth["sha"]]
    assert [each["reason"] for each in changed] == ["", "safer"]
    commit(
        {"CHANGELOG.md": f"## 0.4.0 - 2026-01-04\n{text}"}, "a release of the last measured commit"
    )
    assert history.write("m", tmp_path / "index.html").exists()
    assert [title for title, *_ in shown["sections"]] == [*found]


def test_the_table_since_the_first_commits_has_every_solver():
    table = table_of(same={"flops": [100.0] * 4}, timeless={"gap": [0.1] * 4})
    assert {*rows_since(-1, table, commits_of(4))} == {"same", "timeless"}
    assert not rows_since(0, table, commits_of(4))
