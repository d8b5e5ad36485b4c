"""The best known answers to the standard problems: a table that runs can improve.

Each entry contains the vector itself, and its value is recomputed on the problem; a mismatch is an
error.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from spcabench import api, opening, validate
from spcabench.atomic_files import write_text
from spcabench.comparison.suite import Item, by_name, called
from spcabench.errors import InputError
from spcabench.problem.problem import Problem
from spcabench.solving import bounds
from spcabench.solving.result import Result
from spcabench.streams import say
from spcabench.vectors import Vector, embed, support

TABLE = Path(__file__).with_name("best_known.json")
SCHEMA = 2
PROVEN = 1e-8  # relative gap up to which an optimum counts as proven
CLOSE = 1e-9  # relative difference up to which values count as equal
EXACT, HEURISTIC = "branch_and_bound", "local_search"


@dataclass(frozen=True)
class Entry:
    """The best known answer at cardinality k of a problem, and the smallest certified bound.

    problem : the name that the loaded problem has; a stand-in has another name and no entry.
    loadings : those on the support. who, when : the solver that found it, and the day.
    bound_by : the source of the bound: a solver, or one of the bounds of docs/bounds.md; empty if
        not recorded. seconds : processor time for the bound; 0 if not measured. bound_when : the
        day of the bound.
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
        """The gap between bound and value, relative to the value."""
        return max(self.bound / self.value - 1.0, 0.0)

    @property
    def key(self) -> tuple[str, str, int, bool]:
        """The question that the entry answers: item, problem, k and sign."""
        return self.item, self.problem, self.k, self.nonnegative

    def checked(self, problem: Problem) -> "Entry":
        """Return the same entry after recomputing its value.

        Raises RuntimeError if its vector is infeasible or has another value.
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
                f"best known: {self.item}, k = {self.k}: the entry has {self.value:.12g}, at most "
                f"{self.bound:.12g}, but its vector {value:.12g}, {len(self.support)} nonzeros, "
                f"norm {np.linalg.norm(x):.12g}"
            )
        return self


@dataclass(frozen=True)
class _Table:
    """The file of the table.

    version : number of improvements. sha256 : checksum of the entries.
    """

    schema: int
    version: int
    sha256: str
    entries: list[Entry]


Table = Mapping[tuple[str, str, int, bool], Entry]


def digest(entries: Iterable[Entry]) -> str:
    """Return the checksum of a table's entries."""
    return hashlib.sha256(
        json.dumps([vars(e) for e in entries], sort_keys=True).encode()  # asdict would copy it all
    ).hexdigest()


def read(file: Path = TABLE) -> dict[tuple[str, str, int, bool], Entry]:
    """Read the table, with keys (problem in the suite, the problem's own name, k, nonnegative).

    Raises InputError for a wrong checksum or schema.
    """
    if not file.exists():
        return {}
    stored = _stored(file)
    if digest(stored.entries) != stored.sha256:
        raise InputError(
            f"{file}: its checksum does not match its entries; restore it from the repository"
        )
    return {entry.key: entry for entry in stored.entries}


def checking(items: Iterable[Item], table: Table) -> Callable[..., Problem]:
    """Return `spcabench.api.load_or_stand_in` with a check of the entries of each loaded problem.

    Code that loads the problems anyway can thus check the table without loading them again.
    """
    items = [*items]

    def load(dataset: str, **parameters: Any) -> Problem:
        problem = api.load_or_stand_in(dataset, **parameters)
        for item in items:
            if (item.dataset, item.parameters) == (dataset, parameters):
                for entry in table.values():
                    if (entry.item, entry.problem, entry.nonnegative) == (
                        item.name,
                        problem.name,
                        item.nonnegative,
                    ):
                        entry.checked(problem)
        return problem

    return load


def version(file: Path = TABLE) -> int:
    """Return the number of improvements of the table; 0 if there is no table."""
    return _stored(file).version if file.exists() else 0


def _stored(file: Path) -> _Table:
    stored = opening.read_json(file, _Table, "the table of the best answers known")
    if stored.schema != SCHEMA:
        raise InputError(f"{file}: schema {stored.schema}; expected {SCHEMA}")
    return stored


def write(entries: Iterable[Entry], file: Path = TABLE) -> None:
    """Write the next version of the table."""
    ordered = sorted(entries, key=lambda e: e.key)
    head: dict[str, Any] = dict(schema=SCHEMA, version=version(file) + 1, sha256=digest(ordered))
    lines = ",\n".join(json.dumps(asdict(entry)) for entry in ordered)
    write_text(file, f'{json.dumps(head)[:-1]}, "entries": [\n{lines}\n]}}\n')


def refuted(old: Entry | None, new: Entry) -> str:
    """Return a sentence on a bound that the other entry's larger value refutes, if there is one."""
    for entry, other in ((old, new), (new, old)):
        if entry and other and other.value > entry.bound * (1.0 + CLOSE):
            return (
                f"{entry.item}, k = {entry.k}: the bound {entry.bound:.9g} (by "
                f"{entry.bound_by or 'a method that was not recorded'}, {entry.bound_when}) is "
                f"below the value {other.value:.9g} of a vector ({other.who}), and is dropped"
            )
    return ""


def merged(old: Entry | None, new: Entry) -> Entry:
    """Return the better value and the smaller bound of two answers to the same question.

    A value that agrees with the older entry up to rounding leaves that entry unchanged. A bound
    that the other entry's value refutes is dropped.
    """
    if old is None:
        return new
    best = new if new.value > old.value * (1.0 + CLOSE) else old
    if refuted(old, new):
        return best  # the best entry's own bound is the one that is not refuted
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
    """Return the best known answer to a problem with any of these names; None if there is none."""
    entries_of_k = [e for e in read().values() if (e.k, e.nonnegative) == (k, nonnegative)]
    entries = [entry for entry in entries_of_k if entry.item in items]
    return reduce(merged, entries) if entries else None


def of_result(item: Item, result: Result, seconds: float = 0.0, full: bool = False) -> Entry:
    """Return the table entry for a refitted result.

    seconds : processor time of the result. full : whether to compute all bounds of docs/bounds.md
        if there is a gap.
    """
    problem, k = result.problem, int(result.k or result.cardinality)
    bound = (result.bound, result.solver, seconds)
    if full and problem.variance(result.x) < result.bound * (1.0 - PROVEN):
        own = smallest_bound(problem, k, result.nonnegative, full=True)
        bound = min(bound, own, key=lambda each: each[0])
    return of_vector(item, problem, k, result.x, result.solver, bound)


def smallest_bound(
    problem: Problem, k: int, nonnegative: bool, full: bool = False
) -> tuple[float, str, float]:
    """Return our smallest bound, its source, and the processor time of all bounds.

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

    bound : the bound, its source and its seconds. when : the day, by default today.
    """
    value, W = problem.variance(x), support(x)
    when = when or datetime.now(UTC).date().isoformat()
    return Entry(
        item=item.name,
        problem=problem.name,
        k=k,
        nonnegative=item.nonnegative,
        value=value,
        bound=max(bound[0], value),
        proven=value >= bound[0] * (1.0 - PROVEN),
        support=W.tolist(),
        loadings=x[W].tolist(),
        who=who,
        when=when,
        bound_by=bound[1],
        seconds=round(bound[2], 3),
        bound_when=when,
    )


def searched(item: Item, k: int, effort: float = 1.0) -> list[Entry]:
    """Return the entries found by the exact search and the local search.

    effort : multiple of their default budgets.
    """
    problem = api.load_or_stand_in(item.dataset, **item.parameters)
    settings: dict[str, Any] = dict(k=k, nonnegative=item.nonnegative, refit=True)
    budgets = {EXACT: 2e11 * effort} | (
        {} if item.nonnegative else {HEURISTIC: round(500 * effort)}
    )
    entries = []
    for solver, budget in budgets.items():
        start = process_time()
        result = api.solve(problem, solver, budget=budget, **settings)
        seconds = process_time() - start
        if result.good:
            entries.append(of_result(item, result, seconds, full=solver == EXACT))
    return entries


def pairs(
    suites: Iterable[str], name: str | None = None, ks: Iterable[int] = ()
) -> list[tuple[Item, int]]:
    """Return the problems of suites, each with one of its cardinalities, without duplicates.

    Raises InputError for a name that no suite has.
    """
    items = by_name(suites)
    wanted = [*items.values()] if name is None else called(name, items.values())
    if name is not None and not wanted:
        own = [item for item in items.values() if item.dataset == name]
        parametrised = sorted({i.full_name if i.name == name else i.name for i in own})
        if parametrised:
            raise InputError(f"unknown problem {name!r}: problems of these data are {parametrised}")
        raise InputError(validate.nearest("problem", name, {item.name for item in items.values()}))
    return [(item, k) for item in wanted for k in (tuple(ks) or item.ks)]


def improve(wanted: Iterable[tuple[Item, int]], effort: float) -> int:
    """Improve the table by searching problems, and print each change. Returns their number.

    The table is written after each problem, so nothing is lost if the search is stopped.
    """
    changes = 0
    for item, k in wanted:
        for entry in searched(item, k, effort):
            # read again, because another search may have written in the meantime
            table = read()
            old = table.get(entry.key)
            if wrong := refuted(old, entry):
                say(wrong)
            new = merged(old, entry)
            if new == old:
                continue
            say(
                f"{item.name:15} k = {k:3}: {old.value if old else 0:.9g} -> {new.value:.9g}, "
                f"at most {new.bound:.9g}{', proven' if new.proven else ''} ({new.who})"
            )
            write({**table, entry.key: new}.values())
            changes += 1
    return changes
