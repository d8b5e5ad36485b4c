"""Verdicts are judged again from the rows, and rows are compared with those of another run."""

import json
import shutil
from dataclasses import replace

import pytest
from jsonschema import Draft202012Validator

from spcabench.page import claims_file, verify
from spcabench.running import rows
from spcabench.running.jobs import LONG
from tests.trial import FIGURE, NAME, change_columns, judged_run, made_row, make_run


def differences(lines):
    return [line for check in lines for line in check.differences]


def copied(folder):
    return shutil.copytree(folder, folder.with_name("other"))


def change(trial_run, column, function):
    """Copy a run and change one column of its rows."""
    other = copied(trial_run)
    (file,) = other.glob("rows/*/*.parquet")
    change_columns(file, **{column: function})
    return other


def change_the_report(folder, change):
    """Change the claims file of the trial run in place with a function."""
    file = folder / "figures" / NAME / "claims.json"
    report = json.loads(file.read_text())
    change(report)
    file.write_text(json.dumps(report))


@pytest.mark.parametrize("field", ["quote", "rule", "stand_in"])
def test_another_quote_rule_or_flag_is_a_difference_between_runs(trial_run, field):
    judged_run(trial_run)
    other = copied(trial_run)

    def falsified(report):
        (first, *_) = report["statements"]
        first["quote"] += " and more" * (field == "quote")
        first["parts"][0]["rule"]["high"] += 0.3 * (field == "rule")
        first["readings"][0]["stand_in"] = field == "stand_in"

    assert not differences(verify.against(trial_run, other))
    change_the_report(other, falsified)
    (line,) = differences(verify.against(trial_run, other))
    assert field in line


def leaves(value, path=()):
    """Yield the path of every word, number and flag of a JSON value, and of every empty list."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in inside:
        if isinstance(part, dict | list) and part:
            yield from leaves(part, (*path, key))
        else:
            yield (*path, key)


@pytest.mark.parametrize("name", [f"figures/{NAME}/claims.json", "claims.json"])
def test_every_field_of_every_statement_is_compared(trial_run, name, monkeypatch):
    make_run(trial_run, stand_in=True)
    assert not differences(verify.rejudge(trial_run))
    # a falsified file need not keep the schema to be found
    monkeypatch.setattr(claims_file, "_schema", lambda figure: Draft202012Validator({}))
    whole = (trial_run / name).read_text()
    paths = list(leaves(json.loads(whole)["statements"][0]))
    assert len(paths) > 50
    for path in paths:
        report = json.loads(whole)
        *inside, last = path
        part = report["statements"][0]
        for key in inside:
            part = part[key]
        part[last] = "falsified"
        (trial_run / name).write_text(json.dumps(report))
        lines = differences(verify.rejudge(trial_run))
        assert any("T1" in line for line in lines), path
    report["statements"].pop(0)
    (trial_run / name).write_text(json.dumps(report))
    assert any("T1" in line for line in differences(verify.rejudge(trial_run)))


@pytest.mark.parametrize(("off", "differs"), [(2e-9, False), (1e-5, True)])
def test_a_number_of_another_processor_is_the_same_number(trial_run, off, differs):
    judged_run(trial_run)

    def scale(report):
        for place in report["statements"][0]["readings"][0]["places"]:
            place |= {"value": 3.0 * (1 + off), "low": 3.0 * (1 - off)}

    change_the_report(trial_run, scale)
    assert bool(differences(verify.rejudge(trial_run))) == differs


@pytest.mark.parametrize(
    ("column", "function", "count"),
    [
        ("flops", lambda v: v + 1, 1),
        ("iterations", lambda v: v + 1, 1),
        ("cardinality", lambda v: v + 1, 1),
        ("variance", lambda v: v * (1 + 1e-8), 1),
        ("variance", lambda v: v * (1 + 1e-11), 0),
        ("bound", lambda v: float("nan"), 1),
        ("solve_time", lambda v: 3 * v, 0),
        ("peak_memory", lambda v: 3 * v, 0),
    ],
)
def test_what_must_be_the_same_is_and_clocks_need_not(trial_run, column, function, count):
    judged_run(trial_run, group="grqi", label="", peak_memory=1.0)
    places = differences(verify.against(trial_run, change(trial_run, column, function)))
    assert len(places) == count and all(column in line for line in places)


def drop_a_row(trial_run):
    judged_run(trial_run, group="grqi", label="")
    (file,) = trial_run.glob("rows/*/*.parquet")
    made = made_row(group="grqi", label="")
    rows.write([made, replace(made, solver="tpower"), replace(made, repeat=1)], file)
    other = copied(trial_run)
    rows.write([made], next(other.glob("rows/*/*.parquet")))
    return other


def test_a_row_in_one_run_only_is_a_difference_and_a_round_of_timing_is_not(trial_run):
    here, other = trial_run, drop_a_row(trial_run)
    for pair, where in (((here, other), "only here"), ((other, here), "only in the other run")):
        (changes,) = verify.against(*pair)
        (line,) = changes.differences
        assert "1 rows of tpower" in line and where in line
        assert "1 rounds of timing" in changes.line


def test_a_figure_in_one_run_only_is_a_difference(trial_run):
    judged_run(trial_run, group="grqi", label="")
    other = copied(trial_run)
    renamed = (other / "figures" / "trial2013_fig1").rename(other / "figures" / "trial2013_fig2")
    report = claims_file.read(trial_run / "figures" / "trial2013_fig1" / "claims.json")
    claims_file.write(renamed / "claims.json", report | {"figure": renamed.name})
    assert len(differences(verify.against(trial_run, other))) == 2
    assert len(differences(verify.against(trial_run, other, whole=False))) == 1


def test_a_long_run_in_one_run_only_is_counted_and_is_no_difference(trial_run):
    judged_run(trial_run, group="grqi", label="")
    other = copied(trial_run)
    (file,) = other.glob("rows/*/*.parquet")
    made = made_row(group="grqi", label="")
    rows.write([made, replace(made, solver="tpower", group=f"{LONG}tpower-1")], file)
    for pair in ((trial_run, other), (other, trial_run)):
        (changes,) = verify.against(*pair)
        assert not changes.differences
        assert "1 rows of long runs in one run only" in changes.line


def test_runs_that_a_clock_ended_are_counted_not_compared(trial_run):
    judged_run(trial_run, group="grqi", label="", status="time_limit")
    (changes,) = verify.against(trial_run, change(trial_run, "flops", lambda v: v + 5))
    assert "1 ended by a clock" in changes.line and not changes.differences


def change_a_verdict(folder):
    """Copy a run and change the verdict of its first statement."""
    other = copied(folder)
    change_the_report(other, lambda report: report["statements"][0].update(verdict="fails"))
    return other


def test_a_verdict_that_differs_is_a_difference_unless_it_rests_on_a_clock(trial_run, add_file):
    judged_run(trial_run)
    (line,) = differences(verify.against(trial_run, change_a_verdict(trial_run)))
    assert "T1: verdict was 'holds', is 'fails'" in line
    shutil.rmtree(trial_run)
    shutil.rmtree(trial_run.with_name("other"))
    add_file("figure", NAME, FIGURE.replace("changed=", "timed=True, changed="))
    judged_run(trial_run)
    assert not differences(verify.against(trial_run, change_a_verdict(trial_run)))
