"""Small charts of a solver's numbers over the commits, as paths that a page draws by itself."""

from dataclasses import dataclass

import numpy as np

from spcabench.claims.words import percent

WIDTH, HEIGHT, EDGE = 300, 60, 4
# what is drawn: its name, its unit, and whether ratios to the last number are drawn
CHARTS = {
    "flops": ("Flops", "", True),
    "seconds": ("Time", "", True),
    "memory": ("Memory of a run", "MB", False),
    "shortfall": ("Short of the best known", "%", False),
    "gap": ("Certified gap", "%", False),
}
UNITS = {"memory": 1e6, "shortfall": 0.01, "gap": 0.01}


@dataclass(frozen=True)
class Line:
    """A line of one problem: its path, and the points that were measured at their commit."""

    problem: int
    path: str
    points: str


@dataclass(frozen=True)
class Chart:
    """A measure of one solver: its lines, what the edges stand for, and where lines are cut."""

    measure: str
    name: str
    low: str
    high: str
    lines: tuple[Line, ...]
    cuts: tuple[float, ...]


def charts(part, shas, conventions, problems):
    """The charts of one solver.

    part : its rows of `history.read`; shas : the measured commits in turn, with the number of the
    convention of flops at each; problems : in the order of their colours.
    """
    return [
        chart(measure, part[part.measure == measure], shas, conventions, problems)
        for measure in CHARTS
        if (part.measure == measure).any()
    ]


def chart(measure, part, shas, conventions, problems):
    """One chart."""
    name, unit, relative = CHARTS[measure]
    wide = part.pivot_table(index="commit", columns="problem", values="value").reindex(shas)
    same = part.set_index(["commit", "problem"]).same
    values = {p: wide[p].to_numpy() / UNITS.get(measure, 1.0) for p in problems if p in wide}
    counted = np.array(conventions if measure == "flops" else [1] * len(shas))
    if relative:
        values = {p: relative_to_last(v, counted) for p, v in values.items()}
    every = np.concatenate(list(values.values()))
    low, high = np.nanmin(every), np.nanmax(every)
    x = np.linspace(EDGE, WIDTH - EDGE, len(shas)) if len(shas) > 1 else np.array([WIDTH / 2])
    y = {p: place(v, low, high, relative) for p, v in values.items()}
    lines = []
    for problem, height in y.items():
        own = [i for i, sha in enumerate(shas) if same.get((sha, problem), "taken") == ""]
        points = "".join(f"M{x[i]:.0f} {height[i]:.0f}h0" for i in own if np.isfinite(height[i]))
        lines.append(Line(problems.index(problem), path(x, height, counted), points))
    cuts = [(x[i - 1] + x[i]) / 2 for i in range(1, len(shas)) if counted[i] != counted[i - 1]]
    ends = (edge(value, unit, relative) for value in (low, high))
    return Chart(measure, name, *ends, tuple(lines), tuple(cuts))


def relative_to_last(values, counted):
    """Ratios to the last number that there is, of those that are counted by the same convention."""
    ratios = np.where(values > 0, values, np.nan)
    for number in set(counted):
        mine = (counted == number) & np.isfinite(ratios)
        if mine.any():
            ratios[mine] = ratios[mine] / ratios[mine][-1]
    return ratios


def place(values, low, high, logarithmic):
    """The heights of some values on a chart; in the middle where all are one."""
    if logarithmic:
        values, low, high = np.log(values), np.log(low), np.log(high)
    share = (values - low) / (high - low) if high - low > 1e-12 else 0.0 * values + 0.5
    return EDGE + (1.0 - share) * (HEIGHT - 2 * EDGE)


def path(x, y, counted):
    """A path with a break where there is no number, or where the convention of counting changes."""
    words, last = [], None
    for i, height in enumerate(y):
        if not np.isfinite(height):
            last = None
            continue
        here = (round(x[i]), round(height), counted[i])
        if last is None or last[2] != here[2]:
            words.append(f"M{here[0]} {here[1]}")
        elif last[1] == here[1]:
            if words[-1][0] == "H":  # a level piece goes on
                words.pop()
            words.append(f"H{here[0]}")
        else:
            words.append(f"L{here[0]} {here[1]}")
        last = here
    return "".join(words)


def edge(value, unit, relative):
    """What an edge of a chart stands for, in words."""
    if relative:
        return f"×{value:.3g}"
    return percent(value / 100) if unit == "%" else f"{value:.0f} {unit}"
