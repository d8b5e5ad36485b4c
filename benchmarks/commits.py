"""Queries to git: commits, their packages, and accepted regressions."""

import re
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .measure import MEASURES

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ROOT / ".asv" / "packages"
PARTS = ("solvers", "datasets")  # subpackages that are in separate folders of a checkout
KEY = "Accepted-regression"
LINE = re.compile(
    rf"{KEY}: *(?P<solver>[\w*]+)(?: +(?P<measure>{'|'.join(MEASURES)}))? *: *(?P<reason>\S.*)"
)


@dataclass(frozen=True)
class Accepted:
    """A regression of a solver that a commit message accepts.

    It applies to one measure, or to all measures if ``measure`` is None. The solver "*" means all
    solvers.
    """

    solver: str
    measure: str | None
    reason: str
    commit: str

    def covers(self, solver, measure):
        """Whether this regression applies to a solver and a measure."""
        return self.solver in (solver, "*") and self.measure in (measure, None)


def git(*arguments):
    """Return git's output for this repository. Raises CalledProcessError."""
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def hash_or_none(name):
    """Return the full hash of a commit, or None if this clone lacks it."""
    try:
        return git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    except subprocess.CalledProcessError:
        return None


def shallow():
    """Whether this clone lacks older commits."""
    return git("rev-parse", "--is-shallow-repository") == "true"


def full_hash(name):
    """Return the full hash of a commit. Raises ValueError if this clone lacks it."""
    sha = hash_or_none(name)
    if sha is None:
        hint = "this clone is shallow: git fetch --unshallow" if shallow() else "see git log"
        raise ValueError(f"no commit {name!r} here; {hint}")
    return sha


@lru_cache
def convention(sha):
    """Return the number of a commit's flop convention; 1 if the commit does not define one."""
    try:
        text = git("show", f"{sha}:spcabench/flops.py")
    except subprocess.CalledProcessError:  # before the ledger existed
        return 1
    named = re.search(r"^CONVENTION = (\d+)", text, re.MULTILINE)
    return int(named[1]) if named else 1


def accepted(base, head):
    """Return the accepted regressions in the messages of base..head.

    Raises ValueError for an invalid line.
    """
    log = git("log", "--format=%h%x00%B%x01", f"{base}..{head}")
    return [
        parse(line, short)
        for short, _, message in (m.strip().partition("\0") for m in log.split("\x01"))
        for line in message.splitlines()
        if line.startswith(f"{KEY}:")
    ]


def excuse(solver, measure, reasons):
    """Return the accepted regression that covers a number, or None."""
    return next((a for a in reasons if a.covers(solver, measure)), None)


def parse(line, short):
    """Parse a line into an accepted regression."""
    match = LINE.fullmatch(line.strip())
    if match is None:
        raise ValueError(f"{short}: {line!r}; write '{KEY}: SOLVER [{'|'.join(MEASURES)}]: reason'")
    return Accepted(**match.groupdict(), commit=short)


def package_of(sha):
    """Return the folder with a commit's package, in the layout of an installed package."""
    folder = PACKAGES / sha
    if folder.is_dir():
        return folder
    PACKAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=PACKAGES) as scratch:
        unpacked = Path(scratch, "package")
        unpacked.mkdir()
        command = ["git", "-C", ROOT, "archive", sha, "spcabench", *PARTS]
        archive = subprocess.run(command, capture_output=True)
        if archive.returncode:
            raise RuntimeError(f"{sha[:10]} has no package: {archive.stderr.decode().strip()}")
        subprocess.run(["tar", "-x", "-C", unpacked], input=archive.stdout, check=True)
        for part in PARTS:
            (unpacked / part).rename(unpacked / "spcabench" / part)
        unpacked.rename(folder)
    return folder
