"""What git knows of the commits: releases, conventions, and accepted regressions.

The commands run in the repository of the current folder.
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORSE = 1.01  # a larger ratio of an exact number is called worse
MEASURES = ("flops", "iterations", "gap", "shortfall")  # exact: the same on every machine
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
    """Return git's output, or "" if git fails."""
    return subprocess.run(["git", *arguments], capture_output=True, text=True).stdout.strip()


def accepted(base, head):
    """Return the accepted regressions in the messages of base..head.

    Raises ValueError for an invalid line.
    """
    log = git("log", "--format=%h%x00%B%x01", f"{base}..{head}")
    messages = (message.strip().partition("\0") for message in log.split("\x01"))
    return [
        parse(line, short)
        for short, _, message in messages
        for line in message.splitlines()
        if line.startswith(f"{KEY}:")
    ]


def parse(line, short):
    """Parse a line of a message into an accepted regression."""
    match = LINE.fullmatch(line.strip())
    if match is None:
        raise ValueError(f"{short}: {line!r}; write '{KEY}: SOLVER [{'|'.join(MEASURES)}]: reason'")
    return Accepted(**match.groupdict(), commit=short)


def conventions(commits):
    """Return commit -> number of its flop convention; early commits do not define one."""
    lines = git("grep", "^CONVENTION = ", *commits, "--", "spcabench").splitlines()
    return dict.fromkeys(commits, 1) | {line.split(":")[0]: int(line.split()[-1]) for line in lines}
