"""Write the page of the history: which solvers became slower or take more flops, and where.

``python -m benchmarks.history`` reads asv's results and writes results/history/index.html.
"""

import argparse
import json
import os
import sys
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pandas as pd

from .commits import MEASURES, ROOT, WORSE, accepted, conventions, git

RESULTS = Path(".asv/results")  # asv's results_dir
PAGE = Path("results/history/index.html")
PUBLISHED = "epyc"  # the machine of the published history
HARDWARE = ("cpu", "num_cpu", "ram")  # asv's names; times are compared if they agree
COVERAGE = 0.95  # fraction of the changes between commits with the same counts that is called noise
ENOUGH = 8  # number of such changes needed to estimate the noise of one solver
LEAST = np.log(1.001)  # smaller changes of the flops are attributed to rounding
FORMAT = "--format=%H%x00%h%x00%ad%x00%s"


def numbers_of(folder, machine):
    """Yield (commit, solver, problem, measure, number) for each number in asv's results.

    The number is None if the run failed, and NaN if the solver does not take the problem. The
    solver is "" or contains a dot if the benchmark is not about a solver.
    """
    from asv.results import iter_results_for_machine

    for result in iter_results_for_machine(str(folder), machine):
        for key in result.get_all_result_keys():
            params = result.get_result_params(key)
            solver, _, method = key.rpartition(".")
            values = result.get_result_value(key, params) or [None] * len([*product(*params)])
            for cell, number in zip(product(*params), values, strict=True):
                problem = cell[0].strip("'") if cell else ""
                yield result.commit_hash, solver, problem, method.removeprefix("track_"), number


def hardware_of(folder, machine):
    """Return commit -> hardware that measured it."""
    from asv.results import iter_results_for_machine

    results = iter_results_for_machine(str(folder), machine)
    return {r.commit_hash: [r.params.get(name) for name in HARDWARE] for r in results}


def read(machine, folder=RESULTS):
    """Return the numbers of a machine as a table, and its commits, the oldest first.

    The column ``place`` of the table is the position of the commit in the list. A commit is a dict
    with its hash, date, subject, hardware, flop convention, place among all commits, and the
    regressions that were accepted since the measured commit before it. Commits that this clone
    lacks are left out.
    """
    columns = ["commit", "solver", "problem", "measure", "value"]
    table = pd.DataFrame(numbers_of(folder, machine), columns=columns)
    table = table.astype({"value": float}).dropna()
    with_numbers = set(table.commit)
    measured = {c: h for c, h in hardware_of(folder, machine).items() if c in with_numbers}
    commits = []
    log = git("log", "--topo-order", "--reverse", "--date=short", FORMAT, "--all").splitlines()
    for age, line in enumerate(log):
        sha, short, date, subject = line.split("\0")
        if sha in measured:
            commits.append({"sha": sha, "short": short, "date": date, "subject": subject})
            commits[-1] |= {"age": age, "accepted": [], "hardware": measured[sha]}
            if commits[1:]:
                commits[-1]["accepted"] = accepted(commits[-2]["sha"], sha)
    rules = conventions([commit["sha"] for commit in commits])
    commits = [commit | {"convention": rules[commit["sha"]]} for commit in commits]
    place = {commit["sha"]: i for i, commit in enumerate(commits)}
    table = table.assign(place=table.commit.map(place)).dropna().astype({"place": int})
    return table, commits, {line[:40]: age for age, line in enumerate(log)}


def eras(places, commits, key):
    """Return the era of each place; an era ends where ``key`` of the commits changes."""
    values = pd.Series([commits[place][key] for place in places], places, object)
    return (values != values.shift()).cumsum()


def changes(numbers, measure, commits, key):
    """Return the logarithm of new / old at each place with a number, the mean over the problems.

    It is zero where there is no older number of the same era. The sum over some places of an era is
    the change from the place before to the last.

    numbers : the rows of one solver. key : of the commits, such that numbers are compared where it
        has the same value.
    """
    wide = numbers[(numbers.measure == measure) & (numbers.value > 0)]
    wide = np.log(wide.pivot(index="place", columns="problem", values="value"))
    era = eras(wide.index, commits, key)
    return wide.groupby(era).ffill().groupby(era).diff().mean(axis=1).fillna(0.0)


def noise_of(alike):
    """Return the size that 95 % of some changes do not exceed; 0 if there are none."""
    return float(np.quantile(np.abs(alike), COVERAGE)) if len(alike) else 0.0


def alike(numbers, commits):
    """Return the changes of the time between places with the same exact numbers and hardware."""
    time = changes(numbers, "time_solve", commits, "hardware")
    exact = numbers[numbers.measure.isin(MEASURES)]
    exact = exact.pivot(index="place", columns=["measure", "problem"], values="value")
    same = exact.reindex(time.index).diff().fillna(0.0).eq(0.0).all(axis=1)
    return time[same & eras(time.index, commits, "hardware").duplicated()].to_numpy()


def series_of(table, commits):
    """Return solver -> (changes of the flops, changes of the time, noise of a change of the time).

    Solvers that the last commit lacks are left out.
    """
    last = set(table.solver[table.place == len(commits) - 1])
    names = {name for name in last if name and "." not in name}
    parts = {name: part for name, part in table.groupby("solver") if name in names}
    same = {name: alike(part, commits) for name, part in parts.items()}
    pooled = noise_of(np.concatenate([*same.values()]))
    return {
        name: (
            changes(part, "flops", commits, "convention"),
            changes(part, "time_solve", commits, "hardware"),
            noise_of(same[name]) if len(same[name]) >= ENOUGH else pooled,
        )
        for name, part in parts.items()
    }


def since(start, series, commits):
    """Return a row for each solver whose flops or time changed after a place, the worst first.

    If the place is -1, each solver has a row, and is compared with its own first number. A row has
    the ratios new / old of flops and time, NaN if there is no earlier number, and the commits at
    which they changed.
    The word is "slower" or "faster" if the time changed by more than the noise.
    """
    rows = []
    for name, (flops, time, noise) in series.items():
        row = {"name": name, "noise": np.exp(noise), "word": ""}
        for measure, change, least in (("flops", flops, LEAST), ("time", time, noise)):
            new = change[change.index > start]
            known = len(change) > 0 and (start < 0 or len(new) < len(change))
            row[measure] = np.exp(new.sum()) if known else np.nan
            row[f"{measure} at"] = [
                at(commits[place], name, measure, log)
                for place, log in new.items()
                if known and abs(log) > least
            ]
        if abs(np.log(row["time"])) > noise:
            row["word"] = "slower" if row["time"] > 1.0 else "faster"
        if row["word"] or row["flops at"] or start < 0:
            rows.append(row)
    return sorted(rows, key=lambda row: -np.nanmax([row["flops"], row["time"], 0.0]))


def at(commit, solver, measure, log):
    """Return a commit, the ratio at it, and the reason if its message accepts a regression."""
    covering = [a.reason for a in commit["accepted"] if log > 0.0 and a.covers(solver, measure)]
    return commit | {"ratio": np.exp(log), "reason": "; ".join(covering)}


def answer(rows, count):
    """Return sentences that name the solvers that became slower, and those with more flops."""
    slower = [row for row in rows if row["word"] == "slower"]
    dearer = [row for row in rows if row["flops"] > WORSE]
    named = [
        ", ".join(f"{row['name']} ×{row[key]:.3g}" for row in some)
        for some, key in ((slower, "time"), (dearer, "flops"))
    ]
    named = [f" ({names})" if names else "" for names in named]
    faster = sum(row["word"] == "faster" for row in rows)
    return (
        f"Slower by more than the noise: {len(slower)} of {count} solvers{named[0]}; {faster} "
        f"became faster. More flops: {len(dearer)}{named[1]}."
    )


def sections(series, commits, ages):
    """Yield (title, commit, answer, rows) for each release, and for the first commits.

    A release is compared by the last measured commit that is not after it. It is left out if there
    is none, or if no measured commit is after it.
    """
    from spcabench.page.verify import releases

    starts = {}
    for version, sha in releases(Path()).items():
        before = [i for i, commit in enumerate(commits) if commit["age"] <= ages[sha]]
        starts |= {version: before[-1]} if 0 < len(before) < len(commits) else {}
    for title, start in {**starts, "the first commit of each solver": -1}.items():
        rows = since(start, series, commits)
        yield title, commits[start] if start >= 0 else None, answer(rows, len(series)), rows


def write(machine, page=PAGE):
    """Write the page of a machine and return its path."""
    from spcabench import registry
    from spcabench.page.cite import cite
    from spcabench.page.render import render

    table, commits, ages = read(machine)
    if not commits:
        raise ValueError(f"this clone has no commit with results for {machine}")
    series, last = series_of(table, commits), commits[-1]
    about = json.loads((RESULTS / machine / "machine.json").read_text(encoding="utf-8"))
    text = render(
        "history.html.j2",
        folder=Path(__file__).parent,
        commits=commits,
        sections=[*sections(series, commits, ages)],
        machine=machine,
        moved=[b["short"] for a, b in pairwise(commits) if a["hardware"] != b["hardware"]],
        solvers=registry.names("solver"),
        cite=cite({"machine": about, "commit": last["short"], "written": last["date"]}),
    )
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text, encoding="utf-8")
    return page


def main():
    """Write the page for a machine."""
    os.chdir(ROOT)
    machines = sorted(file.parent.name for file in RESULTS.glob("*/machine.json"))
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history", description=main.__doc__)
    parser.add_argument("--machine", default=PUBLISHED, choices=machines)
    try:
        print(write(parser.parse_args().machine))
    except ValueError as error:
        sys.exit(f"history: {error}")


if __name__ == "__main__":
    main()
