"""What git knows: commits, their trees as installed packages, and accepted regressions."""

import re
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .counts import MEASURES, ROOT

TREES = ROOT / ".asv" / "trees"
PARTS = ("solvers", "datasets")  # of the package, beside it in a checkout
KEY = "Accepted-regression"
LINE = re.compile(
    rf"{KEY}: *(?P<solver>[\w*]+)(?: +(?P<measure>{'|'.join(MEASURES)}))? *: *(?P<reason>\S.*)"
)


@dataclass(frozen=True)
class Accepted:
    """A regression of a solver that the message of a commit accepts.

    It is in one measure, or in all (None). The solver "*" is all of them.
    """

    solver: str
    measure: str | None
    reason: str
    commit: str

    def covers(self, solver, measure):
        """Whether it is about this number."""
        return self.solver in (solver, "*") and self.measure in (measure, None)


def git(*words):
    """What git says about this repository. Raises CalledProcessError."""
    from spcabench import machine  # not above: asv imports this folder at commits that lack it

    return machine.git(ROOT, *words)


def known(name):
    """The full hash of a commit, or None where this clone has not got it."""
    try:
        return git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    except subprocess.CalledProcessError:
        return None


def shallow():
    """Whether this clone lacks the older commits."""
    return git("rev-parse", "--is-shallow-repository") == "true"


def commit(name):
    """The full hash of a commit. Raises ValueError for one that this clone has not got."""
    found = known(name)
    if found is None:
        hint = "this clone is shallow: git fetch --unshallow" if shallow() else "see git log"
        raise ValueError(f"no commit {name!r} here; {hint}")
    return found


def listed(asked):
    """The full hashes of commits, the oldest first: of a range a..b, or of some names."""
    words = asked.split()
    alone = ["--no-walk"] if not any(mark in asked for mark in ("..", "^")) else []
    return git("rev-list", "--reverse", "--topo-order", *alone, *words).split()


@lru_cache
def convention(sha):
    """Number of the convention by which a commit counts flops; 1 where it names none."""
    try:
        text = git("show", f"{sha}:spcabench/flops.py")
    except subprocess.CalledProcessError:  # before there was a ledger
        return 1
    named = re.search(r"^CONVENTION = (\d+)", text, re.MULTILINE)
    return int(named[1]) if named else 1


def accepted(base, head):
    """Return the accepted regressions in the messages of base..head.

    Raises ValueError for a line that cannot be read.
    """
    found = []
    for entry in filter(None, git("log", "--format=%h%x00%B%x01", f"{base}..{head}").split("\x01")):
        short, _, message = entry.strip().partition("\0")
        found += [one(line, short) for line in message.splitlines() if line.startswith(f"{KEY}:")]
    return found


def excuse(solver, measure, reasons):
    """The accepted regression that covers a number, or None."""
    return next((a for a in reasons if a.covers(solver, measure)), None)


def one(line, short):
    """An accepted regression from its line."""
    match = LINE.fullmatch(line.strip())
    if match is None:
        raise ValueError(
            f"{short}: {line!r}; allowed is '{KEY}: SOLVER [{'|'.join(MEASURES)}]: reason'"
        )
    return Accepted(**match.groupdict(), commit=short)


def tree(sha):
    """The folder with a commit's package, as an installed one has it."""
    folder = TREES / sha
    if folder.is_dir():
        return folder
    TREES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=TREES) as scratch:
        made = Path(scratch, "made")
        made.mkdir()
        words = ["git", "-C", ROOT, "archive", sha, "spcabench", *PARTS]
        done = subprocess.run(words, capture_output=True)
        if done.returncode:
            raise RuntimeError(f"{sha[:10]} has no package: {done.stderr.decode().strip()}")
        subprocess.run(["tar", "-x", "-C", made], input=done.stdout, check=True)
        for part in PARTS:
            (made / part).rename(made / "spcabench" / part)
        made.rename(folder)
    return folder
