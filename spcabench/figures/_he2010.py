"""Experiments of He, Monteiro and Park (2010): three methods with equal cardinality.

A trial is a problem with a cardinality that a search for GPower0's penalty reached; Scol-PCA and
Mcol-PCA run with the same cardinality. `processor_seconds` measures times, and `answers` counts
flops and compares variances, which do not depend on the load of the machine.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from spcabench import api, claims
from spcabench.claims import claim, meaning
from spcabench.figures._curves import draw_curve
from spcabench.figures._truth import split
from spcabench.problem.problem import Problem
from spcabench.run import Run
from spcabench.showing.style import look, name_lines
from spcabench.solving.call import arguments
from spcabench.solving.result import refitted

# stopping rule of GPower's authors: the relative change in the objective
GPOWER: dict[str, Any] = dict(stop="objective", tol=1e-4, max_iterations=1000)
TOLERANCE = 1e-4  # of the second phase, so that all solvers are equally accurate
OURS = ("scol", "mcol")
SOLVERS = ("gpower0", *OURS)
NAMES = {"gpower0": "GPower0", "scol": "Scol-PCA", "mcol": "Mcol-PCA"}
TIMES, ANSWERS = "alike", "answers"  # labels of the rows of the two functions
ROUNDS = 7


# what runs


def problems(scale: str) -> range:
    """Return the seeds of the problems of each size."""
    return range(8 if scale == "paper" else 6)


def trials(
    scale: str,
    dataset: str,
    parameters: dict[str, Any],
    ks: Iterable[float],
    *,
    seed: int = 0,
    timed: bool = True,
) -> Iterator[Run]:
    """Run `answers` and, if ``timed``, `processor_seconds`, for each k.

    A k below 1 is a share of the variables.
    """
    common: dict[str, Any] = dict(dataset=dataset, parameters=parameters, seed=seed, uses=SOLVERS)
    fewer = {} if scale == "paper" else dict(rounds=2)
    for k in ks:
        if timed:
            about: dict[str, Any] = dict(label=TIMES, timed=True, **common)
            yield Run(function=processor_seconds, settings=dict(k=k, **fewer), **about)
        yield Run(function=answers, settings=dict(k=k), label=ANSWERS, **common)


def matrix(m: int, n: int, seed: int, density: float = 0.2) -> dict[str, Any]:
    """Return the arguments of `trials` that specify a random sparse matrix."""
    parameters = dict(m=m, n=n, density=density, seed=seed)
    return dict(dataset="random_sparse", parameters=parameters, seed=seed)


def processor_seconds(
    problem: Problem, *, seed: int, k: float, rounds: int = ROUNDS
) -> dict[str, Any]:
    """Measure the processor time of each solver, in turn, on converted data.

    The result also contains the cardinality. GPower0 receives the dense centred matrix, or sparse
    data ("gpower0 sparse"), and the penalty that a search found for k nonzeros.
    """
    # converted before timing, because conversion is no part of a method
    dense = problem.given_as("data")
    # the search for the penalty comes first, because a round times a single run
    search = api.solve(
        dense, "gpower0", k=_of_n(k, problem.n), random_state=seed, **arguments(GPOWER)
    )
    penalty = search.settings | GPOWER
    runs_of: dict[str, tuple[Problem, str, dict[str, Any]]] = {
        solver: (problem, solver, dict(k=search.cardinality, second_tol=TOLERANCE))
        for solver in OURS
    }
    runs_of["gpower0"] = dense, "gpower0", penalty
    if problem.form == "sparse":
        runs_of["gpower0 sparse"] = problem, "gpower0", penalty
    results: dict[str, Any] = {name: [] for name in runs_of}
    for turn in range(rounds + 1):
        for name, (data, solver, settings) in runs_of.items():
            result = api.solve(data, solver, random_state=seed, **arguments(settings))
            # the first turn compiles the kernels and converts the data, so its time is discarded
            if turn:
                results[name].append(result.cost.cpu_time)
    return results | {"cardinality": search.cardinality}


def answers(problem: Problem, *, seed: int, k: float) -> dict[str, float]:
    """Return each solver's flops and variance at the cardinality that a search for k reached.

    Flops include those of the start. Second phases for variances have converged, and GPower0's
    vector is refitted.
    """

    def run(solver: str, **settings: Any) -> Any:
        return api.solve(problem, solver, random_state=seed, **arguments(settings))

    # on the given matrix, because a search takes many runs
    search = run("gpower0", k=_of_n(k, problem.n), **GPOWER)
    found = {
        "cardinality": search.cardinality,
        "flops gpower0 sparse": _flops(search),
        "variance gpower0": problem.variance(refitted(problem, search.x)),
    }
    s = search.cardinality
    for solver in OURS:
        converged = run(solver, k=s)
        found |= {
            f"flops {solver} converged": _flops(converged),
            f"variance {solver}": converged.variance,
        }
    return found


def _of_n(k: float, n: int) -> int:
    """Return k, or the number of variables if it is a share of them."""
    return int(k) if k >= 1 else round(k * n)


def _flops(result: Any) -> int:
    return result.cost.flops + result.cost.setup_flops


def rows_of(table: pd.DataFrame, x: Callable[[pd.DataFrame], Any]) -> pd.DataFrame:
    """Return a row for each round of times and for each of the `answers`.

    Columns: the seconds of each solver have its name; those of `answers` have theirs. wanted : the
    requested cardinality. x : the place, a function of these rows.
    """
    records = [unfolded for row in table.to_dict("records") for unfolded in _unfolded(row)]
    # a figure without an answer still has the columns
    drawn = [*SOLVERS, *(f"variance {solver}" for solver in SOLVERS)]
    names = dict.fromkeys([*table, "wanted", *drawn, *(name for row in records for name in row)])
    found = pd.DataFrame(records, columns=[*names])
    # a share of the variables is also a requested cardinality
    wanted = found.wanted.where(found.wanted >= 1.0, found.wanted * found.n)
    found = found.assign(wanted=wanted)
    return found.assign(x=pd.Series(x(found), found.index, dtype=float))


def _unfolded(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each round of a function's result."""
    if row["label"] not in (TIMES, ANSWERS):
        return
    common = row | dict(wanted=float(row["settings"]["k"]))
    if row["label"] == ANSWERS:
        yield common | row["extra"]
        return
    seconds = {name: found for name, found in row["extra"].items() if name != "cardinality"}
    for i, turn in enumerate(zip(*seconds.values(), strict=True)):
        numbers = dict(zip(seconds, turn, strict=True), cardinality=row["extra"]["cardinality"])
        yield common | numbers | dict(repeat=i)


def by_cardinality(table: pd.DataFrame) -> SimpleNamespace:
    """Return the rows, in which x is the cardinality that GPower0 reached, and the truth.

    x is a median over problems.
    """
    own, truth = split(pd.concat([table, _best(table)], ignore_index=True))
    median = lambda rows: rows.cardinality.groupby(rows.wanted).transform("median")  # noqa: E731
    return SimpleNamespace(rows=rows_of(own, median), truth=truth)


def _best(table: pd.DataFrame) -> pd.DataFrame:
    """Return the largest variance in each of the `answers` as a row that the truth can use."""
    rows = table[table.label == ANSWERS]
    names = [f"variance {solver}" for solver in SOLVERS]
    best = [max(row.get(name, np.nan) for name in names) for row in rows.extra]
    k = [row["cardinality"] for row in rows.extra]
    return rows.assign(label="", cardinality=k, variance_refit=best)


# what is drawn


# prefix of the columns, unit, and the y axis
TIME = ("", "s", dict(yscale="log", ylabel="time of a run, s"))
VARIANCE = ("variance ", "", dict(ylabel="variance $\\|Vx\\|^2$"))


def draw(
    axis: Any,
    quantity: tuple[str, str, dict[str, Any]],
    rows: pd.DataFrame,
    xlabel: str,
    solvers: Sequence[str] = SOLVERS,
) -> None:
    """Plot `TIME` or `VARIANCE`, which is ||Vx||^2, of each solver against x."""
    prefix, unit, labels = quantity
    for solver in solvers:
        style = look(solver) | dict(label=NAMES[solver])
        draw_curve(axis, at_each(rows, f"{prefix}{solver}"), unit, **style)
    axis.set(xlabel=xlabel, **labels)
    axis.yaxis.get_offset_text().set_x(-0.1)  # beside the title, not below it
    name_lines(axis)


# what is claimed

DENSE, SPARSE = "GPower0 on the dense centred matrix", "GPower0 on sparse data"
MORE = "; three matrices of each size left it open, so eight were run"
# the sentence that all statements about speed share
ALIKE = "; all times are processor seconds with one tolerance and converted data"
# options shared by the claims about speed
SPEED: dict[str, Any] = dict(unit="times", timed=True, null=1.0)
# a method that runs a hundred times as fast is not comparable
COMPARABLE = SPEED | dict(rule=meaning.COMPARABLE, null=100.0)


def at_each(rows: pd.DataFrame, column: str, label: Any = "{:g}", **options: Any) -> pd.DataFrame:
    """Return a tidy table of a column at each x, with one value for each problem.

    On real data, which are a single problem, the rounds are the replicates, and counts are exact.
    """
    rows = rows.reindex(columns=[*{*rows, column}]).dropna(subset=[column])
    if any("seed" in parameters for parameters in rows.parameters):
        # rounds on one problem are not replicates, so they are reduced to their median
        middle = rows.groupby(["x", "seed"])[column].transform("median")
        rows = rows.assign(**{column: middle})
    elif rows["repeat"].any():
        options |= dict(seed="repeat", over="rounds")
    else:
        options |= dict(how="median")
    return claims.each(rows, "x", column, label, **options)


def ratios(rows: pd.DataFrame, top: str, bottom: str, label: Any, **options: Any) -> pd.DataFrame:
    """Return a tidy table of the quotients of two columns at each x."""
    both = rows.reindex(columns=[*{*rows, top, bottom}])
    # answers that agree to six digits differ only by rounding, so they are tied
    quotient = (both[top].astype(float) / both[bottom].astype(float)).round(6)
    return at_each(both.assign(quotient=quotient), "quotient", label, **options)


def speeds(
    rows: pd.DataFrame, fast: str, label: Any = "p = {:g}", **options: Any
) -> Iterator[pd.DataFrame]:
    """Divide GPower0's time by a solver's time at each x, for each form of GPower0's data.

    Section 2.3 gives Scol-PCA and Mcol-PCA the sparse W. The code of GPower's authors takes the
    centred matrix, which is dense; GPower0 can be given the sparse one too.
    """
    dense = ratios(rows, "gpower0", fast, label, reading=DENSE, **options)
    sparse = ratios(rows, "gpower0 sparse", fast, label, reading=SPARSE, **options)
    yield from (table for table in (dense, sparse) if len(table))


def quality(rows: pd.DataFrame, solver: str, **options: Any) -> pd.DataFrame:
    """Divide a solver's variance by GPower0's for each k, without those k at which they tie."""
    columns = (f"variance {solver}", "variance gpower0")
    table = ratios(rows, *columns, "k = {:g}", part="quality", **options)
    # a tie is neither better nor worse, but a ratio of exactly 1 would fail the rule "above 1"
    return table[table.value.ne(1.0).groupby(table.x).transform("any").astype(bool)]


def better(name: str, at: claims.Scope) -> claims.Part:
    """Return the part of a claim that requires a solver's variance to exceed GPower0's."""
    text = f"variance of {name} / variance of GPower0, refitted"
    return claims.Part("quality", text, "times", meaning.MORE, at, null=1.0)


def below_optimum(data: SimpleNamespace, *solvers: str) -> list[str]:
    """State how far each solver's variance is below the optimum."""
    of = ((solver, f"variance {solver}") for solver in solvers)
    rows = data.rows
    return [f"{data.truth.distance(rows.dropna(subset=[v]), v, NAMES[s])}." for s, v in of]


def losses(data: SimpleNamespace) -> pd.DataFrame:
    """Return the percentage of Scol-PCA's variance that Mcol-PCA loses at each size or k."""
    rows = data.rows.dropna(subset=["variance mcol"])
    label = "k = {:g}" if hasattr(data, "truth") else "p = {:g}"
    loss = 100 * (1 - rows["variance mcol"] / rows["variance scol"])
    # with c = 1 the two methods are the same algorithm, so an interval would be meaningless
    rows = rows.assign(loss=loss.round(6))
    same = rows.groupby("x").cardinality.transform("max").le(10)
    same &= ~rows.groupby("x").loss.transform("any").astype(bool)
    return pd.concat(
        [
            claims.each(rows[same], "x", "loss", label, how="max"),
            claims.each(rows[~same], "x", "loss", label),
        ]
    )


# Figures 1 and 4 share this statement
H3 = claim(
    "H3",
    "section 3.1, figures 1 and 4",
    "at the expense of a little loss in solution quality [Figure 1]; at the expense of an "
    "acceptable sacrifice in solution quality [Figure 4]",
    measures="variance that Mcol-PCA loses against Scol-PCA, c = s/10",
    unit="%",
    rule=meaning.LITTLE,
    at=claims.every("sizes and values of k", least=3),
    null=13.0,  # the variables of largest variance: 13 to 24 % less on such matrices
    changed="the two figures were two statements" + MORE,
    rows=losses,
)
