"""Claims of the papers: statements, the rules that judge them, and numbers with intervals."""

from spcabench.claims.deciding import question
from spcabench.claims.intervals import Measured, exact, geometric_mean, mean, share, slope
from spcabench.claims.rules import (
    Rule,
    Scope,
    about,
    above,
    at_least,
    at_most,
    below,
    every,
    some,
    within,
)
from spcabench.claims.statement import (
    PaperNumber,
    Part,
    Place,
    Reading,
    Statement,
    banded,
    places,
)

__all__ = [
    "Measured",
    "PaperNumber",
    "Part",
    "Place",
    "Reading",
    "Rule",
    "Scope",
    "Statement",
    "about",
    "above",
    "at_least",
    "at_most",
    "banded",
    "below",
    "every",
    "exact",
    "geometric_mean",
    "mean",
    "places",
    "question",
    "share",
    "slope",
    "some",
    "within",
]
