"""What git knows: commits, their packages, and accepted regressions."""

import re
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .measure import MEASURES

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ROOT / ".asv" / "packages"
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


def git(*arguments):
    """Return what git says about this repository. Raises CalledProcessError."""
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def hash_or_none(name):
    """Return the full hash of a commit, or None if this clone lacks it."""
    try:
        return git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    except subprocess.CalledProcessError:
        return None


def shallow():
    """Whether this clone lacks the older commits."""
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
    """Return the number of the convention by which a commit counts flops; 1 if it names none."""
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
    """Return the accepted regression of a line."""
    match = LINE.fullmatch(line.strip())
    if match is None:
        raise ValueError(f"{short}: {line!r}; write '{KEY}: SOLVER [{'|'.join(MEASURES)}]: reason'")
    return Accepted(**match.groupdict(), commit=short)


def package_of(sha):
    """Return the folder that holds a commit's package in the form of an installed one."""
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
