"""Changes at each measured commit, by solver and by measure."""

from .commits import accepted, convention, excuse, git
from .measure import MEASURES

WORSE = 1.01  # a commit message must accept an increase by a larger ratio
FLOOR = {"gap": 1e-6, "shortfall": 1e-6}  # smaller changes of these are attributed to rounding
SAME = 1e-9  # smaller relative changes are attributed to rounding
# thresholds for times; smaller changes are attributed to noise of the machine
FASTER, EACH = (
    1.5,
    1.25,
)  # for the median ratio over the problems, and for the ratio of each problem
ALONE = 2.0  # for the ratio if there is only one problem
FEW_BYTES = 8_000_000  # smaller changes of memory are attributed to the allocator


def by_commit(table):
    """Return the measured commits, the oldest first.

    Each commit is a dict of its hash, date, subject and flop convention, the solvers that were
    timed, the changes since the preceding measured commit, and the accepted regressions.

    table : see `results.read`.
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

    ``changed`` contains changes of flops, and ``also`` changes of other measures (see `between`).
    ``recounted`` is true if the flop convention changed, in which case flops are not compared.
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

    Each change is a dict with the keys solver; measure; low and high, the range of the ratios new /
    old, or of the differences for gap, shortfall and memory; problems, the number of problems with
    a change; and word. The word is "better", "worse", or "accepted" by a commit message. Times and
    memory do not affect the verdict, and their word is "less" or "more".

    recounted : whether the flop convention differs, in which case flops are not compared.
    """
    both = table[table.commit.isin((before, sha)) & (table.solver != "")]
    wide = both.pivot_table(
        index=["measure", "solver", "problem"], columns="commit", values="value"
    )
    wide = wide.reindex(columns=[before, sha]).dropna()
    timed = wide.index.get_level_values("measure") == "seconds"
    wide = wide[wide[before].ne(wide[sha]) | timed]  # most numbers are unchanged and skipped here
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
    """Return the ratios or differences for the problems on which the measure changed."""
    if measure == "memory":
        return (new - old)[(new - old).abs() >= FEW_BYTES]
    if measure in FLOOR:
        return (new - old)[(new - old).abs() > FLOOR[measure]]
    ratio = (new / old).where(old > 0, 1.0)
    if measure == "seconds":
        return ratio if differ(ratio) else ratio[:0]
    return ratio[(ratio - 1.0).abs() > SAME]


def differ(ratio):
    """Whether times differ by more than two processes with the same code can differ."""
    if len(ratio) == 1:
        return max(ratio.iloc[0], 1.0 / ratio.iloc[0]) >= ALONE
    return any(r.median() >= FASTER and r.min() >= EACH for r in (ratio, 1.0 / ratio))


def in_a_word(solver, measure, ends, reasons):
    """Return a word for the change of a solver in a measure."""
    neutral = 0.0 if measure == "memory" or measure in FLOOR else 1.0
    if measure not in MEASURES:
        return "less" if ends["low"] + ends["high"] < 2 * neutral else "more"
    if ends["high"] <= FLOOR.get(measure, WORSE):
        return "better" if ends["low"] < neutral else "same"
    return "accepted" if excuse(solver, measure, reasons) else "worse"
