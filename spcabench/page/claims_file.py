"""Read and write the claims files of a run, which contain each figure's judged statements."""

import csv
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from spcabench import claims, figures
from spcabench.claims import Claim, judging
from spcabench.errors import InputError
from spcabench.files import read_json, write_text

VERSION = 4
SCHEMA = Path(claims.__file__).with_name("claims.schema.json")
NAME = "claims.json"
FIRST_VERDICTS = Path(figures.__file__).with_name("first_verdicts.csv")
# the fields of a stored statement that are written before anything is measured
WRITTEN = ("where", "quote", "kind", "parts", "paper", "any_data", "calibrated", "deviates")
# least-squares fits of figures differ in the 9th digit between processors
TOLERANCE, NOTHING = 1e-6, 1e-12
Stored = dict[str, Any]


def read(file: Path, figure: str = "") -> Stored:
    """Read the claims file of a figure, or of a run if no figure is named.

    Raises InputError for a file of another version or figure, or one that violates the schema.
    """
    report = read_json(file, expected="a claims file")
    version = report.get("version")
    if version != VERSION:
        raise InputError(
            f"{file}: its format has version {version!r:.40}, not {VERSION}; run the figure again"
        )
    # the file can come from elsewhere, and a missing field must not break a page halfway
    wrong = best_match(_schema(figure).iter_errors(report))
    if wrong is not None:
        place = ".".join(map(str, wrong.absolute_path)) or "the whole"
        raise InputError(f"{file}: {place:.60}: {wrong.message:.100}; run the figure again")
    return report


@cache
def _schema(figure: str) -> Draft202012Validator:
    """Return the schema of the claims file of a figure, or of a run."""
    known = read_json(SCHEMA)
    # a file copied into the folder of another figure is a mistake
    mine = {"required": ["figure"], "properties": {"figure": {"const": figure}}}
    return Draft202012Validator(known | ({"allOf": [mine]} if figure else {}))


def read_all(folder: Path) -> dict[str, Stored]:
    """Return the claims file of each figure by name; raise InputError if there are none."""
    files = sorted((folder / "figures").glob(f"*/{NAME}"))
    if not files:
        raise InputError(
            f"{folder}: it contains no figures/NAME/{NAME}; run `make figures`, or specify another "
            "folder"
        )
    return {file.parent.name: read(file, file.parent.name) for file in files}


def write(file: Path, report: Stored) -> None:
    """Write the claims file of a figure."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, in_lines(report, "statements"))


def in_lines(report: Stored, name: str) -> str:
    """Return a report as JSON, with a line for each entry of the list ``name``.

    The text is short, and git can still show which entry changed.
    """
    compact = partial(json.dumps, separators=(",", ":"), default=float)
    head = compact({key: value for key, value in report.items() if key != name})
    entries = ",\n".join(map(compact, report[name]))
    return f'{head[:-1]},"{name}":[\n{entries}\n]}}\n'


@cache
def first_verdicts() -> dict[str, dict[str, list[Stored]]]:
    """Return the verdicts that earlier versions published, as a mapping paper -> id -> verdicts."""
    found: dict[str, dict[str, list[Stored]]] = {}
    with FIRST_VERDICTS.open(encoding="utf-8", newline="") as file:
        for entry in csv.DictReader(file):
            paper, id = entry.pop("paper"), entry.pop("id")
            found.setdefault(paper, {}).setdefault(id, []).append(entry)
    return found


def statements(module: ModuleType) -> list[Claim]:
    """Return the statements of a figure's module, in the order in which they are written."""
    # dicts preserve the order of definition, which is that of the paper
    found = [value for value in vars(module).values() if isinstance(value, Claim)]
    ids = [statement.id for statement in found]
    if len(set(ids)) < len(ids):
        raise ValueError(f"{module.__name__}: two statements have the same id: {ids}")
    return found


def of_run(reports: dict[str, Stored]) -> list[Stored]:
    """Return the statements of a run's figures, with their first verdicts."""
    return whole(
        statement
        | {"earlier": first_verdicts().get(reports[name]["paper"], {}).get(statement["id"], [])}
        for name in sorted(reports, key=natural)
        for statement in reports[name]["statements"]
    )


def judged_rows(reports: Iterable[Stored], figure: Stored) -> dict[str, str]:
    """Return the statements that rest on each row of a figure: the name of a row -> "K2 K3"."""
    found: dict[str, str] = {}
    for report in (r for r in reports if r["paper"] == figure["paper"]):
        for id, rows in report.get("rows_of", {}).items():
            for name in rows.get(figure["figure"], ()):
                found[name] = f"{found.get(name, '')} {id}".strip()
    return found


def natural(name: str) -> list[tuple[float, str]]:
    """Return a key that sorts ``fig10`` after ``fig9`` and ``density 0.1`` after ``0.03``."""
    parts = re.split(r"(\d+(?:\.\d+)?)", name)
    # every second part is a number
    return [(float(part), "") if i % 2 else (0, part) for i, part in enumerate(parts)]


def whole(entries: Iterable[Stored]) -> list[Stored]:
    """Return each statement once, judged on the data of all figures that share it.

    Raises InputError if two figures use the same id for different statements.
    """
    by_id: dict[tuple[str, str], list[Stored]] = {}
    for entry in entries:
        same = by_id.setdefault((entry["paper_key"], entry["id"]), [])
        # figures share a statement by importing it, so two texts with one id are an error
        if same and (changes := [*differences(written(same[0]), written(entry))]):
            raise InputError(
                f"statement {entry['id']} of {same[0]['figure']} differs from that in "
                f"{entry['figure']}: {changes[0]:.80}; run both figures again, or rename one "
                "statement"
            )
        same.append(entry)
    return [found[0] if len(found) == 1 else judging.merged(found) for found in by_id.values()]


def written(statement: Stored) -> Stored:
    """Return the fields of a stored statement that it had before its measurement."""
    return {name: statement[name] for name in WRITTEN}


def differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Yield the differences between two JSON values: "readings raw rows was 5, is 6"."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        for key, value in old.items():
            yield from differences(value, new[key], f"{path} {key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, (earlier, later) in enumerate(zip(old, new, strict=True)):
            label = earlier if isinstance(earlier, dict) else {}
            yield from differences(
                earlier, later, f"{path} {label.get('label', label.get('name', place))}"
            )
    elif not _equal(old, new):
        yield f"{path.strip()} was {old!r:.80}, is {new!r:.80}"


def _equal(old: Any, new: Any) -> bool:
    if isinstance(old, float) and isinstance(new, int | float) and not isinstance(new, bool):
        return bool(np.isclose(old, new, rtol=TOLERANCE, atol=NOTHING, equal_nan=True))
    # 1 == True in Python, but not in a file of verdicts
    return type(old) is type(new) and old == new
