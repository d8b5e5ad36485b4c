"""The gate on exact counts, what it accepts, and the pages of the history."""

import json
import math
import re
import subprocess
from functools import partial

import matplotlib.pyplot as plt
import pytest

from benchmarks import commits, counts, gate, history, site, tables, tally
from benchmarks.problems import PROBLEMS, REDUCED
from spcabench import registry, style
from spcabench.claims import interval

BEST = {"p": 2.0}
ENTRY = {
    "status": "converged",
    "flops": 1000,
    "iterations": 100,
    "gap": 0.1,
    "variance": 1.8,
    "seconds": 0.1,
}


def words(**changes):
    """Measure -> word, of one solver whose counts changed so."""
    rows = gate.compare({"s": {"p": ENTRY}}, {"s": {"p": ENTRY | changes}}, BEST)
    return {measure: word for _, _, measure, _, _, word in rows}


def test_nothing_changed_is_the_same():
    assert words() == dict.fromkeys(counts.MEASURES, "same")


@pytest.mark.parametrize(
    ("changes", "measure"),
    [
        (dict(flops=1020), "flops"),
        (dict(iterations=102), "iterations"),
        (dict(gap=0.102), "gap"),
        (dict(variance=1.79), "shortfall"),
    ],
)
def test_more_than_one_percent_worse_is_found_in_its_measure_alone(changes, measure):
    assert {m for m, word in words(**changes).items() if word == "worse"} == {measure}


def test_less_than_one_percent_and_times_decide_nothing():
    assert set(words(flops=1009, seconds=9.0).values()) == {"same"}
    assert words(flops=500)["flops"] == "better"


def test_flops_of_two_conventions_are_never_compared():
    changed = words(flops=9000, convention=2)
    assert changed == dict.fromkeys(counts.MEASURES, "same") | {"flops": "recounted"}
    assert words(iterations=200, convention=2)["iterations"] == "worse"


def test_the_convention_of_a_commit_is_read_from_its_ledger():
    assert commits.convention(commits.commit("HEAD")) == counts.convention()
    first = commits.git("rev-list", "--max-parents=0", "HEAD").split()[0]
    assert commits.convention(first) == 1


def test_a_share_at_its_floor_may_round():
    rows = gate.compare(*({"s": {"p": ENTRY | dict(gap=gap)}} for gap in (1e-16, 3e-16)), BEST)
    assert {row[2]: row[-1] for row in rows}["gap"] == "same"
    rows = gate.compare(*({"s": {"p": ENTRY | dict(gap=gap)}} for gap in (0.0, 1e-3)), BEST)
    assert {row[2]: row[-1] for row in rows}["gap"] == "worse"


def test_an_answer_that_is_lost_fails_unless_a_clock_ended_a_slow_run():
    gone = {"s": {"p": {"status": "error", "reason": "boom"}}}
    assert {row[-1] for row in gate.compare({"s": {"p": ENTRY}}, gone, BEST)} == {"lost"}
    ended = {"s": {"p": {"status": "time_limit"}}}
    assert {row[-1] for row in gate.compare({"s": {"p": ENTRY}}, ended, BEST)} == {"lost"}
    assert {
        row[-1] for row in gate.compare({"s": {"p": ENTRY | dict(seconds=19.0)}}, ended, BEST)
    } == {"late"}
    assert gate.compare({"s": {"p": ENTRY}}, {"other": {"p": ENTRY}}, BEST) == []


def test_an_accepted_regression_covers_what_it_names():
    every, one = (
        commits.one(f"{commits.KEY}: {text}", "abc")
        for text in ("grqi: a proof", "grqi flops: a proof")
    )
    assert (
        every.covers("grqi", "gap")
        and one.covers("grqi", "flops")
        and not one.covers("grqi", "gap")
    )
    assert not every.covers("scol", "gap") and commits.one(
        f"{commits.KEY}: *: new rule", "abc"
    ).covers("scol", "gap")
    assert commits.excuse("grqi", "flops", [one]).reason == "a proof"
    assert gate.verdict([("grqi",)], [("grqi",)]).startswith("perf-check: FAILED: grqi.")


@pytest.mark.parametrize("text", ["grqi", "grqi:", ": reason", "grqi speed: reason"])
def test_an_acceptance_without_a_solver_or_a_reason_is_refused(text):
    with pytest.raises(ValueError, match="allowed is"):
        commits.one(f"{commits.KEY}: {text}", "abc")


def test_a_commit_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="no commit 'no-such-branch'"):
        commits.commit("no-such-branch")


def test_a_word_about_a_time_needs_its_interval_and_says_the_noise():
    assert tables.notable(interval([1.3, 1.31, 1.29, 1.3])) == "slower"
    assert tables.notable(interval([0.7, 0.71, 0.69, 0.7])) == "faster"
    said = tables.notable(interval([1.14, 1.15, 1.13, 1.14]))
    assert said.startswith("slower, by less than")
    assert tables.notable(interval([1.04, 1.03, 1.04])) == ""
    assert tables.notable(interval([0.5, 2.0, 1.3, 0.8])) == ""


@pytest.mark.parametrize(("more", "said"), [(128e6, "+128 MB"), (-128e6, "-128 MB"), (5e6, "")])
def test_a_change_of_memory_is_said_and_decides_nothing(more, said, capsys):
    old = {"s": {"p": ENTRY | dict(memory=2e8)}}
    new = {"s": {"p": ENTRY | dict(memory=2e8 + more)}}
    tables.show_memories(gate.memories(old, new))
    assert said in capsys.readouterr().out
    assert {row[-1] for row in gate.compare(old, new, BEST)} == {"same"}
    assert not gate.memories({"s": {"p": ENTRY}}, new)


def test_a_slower_loop_is_said_and_decides_nothing(capsys):
    tables.show_times({("s", "p"): [(0.1, 0.114), (0.1, 0.115), (0.1, 0.113)]})
    assert "s, p: +14 %, slower" in capsys.readouterr().out


def test_the_reduced_set_has_sparse_data_and_a_covariance():
    forms = {PROBLEMS[name].make().form for name in REDUCED}
    assert forms == {"data", "sparse", "covariance"}


def test_the_peak_of_a_run_is_its_own():
    counts.forget_peak()
    before = counts.peak_memory()
    if before is None:
        pytest.skip("the system does not say")
    block = bytearray(b"1" * 64_000_000)
    assert counts.peak_memory() - before > 50_000_000
    del block


def test_counts_of_a_process_of_its_own_are_those_of_the_harness():
    run = partial(subprocess.run, capture_output=True, text=True, env=counts.environment(), cwd="/")
    found = counts.of_solver(run, "tpower", ["gaussian-20", "no-such-problem"])
    assert found["no-such-problem"]["status"] == "error"
    costs = {name: found["gaussian-20"].pop(name) for name in ("seconds", "memory")}
    here = counts.measured("tpower", "gaussian-20")
    assert found["gaussian-20"] == {name: here[name] for name in here if name not in costs}
    assert found["gaussian-20"]["flops"] > 0 and 0 <= found["gaussian-20"]["gap"] < 1


def test_a_solver_is_measured_again_unless_all_its_code_does_the_same(add_file):
    text = (
        '"""One."""\nfrom spcabench.steps import {name}\n'
        "def solve(problem, *, k):\n    yield {body}\n"
    )
    found = {}
    for case, (name, body) in {
        "base": ("TINY", "problem"),
        "other import": ("x", "problem"),
        "other body": ("TINY", "None"),
    }.items():
        add_file("solver", "own", text.format(name=name, body=body))
        found[case] = counts.code("own")
    add_file("solver", "own", "# a comment\n" + text.format(name="TINY", body="problem"))
    assert counts.code("own") == found["base"] and len(set(found.values())) == 3
    old, new = {"a": "1", "b": "2", "c": None}, {"a": "1", "b": "3", "c": None, "d": "4"}
    assert gate.unchanged(old, new) == {"a"}


def test_a_change_of_the_matrix_layer_changes_the_code_of_every_solver(monkeypatch):
    from spcabench.running import source

    before = counts.codes()
    whole = source.tree_hash
    touched = source.PACKAGE / "problem" / "covariance.py"
    monkeypatch.setattr(source, "tree_hash", lambda f: "changed" if f == touched else whole(f))
    assert all(counts.code(name) != before[name] for name in before)


def test_a_tree_that_is_not_the_one_measured_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match="not the commit in"):
        counts.collect(["gaussian-20"], tmp_path)


def test_the_best_known_answers_are_those_of_the_problems():
    best = counts.best_known()
    assert set(best) == set(PROBLEMS) > set(REDUCED)
    found = counts.values(counts.measured("brute_force", "gaussian-20"), best["gaussian-20"])
    assert found["shortfall"] == pytest.approx(0.0, abs=1e-12)


def results(folder, numbers):
    """What asv writes, for the last commits, with flops of one solver."""
    home = folder / "trial"
    home.mkdir(parents=True)
    about = dict(version=1, machine="trial", arch="x", cpu="c", num_cpu="2", os="o", ram="1")
    (home / "machine.json").write_text(json.dumps(about))
    shas = commits.git("rev-list", "-n", str(len(numbers)), "HEAD").split()[::-1]
    columns = ["result", "params", "version", "started_at", "duration", "stats_q_25", "stats_q_75"]
    for sha, flops in zip(shas, numbers, strict=True):
        params = [["'grqi'", "'gone'"], ["'gaussian-100'"]]
        counted = [[flops, None], params, "1", 0, 1.0]
        timed = [[0.1, None], params, "1", 0, 1.0, [0.09, None], [0.12, None]]
        found = {
            "bench_solvers.Counts.track_flops": counted,
            "bench_solvers.Costs.time_solve": timed,
        }
        found |= {"bench_solvers.Package.timeraw_import": [[2.0], [], "1", 0, 1.0, [1.9], [2.1]]}
        about = dict(
            version=2,
            commit_hash=sha,
            env_name="e",
            date=0,
            params={"machine": "trial"},
            python="3",
        )
        text = json.dumps(
            about
            | dict(
                requirements={}, env_vars={}, result_columns=columns, results=found, durations={}
            )
        )
        (home / f"{sha[:8]}-e.json").write_text(text)
    return shas


def test_the_history_is_read_drawn_and_needs_no_network(tmp_path, monkeypatch):
    monkeypatch.setattr(history, "RESULTS", tmp_path / "performance")
    monkeypatch.setattr(tally, "FOLDER", tmp_path / "counts")
    monkeypatch.setattr(history, "SITE", tmp_path / "history")
    monkeypatch.setattr(history, "convention", lambda sha: 1)  # whatever the last commits changed
    if len(commits.git("rev-list", "-n", "2", "HEAD").split()) < 2:
        pytest.skip("a shallow clone")
    shas = results(tmp_path / "performance", [100.0, 150.0])
    page = history.write("trial").read_text()
    made = json.loads((tmp_path / "history" / "history.json").read_text())
    assert [c["sha"] for c in made["commits"]] == shas
    assert made["commits"][1]["changed"] == [
        dict(solver="grqi", low=1.5, high=1.5, problems=1, word="worse")
    ]
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page) and "<script src" not in page
    for name in re.findall(r'src="([^"]+)"', page):
        assert (tmp_path / "history" / name).stat().st_size > 500
    assert str(tmp_path) not in page
    assert history.write("no-such-machine") is None


def test_the_history_compares_no_flops_across_two_conventions(tmp_path, monkeypatch):
    monkeypatch.setattr(history, "RESULTS", tmp_path / "performance")
    monkeypatch.setattr(tally, "FOLDER", tmp_path / "counts")
    if len(commits.git("rev-list", "-n", "3", "HEAD").split()) < 3:
        pytest.skip("a shallow clone")
    shas = results(tmp_path / "performance", [100.0, 110.0, 500.0])
    monkeypatch.setattr(history, "convention", lambda sha: 2 if sha == shas[2] else 1)
    table = history.read("trial")
    found = history.in_order(table)
    assert [len(commit["changed"]) for commit in found] == [0, 1, 0]
    assert [commit["recounted"] for commit in found] == [False, False, True]
    _, axis = plt.subplots()
    looks = style.many(table.solver)
    site.draw_lines(axis, table[table.measure == "flops"], "flops", found, looks)
    assert sorted(len(line.get_xdata()) for line in axis.get_lines()) == [1, 2]
    plt.close("all")


def test_the_history_is_made_of_counts_alone_and_counts_nothing_twice(tmp_path, monkeypatch):
    shas = commits.git("rev-list", "-n", "2", "HEAD").split()[::-1]
    if len(shas) < 2:
        pytest.skip("a shallow clone")
    flops = {shas[0]: dict(grqi=100, tpower=100), shas[1]: dict(grqi=90, tpower=130)}
    asked = []

    def collect(problems, sha, solvers=None):
        asked.append(sha)
        return {s: {"spiked-40": {"flops": f, "iterations": 5}} for s, f in flops[sha].items()}

    for name, value in (("tree", str), ("collect", collect), ("FOLDER", tmp_path / "counts")):
        monkeypatch.setattr(tally, name, value)
    monkeypatch.setattr(history, "SITE", tmp_path / "history")
    monkeypatch.setattr(history, "convention", lambda sha: 1)
    monkeypatch.setattr(
        history, "accepted", lambda *_: [commits.Accepted("tpower", "flops", "more starts", "abc")]
    )
    tally.write(shas)
    tally.write(shas)
    assert asked == shas
    page = history.write("nowhere").read_text()
    made = json.loads((tmp_path / "history" / "history.json").read_text())
    assert {c["solver"]: c["word"] for c in made["commits"][1]["changed"]} == {
        "grqi": "better",
        "tpower": "accepted",
    }
    assert "more starts" in page and "Time, ms" not in page and "none at these" not in page
    for name in re.findall(r'src="([^"]+)"', page):
        assert (tmp_path / "history" / name).stat().st_size > 500


def test_every_solver_has_a_column():
    from benchmarks.site import GROUPS, group

    assert {group(name) for name in registry.names("solver")} == set(GROUPS)
    assert group("gone") in GROUPS and math.isnan(counts.values({}, None)["flops"])
