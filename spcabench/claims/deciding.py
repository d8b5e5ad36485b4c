"""Explain what would settle a statement that does not hold and has no stated cause."""

from dataclasses import replace
from typing import Any

import numpy as np

from spcabench.claims import intervals, judging
from spcabench.claims.rules import Rule
from spcabench.claims.summary import where
from spcabench.claims.words import span

Stored = dict[str, Any]
OPEN = "The cause is unknown: no experiment has isolated it."
MOST = 200  # largest number of replicates that `replicates` considers


def asks_why(statement: Stored) -> bool:
    """Return whether a judged statement needs an explanation because some reading does not hold.

    A statement that would hold on stand-in data needs no explanation, because the data are the
    reason.
    """
    if statement["verdict"] in ("pending", "calibration"):
        return False
    outcome = statement["would"] or statement["verdict"]
    return outcome in ("fails", "undecided", "violated") or "depends" in statement["marks"]


def question(statement: Stored) -> str:
    """Return how many replicates would settle a statement, or that the cause is unknown.

    The text is empty if no number was measured, because that is the cause.
    """
    primary = judging.of_name(statement["readings"], statement["primary"])
    if primary is None or (statement["would"] or statement["verdict"]) != "undecided":
        return OPEN
    places = [place for place in primary["places"] if place["judged"]]
    if all(place["value"] is None for place in places):
        return ""
    return _sentence(statement, places) or OPEN


def _sentence(statement: Stored, places: list[Stored]) -> str:
    undecided = [place for place in places if place["verdict"] == "undecided"]
    few = [place for place in undecided if place["kind"] == "too few"]
    if few:
        known = span([place["count"] for place in few])
        return f"At {where(few)}, {known} {few[0]['over']} have a value; an interval needs 3."
    rules = {part["name"]: judging.rule_of(part) for part in statement["parts"]}
    needed = [
        (replicates(judging.measured_of(place), rules[place["part"]]), place["count"])
        for place in undecided
    ]
    needed = [(count, own) for count, own in needed if count]
    if not needed:
        return ""
    counts = sorted(count for count, _ in needed)
    told = [span([count for count in counts if count <= MOST])] if counts[0] <= MOST else []
    told += [f"more than {MOST}"] if counts[-1] > MOST else []
    own = span([own for _, own in needed])
    return (
        f"With this spread, {' or '.join(told)} {undecided[0]['over']} would decide; {own} were "
        "run."
    )


def replicates(measured: intervals.Measured, rule: Rule) -> int:
    """Return how many replicates with this mean and spread exclude the threshold.

    The result is 0 if the number cannot be computed for this kind, and `MOST + 1` if more than
    `MOST` replicates are needed.
    """
    usable = measured.kind in ("mean", "geometric mean", "mean share") and not measured.incomplete
    if not usable or measured.without_spread or not np.isfinite(measured.value):
        return 0
    spread_of_one = measured.spread * np.sqrt(measured.count)
    for count in range(measured.count + 1, MOST + 1):
        larger = replace(measured, spread=float(spread_of_one / np.sqrt(count)), count=count)
        if rule.side(*larger.interval()) != "across":
            return count
    return MOST + 1
