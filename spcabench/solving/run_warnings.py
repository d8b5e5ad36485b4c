"""Warnings of the harness about the measurements of a run."""

from enum import StrEnum


class Flag(StrEnum):
    """A warning about the measurements of a run; `SENTENCES` contains the text."""

    ledger = "ledger"
    entries = "entries"
    compilation = "compilation"
    clock = "clock"
    threads = "threads"
    warm = "warm"
    overtime = "overtime"
    claim = "claim"
    printed = "printed"
    patched = "patched"
    tied = "tied"


SENTENCES = {
    Flag.ledger: "Fewer flops were charged than were observed: the solver computed products "
    "without `Sigma @ x` and `Sigma[W]`, or reset the count.",
    Flag.entries: "The solver reads the entries of the matrix directly, so not all its flops can "
    "be counted. Only products with `Sigma @ x` and `Sigma[W]` are included.",
    Flag.compilation: "The solver reported more compile time than had passed.",
    Flag.clock: "A clock outside the solver's process measured more time than the clock inside, "
    "and the longer time is used. If the machine was very busy, repeat the run.",
    Flag.threads: "The solver used more processor time than a single thread can.",
    Flag.warm: "The solver needed fewer flops or less time, or found a better answer, when it "
    "solved the same problem again than for the first time or with its variables in another order.",
    Flag.overtime: "The answer was complete after the time limit, but within the tolerance for the "
    "delay of the harness. Solvers that stop at the limit had less time.",
    Flag.claim: "The solver's own answer refutes the upper bound that it claims.",
    Flag.patched: "Functions of the harness were replaced in the solver's process, or files of the "
    "installation changed during the run.",
    Flag.printed: "The solver printed text while it ran.",
    Flag.tied: "Equal variables enter together at every penalty, and only the first were kept.",
}
