"""The gate on exact counts, what it accepts, and the pages of the history."""

import json
import math
import os
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from asv.config import Config
from asv.runner import BENCHMARK_RUN_SCRIPT

import spcabench
from benchmarks import (
    changes,
    codes,
    commits,
    counts,
    environment,
    gate,
    history,
    lines,
    passes,
    planted,
    site,
    tables,
    taken,
    tally,
)
from benchmarks.problems import DATASETS, PROBLEMS, REDUCED
from spcabench import registry

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
    assert tables.notable(tables.ratio_of([(1.0, r) for r in (1.3, 1.31, 1.29, 1.3)])) == "slower"
    assert tables.notable(tables.ratio_of([(1.0, r) for r in (0.7, 0.71, 0.69, 0.7)])) == "faster"
    message = tables.notable(tables.ratio_of([(1.0, r) for r in (1.14, 1.15, 1.13, 1.14)]))
    assert message.startswith("slower, by less than")
    assert tables.notable(tables.ratio_of([(1.0, r) for r in (1.04, 1.03, 1.04)])) == ""
    assert tables.notable(tables.ratio_of([(1.0, r) for r in (0.5, 2.0, 1.3, 0.8)])) == ""


@pytest.mark.parametrize(("more", "message"), [(128e6, "+128 MB"), (-128e6, "-128 MB"), (5e6, "")])
def test_a_change_of_memory_is_said_and_decides_nothing(more, message, capsys):
    old = {"s": {"p": ENTRY | dict(memory=2e8)}}
    new = {"s": {"p": ENTRY | dict(memory=2e8 + more)}}
    tables.show_memories(gate.memories(old, new))
    assert message in capsys.readouterr().out
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


def test_counts_of_a_process_of_its_own_are_those_of_the_harness(capsys):
    tree = commits.tree(commits.commit("HEAD"))
    names = ["gaussian-20", "no-such-problem"]
    (counted,) = passes.collect(names, tree, 1, ["tpower"], timed=True, title="old").values()
    last = capsys.readouterr().err.split("\r")[-1]
    assert last.startswith("old: 100%") and "1/1" in last
    assert counted["no-such-problem"]["status"] == "error"
    costs = {name: counted["gaussian-20"].pop(name) for name in ("seconds", "memory", "time")}
    here = counts.measured("tpower", "gaussian-20")
    assert counted["gaussian-20"] == {name: here[name] for name in here if name not in costs}
    assert counted["gaussian-20"]["flops"] > 0 and 0 <= counted["gaussian-20"]["gap"] < 1
    assert costs["memory"] >= 0
    assert 0 < costs["time"][0] <= costs["time"][1] <= costs["time"][2]


def test_a_solver_that_crashes_costs_the_others_nothing(monkeypatch):
    def entry(solver, name, timed):
        return os._exit(3) if solver == "crashes" else {"status": "converged"}

    monkeypatch.setattr(passes, "entry", entry)
    monkeypatch.setattr(passes, "FORK", passes.multiprocessing.get_context("fork"))
    counted = {name: passes.of_solver(name, ["gaussian-20"]) for name in ("crashes", "runs")}
    assert counted["crashes"]["gaussian-20"]["status"] == "error"
    assert counted["runs"] == {"gaussian-20": {"status": "converged"}}


def test_a_solver_that_breaks_fails_and_one_that_is_mended_passes(monkeypatch, capsys):
    entry = {"status": "converged", "flops": 10, "iterations": 3, "convention": 1}
    counted = {
        "good": {"tpower": {"gaussian-20": entry}},
        "broken": {"tpower": {"gaussian-20": {"status": "error", "reason": "SyntaxError: here"}}},
    }
    fakes = dict(
        git=lambda *_: "",
        accepted=lambda *_: [],
        tree=str,
        codes=lambda tree: {"tpower": tree, "grqi": "the same"},
        collect=lambda problems, tree, **_: counted[tree.rstrip("2")],
    )
    for name, fake in fakes.items():
        monkeypatch.setattr(gate, name, fake)
    assert gate.judge("broken", "good", reduced=True) == 0
    assert gate.judge("good", "broken", reduced=True) == 1
    message = capsys.readouterr().out
    assert "FAILED: tpower" in message and "SyntaxError: here" in message
    with pytest.raises(RuntimeError, match="SyntaxError: here"):
        gate.judge("broken", "broken2", reduced=True)
    counted["more"] = counted["good"] | {"fresh": counted["broken"]["tpower"]}
    monkeypatch.setattr(gate, "codes", lambda tree: dict.fromkeys(counted[tree], tree))
    assert gate.judge("good", "more", reduced=True) == 1
    assert "FAILED: fresh: new, and no run of it has an answer" in capsys.readouterr().out


def test_a_sentence_that_begins_with_the_key_accepts_nothing(monkeypatch):
    message = f"abc\0Subject\n\n{commits.KEY} line of a merge.\n{commits.KEY}: grqi: a proof\n\x01"
    monkeypatch.setattr(commits, "git", lambda *_: message)
    assert [found.solver for found in commits.accepted("a", "b")] == ["grqi"]


@pytest.fixture
def package(tmp_path):
    """The folder of a small package, and a function that writes a file of it."""

    def put(name, text=""):
        file = tmp_path / "tree" / "spcabench" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    put(
        "api.py",
        "from spcabench.driver import drive\nfrom spcabench import parts, wholes\n"
        "import spcabench.inner.runner as runner\n\n"
        "def solve(): return inner()\n\ndef inner(): return drive, wholes.one, runner.run\n\n"
        "def load():\n    from spcabench.late import here\n\n"
        "def components(): return parts.several\n",
    )
    put("parts.py", "several = 1")
    put("wholes.py", "one = 1")
    put("late.py", "here = 1")
    put("driver.py", "drive = 1")
    for name in DATASETS:
        put(f"datasets/{name}.py", "from spcabench.datasets import own")
    put("datasets/own.py", "drawn = 1")
    put("datasets/faces.py", "drawn = 1")
    put(
        "solvers/own.py",
        "from spcabench.steps import step\nfrom ._own_help import two\nfrom . import _own_more\n"
        'from spcabench.given import again\nTABLE = "own.txt"\nLATE = "spcabench.by_name"\n'
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
        "    from spcabench.only_types import one\n",
    )
    put("solvers/own.txt", "1")
    put("solvers/_own_help.py", "two = 2")
    put("solvers/_own_more.py", "three = 3")
    put("by_name.py", "one = 1")
    put("only_types.py", "one = 1")
    put("given/__init__.py", "from spcabench.given_by import again")
    put("given_by.py", "again = 1")
    put("inner/runner.py", "run = 1")
    put("solvers/other.py", "done = 1")
    put("steps.py", "import spcabench.inner.deep as deep\n\nstep = deep.one")
    put("inner/deep.py", "one = 1")
    return tmp_path / "tree", put


@pytest.mark.parametrize(
    ("file", "whose"),
    [
        ("solvers/own.py", {"own"}),
        ("steps.py", {"own"}),
        ("inner/deep.py", {"own"}),
        ("solvers/_own_help.py", {"own"}),
        ("solvers/_own_more.py", {"own"}),
        ("solvers/own.txt", {"own"}),
        ("by_name.py", {"own"}),
        ("given/__init__.py", {"own"}),
        ("given_by.py", {"own"}),
        ("only_types.py", set()),
        ("inner/runner.py", {"own", "other"}),
        ("driver.py", {"own", "other"}),
        ("wholes.py", {"own", "other"}),
        ("late.py", {"own", "other"}),
        ("parts.py", set()),  # no run of a solver uses it
        ("datasets/own.py", {"own", "other"}),
        ("datasets/faces.py", set()),
    ],
)
def test_a_solver_is_measured_again_where_its_code_or_what_it_imports_changed(package, file, whose):
    tree, put = package
    before = codes.codes(tree)
    text = (tree / "spcabench" / file).read_text()
    if file.endswith(".py"):
        put(file, f"# a comment\n{text}\n")
    assert codes.codes(tree) == before and set(before) == {"own", "other"}
    put(file, f"{text}\nmore = 2\n")
    after = codes.codes(tree)
    assert {name for name in after if after[name] != before[name]} == whose
    assert gate.unchanged(before, after) == set(before) - whose


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ('COLOUR = "#111111"', 'COLOUR = "#222222"', True),
        ("COLOUR = more = 1", "COLOUR = more = 2", False),
        ("COLOUR = made(1)", "COLOUR = made(2)", False),
        ('FACTS = Facts(year=1, cost="n")', 'FACTS = Facts(year=2, cost="n")', True),
        ("FACTS = Facts(year=made(1))", "FACTS = Facts(year=made(2))", False),
        ("FACTS = Facts(1)", "FACTS = Facts(2)", False),
        ("FACTS = made(year=1)", "FACTS = made(year=2)", False),
        ("from .....far import one", "# a comment\nfrom .....far import one", True),
    ],
)
def test_only_a_colour_or_facts_alone_change_nothing(package, first, second, same):
    tree, put = package
    put("solvers/other.py", first)
    before = codes.codes(tree)
    put("solvers/other.py", second)
    assert (codes.codes(tree) == before) is same


def test_a_wrong_syntax_of_what_runs_every_solver_is_said(package):
    tree, put = package
    (tree / "spcabench" / "solvers" / "own.py").write_bytes(b"odd = '\xe9'")  # no UTF-8
    assert codes.codes(tree)
    put("api.py", "def solve(:")
    with pytest.raises(ValueError, match=r"the syntax of api\.py is wrong"):
        codes.codes(tree)


def test_a_change_of_the_matrix_layer_changes_the_code_of_every_solver(tmp_path):
    tree = tmp_path / "tree"
    caches = shutil.ignore_patterns("__pycache__")  # another test may write there
    shutil.copytree(commits.tree(commits.commit("HEAD")), tree, ignore=caches)
    before = codes.codes(tree)
    file = tree / "spcabench" / "problem" / "covariance.py"
    file.write_text(file.read_text() + "\nmore = 1\n")
    after = codes.codes(tree)
    assert all(after[name] != before[name] for name in before)
    assert set(before) == set(registry.names("solver"))


def test_the_standard_problems_are_made_of_the_datasets_that_are_hashed(monkeypatch):
    loaded, load = set(), spcabench.load
    monkeypatch.setattr(
        spcabench, "load", lambda name, **more: loaded.add(name) or load(name, **more)
    )
    for standard in PROBLEMS.values():
        standard.make()
    assert loaded == set(DATASETS)


def test_compiled_kernels_stay_where_nothing_that_they_import_changed(package, tmp_path):
    tree, put = package
    put("kernel.py", "from spcabench.steps import step\n@compiled()\ndef f(): pass")
    put("apart.py", "@compiled()\ndef g(): pass")
    place = tmp_path / "place"
    environment.bring(tree, place)
    indices = [
        place / "spcabench" / "__pycache__" / f"{name}.f-2.nbi" for name in ("kernel", "apart")
    ]
    indices[0].parent.mkdir()
    for file in indices:
        file.touch()
    environment.bring(tree, place)
    assert all(file.exists() for file in indices)
    put("steps.py", "step = 2")
    (tree / "spcabench" / "driver.py").unlink()
    environment.bring(tree, place)
    assert [file.exists() for file in indices] == [False, True]
    assert not (place / "spcabench" / "driver.py").exists()
    assert (place / "spcabench" / "steps.py").read_text() == "step = 2"


def test_asv_finds_the_package_of_the_commit_and_not_the_installed_one(
    package, tmp_path, monkeypatch
):
    tree, put = package
    put("__init__.py", "NAME = 'that of the commit'")
    monkeypatch.setattr(environment, "PLACE", tmp_path / "place")
    monkeypatch.setattr(environment, "tree", lambda sha: tree)
    suite, report = tmp_path / "suite", tmp_path / "found.json"
    suite.mkdir()
    (suite / "__init__.py").write_text(
        "import spcabench\n\ndef track_one(): return 1\n\ntrack_one.unit = spcabench.NAME\n"
    )
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    trees = environment.Trees(Config(), here, {}, {})
    trees.install_project(None, None, "a" * 40)
    trees.run([BENCHMARK_RUN_SCRIPT, "discover", str(suite), str(report)])
    assert [b["unit"] for b in json.loads(report.read_text())] == ["that of the commit"]
    assert trees.installed_commit_hash == "a" * 40


def test_a_tree_that_is_not_the_one_measured_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match="not the commit in"):
        passes.collect(["gaussian-20"], tmp_path, solvers=["tpower"])


def test_the_best_known_answers_are_those_of_the_problems():
    best = counts.best_known()
    assert set(best) == set(PROBLEMS) > set(REDUCED)
    counted = counts.values(counts.measured("brute_force", "gaussian-20"), best["gaussian-20"])
    assert counted["shortfall"] == pytest.approx(0.0, abs=1e-12)


def last(count):
    """The last commits, the oldest first; skips the test in a shallow clone without them."""
    shas = commits.git("rev-list", "-n", str(count), "HEAD").split()[::-1]
    if len(shas) < count:
        pytest.skip("a shallow clone")
    return shas


def results(folder, numbers, **measures):
    """What asv writes, for the last commits, with flops and other measures of one solver."""
    home = folder / "trial"
    home.mkdir(parents=True)
    about = dict(version=1, machine="trial", arch="x", cpu="c", num_cpu="2", os="o", ram="1")
    (home / "machine.json").write_text(json.dumps(about))
    shas = last(len(numbers))
    columns = ["result", "params", "version", "started_at", "duration"]
    params = [["'grqi'", "'gone'"], ["'gaussian-100'"]]
    for i, sha in enumerate(shas):
        values = {"flops": numbers[i]} | {name: given[i] for name, given in measures.items()}
        if numbers[i] is None:
            continue
        by_benchmark = {
            history.BENCH + n: [[v, None], params, "2", 0, 1.0] for n, v in values.items()
        }
        by_benchmark["solvers.Package.timeraw_import"] = [[2.0], [], "1", 0, 1.0]
        about = dict(version=2, commit_hash=sha, env_name="e", date=0, python="3")
        rest = dict(params={"machine": "trial"}, requirements={}, env_vars={}, durations={})
        text = json.dumps(about | rest | dict(result_columns=columns, results=by_benchmark))
        (home / f"{sha[:8]}-e.json").write_text(text)
    return shas


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Empty folders of what is measured and counted, and of the site."""
    monkeypatch.setattr(history, "RESULTS", tmp_path / "performance")
    monkeypatch.setattr(tally, "FOLDER", tmp_path / "counts")
    monkeypatch.setattr(history, "SITE", tmp_path / "history")
    monkeypatch.setattr(history, "convention", lambda sha: 1)  # whatever the last commits changed
    return tmp_path


def made(folders):
    """What the site's summary holds."""
    return json.loads((folders / "history" / "history.json").read_text())


def test_the_history_is_read_drawn_and_needs_no_network(folders):
    shas = results(folders / "performance", [100.0, 150.0], seconds=[0.1, 0.3])
    page = history.write("trial").read_text()
    assert [c["sha"] for c in made(folders)["commits"]] == shas
    change = dict(solver="grqi", problems=1)
    assert made(folders)["commits"][1]["changed"] == [
        change | dict(measure="flops", low=1.5, high=1.5, word="worse")
    ]
    (slower,) = made(folders)["commits"][1]["also"]
    assert slower["measure"] == "seconds" and slower["word"] == "more"
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page) and "<script src" not in page
    for name in re.findall(r'src="([^"]+)"', page):
        assert (folders / "history" / name).stat().st_size > 500
    for file in (folders / "history").glob("*.[hj]*"):
        assert str(folders) not in file.read_text() and str(commits.ROOT) not in file.read_text()
    assert 'id="grqi"' in page and "×1.5" in page and 'id="gone"' not in page
    assert history.write("no-such-machine") is None
    numbers = json.loads((folders / "history" / "numbers.json").read_text())
    assert numbers["solvers"]["grqi"]["gaussian-100"]["flops"] == [100, 150]


def test_the_history_compares_no_flops_across_two_conventions(folders, monkeypatch):
    shas = results(folders / "performance", [100.0, 110.0, 500.0])
    monkeypatch.setattr(history, "convention", lambda sha: 2 if sha == shas[2] else 1)
    table = history.read("trial")
    changes = history.in_order(table)
    assert [len(commit["changed"]) for commit in changes] == [0, 1, 0]
    assert [commit["recounted"] for commit in changes] == [False, False, True]
    part = table[table.solver == "grqi"]
    chart = lines.chart("flops", part, shas, [c["convention"] for c in changes], ["gaussian-100"])
    assert chart.lines[0].path.count("M") == 2 and len(chart.cuts) == 1


def test_a_line_breaks_where_there_is_no_number():
    x, y = np.arange(5.0), np.array([1.0, 1.0, np.nan, 2.0, 3.0])
    assert lines.path(x, y, [1] * 5) == "M0 1H1M3 2L4 3"
    assert lines.path(x[:2], y[:2], [1, 2]) == "M0 1M1 1"


def test_numbers_of_the_same_code_are_taken_over_and_marked(folders):
    shas = results(folders / "performance", [100.0, None, 90.0])
    folder = folders / "performance" / "trial"
    taken.keep(folder, shas[0], {"grqi": "a"}, {})
    taken.keep(folder, shas[1], {}, {"grqi": shas[0]})
    taken.keep(folder, shas[2], {"grqi": "b"}, {})
    assert taken.known(folder) == {"a": shas[0], "b": shas[2]}
    table = history.read("trial")
    assert list(table[table.measure == "flops"].sort_values("value").same) == ["", "", shas[0]]
    page = history.write("trial").read_text()
    stored = made(folders)["commits"]
    assert [c["measured"] for c in stored] == [1, 0, 1]
    assert stored[1]["taken"] == {"grqi": shas[0]} and not stored[1]["changed"]
    assert [c["word"] for c in stored[2]["changed"]] == ["better"]
    assert "1 taken over: same code" in page
    chart = lines.chart("flops", table[table.solver == "grqi"], shas, [1] * 3, ["gaussian-100"])
    assert chart.lines[0].points.count("M") == 2 and chart.lines[0].path.count("M") == 1


def test_a_commit_is_measured_only_where_its_code_is_not_known(tmp_path, monkeypatch):
    codes_of = {"x": {"grqi": "a", "tpower": "b"}, "y": {"grqi": "a", "tpower": "c"}}
    monkeypatch.setattr(taken, "everything", lambda sha, others: codes_of[sha])
    assert taken.plan("x", tmp_path) == (codes_of["x"], {})
    taken.keep(tmp_path, "x", codes_of["x"], {})
    assert taken.plan("y", tmp_path) == ({"tpower": "c"}, {"grqi": "x"})
    assert taken.plan("x", tmp_path) == (codes_of["x"], {})  # its own numbers are no others'


def test_a_commit_that_cannot_be_measured_says_so(folders):
    shas = results(folders / "performance", [100.0, None, 90.0])
    taken.keep(folders / "performance" / "trial", shas[1], {}, {}, failed="there is no package")
    page = history.write("trial").read_text()
    assert "<b>Not measured:</b> there is no package" in page
    assert [c.get("failed") for c in made(folders)["commits"]] == [
        None,
        "there is no package",
        None,
    ]


def test_the_history_is_made_of_counts_alone_and_counts_nothing_twice(folders, monkeypatch):
    shas = last(2)
    flops = {shas[0]: dict(grqi=100, tpower=100), shas[1]: dict(grqi=90, tpower=130)}
    calls = []

    def collect(problems, sha, solvers=None):
        calls.append(sha)
        numbers = {"status": "converged", "iterations": 5}
        return {s: {"spiked-40": numbers | {"flops": f}} for s, f in flops[sha].items()}

    for name, value in (("tree", str), ("collect", collect)):
        monkeypatch.setattr(tally, name, value)
    monkeypatch.setattr(
        history, "accepted", lambda *_: [commits.Accepted("tpower", "flops", "more starts", "abc")]
    )
    tally.write(shas)
    tally.write(shas)
    assert calls == shas
    page = history.write("nowhere").read_text()
    assert {c["solver"]: c["word"] for c in made(folders)["commits"][1]["changed"]} == {
        "grqi": "better",
        "tpower": "accepted",
    }
    assert "more starts" in page
    for name in re.findall(r'src="([^"]+)"', page):
        assert (folders / "history" / name).stat().st_size > 500


@pytest.mark.parametrize(
    ("measure", "old", "new", "word"),
    [
        ("flops", 100.0, 101.5, "worse"),
        ("flops", 100.0, 100.5, "better or same"),
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
    rows = [(sha, "grqi", "p", measure, value, "") for sha, value in (("a", old), ("b", new))]
    columns = ["commit", "solver", "problem", "measure", "value", "same"]
    changed = changes.between(pd.DataFrame(rows, columns=columns), "a", "b", [], recounted=False)
    assert [c["word"] for c in changed] == ([] if word is None else [word.split(" or ")[-1]])


def test_what_a_solver_lacks_is_a_number_that_is_none():
    assert math.isnan(counts.values({}, None)["flops"]) and counts.costs({}) == {}
    assert set(site.STATES) > {"taken", "measured"}


ROOT = Path(__file__).parents[2]
PLANTS = (*planted.REGRESSIONS, *planted.HARMLESS, planted.MEMORY)


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.name)
def test_a_planted_change_has_its_place(plant):
    """`python -m benchmarks.planted` replaces a passage that is there exactly once."""
    root = ROOT if plant.file.startswith("solvers/") else ROOT / "spcabench"
    assert (root / plant.file).read_text(encoding="utf-8").count(plant.old) == 1
