"""Recommend solvers for a user's data, based on the answers in published comparisons.

The command `spcabench advise` answers a single `Question`. The published page contains the answers
to all `choices`.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from spcabench import registry
from spcabench.comparison.profiles import shifted_mean
from spcabench.errors import InputError
from spcabench.showing.words import counted
from spcabench.vectors import Array, Vector

NAME = "advice.csv.gz"  # in the folder of the published results
NUMBERS = ("n", "m", "time")  # columns of the file that can be empty
SHIFT = 0.01  # seconds; shift of the geometric means of times
DIGITS = 6  # mean fractions that agree to this number of digits are equal
PAIR = ["mode", "item", "asked", "r"]
# the goals: one component, or several components in one of the formulations
MODES = {
    "signed": "one component",
    "nonnegative": "one component with loadings >= 0",
    "deflation": "several components, one after the other",
    "orthonormal": "several orthogonal components",
    "disjoint": "several components without common variables",
}
ANY, SPARSE, DENSE = "any", "sparse data", "dense data"
SPARSE_BELOW = 0.2  # data with a smaller density are sparse
SIZES = (60, 1_000, math.inf)  # largest number of variables of each class
KS = (10, 30, math.inf)  # largest cardinality of each class
BUDGETS = (1e-3, 1e-2, 1e-1, 1.0, 10.0, math.inf)  # choices of the page in seconds
SHOWN = 5  # number of solvers in an answer
FEW = 5  # with fewer problems, an answer is only a hint
DIFFERENT = {
    "k": "No similar k was measured on such problems, so problems with any k are used.",
    "kind": "No {kind} of a similar size was measured, so all kinds of this size are used.",
    "size": "No {kind} of a similar size was measured, so other sizes are used.",
}
OUTSIDE = {
    "n": "n = {value} is outside the measured range {low} to {high}, so this is an extrapolation.",
    "entries": "{value} nonzero entries (at the largest density of these problems) are outside the "
    "measured range {low} to {high}, so times can be very different.",
}
COUNT = r"(\d+(?:\.\d+)?e\d+|\d+)"  # 20000 or 2e4
SIZE = re.compile(rf"{COUNT}\s*(?:x|×|by)\s*{COUNT}|{COUNT}", re.IGNORECASE)


@dataclass(frozen=True)
class Question:
    """A description of the user's data and goal; a field that is None matches every value.

    m, n : numbers of samples and variables. density : fraction of nonzero entries. k : number of
        nonzero loadings of a component. budget : maximum time of a run in seconds. mode : a key of
        `MODES`.
    """

    kind: str = ANY
    n: float | None = None
    m: float | None = None
    density: float | None = None
    k: float | None = None
    budget: float = math.inf
    mode: str = "signed"

    def entries(self, density: float) -> float | None:
        """Return the number of nonzero entries; ``density`` is used if the question has none."""
        return self.n * self.m * (self.density or density) if self.n and self.m else None


class Answers:
    """The published answers as arrays with a row for each pair and a column for each solver.

    A pair consists of a problem and a cardinality k.

    pairs : table with the kind, n, m, nnz and k of each pair.
    """

    def __init__(self, table: pd.DataFrame) -> None:
        self.table = table.assign(pair=table.groupby(PAIR, sort=False).ngroup())
        self.pairs = self.table.drop_duplicates("pair").reset_index(drop=True)
        full = self.pairs.n * self.pairs.m.fillna(self.pairs.n)
        self.density = (self.pairs.nnz / full).to_numpy()
        self.sparse = self.density < SPARSE_BELOW
        self.solvers = sorted(table.solver.unique())
        self.modes = [mode for mode in MODES if (table["mode"] == mode).any()]
        self.kinds = [ANY, SPARSE, DENSE, *sorted(self.pairs.kind.unique())]
        self.time = self._wide(table.time)
        self.proof = self._wide(table.time.where(table.proves))

    def _wide(self, values: Iterable[float]) -> Array:
        """Reshape one value per row to an array (pairs, solvers), with NaN for missing rows."""
        wide = self.table.assign(wanted=np.array(list(values), dtype=float))
        wide = wide.pivot(index="pair", columns="solver", values="wanted")
        return wide[self.solvers].to_numpy()

    def shares(self, budget: float) -> Array:
        """Return the fractions of the best known values reached within a budget.

        The shape is (pairs, solvers).
        """
        reached = self.table.share.to_numpy(copy=True)
        for i in np.flatnonzero(self.table.time > budget):
            steps = (step.split(":") for step in self.table.anytime[i].split())
            reached[i] = max((float(v) for t, v in steps if float(t) <= budget), default=0.0)
        return np.nan_to_num(self._wide(reached))

    def select(self, question: Question) -> tuple[Vector, list[str]]:
        """Return a mask of the pairs that resemble a question, and the dropped conditions.

        If no pair satisfies all conditions, the condition on k is dropped first, then also the
        condition on the kind or the condition on the size, and finally all three conditions.
        """
        has = {
            "k": _alike(self.pairs.asked, KS, question.k),
            "kind": self._of_kind(question),
            "size": _alike(self.pairs.n, SIZES, question.n),
        }
        of_mode = (self.pairs["mode"] == question.mode).to_numpy()
        for given_up in ((), ("k",), ("k", "kind"), ("k", "size"), ("k", "kind", "size")):
            mask = np.logical_and.reduce([of_mode, *(has[c] for c in has if c not in given_up)])
            if mask.any():
                return mask, [name for name in given_up if not has[name].all()]
        raise InputError(f"advise: no comparison was published for: {MODES[question.mode]}")

    def _of_kind(self, question: Question) -> Vector:
        kind = question.kind
        if kind == ANY and question.density is not None:
            kind = SPARSE if question.density < SPARSE_BELOW else DENSE
        every = {ANY: np.full(len(self.sparse), True), SPARSE: self.sparse, DENSE: ~self.sparse}
        return every[kind] if kind in every else (self.pairs.kind == kind).to_numpy()

    def ranked(self, mask: Vector, shares: Array, budget: float) -> list[dict[str, Any]]:
        """Return the solvers that answered at least one of the pairs, starting with the best.

        Solvers are sorted by their mean fraction of the best known value within the budget, rounded
        to six digits, and then by the shifted geometric mean of their times. A missing answer is
        assigned the fraction zero and the longest time of all solvers.
        """
        share, time, proof = shares[mask], self.time[mask], self.proof[mask]
        filled = np.where(np.isfinite(time), time, np.nanmax(time))
        entries = [
            {
                "solver": solver,
                "share": float(share[:, j].mean()),
                "worst": float(share[:, j].min()),
                "time": shifted_mean(filled[:, j], SHIFT),
                "proves": int((proof[:, j] <= budget).sum()),
                "pairs": len(share),
            }
            for j, solver in enumerate(self.solvers)
            if share[:, j].any()
        ]
        return sorted(entries, key=lambda e: (-round(e["share"], DIGITS), e["time"]))

    def about(self, mask: Vector) -> dict[str, Any]:
        """Describe the selected problems: their names, their number and the ranges of sizes."""
        pairs = self.pairs[mask].sort_values("n")
        names = list(dict.fromkeys(map(_named, pairs.itertuples())))
        many = f"{counted(len(names), 'problems')}, {counted(len(pairs), 'pairs')} of problem and k"
        return {
            "problems": names,
            "from": f"Based on {many}{', so it is only a hint' if len(names) < FEW else ''}.",
            "n": [int(pairs.n.min()), int(pairs.n.max())],
            "entries": [int(pairs.nnz.min()), int(pairs.nnz.max())],
            "density": float(self.density[mask].max()),
        }


def read(file: Path) -> Answers:
    """Read the published answers, written by `advice_table`."""
    if not file.is_file():
        raise InputError(f"{file}: no published comparison found")
    return Answers(
        pd.read_csv(file, keep_default_na=False, na_values={name: "" for name in NUMBERS})
    )


def _alike(values: pd.Series, ends: tuple[float, ...], wanted: float | None) -> Vector:
    """Return a mask of the values in the same size class as ``wanted``.

    If ``wanted`` is None, the mask contains all values.
    """
    if wanted is None:
        return np.full(len(values), True)
    return np.searchsorted(ends, values) == np.searchsorted(ends, wanted)


def _named(pair: Any) -> str:
    size = f"{pair.n:,.0f}" if np.isnan(pair.m) else f"{pair.m:,.0f} x {pair.n:,.0f}"
    return f"{pair.item} ({size})"


def frontier(ranked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the Pareto frontier of time and quality, starting with the fastest solver."""
    ends, best = [], 0.0
    for entry in sorted(ranked, key=lambda e: (e["time"], -e["share"])):
        if round(entry["share"], DIGITS) > best:
            best = round(entry["share"], DIGITS)
            ends.append(entry)
    return ends


def answer(answers: Answers, question: Question) -> dict[str, Any]:
    """Return the five best solvers within the budget, the Pareto frontier, and the evidence.

    The evidence consists of the problems on which the answer is based, and of notes.
    """
    mask, given_up = answers.select(question)
    about = answers.about(mask)
    notes = [DIFFERENT[name].format(kind=question.kind) for name in given_up]
    for name, value in (("n", question.n), ("entries", question.entries(about["density"]))):
        low, high = about[name]
        if value is not None and not low <= value <= high:
            ends = dict(low=f"{low:,}", high=f"{high:,}")
            notes.append(OUTSIDE[name].format(value=f"{value:,.0f}", **ends))
    within, ever = (
        [e for e in answers.ranked(mask, answers.shares(limit), limit) if _fits(e, question.n)]
        for limit in (question.budget, math.inf)
    )
    return about | {"notes": notes, "best": within[:SHOWN], "frontier": frontier(ever)}


def _fits(entry: Mapping[str, Any], n: float | None) -> bool:
    """Return whether a solver of this repository accepts n variables."""
    if n is None or entry["solver"] not in registry.names("solver"):
        return True
    most = registry.module("solver", entry["solver"]).TRAITS.largest
    return most is None or n <= most


def choices(answers: Answers) -> dict[str, Any]:
    """Return the answers to all choices on the page, for the script of the page.

    Equal answers are stored once in ``selections``. ``of`` maps a mode, a kind, a class of n and a
    class of k to an index into ``selections`` and the dropped conditions.
    """
    shares = {budget: answers.shares(budget) for budget in BUDGETS}
    selections: list[dict[str, Any]] = []
    places: dict[bytes, int] = {}
    of = {}
    sizes, ks = ([(None, ""), *((end, i) for i, end in enumerate(ends))] for ends in (SIZES, KS))
    for mode, kind, (n, size), (k, few) in product(answers.modes, answers.kinds, sizes, ks):
        mask, given_up = answers.select(Question(kind=kind, n=n, k=k, mode=mode))
        if mask.tobytes() not in places:
            places[mask.tobytes()] = len(selections)
            selections.append(_selection(answers, mask, shares))
        of[f"{mode}|{kind}|{size}|{few}"] = [places[mask.tobytes()], *given_up]
    return {
        "modes": {mode: MODES[mode] for mode in answers.modes},
        "kinds": answers.kinds,
        "sizes": SIZES[:-1],
        "ks": KS[:-1],
        "budgets": BUDGETS[:-1],
        "sparse": SPARSE_BELOW,
        "different": DIFFERENT,
        "outside": OUTSIDE,
        "selections": selections,
        "of": of,
    }


def _selection(answers: Answers, mask: Vector, shares: dict[float, Array]) -> dict[str, Any]:
    ranked = {budget: answers.ranked(mask, share, budget) for budget, share in shares.items()}
    # the two best of the solvers that no other is both faster and better than, but the best
    faster = frontier(ranked[math.inf])[-2:-4:-1]
    return answers.about(mask) | {
        "best": [[_short(e) for e in entries[:SHOWN]] for entries in ranked.values()],
        "faster": [[e["solver"], _digits(e["time"]), _digits(e["share"], 6)] for e in faster],
    }


def _short(entry: dict[str, Any]) -> list[Any]:
    numbers = (_digits(entry[name], 6) for name in ("share", "worst", "time"))
    return [entry["solver"], *numbers, entry["proves"], entry["pairs"]]


def _digits(value: float, digits: int = 3) -> float:
    return float(f"{value:.{digits}g}")


def question(words: str, kinds: list[str], **asked: Any) -> Question:
    """Parse words such as "5,000 x 20,000 text" as a question.

    The words are m x n or n, a kind of data, and a mode of `MODES`. kinds : the measured kinds.
    asked : additional fields of the question.

    Raises InputError if the suites have no data of this kind.
    """
    text = words.replace(",", "").replace("_", "").casefold()
    size = SIZE.search(text)
    texts = (size[1], size[2] or size[3]) if size else (None, None)
    m, n = (float(text) if text else None for text in texts)
    if any(number is not None and number < 1 for number in (m, n)):
        raise InputError(f"size: {words!r:.60}; samples and variables must be at least 1")
    if n and (asked.get("k") or 0) > n:
        raise InputError(f"k: {asked['k']:,}; it must be at most the {n:,.0f} variables")
    rest = SIZE.sub("", text, count=1).split()
    modes = [word for word in rest if word in MODES]
    kind = " ".join(word for word in rest if word not in MODES) or ANY
    found = [known for known in kinds if kind in (known, known.removesuffix(" data"))]
    if not found:
        from spcabench.errors import nearest

        if re.search(r"\.[a-z]|/", kind):
            raise InputError(
                f"advise: {kind!r:.60} is no kind of data; instead of a file, type its samples x "
                "variables, such as 240 x 12"
            )
        raise InputError(nearest("kind of data", kind, kinds))
    asked |= {"mode": modes[0]} if modes else {}
    return Question(found[0], m=m, n=n, **asked)
