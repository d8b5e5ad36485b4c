"""Recompute every verdict of a run from its claims.json alone."""

import json
import operator
import sys
from pathlib import Path

import pandas as pd

OPEN = {"low": float("-inf"), "high": float("inf")}
OPEN |= {f"wide_{end}": value for end, value in OPEN.items()}
NEED = {"every": lambda n: n, "most": lambda n: n // 2 + 1, "often": lambda n: -(-n // 4)}
NEED["some"] = lambda n: 1


def of_part(places, rule, over):
    """Return the verdict for one quantity over its judged places."""
    p = places[[*OPEN]].astype(float).fillna(OPEN)
    low, high = (OPEN[end] if rule[end] is None else rule[end] for end in ("low", "high"))
    beyond = operator.ge if rule["ends"] else operator.gt
    a, b = ("wide_" if over["need"] == kind else "" for kind in ("some", "every"))
    inside = beyond(p[f"{a}low"], low) & beyond(high, p[f"{a}high"])
    outside = ~beyond(high, p[f"{b}low"]) | ~beyond(p[f"{b}high"], low)
    need = NEED[over["need"]](len(p))
    holds, fails = inside.sum() >= need, len(p) - outside.sum() < need
    alone = (fails and over["need"] == "every") or (holds and over["need"] == "some")
    if not len(p) or not (holds or fails) or (len(p) < over["least"] and not alone):
        return "open"
    return "holds" if holds else "fails"


def of_reading(s, reading):
    """Return the verdict of a reading: all of its quantities must satisfy their rules."""
    if reading["stand_in"] and not s["any_data"]:
        return "open"
    places = pd.DataFrame(reading["places"], columns=["part", "judged", *OPEN]).query("judged")
    parts = [of_part(places[places.part == p["name"]], p["rule"], p["over"]) for p in s["parts"]]
    return next((word for word in ("fails", "open") if word in parts), "holds")


def verdict(s):
    """Return the verdict of a statement, which is that of all of its readings together."""
    words = {of_reading(s, reading) for reading in s["readings"]}
    return "depends" if {"holds", "fails"} <= words else words.pop() if len(words) == 1 else "open"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python docs/recompute_verdicts.py results/published")
    run = Path(sys.argv[1])
    file = run / "claims.json" if run.is_dir() else run
    for s in json.loads(file.read_text(encoding="utf-8"))["statements"]:
        print(s["id"], verdict(s), "" if verdict(s) == s["verdict"] else "STORED " + s["verdict"])
