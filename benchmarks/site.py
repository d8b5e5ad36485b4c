"""The site of the history: one page and its pictures, which need no network."""

from pathlib import Path

import numpy as np

from .problems import PROBLEMS

UNITS = {"flops": "flops", "seconds": "time, s", "memory": "peak memory, MB", "gap": "gap"}
GROUPS = ("cardinality given", "penalty given, or not sparse", "relaxations and exact searches")
SHOWN = ("gaussian-100", "gaussian-100", "spiked-40")  # of each group, in the history's picture


def group(solver):
    """The column that a solver is drawn in, by its traits; one that is no more is in the second."""
    from spcabench import registry

    if solver not in registry.names("solver"):
        return GROUPS[1]
    traits = registry.module("solver", solver).TRAITS
    if traits.relaxation or traits.exact:
        return GROUPS[2]
    return GROUPS[0] if traits.control == "cardinality" else GROUPS[1]


def draw_history(table, commits, file):
    """Draw the flops of every solver over the commits, and below them the times with quartiles."""
    columns, titles = [], []
    for name, wanted in zip(GROUPS, SHOWN, strict=True):
        mine = table[table.solver.map(group) == name]
        there = [problem for problem in (wanted, *PROBLEMS) if (mine.problem == problem).any()]
        if there:  # counts may be of some problems alone
            columns.append(mine[mine.problem == there[0]])
            titles.append(f"{name}\n{there[0]}")
    draw(columns, titles, present(table, ("flops", "seconds")), commits, file)


def present(table, measures):
    """The measures that the table has: counts alone have no times and no memory."""
    return [measure for measure in measures if (table.measure == measure).any()]


def draw_problem(table, problem, commits, file):
    """Flops, time and memory of every solver on one problem over the commits."""
    here = table[table.problem == problem]
    columns = [(g, here[here.solver.map(group) == g]) for g in GROUPS]
    columns = [(g, part) for g, part in columns if len(part)]
    draw(
        [part for _, part in columns],
        [g for g, _ in columns],
        present(here, ("flops", "seconds", "memory")),
        commits,
        file,
    )


def draw(columns, titles, measures, commits, file):
    """A grid: measures down, groups of solvers across, commits along the x axis."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from spcabench import style

    looks = style.many(solver for part in columns for solver in part.solver.unique())
    with matplotlib.rc_context(style.RC):
        size = (4.2 * len(columns), 2.6 * len(measures) + 1.9)
        figure, grid = plt.subplots(
            len(measures), len(columns), figsize=size, squeeze=False, sharex=True
        )
        for axes, part, title in zip(grid.T, columns, titles, strict=True):
            for axis, measure in zip(axes, measures, strict=True):
                draw_lines(axis, part[part.measure == measure], measure, commits, looks)
            axes[0].set_title(title)
            name_lines(axes)
        for axis, measure in zip(grid[:, 0], measures, strict=True):
            axis.set_ylabel(UNITS[measure])
        figure.savefig(file, metadata={"Date": None})
        figure.savefig(file.with_suffix(".png"))
        plt.close(figure)


def draw_lines(axis, part, measure, commits, looks):
    """Draw a line for each solver, and the quartiles of its times.

    A line ends where flops are counted by another convention.
    """
    place = {commit["sha"]: i for i, commit in enumerate(commits)}
    counted = {commit["sha"]: commit["convention"] for commit in commits}
    unit = 2.0**20 if measure == "memory" else 1.0
    part = part.assign(x=part.commit.map(place), convention=0).sort_values("x")
    if measure == "flops":
        part["convention"] = part.commit.map(counted)
    for (solver, _), mine in part.groupby(["solver", "convention"]):
        axis.plot(mine.x, mine.value / unit, label=solver, **looks[solver])
        if measure == "seconds":
            axis.fill_between(
                mine.x, mine.q25, mine.q75, color=looks[solver]["color"], alpha=0.2, linewidth=0
            )
    axis.set_xlim(-0.4, len(commits) - 0.6)
    axis.set_xticks(
        range(len(commits)),
        [commit["short"] for commit in commits],
        rotation=60,
        ha="right",
        fontsize=7,
    )
    if part.empty:
        axis.set_yticks([])
        axis.text(0.5, 0.5, "none at these commits", transform=axis.transAxes, ha="center")
    elif measure in ("flops", "seconds"):
        whole_decades(axis, part.value)


def whole_decades(axis, values):
    """A logarithmic y axis, labelled at the powers of ten."""
    from matplotlib.ticker import NullFormatter

    axis.set(
        yscale="log",
        ylim=(
            10.0 ** np.floor(np.log10(values.min())),
            10.0 ** np.ceil(np.log10(values.max()) + 1e-9),
        ),
    )
    axis.yaxis.set_minor_formatter(NullFormatter())


def name_lines(axes):
    """The solvers of a column, below it."""
    lines = {line.get_label(): line for axis in axes for line in axis.get_lines()}
    axes[-1].legend(lines.values(), lines, loc="upper center", bbox_to_anchor=(0.5, -0.32), ncol=2)


def draw_others(table, commits, file):
    """Corpus passes, import and overhead: one panel for each."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from spcabench import style

    others = table[table.solver == ""]
    names = sorted(set(others.measure))
    if not names:
        return
    place = {commit["sha"]: i for i, commit in enumerate(commits)}
    with matplotlib.rc_context(style.RC):
        rows = int(np.ceil(len(names) / 3))
        figure, grid = plt.subplots(rows, 3, figsize=(12.6, 2.4 * rows + 0.6), squeeze=False)
        for axis, name in zip(grid.flat, names, strict=False):
            mine = (
                others[others.measure == name]
                .assign(x=lambda t: t.commit.map(place))
                .sort_values("x")
            )
            axis.plot(mine.x, mine.value, "o-")
            axis.set(title=name, ylim=(0, 1.15 * mine.value.max()))
            axis.set_xticks(
                range(len(commits)),
                [c["short"] for c in commits],
                rotation=60,
                ha="right",
                fontsize=7,
            )
        for axis in grid.flat[len(names) :]:
            axis.set_axis_off()
        figure.savefig(file, metadata={"Date": None})
        plt.close(figure)


def latest(table, commits):
    """Solver -> problem -> flops, gap, seconds and memory at the last commit."""
    last = table[table.commit == commits[-1]["sha"]]
    wide = last[last.solver != ""].pivot_table(
        index=["solver", "problem"], columns="measure", values="value"
    )
    return [
        {"solver": s, "problem": p, **row.dropna().to_dict()} for (s, p), row in wide.iterrows()
    ]


def write(table, commits, about, folder):
    """Write index.html and its pictures into a folder; the page's path."""
    from spcabench.page.render import render

    problems = [problem for problem in PROBLEMS if (table.problem == problem).any()]
    for problem in problems:
        draw_problem(table, problem, commits, folder / f"{problem}.svg")
    draw_others(table, commits, folder / "others.svg")
    page = render(
        "site.html.j2",
        folder=Path(__file__).parent,
        commits=commits,
        machine=about,
        problems=problems,
        rows=latest(table, commits),
        others=(folder / "others.svg").exists(),
        timed=bool((table.measure == "seconds").any()),
        changed=sorted({s["solver"] for c in commits for s in c["changed"]}),
    )
    (folder / "index.html").write_text(page, encoding="utf-8")
    return folder / "index.html"
