"""Claims of the papers: a quote, a rule, and a function that measures a tidy table.

A claim is written once, in the file of its figure, and is judged on the rows of the figure. The
result is plain data (see `judging`), which pages, documents and commands read without parsing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import pandas as pd

from spcabench.claims import judging
from spcabench.claims.rules import Rule, Scope
from spcabench.claims.summary import span_of
from spcabench.showing.words import listed

Kind = Literal["theorem", "number", "comparison"]
Stored = dict[str, Any]
Measure = Callable[[Any], Any]  # returns a tidy table, or yields several
# what a claim says about itself, in the order in which it is stored
ABOUT = ("id", "where", "quote", "kind", "deviates", "changed", "timed", "any_data", "calibrated")


@dataclass(frozen=True)
class PaperNumber:
    """A number or a range printed in the paper, drawn next to the measured one.

    Attributes
    ----------
    low, high : float
        The range. For a single number, omit ``high``.
    place : str
        Label of the place it belongs to; empty if it applies to all places.
    part : str
        Name of the part it belongs to.
    """

    low: float
    high: float | None = None
    place: str = ""
    part: str = ""


@dataclass(frozen=True)
class Part:
    """One measured quantity with its rule. Most claims have a single part.

    Attributes
    ----------
    name : str
        Name by which the tidy table refers to the part.
    measures : str
        The quantity, as a formula in words: "flops of GPower / flops of GRQI".
    unit : str
        Unit of the quantity: "times", "%", "share", "s", "B", or a noun. It chooses the statistic
        of several replicates: the geometric mean of "times" and "s", the proportion of "share",
        and otherwise the mean.
    rule : Rule
        The region in which the quantity must lie.
    at : Scope
        The places that are judged.
    null : float or None
        The number that a trivial competitor or no effect would give. The rule must exclude it.
    average : str
        "mean" or "geometric mean", if it is not the one that belongs to the unit.
    """

    name: str
    measures: str
    unit: str
    rule: Rule
    at: Scope = Scope()  # noqa: RUF009 (frozen)
    null: float | None = None
    average: str = ""

    def stored(self) -> Stored:
        """Return the part as plain data."""
        return {
            "name": self.name,
            "measures": self.measures,
            "unit": self.unit,
            "rule": _ends(asdict(self.rule)),
            "over": _ends(asdict(self.at)),
            "logarithmic": self.unit == "times",
        }


@dataclass(frozen=True, eq=False)
class Claim:
    """A sentence from a paper, the quantity measured for it, and the rule that judges it.

    Create it with `claim`.

    Attributes
    ----------
    id : str
        Short name on the page: "K3".
    where : str
        Where the sentence is in the paper.
    quote : str
        The paper's words.
    rows : callable
        Function of the figure's data that returns a tidy table (see `tidy`), or yields several.
    measures, unit, rule, at, null, average
        The measured quantity, as in `Part`.
    kind : str
        "theorem" (proven, so a failure would be a bug of this suite), "number" (reproduced or not)
        or "comparison" (which method wins, and by how much). Each kind is counted separately.
    deviates : str
        Why the rule is not the one that belongs to the paper's words (see `meaning`).
    paper : sequence of PaperNumber
        Numbers printed in the paper.
    also : sequence of Part
        Further quantities that must satisfy their rules too.
    because : str or mapping
        Why a reading comes out as it does, in a sentence that an experiment has shown: for the
        first reading, or a mapping from readings to sentences.
    changed : str
        Why the test was changed after its first run, in a sentence; empty if it was not changed.
    timed : bool
        Whether the verdict depends on time or memory, and can therefore differ between runs.
    any_data : bool
        Whether stand-in data can also settle the claim, because it is only about shapes.
    calibrated : str
        The number of the paper by which a preparation of the data was chosen.
    """

    id: str
    where: str
    quote: str
    rows: Measure
    measures: str
    unit: str
    rule: Rule
    at: Scope = Scope()  # noqa: RUF009 (frozen)
    null: float | None = None
    average: str = ""
    kind: Kind = "comparison"
    paper: Sequence[PaperNumber] = ()
    also: Sequence[Part] = ()
    because: str | Mapping[str, str] = field(default_factory=dict)
    deviates: str = ""
    changed: str = ""
    timed: bool = False
    any_data: bool = False
    calibrated: str = ""

    @property
    def parts(self) -> list[Part]:
        """Return all quantities of the claim with their rules."""
        own = (self.measures, self.unit, self.rule, self.at, self.null, self.average)
        return [Part("", *own), *self.also]

    def tables(self, data: Any) -> Iterator[tuple[str, pd.DataFrame]]:
        """Yield the name and the tidy table of each reading that has numbers."""
        measured = self.rows(data)
        tables = [measured] if isinstance(measured, pd.DataFrame) else list(measured)
        strangers = {part for table in tables for part in table.part} - {p.name for p in self.parts}
        if strangers:
            raise ValueError(f"claim {self.id}: {listed(sorted(strangers))} are not its parts")
        for name in dict.fromkeys(name for table in tables for name in table.reading):
            mine = [rows for table in tables if len(rows := table[table.reading == name])]
            rows = pd.concat(mine)
            rows.attrs["notes"] = [n for table in mine for n in table.attrs.get("notes", ())]
            yield name, rows

    def judge(self, data: Any) -> Stored:
        """Judge the claim and return it as plain data (see `judging`).

        Parameters
        ----------
        data : object
            What the figure's ``data`` function returns for its rows; None if no run gave an answer.
        """
        tables = [] if data is None else [*self.tables(data)]
        causes = self.because
        if isinstance(causes, str):
            causes = {name: causes for name, _ in tables[:1]}
        readings = [
            judging.reading(name, rows, self.parts) | {"because": causes.get(name, "")}
            for name, rows in tables
        ]
        return judging.judged(self.described() | {"readings": readings})

    def described(self) -> Stored:
        """Return everything that was written before any measurement, as plain data."""
        return {
            **{name: getattr(self, name) for name in ABOUT},
            "parts": [part.stored() for part in self.parts],
            "paper": [vars(p) | {"high": p.low if p.high is None else p.high} for p in self.paper],
        }

    def told(self, data: Any, reading: str = "", part: str = "") -> str:
        """Return the range of a reading's judged numbers in words, for the title of a picture.

        Parameters
        ----------
        data : object
            The figure's data.
        reading, part : str
            The reading, by default the first one, and the part.
        """
        (of,) = (p.stored() for p in self.parts if p.name == part)
        readings = self.judge(data)["readings"]
        found = judging.of_name(readings, reading) if reading else next(iter(readings), None)
        places = [p for p in (found["places"] if found else ()) if p["part"] == part]
        return span_of(of, [p for p in places if p["judged"] and p["value"] is not None])


def _ends(region: Stored) -> Stored:
    """Return a region as plain data, in which an open end is None."""
    return region | {end: judging.finite(region[end]) for end in ("low", "high")}


def claim(id: str, where: str, quote: str, *, rows: Measure | None = None, **options: Any) -> Any:
    """Return a `Claim` or, without ``rows``, a decorator for the function that measures it.

    Examples
    --------
    ``K4 = claim("K4", "section 4.2", "...", rule=at_least(100), rows=ratios, ...)``, or
    ``@claim("K11", "section 3.3", "...", rule=at_least(1), ...)`` above a function ``K11(data)``.
    """
    if rows is not None:
        return Claim(id, where, quote, rows, **options)
    return lambda function: Claim(id, where, quote, function, **options)
