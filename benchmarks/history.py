"""What asv measured and the gate counted at every commit, as one table; drawn, and on a page."""

import json
from itertools import product
from pathlib import Path

from . import tally
from .commits import accepted, convention, excuse, git
from .counts import ROOT

RESULTS = ROOT / "results" / "performance"  # asv's, to be shared
SITE = ROOT / "results" / "history"  # made from them
SOLVERS = {
    "bench_solvers.Counts.track_flops": "flops",
    "bench_solvers.Counts.track_iterations": "iterations",
    "bench_solvers.Counts.track_gap": "gap",
    "bench_solvers.Counts.track_shortfall": "shortfall",
    "bench_solvers.Costs.time_solve": "seconds",
    "bench_solvers.Costs.peakmem_solve": "memory",
}


def read(machine):
    """One row per commit, solver, problem and measure: value, q25 and q75 (nan where not measured).

    What is measured without a solver (corpus, import, overhead) has its benchmark's name as
    measure. Counts of `tally` are there for commits that asv has not measured.
    """
    import pandas as pd

    columns = ["commit", "solver", "problem", "measure", "value", "q25", "q75"]
    found = pd.DataFrame(measured(machine) + tally.rows(), columns=columns)
    return (
        found.astype(dict.fromkeys(columns[4:], float))
        .dropna(subset="value")
        .drop_duplicates(columns[:4])
        .reset_index(drop=True)
    )


def measured(machine):
    """What asv has measured on a machine, as the rows of `read`."""
    from asv.results import iter_results_for_machine

    if not (RESULTS / machine).is_dir():
        return []
    rows = []
    for result in iter_results_for_machine(RESULTS, machine):
        for key in result.get_all_result_keys():
            params = result.get_result_params(key)
            numbers = result.get_result_value(key, params)
            spread = result.get_result_stats(key, params)
            for cell, number, stats in zip(
                product(*params), numbers or [], spread or [], strict=True
            ):
                solver, problem = (name.strip("'") for name in cell) if cell else ("", "")
                measure = SOLVERS.get(key, key.partition(".")[2])
                q25, q75 = ((stats or {}).get(name) for name in ("q_25", "q_75"))
                rows.append((result.commit_hash, solver, problem, measure, number, q25, q75))
    return rows


def in_order(table):
    """Return the measured commits, the oldest first.

    Each has its hash, date, subject and convention of flops, what changed since the commit before,
    and what was accepted.
    """
    known = git(
        "log",
        "--topo-order",
        "--reverse",
        "--date=short",
        "--format=%H%x00%h%x00%ad%x00%s",
        "--all",
    )
    measured, commits = set(table.commit), []
    for line in known.splitlines():
        sha, short, date, subject = line.split("\0")
        if sha in measured:
            before = commits[-1]["sha"] if commits else None
            commits.append(
                {
                    "sha": sha,
                    "short": short,
                    "date": date,
                    "subject": subject,
                    "convention": convention(sha),
                    **since(table, before, sha),
                }
            )
    return commits


def since(table, before, sha):
    """Return the solvers whose flops changed, with their ratios, and accepted regressions.

    ``recounted`` says that flops are counted by another convention since: none are compared then.
    """
    if before is None:
        return {"changed": [], "new": [], "accepted": [], "recounted": False}
    recounted = convention(before) != convention(sha)
    flops = table[table.measure == "flops"].pivot_table(
        index=["solver", "problem"], columns="commit", values="value"
    )
    old, new = (
        flops[name].dropna() if name in flops else flops.iloc[:, 0].iloc[:0]
        for name in (before, sha)
    )
    ratio = (new / old).dropna().iloc[: 0 if recounted else None]
    changed = ratio[(ratio - 1.0).abs() > 1e-9].groupby("solver").agg(["min", "max", "size"])
    reasons = accepted(before, sha)
    names = [set(table.solver[table.commit == name]) for name in (before, sha)]
    return {
        "changed": [
            dict(solver=r.Index, low=r.min, high=r.max, problems=r.size, word=verdict(r, reasons))
            for r in changed.itertuples()
        ],
        "new": sorted(names[1] - names[0]),
        "accepted": [vars(a) for a in reasons],
        "recounted": recounted,
    }


def verdict(change, reasons):
    """How the flops of a solver changed: "better", "worse", or "accepted" by a commit's message."""
    from .gate import WORSE

    if change.max <= WORSE:
        return "better" if change.min < 1.0 / WORSE else "same"
    return "accepted" if excuse(change.Index, "flops", reasons) else "worse"


def write(machine):
    """Draw the history of a machine and write its site; the site's path, None without results."""
    from . import site

    table = read(machine)
    if table.empty:
        return None
    commits = in_order(table)
    table = table[table.commit.isin([commit["sha"] for commit in commits])]  # those of this clone
    file = Path(RESULTS, machine, "machine.json")
    about = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    SITE.mkdir(parents=True, exist_ok=True)
    site.draw_history(table, commits, SITE / "history.svg")
    summary = {"machine": about, "commits": commits}
    (SITE / "history.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    return site.write(table, commits, about, SITE)
