"""Warnings of the harness about a run, for readers of its numbers."""

from enum import StrEnum


class Flag(StrEnum):
    """A warning about the numbers of a run; `SENTENCES` has the text."""

    ledger = "ledger"
    entries = "entries"
    compilation = "compilation"
    clock = "clock"
    threads = "threads"
    warm = "warm"
    claim = "claim"
    printed = "printed"
    patched = "patched"
    tied = "tied"


SENTENCES = {
    Flag.ledger: "Fewer flops were charged than were seen: products were made outside `Sigma @ x` "
    "and `Sigma[W]`, or the count was reset.",
    Flag.entries: "The solver takes the entries of the matrix itself, where no count can follow: "
    "there may be more flops than are shown. Products by `Sigma @ x` and `Sigma[W]` are counted.",
    Flag.compilation: "Seconds were booked as compilation that the clock did not see.",
    Flag.clock: "A clock outside the solver's process saw more time than the solver's own; the "
    "longer time counts. A machine that is very busy can be the reason: make the run again.",
    Flag.threads: "The solver used more processor time than one thread has.",
    Flag.warm: "Flops or time fell when the same problem was solved again.",
    Flag.claim: "The solver claims an upper bound that its own answer refutes.",
    Flag.patched: "Functions of the harness were replaced in the solver's process, or files of the "
    "installation changed meanwhile.",
    Flag.printed: "The solver printed text while it ran.",
    Flag.tied: "Equal variables enter together under every penalty: the first ones were kept.",
}
