"""What asv measured and the gate counted at every commit, as one table; drawn, and on a page."""

import json
from collections import defaultdict
from itertools import product

from . import changes, taken, tally
from .commits import accepted, convention, git
from .counts import ROOT

RESULTS = ROOT / "results" / "performance"  # asv's, to be shared
SITE = ROOT / "results" / "history"  # made from them
BENCH = "solvers.Solvers.track_"


def read(machine):
    """One row per commit, solver, problem and measure: value, and the commit it is taken over from.

    That one is "" where the number was measured at the commit itself. What is measured without a
    solver (corpus, import, overhead) has its benchmark's name as measure. Counts of `tally` are
    there for commits that asv has not measured.
    """
    import pandas as pd

    columns = ["commit", "solver", "problem", "measure", "value", "same"]
    found = measured(machine)
    here = [(sha, *row, "") for (sha, _), rows in found.items() for row in rows]
    table = pd.DataFrame(here + taken_over(found, machine) + tally.rows(), columns=columns)
    return (
        table.astype({"value": float})
        .dropna(subset="value")
        .drop_duplicates(columns[:4])
        .reset_index(drop=True)
    )


def measured(machine):
    """Commit and what was measured (a solver, or a name of `taken.OTHERS`) -> its numbers.

    They are from asv: (solver, problem, measure, value) each.
    """
    from asv.results import iter_results_for_machine

    if not (RESULTS / machine).is_dir():
        return {}
    found = defaultdict(list)
    for result in iter_results_for_machine(RESULTS, machine):
        for key in result.get_all_result_keys():
            params = result.get_result_params(key)
            numbers = result.get_result_value(key, params) or []
            for cell, number in zip(product(*params), numbers, strict=True):
                solver, problem = (name.strip("'") for name in cell) if cell else ("", "")
                name = solver or next(n for n in taken.OTHERS if key.startswith(n))
                measure = key.removeprefix(BENCH) if solver else key.partition(".")[2]
                found[result.commit_hash, name].append((solver, problem, measure, number))
    return found


def taken_over(found, machine):
    """The numbers that commits have from others, where the code is the same, as rows of `read`."""
    return [
        (record["commit"], *row, source)
        for record in taken.records(RESULTS / machine)
        for name, source in record["over"].items()
        for row in found.get((source, name), ())
    ]


def in_order(table, failed=None):
    """Return the measured commits, the oldest first, and those that could not be measured.

    Each has its hash, date, subject and convention of flops, what changed since the measured commit
    before, and what was accepted. failed : commit -> why it could not be measured.
    """
    words = ("log", "--topo-order", "--reverse", "--date=short", "--format=%H%x00%h%x00%ad%x00%s")
    measured, commits, before = set(table.commit), [], None
    for line in git(*words, "--all").splitlines():
        sha, short, date, subject = line.split("\0")
        about = {"sha": sha, "short": short, "date": date, "subject": subject}
        if sha in measured:
            commits.append(about | {"convention": convention(sha)} | since(table, before, sha))
            before = sha
        elif sha in (failed or {}):
            commits.append(about | {"failed": failed[sha]})
    return commits


def since(table, before, sha):
    """Return what changed since a measured commit, what is new, and what was accepted.

    ``changed`` are the flops, and ``also`` the other measures (see `changes.between`).
    ``recounted`` says that flops are counted by another convention since: none are compared then.
    ``taken`` are the solvers whose numbers are those of another commit, with the same code.
    """
    here = table[(table.commit == sha) & (table.solver != "")]
    taken_from = here[here.same != ""].groupby("solver").same.first().to_dict()
    found = {"changed": [], "also": [], "new": [], "accepted": [], "recounted": False}
    found |= {"measured": here[here.same == ""].solver.nunique(), "taken": taken_from}
    if before is None:
        return found
    recounted, reasons = convention(before) != convention(sha), accepted(before, sha)
    moved = changes.between(table, before, sha, reasons, recounted)
    names = [set(table.solver[table.commit == name]) - {""} for name in (before, sha)]
    return found | {
        "changed": [change for change in moved if change["measure"] == "flops"],
        "also": [change for change in moved if change["measure"] != "flops"],
        "new": sorted(names[1] - names[0]),
        "accepted": [vars(a) for a in reasons],
        "recounted": recounted,
        "between": int(git("rev-list", "--count", f"{before}..{sha}")) - 1,
    }


def write(machine):
    """Draw the history of a machine and write its site; the site's path, None without results."""
    from . import site

    table = read(machine)
    if table.empty:
        return None
    failed = {r["commit"]: r["failed"] for r in taken.records(RESULTS / machine) if "failed" in r}
    commits = in_order(table, failed)
    table = table[table.commit.isin([commit["sha"] for commit in commits])]  # those of this clone
    SITE.mkdir(parents=True, exist_ok=True)
    about = described(machine)
    summary = {"machine": about, "commits": commits}
    (SITE / "history.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    (SITE / "numbers.json").write_text(numbers(table, commits), encoding="utf-8")
    return site.write(table, commits, about, SITE)


def described(machine):
    """What a reader may know of a machine: its processor and its memory."""
    file = RESULTS / machine / "machine.json"
    about = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return {
        name: about[name] for name in ("machine", "arch", "cpu", "num_cpu", "ram") if name in about
    }


def numbers(table, commits):
    """Solver -> problem -> measure -> numbers at the measured commits in turn, as JSON.

    A number that is not there is null, and of each no more digits are kept than it has a use for.
    """
    shas = [commit["sha"] for commit in commits if "failed" not in commit]
    found = {"commits": shas, "solvers": {}}
    for (solver, problem, measure), part in table.groupby(["solver", "problem", "measure"]):
        values = part.set_index("commit").value.reindex(shas)
        rounded = [None if value != value else short(value) for value in values]
        found["solvers"].setdefault(solver, {}).setdefault(problem, {})[measure] = rounded
    lines = ",\n".join(
        f"{json.dumps(solver)}: {json.dumps(entries, separators=(',', ':'))}"
        for solver, entries in found["solvers"].items()
    )
    return f'{{"commits": {json.dumps(shas)},\n"solvers": {{\n{lines}\n}}}}\n'


def short(value):
    """A number with all its digits where it is whole, and with six where it is not."""
    return int(value) if value == int(value) else float(f"{value:.6g}")
