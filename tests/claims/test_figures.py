"""Every claim of a figure turns at its thresholds, and fails for a trivial competitor."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from spcabench import registry
from spcabench.claims import Claim, judging, meaning
from spcabench.page import claims_file, forest
from tests.claims.made_up import table

CLAIMS = {
    (figure, claim.id): claim
    for figure in registry.names("figure")
    for claim in claims_file.statements(registry.module("figure", figure))
    if isinstance(claim, Claim)
}
PUBLISHED = Path(__file__).parents[2] / "results" / "published"
NEAR = 0.05  # distance to a threshold, as a share of it


def inside(rule):
    """Return a number well inside a region."""
    if np.isfinite(rule.low) and np.isfinite(rule.high):
        return (rule.low + rule.high) / 2
    edge = rule.low if np.isfinite(rule.low) else rule.high
    return edge + (1 if np.isfinite(rule.low) else -1) * abs(edge)


def verdict(claim, values):
    """Judge a claim on exact numbers: name of a part -> the number at each of its places."""
    tables = []
    for part in claim.parts:
        low, high = part.at.low, part.at.high
        x = low if np.isfinite(low) else high - 1 if np.isfinite(high) else np.nan
        numbers = [values.get(part.name, inside(part.rule))] * max(part.at.least, 1)
        tables.append(table(numbers, part=part.name).assign(x=x))
    made_up = replace(claim, rows=lambda data: pd.concat(tables))
    return made_up.judge(0)["verdict"]


def test_a_sentence_of_a_claim_is_shown_whole():
    for name, claim in CLAIMS.items():
        because = {"": claim.because} if isinstance(claim.because, str) else claim.because
        written = (claim.quote, claim.measures, claim.deviates, claim.changed, *because.values())
        assert max(map(len, written)) <= forest.CELL, name


@pytest.mark.parametrize("name", CLAIMS, ids="-".join)
def test_a_claim_turns_at_each_of_its_thresholds(name):
    claim = CLAIMS[name]
    assert verdict(claim, {}) == "holds"
    for part in claim.parts:
        for edge, inwards in ((part.rule.low, 1), (part.rule.high, -1)):
            if np.isfinite(edge):
                step = inwards * NEAR * abs(edge)
                if part.rule.side(edge + step, edge + step) == "inside":  # else a single number
                    assert verdict(claim, {part.name: edge + step}) == "holds"
                assert verdict(claim, {part.name: edge - step}) == "fails"


@pytest.mark.parametrize(
    "name", [n for n, c in CLAIMS.items() if c.kind != "theorem"], ids="-".join
)
def test_a_trivial_competitor_does_not_make_a_claim_hold(name):
    nulls = {part.name: part.null for part in CLAIMS[name].parts if part.null is not None}
    assert nulls
    assert verdict(CLAIMS[name], nulls) == "fails"


@pytest.mark.parametrize(
    "name", [n for n, c in CLAIMS.items() if c.kind != "theorem"], ids="-".join
)
def test_a_rule_is_that_of_the_papers_words_or_its_claim_says_why_not(name):
    claim = CLAIMS[name]
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
