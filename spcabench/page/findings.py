"""Write the article docs/findings.md from its prose in findings.md.j2 and the published numbers."""

from pathlib import Path
from typing import Any

from spcabench import files
from spcabench.claims import summary
from spcabench.page import certified_page, in_short, papers
from spcabench.page.generated_block import markdown_table
from spcabench.page.render import render

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "results" / "published"
COVER = "kuleshov2013_fig3"  # the figure on the first pages
Statements = list[dict[str, Any]]


def front(home: str, published: Path = PUBLISHED) -> str:
    """Return the counts of verdicts and of proven optima, and the picture, as Markdown.

    The README, the first document and the first page of the results show the same.

    home : the way from the document to the published run.
    """
    statements = files.read_json(published / "claims.json")["statements"]
    counts = in_short.counts(statements)
    answer = (
        f"\n**Of {counts['judged']} statements from these papers, {counts['holds']} hold, "
        f"{counts['depends']} depend on the reading, {counts['open']} are open, and "
        f"{counts['fails']} fail.** {certified_page.proven()}\n"
    )
    if not (words := caption(statements)):
        return answer
    picture = f"{home}figures/{COVER}/figure.svg"
    page = f"{home}{papers.key_of(COVER)}.md"
    return f"{answer}\n[![{words}]({picture})]({page})\n\n*{words}*\n"


def article() -> str:
    """Return an article about the findings of a published run."""
    statements = files.read_json(PUBLISHED / "claims.json")["statements"]
    numbers = Numbers(statements)
    known = papers.in_order({s["paper_key"] for s in statements})
    of = {paper.name: [s for s in statements if s["paper_key"] == paper.key] for paper in known}
    certified = files.read_json(PUBLISHED / "certified.json")["certified"]
    text = render(
        "findings.md.j2",
        table=markdown_table,
        of=numbers.of,
        link=numbers.link,
        total=in_short.counts(statements),
        header=in_short.header(statements),
        years=f"{min(p.year or 0 for p in known)} to {max(p.year or 0 for p in known)}",
        papers=[_reproduced(paper) for paper in known],
        counts=[_counted(name, mine) for name, mine in {**of, "all": statements}.items()],
        frontier=f"{certified_page.proven()} {certified_page.contradicted()}",
        known=f"{sum(e['proven'] for e in certified)} of {len(certified)} pairs of a problem and k",
        about=files.read_json(PUBLISHED / "about.json"),
    )
    return f"\n{text.strip()}\n\n"


class Numbers:
    """The numbers of statements, formatted for the prose of the article."""

    def __init__(self, statements: Statements) -> None:
        self.statements = {s["id"]: s for s in statements}

    def of(self, name: str, reading: str = "", part: str = "") -> dict[str, str]:
        """Return the fields of a part of a reading, by default the first reading's first part.

        They are those of `_fields`, and ``one``, the number at the first place with its interval.
        """
        statement = self.statements[name]
        chosen = self._reading(statement, reading)
        parts = [p for p in statement["parts"] if not part or p["name"] == part]
        about, places = summary.judged_places(statement | {"parts": parts}, chosen)[0]
        one = summary.one(about, places[0])
        return _fields(statement | {"parts": parts}, chosen) | {"one": one}

    def link(self, name: str) -> str:
        """Return a link to a statement with its verdict."""
        statement = self.statements[name]
        page = f"../results/published/{statement['paper_key']}.md"
        return f"[{name}]({page}): {statement['verdict']}"

    @staticmethod
    def _reading(statement: dict[str, Any], name: str) -> dict[str, Any]:
        readings = statement["readings"]
        return next(r for r in readings if not name or name in (r["name"], *r["same"]))


def _fields(statement: dict[str, Any], reading: dict[str, Any]) -> dict[str, str]:
    """Return the numbers of a reading in words.

    value : the number of the first part. range : the range of its numbers. high : the largest one.
    """
    part, places = summary.judged_places(statement, reading)[0]
    enough = [place for place in places if place["kind"] != "too few"] or places
    most = [max(enough, key=summary.bound_or_value)] if enough else []
    return {
        "value": summary.span_of(part, places[:1]),
        "range": summary.span_of(part, places),
        "high": summary.span_of(part, most),
    }


def _reproduced(paper: papers.Paper) -> tuple[str, str, str]:
    """Return a line of the table of papers."""
    title = f"[{paper.title}]({paper.address})" if paper.address else paper.title
    return (f"{paper.name}, {title}", paper.reproduced, paper.solvers)


def _counted(name: str, statements: Statements) -> tuple[Any, ...]:
    count = in_short.counts(statements)
    words = ("judged", "holds", "fails", "depends", "open", "theorems")
    return (name, *(count[word] for word in words))


def caption(statements: Statements) -> str:
    """Return what the picture on the first pages shows, or "" if K18 was not judged."""
    numbers, readings = Numbers(statements), ("GPower1, as returned", "GPower1, refitted")
    judged = numbers.statements.get("K18", {"readings": ()})
    if not {*readings} <= {reading["name"] for reading in judged["readings"]}:
        return ""
    returned, refit = (numbers.of("K18", reading)["range"] for reading in readings)
    return (
        f"Below 20 % nonzeros, GRQI explains at least 98 % of GPower1's variance in {returned} of "
        f"the pairs, as the solvers return their answers, and in {refit} after a refit. GPower1's "
        "penalty shrinks the entries, which hides its better support (Kuleshov, Figure 3)."
    )
