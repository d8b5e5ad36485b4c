"""Output of the performance gate."""

from rich.console import Console
from rich.table import Table

from .commits import excuse

CONSOLE = Console(width=120, highlight=False)
NOISE = 0.15  # times of processes with the same code can differ by up to this fraction
WORTH_SAYING = 0.05  # smaller changes of a time are not reported
FEW_BYTES = 16_000_000  # peaks of processes with the same code can differ by up to this
TIMES = "Times: median ratio of interleaved runs with 95 % interval (for information only)"
FAILED = ("error", "time_limit", "zero", "infeasible")
ORDER = ("worse", "lost", "better")


def show_counts(rows, reasons):
    """Print the numbers that changed by more than 1 %, regressions first."""
    changed = sorted(
        (row for row in rows if row[-1] in ORDER), key=lambda row: (ORDER.index(row[-1]), row[:3])
    )
    if not changed:
        return
    table = Table(
        "solver",
        "problem",
        "measure",
        title="Counts that changed by more than 1 %",
        title_justify="left",
    )
    for name in ("old", "new", "new / old"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    for row in changed:
        solver, problem, measure, old, new, word = row
        accepted = excuse(solver, measure, reasons) if word != "better" else None
        verdict = (
            f"accepted, {accepted.commit}: {accepted.reason}"
            if accepted
            else word.upper()
            if word != "better"
            else word
        )
        table.add_row(
            solver,
            problem,
            measure,
            f"{old:.8g}",
            f"{new:.8g}",
            f"{new / old:.4g}" if old else "",
            verdict,
        )
    CONSOLE.print(table)


def show_others(old, new):
    """Print the solvers that exist at only one commit, and the failed runs of the new commit."""
    for label, names in (("new", set(new) - set(old)), ("gone", set(old) - set(new))):
        if names:
            CONSOLE.print(f"{label} solvers, not compared: {', '.join(sorted(names))}")
    for solver, entries in new.items():
        for problem, entry in entries.items():
            if entry["status"] in FAILED:
                CONSOLE.print(
                    f"no answer: {solver}, {problem}: {entry['status']} {entry.get('reason', '')}"
                )


def show_times(times, others=()):
    """Print the times and the intervals of their ratios, for information only."""
    table = Table("solver", "problem", title=TIMES, title_justify="left")
    for name in ("old, ms", "new, ms", "new / old", "interval"):
        table.add_column(name, justify="right")
    table.add_column("")
    for (solver, problem), rounds in sorted(times.items()):
        old, new = (1e3 * min(seconds) for seconds in zip(*rounds, strict=True))
        ratio = ratio_of(rounds)
        low, high = ratio.interval()
        table.add_row(
            solver,
            problem,
            f"{old:.3g}",
            f"{new:.3g}",
            f"{ratio.value:.3f}",
            f"{low:.3f} to {high:.3f}",
            notable(ratio),
        )
    CONSOLE.print(table)
    for (solver, problem), rounds in sorted(times.items()):
        ratio = ratio_of(rounds)
        if difference := notable(ratio):
            percent = 100.0 * (ratio.value - 1.0)
            CONSOLE.print(
                f"time, for information: {solver}, {problem}: {percent:+.0f} %, {difference}"
            )
    if others:
        CONSOLE.print(f"not timed (too slow, or only at one commit): {', '.join(sorted(others))}")


def show_memories(changes):
    """Print a line for each run whose peak memory changed, for information only."""
    for (solver, problem), increase in changes.items():
        CONSOLE.print(f"memory, for information: {solver}, {problem}: {increase / 1e6:+.0f} MB")


def ratio_of(rounds):
    """Return the geometric mean of new / old over the rounds, with its interval."""
    import pandas as pd

    from spcabench.claims import geometric_mean  # missing in early commits, which asv imports

    table = pd.DataFrame({"ratio": [new / old for old, new in rounds]})
    return geometric_mean(table.assign(round=table.index), "ratio", over="round", called="rounds")


def notable(ratio):
    """Return a note on a ratio of times if its interval excludes 1, otherwise "".

    The note mentions if the difference is within `NOISE`.
    """
    change = ratio.value - 1.0
    low, high = ratio.interval()
    if abs(change) <= WORTH_SAYING or low <= 1.0 <= high:
        return ""
    word = "slower" if change > 0.0 else "faster"
    if abs(change) > NOISE:
        return word
    return f"{word}, but by less than processes with the same code can differ"
