"""What changed between two measured commits, solver by solver and measure by measure."""

from .commits import excuse

EXACT = ("flops", "iterations", "gap", "shortfall")
SAME = 1e-9  # of a ratio; of a share, 1e-6, since bounds are sums of many numbers
SHARES = {"gap": 1e-6, "shortfall": 1e-6}
# times: less is the noise of the machine
FASTER, EACH = 1.5, 1.25  # ratio at the median of the problems, and on each of them
ALONE = 2.0  # ratio where there is one problem alone
FEW_BYTES = 8_000_000  # what an allocator may keep or give back


def between(table, before, sha, reasons, recounted):
    """Return the changes of all solvers from one commit to another.

    Each is a dict: solver; measure; low and high, of the ratios new / old, or of the differences
    of shares and of bytes; problems, on which there is a change; word. A word is "better", "worse",
    or "accepted" by a commit's message; of times and memory "less" or "more", since they decide
    nothing. recounted : flops are counted by another convention, and not compared.
    """
    both = table[table.commit.isin((before, sha)) & (table.solver != "")]
    wide = both.pivot_table(
        index=["measure", "solver", "problem"], columns="commit", values="value"
    )
    wide = wide.reindex(columns=[before, sha]).dropna()
    left_out = ("flops",) if recounted else ()
    found = []
    for (measure, solver), part in wide.groupby(level=["measure", "solver"]):
        change = None if measure in left_out else compared(measure, part[before], part[sha])
        if change:
            word = worded(solver, measure, change, reasons)
            found.append({"solver": solver, "measure": measure, **change, "word": word})
    return found


def compared(measure, old, new):
    """Return low, high and problems of a change; None where there is none."""
    if measure == "memory":
        moved = (new - old)[(new - old).abs() >= FEW_BYTES]
    elif measure in SHARES:
        moved = (new - old)[(new - old).abs() > SHARES[measure]]
    elif measure in EXACT:
        ratio = (new / old).where(old > 0, 1.0)
        moved = ratio[(ratio - 1.0).abs() > SAME]
    elif measure == "seconds":
        ratio = new / old
        moved = ratio if differ(ratio) else ratio[:0]
    else:
        return None
    if moved.empty:
        return None
    return {"low": float(moved.min()), "high": float(moved.max()), "problems": len(moved)}


def differ(ratio):
    """Whether times differ by more than two processes of the same code do."""
    if len(ratio) == 1:
        return max(ratio.iloc[0], 1.0 / ratio.iloc[0]) >= ALONE
    return any(r.median() >= FASTER and r.min() >= EACH for r in (ratio, 1.0 / ratio))


def worded(solver, measure, change, reasons):
    """How a solver changed in a measure, in a word."""
    from .gate import FLOOR, WORSE

    neutral = 0.0 if measure == "memory" or measure in SHARES else 1.0
    if measure not in EXACT:
        return "less" if change["low"] + change["high"] < 2 * neutral else "more"
    limit = FLOOR[measure] if measure in SHARES else WORSE
    if change["high"] <= limit:
        return "better" if change["low"] < neutral else "same"
    return "accepted" if excuse(solver, measure, reasons) else "worse"
