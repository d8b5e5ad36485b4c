"""claims.json: it follows its schema, and every verdict can be recomputed from it alone."""

import importlib.util
import json
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import jsonschema
import pytest

from spcabench.claims import at_least, claim, judging
from spcabench.cli import application
from spcabench.errors import InputError
from spcabench.page import claims_file
from tests.trial import judged_run, make_run

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "results" / "published"
SCHEMA = json.loads((ROOT / "spcabench" / "claims" / "claims.schema.json").read_text())
FILES = [PUBLISHED / "claims.json", *sorted((PUBLISHED / "figures").glob("*/claims.json"))]
RUN = json.loads((PUBLISHED / "claims.json").read_text())
STATEMENTS = {f"{s['paper_key']} {s['id']}": s for s in RUN["statements"]}
ROUNDING = 1e-12  # of an interval's ends, relative


def assert_equal(new, old, tolerance):
    """Assert that two JSON values are equal, numbers up to a relative tolerance."""
    if isinstance(old, dict):
        assert new.keys() == old.keys()
        for key in old:
            assert_equal(new[key], old[key], tolerance)
    elif isinstance(old, list):
        assert len(new) == len(old)
        for first, second in zip(new, old, strict=True):
            assert_equal(first, second, tolerance)
    elif isinstance(old, float):
        assert new == pytest.approx(old, rel=tolerance, nan_ok=True)
    else:
        assert new == old


@pytest.fixture(scope="module")
def script():
    """Return the documented script that recomputes verdicts."""
    file = ROOT / "docs" / "recompute_verdicts.py"
    spec = importlib.util.spec_from_file_location("recompute_verdicts", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_published_claims_files_keep_the_schema():
    validator = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)
    wrong = {
        file.parent.name: [error.message for error in validator.iter_errors(json.loads(text))]
        for file, text in ((file, file.read_text()) for file in FILES)
    }
    assert {name: errors for name, errors in wrong.items() if errors} == {}


def test_a_claims_file_of_today_keeps_the_schema(trial_run):
    report, _ = make_run(trial_run)
    jsonschema.validate(report, SCHEMA)
    jsonschema.validate(json.loads((trial_run / "claims.json").read_text()), SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(report | {"version": 1}, SCHEMA)


def test_a_verdict_is_recomputed_from_the_file_by_the_script_and_by_the_judge(script):
    differing = {}
    for title, statement in STATEMENTS.items():
        again = judging.judged(statement)
        try:
            assert script.verdict(statement) == statement["verdict"]
            for name in statement.keys() - {"code"}:
                # quantiles of the t distribution differ in their last digit between processors
                assert_equal(again[name], statement[name], ROUNDING)
        except AssertionError as error:
            differing[title] = str(error)
    assert differing == {}


@pytest.mark.parametrize("verdict", ["holds", "fails", "depends", "open"])
def test_the_script_sees_a_verdict_that_is_not_that_of_the_numbers(verdict, script):
    differing = [
        s for s in STATEMENTS.values() if script.verdict(s | {"verdict": verdict}) != verdict
    ]
    assert differing


def test_every_statement_of_the_figures_is_published():
    ids = [
        s["id"] for report in claims_file.read_all(PUBLISHED).values() for s in report["statements"]
    ]
    assert set(ids) == {s["id"] for s in RUN["statements"]}


def test_two_statements_of_one_id_are_refused(trial_run):
    report, _ = make_run(trial_run)
    first = report["statements"][0]
    with pytest.raises(
        InputError, match="T1 of trial2013_fig1 differs from that in trial2013_fig2"
    ):
        claims_file.whole([first, first | {"figure": "trial2013_fig2", "quote": "it fails"}])
    module = ModuleType("trial")
    about = dict(measures="m", unit="", rule=at_least(2))
    for name in ("first", "second"):
        setattr(module, name, claim("T1", "here", "q", rows=lambda data: data, **about))
    with pytest.raises(ValueError, match="same id"):
        claims_file.statements(module)


def test_the_command_shows_a_figure_that_was_made_by_itself(trial_run, capsys):
    judged_run(trial_run)
    assert not (trial_run / "claims.json").exists()
    with suppress(SystemExit):
        application.app(["claim", "t1", "--run", str(trial_run)])
    assert capsys.readouterr().out.startswith("T1 holds")


def test_whatever_a_published_figure_says_is_in_the_schema():
    known = {*SCHEMA["properties"], *SCHEMA["$defs"]["figure"]["properties"]}
    for file in (ROOT / "results" / "published" / "figures").glob("*/claims.json"):
        assert {*json.loads(file.read_text(encoding="utf-8"))} <= known, file


@pytest.mark.parametrize("machines", [None, "x", [], [["a"]], [{"cpu": 1}]])
def test_machines_of_another_form_are_refused(machines, tmp_path):
    (published, *_) = sorted((ROOT / "results" / "published" / "figures").glob("*/claims.json"))
    report = json.loads(published.read_text(encoding="utf-8")) | {"machines": machines}
    (tmp_path / "claims.json").write_text(json.dumps(report))
    with pytest.raises(InputError, match="machines"):
        claims_file.read(tmp_path / "claims.json")


@pytest.mark.parametrize(
    "ordered",
    [
        ["fig9", "fig10"],
        ["density 0.01", "density 0.03", "density 0.1", "density 0.15", "density 0.2"],
        ["20 x 200", "20 x 1000", "200 x 20"],
    ],
)
def test_names_are_sorted_by_the_numbers_in_them(ordered):
    assert sorted(reversed(ordered), key=claims_file.natural) == ordered


def test_a_changed_rule_is_named(trial_run):
    report, _ = make_run(trial_run)
    (first, *_) = report["statements"]
    parts = [part | {"rule": part["rule"] | {"high": 4.0}} for part in first["parts"]]
    (line,) = claims_file.changed(first, first | {"parts": parts})
    assert "rule" in line and "3" in line and "4.0" in line
