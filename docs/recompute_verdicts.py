"""Recompute every verdict of a run from its claims.json alone."""

import json
import operator
import sys
from pathlib import Path

import pandas as pd

OPEN = {"low": float("-inf"), "high": float("inf")}
OPEN |= {f"wide_{end}": value for end, value in OPEN.items()}


def of_part(places, rule, over):
    """Return the verdict for one quantity over its judged places."""
    p = places[[*OPEN]].astype(float).fillna(OPEN)
    low, high = (OPEN[end] if rule[end] is None else rule[end] for end in ("low", "high"))
    beyond = operator.ge if rule["ends"] else operator.gt
    a, b = ("", "wide_") if over["all"] else ("wide_", "")
    inside = beyond(p[f"{a}low"], low) & beyond(high, p[f"{a}high"])
    outside = ~beyond(high, p[f"{b}low"]) | ~beyond(p[f"{b}high"], low)
    fails, holds = (outside.any(), inside.all()) if over["all"] else (outside.all(), inside.any())
    rests_on_all = holds if over["all"] else fails  # does not depend on covering the range
    covered = len(p) and not (rests_on_all and len(p) < over["least"])
    return "undecided" if not covered else "fails" if fails else "holds" if holds else "undecided"


def verdict(s):
    """Return the verdict of a statement, which is that of its primary reading."""
    mine = [r for r in s["readings"] if s["primary"] in (r["name"], *r["same"])]
    if s["calibration"] or not mine:
        return "calibration" if s["calibration"] else "pending" if s["pending"] else "undecided"
    places = pd.DataFrame(
        mine[0]["places"], columns=["label", "part", "judged", "verdict", *OPEN]
    ).query("judged")
    parts = [of_part(places[places.part == p["name"]], p["rule"], p["over"]) for p in s["parts"]]
    outcome = next((word for word in ("fails", "undecided") if word in parts), "holds")
    free = [p["name"] for p in s["parts"] if not p["over"]["all"]]
    if outcome == "holds" and len(free) > 1:  # one place is enough, but all parts must hold there
        at = places[places.part.isin(free)].groupby("label").verdict.agg(list)
        shared = at[at.map(len) == len(free)]
        if len(shared) and not any(set(words) == {"holds"} for words in shared):
            outcome = "fails" if all("fails" in words for words in shared) else "undecided"
    outcome = "undecided" if mine[0]["stand_in"] and not s["any_data"] else outcome
    theorem = {"holds": "checked", "fails": "violated"} if s["kind"] == "theorem" else {}
    return theorem.get(outcome, outcome)


if __name__ == "__main__":
    run = Path(sys.argv[1])
    file = run / "claims.json" if run.is_dir() else run
    for s in json.loads(file.read_text(encoding="utf-8"))["statements"]:
        print(s["id"], verdict(s), "" if verdict(s) == s["verdict"] else "STORED " + s["verdict"])
