"""The site of the history: one page, which needs no network, and a picture of what changed when."""

from pathlib import Path

import numpy as np

from spcabench.claims.words import duration, percent
from spcabench.page.math_html import compact

from .changes import EXACT
from .lines import CHARTS, HEIGHT, WIDTH, charts
from .problems import PROBLEMS

# of a solver at a commit, the most telling first: what the map shows
STATES = {
    "worse": ("worse", "#D55E00", "v"),
    "accepted": ("worse, accepted by a commit's message", "#E69F00", "d"),
    "better": ("better", "#0072B2", "^"),
    "new": ("new", "#1b1b1b", "*"),
    "measured": ("measured, every exact number the same", "#8a877f", "."),
    "taken": ("same code as at another commit, taken over", "#b0ada5", "|"),
}
RECENT = 10  # commits of which a section says first what changed


def state(solver, commit):
    """What happened to a solver at a commit: a key of STATES; None where it is not there."""
    words = [c["word"] for c in said(solver, commit) if c["measure"] in EXACT]
    for word in ("worse", "accepted", "better"):
        if word in words:
            return word
    if solver in commit["new"]:
        return "new"
    return "taken" if solver in commit["taken"] else "measured"


def said(solver, commit):
    """All changes of a solver at a commit."""
    return [c for c in commit["changed"] + commit["also"] if c["solver"] == solver]


def draw_map(solvers, commits, file):
    """Draw a mark for every solver (down) at every measured commit (across).

    solvers : solver -> the commits that it has numbers at.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from spcabench import style
    from spcabench.page.light_svg import light

    with matplotlib.rc_context({**style.RC, "svg.fonttype": "none"}):
        size = (2.4 + 0.22 * max(len(commits), 20), 1.4 + 0.17 * max(len(solvers), 4))
        figure, axis = plt.subplots(figsize=size)
        for key, (words, colour, marker) in STATES.items():
            points = [
                (x, y)
                for y, (solver, there) in enumerate(solvers.items())
                for x, commit in enumerate(commits)
                if commit["sha"] in there and state(solver, commit) == key
            ]
            x, y = zip(*points, strict=True) if points else ((), ())
            axis.plot(x, y, marker, color=colour, label=words, markersize=5, linestyle="none")
        for x, commit in enumerate(commits):
            if commit["recounted"]:
                axis.axvline(x - 0.5, color="#1b1b1b", linewidth=0.8, linestyle=":")
        dress(axis, list(solvers), commits)
        figure.savefig(file, metadata={"Date": None})
        figure.savefig(file.with_suffix(".png"))
        plt.close(figure)
    file.write_text(light(file.read_text(encoding="utf-8")), encoding="utf-8")


def dress(axis, solvers, commits):
    """Names of solvers and commits at a map, and what its marks mean."""
    axis.set_yticks(range(len(solvers)), solvers, fontsize=7)
    names = [commit["short"] for commit in commits]
    axis.set_xticks(range(len(commits)), names, rotation=60, ha="right", fontsize=7)
    axis.grid(False)
    axis.set(xlim=(-0.6, len(commits) - 0.4), ylim=(len(solvers) - 0.5, -0.5))
    axis.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncol=3, handletextpad=0.2)


def write(table, commits, about, folder):
    """Write index.html and its picture into a folder; the page's path."""
    from spcabench.page.render import render

    there = [commit for commit in commits if "failed" not in commit]
    mine = table[table.solver != ""]
    problems = [problem for problem in PROBLEMS if (mine.problem == problem).any()]
    by_solver = {
        str(solver): set(part.commit) for solver, part in mine.groupby("solver", sort=True)
    }
    draw_map(by_solver, there, folder / "history.svg")
    page = render(
        "site.html.j2",
        folder=Path(__file__).parent,
        commits=commits,
        measured=there,
        machine=about,
        problems=problems,
        sections=[
            section(solver, mine[mine.solver == solver], there, problems) for solver in by_solver
        ],
        others=general(table, there),
        size=(WIDTH, HEIGHT),
        unit=units,
    )
    (folder / "index.html").write_text(page, encoding="utf-8")
    return folder / "index.html"


def section(solver, part, commits, problems):
    """What the page says of one solver: its changes, its charts, its numbers at the last commit."""
    own = [commit for commit in commits if commit["sha"] in set(part.commit)]
    shas = [commit["sha"] for commit in commits]
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
                "said": said(solver, commit),
                "accepted": [a for a in commit["accepted"] if a["solver"] in (solver, "*")],
            }
            for commit in reversed(own)
            if said(solver, commit) or solver in [a["solver"] for a in commit["accepted"]]
        ],
        "recent": recent(solver, own),
        "taken": sum(solver in commit["taken"] for commit in own),
        "commits": len(own),
        "charts": charts(part, shas, [commit["convention"] for commit in commits], problems),
        "rows": [
            {"problem": p, **in_words(wide.loc[p].dropna())} for p in problems if p in wide.index
        ],
    }


WORDS = {
    "flops": compact,
    "iterations": compact,
    "gap": percent,
    "shortfall": percent,
    "seconds": duration,
    "memory": lambda value: f"{value / 1e6:.0f} MB",
}


def in_words(numbers):
    """The numbers of a problem by measure, in the units that people use."""
    return {measure: WORDS[measure](value) for measure, value in numbers.items()}


def recent(solver, own):
    """What happened at the last commits that have a solver: how many, and at which what changed."""
    last = own[-RECENT:]
    exact = [
        commit["short"]
        for commit in last
        if any(change["measure"] in EXACT for change in said(solver, commit))
    ]
    return {"count": len(last), "changed": exact, "from": last[0]["short"], "to": last[-1]["short"]}


def general(table, commits):
    """What is measured without a solver: name, and its first and its last number."""
    found = []
    for name, part in table[table.solver == ""].groupby("measure"):
        values = part.set_index("commit").value.reindex([c["sha"] for c in commits]).dropna()
        found.append({"name": name, "first": values.iloc[0], "last": values.iloc[-1]})
    return found


def ratio(value):
    """A ratio to three digits, or to as many as show that it is not one."""
    for digits in range(3, 10):
        word = np.format_float_positional(value, digits, fractional=False, trim="-")
        if word != "1":
            break
    return word


def units(change):
    """A change in words: a ratio, or a difference of shares or of bytes."""
    measure, low, high = change["measure"], change["low"], change["high"]
    if measure == "memory":
        ends, unit = [f"{value / 1e6:+.0f}" for value in (low, high)], " MB"
    elif measure in ("gap", "shortfall"):
        ends, unit = [f"{100 * value:+.2g}" for value in (low, high)], " points"
    else:
        ends, unit = [f"×{ratio(value)}" for value in (low, high)], ""
    name = CHARTS.get(measure, (measure,))[0].lower()
    return (
        f"{name} {ends[0]}{unit}" if ends[0] == ends[1] else f"{name} {ends[0]} to {ends[1]}{unit}"
    )
