"""Shared code for the figures of He, Monteiro and Park (2010): trials with equal cardinality."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any

import numpy as np
import pandas as pd

from spcabench import api, claims
from spcabench.claims.words import listed, number, span
from spcabench.figures._times import times
from spcabench.figures._truth import truth_of, with_truth
from spcabench.problem.problem import Problem
from spcabench.run import Run
from spcabench.solving.result import refitted
from spcabench.style import look, name_lines, plain_log_ticks

# stopping rule of GPower's authors: the relative change in the objective
GPOWER: dict[str, Any] = dict(stop="objective", tol=1e-4, max_iterations=1000)
NAMES = {
    "gpower0": "GPower0",
    "gpower0 dense": "GPower0, dense centred",
    "scol": "Scol-PCA",
    "scol gram": "Scol-PCA, V'V given",
    "mcol": "Mcol-PCA",
    "mcol gram": "Mcol-PCA, V'V given",
}
# appended to a method's name if the method was run in several forms
FORMS = {"data": " dense", "covariance": " gram"}
OURS = ("scol", "mcol")
DENSE, GRAM = "GPower0 on the dense centred matrix", "V'V given"
# the data are converted before timing, and every solver is as accurate as GPower0
ALIKE, ALIKE_ROUNDS, ALIKE_TOL = "alike", 7, 1e-4
# processor time of whole runs of one solver, with several cardinalities that take turns
IN_TURNS = "in turns"
VALUES = "values"  # variances without times
# maximum number of processes that are ready to run: above it, too many processes share caches and
# memory with the timed process (for rows published before this rule, the number is at most 2.46)
QUIET = 2.5
BUSY = "busy machine"
WHOLE = f"{DENSE}, conversion timed, second phase to 1e-9"
WHY = (
    "section 2.3 gives Scol-PCA and Mcol-PCA the sparse W; the code of GPower's authors takes the "
    "centred matrix, which is dense"
)
# reading -> suffix of the method names of Scol-PCA and Mcol-PCA
GIVEN = {"sparse data": "", GRAM: " gram"}
EQUAL = "; whole runs decide only until there are rows with one tolerance and untimed conversion"
PROBLEMS = 8  # number of matrices of each size on which processor times are compared
MORE = f"; three matrices of each size left it undecided, so {PROBLEMS} were run"
OF_OURS = "section 2.3: the algorithms take the sparse W, without forming V"
UNTIMED = "The time to compute V'V is not counted."
PAPERS_C = "c = s/10"
# options shared by the statements about speed, and by those about the loss of Mcol-PCA
SPEED: dict[str, Any] = dict(kind="comparison", unit="times", timed=True)
AGAINST_GPOWER = SPEED | dict(primary=DENSE, why=WHY)
LOSS: dict[str, Any] = dict(
    kind="comparison",
    measures="variance that Mcol-PCA loses against Scol-PCA",
    unit="%",
    rule=claims.at_most(5),
    primary=PAPERS_C,
    why="section 2.3: in our computational experiments, we set c = s/10; at most 5 % is our "
    "reading of 'little' and 'acceptable'",
)
METHODS = ("gpower0", "gpower0 dense", "scol", "scol gram", "mcol", "mcol gram")
# further values of Mcol-PCA's c, as divisors of s; the paper's divisor is 10
LEVELS, LEVEL = (20, 50), "c = s/"
# other settings that are changed, with the paper's c: label of the runs -> settings
CHANGED: dict[str, dict[str, Any]] = {
    f"{PAPERS_C}, first column alone": dict(first_alone=True),
    f"{PAPERS_C}, second phase to 1e-4": dict(second_tol=ALIKE_TOL),
}
HOLLOW: dict[str, Any] = dict(linestyle="none", markerfacecolor="white", label=None)
# label of untimed rows on data that are not centred; it follows the solver's name in the method
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
    """Run GPower0 with a penalty found by a search for k nonzeros, and then the other solvers.

    The other solvers run with cardinality k or, if ``matched``, with the cardinality that GPower0
    reached.

    k : cardinality, or a fraction of the variables if below 1. form : form in which all solvers
    receive the data. dense : whether GPower0 also runs on the dense centred matrix. gram : whether
    the other solvers also run on the Gram matrix V'V.
    """
    common: dict[str, Any] = dict(
        dataset=dataset, parameters=parameters, seed=seed, timed=True, label=str(k)
    )
    # GPower0 can miss k, but all three solvers must be compared with the same cardinality
    ours: dict[str, Any] = dict(match="gpower0") if matched else dict(settings=dict(k=k))
    # GPower0 runs first, because the other solvers match its cardinality
    yield Run(solver="gpower0", settings=dict(k=k, **GPOWER), form=form, **common)
    for supplied in (form, "covariance") if gram else (form,):
        for solver in solvers:
            yield Run(solver=solver, form=supplied, **ours, **common)
    if dense:
        yield Run(solver="gpower0", settings=dict(k=k, **GPOWER), form="data", **common)


def trials(table: pd.DataFrame) -> pd.DataFrame:
    """Return the timed rows with the columns ``method``, ``total`` and ``value``.

    The untimed rows of `levels` and the untimed rows on data that are not centred are included.

    method : the solver, with the form of the data if the solver ran on several forms; for rows of
    `levels` the label, and for data that are not centred the solver and the label. total : seconds.
    value : the variance to compare. For GPower0 it is the variance after a refit, because the
    second phase of Scol-PCA and Mcol-PCA is a refit.
    """
    label = table.label.astype(str)
    timed = table[table.samples.notna() | label.str.startswith(LEVEL) | (label == UNCENTRED)]
    label = label[timed.index]
    level = label.str.startswith(LEVEL)
    # the form is part of the name only if a solver was run on several forms
    mixed = timed.groupby(["group", "label", "solver"]).form.transform("nunique").gt(1)
    timed = timed.assign(
        method=(timed.solver + timed.form.map(FORMS).fillna("").where(mixed, ""))
        .where(~level, label)
        .where(label != UNCENTRED, timed.solver + f" {UNCENTRED}"),
        total=timed.setup_time + timed.solve_time,
        value=timed.variance.where(timed.solver != "gpower0", timed.variance_refit),
    )
    rounds = as_trials(table)
    return pd.concat([timed, rounds], ignore_index=True) if len(rounds) else timed


def same_cardinality(first: pd.Series, second: pd.Series, slack: float = 0.02) -> pd.Series:
    """Mark the pairs that can be compared because their cardinalities differ by at most 2 %."""
    # more variables explain more variance and take longer, so the cardinalities must agree
    return (first - second).abs() <= slack * np.maximum(first, second)


def paired(data: pd.DataFrame, method: str, rival: str, column: str = "total") -> pd.DataFrame:
    """Pair the rounds of two methods on the same problem with the same cardinality.

    The rows contain the columns of the first method, the ``quotient`` of the two methods' values of
    ``column``, rounded to six digits, and the ``loss``, 1 - quotient in percent.
    """
    key = ["x", "seed", "repeat"]
    rivals = data.loc[data.method == rival, [*key, "cardinality", column]]
    both = data[data.method == method].merge(rivals, on=key, suffixes=("", "_other"))
    both = both[same_cardinality(both.cardinality, both.cardinality_other)]
    quotient = (both[column] / both[f"{column}_other"]).astype(float)
    # answers that agree to six digits differ only by rounding, so they are tied
    return both.assign(quotient=quotient.round(6), loss=100 * (1 - quotient))


def over_problems(rows: pd.DataFrame) -> claims.Measured:
    """Return the geometric mean over problems; each problem contributes its rounds' median."""
    # rounds on one problem are not replicates, so they are reduced to their median
    middle = rows.groupby("seed").quotient.transform("median")
    return claims.geometric_mean(rows.assign(quotient=middle), "quotient", over="seed")


def over_rounds(rows: pd.DataFrame) -> claims.Measured:
    """Return the geometric mean over the rounds on the only data set."""
    return claims.geometric_mean(rows, "quotient", over="repeat", called="rounds")


def worlds(timed: pd.DataFrame | None = None) -> dict[str, tuple[str, str]]:
    """Map each reading to the method of GPower0 and the suffix of the other solver's name.

    timed : the runs, if times are compared. If the data were converted before the clock started in
    some runs, and all solvers used the same tolerance, these runs determine the verdict. The paper
    states no tolerance, and a second phase that is more accurate than GPower0 would be additional
    computation for only one of the two methods. Variances are compared after whole runs, in which
    the second phase has converged.
    """
    whole = ("gpower0 dense", "")
    alike = (f"gpower0 {ALIKE}", f" {ALIKE}")
    equal = timed is not None and timed.method.eq(alike[0]).any()
    first = {DENSE: alike, WHOLE: whole} if equal else {DENSE: whole}
    first |= {f"{DENSE}, {BUSY}": (f"{alike[0]} {BUSY}", f"{alike[1]} {BUSY}")}
    return first | {"GPower0 on sparse data": ("gpower0", ""), GRAM: ("gpower0 dense", " gram")}


def valued(data: pd.DataFrame, gpower: str, form: str) -> tuple[str, str]:
    """Return the method of GPower0 and the suffix of the other solver for comparing variances.

    If there are rows of `variances`, these rows are used, because they cover more problems.
    """
    more = data.method.eq(f"gpower0 {VALUES}").any() and (gpower, form) == ("gpower0 dense", "")
    return (f"gpower0 {VALUES}", f" {VALUES}") if more else (gpower, form)


def speedup(
    data: pd.DataFrame,
    fast: str,
    measure: Callable[[pd.DataFrame], claims.Measured] = over_problems,
    label: str | Callable[[Any], str] = "p = {:g}",
) -> Iterator[claims.Reading]:
    """Divide GPower0's time by a solver's time at each x, for each reading for which runs exist."""
    for name, (gpower, form) in worlds(data).items():
        both = paired(data, gpower, f"{fast}{form}")
        if len(both):
            notes = [UNTIMED] if name == GRAM else []
            notes += [loaded(both)] if ALIKE in gpower else []
            yield claims.Reading(name, claims.places(both, "x", measure, label), both, notes)


def loaded(rows: pd.DataFrame) -> str:
    """Describe the load on the machine while processor times were measured."""
    words = f"{span(rows.load.astype(float))} processes were ready to run (mean of a minute)"
    return f"Processor seconds, measured in turns, while {words}."


def quality(
    data: pd.DataFrame, method: str, rival: str, measure: Callable[[pd.DataFrame], claims.Measured]
) -> tuple[list[claims.Place], str]:
    """Divide a method's variance by its rival's for each k; ties are listed in a note instead."""
    both = paired(data, method, rival, "value")
    # a tie is neither better nor worse, but a ratio of exactly 1 would fail the rule "above 1"
    tied = both.quotient.eq(1.0).groupby(both.x).transform("all").astype(bool)
    places = claims.places(both[~tied], "x", measure, "k = {:g}", "quality")
    ties = listed([number(k) for k in sorted(both.x[tied].unique())])
    return places, f"The variances are the same at k = {ties}." if ties else ""


def better(name: str, over: claims.Scope) -> claims.Part:
    """Return the part of a statement that requires a solver's variance to exceed GPower0's."""
    text = f"variance of {name} / variance of GPower0, refitted"
    return claims.Part("quality", text, "times", claims.above(1), over)


def below_optimum(data: pd.DataFrame, *methods: str) -> list[str]:
    """State how far each method's variance is below the optimum."""
    truth = truth_of(data)
    part = ((m, data[data.method == m]) for m in methods)
    return [f"{truth.distance(rows, 'value', NAMES[m])}." for m, rows in part if len(rows)]


def losses(data: pd.DataFrame, label: str) -> Iterator[claims.Reading]:
    """Yield the percentage of Scol-PCA's variance that Mcol-PCA loses, for each setting."""
    methods = {PAPERS_C: "mcol"} | {f"{LEVEL}{share}": f"{LEVEL}{share}" for share in LEVELS}
    methods |= {name: name for name in CHANGED}
    _, form = valued(data, "gpower0 dense", "")
    for name, method in methods.items():
        own = form if name == PAPERS_C else ""
        both = paired(data, f"{method}{own}", f"scol{own}", "value")
        if len(both):
            share = int(name.removeprefix(LEVEL).partition(",")[0])
            places = claims.places(both, "x", partial(_loss, share=share), label)
            notes = below_optimum(data, "mcol") if name == PAPERS_C else []
            yield claims.Reading(name, places, both, notes)


def _loss(rows: pd.DataFrame, share: int) -> claims.Measured:
    """Return the mean loss over problems, or exactly 0 if c = ceil(s / share) = 1."""
    # with c = 1 the two methods are the same algorithm, so an interval would be meaningless
    one_by_one = rows.cardinality.max() <= share and not rows.loss.any()
    return claims.exact(0.0) if one_by_one else claims.mean(rows, "loss", over="seed")


def judged_places(judged: Mapping[str, Any], verdict: str) -> list[dict[str, Any]]:
    """Return the places with this verdict in the first part of a statement's primary reading."""
    reading = claims.judging.of_name(judged["readings"], judged["primary"])
    results = reading["places"] if reading else []
    return [p for p in results if p["judged"] and not p["part"] and p["verdict"] == verdict]


def made_of(data: pd.DataFrame, slow: str, fast: str, judged: Mapping[str, Any]) -> str:
    """Explain a ratio of times at the first and the last judged place that fails.

    The sentence states the ratios of GPower0's flops, iterations and time per flop to those of the
    other solver. If no place fails, it lists the places with too few problems.
    """
    failed = judged_places(judged, "fails")
    if not failed:
        few = [p["label"] for p in judged_places(judged, "undecided") if p["kind"] == "too few"]
        text = f"At {listed(few)} GPower0 reached the cardinality within 2 % on fewer than three "
        return f"{text}problems." if few else ""
    # the first and the last place suffice to show a trend
    ends = failed[:: max(1, len(failed) - 1)]
    work = (data.flops + data.setup_flops).astype(float)
    # the ratio of times is the ratio of flops times the ratio of seconds per flop
    data = data.assign(work=work, rate=data.total / work)
    flops, rounds, rate = (
        listed([number(over_problems(both[both.x == place["x"]]).value) for place in ends])
        for column in ("work", "iterations", "rate")
        for both in [paired(data, slow, fast, column)]
    )
    where = listed([place["label"] for place in ends])
    name = NAMES[slow].partition(",")[0]
    return (
        f"At {where} {name} needs {flops} times the flops of {NAMES[fast]} and {rounds} times the "
        f"iterations, and each of its flops takes {rate} times as long."
    )


def whole_runs(data: pd.DataFrame, fast: str) -> str:
    """State how much longer whole runs of both solvers take than runs under equal conditions."""
    told = []
    for method, whole in ((fast, fast), ("gpower0", "gpower0 dense")):
        seconds = data[data.method == whole].groupby(["x", "seed"]).total.median()
        alike = data[data.method == f"{method} {ALIKE}"].groupby(["x", "seed"]).total.median()
        ratios = (seconds / alike).dropna().groupby("x").median()
        if ratios.empty:
            return ""
        told.append(f"{span(ratios, 'times')} as long with {NAMES[method]}")
    return (
        "A whole run, which converts the data, and whose second phase goes to 1e-9, takes "
        f"{listed(told)}."
    )


def more_loops(judged: Mapping[str, Any]) -> str:
    """State how much variance Mcol-PCA loses with the paper's c and with other settings."""
    lost = {
        reading["name"]: span([round(p["value"], 9) for p in reading["places"] if p["judged"]], "%")
        for reading in judged["readings"]
    }
    joined = "; ".join(f"{lost[name]} with {name}" for name in lost)
    return f"Each loop adds c columns before it compares the others again. The loss is {joined}."


def levels(common: dict[str, Any], k: int) -> Iterator[Run]:
    """Run Mcol-PCA on sparse data, untimed, with smaller values of c and with changed phases."""
    others = {f"{LEVEL}{share}": dict(c=max(1, ceil(k / share))) for share in LEVELS}
    for label, settings in (others | CHANGED).items():
        yield Run(
            solver="mcol", settings=dict(k=k) | settings, form="sparse", label=label, **common
        )


def alike(common: dict[str, Any], k: float) -> Iterator[Run]:
    """Measure the processor time of all three solvers under equal conditions."""
    yield Run(
        function=processor_seconds,
        timed=True,
        settings=dict(k=k),
        label=ALIKE,
        uses=("gpower0", *OURS),
        **common,
    )


def processor_seconds(problem: Problem, *, seed: int, k: float) -> dict[str, Any]:
    """Measure the processor time of each solver, in turn, on converted data.

    The result also contains the cardinality. GPower0 receives the dense centred matrix and the
    penalty that a search found for k nonzeros. Scol-PCA and Mcol-PCA run with the cardinality that
    GPower0 reached, and their second phase uses GPower0's tolerance.
    """
    # converted before timing, because this reading excludes the conversion
    dense = problem.given_as("data")
    wanted = int(k) if k >= 1 else round(k * problem.n)
    # the search for the penalty comes first, because a round times a single run
    search = api.solve(dense, "gpower0", k=wanted, seed=seed, **GPOWER)
    runs_of: dict[str, tuple[Problem, dict[str, Any]]] = {
        solver: (problem, dict(k=search.cardinality, second_tol=ALIKE_TOL)) for solver in OURS
    }
    runs_of["gpower0"] = dense, search.settings | GPOWER
    results: dict[str, Any] = {name: [] for name in runs_of}
    for turn in range(ALIKE_ROUNDS + 1):
        for solver, (data, settings) in runs_of.items():
            result = api.solve(data, solver, seed=seed, **settings)
            # the first turn compiles the kernels and converts the data, so its time is discarded
            if turn:
                results[solver].append(result.cpu_time)
    return results | {"cardinality": search.cardinality}


def variances(problem: Problem, *, seed: int, k: int) -> dict[str, float]:
    """Return the cardinality that GPower0 reached in a search for k, and each solver's variance.

    The second phases of Scol-PCA and Mcol-PCA have converged, and GPower0's vector is refitted.
    Nothing is timed, so the load on the machine does not matter.
    """
    search = api.solve(problem.given_as("data"), "gpower0", k=k, seed=seed, **GPOWER)
    values = {
        solver: api.solve(problem, solver, k=search.cardinality, seed=seed).variance
        for solver in OURS
    }
    values["gpower0"] = problem.variance(refitted(problem, search.x))
    return values | {"cardinality": search.cardinality}


def in_turns(problem: Problem, *, seed: int, name: str, ks: Sequence[int]) -> dict[str, Any]:
    """Measure the processor time of whole runs of a solver for each k, in turn, after a warm-up."""
    seconds: dict[str, list[float]] = {str(k): [] for k in ks}
    for turn in range(ALIKE_ROUNDS + 1):
        for k in ks:
            # on a copy, because a whole run includes the conversion of the data
            result = api.solve(problem.copied(), name, k=k, seed=seed)
            if turn:
                seconds[str(k)].append(result.cpu_time)
    return seconds


def as_trials(table: pd.DataFrame) -> pd.DataFrame:
    """Return the results of `processor_seconds`, `in_turns` and `variances` as rows of `trials`."""
    rows = [
        row
        | dict(
            method=f"{solver} {VALUES}",
            repeat=0,
            total=np.nan,
            value=row["extra"][solver],
            cardinality=row["extra"]["cardinality"],
            label=str(row["settings"]["k"]),
        )
        for row in table[table.label == VALUES].to_dict("records")
        for solver in ("gpower0", *OURS)
    ]
    rows += [
        row
        | dict(
            method=f"{row['settings']['name']} {IN_TURNS}",
            repeat=turn,
            total=total,
            value=np.nan,
            cardinality=float(k),
        )
        for row in table[table.label == IN_TURNS].to_dict("records")
        for k, seconds in row["extra"].items()
        for turn, total in enumerate(seconds)
    ]
    for row in table[table.label == ALIKE].to_dict("records"):
        seconds = row["extra"]
        centred = "" if row["parameters"].get("center", True) else f"{UNCENTRED} "
        # times measured on a busy machine are shown, but do not affect the verdict
        busy = f" {BUSY}" if float(row.get("load") or 0.0) > QUIET else ""
        for solver in ("gpower0", *OURS):
            rows += [
                row
                | dict(
                    method=f"{solver} {centred}{ALIKE}{busy}",
                    repeat=turn,
                    total=total,
                    value=np.nan,
                    cardinality=seconds["cardinality"],
                    label=str(row["settings"]["k"]),
                )
                for turn, total in enumerate(seconds[solver])
            ]
    return pd.DataFrame(rows, columns=[*table.columns, "method", "total", "value"])


def at_levels(common: dict[str, Any], k: int) -> Iterator[Run]:
    """Run Mcol-PCA with smaller c on dense data, with the cardinality that GPower0 reached."""
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


def missed(rows: pd.DataFrame) -> pd.Series:
    """Mark the rows in which a search for a penalty missed the requested cardinality."""
    # a run that matches another run's cardinality always reaches exactly this cardinality
    requested = rows.k.fillna(rows.cardinality)
    return ~same_cardinality(requested, rows.cardinality) & rows.search_runs.notna()


def broken(rows: pd.DataFrame, *series: pd.Series) -> tuple[np.ndarray, ...]:
    """Return x and the values of the series, with NaN where a line must be interrupted.

    If x is the cardinality, the line is interrupted between two points if a cardinality between
    them was requested but the method's own search stopped more than a tenth below it.
    """
    x = series[0].index.to_numpy()
    far = rows.x.iloc[:0]
    if "wanted" in rows:
        far = rows.wanted[(rows.cardinality < 0.9 * rows.wanted) & rows.search_runs.notna()]
    # a line across a range that the search could not reach would suggest runs that do not exist
    gaps = [i + 1 for i in range(len(x) - 1) if far.between(x[i], x[i + 1]).any()]
    return tuple(np.insert(v, gaps, np.nan) for v in (x, *(s.to_numpy() for s in series)))


def draw_line(axis, rows: pd.DataFrame, y: pd.Series, style: dict[str, Any]) -> None:
    """Plot a line against x, with hollow markers if the search missed the requested cardinality."""
    axis.plot(*broken(rows, y), **style)
    # a hollow marker is plotted at the cardinality reached instead of the requested cardinality
    off = missed(rows).groupby(rows.x).any()
    hollow = y[off.reindex(y.index).to_numpy(dtype=bool)]
    axis.plot(hollow.index, hollow, **style | HOLLOW)


def draw_times(axis, data: pd.DataFrame, methods: tuple[str, ...]) -> None:
    """Plot the time of each method against x, with the band computed by `times`.

    A lighter, dotted line shows the time of GPower0's whole search, which uses the sparse data.
    """
    searched = NAMES["gpower0"] + (" on sparse data" if "gpower0 dense" in methods else "")
    for method in methods:
        rows = data[data.method == method]
        if rows.empty:
            continue
        style = look(method.partition(" ")[0]) | dict(alpha=0.45 if " " in method else 1.0)
        middle, low, high = times(rows)
        draw_line(axis, rows, middle, style | dict(label=NAMES[method]))
        axis.fill_between(*broken(rows, low, high), color=style["color"], alpha=0.2, linewidth=0)
        if method == "gpower0":
            complete = dict(linestyle=":", marker="", alpha=0.5, label=f"{searched}, whole search")
            draw_line(axis, rows, rows.groupby("x").search_time.median(), style | complete)
    axis.set(yscale="log", ylabel="time of a run, s")


def draw_values(axis, data: pd.DataFrame, methods: tuple[str, ...]) -> None:
    """Plot the variance ||Vx||^2 of each method against x; a band above the curves is clipped."""
    # on other forms of the data the vectors are the same, so variances would be plotted twice
    shown = [m for m in methods if " " not in m]
    for method in shown:
        rows = data[data.method == method]
        draw_line(
            axis, rows, rows.groupby("x").value.median(), look(method) | dict(label=NAMES[method])
        )
    value = data[data.method.isin(shown)].groupby("x").value
    if len(value) > 1:
        # the band of the optimum can be so wide that the curves would merge into one line
        low, high = float(value.median().min()), float(value.median().max())
        axis.set_ylim(low - 0.08 * (high - low), high + 0.12 * (high - low))
    axis.set(ylabel="variance $\\|Vx\\|^2$")


@with_truth
def by_cardinality(table: pd.DataFrame) -> pd.DataFrame:
    """Return the timed rows; x is the cardinality that GPower0 reached (median over problems)."""
    timed = trials(table)
    # `trial` labels its runs with the requested cardinality
    requested = pd.to_numeric(timed.label, errors="coerce")
    at_level = timed.label.astype(str).str.startswith(LEVEL)
    supplied = timed.settings.map(lambda settings: settings.get("k")).where(at_level)
    # runs with smaller c are labelled with their level, and their settings contain k
    requested = requested.fillna(pd.to_numeric(supplied))
    leads = (timed.solver == "gpower0") & timed.form.ne("data")
    # on dense data, GPower0 runs only in this form
    leads = leads if leads.any() else timed.solver == "gpower0"
    reached = timed.cardinality[leads].groupby(requested[leads]).median()
    x = requested.map(reached).fillna(timed.cardinality).astype(float)
    return timed.assign(x=x, wanted=requested.where(requested >= 1.0, requested * timed.n))


def draw_trade_off(data: pd.DataFrame, axes, methods: tuple[str, ...], **settings: Any) -> None:
    """Plot times (first panel) and variances (second panel) against the cardinality."""
    draw_times(axes[0], data, methods)
    truth_of(data).draw(axes[1])
    # only the rows of the truth's problem, because its optimum does not apply to other problems
    draw_values(axes[1], data[data.seed == data.seed.min()], methods)
    axes[1].yaxis.get_offset_text().set_x(-0.1)  # beside the title, not below it
    axes[0].set_title(faster_in_words(data))
    axes[1].set_title(loss_in_words(data))
    for axis in axes:
        axis.set(xscale="log", **{"xlabel": "cardinality", **settings})
    # the exact search covers small k, at which no method was run
    axes[1].set_xlim(axes[0].get_xlim())
    for axis in axes:
        plain_log_ticks(axis)
        name_lines(axis)


def faster_in_words(data: pd.DataFrame) -> str:
    """State how much faster Mcol-PCA is than GPower0, for the title of a panel."""
    # use the primary reading if the figure contains it
    dense = "gpower0 dense" if (data.method == "gpower0 dense").any() else "gpower0"
    both = paired(data, dense, "mcol")
    ratio = both.groupby("x").quotient.median()
    return f"Mcol-PCA is {span(ratio, 'times')} as fast as {NAMES[dense]}" if len(ratio) else ""


def loss_in_words(data: pd.DataFrame, beside: str = "gpower0") -> str:
    """State how much less variance Mcol-PCA explains than another method, as a panel title."""
    loss = paired(data, "mcol", beside, "value").groupby("x").loss.median()
    if loss.empty:
        return ""
    most, least = number(loss.max(), "%"), loss.min()
    if round(least, 6) < 0:
        more = number(-least, "%")
        return f"Mcol-PCA explains {more} more to {most} less than {NAMES[beside]}"
    return f"Mcol-PCA loses {span(loss, '%')} of {NAMES[beside]}'s variance"
