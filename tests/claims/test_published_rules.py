"""The published verdicts were judged by the thresholds and scopes that the figures state."""

import json
from pathlib import Path

from spcabench.page import claims_file
from tests.claims.test_figures import CLAIMS

PUBLISHED = Path(__file__).parents[2] / "results" / "published"
STATED = ("name", "unit", "rule", "over")


def test_the_published_statements_have_the_rules_of_their_claims():
    """If this fails, a rule has changed: judge the published run again."""
    published = {
        (figure, statement["id"]): statement
        for figure, file in claims_file.read_all(PUBLISHED).items()
        for statement in file["statements"]
    }
    for name, claim in CLAIMS.items():
        stated, judged = (
            [{key: part[key] for key in STATED} for part in parts]
            for parts in (
                json.loads(json.dumps(claim.described()))["parts"],
                published[name]["parts"],
            )
        )
        assert stated == judged, name
