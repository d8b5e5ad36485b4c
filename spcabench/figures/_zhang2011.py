"""Shared code for the figures of Zhang and El Ghaoui (2011): corpora, times, and variances."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from spcabench import claims
from spcabench.claims.words import counted, span
from spcabench.figures._times import times
from spcabench.run import Run
from spcabench.style import GREY, LETTERS, look, mark_level, name_lines

FAMILIES = {"gaussian": "Gaussian, $\\Sigma = F^TF$", "spiked": "spiked, $\\Sigma = uu^T + VV^T/m$"}
ORDERS = {"nytimes": 500, "pubmed": 1000}  # orders of the covariances in the paper
ASKED = ("nytimes", "pubmed", "nips")  # we added the last corpus
CORPORA = {"nytimes": "NYTimes", "pubmed": "PubMed", "nips": "NIPS", "kos": "KOS", "ap": "AP"}
SHADES = ("#D55E00", "#7A3600", "#F2A26B")  # of the colour of BCA
SIMULATED = dict(m=300_000, n=102_660)  # number of documents and words of NYTimes

LARGE: dict[str, Any] = dict(
    over=claims.every("corpora"),
    primary="corpora of the published size",
    why="the sentence is about corpora of a size that is not available",
)
COST: dict[str, Any] = LARGE | dict(
    pending="It needs a run on a simulated corpus of 300,000 documents with 102,660 words.",
)
# statements about variances need real data, because the simulated variances were prescribed
CONTENT: dict[str, Any] = LARGE | dict(
    pending="It needs NYTimes or PubMed itself: the variances of the simulated corpus are "
    "calibrated, so it would test our generator.",
)


def penalty(family: str, n: int) -> float:
    """Return the penalty that the figures use for a family and a size."""
    return float(
        # the largest of n noise entries is about sqrt(log n) standard deviations, so few variables
        # survive this penalty
        0.58 * np.sqrt(np.log(n)) * (np.sqrt(n) if family == "gaussian" else 1.0 / np.sqrt(n))
    )


def source(family: str, n: int, seed: int) -> dict[str, Any]:
    """Return the arguments of `Run` that specify a problem."""
    # the covariance is the input, because neither algorithm includes forming it
    size = dict(m=n, n=n) if family == "gaussian" else dict(n=n)
    return dict(dataset=family, parameters=dict(**size, seed=seed), seed=seed, form="covariance")


def corpus_name(row: Any) -> str:
    """Return the corpus of a row, such as "NIPS", or "KOS for NYTimes" if KOS is a stand-in."""
    requested = re.split(r"\W", row.problem, maxsplit=1)[0]
    other = re.search(r"stand-in: (\w+)", row.problem)
    names = [CORPORA.get(name, name) for name in ([other[1], requested] if other else [requested])]
    return " for ".join(names)


def corpora(data: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of corpora with their names; ``simulated`` marks generated corpora."""
    rows = data[data.label.isin([*ASKED, "simulated"])]
    names = [corpus_name(row) for row in rows.itertuples()]
    return rows.assign(corpus=names, simulated=rows.label.eq("simulated"))


def simulated_corpus(scale: str, function: Callable[..., Any], **options: Any) -> Run:
    """Run a function on the simulated corpus; at the quick scale, on a tenth of it."""
    size = {name: count // (1 if scale == "paper" else 10) for name, count in SIMULATED.items()}
    return Run(
        dataset="simulated_corpus", parameters=size, function=function, label="simulated", **options
    )


def by_size_of_corpus(
    data: pd.DataFrame, *, cost: bool = False
) -> Iterator[tuple[str, pd.DataFrame]]:
    """For statements about corpora as large as the paper's, yield each reading with its rows.

    Real corpora of the published size come first, if they are available. A simulated corpus is
    included if the statement is about cost; otherwise, it is marked as a stand-in, which cannot
    settle the statement.
    """
    rows = corpora(data)
    # KOS is far smaller than NYTimes, so times on KOS say nothing about the paper's times
    real = rows.label.isin(ORDERS) & ~rows.stand_in.eq(True)
    large = real | rows.simulated if cost else real
    if large.any():
        yield LARGE["primary"], rows[large]
    if not cost and rows.simulated.any():
        yield "simulated corpus", rows[rows.simulated].assign(stand_in=True)
    yield "corpora at hand", rows[rows.label.isin(ORDERS)]


def as_real(data: pd.DataFrame) -> pd.DataFrame:
    """Return each corpus once, marked as real data, for statements that do not name a corpus."""
    rows = corpora(data[data.label.isin(ASKED)])
    names = [name.partition(" for ")[0] for name in rows.corpus]
    return rows.assign(corpus=names, stand_in=False).drop_duplicates("corpus")


def timed(table: pd.DataFrame) -> pd.DataFrame:
    """Return the timed rows with ``x`` = n, ``total`` seconds, and whether the gap was ``reached``.

    If a run did not reach the gap, its time is at least the time limit.
    """
    rows = table[table.samples.notna()]
    goal, limit = (
        rows.settings.map(lambda s, key=key: s[key]).astype(float) for key in ("tol", "time_limit")
    )
    # the gap is recomputed outside the solver, with a different order of summation
    reached = rows.relaxation_gap.astype(float) <= 1.01 * goal
    total = (rows.setup_time + rows.solve_time).astype(float)
    if "long" in rows:
        # these runs take hours on a shared machine, whose other load would distort elapsed times
        total = total.where(~rows.long, rows.cpu_time.astype(float))
    return rows.assign(
        x=rows.n.astype(float),
        reached=reached,
        # at least the limit, because the speedup must be a valid bound
        total=total.where(reached, np.maximum(total, limit)),
        limit=limit,
    )


def with_long_runs(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with ``long``; long runs replace a method's other timed runs on a problem.

    A long run is used only if there is a long run of both BCA and DSPCA on its problem, because the
    two times are compared, and the time of a long run is processor time.
    """
    problem = ["dataset", "x", "seed"]
    long = rows.label == "long"
    methods = rows[long].groupby(problem).method.agg(set)
    complete = {of for of, made in methods.items() if {"dspca", "bca"} <= made}
    of_problem = pd.Series([*rows[problem].itertuples(index=False, name=None)], rows.index)
    # a long run that turned out to be short can have further rounds, which repeat its time
    used = long & of_problem.isin(complete) & rows.repeat.eq(0)
    runs = pd.Series([*zip(of_problem, rows.method, strict=True)], rows.index)
    replaced = (rows.label == "time") & runs.isin({*runs[used]})
    rows = rows.assign(long=long, label=rows.label.where(~used, "time"))
    return rows[~replaced & (~long | used)]


def long_runs(rows: pd.DataFrame) -> str:
    """Describe how long runs differ from the other timed runs; empty if there are no long runs."""
    long = rows[rows.long]
    if long.empty:
        return ""
    return (
        f"{counted(len(long), 'runs')} at n = {span(long.x)} had no limit: single ones, in "
        f"processor seconds, of {span(long.total, 's')}; they waited {span(long.waited, 'share')} "
        "of their time for a processor."
    )


def speedups(rows: pd.DataFrame, slow: str, fast: str) -> list[claims.Place]:
    """Return the mean ratio of the times of ``slow`` and ``fast``, for each family and n.

    Rounds are reduced to their median. A problem is left out if neither method reached the gap.
    """
    key = ["dataset", "x", "seed"]
    pairs = rows[rows.method == slow].merge(rows[rows.method == fast], on=[*key, "repeat"])
    # if both times hit the same limit, their ratio is 1, whatever the true ratio is
    pairs = pairs[pairs.reached_x | pairs.reached_y]
    ratio = pairs.assign(ratio=pairs.total_x / pairs.total_y)
    # the true ratio is larger if only the slow method hit the limit, smaller if only the fast one
    # did
    ratio = ratio.assign(more=~pairs.reached_x, less=~pairs.reached_y)
    reduced = ratio.groupby(key, as_index=False).agg(dict(ratio="median", more="any", less="any"))
    return by_family(reduced, _speedup)


def by_family(
    rows: pd.DataFrame, measure: Callable[[pd.DataFrame], claims.Measured]
) -> list[claims.Place]:
    """Return a place for each size of each family, measured on the rows of this size."""
    places = (
        claims.places(part, "x", measure, f"{name}, n = {{:g}}") for name, part in families(rows)
    )
    return [place for family in places for place in family]


def families(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the name and the rows of each family that occurs in the rows."""
    return [
        (title.partition(",")[0], part)
        for family, title in FAMILIES.items()
        if len(part := rows[rows.dataset == family])
    ]


def _speedup(problems: pd.DataFrame) -> claims.Measured:
    """Return the mean ratio over problems, or a bound on it if runs of one method hit the limit."""
    slow, fast = problems.more.any(), problems.less.any()
    if slow and fast:
        return claims.exact(np.nan)
    bound: dict[str, Any] = (
        dict(censored="more") if slow else dict(censored="less", bound="at most")
    )
    return claims.geometric_mean(problems, "ratio", "seed", **bound)


def sweeps(rows: pd.DataFrame) -> list[claims.Place]:
    """Return the mean number of sweeps until the gap is reached, for each family and n."""
    # the sweeps of an interrupted run are a lower bound
    once = rows.assign(missed=~rows.reached)
    return by_family(
        once, lambda of: claims.geometric_mean(of, "iterations", "seed", censored="missed")
    )


def growth(rows: pd.DataFrame, part: str) -> Iterator[claims.Place]:
    """Yield the mean exponent with which the flops per sweep grow with n, for each family."""
    for family, selected in families(rows.assign(cost=rows.flops / rows.iterations)):
        powers = [dict(seed=i, power=exponent(of.x, of.cost)) for i, of in selected.groupby("seed")]
        yield claims.Place(
            family, claims.mean(pd.DataFrame(powers), "power", "seed", "seeds"), part=part
        )


def exponent(x: pd.Series, y: pd.Series) -> float:
    """Return the exponent with which the median of y grows with x; NaN for fewer than 3 sizes."""
    middle = y.groupby(x).median()
    return claims.slope(middle.index, middle) if len(middle) >= 3 else float("nan")


def draw_times(axis: Any, rows: pd.DataFrame, names: dict[str, str]) -> None:
    """Plot the time of each method against n, with the band computed by `times`.

    An arrow marks a size at which runs were stopped at the time limit.
    """
    if len(rows):
        limit = rows.limit.min()
        mark_level(axis, limit, f"time limit, {limit:g} s")
        by_size(axis, rows.x)
    for method, name in names.items():
        part = rows[rows.method == method]
        if len(part):
            _draw_method(axis, part, name, styled(method))
    axis.set(yscale="log", ylabel="time to a certified gap of $10^{-2}$, s", xlabel="size n")
    name_lines(axis)


def styled(method: str) -> dict[str, Any]:
    """Return the style of a method; variants of a solver have dashed lines and open markers."""
    solver, _, variant = method.partition(" ")
    return look(solver) | (dict(linestyle="--", markerfacecolor="white") if variant else {})


def _draw_method(axis: Any, rows: pd.DataFrame, name: str, style: dict[str, Any]) -> None:
    """Plot the times of one method."""
    time, low, high = times(rows)
    reached = rows.groupby("x").reached.all()
    # the flops of interrupted runs do not grow with n
    growth = exponent(rows.x[rows.reached], rows.flops[rows.reached])
    label = name if np.isnan(growth) else f"{name}, $n^{{{growth:.1f}}}$"
    marks = [int(i) for i in np.flatnonzero(reached)]
    axis.plot(time.index, time, markevery=marks, label=label, **style)
    arrow = dict(color=style["color"], marker="$\\uparrow$", markersize=11, linestyle="none")
    # an arrow replaces the marker, because the time is only a lower bound
    axis.plot(time.index[~reached], 1.35 * time[~reached], **arrow)
    axis.fill_between(low.index, low, high, color=style["color"], alpha=0.2, linewidth=0)


def draw_sweeps(axis: Any, data: pd.DataFrame, goal: float) -> None:
    """Plot the certified gap after five sweeps against n, for each penalty and family."""
    labels = sorted({label for label in data.label if label.startswith("sweeps")})
    for (family, rows), dashes in zip(families(data), ("-", "--"), strict=False):
        for label, marker in zip(labels, "os^", strict=False):
            five = rows[rows.label == label].sort_values("x")
            name = f"{family}, {label.partition(' ')[2] or '1'} x penalty"
            style = styled("bca") | dict(linestyle=dashes, marker=marker, markersize=4)
            # all lines show the same method: shade and marker identify the penalty
            style |= dict(color=SHADES[labels.index(label)])
            axis.plot(five.x, five.relaxation_gap, label=name, **style)
    mark_level(axis, goal, f"gap of {100 * goal:g} %")
    axis.set(yscale="log", ylabel="certified gap after 5 sweeps of BCA")
    gaps = data.relaxation_gap[data.label.isin(labels)]
    reached = f"{(gaps <= goal).sum()} of {len(gaps)} runs"
    axis.set_title(f"five sweeps reach a gap of {100 * goal:g} % in {reached}")
    by_size(axis, data.x[data.label == "sweeps"])
    name_lines(axis)


def by_size(axis, sizes: pd.Series) -> None:
    """Make the x axis logarithmic, with the sizes as ticks."""
    axis.set(xscale="log", xlabel="size n")
    axis.set_xticks(sorted(set(sizes.astype(int))), minor=False)
    axis.set_xticks([], minor=True)
    axis.xaxis.set_major_formatter("{x:.0f}")


def compared(
    data: pd.DataFrame, baselines: dict[str, str], reference: str = "bca_continuation"
) -> pd.DataFrame:
    """Divide the refitted variance of each baseline by the reference's, for each problem and k.

    The ratio is missing if the cardinalities differ.
    """
    rows, key = data[data.label.str.startswith("quality")], ["dataset", "seed", "label"]
    # refitted, because the relaxation shrinks its vector and serves to find the support
    variance, count = (
        rows.pivot_table(index=key, columns="solver", values=v)
        for v in ("variance_refit", "cardinality")
    )
    if reference not in variance:
        return pd.DataFrame()
    # more variables explain more variance, so only equal cardinalities are compared
    ratio = variance.div(variance[reference], axis=0).where(count.eq(count[reference], axis=0))
    return ratio.reindex(columns=list(baselines))


def draw_quality(axis, ratio: pd.DataFrame, baselines: dict[str, str]) -> None:
    """Plot the ratios of each baseline side by side, and their median.

    All points are grey, because the axis names the baselines, and the colours identify other
    solvers in the other panels.
    """
    for place, solver in enumerate(s for s in baselines if s in ratio):
        values = ratio[solver].dropna()
        style = look(solver) | dict(color=GREY, linestyle="none", markersize=3, alpha=0.8)
        # hundreds of vectors would make the SVG too large for the page
        across = place + np.linspace(-0.25, 0.25, len(values))
        axis.plot(across, values, rasterized=True, **style)
        axis.plot([place - 0.3, place + 0.3], 2 * [values.median()], color="black", linewidth=1.2)
    axis.axhline(1.0, color="black", linewidth=0.8, linestyle=":")
    # beside the panel, because the points cover its whole width
    style = dict(transform=axis.get_yaxis_transform(), va="center", fontsize=LETTERS)
    axis.text(1.01, 1.0, "as much", **style)
    shown = [solver for solver in baselines if solver in ratio]
    below = [100 * (ratio[solver].dropna() < 1).mean() for solver in shown]
    names = [baselines[solver].replace(" ", "\n") for solver in shown]
    told = [f"{share:.0f} %\n{name}" for share, name in zip(below, names, strict=True)]
    axis.set_xticks(range(len(shown)), told)
    if below:
        axis.set_title(f"less variance than the relaxation in {span(below, '%')} of the runs")
    axis.set(ylabel="refitted variance / the relaxation's")
