"""Write the article docs/findings.md from its prose in findings.md.j2 and the published numbers."""

import re
import textwrap
from pathlib import Path
from typing import Any

import pandas as pd

from spcabench import files
from spcabench.claims import summary
from spcabench.comparison import best_known
from spcabench.page import certified_page, in_short, papers
from spcabench.page.generated_block import markdown_table
from spcabench.page.render import render
from spcabench.showing.words import duration, listed, span

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "results" / "published"
BUDGETS = (1e-2, 1.0)  # time budgets in seconds
GOOD = 0.75  # proportion of the published instances for which a good solver is nearly optimal
FIRST = 5  # number of solvers that the article names for each comparison
WIDTH = 120  # maximum number of characters in a line
# signs that would start a list or a quotation if a line began with them
SIGN = re.compile(r" (>=|<=|-|\+|=) ")
# the comparisons in the article, and their names there
COMPARED = {
    "standard": "standard",
    "certified": "published instances",
    "large": "10,000 to 200,000 variables",
    "nonnegative": "x >= 0",
}
# statements that depend on a reading: their subject, and the reading with the other verdict
READINGS = (
    ("K3", "GRQI needs fewer flops than GPower", "GPower0"),
    ("K18", "GRQI's answers are at least as good as GPower's", "GPower1, refitted"),
    ("K9", "on genes, an order of magnitude fewer flops", "k_u = 10"),
    ("H6", "sparser data favour Mcol-PCA over GPower", "GPower0 on sparse data"),
    ("H11", "on text, Mcol-PCA is faster than GPower", "GPower0 on sparse data"),
    ("D8", "components are taken out until all entries are below rho", "deflation by projection"),
    ("Z4", "the number of sweeps is typically five", "covariances of words, exact QPs"),
    ("A13", "within 40 % to 90 % of the optimum", "calibrated data, best certified bound"),
    ("A4", "Algorithm 3 beats EM at low k", "not centred"),
    ("A14", "Algorithm 3 and EM take similar time", "1 restart of EM"),
)
Statements = list[dict[str, Any]]


def blocks(home: Path = PUBLISHED) -> dict[str, str]:
    """Return the blocks of the article by name, with the numbers of a published run."""
    return {"article": article(home)}


def front(home: Path = PUBLISHED) -> str:
    """Return the first page's counts of verdicts and of proven optima, as a block."""
    run = files.read_json(home / "claims.json")
    counts = in_short.counts(run["statements"])
    states = [entry.proven for entry in best_known.read().values()]
    return (
        f"\n**Of {counts['judged']} statements from five papers, {counts['holds']} hold, "
        f"{counts['fails']} fail and {counts['undecided']} are undecided.** Of {len(states)} "
        f"combinations of a problem and k, {sum(states)} are solved to proven optimality.\n\n"
    )


def article(home: Path) -> str:
    """Return an article about the findings of a published run."""
    statements = files.read_json(home / "claims.json")["statements"]
    numbers = Numbers(statements)
    known = papers.in_order({s["paper_key"] for s in statements})
    of = {p.name: [s for s in statements if s["paper_key"] == p.key] for p in known}
    ranking = pd.read_csv(home / "compare" / "standard" / "ranking.csv").set_index("solver")
    certified = pd.read_csv(home / "compare" / "certified" / "ranking.csv")
    own = [s for s in statements if s["verdict"] in in_short.WORDS]
    text = render(
        "findings.md.j2",
        table=markdown_table,
        of=numbers.of,
        place=numbers.place,
        link=numbers.link,
        total=in_short.counts(statements),
        header=in_short.header(statements),
        papers=[_reproduced(paper) for paper in known],
        pages=", ".join(f"[{p.name}](../results/published/{p.key}.md)" for p in known),
        counts=[_counted(name, mine) for name, mine in {**of, "all": statements}.items()],
        readings=[numbers.readings(*row) for row in READINGS],
        partly=sum(map(_holds_elsewhere, own)),
        proven=certified_page.proven(),
        frontier=frontier(),
        rates={name: _rate(row) for name, row in ranking.iterrows()},
        times={name: duration(row.time) for name, row in ranking.iterrows()},
        leaders=leaders(home / "compare"),
        families=families(home / "compare"),
        stand_ins=sum("stand-in" in s["marks"] for s in own),
        simulated=sum("simulated" in s["marks"] for s in own),
        calibrated=sum("calibrated" in s["marks"] for s in own),
        good=int((certified["at 0.999"] >= GOOD).sum()),
        solvers=len(certified),
        unproven=_unproven(),
        caption=caption(home / "compare" / "standard").strip(),
        stand_ins_open=sum("stand-in" in s["marks"] for s in own if s["verdict"] == "undecided"),
        about=files.read_json(home / "about.json"),
    )
    paragraphs = re.split(r"\n{2,}", text.strip())
    return "\n" + "\n\n".join(map(_wrapped, paragraphs)) + "\n\n"


def _wrapped(paragraph: str) -> str:
    """Wrap a paragraph, or the items of a list, to lines of at most 120 characters."""
    if paragraph.startswith(("|", "#", "[!")):
        return paragraph
    items = re.split(r"\n(?=- )", paragraph)
    return "\n".join(_filled(item, "  " if item.startswith("- ") else "") for item in items)


def _filled(text: str, indent: str) -> str:
    """Wrap a text to lines that do not begin with a sign of a list or a percent sign."""
    whole = SIGN.sub("\0\\1\0", " ".join(text.split())).replace(" %", "\0%")
    filled = textwrap.fill(
        whole, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return filled.replace("\0", " ")


def _unproven() -> str:
    """State which problems of the suites are not proven, and their gaps."""
    entries = [entry for entry in best_known.read().values() if not entry.proven]
    if not entries:
        return "All problems of the suites are solved to proven optimality."
    names = [
        f"{item} ({'x >= 0, ' if sign else ''}k = "
        f"{listed([str(e.k) for e in entries if (e.item, e.nonnegative) == (item, sign)])})"
        for item, sign in dict.fromkeys((e.item, e.nonnegative) for e in entries)
    ]
    gaps = span([e.gap for e in entries], "share")
    return f"In the suites, a gap of {gaps} remains for {listed(names)}."


class Numbers:
    """The numbers of statements, formatted for the prose of the article."""

    def __init__(self, statements: Statements) -> None:
        self.statements = {s["id"]: s for s in statements}

    def of(self, name: str, reading: str = "", part: str = "") -> dict[str, str]:
        """Return the fields of a part of a reading, by default the primary reading's first part.

        They are those of `_fields`, ``one`` (the number at the first place with its interval) and
        ``ends`` (the smallest and the largest number with their intervals).
        """
        statement = self.statements[name]
        chosen = self._reading(statement, reading or statement["primary"])
        parts = [p for p in statement["parts"] if not part or p["name"] == part]
        about, places = summary.judged_places(statement | {"parts": parts}, chosen)[0]
        outer = [choose(places, key=summary.bound_or_value) for choose in (min, max)]
        low, high = (summary.one(about, place).partition(" over ")[0] for place in outer)
        unit = f" {about['unit']}"
        ends = f"{low.replace(unit, '')} to {high.replace(unit, '')}{unit}"
        one = summary.one(about, places[0])
        return _fields(statement | {"parts": parts}, chosen) | {"one": one, "ends": ends}

    def place(self, name: str, label: str) -> str:
        """Return the number at a place of the primary reading with its interval."""
        statement = self.statements[name]
        chosen = self._reading(statement, statement["primary"])
        part = statement["parts"][0]
        places = {p["label"]: p for p in chosen["places"] if p["part"] == part["name"]}
        return summary.one(part, places[label]).partition(" over ")[0]

    def link(self, name: str) -> str:
        """Return a link to a statement with its verdict."""
        statement = self.statements[name]
        depends = ", depends" if "depends" in statement["marks"] else ""
        page = f"../results/published/{statement['paper_key']}.md"
        return f"[{name}]({page}): {statement['verdict']}{depends}"

    def readings(self, name: str, what: str, other: str) -> tuple[str, ...]:
        """Return a line of the table of statements that depend on their reading."""
        statement = self.statements[name]
        told = [
            f"{reading}: {chosen['would'] or chosen['verdict']} ({self.of(name, reading)['range']})"
            for reading in (statement["primary"], other)
            for chosen in [self._reading(statement, reading)]
        ]
        return (f"{what} ({self.link(name)})", *told)

    @staticmethod
    def _reading(statement: dict[str, Any], name: str) -> dict[str, Any]:
        return {reading["name"]: reading for reading in statement["readings"]}[name]


def _fields(statement: dict[str, Any], reading: dict[str, Any]) -> dict[str, str]:
    """Return the numbers of a reading in words.

    value : the number of the first part. range : the range of its numbers. low, high : the smallest
    and the largest number. holds, fails, undecided : the range of the numbers at places with this
    verdict. holds_where, fails_where, undecided_where : the labels of these places. holds_count,
    fails_count, undecided_count : their number. count : the number of judged places. paper : the
    paper's number.
    """
    part, places = summary.judged_places(statement, reading)[0]
    unit = part["unit"]
    enough = [place for place in places if place["kind"] != "too few"] or places
    least, most = (
        [choose(enough, key=summary.bound_or_value)] if enough else [] for choose in (min, max)
    )
    paper = statement["paper"][0] if statement["paper"] else {"low": None, "high": None}
    texts: dict[str, str] = {
        "value": summary.span_of(part, places[:1]),
        "range": summary.span_of(part, places),
        "low": summary.span_of(part, least),
        "high": summary.span_of(part, most),
        "count": str(len(places)),
        "paper": span([paper["low"], paper["high"]], unit),
    }
    for word in summary.VERDICTS:
        chosen = [place for place in places if place["verdict"] == word]
        texts[word] = summary.span_of(part, chosen)
        groups = [group for verdict, group in summary.groups(places) if verdict == word]
        texts[f"{word}_where"] = listed([summary.where(group) for group in groups]) or "nowhere"
        texts[f"{word}_count"] = str(len(chosen))
    return texts


def _reproduced(paper: papers.Paper) -> tuple[str, str, str]:
    """Return a line of the table of papers."""
    title = f"[{paper.title}]({paper.address})" if paper.address else paper.title
    return (f"{paper.name}, {title}", paper.reproduced, paper.solvers)


def _counted(name: str, statements: Statements) -> tuple[Any, ...]:
    count = in_short.counts(statements)
    words = ("judged", "holds", "fails", "undecided", "depends", "checked")
    return (name, *(count[word] for word in words))


def _holds_elsewhere(statement: dict[str, Any]) -> bool:
    """Whether a part of a failing statement holds at some places and fails at other places."""
    readings = {reading["name"]: reading for reading in statement["readings"]}
    parts = summary.judged_places(statement, readings[statement["primary"]])
    return statement["verdict"] == "fails" and any(
        {"holds", "fails"} <= {place["verdict"] for place in places} for _, places in parts
    )


def frontier() -> str:
    """Return how many published instances are proven, and which published optima are wrong."""
    differing = certified_page.contradicted()
    names = "; ".join(
        f"{e.item}, k = {e.k}: {a['value']} published, {e.value:.9g} proven" for a, e in differing
    )
    difference = (
        f" For {len(differing)} instances, the digits of a published value disagree with the "
        f"proven optimum: {names}."
        if differing
        else ""
    )
    return f"{certified_page.summary()}{difference}"


def leaders(home: Path) -> list[tuple[str, ...]]:
    """Return the five best solvers of each comparison, with intervals over problems."""
    lines = []
    for name, what in COMPARED.items():
        ranking = pd.read_csv(home / name / "ranking.csv")
        for i, row in enumerate(ranking.head(FIRST).to_dict("records")):
            label = f"{what} ({row['pairs']} pairs)" if i == 0 else ""
            words = (label, row["solver"], _rate(row), row["rank"], duration(row["time"]))
            lines.append(tuple(map(str, words)))
    return lines


def _rate(row: Any) -> str:
    """Return how often a solver reaches 99.9 %, with its interval if it is known."""
    value, low, high = (
        100 * float(row[name]) for name in ("at 0.999", "at 0.999 low", "at 0.999 high")
    )
    # this is false if an end of the interval is NaN, so missing
    return f"{value:.0f} % [{low:.0f}, {high:.0f}]" if low < high else f"{value:.0f} %"


def families(home: Path) -> list[tuple[str, ...]]:
    """Return the best solver for each kind of data within each time limit."""
    lines = []
    for name, what in COMPARED.items():
        answers = pd.read_parquet(home / name / "table.parquet")
        for i, (family, part) in enumerate(answers.groupby("family", sort=False)):
            pairs = len(part[["item", "asked"]].drop_duplicates())
            best = [_best_within(part, budget) for budget in BUDGETS]
            lines.append((what if i == 0 else "", str(family), str(pairs), *best))
    return lines


def caption(comparison: Path) -> str:
    """Return the caption of a comparison's frontier."""
    ranking = pd.read_csv(comparison / "ranking.csv")
    return (
        f"Quality against cost of {len(ranking)} solvers on {ranking.pairs.max()} problems: how "
        "often each solver reaches 99.9 % of the best known variance, and how many flops it takes. "
        "The line connects the solvers that no other solver beats in both quality and cost."
    )


def _best_within(part: pd.DataFrame, budget: float) -> str:
    """Return the solver with the largest mean share in time, or the fastest of these in a tie."""
    timely = part.share.where(part.time <= budget, 0.0).fillna(0.0)
    means = timely.groupby(part.solver).mean()
    if not means.max() > 0.0:
        return "none"
    best = means.index[means >= means.max() - 5e-4]
    fastest = part[part.solver.isin(best)].groupby("solver").time.mean().idxmin()
    low, high = (100 * choose(timely[part.solver == fastest]) for choose in (min, max))
    return f"{fastest} {100 * means[fastest]:.1f} % ({low:.1f} to {high:.1f})"
