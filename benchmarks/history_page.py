"""Write the page of the performance history, which works offline, and a picture of all changes.

``python -m benchmarks.history_page`` reads asv's results and writes to results/history.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

from spcabench.claims.words import counted, duration, percent
from spcabench.errors import InputError
from spcabench.page.math_html import compact

from . import changes, charts, results
from .commits import ROOT
from .measure import MEASURES
from .problems import PROBLEMS

FOLDER = ROOT / "results" / "history"
PUBLISHED = "epyc"  # the machine of the published history

# states of a solver at a commit; the map shows the first state that applies
STATES = {
    "worse": ("worse", "#D55E00", "v"),
    "accepted": ("worse, accepted by a commit message", "#E69F00", "d"),
    "better": ("better", "#0072B2", "^"),
    "new": ("new", "#1b1b1b", "*"),
    "measured": ("measured, all exact numbers unchanged", "#8a877f", "."),
    "counted": ("not measured again, because the code is unchanged", "#b0ada5", "|"),
}
MOST = 4  # maximum number of solvers named in the answer
RECENT = 10  # number of recent commits in the summary of each section


def state(solver, commit):
    """Return the state of a solver at a commit, a key of STATES."""
    exact = {c["word"] for c in changes_of(solver, commit) if c["measure"] in MEASURES}
    for word in ("worse", "accepted", "better"):
        if word in exact:
            return word
    if solver in commit["new"]:
        return "new"
    return "measured" if solver in commit["measured"] else "counted"


def changes_of(solver, commit):
    """Return all changes of a solver at a commit."""
    return [c for c in commit["changed"] + commit["also"] if c["solver"] == solver]


def draw_map(solvers, commits, file):
    """Draw a mark for every solver (rows) at every measured commit (columns).

    solvers : solver -> the commits at which it has numbers.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from spcabench import style
    from spcabench.page.light_svg import light

    with matplotlib.rc_context({**style.RC, "svg.fonttype": "none"}):
        size = (2.4 + 0.22 * max(len(commits), 20), 1.4 + 0.17 * max(len(solvers), 4))
        figure, axis = plt.subplots(figsize=size)
        for key, (label, colour, marker) in STATES.items():
            points = [
                (x, y)
                for y, (solver, shas) in enumerate(solvers.items())
                for x, commit in enumerate(commits)
                if commit["sha"] in shas and state(solver, commit) == key
            ]
            x, y = zip(*points, strict=True) if points else ((), ())
            axis.plot(x, y, marker, color=colour, label=label, markersize=5, linestyle="none")
        for x, commit in enumerate(commits):
            if commit["recounted"]:
                axis.axvline(x - 0.5, color="#1b1b1b", linewidth=0.8, linestyle=":")
        dress(axis, list(solvers), commits)
        figure.savefig(file, metadata={"Date": None})
        figure.savefig(file.with_suffix(".png"))
        plt.close(figure)
    file.write_text(light(file.read_text(encoding="utf-8")), encoding="utf-8")


def dress(axis, solvers, commits):
    """Add the names of solvers and commits to a map, and a legend."""
    axis.set_yticks(range(len(solvers)), solvers, fontsize=7)
    names = [commit["short"] for commit in commits]
    axis.set_xticks(range(len(commits)), names, rotation=60, ha="right", fontsize=7)
    axis.grid(False)
    axis.set(xlim=(-0.6, len(commits) - 0.4), ylim=(len(solvers) - 0.5, -0.5))
    axis.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncol=3, handletextpad=0.2)


def write(machine, folder=FOLDER):
    """Write index.html, its picture and history.json (the changes), and return the page's path."""
    from spcabench.page.render import render

    table = results.read(machine)
    commits = changes.by_commit(table)
    folder.mkdir(parents=True, exist_ok=True)
    of_solvers = table[table.solver != ""]
    added = charts.sums(of_solvers, {c["sha"]: c["convention"] for c in commits})
    summary = {
        "machine": results.described(machine),
        "answer": answer(added, commits),
        "commits": commits,
    }
    (folder / "history.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    problems = [problem for problem in PROBLEMS if (of_solvers.problem == problem).any()]
    by_solver = dict(iter(of_solvers.groupby("solver")))
    shas = {solver: set(part.commit) for solver, part in by_solver.items()}
    draw_map(shas, commits, folder / "history.svg")
    page = render(
        "history_page.html.j2",
        folder=Path(__file__).parent,
        **summary,
        problems=problems,
        sections=[
            section(solver, by_solver[solver], commits, problems, added[solver])
            for solver in charts.slower_first(added)
        ],
        others=first_and_last(table[table.solver == ""]),
        size=(charts.WIDTH, charts.HEIGHT),
        unit=units,
        ratio=ratio,
    )
    (folder / "index.html").write_text(page, encoding="utf-8")
    return folder / "index.html"


def answer(added, commits):
    """Return sentences that name the solvers that became slower since the first commit.

    added : see `charts.sums`.
    """
    last = commits[-1]["sha"]
    names = [name for name in charts.slower_first(added) if last in added[name].flops.index]
    names += [n for n in added if n not in names and last in added[n].time.index]
    words = {word: [n for n in names if added[n].word == word] for word in ("slower", "faster")}
    dearer = [n for n in names if added[n].dearer]
    slowest = ", ".join(f"{n} ×{added[n].ratio:.2g}" for n in words["slower"][:MOST])
    more = f" and {len(words['slower']) - MOST} more" if len(words["slower"]) > MOST else ""
    rose = ", ".join(f"{n} ×{added[n].flops_ratio:.2g}" for n in dearer)
    return (
        f"{len(words['slower'])} of {counted(len(names), 'solvers')} became slower by more than "
        f"the noise{': ' if slowest else ''}{slowest}{more}. {len(words['faster'])} became faster. "
        f"More flops: {rose or 'none'}."
    )


def section(solver, part, commits, problems, added):
    """Return the values for the section on a solver: changes, picture, and latest numbers.

    added : the accumulated changes of the solver (`charts.Sum`).
    """
    own = [commit for commit in commits if commit["sha"] in set(part.commit)]
    wide = part[part.commit == own[-1]["sha"]].pivot_table(
        index="problem", columns="measure", values="value"
    )
    return {
        "name": solver,
        "first": own[0],
        "last": own[-1],
        "gone": own[-1] is not commits[-1],
        "changes": [
            {
                "commit": commit,
                "changes": changes_of(solver, commit),
                "accepted": [a for a in commit["accepted"] if a["solver"] in (solver, "*")],
            }
            for commit in reversed(own)
            if changes_of(solver, commit) or solver in [a["solver"] for a in commit["accepted"]]
        ],
        "recent": recent(solver, own),
        "measured": sum(solver in commit["measured"] for commit in own),
        "commits": len(own),
        "added": added,
        "picture": charts.picture(added, [commit["sha"] for commit in commits]),
        "rows": [
            {"problem": p} | {m: UNITS[m](value) for m, value in wide.loc[p].dropna().items()}
            for p in problems
            if p in wide.index
        ],
    }


NAMES = {"seconds": "time", "shortfall": "short of the best known", "gap": "certified gap"}
UNITS = {
    "flops": compact,
    "iterations": compact,
    "gap": percent,
    "shortfall": percent,
    "seconds": duration,
    "memory": lambda value: f"{value / 1e6:.0f} MB",
}


def recent(solver, own):
    """Return the recent commits: how many have the solver, and those that changed its numbers."""
    last = own[-RECENT:]
    exact = [
        commit["short"]
        for commit in last
        if any(change["measure"] in MEASURES for change in changes_of(solver, commit))
    ]
    return {"count": len(last), "changed": exact, "from": last[0]["short"], "to": last[-1]["short"]}


def first_and_last(table):
    """Return the first and the last number of each benchmark that is not about a solver."""
    ends = table.groupby("measure").value.agg(["first", "last"])
    return [
        {"name": name, "first": row["first"], "last": row["last"]} for name, row in ends.iterrows()
    ]


def ratio(value):
    """Format a ratio with three digits, or with more if it would otherwise round to 1."""
    for digits in range(3, 10):
        text = np.format_float_positional(value, digits, fractional=False, trim="-")
        if text != "1":
            break
    return text


def units(change):
    """Describe a change as a ratio, or as a difference in percentage points or bytes."""
    measure, low, high = change["measure"], change["low"], change["high"]
    if measure == "memory":
        ends, unit = [f"{value / 1e6:+.0f}" for value in (low, high)], " MB"
    elif measure in ("gap", "shortfall"):
        ends, unit = [f"{100 * value:+.2g}" for value in (low, high)], " points"
    else:
        ends, unit = [f"×{ratio(value)}" for value in (low, high)], ""
    name = NAMES.get(measure, measure)
    return (
        f"{name} {ends[0]}{unit}" if ends[0] == ends[1] else f"{name} {ends[0]} to {ends[1]}{unit}"
    )


def main():
    """Write the page for a machine."""
    machines = sorted(file.parent.name for file in results.FOLDER.glob("*/machine.json"))
    parser = argparse.ArgumentParser(prog="make history", description=main.__doc__)
    parser.add_argument("--machine", default=PUBLISHED, help=f"one of {', '.join(machines)}")
    machine = parser.parse_args().machine
    if machine not in machines:
        sys.exit(f"no results for machine {machine!r}; there are results for {', '.join(machines)}")
    try:
        print(write(machine))
    except InputError as error:
        sys.exit(f"spcabench: {error}")


if __name__ == "__main__":
    main()
