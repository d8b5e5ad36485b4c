"""Performance gate: failures, accepted regressions, and changes that are only reported."""

from pathlib import Path

import pytest

from benchmarks import commits, gate, gate_report, measure, planted_changes

BEST = {"p": 2.0}
ENTRY = dict(status="converged", flops=1000, iterations=100, gap=0.1, variance=1.8, seconds=0.1)


def verdicts(**changes):
    """Return measure -> verdict for a solver with changed counts."""
    rows = gate.compare({"s": {"p": ENTRY}}, {"s": {"p": ENTRY | changes}}, BEST)
    return {measure: word for _, _, measure, _, _, word in rows}


def test_nothing_changed_is_the_same():
    assert verdicts() == dict.fromkeys(measure.MEASURES, "same")


def test_more_than_one_percent_worse_is_found_in_its_measure_alone():
    worse = dict(flops=1020, iterations=102, gap=0.102, variance=1.79)
    for (count, value), name in zip(worse.items(), measure.MEASURES, strict=True):
        changed = verdicts(**{count: value})
        assert {m for m, word in changed.items() if word == "worse"} == {name}


def test_less_than_one_percent_and_times_decide_nothing():
    assert set(verdicts(flops=1009, seconds=9.0).values()) == {"same"}
    assert verdicts(flops=500)["flops"] == "better"


def test_flops_of_two_conventions_are_never_compared():
    changed = verdicts(flops=9000, convention=2)
    assert changed == dict.fromkeys(measure.MEASURES, "same") | {"flops": "recounted"}
    assert verdicts(iterations=200, convention=2)["iterations"] == "worse"


def test_the_convention_of_a_commit_is_read_from_its_ledger():
    assert commits.convention(commits.full_hash("HEAD")) == measure.convention()
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
    every, single, rule = (
        commits.parse(f"{commits.KEY}: {text}", "abc")
        for text in ("grqi: a proof", "grqi flops: a proof", "*: new rule")
    )
    assert every.covers("grqi", "gap") and not every.covers("scol", "gap")
    assert single.covers("grqi", "flops") and not single.covers("grqi", "gap")
    assert rule.covers("scol", "gap")
    assert commits.excuse("grqi", "flops", [single]).reason == "a proof"
    assert gate.verdict([("grqi",)], [("grqi",)]).startswith("perf-check: FAILED: grqi.")


@pytest.mark.parametrize("text", ["grqi", "grqi:", ": reason", "grqi speed: reason"])
def test_an_acceptance_without_a_solver_or_a_reason_is_refused(text):
    with pytest.raises(ValueError, match="write 'Accepted"):
        commits.parse(f"{commits.KEY}: {text}", "abc")


def test_a_commit_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="no commit 'no-such-branch'"):
        commits.full_hash("no-such-branch")


def test_a_word_about_a_time_needs_its_interval_and_says_the_noise():
    def notable(*ratios):
        return gate_report.notable(gate_report.ratio_of([(1.0, ratio) for ratio in ratios]))

    assert notable(1.3, 1.31, 1.29, 1.3) == "slower"
    assert notable(0.7, 0.71, 0.69, 0.7) == "faster"
    assert notable(1.14, 1.15, 1.13, 1.14).startswith("slower, but by less than")
    assert notable(1.04, 1.03, 1.04) == notable(0.5, 2.0, 1.3, 0.8) == ""


@pytest.mark.parametrize(("more", "line"), [(128e6, "+128 MB"), (-128e6, "-128 MB"), (5e6, "")])
def test_a_change_of_memory_is_said_and_decides_nothing(more, line, capsys):
    old = {"s": {"p": ENTRY | dict(memory=2e8)}}
    new = {"s": {"p": ENTRY | dict(memory=2e8 + more)}}
    gate_report.show_memories(gate.memories(old, new))
    assert line in capsys.readouterr().out
    assert {row[-1] for row in gate.compare(old, new, BEST)} == {"same"}
    assert not gate.memories({"s": {"p": ENTRY}}, new)


def test_a_slower_loop_is_said_and_decides_nothing(capsys):
    gate_report.show_times({("s", "p"): [(0.1, 0.114), (0.1, 0.115), (0.1, 0.113)]})
    assert "s, p: +14 %, slower" in capsys.readouterr().out


def test_a_solver_that_breaks_fails_and_one_that_is_mended_passes(monkeypatch, capsys):
    entry = {"status": "converged", "flops": 10, "iterations": 3, "convention": 1}
    counts = {
        "good": {"tpower": {"gaussian-20": entry}},
        "broken": {"tpower": {"gaussian-20": {"status": "error", "reason": "SyntaxError: here"}}},
    }
    fakes = dict(
        git=lambda *_: "",
        accepted=lambda *_: [],
        package_of=str,
        hashes=lambda package: {"tpower": package, "grqi": "the same"},
        collect=lambda problems, package, **_: counts[package.rstrip("2")],
    )
    for name, fake in fakes.items():
        monkeypatch.setattr(gate, name, fake)
    assert gate.judge("broken", "good", reduced=True) == 0
    assert gate.judge("good", "broken", reduced=True) == 1
    output = capsys.readouterr().out
    assert "FAILED: tpower" in output and "SyntaxError: here" in output
    with pytest.raises(RuntimeError, match="SyntaxError: here"):
        gate.judge("broken", "broken2", reduced=True)
    counts["more"] = counts["good"] | {"fresh": counts["broken"]["tpower"]}
    monkeypatch.setattr(gate, "hashes", lambda name: dict.fromkeys(counts[name], name))
    assert gate.judge("good", "more", reduced=True) == 1
    assert "FAILED: fresh: new, but every run is an error" in capsys.readouterr().out


def test_a_sentence_that_begins_with_the_key_accepts_nothing(monkeypatch):
    message = f"abc\0Subject\n\n{commits.KEY} line of a merge.\n{commits.KEY}: grqi: a proof\n\x01"
    monkeypatch.setattr(commits, "git", lambda *_: message)
    assert [regression.solver for regression in commits.accepted("a", "b")] == ["grqi"]


ROOT = Path(__file__).parents[2]
PLANTS = (*planted_changes.REGRESSIONS, *planted_changes.HARMLESS, planted_changes.MEMORY)


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.name)
def test_a_planted_change_has_its_place(plant):
    """`python -m benchmarks.planted_changes` replaces a passage that must occur exactly once."""
    root = ROOT if plant.file.startswith("solvers/") else ROOT / "spcabench"
    assert (root / plant.file).read_text(encoding="utf-8").count(plant.old) == 1
