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
    """A measure of one solver: its lines, the values at its edges, and where lines are cut."""

    measure: str
    name: str
    low: str
    high: str
    lines: tuple[Line, ...]
    cuts: tuple[float, ...]


def charts(part, commits, problems):
    """Return the charts of one solver.

    part : its rows of `results.read`; commits : as `changes.by_commit` gives them; problems : in
    the order of their colours.
    """
    return [
        chart(measure, part[part.measure == measure], commits, problems)
        for measure in CHARTS
        if (part.measure == measure).any()
    ]


def chart(measure, part, commits, problems):
    """Return one chart."""
    name, unit, relative = CHARTS[measure]
    shas = [commit["sha"] for commit in commits]
    wide = part.pivot_table(index="commit", columns="problem", values="value").reindex(shas)
    measured = np.isin(shas, part.commit[part.measured])
    values = {p: wide[p].to_numpy() / UNITS.get(measure, 1.0) for p in problems if p in wide}
    counted = np.array([c["convention"] if measure == "flops" else 1 for c in commits])
    if relative:
        values = {p: relative_to_last(v, counted) for p, v in values.items()}
    every = np.concatenate(list(values.values()))
    low, high = np.nanmin(every), np.nanmax(every)
    x = np.linspace(EDGE, WIDTH - EDGE, len(shas)) if len(shas) > 1 else np.array([WIDTH / 2])
    lines = []
    for problem, numbers in values.items():
        y = height_of(numbers, low, high, relative)
        dots = np.flatnonzero(measured & np.isfinite(y))
        points = "".join(f"M{x[i]:.0f} {y[i]:.0f}h0" for i in dots)
        lines.append(Line(problems.index(problem), path(x, y, counted), points))
    cuts = [(x[i] + x[i + 1]) / 2 for i in np.flatnonzero(np.diff(counted))]
    ends = (edge(value, unit, relative) for value in (low, high))
    return Chart(measure, name, *ends, tuple(lines), tuple(cuts))


def relative_to_last(values, counted):
    """Return ratios to the last number that is counted by the same convention."""
    ratios = np.where(values > 0, values, np.nan)
    for number in set(counted):
        alike = (counted == number) & np.isfinite(ratios)
        if alike.any():
            ratios[alike] = ratios[alike] / ratios[alike][-1]
    return ratios


def height_of(values, low, high, logarithmic):
    """Return the heights of some values on a chart; in the middle if all are equal."""
    if logarithmic:
        values, low, high = np.log(values), np.log(low), np.log(high)
    share = (values - low) / (high - low) if high - low > 1e-12 else 0.0 * values + 0.5
    return EDGE + (1.0 - share) * (HEIGHT - 2 * EDGE)


def path(x, y, counted):
    """Return a path with a break where a number is missing or the convention changes."""
    pieces, last = [], None
    for i, height in enumerate(y):
        if not np.isfinite(height):
            last = None
            continue
        here = (round(x[i]), round(height), counted[i])
        if last is None or last[2] != here[2]:
            pieces.append(f"M{here[0]} {here[1]}")
        elif last[1] == here[1]:
            if pieces[-1][0] == "H":  # a level piece goes on
                pieces.pop()
            pieces.append(f"H{here[0]}")
        else:
            pieces.append(f"L{here[0]} {here[1]}")
        last = here
    return "".join(pieces)


def edge(value, unit, relative):
    """Say the value at an edge of a chart."""
    if relative:
        return f"×{value:.3g}"
    return percent(value / 100) if unit == "%" else f"{value:.0f} {unit}"
