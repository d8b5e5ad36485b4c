"""Claims of the figures, and the files in which they are stored and published."""

import json
from pathlib import Path

import jsonschema
import pytest

from spcabench import registry
from spcabench.claims import Claim, judging, meaning
from spcabench.errors import InputError
from spcabench.page import claims_file
from tests.claims.made_up import script
from tests.trial import NAME, judged_run

CLAIMS = {
    (figure, claim.id): claim
    for figure in registry.names("figure")
    for claim in claims_file.statements(registry.module("figure", figure))
    if isinstance(claim, Claim)
}
PUBLISHED = Path(__file__).parents[2] / "results" / "published"


@pytest.mark.parametrize(
    "name", [n for n, c in CLAIMS.items() if c.kind != "theorem"], ids="-".join
)
def test_a_rule_excludes_a_trivial_competitor_and_is_that_of_the_papers_words(name):
    claim = CLAIMS[name]
    nulls = [(part.rule, part.null) for part in claim.parts if part.null is not None]
    assert any(rule.side(null, null) != "inside" for rule, null in nulls)
    for part in claim.parts:
        numbers = [f"{number.low:g}" for number in claim.paper if number.part == part.name]
        printed = [of(n) for n in numbers for of in (meaning.printed, meaning.printed_or_more)]
        assert part.rule in (*meaning.RULES, *printed) or claim.deviates, part.name


def test_the_published_statements_have_the_rules_of_their_claims():
    """If this fails, a rule has changed or a claim is new: judge the published run again."""
    for figure, file in claims_file.read_all(PUBLISHED).items():
        stated = {id for of, id in CLAIMS if of == figure}
        assert stated == {statement["id"] for statement in file["statements"]}
        for statement in file["statements"]:
            own = [part.stored() for part in CLAIMS[figure, statement["id"]].parts]
            assert [*map(judging.rule_of, own)] == [*map(judging.rule_of, statement["parts"])]
            assert [of["over"] for of in own] == [of["over"] for of in statement["parts"]]


def test_a_claims_file_keeps_its_schema_and_one_of_another_version_is_refused(trial_run):
    file = judged_run(trial_run) / claims_file.NAME
    report = claims_file.read(file, NAME)
    jsonschema.validate(report, json.loads(claims_file.SCHEMA.read_text()))
    for change in ({"version": 1}, {"statements": [{}]}, {"figure": "another"}):
        claims_file.write(file, report | change)
        with pytest.raises(InputError):
            claims_file.read(file, NAME)


def test_the_published_verdicts_are_recomputed_from_their_file_alone():
    statements = claims_file.read(PUBLISHED / "claims.json")["statements"]
    differing = [s["id"] for s in statements if script.verdict(s) != s["verdict"]]
    assert statements and not differing


def test_two_statements_of_one_id_are_refused(trial_run):
    judged_run(trial_run)
    first = claims_file.read_all(trial_run)[NAME]["statements"][0]
    with pytest.raises(InputError, match="T1 of trial2013_fig1 differs"):
        claims_file.whole([first, first | {"figure": "trial2013_fig2", "quote": "it fails"}])
