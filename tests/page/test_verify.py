"""Verdicts are judged again from the rows, and rows are compared with those of another run."""

import json
import shutil
from dataclasses import replace

from jsonschema import Draft202012Validator

from spcabench.page import claims_file, draw, verify
from spcabench.running import rows
from spcabench.running.jobs import LONG
from tests.trial import NAME, change_columns, judged_run, made_row, make_run


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


def test_a_number_of_another_processor_is_the_same_number(trial_run):
    judged_run(trial_run)
    for off, differs in ((2e-9, False), (1e-5, True)):

        def scale(report, off=off):
            for place in report["statements"][0]["readings"][0]["places"]:
                place |= {"value": 3.0 * (1 + off), "low": 3.0 * (1 - off)}

        change_the_report(trial_run, scale)
        assert bool(differences(verify.rejudge(trial_run))) == differs


CHANGES = (
    ("flops", lambda v: v + 1, 1),
    ("iterations", lambda v: v + 1, 1),
    ("cardinality", lambda v: v + 1, 1),
    ("support", lambda v: [*v[:-1], 99], 1),
    ("status", lambda v: "finished", 1),
    ("variance", lambda v: v * (1 + 1e-8), 1),
    ("variance", lambda v: v * (1 + 1e-11), 0),
    ("bound", lambda v: float("nan"), 1),
    ("solve_time", lambda v: 3 * v, 0),
    ("peak_memory", lambda v: 3 * v, 0),
)


def test_what_must_be_the_same_is_and_clocks_need_not(trial_run):
    judged_run(trial_run, group="grqi", label="", peak_memory=1.0)
    for column, function, count in CHANGES:
        other = copied(trial_run)
        change_columns(next(other.glob("rows/*/*.parquet")), **{column: function})
        found = differences(verify.against(trial_run, other))
        assert len(found) == count and all(column in line for line in found), column
        if column == "flops":  # a run that a clock ended is counted, not compared
            for folder in (trial_run, other):
                (file,) = folder.glob("rows/*/*.parquet")
                change_columns(file, status=lambda v: "time_limit")
            (outcome,) = verify.against(trial_run, other)
            assert "1 ended by a clock" in outcome.line and not outcome.differences
            change_columns(next(trial_run.glob("rows/*/*.parquet")), status=lambda v: "converged")


def test_a_row_in_one_run_only_is_a_difference_but_a_round_or_a_long_run_is_not(trial_run):
    judged_run(trial_run, group="grqi", label="")
    other, made = copied(trial_run), made_row(group="grqi", label="")
    more = [replace(made, repeat=1), replace(made, solver="tpower", group=f"{LONG}tpower-1")]
    for folder, written in (
        (trial_run, [made, replace(made, solver="tpower"), *more]),
        (other, [made]),
    ):
        rows.write(written, next(folder.glob("rows/*/*.parquet")))
    for pair, where in (
        ((trial_run, other), "only here"),
        ((other, trial_run), "only in the other run"),
    ):
        (outcome,) = verify.against(*pair)
        (line,) = outcome.differences
        assert "1 rows of tpower" in line and where in line
        assert "1 rounds of timing" in outcome.line and "1 rows of long runs" in outcome.line


def test_a_figure_in_one_run_only_is_a_difference(trial_run):
    judged_run(trial_run, group="grqi", label="")
    other = copied(trial_run)
    renamed = (other / "figures" / "trial2013_fig1").rename(other / "figures" / "trial2013_fig2")
    report = claims_file.read(trial_run / "figures" / "trial2013_fig1" / "claims.json")
    claims_file.write(renamed / "claims.json", report | {"figure": renamed.name})
    assert len(differences(verify.against(trial_run, other))) == 2
    assert len(differences(verify.against(trial_run, other, whole=False))) == 1
