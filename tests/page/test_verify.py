"""Verdicts are judged again from the rows, and rows are compared with those of another run."""

import json
import re
import shutil
from dataclasses import replace

from jsonschema import Draft202012Validator

from spcabench.page import claims_file, draw, verify
from spcabench.running import rows
from spcabench.running.jobs import LONG
from tests.trial import NAME, judged_run, made_row, make_run


def differences(lines):
    return [line for check in lines for line in check.differences]


def copied(folder):
    shutil.rmtree(folder.with_name("other"), ignore_errors=True)
    return shutil.copytree(folder, folder.with_name("other"))


def change_the_report(folder, change):
    """Change the claims file of the trial run in place with a function."""
    file = folder / "figures" / NAME / "claims.json"
    report = json.loads(file.read_text())
    change(report)
    file.write_text(json.dumps(report))


def test_another_quote_rule_flag_or_verdict_is_a_difference_between_runs(trial_run):
    judged_run(trial_run)
    falsified = {
        "quote": lambda s: s.update(quote="other words"),
        "rule": lambda s: s["parts"][0]["rule"].update(high=s["parts"][0]["rule"]["high"] + 0.3),
        "stand_in": lambda s: s["readings"][0].update(stand_in=True),
        "verdict": lambda s: s.update(verdict="fails"),
    }
    assert not differences(verify.against(trial_run, copied(trial_run)))
    for field, change in falsified.items():
        other = copied(trial_run)
        change_the_report(other, lambda report, change=change: change(report["statements"][0]))
        (line,) = differences(verify.against(trial_run, other))
        assert field in line and "T1" in line
    # a verdict that depends on the clock differs between machines
    for folder in (trial_run, other):
        change_the_report(folder, lambda report: report["statements"][0].update(timed=True))
    assert not differences(verify.against(trial_run, other))


def leaves(value, path=()):
    """Yield the path of every word, number and flag of a JSON value, and of every empty list."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in inside:
        if isinstance(part, dict | list) and part:
            yield from leaves(part, (*path, key))
        else:
            yield (*path, key)


def test_every_field_of_every_statement_is_compared(trial_run, monkeypatch):
    make_run(trial_run, stand_in=True)
    assert not differences(verify.rejudge(trial_run))
    # a falsified file need not keep the schema to be found, and the rows stay the same
    monkeypatch.setattr(claims_file, "_schema", lambda figure: Draft202012Validator({}))
    judged = draw.judgement(NAME, "quick", verify.rows_of(trial_run, NAME))
    monkeypatch.setattr(verify, "judgement", lambda *_: judged)
    for name in (f"figures/{NAME}/claims.json", "claims.json"):
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
            assert any("T1" in line for line in differences(verify.rejudge(trial_run))), path
        report["statements"].pop(0)
        (trial_run / name).write_text(json.dumps(report))
        assert any("T1" in line for line in differences(verify.rejudge(trial_run)))
        (trial_run / name).write_text(whole)


NAN = float("nan")
EQUAL = [(3, 3), (1.0, 1.0 + 5e-7), (0.0, 1e-13), (2.0, 2), (NAN, NAN), (None, None)]
DIFFERENT = [(1.0, 1.0 + 2e-6), (0.0, 1e-11), (1, True), (NAN, 0.0), (None, NAN), (2, "2")]
DIFFERENT += [([1, 2], [2, 1]), ([1], [1, 1]), ({"a": 1}, {"b": 1}), ({"a": 1}, {"a": 1, "b": 1})]


def test_numbers_are_equal_to_six_digits_and_all_else_exactly():
    """Another processor gives other last digits."""
    for old, new in EQUAL:
        assert not [*claims_file.differences({"a": [old]}, {"a": [new]})], (old, new)
    for old, new in DIFFERENT:
        for pair in ((old, new), (new, old)):
            assert [*claims_file.differences(*({"a": [1, {"b": x}]} for x in pair))], pair
    old, new = ({"a": [{"label": "x", "b": value}]} for value in (5, 6))
    (line,) = claims_file.differences(old, new)
    assert line == "a x b was 5, is 6"


MUST_AGREE = {  # columns with a change that is a difference, and with one that is not
    "flops": (lambda v: v + 1, None),
    "iterations": (lambda v: v - 1, None),
    "cardinality": (lambda v: v + 1, None),
    "support": (lambda v: [*v[:-1], 99], lambda v: None),
    "status": (lambda v: "finished", None),
    "variance": (lambda v: v * (1 - 2e-9), lambda v: v * (1 + 5e-10)),
    "bound": (lambda v: NAN, None),
    "solve_time": (None, lambda v: 3 * v),
}


def test_rows_of_two_runs_agree_in_all_but_clocks(trial_run):
    """Two ordinary runs, one with flops by another convention, and one that a clock ended."""
    judged_run(trial_run, group="grqi", label="")
    (mine,) = trial_run.glob("rows/*/*.parquet")
    ended = [{}, {}, dict(flops_convention=9), dict(status="time_limit")]
    row = made_row(group="grqi", label="")
    rows.write([replace(row, seed=i, **more) for i, more in enumerate(ended)], mine)
    other = copied(trial_run)
    table = rows.read_table([mine])
    table = rows.replaced(table, flops_convention=[row.flops_convention] * len(ended))
    for column, changes in MUST_AGREE.items():
        for differs, change in zip((True, False), changes, strict=True):
            if change is None:
                continue
            values = table[column].to_pylist()
            changed = rows.replaced(table, **{column: [*values[:1], *map(change, values[1:])]})
            rows.write_table(changed, other / mine.relative_to(trial_run))
            (outcome,) = verify.against(trial_run, other)
            found = re.findall(r"(\w+) differs in (\d) of (\d)", str(outcome.differences))
            counts = ("1", "2") if column == "flops" else ("2", "3")  # that can be compared
            assert found == [(column, *counts)] * differs, column
            told = re.findall(r"(\d) (?:rows compared|ended|with flops)", outcome.line)
            assert told == ["3", "1", "1"]


def test_a_row_in_one_run_only_is_a_difference_but_a_round_or_a_long_run_is_not(trial_run):
    judged_run(trial_run, group="grqi", label="")
    other, made = copied(trial_run), made_row(group="grqi", label="")
    more = [replace(made, repeat=1), replace(made, solver="tpower", group=f"{LONG}tpower-1")]
    (file,) = trial_run.glob("rows/*/*.parquet")
    rows.write([made, replace(made, solver="tpower"), *more], file)
    for pair in ((trial_run, other), (other, trial_run)):
        (outcome,) = verify.against(*pair)
        (line,) = outcome.differences
        assert "1 rows of tpower" in line
        assert "1 rounds of timing" in outcome.line and "1 rows of long runs" in outcome.line


def test_a_figure_in_one_run_only_is_a_difference(trial_run):
    judged_run(trial_run, group="grqi", label="")
    other = copied(trial_run)
    renamed = (other / "figures" / "trial2013_fig1").rename(other / "figures" / "trial2013_fig2")
    report = claims_file.read(trial_run / "figures" / "trial2013_fig1" / "claims.json")
    claims_file.write(renamed / "claims.json", report | {"figure": renamed.name})
    assert len(differences(verify.against(trial_run, other))) == 2
    assert len(differences(verify.against(trial_run, other, whole=False))) == 1
