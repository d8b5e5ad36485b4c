"""Checks a run from its kept files alone: its verdicts, and its rows against another run's.

Exact: status, k, cardinality, support, iterations, flops. Within 1e-9 relative: variances, bounds,
lambda_1. Of statements: what is written (quote, rule, primary reading), verdict, marks, sentences,
and every number. A row or a figure that only one of the runs has is a difference. Times and memory
are not compared; runs that a clock ended, and rounds of timing that it left room for in one run
only, are counted, and not compared.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from spcabench import opening
from spcabench.errors import InputError
from spcabench.page import claims_file
from spcabench.page.draw import judgement
from spcabench.running import figure_jobs, rows
from spcabench.running.schema import KEY
from spcabench.solving.status import Status

EXACT = (
    "status",
    "k",
    "cardinality",
    "support",
    "iterations",
    "flops",
    "setup_flops",
    "search_runs",
    "search_flops",
)
CLOSE, TOLERANCE = ("variance", "variance_refit", "bound", "lambda_1"), 1e-9
# what a judged statement says beside its numbers
SAID = ("verdict", "would", "reason", "side", "marks", "short", "cause", "sentence")
ENDED_BY_CLOCK = (Status.TIME_LIMIT, Status.KILLED, Status.CRASH, Status.MEMORY_LIMIT)
Names = dict[str, dict[str, str]]


@dataclass
class Outcome:
    """What one check says: a line, and the differences that make it fail."""

    line: str
    differences: list[str] = field(default_factory=list)


def read_names(file: Path) -> Names:
    """The map of a JSON file, column -> {old: new}.

    Raises InputError for a file that is none, or another column.
    """
    names = opening.parsed(opening.read_bytes(file), Names, f"--names: {file}")
    if not set(names) <= set(KEY):
        raise InputError(
            f"--names: {file}; a JSON file with column -> {{old: new}}, the columns "
            f"{', '.join(KEY)}"
        )
    return names


def rows_of(folder: Path, figure: str) -> list[Path]:
    """The files of a figure's rows, and of those that it shares."""
    return [
        f
        for name in (figure, *figure_jobs.shared(figure))
        for f in sorted((folder / "rows" / name).glob("*.parquet"))
    ]


def rejudge(folder: Path) -> Iterator[Outcome]:
    """Judge every claim again from the kept rows."""
    for figure, report in claims_file.read_all(folder).items():
        files = rows_of(folder, figure)
        if not files:
            yield Outcome(f"{figure}: no rows are kept", [f"{figure}: cannot be judged again"])
            continue
        if rows.read_text(files, ["history_left_out"]).history_left_out.any():
            yield Outcome(
                f"{figure}: not judged again: the histories of its runs were too large to publish"
            )
            continue
        try:
            again = judgement(figure, report["scale"], files)
        except Exception as error:  # rows of another version of the figure
            yield Outcome(
                f"{figure}: cannot be judged again", [f"{figure}: {type(error).__name__}: {error}"]
            )
            continue
        differ = list(_judged_otherwise(figure, report, again)) + _data_flags(figure, report, again)
        yield Outcome(
            f"{figure}: {len(again['statements'])} statements judged again from "
            f"{again['runs']['rows']} rows",
            differ,
        )


def _judged_otherwise(
    figure: str, one: dict[str, Any], other: dict[str, Any], timed: bool = True
) -> Iterator[str]:
    """What differs between the statements of two claims files, the rule of each first.

    timed : whether verdicts that rest on a clock, and numbers, are compared too.
    """
    old, new = _by_id(one), _by_id(other)
    for id in dict.fromkeys([*old, *new]):
        name = f"{figure} {id}"
        if id not in old or id not in new:
            yield f"{name}: {'is not judged any more' if id in old else 'was not judged'}"
            continue
        a, b = old[id], new[id]
        yield from (f"{name}: {line}" for line in claims_file.changed(a, b))
        if timed:
            yield from (f"{name}: {w} was {a[w]!r}, is {b[w]!r}" for w in SAID if a[w] != b[w])
            yield from _other_numbers(name, a, b)
        elif a["verdict"] != b["verdict"] and not a["timed"]:
            yield f"{name}: {a['verdict']} against {b['verdict']}"
        if _stand_in(a) != _stand_in(b):
            yield f"{name}: stand_in {_stand_in(a)} against {_stand_in(b)}"


def _other_numbers(name: str, one: dict[str, Any], other: dict[str, Any]) -> Iterator[str]:
    """The first place of a statement whose number is another one."""
    old, new = _places(one), _places(other)
    if old.keys() != new.keys():
        lost = sorted(map(str, old.keys() ^ new.keys()))
        yield f"{name}: places in one only: {lost[0]}{' and more' if len(lost) > 1 else ''}"
        return
    for place, a in old.items():
        off = _relative(_number(a), _number(new[place]))
        if off[0] > TOLERANCE:
            yield f"{name}: {' '.join(filter(None, place))} was {a}, is {new[place]}"
            return


def _places(statement: dict[str, Any]) -> dict[tuple[str, ...], float | None]:
    return {
        (reading["name"], place["part"], place["label"]): place["value"]
        for reading in statement["readings"]
        for place in reading["places"]
    }


def _number(value: float | None) -> np.ndarray:
    return np.array([np.nan if value is None else value])


def _by_id(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {entry["id"]: entry for entry in report["statements"]}


def _stand_in(statement: dict[str, Any]) -> dict[str, bool]:
    return {reading["name"]: reading["stand_in"] for reading in statement["readings"]}


def _data_flags(figure: str, one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """The data that only one of two claims files marks as a stand-in."""
    old, new = ({d["name"]: d["stand_in"] for d in report["data"]} for report in (one, other))
    return [
        f"{figure} {name}: stand_in was {old[name]}, is {new[name]}"
        for name in old.keys() & new.keys()
        if old[name] != new[name]
    ]


def against(
    folder: Path, other: Path, names: Names | None = None, whole: bool = True
) -> Iterator[Outcome]:
    """Compare the rows and the verdicts of two runs at the same scale.

    names : column -> {old: new}, what the other run calls by an older name.
    whole : a figure that only one run has is a difference; else figures that this run has not are
        left out.
    """
    mine, theirs = claims_file.read_all(folder), claims_file.read_all(other)
    for figure in sorted(set(mine) | set(theirs) if whole else mine):
        if figure not in mine or figure not in theirs:
            yield Outcome(
                f"{figure}: in one run only",
                [f"{figure}: is not in {folder if figure in theirs else other}"],
            )
        elif mine[figure]["scale"] != theirs[figure]["scale"]:
            yield Outcome(
                f"{figure}: {mine[figure]['scale']} scale against {theirs[figure]['scale']}: not "
                "compared"
            )
        else:
            tables = _table(folder / "rows" / figure), _table(other / "rows" / figure, names)
            outcome = (
                _compared(figure, *tables)
                if any(map(len, tables))
                else Outcome(f"{figure}: no rows of its own")
            )
            both = (figure, mine[figure], theirs[figure])
            outcome.differences += [*_judged_otherwise(*both, timed=False), *_data_flags(*both)]
            yield outcome


def _table(folder: Path, names: Names | None = None) -> pd.DataFrame:
    files = sorted(folder.glob("*.parquet"))
    table = rows.read_text(files, [*KEY, *EXACT, *CLOSE, "flops_convention"]).replace(names or {})
    table[KEY] = table[KEY].astype(object).where(table[KEY].notna(), "").astype(str)
    table["place"] = table.groupby(KEY).cumcount()
    return table


def _compared(figure: str, mine: pd.DataFrame, theirs: pd.DataFrame) -> Outcome:
    everything = mine.merge(
        theirs, on=[*KEY, "place"], suffixes=("", "_other"), how="outer", indicator=True
    )
    both = everything[everything._merge == "both"]
    round_only = (everything._merge != "both") & (everything.repeat != "0")
    ended = both.status.isin(ENDED_BY_CLOCK) | both.status_other.isin(ENDED_BY_CLOCK)
    kept = both[~ended]
    differ = _alone(figure, everything[(everything._merge != "both") & ~round_only])
    recounted = kept.flops_convention != kept.flops_convention_other
    for name in EXACT:
        part = kept[~recounted] if name.endswith("flops") else kept
        if name == "support":  # older rows have it only where a figure asked for it
            part = part[part[name].notna() & part[f"{name}_other"].notna()]
        pairs = zip(part[name], part[f"{name}_other"], strict=True)
        wrong = sum(_plain(a) != _plain(b) for a, b in pairs)
        differ += [f"{figure}: {name} differs in {wrong} of {len(part)} rows"] if wrong else []
    largest = 0.0
    for name in CLOSE:
        off = _relative(*(kept[column].to_numpy(dtype=float) for column in (name, f"{name}_other")))
        largest = max(largest, float(off.max(initial=0.0)))
        beyond = int((off > TOLERANCE).sum())
        differ += [f"{figure}: {name} differs in {beyond} of {len(kept)} rows"] if beyond else []
    words = [
        f"{figure}: {len(kept)} rows compared, largest relative difference {largest:.0e}",
        *([f"{sum(ended)} that a clock ended"] if any(ended) else []),
        *([f"{sum(round_only)} rounds of timing in one run only"] if any(round_only) else []),
        *([f"flops of {sum(recounted)} by another convention"] if any(recounted) else []),
    ]
    return Outcome("; ".join(words), differ)


def _relative(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """|a - b| / |b|; 0 where both are missing, infinite where one is."""
    off = np.abs(a - b) / np.maximum(np.abs(b), 1e-300)
    return np.where(np.isnan(a) & np.isnan(b), 0.0, np.where(np.isnan(off), np.inf, off))


def _alone(figure: str, alone: pd.DataFrame) -> list[str]:
    """A difference for each solver with rows that only one of the runs has."""
    sides = {"left_only": "here", "right_only": "in the other run"}
    name = alone.solver.where(alone.solver != "", alone.measure)
    counts = alone.groupby([alone._merge, name], observed=True).size()
    return [
        f"{figure}: {count} rows of {solver} only {sides[side]}"
        for (side, solver), count in counts.items()
    ]


def _plain(value: Any) -> Any:
    """Comparable: arrays as lists, every missing value as None."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return None if value is None or value != value else value
