"""The generated blocks of docs/findings.md, from the published run and tables."""

from pathlib import Path
from typing import Any

import pandas as pd

from spcabench import opening
from spcabench.claims.words import duration
from spcabench.comparison import best_known
from spcabench.page import certified_page, in_short, papers
from spcabench.page.generated_block import markdown_table

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "results" / "published"
BUDGETS = (1e-3, 1e-2, 1e-1, 1.0)  # time limits in seconds
Statements = list[dict[str, Any]]


def blocks(home: Path = PUBLISHED) -> dict[str, str]:
    """Return the generated parts of the document by name."""
    run = opening.read_json(home / "claims.json")
    return {
        "verdicts": f"\n{verdicts(run['statements'])}\n",
        "frontier": f"\n{frontier()}\n",
        "comparisons": f"\n{comparisons(home / 'compare')}\n",
    }


def front(home: Path = PUBLISHED) -> str:
    """Return the numbers of the first page of the documents: verdicts, and proven optima."""
    run = opening.read_json(home / "claims.json")
    counts = in_short.counts(run["statements"])
    states = [entry.proven for entry in best_known.read().values()]
    return (
        f"\n**{counts['judged']} statements of five papers are judged: {counts['holds']} hold, "
        f"{counts['fails']} fail, {counts['undecided']} are undecided.** Of {len(states)} problems "
        f"with their k, {sum(states)} are solved with a proof.\n\n"
    )


def verdicts(statements: Statements) -> str:
    """Return counts by paper, a summary of each paper, and failing statements with causes."""
    heads = ("paper", "statements", "hold", "undecided", "fail", "depend", "pending", "theorems")
    known = papers.in_order({s["paper_key"] for s in statements})
    of = {paper.name: [s for s in statements if s["paper_key"] == paper.key] for paper in known}
    counts = [_counted(name, mine) for name, mine in {**of, "all": statements}.items()]
    text = markdown_table(heads, counts)
    text += f"\n{in_short.header(statements)}\n"
    for name, mine in of.items():
        text += f"\n**{name}, in short.**\n\n"
        text += "".join(f"- {sentence}\n" for sentence in in_short.sentences(mine))
        if failing := [s for s in mine if s["verdict"] == "fails"]:
            text += "\nFailing statements:\n\n"
            causes = ("statement", "the paper says", "measured", "why")
            text += markdown_table(causes, map(_row, failing))
    return text


def _counted(name: str, statements: Statements) -> tuple[Any, ...]:
    count = in_short.counts(statements)
    words = ("judged", "holds", "undecided", "fails", "depends", "pending", "checked")
    return (name, *(count[word] for word in words))


def _row(statement: dict[str, Any]) -> tuple[str, ...]:
    page = f"../results/published/{statement['paper_key']}.md"
    link = f"[{statement['id']}]({page})"
    marks = f" ({', '.join(statement['marks'])})" if statement["marks"] else ""
    return (f"{link}{marks}", statement["quote"], statement["short"], statement["cause"])


def frontier() -> str:
    """Return how many published instances are proven, and which published optima are wrong."""
    text = certified_page.summary()
    differing = certified_page.contradicted()
    names = "; ".join(
        f"{e.item}, k = {e.k}: {a['value']} published, {e.value:.9g} proven" for a, e in differing
    )
    difference = (
        f"\n\nFor {len(differing)} instances, a published value differs in its digits from the "
        f"proven optimum: {names}."
        if differing
        else ""
    )
    return f"{text}{difference}\n"


def comparisons(home: Path) -> str:
    """Return the top solvers of each published comparison, and the best by data and time."""
    text = ""
    for file in sorted(home.glob("*/ranking.csv")):
        answers = pd.read_parquet(file.with_name("table.parquet"))
        ranking = pd.read_csv(file)
        pairs = answers[["item", "asked"]].drop_duplicates()
        solvers = answers.solver[answers.share.notna()].nunique()
        text += (
            f"\n**{file.parent.name}**: {solvers} solvers with answers on {len(pairs)} pairs of "
            "problem and cardinality. Most often at 99.9 % of the best known variance: "
            f"{leaders(ranking)}\n\n"
        )
        heads = ("data", *(f"within {duration(b)}" for b in BUDGETS))
        lines = [
            (str(family), *(_best_within(part, budget) for budget in BUDGETS))
            for family, part in answers.groupby("family", sort=False)
        ]
        text += markdown_table(heads, lines)
    return text or "No comparison has been published yet.\n"


def caption(comparison: Path) -> str:
    """Return what the frontier of a comparison shows."""
    ranking = pd.read_csv(comparison / "ranking.csv")
    return (
        f"Quality against cost of {len(ranking)} solvers on {ranking.pairs.max()} problems: how "
        "often each finds 99.9 % of the best known variance, and its flops. On the line are the "
        "solvers that no other beats in both."
    )


def leaders(ranking: pd.DataFrame) -> str:
    """The first solvers of a ranking, with the share of the pairs and the range of ranks."""
    names = [
        f"{r['solver']} ({r['at 0.999']:.0%}, rank {r['rank']})"
        for r in ranking.head(3).to_dict("records")
    ]
    equal = int((ranking.group == 1).sum())
    apart = f" The first {equal} cannot be told apart." if equal > 1 else ""
    return f"{'; '.join(names)}.{apart}"


def _best_within(part: pd.DataFrame, budget: float) -> str:
    """Return the solver with the largest mean share in time; the fastest one in case of a tie."""
    timely = part.share.where(part.time <= budget, 0.0).fillna(0.0)
    means = timely.groupby(part.solver).mean()
    if not means.max() > 0.0:
        return "none"
    best = means.index[means >= means.max() - 5e-4]
    times = part[part.solver.isin(best)].groupby("solver").time.mean()
    return f"{times.idxmin()} ({means[times.idxmin()]:.1%})"
