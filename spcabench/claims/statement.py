"""Statements of the papers: the quote, the measured quantity, and the rule that judges it.

A statement is written once, in the file of its figure. It is judged on the rows of the figure. The
result is plain data (see `judging`), which pages, documents and commands read without parsing.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from spcabench.claims import judging
from spcabench.claims.claim import PaperNumber, Part
from spcabench.claims.intervals import Measured
from spcabench.claims.rules import Rule, Scope
from spcabench.claims.words import listed

StatementKind = Literal["theorem", "number", "comparison"]
Stored = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """A measured number at one place: a band, a size, a cardinality, a data set.

    Attributes
    ----------
    label : str
        The place in words: "5-10 %", "n = 200".
    measured : Measured
        The number at this place.
    x : float
        Position of the place on the axis, if the scope has an axis.
    part : str
        Name of the part that was measured.
    """

    label: str
    measured: Measured
    x: float = np.nan
    part: str = ""


def places(
    table: pd.DataFrame,
    by: str,
    measure: Callable[[pd.DataFrame], Measured],
    label: str | Callable[[Any], str] = "{:g}",
    part: str = "",
) -> list[Place]:
    """Return a place for each value of a column, sorted by value.

    Parameters
    ----------
    table : DataFrame
        The rows.
    by : str
        Column with the position of the place on the axis.
    measure : callable
        Function that computes a `Measured` from the rows of one place.
    label : str or callable
        Label of a place: a format of x, or a function of x.
    part : str
        Name of the part.
    """
    name = label.format if isinstance(label, str) else label
    return [
        Place(name(x), measure(rows), np.nan if isinstance(x, str) else float(x), part)
        for x, rows in table.groupby(by)
    ]


def banded(
    table: pd.DataFrame,
    column: str,
    edges: Sequence[float],
    measure: Callable[[pd.DataFrame], Measured],
    part: str = "",
) -> list[Place]:
    """Return a place for each band of a fraction, such as "2-5 %"; its x is the lower edge.

    Bands without rows are left out.
    """
    band = np.digitize(table[column], edges) - 1
    inside = table[(band >= 0) & (band < len(edges) - 1)]
    return [
        Place(f"{100 * edges[b]:g}-{100 * edges[b + 1]:g} %", measure(rows), float(edges[b]), part)
        for b, rows in inside.groupby(band[(band >= 0) & (band < len(edges) - 1)])
    ]


@dataclass(frozen=True)
class Reading:
    """The measured numbers of one reading of a statement.

    Attributes
    ----------
    name : str
        Name of the reading: "GPower1, as returned".
    places : sequence of Place
        The measured places.
    rows : DataFrame
        The rows behind the numbers, with the columns ``stand_in`` and ``problem``.
    notes : sequence of str
        Sentences with further numbers that do not affect the verdict, of at most 300 characters
        each.
    """

    name: str
    places: Sequence[Place]
    rows: pd.DataFrame
    notes: Sequence[str] = ()


@dataclass(eq=False)
class Statement:
    """A sentence from a paper, the quantity measured for it, and the rule that judges it.

    Parameters
    ----------
    id : str
        Short name on the page: "K3".
    where : str
        Where the sentence is in the paper.
    quote : str
        The paper's words.
    kind : str
        "theorem" (proven, so a failure would be a bug of this suite), "number" (reproduced or not)
        or "comparison" (which method wins, and by how much). Each kind is counted separately.
    measures, unit, rule, over : str, str, Rule, Scope
        The measured quantity, as in `Part`.
    primary : str
        Name of the reading that determines the verdict.
    why : str
        Why this reading determines the verdict: the paper names it, it is the input form that the
        paper gives for the algorithm, or its preparation comes closest to the printed numbers.
    paper : sequence of PaperNumber
        Numbers printed in the paper.
    also : sequence of Part
        Further quantities that must satisfy their rules too.
    headline : mapping
        For each verdict, the sentence for the summary of the paper, with the fields of
        `summary.fields`. Statements that are not in the summary have no headline.
    chosen_first : bool
        Whether the primary reading was chosen before any result had been seen.
    changed : str
        Why the test was changed after its first run, in a sentence; empty if it was not changed.
    timed : bool
        Whether the verdict depends on time or memory, and can therefore differ between runs.
    any_data : bool
        Whether stand-in data can also settle the statement, because it is only about shapes.
    calibration : bool
        Whether the number was used to choose the primary reading of other statements. It is shown,
        but not judged.
    calibrated_by : str
        Id of the statement whose number determined the primary reading.
    pending : str
        Which runs are still missing for the primary reading, in a sentence.
    """

    id: str
    where: str
    quote: str
    kind: StatementKind
    measures: str
    unit: str
    rule: Rule
    primary: str
    why: str
    over: Scope = Scope()  # noqa: RUF009 (frozen)
    paper: Sequence[PaperNumber] = ()
    also: Sequence[Part] = ()
    headline: Mapping[str, str] = field(default_factory=dict)
    chosen_first: bool = False
    changed: str = ""
    timed: bool = False
    any_data: bool = False
    calibration: bool = False
    calibrated_by: str = ""
    pending: str = ""
    _measure: Callable[[Any], Iterable[Reading]] | None = field(default=None, init=False)
    _cause: Callable[[Any, Stored], str] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        kinds = get_args(StatementKind)
        if self.kind not in kinds:
            raise ValueError(
                f"statement {self.id}: kind {self.kind!r}; choose from {listed(kinds)}"
            )
        names = [part.name for part in self.parts]
        strangers = {paper.part for paper in self.paper} - {*names}
        if len(set(names)) < len(names) or strangers:
            raise ValueError(
                f"statement {self.id}: parts {names}; a name occurs twice, or a number of the "
                "paper belongs to another part"
            )

    def measured(
        self, function: Callable[[Any], Iterable[Reading]]
    ) -> Callable[[Any], Iterable[Reading]]:
        """Register the function that yields the readings from the figure's data (a decorator)."""
        self._measure = function
        return function

    def because(self, function: Callable[[Any, Stored], str]) -> Callable[[Any, Stored], str]:
        """Register the function that explains why the statement fails or depends (a decorator).

        The function is called with the figure's data and the judged statement, and returns one
        sentence or "". After an empty answer, the page shows what would settle the statement, or
        that the cause is unknown.
        """
        self._cause = function
        return function

    @property
    def parts(self) -> list[Part]:
        """Return all quantities of the statement with their rules."""
        first = Part("", self.measures, self.unit, self.rule, self.over)
        return [first, *self.also]

    def judge(self, data: Any) -> Stored:
        """Judge the statement and return it as plain data (see `judging`).

        Parameters
        ----------
        data : object
            What the figure's ``data`` function returns for its rows; None if no run gave an answer.
        """
        if self._measure is None:
            raise TypeError(
                f"statement {self.id}: no function measures it; use @{self.id}.measured"
            )
        readings = [] if data is None else list(self._measure(data))
        names = [reading.name for reading in readings]
        if len(set(names)) < len(names):
            raise ValueError(f"statement {self.id}: two readings have the same name: {names}")
        unknown = {place.part for r in readings for place in r.places} - {
            p.name for p in self.parts
        }
        if unknown:
            raise ValueError(
                f"statement {self.id}: places of {listed(sorted(unknown))}, which are not its parts"
            )
        if names and self.primary not in names and not self.pending:
            raise ValueError(
                f"statement {self.id}: no reading is called {self.primary!r} (the primary one): "
                f"{listed(names):.100}"
            )
        stored = judging.judged(self._stored() | {"readings": [_stored(r) for r in readings]})
        outcome = stored["would"] or stored["verdict"]
        primary = judging.of_name(stored["readings"], self.primary)
        unsettled = outcome in ("fails", "undecided", "violated") or "depends" in stored["marks"]
        if data is not None and primary and self._cause and unsettled:
            primary["because"] = self._cause(data, stored)
        return stored

    def described(self) -> Stored:
        """Return everything that was written before any measurement, as plain data."""
        return self._stored()

    def _stored(self) -> Stored:
        """Return the description of the statement before any measurement."""
        plain = ("id", "where", "quote", "kind", "primary", "why", "changed")
        marks = ("timed", "any_data", "calibration", "calibrated_by", "pending")
        return {
            **{name: getattr(self, name) for name in (*plain, *marks)},
            "parts": [part.stored() for part in self.parts],
            "paper": [vars(p) | {"high": p.low if p.high is None else p.high} for p in self.paper],
        }


def _stored(reading: Reading) -> Stored:
    """Return a reading as plain data, before it is judged."""
    rows = reading.rows
    if not {"stand_in", "problem"} <= set(rows):
        raise ValueError(f"reading {reading.name!r}: its rows lack the columns stand_in or problem")
    simulated = rows.simulated.eq(True).any() if "simulated" in rows else False
    return {
        "name": reading.name,
        "stand_in": bool(rows.stand_in.eq(True).any()),
        "simulated": bool(simulated),
        "data": sorted(map(str, rows.problem.dropna().unique()))[:8],
        "rows": len(rows),
        "notes": [note for note in reading.notes if note],
        "because": "",
        "places": [_stored_place(place) for place in reading.places],
    }


def _stored_place(place: Place) -> Stored:
    m = place.measured
    finite = {"value": judging.finite(m.value), "spread": judging.finite(m.spread)}
    return {
        "label": place.label,
        "x": judging.finite(place.x),
        "part": place.part,
        **(asdict(m) | finite),
    }
