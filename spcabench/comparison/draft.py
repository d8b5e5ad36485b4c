"""A quick look at a solver that is being written: one run per pair, and changes since last time."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from spcabench import files
from spcabench.comparison import best_known, plans, profiles, ranking
from spcabench.comparison.entrants import ANSWER, Entrant
from spcabench.files import write_changed
from spcabench.running import runner
from spcabench.running.runner import Job, Progress, Timing
from spcabench.running.schema import Row
from spcabench.showing.words import duration, plain
from spcabench.solving.status import Status

Pairs = Mapping[str, "Pair"]
EQUAL = 10.0**-ranking.DIGITS  # shares that differ by less are equal
CHANGES = ("worse value", "better value", "more flops", "fewer flops")  # of a pair


@dataclass(frozen=True)
class Pair:
    """The answer to a problem and a cardinality.

    share : fraction of the best known value, zero for a failure; None if no value is known.
    """

    status: str
    value: float
    share: float | None
    flops: int | None
    seconds: float | None
    reason: str = ""

    @classmethod
    def of(cls, row: Row, best: float | None) -> "Pair":
        """Return the pair of a row, for the best known value."""
        value = row.variance_refit or 0.0
        share = value / best if best else None
        return cls(str(row.status), value, share, row.flops_in_all, row.seconds, row.reason)


def draft(entrant: Entrant, home: Path, progress: Progress | None = None) -> str:
    """Run a solver on each pair once; return a table with the changes since the last draft.

    home : the folder of comparisons, in which the draft is stored.
    """
    # one group, so that one process makes all runs; one series, so that a run that hangs ends it
    runs = [
        replace(run, series=entrant.label)
        for run in plans.runs(entrant)
        if run.columns["kind"] == ANSWER and not run.seed
    ]
    job = Job(entrant.label, {"": runs}, Timing(fastest=True), "", Path())
    table = best_known.read().values() if entrant.fresh is None else ()
    known = {(entry.item, entry.k, entry.nonnegative): entry for entry in table}
    now = {}
    for row in runner.rows_of(job, progress):
        entry = known.get((str(row.item), int(row.asked or 0), bool(row.sign)))
        # the best answer to substitute data is unknown
        best = entry.value if entry and row.problem in (None, entry.problem) else None
        now[f"{row.item}, k = {row.asked}"] = Pair.of(row, best)
    file = home / "drafts" / entrant.folder / f"{entrant.key}.json"
    last = files.read_json(file, dict[str, Pair], "a draft") if file.exists() else {}
    write_changed(file, json.dumps({name: asdict(pair) for name, pair in now.items()}, indent=1))
    return "\n".join([*_summary(now, last), *_changes(now, last)])


def _summary(now: Pairs, last: Pairs) -> list[str]:
    """Return lines with the means over all pairs, now and last time."""
    lines = [f"{'':16}{'now':>12}{'last draft' if last else '':>14}"]
    earlier = _means(last)
    for name, words in _means(now).items():
        lines.append(f"{name:16}{words:>12}{earlier.get(name, ''):>14}")
    return lines


def _means(pairs: Pairs) -> dict[str, str]:
    if not pairs:
        return {}
    shares = [pair.share for pair in pairs.values() if pair.share is not None]
    answered = [pair for pair in pairs.values() if pair.value]
    flops = np.array([pair.flops for pair in answered if pair.flops is not None], dtype=float)
    seconds = np.array([pair.seconds for pair in answered if pair.seconds is not None])
    return {
        "answered": f"{len(answered)} of {len(pairs)}",
        "mean share": f"{np.mean(shares):.4f}" if shares else "-",
        f"reach {ranking.TOLD}": f"{sum(s >= ranking.TARGET for s in shares)} of {len(shares)}",
        "flops": _flops(profiles.shifted_mean(flops, ranking.SHIFT["flops"])),
        "time": _time(profiles.shifted_mean(seconds, ranking.SHIFT["time"])),
    }


def _changes(now: Pairs, last: Pairs) -> list[str]:
    """Return a line for each pair that changed, the worst first, or each pair of a first draft."""
    if not last:
        ran = {name: pair for name, pair in now.items() if pair.status != Status.SKIPPED}
        skipped = Counter(now[name].reason for name in now.keys() - ran.keys())
        lines = [f"{name:28}{_words(pair)}" for name, pair in ran.items()]
        return ["", *lines, *(f"{n} skipped: {reason}" for reason, n in skipped.items())]
    told: dict[str, list[str]] = {change: [] for change in CHANGES}
    for name, pair in now.items():
        if (before := last.get(name)) and (change := _change(pair, before)):
            line = f"{change:14}{name:28}{_words(before)}  ->  {_words(pair)}"
            told[change].append(line)
    counts = ", ".join(f"{change} on {len(lines)}" for change, lines in told.items() if lines)
    heading = f"Pairs since the last draft: {counts or 'no change'}."
    # shown by each draft, because an error that stays is no change
    why = Counter(pair.reason for pair in now.values() if not pair.value and pair.reason)
    failed = [f"{n} without an answer: {reason}" for reason, n in why.items()]
    return ["", heading, *(line for lines in told.values() for line in lines), *failed]


def _change(now: Pair, last: Pair) -> str:
    """Return which of `CHANGES` happened to a pair, or ""; flops count only at the same value."""
    change = now.value - last.value
    if abs(change) > EQUAL * max(now.value, last.value):
        return "better value" if change > 0.0 else "worse value"
    if now.flops is None or last.flops is None or now.flops == last.flops:
        return ""
    return "fewer flops" if now.flops < last.flops else "more flops"


def _words(pair: Pair) -> str:
    if not pair.value:
        return pair.reason or pair.status
    share = "" if pair.share is None else f"{pair.share:.4f}"
    flops = "-" if pair.flops is None else _flops(pair.flops)
    return f"{share or f'{pair.value:.6g}':8}{flops:>14}{_time(pair.seconds):>10}"


def _flops(count: float) -> str:
    return "-" if np.isnan(count) else f"{plain(count)} flops"


def _time(seconds: float | None) -> str:
    return "-" if seconds is None or np.isnan(seconds) else duration(seconds)
