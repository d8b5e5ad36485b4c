"""What changed at each measured commit, by solver and by measure."""

from .commits import accepted, convention, excuse, git
from .measure import MEASURES

WORSE = 1.01  # ratio above which a commit must accept a change
FLOOR = {"gap": 1e-6, "shortfall": 1e-6}  # smaller changes of a share count as rounding
SAME = 1e-9  # largest change of a ratio that counts as rounding
# thresholds for times; smaller changes are noise of the machine
FASTER, EACH = 1.5, 1.25  # ratio at the median of the problems, and on each of them
ALONE = 2.0  # ratio if there is only one problem
FEW_BYTES = 8_000_000  # variation due to the memory allocator


def by_commit(table):
    """Return the measured commits, the oldest first.

    Each has its hash, date, subject and flop convention, the solvers that were timed at it, the
    changes since the preceding measured commit, and the accepted regressions. table : see
    `results`.
    """
    form = ("--no-walk=unsorted", "--abbrev=7", "--date=short", "--format=%H%x00%h%x00%ad%x00%s")
    commits, before = [], None
    for line in git("log", *form, *table.commit.unique()).splitlines():
        sha, short, date, subject = line.split("\0")
        about = {"sha": sha, "short": short, "date": date, "subject": subject}
        commits.append(about | {"convention": convention(sha)} | since(table, before, sha))
        before = sha
    return commits


def since(table, before, sha):
    """Return the changes since a measured commit, new solvers, and accepted regressions.

    ``changed`` contains changes of flops, and ``also`` those of other measures (see `between`).
    ``recounted`` says that the flop convention has changed, so that flops are not compared.
    """
    here = table[(table.commit == sha) & (table.solver != "")]
    summary = {"changed": [], "also": [], "new": [], "accepted": [], "recounted": False}
    summary["measured"] = sorted(here.solver[here.measured].unique())
    if before is None:
        return summary
    recounted, reasons = convention(before) != convention(sha), accepted(before, sha)
    changes = between(table, before, sha, reasons, recounted)
    return summary | {
        "changed": [change for change in changes if change["measure"] == "flops"],
        "also": [change for change in changes if change["measure"] != "flops"],
        "new": sorted(set(here.solver) - set(table.solver[table.commit == before])),
        "accepted": [vars(a) for a in reasons],
        "recounted": recounted,
        "between": int(git("rev-list", "--count", f"{before}..{sha}")) - 1,
    }


def between(table, before, sha, reasons, recounted):
    """Return the changes of all solvers from one commit to another.

    Each change is a dict with: solver; measure; low and high, the ends of the ratios new / old, or
    of the differences for shares and bytes; problems, the number of problems with a change; word.
    The word is "better", "worse", or "accepted" by a commit message; for times and memory, which
    decide nothing, it is "less" or "more". recounted : whether the flop convention differs, so that
    flops are not compared.
    """
    both = table[table.commit.isin((before, sha)) & (table.solver != "")]
    wide = both.pivot_table(
        index=["measure", "solver", "problem"], columns="commit", values="value"
    )
    wide = wide.reindex(columns=[before, sha]).dropna()
    timed = wide.index.get_level_values("measure") == "seconds"
    wide = wide[wide[before].ne(wide[sha]) | timed]  # skips the many numbers that are the same
    changes = []
    for (measure, solver), part in wide.groupby(level=["measure", "solver"]):
        if recounted and measure == "flops":
            continue
        moved = differences(measure, part[before], part[sha])
        if not moved.empty:
            ends = {"low": float(moved.min()), "high": float(moved.max()), "problems": len(moved)}
            word = in_a_word(solver, measure, ends, reasons)
            changes.append({"solver": solver, "measure": measure, **ends, "word": word})
    return changes


def differences(measure, old, new):
    """Return the ratios or differences on the problems whose measure changed."""
    if measure == "memory":
        return (new - old)[(new - old).abs() >= FEW_BYTES]
    if measure in FLOOR:
        return (new - old)[(new - old).abs() > FLOOR[measure]]
    ratio = (new / old).where(old > 0, 1.0)
    if measure == "seconds":
        return ratio if differ(ratio) else ratio[:0]
    return ratio[(ratio - 1.0).abs() > SAME]


def differ(ratio):
    """Whether times differ by more than those of two processes that run the same code."""
    if len(ratio) == 1:
        return max(ratio.iloc[0], 1.0 / ratio.iloc[0]) >= ALONE
    return any(r.median() >= FASTER and r.min() >= EACH for r in (ratio, 1.0 / ratio))


def in_a_word(solver, measure, ends, reasons):
    """Return a word for how a solver changed in a measure."""
    neutral = 0.0 if measure == "memory" or measure in FLOOR else 1.0
    if measure not in MEASURES:
        return "less" if ends["low"] + ends["high"] < 2 * neutral else "more"
    if ends["high"] <= FLOOR.get(measure, WORSE):
        return "better" if ends["low"] < neutral else "same"
    return "accepted" if excuse(solver, measure, reasons) else "worse"
