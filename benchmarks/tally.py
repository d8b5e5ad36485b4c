"""Exact counts of many commits, one file each: the history needs no environment for each commit.

They are those of the gate, and the same on every machine. What was counted is not counted again.
"""

import json
import math

from .commits import git, tree
from .counts import ROOT, best_known, values
from .passes import checked, collect
from .problems import REDUCED

FOLDER = ROOT / "results" / "counts"
LAST = 10  # commits that are counted where none are named


def commits(asked=""):
    """The full hashes of a range a..b, or of the last commits; the oldest first."""
    words = [asked] if asked else [f"-{LAST}"]
    return git("log", "--reverse", "--format=%H", *words).split()


def write(shas, problems=REDUCED, solvers=None):
    """Count what is missing of some commits, and keep it; a commit that fails is said."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for sha in shas:
        file = FOLDER / f"{sha}.json"
        if file.exists():
            continue
        print(f"counting {git('log', '-1', '--format=%h %s', sha)}", flush=True)
        try:
            found = checked(collect(problems, tree(sha), solvers=solvers))
        except RuntimeError as error:  # it cannot be built or imported: the others can
            print(f"not counted: {error}", flush=True)
            continue
        aside = file.with_suffix(".tmp")
        aside.write_text(json.dumps(found), encoding="utf-8")
        aside.replace(file)


def rows():
    """What was counted: (commit, solver, problem, measure, value, "") each."""
    best = best_known()
    return [
        (file.stem, solver, problem, measure, value, "")
        for file in sorted(FOLDER.glob("*.json"))
        for solver, entries in json.loads(file.read_text(encoding="utf-8")).items()
        for problem, entry in entries.items()
        for measure, value in values(entry, best.get(problem)).items()
        if not math.isnan(value)
    ]
