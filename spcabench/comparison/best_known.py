"""The table of the best known answers to the standard problems, which new runs can improve.

Each entry contains a vector. Its value is recomputed on the problem, and a mismatch raises an
error.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path
from time import process_time

import numpy as np

from spcabench import files
from spcabench.comparison.suite import Item, by_name, called
from spcabench.errors import InputError, nearest
from spcabench.files import write_text
from spcabench.problem.problem import Problem
from spcabench.solving import bounds
from spcabench.solving.result import PROVEN
from spcabench.vectors import Vector, embed, support

TABLE = Path(__file__).with_name("best_known.json")
EXACT = "branch_and_bound"  # the solver that proves answers
CLOSE = 1e-9  # values are equal if they differ by at most this fraction


@dataclass(frozen=True)
class Entry:
    """The best known answer to a problem for cardinality k, and the smallest certified bound.

    problem : name of the loaded problem; a stand-in has a different name and therefore no entry.
        loadings : the nonzero loadings. who, when : the solver that found the answer, and the date.
        bound_by : the solver that proved the bound, or the name of a bound in docs/bounds.md; empty
        if it was not recorded. seconds : processor time for computing the bound, or 0 if it was not
        measured. bound_when : the date of the bound.
    """

    item: str
    problem: str
    k: int
    nonnegative: bool
    value: float
    bound: float
    proven: bool
    support: list[int]
    loadings: list[float]
    who: str
    when: str
    bound_by: str
    seconds: float
    bound_when: str

    @property
    def gap(self) -> float:
        """(bound - value) / bound; 0 if the value exceeds the bound by rounding."""
        return max((self.bound - self.value) / self.bound, 0.0)

    @property
    def key(self) -> tuple[str, str, int, bool]:
        """Key of the entry in the table: item, problem, k and sign constraint."""
        return self.item, self.problem, self.k, self.nonnegative

    def checked(self, problem: Problem) -> "Entry":
        """Verify the entry on its problem and return it.

        Raises RuntimeError if the vector is infeasible, if its value differs from the value in the
        entry, or if this value exceeds the bound.
        """
        x = embed(np.array(self.loadings), np.array(self.support, dtype=int), problem.n)
        value = problem.variance(x)
        good = (
            abs(x @ x - 1.0) < 1e-9
            and len(self.support) <= self.k
            and (x.min() >= 0.0 or not self.nonnegative)
        )
        if (
            not good
            or abs(value - self.value) > CLOSE * self.value
            or self.value > self.bound * (1.0 + CLOSE)
        ):
            raise RuntimeError(
                f"best known: {self.item}, k = {self.k}: the entry states the value "
                f"{self.value:.12g} and the bound {self.bound:.12g}, but its vector has the value "
                f"{value:.12g}, {len(self.support)} nonzeros and the norm {np.linalg.norm(x):.12g}"
            )
        return self


@dataclass(frozen=True)
class _Table:
    """The content of the table's file; version : number of improvements."""

    version: int
    entries: list[Entry]


Table = Mapping[tuple[str, str, int, bool], Entry]


def read(file: Path = TABLE) -> dict[tuple[str, str, int, bool], Entry]:
    """Read the table as a mapping from `Entry.key` to entries."""
    return {entry.key: entry for entry in _stored(file).entries}


def version(file: Path = TABLE) -> int:
    """Return how often the table has been improved, or 0 if there is no table."""
    return _stored(file).version


def _stored(file: Path) -> _Table:
    if not file.exists():
        return _Table(0, [])
    table: _Table = files.read_json(file, _Table, "the table of best known answers")
    return table


def write(entries: Iterable[Entry], file: Path = TABLE) -> None:
    """Write the next version of the table."""
    ordered = sorted(entries, key=lambda e: e.key)
    lines = ",\n".join(json.dumps(asdict(entry)) for entry in ordered)
    write_text(file, f'{{"version": {version(file) + 1}, "entries": [\n{lines}\n]}}\n')


def refuted(old: Entry | None, new: Entry) -> str:
    """Return a sentence about a bound that the value of the other entry refutes, or ""."""
    for entry, other in ((old, new), (new, old)):
        if entry and other and other.value > entry.bound * (1.0 + CLOSE):
            return (
                f"{entry.item}, k = {entry.k}: the bound {entry.bound:.9g} (by "
                f"{entry.bound_by or 'a method that was not recorded'}, {entry.bound_when}) is "
                f"below the value {other.value:.9g} of a vector ({other.who}) and is dropped"
            )
    return ""


def merged(old: Entry | None, new: Entry) -> Entry:
    """Combine two entries with the same key: use the better value and the smaller bound.

    If the values agree up to rounding, the answer of the older entry is kept. A bound is dropped if
    the value of the other entry refutes it.
    """
    if old is None:
        return new
    best = new if new.value > old.value * (1.0 + CLOSE) else old
    if refuted(old, new):
        return best  # the refuted bound is that of the other entry
    unsaid = not old.bound_by and new.bound <= old.bound * (1.0 + PROVEN)
    lower = new if unsaid or new.bound < old.bound * (1.0 - CLOSE) else old
    bound = max(lower.bound, best.value)
    return replace(
        best,
        bound=bound,
        proven=best.value >= bound * (1.0 - PROVEN),
        bound_by=lower.bound_by,
        seconds=lower.seconds,
        bound_when=lower.bound_when,
    )


def best(items: Collection[str], k: int, nonnegative: bool) -> Entry | None:
    """Return the best known answer to a problem with one of these names, or None."""
    entries_of_k = [e for e in read().values() if (e.k, e.nonnegative) == (k, nonnegative)]
    entries = [entry for entry in entries_of_k if entry.item in items]
    return reduce(merged, entries) if entries else None


def smallest_bound(
    problem: Problem, k: int, nonnegative: bool, full: bool = False
) -> tuple[float, str, float]:
    """Return the smallest bound, its source, and the processor time for computing all bounds.

    full : as in `upper_bounds`.
    """
    start = process_time()
    bound_of = bounds.upper_bounds(problem, k, nonnegative, full=full)
    source = min(bound_of, key=bound_of.__getitem__)
    return bound_of[source], source, process_time() - start


def of_vector(
    item: Item,
    problem: Problem,
    k: int,
    x: Vector,
    who: str,
    bound: tuple[float, str, float],
    when: str = "",
) -> Entry:
    """Return the table entry for a refitted vector x (n,).

    bound : the bound, its source and its processor time. when : the date, by default today.
    """
    value, W = problem.variance(x), support(x)
    where = f"{who} on {item.name}, k = {k}"
    when = when or datetime.now(UTC).date().isoformat()
    return Entry(
        item=item.name,
        problem=problem.name,
        k=k,
        nonnegative=item.nonnegative,
        value=value,
        bound=bounds.not_below(bound[0], value, problem, where, bound[1]),
        proven=value >= bound[0] * (1.0 - PROVEN),
        support=W.tolist(),
        loadings=x[W].tolist(),
        who=who,
        when=when,
        bound_by=bound[1],
        seconds=round(bound[2], 3),
        bound_when=when,
    )


def pairs(
    suites: Iterable[str], name: str | None = None, ks: Iterable[int] = ()
) -> list[tuple[Item, int]]:
    """Return all pairs of a problem of the suites and a cardinality, without duplicates.

    Raises InputError if no suite contains a problem with the name.
    """
    items = by_name(suites)
    wanted = [*items.values()] if name is None else called(name, items.values())
    if name is not None and not wanted:
        own = [item for item in items.values() if item.dataset == name]
        parametrised = sorted({i.full_name if i.name == name else i.name for i in own})
        if parametrised:
            raise InputError(f"unknown problem {name!r}; problems of this dataset: {parametrised}")
        raise InputError(nearest("problem", name, {item.name for item in items.values()}))
    return [(item, k) for item in wanted for k in (tuple(ks) or item.ks)]
