"""Check a run from its stored files alone: judge it again, and compare it with another run.

All fields of the statements are compared, in the files of the figures and of the run: words
exactly, numbers within 1e-6, because fits differ in their last digits between processors.

In the rows of two runs, status, k, cardinality, support, iterations and flops are compared exactly;
variances, bounds and lambda_1 within a relative 1e-9. A row or a figure that exists in only one of
the runs is a difference. Times and memory are not compared. Some rows are only counted: runs that
were stopped by a time limit, and rounds of timing and rows of long runs (``spcabench figure --scale
long``) that exist in only one of the runs.
"""

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

import numpy as np
import pandas as pd

from spcabench import machine
from spcabench.errors import InputError, nearest
from spcabench.files import read_json
from spcabench.page import claims_file, forest, paper_page
from spcabench.page.draw import judgement
from spcabench.running import jobs as figure_jobs
from spcabench.running import rows
from spcabench.running.schema import KEY
from spcabench.solving.status import Status

PUBLISHED = f"results/published/{claims_file.NAME}"
# columns of numbers, with the largest relative difference
CLOSE = dict.fromkeys(("variance", "variance_refit", "bound", "lambda_1"), 1e-9)
EXACT = dict.fromkeys(
    ("k", "cardinality", "iterations", "flops", "setup_flops", "search_runs", "search_flops"), 0.0
)
TOLERANCE = CLOSE["variance"]
ENDED_BY_CLOCK = (Status.TIME_LIMIT, Status.KILLED, Status.CRASH, Status.MEMORY_LIMIT)
WIDTH = 110  # of a line about a changed statement, in characters
Stored = dict[str, Any]


@dataclass
class Outcome:
    """The result of a check: a line of text, and the differences that make the check fail."""

    line: str
    differences: list[str] = field(default_factory=list)


def rows_of(folder: Path, figure: str) -> list[Path]:
    """Return the files of a figure's rows, including those shared with other figures."""
    names = (figure, *figure_jobs.shared(figure))
    return [file for name in names for file in paper_page.row_files(folder, name)]


def rejudge(folder: Path) -> Iterator[Outcome]:
    """Judge every claim again from the stored rows, and compare the run's file with them."""
    reports = claims_file.read_all(folder)
    for figure, report in reports.items():
        yield _rejudged(figure, report, rows_of(folder, figure))
    if (folder / claims_file.NAME).exists():
        run = claims_file.read(folder / claims_file.NAME)["statements"]
        yield Outcome(
            f"{claims_file.NAME}: {len(run)} statements compared with those of the figures",
            list(_different_statements(claims_file.NAME, run, claims_file.of_run(reports))),
        )


def _rejudged(figure: str, report: Stored, files: list[Path]) -> Outcome:
    """Return the outcome of judging one figure again."""
    if not files:
        return Outcome(f"{figure}: no rows are stored", [f"{figure}: cannot be judged again"])
    try:
        judged = judgement(figure, report["scale"], files)
    # the figure may have changed since its rows were computed; report it and check the others
    except Exception as error:
        return Outcome(
            f"{figure}: cannot be judged again", [f"{figure}: {type(error).__name__}: {error}"]
        )
    return Outcome(
        f"{figure}: {len(judged['statements'])} statements judged again from "
        f"{judged['runs']['rows']} rows",
        list(_different_statements(figure, report["statements"], judged["statements"])),
    )


def _different_statements(name: str, stored: list[Stored], again: list[Stored]) -> Iterator[str]:
    """Yield a line for each statement that differs, with the first difference."""
    for id, old, new in _pairs(stored, again):
        if old is None or new is None:
            yield f"{name} {id}: {'was not judged' if old is None else 'is not judged any more'}"
        # show only the first difference, because a changed rule alters dozens of fields
        elif lines := list(claims_file.differences(old, new)):
            others = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
            yield f"{name} {id}: {lines[0]}{others}"


def _pairs(
    old: list[Stored], new: list[Stored]
) -> Iterator[tuple[str, Stored | None, Stored | None]]:
    """Yield the statements of two files by id, with None where a file lacks one."""
    before, after = ({s["id"]: s for s in statements} for statements in (old, new))
    for id in dict.fromkeys([*before, *after]):
        yield id, before.get(id), after.get(id)


def _untimed(statement: Stored) -> Stored:
    """Return what another machine finds too: the wording, stand-ins, and most verdicts."""
    return {
        "id": statement["id"],
        **claims_file.written(statement),
        # times differ between machines, and so do verdicts based on times
        "verdict": "" if statement["timed"] else statement["verdict"],
        "stand_in": {reading["name"]: reading["stand_in"] for reading in statement["readings"]},
    }


def against(folder: Path, other: Path, whole: bool = True) -> Iterator[Outcome]:
    """Compare the rows and the verdicts of two runs at the same scale.

    whole : whether a figure in only one of the runs is a difference; otherwise only the figures of
        this run are compared.
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
            tables = _table(folder / "rows" / figure), _table(other / "rows" / figure)
            outcome = (
                _compared(figure, *tables)
                if any(map(len, tables))
                else Outcome(f"{figure}: no rows of its own")
            )
            both = ([*map(_untimed, run[figure]["statements"])] for run in (mine, theirs))
            outcome.differences += _different_statements(figure, *both)
            yield outcome


def _table(folder: Path) -> pd.DataFrame:
    """Return the rows of a figure with texts in the columns of their key."""
    columns = [*KEY, "status", "support", *EXACT, *CLOSE, "flops_convention"]
    table = rows.read_text(sorted(folder.glob("*.parquet")), columns)
    table[KEY] = table[KEY].astype(object).where(table[KEY].notna(), "").astype(str)
    # rounds of timing have the same key, and are compared in their order
    table["place"] = table.groupby(KEY).cumcount()
    return table


def _compared(figure: str, mine: pd.DataFrame, theirs: pd.DataFrame) -> Outcome:
    everything = mine.merge(
        theirs, on=[*KEY, "place"], suffixes=("", "_other"), how="outer", indicator="side"
    )
    alone, both = (everything[(everything.side == "both") == is_both] for is_both in (False, True))
    # a run at the papers' scale does not wait for long runs, and a fast machine makes more rounds
    long = alone.group.str.startswith(figure_jobs.LONG)
    rounds = ~long & (alone.repeat != "0")
    # the progress of such a run depends on the machine
    ended = both.status.isin(ENDED_BY_CLOCK) | both.status_other.isin(ENDED_BY_CLOCK)
    sound = both[~ended]
    # flops by different conventions cannot be compared
    recounted = sound.flops_convention != sound.flops_convention_other
    supports = sound[["support", "support_other"]].dropna().map(list)  # older rows lack some
    wrong = {
        "status": (sound.status != sound.status_other),
        "support": supports.support != supports.support_other,
    }
    largest = 0.0
    for name, tolerance in (EXACT | CLOSE).items():
        part = sound[~recounted] if name.endswith("flops") else sound
        off = _relative(*(part[c].to_numpy(dtype=float) for c in (name, f"{name}_other")))
        largest = max(largest, float(off.max(initial=0.0))) if name in CLOSE else largest
        wrong[name] = off > tolerance
    differ = [*_alone(figure, alone[~rounds & ~long])] + [
        f"{figure}: {name} differs in {sum(of)} of {len(of)} rows"
        for name, of in wrong.items()
        if any(of)
    ]
    counted = {
        "ended by a clock": ended,
        "rounds of timing in one run only": rounds,
        "rows of long runs in one run only": long,
        "with flops by another convention": recounted,
    }
    words = [f"{figure}: {len(sound)} rows compared, largest relative difference {largest:.0e}"]
    return Outcome(
        "; ".join([*words, *(f"{sum(n)} {w}" for w, n in counted.items() if any(n))]), differ
    )


def _relative(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return |a - b| / |b|, 0 if both values are missing, or infinity if one of them is missing."""
    # 1e-300, so that zero equals zero
    off = np.abs(a - b) / np.maximum(np.abs(b), 1e-300)
    return np.where(np.isnan(a) & np.isnan(b), 0.0, np.where(np.isnan(off), np.inf, off))


def _alone(figure: str, alone: pd.DataFrame) -> Iterator[str]:
    """Describe the rows that exist in only one of the runs, per solver."""
    # a row without a solver belongs to a function, whose name is in the column measure
    name = alone.solver.where(alone.solver != "", alone.measure)
    for (side, solver), count in alone.groupby([alone.side, name], observed=True).size().items():
        where = "here" if side == "left_only" else "in the other run"
        yield f"{figure}: {count} rows of {solver} only {where}"


def releases(root: Path) -> dict[str, str]:
    """Return version -> commit that gave it its date in the changelog, the newest first."""
    found: dict[str, str] = {}
    headings = re.findall(r"^## \d.*", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    for heading in headings:
        log = machine.git(root, "log", "--format=%H", f"-S{heading}\n", "--", "CHANGELOG.md")
        found |= {heading.split()[1]: commit for commit in log.split()[-1:]}
    return found


def _published_at(root: Path, release: str) -> Any:
    """Return the statements that a release or a commit published."""
    if not (root / ".git").exists():
        raise InputError("--against: needs a clone, whose history has the releases")
    known = releases(root)
    try:
        text = machine.git(root, "show", f"{known.get(release, release)}:{PUBLISHED}")
    except (OSError, CalledProcessError):
        raise InputError(
            f"--against: {release!r:.40} is no release ({', '.join(known)}) and no commit with "
            f"{PUBLISHED}"
        ) from None
    old = json.loads(text)
    if "statements" not in old:
        raise InputError(f"--against: {release!r:.40} published {PUBLISHED} in another format")
    return old["statements"]


def since(root: Path, release: str, ids: Sequence[str] = ()) -> Iterator[str]:
    """Yield what changed in the published statements since a release, grouped by the cause.

    A statement is new or gone, or its number or verdict changed with the rule, the readings or the
    rows. There is one line for each statement. The lines of the changelog that name them follow.

    root : the clone. release : a version of CHANGELOG.md, or a commit. ids : of the statements;
    by default, all of them.
    """
    old = _published_at(root, release)
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    groups: dict[str, list[str]] = {}
    changed: list[str] = []
    pairs = {id: (a, b) for id, a, b in _pairs(old, read_json(root / PUBLISHED)["statements"])}
    for id in ids or pairs:
        if id not in pairs:
            raise InputError(nearest("statement", id, pairs))
        a, b = pairs[id]
        cause, details = _why(a, b)
        if cause:
            changed.append(id)
            verdicts = " -> ".join(dict.fromkeys(s["verdict"] for s in (a, b) if s))
            details = details if ids else textwrap.shorten(details, WIDTH - 30)
            groups.setdefault(cause, []).append(f"  {id:5} {verdicts:20} {details}".rstrip())
        elif ids:
            yield f"{id}: no change"
    for cause, lines in groups.items():
        yield f"{cause} ({len(lines)})"
        yield from lines
    if not (groups or ids):
        yield "no change"
    later = changelog.partition(f"\n## {release} ")[0] if f"\n## {release} " in changelog else ""
    for line in (" ".join(e.removeprefix("- ").split()) for e in re.split(r"\n- |\n\n", later)):
        if any(re.search(rf"\b{id}\b", line) for id in changed):
            yield textwrap.fill(line, WIDTH, initial_indent="changelog: ", subsequent_indent="  ")


def _why(old: Stored | None, new: Stored | None) -> tuple[str, str]:
    """Return the cause of another number or verdict, and its details; the cause is "" if equal."""
    if old is None or new is None:
        return ("new statements" if old is None else "statements that are gone"), ""
    rule, other = ("; ".join(map(_rule, s["parts"])) for s in (old, new))
    if rule != other:
        return "another rule", f"{rule} -> {other}"
    before, after = ({r["name"]: r for r in s["readings"]} for s in (old, new))
    if before.keys() != after.keys():
        signs = {"+": after.keys() - before.keys(), "-": before.keys() - after.keys()}
        told = [f"{sign} {name!r}" for sign, names in signs.items() for name in sorted(names)]
        return "other readings of the paper", ", ".join(told)
    changed = [
        f"{name!r} from {before[name]['rows']} to {reading['rows']} rows"
        for name, reading in after.items()
        if [*claims_file.differences(_numbers(before[name]), _numbers(reading))]
    ]
    if changed:
        return "other rows", ", ".join(changed)
    return ("another way to combine readings" if old["verdict"] != new["verdict"] else ""), ""


def _rule(part: Stored) -> str:
    """Return the rule of a part, and the places to which it applies, in words."""
    # version 0.3.0 had one word for all places
    need = "every" if part["over"].get("all") else "some"
    return forest.scope(part | {"over": {"need": need} | part["over"]})


def _numbers(reading: Stored) -> list[Any]:
    return [reading["verdict"], *(place["value"] for place in reading["places"])]
