"""The gate: exact counts of two commits compared; times and memory are said, and decide nothing."""

import argparse
import math
import sys
from collections import Counter

from . import clock
from .codes import codes
from .commits import KEY, accepted, commit, excuse, git, known, shallow, tree
from .counts import LIMIT, MEASURES, best_known, values
from .passes import checked, collect
from .problems import PROBLEMS, REDUCED

WORSE = 1.01
WORDS = ("same", "better", "worse", "lost", "late", "recounted")
# smaller changes of a share are rounding
FLOOR = {
    "flops": 0.0,
    "iterations": 0.0,
    "gap": 1e-6,
    "shortfall": 1e-6,
}


def compare(old, new, best):
    """Rows (solver, problem, measure, old, new, word) for each number that both commits have.

    old, new : solver -> problem -> counts. word : "same", "better", "worse"; "lost" where only the
    old has the number, "late" where a clock ended a run that was slow before: a loaded machine does
    that, and it decides nothing; "recounted" for flops by two conventions, which are not compared.
    """
    rows = []
    for solver in sorted(set(old) & set(new)):
        for problem, before in old[solver].items():
            after = new[solver][problem]
            was, now = (values(entry, best.get(problem)) for entry in (before, after))
            for name in MEASURES:
                if not math.isnan(was[name]):
                    said = excluded(name, before, after) or word(name, was[name], now[name])
                    rows.append((solver, problem, name, was[name], now[name], said))
    return rows


def excluded(measure, before, after):
    """Why a number decides nothing, in a word; "" where it does."""
    if after["status"] == "time_limit" and before.get("seconds", 0.0) > LIMIT / 10:
        return "late"
    conventions = {entry.get("convention", 1) for entry in (before, after) if "flops" in entry}
    return "recounted" if measure == "flops" and len(conventions) > 1 else ""


def word(measure, old, new):
    """How a number changed; lower is better."""
    if math.isnan(new):
        return "lost"
    floor = FLOOR[measure]
    if new > WORSE * old + floor:
        return "worse"
    return "better" if old > WORSE * new + floor else "same"


def timed(old, new, problems):
    """The pairs to time: of each solver the largest problem that both commits solve quickly."""
    found = {}
    for solver in sorted(set(old) & set(new)):
        for problem in problems:
            entries = [commit[solver][problem] for commit in (old, new)]
            if all(entry.get("seconds", math.inf) < clock.SLOWEST for entry in entries):
                found[solver] = (problem, entries[1]["settings"], entries[1]["seconds"])
    return {(solver, problem): rest for solver, (problem, *rest) in found.items()}


def memories(old, new):
    """Return (solver, problem) -> bytes that the new commit needs more, where the peaks differ.

    A difference below `tables.FEW_BYTES` is that of two processes of the same code.
    """
    from .tables import FEW_BYTES

    changes = {
        (solver, problem): (entry.get("memory") or math.nan)
        - (old[solver][problem].get("memory") or math.nan)
        for solver in sorted(set(old) & set(new))
        for problem, entry in new[solver].items()
    }
    return {key: more for key, more in changes.items() if abs(more) >= FEW_BYTES}


def main():
    """Compare two commits, print what changed, and exit.

    The exit code is 1 for a regression that no commit accepts, and 2 where nothing could be
    compared.
    """
    words = argparse.ArgumentParser(prog="make perf-check", description=__doc__)
    words.add_argument("--base", default="main~1", help="the commit to compare with")
    words.add_argument("--head", default="HEAD", help="the commit that is judged")
    words.add_argument(
        "--reduced", action="store_true", help="for CI: some of the problems, no times"
    )
    asked = words.parse_args()
    try:
        head = commit(asked.head)
        if asked.reduced and shallow() and not known(asked.base):
            sys.exit(alone(asked.base, head))
        sys.exit(judge(commit(asked.base), head, asked.reduced))
    except (ValueError, RuntimeError) as error:
        print(f"perf-check: nothing compared: {error}", file=sys.stderr)
        sys.exit(2)


def alone(base, head):
    """In a shallow clone without the base: the new commit's counts must be there at least."""
    found = checked(collect(REDUCED, tree(head)))
    count = sum("iterations" in entry for entries in found.values() for entry in entries.values())
    print(
        f"perf-check: NOT COMPARED: this clone is shallow and has no {base}; {count} runs of the "
        "new commit counted"
    )
    return 0 if count else 2


def judge(base, head, reduced=False):
    """Measure and show both commits; the exit code."""
    from .tables import (  # asv imports this folder, at commits that lack much
        show_counts,
        show_memories,
        show_others,
        show_times,
    )

    reasons = accepted(base, head)
    problems = [name for name in PROBLEMS if not reduced or name in REDUCED]
    announce(base, head)
    trees = [tree(sha) for sha in (base, head)]
    same = unchanged(*map(codes, trees))
    if same:
        print(f"{len(same)} solvers are the same, with all that they import: not measured")
    new, old = (  # the new one first: where it cannot be imported, that is said at once
        collect(problems, folder, solvers=others(folder, same), title=title)
        for folder, title in zip(trees[::-1], ("new", "old"), strict=True)
    )
    checked(old, new)
    rows = compare(old, new, best_known())
    show_others(old, new)
    if not rows and not same:
        raise RuntimeError("no solver has a count at both commits")
    show_counts(rows, reasons)
    show_memories(memories(old, new))
    if not reduced:
        pairs = timed(old, new, problems)
        if new:
            show_times(clock.ratios(pairs, *trees), set(new) - {solver for solver, _ in pairs})
    seen = Counter(row[-1] for row in rows)
    print(f"{len(rows)} counts: {', '.join(f'{seen[w]} {w}' for w in WORDS)}")
    bad = [row for row in rows if row[-1] in ("worse", "lost")]
    failing = [row for row in bad if excuse(row[0], row[2], reasons) is None]
    broken = [s for s in sorted(set(new) - set(old)) if silent(new[s])]
    if broken:
        print(f"perf-check: FAILED: {', '.join(broken)}: new, and no run of it has an answer")
    print(verdict(failing, bad))
    return 1 if failing or broken else 0


def announce(base, head):
    """Say which commits are compared."""
    for label, sha in (("old", base), ("new", head)):
        print(label, git("log", "-1", "--format=%h %s", sha), flush=True)
    if git("status", "--porcelain", "--untracked-files=no"):
        print("note: uncommitted changes are not measured")


def silent(entries):
    """Whether each run of a solver is an error."""
    return bool(entries) and all(entry["status"] == "error" for entry in entries.values())


def unchanged(old, new):
    """Solvers whose counts cannot differ: at both commits all their code does the same.

    old, new : solver -> hash of its code, as `codes.codes` gives them.
    """
    return {solver for solver in set(old) & set(new) if old[solver] == new[solver]}


def others(folder, same):
    """The solvers of a commit without some."""
    return [solver for solver in codes(folder) if solver not in same]


def verdict(failing, bad):
    """The last line."""
    if not failing:
        return f"perf-check: passed{f', {len(bad)} accepted' if bad else ''}"
    names = ", ".join(sorted({row[0] for row in failing}))
    return (
        f"perf-check: FAILED: {names}. A change on purpose: '{KEY}: SOLVER [MEASURE]: reason' "
        "in a commit's message"
    )


if __name__ == "__main__":
    main()
