"""claims.json: it follows its schema, and every verdict can be recomputed from it alone."""

import json
from pathlib import Path

import jsonschema
import pytest

from spcabench.claims import judging
from spcabench.errors import InputError
from spcabench.page import claims_file
from tests.claims.made_up import script
from tests.trial import NAME, judged_run

PUBLISHED = Path(__file__).parents[2] / "results" / "published"


def test_a_claims_file_keeps_its_schema_and_one_of_another_version_is_refused(trial_run):
    file = judged_run(trial_run) / claims_file.NAME
    report = claims_file.read(file, NAME)
    jsonschema.validate(report, json.loads(claims_file.SCHEMA.read_text()))
    for change in ({"version": 1}, {"statements": [{}]}, {"figure": "another"}):
        claims_file.write(file, report | change)
        with pytest.raises(InputError):
            claims_file.read(file, NAME)


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
    judged_run(trial_run)
    first = claims_file.read_all(trial_run)[NAME]["statements"][0]
    with pytest.raises(InputError, match="T1 of trial2013_fig1 differs"):
        claims_file.whole([first, first | {"figure": "trial2013_fig2", "quote": "it fails"}])
