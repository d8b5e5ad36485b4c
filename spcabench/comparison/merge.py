"""Merge comparisons from several machines: concatenate their rows and recompute their values."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from spcabench.comparison import grading, stored, suite
from spcabench.comparison.entrants import COMPONENTS, OF_SOLVER, Entrant
from spcabench.comparison.stored import Comparison, Plan
from spcabench.errors import InputError
from spcabench.running import rows as results


def merge(sources: Sequence[Path], out: Path) -> None:
    """Write one comparison with the rows of several.

    If several comparisons ran the same file, the rows of the first one are used.

    Raises InputError unless all comparisons have the same problems, settings and limits.
    """
    entrants: dict[str, Entrant] = {}
    tables: list[pa.Table] = []
    named: list[str] = []
    source_of: dict[str, str] = {}
    seen = set()  # names and checksums of solver files
    for folder in sources:
        part, table = Comparison.read(folder), results.read_table([folder / stored.ROWS])
        _check(part, next(iter(entrants.values()), part.terms))
        for label, entrant in part.entrants.items():
            mine = table.filter(pc.equal(table["solver"], label))
            file = (entrant.label, pc.max(mine["solver_sha256"]).as_py())
            if file in seen:
                continue
            seen.add(file)
            unique = label if label not in entrants else f"{label} ({part.name})"
            entrants[unique], source_of[unique] = entrant, part.name
            tables.append(results.replaced(mine, solver=[unique] * len(mine)))
            named += [unique] if label in part.plan.named else []
    terms = next(iter(entrants.values()))
    items = suite.items(terms.suite, terms.ks, terms.fresh)
    rows = grading.regraded(pa.concat_tables(tables), items)
    stored.write(out, entrants, rows, Plan(named, source_of))


def _said(name: str, value: Any) -> str:
    """Return a term of a comparison in words."""
    if name == "fresh":
        return "the public problems" if value is None else f"new problems with seed {value}"
    return f"{name} {value!r}"


def _check(part: Comparison, terms: Entrant) -> None:
    """Raise InputError unless a comparison has these terms and a row for each of its pairs."""
    if part.terms.suite == COMPONENTS:
        raise InputError(f"{part.name}: comparisons of several components cannot be merged")
    items = suite.items(terms.suite, terms.ks, terms.fresh)
    pairs = {(item.name, k) for item in items for k in item.ks}
    for label, entrant in part.entrants.items():
        for name, value in asdict(entrant).items():
            if name not in OF_SOLVER and value != getattr(terms, name):
                raise InputError(
                    f"merge: {part.name} has {_said(name, value)}, but another comparison has "
                    f"{_said(name, getattr(terms, name))}; they must be the same"
                )
        mine = part.rows[(part.rows.solver == label) & (part.rows.kind == "suite")]
        if {*zip(mine["item"], mine.asked, strict=True)} != pairs or len(mine) != len(pairs):
            raise InputError(f"{part.name}: {label}: its rows are not those of the suite")
