"""Checks a run from its kept files alone: its verdicts, and its rows against another run's.

Exact: status, k, cardinality, support, iterations, flops. Within 1e-9 relative: variances, bounds,
lambda_1. Of claims: the verdict, the words, and whether the data are a stand-in. A row or a
figure that only one of the runs has is a difference. Times and memory are not compared; runs that a
clock ended, and rounds of timing that it left room for in one run only, are counted, and not
compared.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from spcabench.errors import InputError
from spcabench.page import claims_file
from spcabench.page.draw import judgement
from spcabench.running import grid, rows
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
# what a claim says beside its verdict and its number
WORDS = ("quote", "where", "test", "threshold")
SAYS_STAND_IN = "(on a stand-in"
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
    try:
        names = json.loads(file.read_text(encoding="utf-8"))
        good = all(
            isinstance(name, str) for column in KEY for name in names.get(column, {}).values()
        )
    except (OSError, ValueError, AttributeError):
        good, names = False, {}
    if not good or not set(names) <= set(KEY):
        raise InputError(
            f"--names: {file}; a JSON file with column -> {{old: new}}, the columns "
            f"{', '.join(KEY)}"
        )
    return names


def rows_of(folder: Path, figure: str) -> list[Path]:
    """The files of a figure's rows, and of those that it shares."""
    return [
        f
        for name in (figure, *grid.shared(figure))
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
        old, new = _verdicts(report), _verdicts(again)
        names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        differ = [f"{figure} {name}: {_change(old.get(name), new.get(name))}" for name in names]
        differ += _contradictions(figure, report) + _other_words(figure, report, again, "was", "is")
        yield Outcome(
            f"{figure}: {len(new)} claims judged again from {again['runs']['rows']} rows", differ
        )


def _verdicts(report: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {_name(c): (c["verdict"], c["measured"]) for c in report["claims"]}


def _contradictions(figure: str, report: dict[str, Any]) -> list[str]:
    """Claims whose words say that the data are a stand-in, where no data are marked as one."""
    if any(data["stand_in"] for data in report["data"]):
        return []
    says = [_name(claim) for claim in report["claims"] if SAYS_STAND_IN in claim["measured"]]
    return [f"{figure} {name}: says stand-in, but no data are marked as one" for name in says]


def _other_words(
    figure: str, one: dict[str, Any], other: dict[str, Any], first: str, second: str
) -> list[str]:
    """The data and the claims of both reports whose stand-in flag or words differ."""
    differ = []
    for word, names in (("data", _datasets), ("claims", _claims)):
        entries, others = names(one[word]), names(other[word])
        for name in (name for name in entries if name in others):
            for column in ("stand_in", *(WORDS if word == "claims" else ())):
                a, b = entries[name].get(column), others[name].get(column)
                if a != b:
                    differ.append(f"{figure} {name}: {column} {first} {a!r}, {second} {b!r}")
    return differ


def _datasets(entries: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {entry["name"]: entry for entry in entries}


def _claims(entries: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {_name(entry): entry for entry in entries}


def _name(claim: dict[str, Any]) -> str:
    return f"{claim['id']} {claim['variant']}".strip()


def _change(old: tuple[str, str] | None, new: tuple[str, str] | None) -> str:
    """What became of a verdict and its number, from where they differ."""
    if old is None or new is None:
        return "is not judged any more" if new is None else "was not judged"
    first = next((i for i, (a, b) in enumerate(zip(old[1], new[1], strict=False)) if a != b), 0)
    cut = [
        f"{verdict}, {'...' * (first > 0)}{text[first : first + 40]!r}"
        for verdict, text in (old, new)
    ]
    return f"was {cut[0]}, is {cut[1]}"


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
            outcome.differences += _changed(figure, mine[figure], theirs[figure])
            yield outcome


def _changed(figure: str, mine: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """The verdicts that differ, those apart that rest on a clock, and the words of the claims."""
    timed = {_name(claim) for claim in mine["claims"] if claim["timed"]}
    ours, others = _verdicts(mine), _verdicts(theirs)
    both = [name for name in ours if name in others and name not in timed]
    differ = [
        f"{figure} {n}: {ours[n][0]} against {others[n][0]}"
        for n in both
        if ours[n][0] != others[n][0]
    ]
    return differ + _other_words(figure, mine, theirs, "is", "in the other run")


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
