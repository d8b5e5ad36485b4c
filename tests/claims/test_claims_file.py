"""claims.json: it follows its schema, and every verdict can be recomputed from it alone."""

import importlib.util
import json
from pathlib import Path

import jsonschema
import pytest

from spcabench.claims import judging
from spcabench.errors import InputError
from spcabench.page import claims_file
from tests.trial import make_run

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "results" / "published"
SCHEMA = json.loads((ROOT / "spcabench" / "claims" / "claims.schema.json").read_text())
FILES = [PUBLISHED / "claims.json", *sorted((PUBLISHED / "figures").glob("*/claims.json"))]
RUN = json.loads((PUBLISHED / "claims.json").read_text())
STATEMENTS = {f"{s['paper_key']} {s['id']}": s for s in RUN["statements"]}


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
    differing = [
        title
        for title, statement in STATEMENTS.items()
        if script.verdict(statement) != statement["verdict"]
        or outcome(judging.judged(statement)) != outcome(statement)
    ]
    assert not differing


def outcome(statement):
    """Return what was judged, apart from intervals, whose last digit depends on the processor."""
    places = [place["verdict"] for r in statement["readings"] for place in r["places"]]
    readings = [(r["name"], r["verdict"], r["reason"]) for r in statement["readings"]]
    return places, readings, *(statement[name] for name in ("verdict", "reason", "marks", "short"))


def test_two_statements_of_one_id_are_refused(trial_run):
    report, _ = make_run(trial_run)
    first = report["statements"][0]
    with pytest.raises(InputError, match="T1 of trial2013_fig1 differs"):
        claims_file.whole([first, first | {"figure": "trial2013_fig2", "quote": "it fails"}])
