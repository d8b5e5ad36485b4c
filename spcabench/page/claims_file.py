"""The claims files of a run: the verdicts of each figure, with what they rest on."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

from spcabench import registry
from spcabench.claims import Statement
from spcabench.errors import InputError, using_file
from spcabench.running.whole_files import write_text

SCHEMA = 2
NAME = "claims.json"
WORDS = ("quote", "test", "threshold")  # what makes a statement another one
# what the claims of older files do not have
DEFAULTS: dict[str, Any] = {"by_construction": "", "conditions": (), "cause": "", "remark": ""}


def read(file: Path) -> dict[str, Any]:
    """The claims file of a figure. Raises InputError for a file of another schema."""
    with using_file(file):
        report = json.loads(file.read_text(encoding="utf-8"))
    schema = report.get("schema") if isinstance(report, dict) else None
    if schema == 1:
        report = _from_1(report)
    elif schema != SCHEMA:
        raise InputError(
            f"{file}: schema {schema!r}; allowed are 1 and {SCHEMA}: judge this figure again"
        )
    return report | {"claims": [DEFAULTS | claim for claim in report["claims"]]}


def read_all(folder: Path) -> dict[str, dict[str, Any]]:
    """Figure -> its claims file. Raises InputError where a folder has none."""
    files = sorted((folder / "figures").glob(f"*/{NAME}"))
    if not files:
        raise InputError(
            f"{folder}: no figures/NAME/{NAME} there; make figures, or name another folder"
        )
    return {file.parent.name: read(file) for file in files}


def write(file: Path, report: dict[str, Any]) -> None:
    """Write the claims file of a figure."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, json.dumps(report, indent=1, default=float) + "\n")


def statements(module: ModuleType) -> list[Statement]:
    """The statements of a figure's module."""
    return [value for value in vars(module).values() if isinstance(value, Statement)]


def revised(report: dict[str, Any]) -> str:
    """Which statements of a figure were changed or added since its claims were judged, in words.

    Nothing where none was, and where the figure is not there any more.
    """
    if report["figure"] not in registry.names("figure"):
        return ""
    # two readings of one claim may have a test each
    judged = {tuple(claim.get(word) for word in ("id", *WORDS)) for claim in report["claims"]}
    known = {claim["id"] for claim in report["claims"]}
    changed, new = [], []
    for statement in statements(registry.module("figure", report["figure"])):
        if statement.id not in known:
            new.append(statement.id)
        elif tuple(getattr(statement, word) for word in ("id", *WORDS)) not in judged:
            changed.append(statement.id)
    parts = [f"another test or quote: {', '.join(changed)} (judged here by the earlier one)"]
    parts = parts if changed else []
    parts += [f"new, and not judged here: {', '.join(new)}"] if new else []
    return "; ".join(parts)


def _from_1(report: dict[str, Any]) -> dict[str, Any]:
    """Add what the first schema did not say, as today's file of the figure has it.

    It did not say which verdicts rest on a clock, nor which real data are not the paper's own.
    """
    known: dict[str, Statement] = {}
    others: tuple[str, ...] = ()
    if report["figure"] in registry.names("figure"):
        module = registry.module("figure", report["figure"])
        known = {statement.id: statement for statement in statements(module)}
        others = getattr(module, "STAND_INS", ())
    data = [
        entry | {"stand_in": entry["stand_in"] or entry["dataset"] in others}
        for entry in report.get("data", ())
    ]
    more = {"stand_in": True} if any(entry["stand_in"] for entry in data) else {}
    claims = [
        claim
        | {"timed": claim["id"] in known and known[claim["id"]].rests_on_clock(claim["variant"])}
        | more
        for claim in report["claims"]
    ]
    return report | {"schema": SCHEMA, "claims": claims, "data": data}
