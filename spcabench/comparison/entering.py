"""Check rows before they enter a ranking, and recompute their values from their vectors.

Rows are read from files that may come from other machines or may have been edited. Values in a row
are not trusted. Bounds in a row are trusted only if the row was computed on this machine by a
solver of this repository. If a row disagrees with its vector or contains impossible values, it is
rejected, a sentence reports the reason, and the remaining rows are used. If there are several rows
for a run, the best trusted answer is used.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from spcabench import api, registry
from spcabench.comparison import best_known as known
from spcabench.comparison import ranking, sound_rows, suite
from spcabench.comparison.best_known import CLOSE, Entry, Table
from spcabench.comparison.jobs import ANSWER, SEED, Job
from spcabench.comparison.suite import Item
from spcabench.flops import CONVENTION
from spcabench.problem.problem import Problem
from spcabench.running import grader
from spcabench.solving import bounds
from spcabench.solving.result import refitted
from spcabench.solving.status import GOOD, Status
from spcabench.vectors import embed

PAIR = ["item", "asked", "sign"]  # problem, cardinality and sign constraint
MEASURED = [  # columns that are empty for a run that was not executed
    *("problem", "k", "cardinality", "variance", "variance_refit", "bound", "gap", "iterations"),
    *("flops", "setup_flops", "solve_time", "setup_time", "round_times", "search_runs"),
    *("search_flops", "search_time", "peak_memory", "history", "support", "values"),
]
DOUBTED = ["variance", "variance_refit", "bound", "gap"]
RUN = ["solver", "kind", *PAIR]  # columns that identify a run of a suite
ANSWERS = (ANSWER, SEED)  # kinds of rows that are ranked
Load = Callable[..., Problem]


@dataclass(frozen=True)
class Omission:
    """Rows of a solver that are missing or not used, with the reason as a sentence."""

    solver: str
    sentence: str
    count: int = 1


def of_jobs(
    rows: pd.DataFrame, job_of: Mapping[str, Job], elsewhere: bool = False
) -> tuple[pd.DataFrame, list[Omission]]:
    """Return the rows that can be ranked, and the rows that cannot be ranked, with the reasons.

    job_of : mapping from labels of solvers to their jobs. elsewhere : as in `recomputed`.
    """
    job = next(iter(job_of.values()))
    # include the recovery problems, whose rows are checked against the planted supports
    items = [*suite.items(job.suite, job.ks, job.fresh), *suite.recovery(job.fresh)]
    # rows can claim any origin, so the location of the file determines whether bounds are trusted
    ours = {label for label, job in job_of.items() if job.is_ours}
    rows = rows.assign(own=rows.own.where(rows.own.isna(), rows.solver.isin(ours)))
    limits = rows.settings.map(lambda settings: settings.get("time_limit", job.limit))
    other = limits != job.limit
    sentence = f"Rows were rejected: their time limit is not the comparison's, {job.limit:g} s."
    late = _of_solvers(rows.solver[other], sentence)
    table, rows = best_known_of(job), rows[~other]
    load = known.checking(items, table)
    rows, dropped = recomputed(rows, items, table, load, elsewhere)
    return rows, [*late, *dropped]


def rated(rows: pd.DataFrame, job: Job, elsewhere: bool = False) -> pd.DataFrame:
    """Return the answers of all solvers, rated by the best known answers and by our own answers."""
    table, items = best_known_of(job), suite.items(job.suite, job.ks, job.fresh)
    # without our own answers, a third-party answer to a new pair would become the best known answer
    ours = references(rows, items, table, api.load_or_stand_in, elsewhere)
    return ranking.standing(rows, {**table, **ours})


def best_known_of(job: Job) -> Table:
    """Return the table of best known answers, which is empty for fresh problems."""
    return {} if job.fresh is not None else known.read()


def recomputed(
    rows: pd.DataFrame, items: Iterable[Item], table: Table, load: Load, elsewhere: bool = False
) -> tuple[pd.DataFrame, list[Omission]]:
    """Return rows with recomputed values, and the rejected rows with the reasons.

    If a row disagrees with its vector, its values are set to NaN. The new column ``given`` contains
    the form of the problem before any conversion.

    items : the problems of the suite, including recovery. table : the best known answers; a value
        above a bound in the table is rejected. load : function that loads a problem from a
        dataset's name and parameters. elsewhere : whether the rows come from another machine, in
        which case their bounds are also recomputed.
    """
    items = [*items]
    by_name = {item.name: item for item in items if item.family != "recovery"}
    planted = [item for item in items if item.family == "recovery"]
    rows, omissions = _sound(rows)
    rows, lost = _with_planted_supports(rows, planted, load)
    omissions += lost
    good = rows.kind.isin(ANSWERS) & rows.status.isin(GOOD)
    rows = rows.assign(given=None)
    for name, part in rows[good].groupby("item", sort=False):
        item = by_name.get(str(name))
        problem = load(item.dataset, **item.parameters) if item else None
        rows.loc[part.index, "given"] = problem.form if problem else None
        for index, row in zip(part.index, part.to_dict("records"), strict=True):
            values = _of_row(row, item, problem, table, elsewhere)
            if isinstance(values, str):
                omissions.append(_rejected(row, values))
                rows.loc[index, ["status", "reason"]] = [str(Status.DISAGREES), values]
                values = dict.fromkeys(DOUBTED, np.nan)
            for column, value in values.items():
                rows.loc[index, column] = value
    rows, others = complete(rows, by_name.values())
    families = {name: item.family for name, item in by_name.items()}
    rows["family"] = rows.item.map(families).where(rows.kind.isin(ANSWERS), rows.family)
    return rows, [*omissions, *others]


def _sound(rows: pd.DataFrame) -> tuple[pd.DataFrame, list[Omission]]:
    """Return the rows with plausible values, and the rejected rows with the reasons.

    If rows count flops by another convention, one sentence per solver reports all of them.
    """
    rows = rows.reset_index(drop=True)
    faults = {index: sound_rows.fault(row) for index, row in enumerate(rows.to_dict("records"))}
    wrong = {index: fault for index, fault in faults.items() if fault}
    omissions = [_rejected(rows.loc[index], fault) for index, fault in wrong.items()]
    rows = rows.drop(index=[*wrong])
    otherwise = rows[rows.flops_convention != CONVENTION]
    parts = otherwise.groupby("solver", sort=False, dropna=False)
    everything = len(rows) > 0 and len(otherwise) == len(rows)
    for name, part in [("all solvers", otherwise)] if everything else parts:
        conventions = ", ".join(map(str, sorted(part.flops_convention.unique())))
        sentence = (
            f"Rows were rejected: they count flops by convention {conventions}, but this version "
            f"uses convention {CONVENTION}; compute them again."
        )
        omissions.append(Omission(str(name), sentence, len(part)))
    return rows.drop(index=otherwise.index).reset_index(drop=True), omissions


def _with_planted_supports(
    rows: pd.DataFrame, items: Iterable[Item], load: Load
) -> tuple[pd.DataFrame, list[Omission]]:
    """Add the planted supports to the rows of recovery runs.

    Return the rows, and the rejected rows with the reasons. A planted support is taken from the
    problem, not from the row.
    """
    item_of = {_data(item.dataset, item.parameters): item for item in items}
    supports: dict[str, Any] = {}
    omissions, wrong = [], []
    for index, row in rows[rows.kind == "recovery"].iterrows():
        data = _data(row["dataset"], row["parameters"])
        item = item_of.get(data)
        if item and data not in supports:
            supports[data] = load(item.dataset, **item.parameters)
        fault = _no_recovery(row, item, supports.get(data))
        if fault:
            omissions.append(_rejected(row, fault))
            wrong.append(index)
        else:
            rows.at[index, "provenance"] = dict(supports[data].provenance)
    return rows.drop(index=wrong).reset_index(drop=True), omissions


def _data(dataset: str, parameters: Mapping[str, Any]) -> str:
    return json.dumps([dataset, dict(parameters)], sort_keys=True)


def _no_recovery(row: Mapping[str, Any], item: Item | None, problem: Problem | None) -> str:
    """Return the reason why a row of a recovery run is dropped, or "" if it is kept."""
    if item is None or problem is None or row["asked"] != item.ks[0]:
        return "the problem is not in the suite"
    if row["status"] not in GOOD:
        return ""
    x = vector(row, problem.n)
    return x if isinstance(x, str) else grader.fault(x, problem.n, int(row["asked"]), False)


def vector(row: Mapping[str, Any], n: int) -> np.ndarray | str:
    """Return the vector x (n,) of a row, or the reason why the row has no valid vector."""
    if row["support"] is None or row["values"] is None:
        return "the value is only claimed, because the vector was not stored"
    W = np.asarray(row["support"], dtype=np.intp)
    if len(W) != len(row["values"]) or not ((W >= 0) & (n > W)).all():
        return f"the support must consist of {len(row['values'])} indices below {n}"
    return embed(np.asarray(row["values"], dtype=float), W, n)


def _rejected(row: Mapping[str, Any], fault: str) -> Omission:
    sentence = f"A row was rejected: {row['item']}, k = {row['asked']}: {fault}."
    return Omission(str(row["solver"]), sentence)


def _of_solvers(names: pd.Series, sentence: str) -> list[Omission]:
    """Return one omission per solver; ``names`` contains the solver of each omitted row."""
    return [Omission(str(name), sentence, count) for name, count in names.value_counts().items()]


def best_of_each_run(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row per run: the best trusted row or, if several are equal, the cheapest."""
    keys = _runs(rows)
    several = keys.duplicated(keep=False)
    groups = rows[several].groupby([*keys[several].T.to_numpy()], dropna=False, sort=False)
    chosen = [_best(part) for _, part in groups]
    return rows.loc[sorted([*rows.index[~several], *chosen])].reset_index(drop=True)


def _runs(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a table of the columns that identify the run of each row."""
    data = [
        "" if kind == ANSWER else json.dumps(seed if kind == SEED else parameters, sort_keys=True)
        for kind, seed, parameters in zip(rows.kind, rows.seed, rows.parameters, strict=True)
    ]
    return rows[RUN].assign(data=data)


def _best(part: pd.DataFrame) -> Any:
    """Return the index of the best trusted answer among the rows of a run."""
    worth = np.array([_worth(row) for row in part.itertuples()])
    best = part[worth >= worth.max() * (1.0 - CLOSE)]
    work = best.search_flops.fillna(best.flops + best.setup_flops).astype(float)
    return work.fillna(np.inf).idxmin()


def _worth(row: Any) -> float:
    """Return the worth of an answer, which is its value or, for recovery, its F1 score.

    All rows of resampling runs have the same worth, because their values cannot be recomputed.
    """
    if row.kind == "recovery":
        return ranking.f1_of(row)
    believed = row.kind in ANSWERS and row.status in GOOD and not pd.isna(row.variance_refit)
    return float(row.variance_refit) if believed else 0.0


def complete(rows: pd.DataFrame, items: Iterable[Item]) -> tuple[pd.DataFrame, list[Omission]]:
    """Return one row for each run of the suite, and the missing and repeated rows.

    A missing row is treated as a failure, like a run without an answer. If there are several rows
    for a run, the best one is used. Rows of pairs outside the comparison are dropped, because other
    solvers did not run on these pairs.
    """
    pairs = [(item.name, k, item.nonnegative) for item in items for k in item.ks]
    beyond = rows.kind.isin(ANSWERS) & ~pd.MultiIndex.from_frame(rows[PAIR]).isin(pairs)
    omissions = _of_solvers(
        rows.solver[beyond], "Rows were rejected: their pairs are not part of the comparison."
    )
    rows = rows[~beyond].reset_index(drop=True)
    twice = rows.solver[_runs(rows).duplicated()]
    omissions += _of_solvers(twice, "Rows repeat a run, for which only the best row is used.")
    rows = best_of_each_run(rows)
    added = []
    for solver, part in rows[rows.kind.isin(ANSWERS)].groupby("solver", sort=False):
        part = part.assign(seed=part.seed.where(part.kind == SEED, 0))
        there = {*part[["kind", "seed", *PAIR]].itertuples(index=False, name=None)}
        # if a seed ran on some pairs, it is required on all, so lucky seeds cannot be selected
        seeds = sorted({(ANSWER, 0), *((kind, seed) for kind, seed, *_ in there)})
        lost = [(*seed, *pair) for seed in seeds for pair in pairs if (*seed, *pair) not in there]
        if lost:
            sentence = "Rows are missing and are treated as failures."
            omissions.append(Omission(str(solver), sentence, len(lost)))
            added += [_left_out(part.iloc[:1], run) for run in lost]
    return pd.concat([rows, *added], ignore_index=True), omissions


def _left_out(like: pd.DataFrame, run: tuple[Any, ...]) -> pd.DataFrame:
    """Return a row for a missing run with the same solver, machine and settings."""
    kinds = {name: like[name].dtype for name in MEASURED}
    empty = {
        name: pd.Series([None], like.index, "float64" if is_numeric_dtype(kind) else kind)
        for name, kind in kinds.items()
    }
    row = like.assign(**empty, status=str(Status.DISAGREES), reason="the row is missing")
    return row.assign(**dict(zip(["kind", "seed", *PAIR], run, strict=True)))


def _of_row(
    row: Mapping[str, Any],
    item: Item | None,
    problem: Problem | None,
    table: Table,
    elsewhere: bool,
) -> dict[str, Any] | str:
    """Return the values of a row, recomputed from its vector, or the reason why it is dropped."""
    if item is None or problem is None:
        return "the problem is not in the suite"
    if (row["dataset"], row["parameters"]) != (
        item.dataset,
        json.loads(json.dumps(item.parameters)),
    ):
        return "the data differ from the data of the problem with this name"
    if row["problem"] != problem.name:
        return f"claimed for {row['problem']!r}, but {problem.name!r} is available here"
    x, k, sign = vector(row, problem.n), int(row["asked"]), bool(row["sign"])
    if isinstance(x, str):
        return x
    if fault := grader.fault(x, problem.n, k, sign):
        return fault
    value = problem.variance(x)
    if not abs(float(row["variance"]) - value) <= grader.AGREES * abs(value):
        return f"the row states variance {row['variance']:.9g}, but its vector has {value:.9g}"
    refit = problem.variance(refitted(problem, x, sign))
    entry = table.get((str(row["item"]), problem.name, k, sign))
    if entry and refit > entry.bound * (1.0 + CLOSE):
        return f"the value {refit:.9g} is above the certified bound {entry.bound:.9g}"
    own = not elsewhere and bool(row["own"])
    bound = float(row["bound"]) if own else bounds.upper_bound(problem, k, sign)
    return {
        "variance": value,
        "variance_refit": refit,
        "bound": bound,
        "gap": (bound - value) / bound,
        **{name: getattr(problem, name) for name in ("n", "m", "nnz")},
    }


def references(
    rows: pd.DataFrame, items: Iterable[Item], table: Table, load: Load, elsewhere: bool = False
) -> dict[tuple[str, str, int, bool], Entry]:
    """Compute answers for pairs without an entry that only third-party solvers answered.

    Without these answers, any vector would become the best known vector.

    elsewhere : whether the rows were computed on other machines, in which case their claim that a
        solver belongs to this repository is not trusted.
    """
    entries = {}
    suite_rows = rows[rows.kind == "suite"]
    by_name = {item.name: item for item in items}
    for (name, k), part in suite_rows.groupby(["item", "asked"], sort=False):
        item = by_name.get(str(name))
        answered_here = not elsewhere and part.own.eq(True).any()
        if item is None or answered_here or not part.status.isin(GOOD).any():
            continue
        problem = load(item.dataset, **item.parameters)
        key = (item.name, problem.name, int(k), item.nonnegative)
        if key not in table:
            solver, settings = registry.quick_solver(item.nonnegative)
            result = api.solve(
                problem, solver, k=int(k), nonnegative=item.nonnegative, refit=True, **settings
            )
            entries[key] = known.of_result(item, result)
    return entries
