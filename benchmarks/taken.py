"""What was measured at a commit, and what is taken over: numbers of the same code are made once.

The file ``codes.jsonl`` beside asv's results has a line for each commit: what was measured there,
with the hash of its code, and from which commit the other numbers are.
"""

import json

from .codes import circumstances, codes, of_files, reader
from .commits import tree

FILE = "codes.jsonl"
# what is measured beside the solvers: its files in the package
OTHERS = {
    "solvers.Package": ("api.py",),
    "corpus": ("readers/corpus.py",),
    "overhead": ("api.py", "solvers/grqi.py", "solvers/mcol.py", "datasets/bag_of_words.py"),
}


def everything(sha, others=True):
    """Solver, or other benchmark -> hash of its code at a commit, and of how it is measured."""
    package = tree(sha) / "spcabench"
    source = reader(package)
    found = codes(tree(sha))
    for name, files in OTHERS.items() if others else ():
        found[name] = of_files(source, [package / file for file in files])
    return {name: source.digest([code, circumstances()]) for name, code in found.items()}


def records(folder):
    """The lines of a machine's file; of a commit that has two, the last."""
    file = folder / FILE
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return list({record["commit"]: record for record in map(json.loads, lines)}.values())


def known(folder):
    """Hash of a code -> the commit that it was measured at."""
    return {
        code: record["commit"] for record in records(folder) for code in record["measured"].values()
    }


def plan(sha, folder, others=True):
    """Return what is to be measured at a commit, and what is taken over from which commit.

    others : with what is measured beside the solvers.
    """
    there, found = known(folder), everything(sha, others)
    over = {name: there[code] for name, code in found.items() if there.get(code, sha) != sha}
    return {name: code for name, code in found.items() if name not in over}, over


def keep(folder, sha, measured, over, failed=""):
    """Add a commit's line. failed : why nothing was measured."""
    folder.mkdir(parents=True, exist_ok=True)
    record = {"commit": sha, "measured": measured, "over": over}
    if failed:
        record = {"commit": sha, "measured": {}, "over": {}, "failed": failed}
    with open(folder / FILE, "a", encoding="utf-8") as lines:
        lines.write(json.dumps(record) + "\n")
