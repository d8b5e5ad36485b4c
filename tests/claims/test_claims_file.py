"""claims.json: it follows its schema, and every verdict can be recomputed from it alone."""

import json
from pathlib import Path

import jsonschema
import pytest

from spcabench.claims import judging
from spcabench.errors import InputError
from spcabench.page import claims_file
from tests.claims.made_up import script
from tests.trial import make_run

PUBLISHED = Path(__file__).parents[2] / "results" / "published"


def test_a_claims_file_of_today_keeps_the_schema_and_one_of_another_version_does_not(trial_run):
    report, _ = make_run(trial_run)
    schema = json.loads(claims_file.SCHEMA.read_text())
    jsonschema.validate(report, schema)
    jsonschema.validate(json.loads((trial_run / "claims.json").read_text()), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(report | {"version": 1}, schema)


def test_the_published_verdicts_are_recomputed_by_the_script_and_by_the_judge():
    statements = claims_file.read(PUBLISHED / "claims.json")["statements"]
    differing = [
        (statement["paper_key"], statement["id"])
        for statement in statements
        if script.verdict(statement) != statement["verdict"]
        or outcome(judging.judged(statement)) != outcome(statement)
    ]
    assert statements and not differing


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
