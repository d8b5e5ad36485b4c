"""Claims of the papers: statements, the rules that judge them, and numbers with intervals."""

from spcabench.claims.claim import Claim, PaperNumber, Part, claim
from spcabench.claims.intervals import slope
from spcabench.claims.rules import (
    Rule,
    Scope,
    above,
    at_least,
    at_most,
    below,
    every,
    most,
    often,
    some,
    within,
)
from spcabench.claims.tidy import bands, each, noted, numbers, tidy

__all__ = [
    "Claim",
    "PaperNumber",
    "Part",
    "Rule",
    "Scope",
    "above",
    "at_least",
    "at_most",
    "bands",
    "below",
    "claim",
    "each",
    "every",
    "most",
    "noted",
    "numbers",
    "often",
    "slope",
    "some",
    "tidy",
    "within",
]
