"""What asv measured at every commit, as one table; drawn, and handed to the pages."""

import json
from itertools import product
from pathlib import Path

from .commits import accepted, convention, git
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
    measure.
    """
    import pandas as pd
    from asv.results import iter_results_for_machine

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
    columns = ["commit", "solver", "problem", "measure", "value", "q25", "q75"]
    table = pd.DataFrame(rows, columns=columns)
    return (
        table.astype(dict.fromkeys(columns[4:], float))
        .dropna(subset="value")
        .reset_index(drop=True)
    )


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
    names = [set(table.solver[table.commit == name]) for name in (before, sha)]
    return {
        "changed": [
            dict(solver=r.Index, low=r.min, high=r.max, problems=r.size)
            for r in changed.itertuples()
        ],
        "new": sorted(names[1] - names[0]),
        "accepted": [vars(a) for a in accepted(before, sha)],
        "recounted": recounted,
    }


def write(machine):
    """Draw the history of a machine and write its site; the site's path, None without results."""
    from . import site

    table = read(machine)
    if table.empty:
        return None
    commits = in_order(table)
    table = table[table.commit.isin([commit["sha"] for commit in commits])]  # those of this clone
    about = json.loads(Path(RESULTS, machine, "machine.json").read_text(encoding="utf-8"))
    SITE.mkdir(parents=True, exist_ok=True)
    site.draw_history(table, commits, SITE / "history.svg")
    summary = {"machine": about, "commits": commits}
    (SITE / "history.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    return site.write(table, commits, about, SITE)
