"""Performance gate: compare the exact counts of two commits; times and memory are only printed."""

import argparse
import math
import sys
from collections import Counter

from . import best_known, gate_report, interleaved_times
from .changes import FLOOR, WORSE
from .commits import KEY, accepted, excuse, full_hash, git, hash_or_none, package_of, shallow
from .measure import LIMIT, MEASURES, values
from .problems import PROBLEMS, REDUCED
from .solver_code import hashes
from .solver_processes import checked, collect

WORDS = ("same", "better", "worse", "lost", "late", "recounted")


def compare(old, new, best):
    """Return rows (solver, problem, measure, old, new, word) for solvers that both commits have.

    The word is "same", "better" or "worse"; "lost" if the new commit has no number; "late" if a
    slow run exceeded the time limit, which is ignored because a busy machine can cause it; or
    "recounted" if the flops follow different conventions and are not compared.

    old, new : solver -> problem -> counts.
    """
    rows = []
    for solver in sorted(set(old) & set(new)):
        for problem, before in old[solver].items():
            after = new[solver][problem]
            was, now = (values(entry, best.get(problem)) for entry in (before, after))
            for name in MEASURES:
                if not math.isnan(was[name]):
                    verdict = excluded(name, before, after) or word(name, was[name], now[name])
                    rows.append((solver, problem, name, was[name], now[name], verdict))
    return rows


def excluded(measure, before, after):
    """Return the reason for ignoring a number as one word, or "" if it is not ignored."""
    if after["status"] == "time_limit" and before.get("seconds", 0.0) > LIMIT / 10:
        return "late"
    conventions = {entry.get("convention", 1) for entry in (before, after) if "flops" in entry}
    return "recounted" if measure == "flops" and len(conventions) > 1 else ""


def word(measure, old, new):
    """Return a word for the change of a number; lower is better."""
    if math.isnan(new):
        return "lost"
    floor = FLOOR.get(measure, 0.0)
    if new > WORSE * old + floor:
        return "worse"
    return "better" if old > WORSE * new + floor else "same"


def timed(old, new, problems):
    """Return the runs to time: the largest problem of each solver that both commits solve fast."""
    largest = {}
    for solver in sorted(set(old) & set(new)):
        for problem in problems:
            entries = [commit[solver][problem] for commit in (old, new)]
            if all(entry.get("seconds", math.inf) < interleaved_times.SLOWEST for entry in entries):
                largest[solver] = (problem, entries[1]["settings"], entries[1]["seconds"])
    return {(solver, problem): rest for solver, (problem, *rest) in largest.items()}


def memories(old, new):
    """Return (solver, problem) -> increase of the peak memory in bytes, if the peaks differ.

    Differences below `FEW_BYTES` also occur between processes with the same code, and are ignored.
    """
    changes = {
        (solver, problem): (entry.get("memory") or math.nan)
        - (old[solver][problem].get("memory") or math.nan)
        for solver in sorted(set(old) & set(new))
        for problem, entry in new[solver].items()
    }
    return {key: more for key, more in changes.items() if abs(more) >= gate_report.FEW_BYTES}


def main():
    """Compare two commits, print the changes, and exit.

    The exit code is 1 if no commit message accepts a regression, and 2 if nothing could be
    compared.
    """
    parser = argparse.ArgumentParser(prog="make perf-check", description=__doc__)
    parser.add_argument("--base", default="main~1", help="the commit to compare with")
    parser.add_argument("--head", default="HEAD", help="the commit to check")
    parser.add_argument(
        "--reduced", action="store_true", help="for CI: use fewer problems and measure no times"
    )
    options = parser.parse_args()
    try:
        head = full_hash(options.head)
        if options.reduced and shallow() and hash_or_none(options.base) is None:
            sys.exit(alone(options.base, head))
        sys.exit(judge(full_hash(options.base), head, options.reduced))
    except (ValueError, RuntimeError) as error:
        print(f"perf-check: nothing compared: {error}", file=sys.stderr)
        sys.exit(2)


def alone(base, head):
    """In a shallow clone without the base commit, only check that the new commit has counts."""
    counts = checked(collect(REDUCED, package_of(head)))
    count = sum("iterations" in entry for entries in counts.values() for entry in entries.values())
    print(
        f"perf-check: NOT COMPARED: this clone is shallow and lacks {base}; {count} runs of the "
        "new commit returned counts"
    )
    return 0 if count else 2


def judge(base, head, reduced=False):
    """Measure and show both commits, and return the exit code."""
    reasons = accepted(base, head)
    problems = [name for name in PROBLEMS if not reduced or name in REDUCED]
    announce(base, head)
    packages = [package_of(sha) for sha in (base, head)]
    same = unchanged(*map(hashes, packages))
    if same:
        print(f"{len(same)} solvers are not measured, because their code is unchanged")
    new, old = (  # the new commit is first, so an import that fails is reported at once
        collect(problems, folder, solvers=others(folder, same), title=title)
        for folder, title in zip(packages[::-1], ("new", "old"), strict=True)
    )
    checked(old, new)
    rows = compare(old, new, best_known.read())
    gate_report.show_others(old, new)
    if not rows and not same:
        raise RuntimeError("no solver has a count at both commits")
    gate_report.show_counts(rows, reasons)
    gate_report.show_memories(memories(old, new))
    if not reduced:
        pairs = timed(old, new, problems)
        if new:
            times = interleaved_times.ratios(pairs, *packages)
            gate_report.show_times(times, set(new) - {solver for solver, _ in pairs})
    seen = Counter(row[-1] for row in rows)
    print(f"{len(rows)} counts: {', '.join(f'{seen[w]} {w}' for w in WORDS)}")
    bad = [row for row in rows if row[-1] in ("worse", "lost")]
    failing = [row for row in bad if excuse(row[0], row[2], reasons) is None]
    broken = [s for s in sorted(set(new) - set(old)) if silent(new[s])]
    if broken:
        print(f"perf-check: FAILED: {', '.join(broken)}: new, but every run is an error")
    print(verdict(failing, bad))
    return 1 if failing or broken else 0


def announce(base, head):
    """Print the two commits that are compared."""
    for label, sha in (("old", base), ("new", head)):
        print(label, git("log", "-1", "--format=%h %s", sha), flush=True)
    if git("status", "--porcelain", "--untracked-files=no"):
        print("note: uncommitted changes are not measured")


def silent(entries):
    """Whether every run of a solver is an error."""
    return bool(entries) and all(entry["status"] == "error" for entry in entries.values())


def unchanged(old, new):
    """Return the solvers whose counts cannot differ, because their code is unchanged.

    old, new : solver -> hash of its code, as returned by `solver_code.hashes`.
    """
    return {solver for solver in set(old) & set(new) if old[solver] == new[solver]}


def others(folder, same):
    """Return the solvers of a commit that are not in ``same``."""
    return [solver for solver in hashes(folder) if solver not in same]


def verdict(failing, bad):
    """Return the last line of the output."""
    if not failing:
        return f"perf-check: passed{f', {len(bad)} accepted' if bad else ''}"
    names = ", ".join(sorted({row[0] for row in failing}))
    return (
        f"perf-check: FAILED: {names}. To accept a change, add '{KEY}: SOLVER [MEASURE]: reason' "
        "to a commit message"
    )


if __name__ == "__main__":
    main()
