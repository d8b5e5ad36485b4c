"""What the figures of He, Monteiro and Park (2010) share: trials at one cardinality."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np
import pandas as pd

from spcabench.claims import (
    Condition,
    Interval,
    Verdict,
    decided,
    over_problems,
    same_cardinality,
)
from spcabench.figures._readings import readings
from spcabench.figures._times import times
from spcabench.figures._truth import known, with_truth
from spcabench.run import Run
from spcabench.style import look

# GPower as its authors stop it: relative change of the objective
GPOWER: dict[str, Any] = dict(stop="objective", tol=1e-4, max_iterations=1000)
NAMES = {
    "gpower0": "GPower0",
    "gpower0 dense": "GPower0, dense centred",
    "scol": "Scol-PCA",
    "scol gram": "Scol-PCA, V'V given",
    "mcol": "Mcol-PCA",
    "mcol gram": "Mcol-PCA, V'V given",
}
# what a method's name says of its form, where it has several
FORMS = {"data": " dense", "covariance": " gram"}
OURS = ("scol", "mcol")
# readings of what the solvers are given, and the methods that these make
GIVEN = {"sparse data": "", "V'V given": " gram"}
DENSE = "GPower0 on dense centred data"
METHODS = ("gpower0", "gpower0 dense", "scol", "scol gram", "mcol", "mcol gram")
# Mcol-PCA's c as a share of s, beside the paper's s/10
LEVELS, LEVEL = (20, 50), "c = s/"
HOLLOW: dict[str, Any] = dict(linestyle="none", markerfacecolor="white", label=None)
# untimed rows whose method is their label, after the solver's name where there are two
UNCENTRED = "not centred"


def trial(
    dataset: str,
    parameters: dict[str, Any],
    k: float,
    solvers: tuple[str, ...],
    *,
    seed: int = 0,
    form: str = "sparse",
    matched: bool = False,
    dense: bool = False,
    gram: bool = False,
) -> Iterator[Run]:
    """GPower0 with its penalty searched for k nonzeros, then the other solvers.

    They run at k, or (``matched``) at the cardinality that GPower0 reached.

    k : cardinality, or below 1 a share of the variables.
    form : how all of them are given the data. dense : GPower0 on the dense centred matrix too. gram
        : the others also with the Gram matrix V'V given.
    """
    common: dict[str, Any] = dict(
        dataset=dataset, parameters=parameters, seed=seed, timed=True, label=str(k)
    )
    ours: dict[str, Any] = dict(match="gpower0") if matched else dict(settings=dict(k=k))
    yield Run(solver="gpower0", settings=dict(k=k, **GPOWER), form=form, **common)
    for given in (form, "covariance") if gram else (form,):
        for solver in solvers:
            yield Run(solver=solver, form=given, **ours, **common)
    if dense:
        yield Run(solver="gpower0", settings=dict(k=k, **GPOWER), form="data", **common)


def trials(table: pd.DataFrame) -> pd.DataFrame:
    """The timed rows with ``method``, ``total`` seconds, and the ``value`` compared.

    The untimed rows of `levels` are among them; their method is their label. Those of data that
    are not centred have it behind the solver's name.

    method : the solver, and its form where it has several.

    value : variance, for GPower0 after the refit that Scol-PCA and Mcol-PCA have as their second
        phase.
    """
    label = table.label.astype(str)
    timed = table[table.samples.notna() | label.str.startswith(LEVEL) | (label == UNCENTRED)]
    label = label[timed.index]
    level = label.str.startswith(LEVEL)
    mixed = timed.groupby(["group", "label", "solver"]).form.transform("nunique").gt(1)
    return timed.assign(
        method=(timed.solver + timed.form.map(FORMS).fillna("").where(mixed, ""))
        .where(~level, label)
        .where(label != UNCENTRED, timed.solver + f" {UNCENTRED}"),
        total=timed.setup_time + timed.solve_time,
        value=timed.variance.where(timed.solver != "gpower0", timed.variance_refit),
    )


def ratios(
    data: pd.DataFrame, slow: str, fast: str, column: str = "total"
) -> dict[float, Interval]:
    """For each x the median and interval of slow / fast, round by round on the same problem.

    Problems are resampled first, rounds second. A pair is left out where the cardinalities differ
    by more than 2 %. One round of one problem has no interval: whatever is claimed of its time is
    undecided.
    """
    key = ["x", "group", "seed", "repeat"]
    both = data[data.method == slow].merge(data[data.method == fast], on=key)
    both = both[same_cardinality(both.cardinality_x, both.cardinality_y)]
    both = both.assign(quotient=both[f"{column}_x"] / both[f"{column}_y"])
    found = {
        float(x): over_problems(rounds.quotient for _, rounds in of_x.groupby(["group", "seed"]))
        for x, of_x in both.groupby("x")
    }
    once = {x for x, of_x in both.groupby("x") if column == "total" and len(of_x) == 1}
    return {x: replace(v, low=0.0, high=np.inf) if x in once else v for x, v in found.items()}


def better(data: pd.DataFrame, method: str, other: str) -> tuple[Verdict, str]:
    """As `higher`, and how far both methods are below the optimum."""
    verdict, words = higher(data, method, other)
    below = (
        known(data).distance(data[data.method == m], "value", NAMES.get(m, m))
        for m in (method, other)
    )
    return verdict, "; ".join([words, *below])


def higher(data: pd.DataFrame, method: str, other: str) -> tuple[Verdict, str]:
    """Whether one method's value is higher than the other's on 80 % of the panel, ties apart."""
    differences = {x: v.median - 1.0 for x, v in ratios(data, method, other, "value").items()}
    clear = [d for d in differences.values() if abs(d) > 1e-6]
    if not differences:
        return "undecided", "no runs"
    share = float(np.mean([d > 0 for d in clear])) if clear else 0.0
    low, high = 100 * min(differences.values()), 100 * max(differences.values())
    spread = f"difference {low:+.2f} to {high:+.2f} %"
    ties = len(differences) - len(clear)
    words = f"higher at {100 * share:.0f} % of {len(clear)} places ({ties} ties); {spread}"
    return decided(share >= 0.8), words


def speedup(
    data: pd.DataFrame, fast: str, judge: Callable[[dict[float, Interval]], Verdict]
) -> tuple[Verdict, str]:
    """The verdict on time of GPower0 / time of a solver, in each reading that has runs.

    The solver on sparse data, the same with V'V given, and GPower0 on the dense centred matrix.
    """
    pairs = {name: ("gpower0", f"{fast}{form}") for name, form in GIVEN.items()}
    pairs[DENSE] = ("gpower0 dense", fast)
    found = {name: ratio for name, pair in pairs.items() if (ratio := ratios(data, *pair))}
    if not found:
        return "undecided", "no runs"
    verdicts = {name: judge(ratio) for name, ratio in found.items()}
    return readings(verdicts, {name: f"ratio {show(ratio)}" for name, ratio in found.items()})


def made_of(data: pd.DataFrame, fast: str) -> str:
    """What a ratio of times is made of, at the smallest and the largest size, as it was measured.

    That is the flops, iterations and seconds a flop of GPower0 over those of a solver.
    """
    parts, sizes = [], ""
    for name, form in GIVEN.items():
        places = sorted(ratios(data, "gpower0", f"{fast}{form}", "iterations"))
        if places:
            ends = (places[0], places[-1])
            sizes = listed(f"{x:g}" for x in ends)
            parts.append(f"{work_at(data, fast, form, ends)} ({name})")
    return f"At sizes {sizes} GPower0 makes {'; '.join(parts)}." if parts else ""


def work_at(data: pd.DataFrame, fast: str, form: str, places: Iterable[float]) -> str:
    """What GPower0's time over a solver's is made of at some x: "3 and 6 times the flops ..."."""
    work = (data.flops + data.setup_flops).astype(float)
    data = data.assign(work=work, rate=data.total / work)
    columns = ("work", "iterations", "rate")
    found = [ratios(data, "gpower0", f"{fast}{form}", column) for column in columns]
    flops, rounds, rate = (listed(f"{of[x].median:.2g}" for x in places) for of in found)
    return (
        f"{flops} times the flops of {NAMES[fast]} in {rounds} times the iterations, and a flop "
        f"takes it {rate} times as long"
    )


def listed(words: Iterable[str]) -> str:
    """Words as a sentence has them: "3 and 6", "1, 2 and 3"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def levels(common: dict[str, Any], k: int) -> Iterator[Run]:
    """Mcol-PCA with smaller c than the paper's, untimed, on sparse data."""
    for share in LEVELS:
        settings = dict(k=k, c=max(1, ceil(k / share)))
        yield Run(
            solver="mcol", settings=settings, form="sparse", label=f"{LEVEL}{share}", **common
        )


def at_levels(common: dict[str, Any], k: int) -> Iterator[Run]:
    """As `levels`, dense, at the cardinality that the GPower0 run before them reached."""
    for share in LEVELS:
        settings = dict(c=max(1, ceil(k / share)))
        yield Run(
            solver="mcol",
            settings=settings,
            form="data",
            match="gpower0",
            label=f"{LEVEL}{share}",
            **common,
        )


def by_level(data: pd.DataFrame) -> Iterator[Condition]:
    """Whether Mcol-PCA loses at most 5 % against Scol-PCA with a smaller c, as conditions."""
    key = ["dataset", "n", "seed", "asked"]
    scol = data[(data.method == "scol") & (data.repeat == 0)]
    scol = scol.assign(asked=scol.label)[[*key, "value", "cardinality"]]
    for share in LEVELS:
        mine = data[data.method == f"{LEVEL}{share}"]
        if mine.empty or scol.empty:
            continue
        mine = mine.assign(asked=[str(settings["k"]) for settings in mine.settings])
        both = mine.merge(scol, on=key)
        both = both[same_cardinality(both.cardinality_x, both.cardinality_y)]
        if len(both):
            loss = 100 * (1 - both.value_x / both.value_y)
            middle = loss.groupby(both.x).median()  # as in the test of the claim itself
            words = (
                f"loss at most {middle.max():.2f} % in the median at each place, "
                f"{loss.max():.2f} % in one of {len(both)} runs"
            )
            yield Condition(f"{LEVEL}{share}", decided(bool(middle.max() <= 5.0)), words)


def small_loss(data: pd.DataFrame, percent: float) -> tuple[Verdict, str]:
    """Whether Mcol-PCA's variance is at most so many percent below Scol-PCA's, at every x."""
    loss = {x: 100 * (1 - v.median) for x, v in ratios(data, "mcol", "scol", "value").items()}
    text = "; ".join(f"{x:g}: {v:.2f}" for x, v in loss.items())
    return decided(max(loss.values()) <= percent if loss else None), f"loss in %: {text}"


def show(found: dict[float, Interval]) -> str:
    """The medians at every x in one line."""
    return "; ".join(f"{x:g}: {v}" for x, v in found.items()) or "no runs"


def thirds(by_x: dict[float, Interval], which: str) -> dict[float, Interval]:
    """The lowest or the largest third of the x."""
    x = sorted(by_x)
    count = max(1, round(len(x) / 3))
    return {v: by_x[v] for v in (x[-count:] if which == "largest" else x[:count])}


def missed(mine: pd.DataFrame) -> pd.Series:
    """Which rows have a cardinality that a search found in place of the one asked for."""
    asked = mine.k.fillna(mine.cardinality)
    return ~same_cardinality(asked, mine.cardinality) & mine.search_runs.notna()


def broken(mine: pd.DataFrame, *series: pd.Series) -> tuple[np.ndarray, ...]:
    """The x and the values of series by x, for a line without what no run supports.

    Against the cardinality there is a gap where one was asked for between two points, and the
    search ended more than a tenth below it.
    """
    x = series[0].index.to_numpy()
    far = mine.wanted[mine.cardinality < 0.9 * mine.wanted] if "wanted" in mine else mine.x.iloc[:0]
    gaps = [i + 1 for i in range(len(x) - 1) if far.between(x[i], x[i + 1]).any()]
    return tuple(np.insert(v, gaps, np.nan) for v in (x, *(s.to_numpy() for s in series)))


def draw_line(axis, mine: pd.DataFrame, y: pd.Series, style: dict[str, Any]) -> None:
    """A line against x, hollow where the search missed the cardinality asked for."""
    axis.plot(*broken(mine, y), **style)
    off = missed(mine).groupby(mine.x).any()
    hollow = y[off.reindex(y.index).to_numpy(dtype=bool)]
    axis.plot(hollow.index, hollow, **style | HOLLOW)


def draw_times(axis, data: pd.DataFrame, methods: tuple[str, ...]) -> None:
    """Time of each method against x, with its band, as `times` says.

    The whole search of GPower0 is dotted and lighter.
    """
    for method in methods:
        mine = data[data.method == method]
        if mine.empty:
            continue
        style = look(method.partition(" ")[0]) | dict(alpha=0.45 if " " in method else 1.0)
        middle, low, high = times(mine)
        draw_line(axis, mine, middle, style | dict(label=NAMES[method]))
        axis.fill_between(*broken(mine, low, high), color=style["color"], alpha=0.2, linewidth=0)
        if method == "gpower0":
            whole = dict(linestyle=":", marker="", alpha=0.5, label="GPower0, whole search")
            draw_line(axis, mine, mine.groupby("x").search_time.median(), style | whole)
    axis.set(yscale="log", ylabel="time of a run, s")
    low, high = axis.get_ylim()
    axis.set_ylim(top=high * (high / low) ** 0.25)  # room for the legend
    axis.legend(loc="upper left", ncols=2)


def draw_values(axis, data: pd.DataFrame, methods: tuple[str, ...]) -> None:
    """Variance ||Vx||^2 of each method against x; a band above the curves is cut."""
    shown = [m for m in methods if " " not in m]
    for method in shown:
        mine = data[data.method == method]
        draw_line(
            axis, mine, mine.groupby("x").value.median(), look(method) | dict(label=NAMES[method])
        )
    value = data[data.method.isin(shown)].groupby("x").value
    if len(value) > 1:
        low, high = float(value.median().min()), float(value.median().max())
        axis.set_ylim(low - 0.08 * (high - low), high + 0.12 * (high - low))
    axis.set(ylabel="variance $\\|Vx\\|^2$")
    axis.legend()


@with_truth
def by_cardinality(table: pd.DataFrame) -> pd.DataFrame:
    """The timed rows by cardinality x: the median over problems of what GPower0 reached."""
    timed = trials(table)
    asked = pd.to_numeric(timed.label, errors="coerce")  # `trial` labels its runs by it
    leads = (timed.solver == "gpower0") & timed.form.ne("data")
    leads = leads if leads.any() else timed.solver == "gpower0"
    reached = timed.cardinality[leads].groupby(asked[leads]).median()
    x = asked.map(reached).fillna(timed.cardinality).astype(float)
    return timed.assign(x=x, wanted=asked.where(asked >= 1.0, asked * timed.n))


def draw_trade_off(data: pd.DataFrame, axes, methods: tuple[str, ...], **settings: Any) -> None:
    """Times in the first panel, variance in the second, against the cardinality."""
    draw_times(axes[0], data, methods)
    known(data).draw(axes[1])
    draw_values(axes[1], data, methods)
    for axis in axes:
        axis.set(**{"xlabel": "cardinality", **settings})
