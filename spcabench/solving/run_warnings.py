"""Warnings of the harness about the measurements of a run."""

from enum import StrEnum


class Flag(StrEnum):
    """A warning about the measurements of a run; `SENTENCES` contains the text."""

    threads = "threads"
    warm = "warm"
    overtime = "overtime"
    tied = "tied"


SENTENCES = {
    Flag.threads: "The solver computed in several threads or processes.",
    Flag.warm: "A second run on the same problem needed less than half of the flops, so the solver "
    "keeps something between runs.",
    Flag.overtime: "The answer was complete after the time limit. Solvers that stop at the limit "
    "had less time.",
    Flag.tied: "Equal variables enter together at every penalty, and only the first were kept.",
}
