"""Write the page of a comparison, its pictures and its tables.

A comparison of several components (`components_page`) is a kind of comparison: it has another
ranking and other sections, and the same writer.
"""

from pathlib import Path
from typing import Any

import pandas as pd

from spcabench.comparison import best_known, budgets, stored
from spcabench.comparison.entrants import COMPONENTS
from spcabench.comparison.ranking import PAIR, TARGETS, resampled, resolution
from spcabench.comparison.stored import Comparison
from spcabench.files import make_folder, write_text
from spcabench.page import (
    comparison_how,
    comparison_pictures,
    comparison_tables,
    components_page,
)
from spcabench.page.cite import cite
from spcabench.page.comparison_view import Section, View
from spcabench.page.math_html import compact
from spcabench.page.render import render
from spcabench.page.row_names import in_address
from spcabench.page.standing import Standing
from spcabench.page.tables import Column, Link, Strip, Table, linked, percent, solver_cells
from spcabench.running import rows as results
from spcabench.showing.words import duration, size


def whole(share: float) -> str:
    """Format a fraction in whole percent."""
    return percent(share, 0)


HIT = f"at {TARGETS[-1]:g}"
RANKING = (
    Column(
        "Rank",
        "rank",
        meaning="range of ranks that the results on these problems leave open; a line ends each "
        "group of solvers that cannot be distinguished from its first",
    ),
    Column("Solver", "solver"),
    Column(
        "0 to 100 %",
        "strip",
        meaning="the next number with its 95 % interval (problems are resampled); thick: from the "
        "worst to the best seed",
        terminal=False,
    ),
    Column("99.9 %", HIT, whole, "pairs on which 99.9 % of the best known variance is reached"),
    Column("99 %", "at 0.99", whole, "the same for 99 %", terminal=False),
    Column("Answered", "counts", meaning="pairs of a problem and a cardinality with an answer"),
    Column("Share", "share", percent, "mean variance over the best known; zero for a failure"),
    Column("Worst", "worst", percent, "smallest share of an answer", terminal=False),
    Column("Gap", "gap", percent, "median gap to the certified bound", terminal=False),
    Column(
        "Time",
        "time",
        duration,
        "shifted geometric mean (shift 10 ms) of the fastest rounds, with the search for a "
        "penalty; a failure counts as the largest time",
    ),
    Column("Flops", "flops", compact, "the same mean (shift 10^5); n/a if they are not counted"),
    Column("Memory", "memory", size, "median peak memory of a run", terminal=False),
    Column("Most", "most_memory", size, "largest peak memory of a run", terminal=False),
)
PAIRS = (
    Column("Problem", "link"),
    Column("k", "asked"),
    Column("Best known", "best", "{:.8g}"),
    Column("By", "who"),
    Column("Optimum above this by at most", "above"),
    Column("Reached by", "reached"),
)
ANSWERS = (
    Column("Solver", "solver"),
    Column("Variance", "value", "{:.7g}"),
    Column("Of the best", "of_best"),
    Column("Gap", "gap", percent),
    Column("k", "cardinality", "{:.0f}"),
    Column("Flops", "work", compact),
    Column("Time", "time", duration),
    Column("Memory", "memory", size),
    Column("Status", "told"),
)


def write(folder: Path, published: bool = False) -> Path:
    """Write the page of the comparison in a folder, and its tables; return the page's path.

    published : whether the page is in the folder of a published run. For several components, the
        page is written from the table if there are no rows.
    """
    if not (folder / stored.ROWS).is_file() and (folder / components_page.ABOUT).is_file():
        return _write(folder, components_page.view(folder, published), published)
    comparison = Comparison.read(folder)
    if comparison.terms.suite == COMPONENTS:
        components_page.write_table(comparison, folder)
        return _write(folder, components_page.view(folder, published), published)
    standing = Standing.of(comparison)
    files = comparison_tables.write(folder, standing.answers, standing.ranks, standing.warnings)
    _write_pairs(folder / "pairs", standing, published)
    return _write(folder, _view(standing, files, published), published)


def _write(folder: Path, view: View, published: bool) -> Path:
    """Write the page, the pictures and the ranking as text; return the page's path."""
    for section in view.sections:
        if section.picture:
            section.picture.write(folder / "pictures" / f"{section.picture.name}.svg")
    write_text(folder / "ranking.txt", view.text())
    text = render("comparison.html.j2", view=view, published=published, cite=cite(view.newest))
    write_text(folder / "index.html", text)
    return folder / "index.html"


def publish(folder: Path, out: Path) -> Path:
    """Write a published comparison to a folder: its rows, with thinned histories, and its pages.

    The pages are written from the published rows, so anyone who has the rows can reproduce the
    pages. For several components, the table is published in place of the rows.
    """
    comparison = Comparison.read(folder)
    make_folder(out)
    if comparison.terms.suite == COMPONENTS:
        components_page.write_table(comparison, out)
    else:
        table = results.read_table([folder / stored.ROWS])
        stored.write(out, comparison.entrants, table, comparison.plan, small=True)
    return write(out, published=True)


def _view(standing: Standing, files: list[str], published: bool = False) -> View:
    """Return the contents of the page of a comparison for one component."""
    comparison, answers, ranks = standing.comparison, standing.answers, standing.ranks
    rows, terms, pairs = comparison.rows, comparison.terms, _pairs(standing)
    pictures = [Section(p.name, p.title, picture=p) for p in comparison_pictures.pictures(standing)]
    frontier, others = pictures[:1], pictures[1:]
    return View(
        name=comparison.name,
        title="Solvers compared",
        lead=f"{len(ranks)} solvers on {len(pairs)} pairs of a problem and a cardinality, suite "
        f"{terms.suite}, settings {terms.settings}. {comparison.about}",
        order="Solvers are sorted by the percentage of pairs on which they reach 99.9 % of the "
        f"best known value, then by the mean share of this value, then by {standing.last}. "
        f"{resolution(answers)}",
        notes=_seeds(ranks),
        rankings=[_ranking(standing, "../../" if published else None)],
        answers=answers,
        warnings=standing.warnings,
        sections=[
            *frontier,
            *_within(standing),
            *others,
            *_samples(rows),
            _of_pairs(pairs, standing),
            comparison_how.section(standing, _seeds(ranks)),
        ],
        stand_ins=sorted(set(rows.problem[rows.stand_in.eq(True)])),
        files=files,
        newest=standing.newest,
    )


def _seeds(ranks: pd.DataFrame) -> str:
    """Return how far the seeds of randomised solvers differ."""
    several = ranks[ranks.seeds > 1]
    spreads = [
        f"{r.solver} on {100 * r.least:.0f} to {100 * r.most:.0f} %" for r in several.itertuples()
    ]
    told = f"Percentages are means over {ranks.seeds.max()} seeds, which reach 99.9 % as follows: "
    return f"{told}{'; '.join(spreads)} of the pairs. Costs are those of the first seed." * bool(
        spreads
    )


def _ranking(standing: Standing, top: str | None) -> Table:
    """Return the ranking with its columns. top : the way to the folder of the site."""
    ranks, answered = standing.ranks, standing.ranks.answered
    warned = [warning["solver"] for warning in standing.warnings]
    colours = {solver: look["color"] for solver, look in standing.looks.items()}
    rows = ranks.assign(
        # a solver without an answer has no rank, and its costs would be those of its failures
        rank=ranks["rank"].where(answered > 0, "–"),
        time=ranks.time.where(answered > 0),
        flops=ranks.flops.where(answered > 0),
        counts=answered.astype(str) + " of " + ranks.pairs.astype(str),
        strip=[_strip(row) for row in ranks.to_dict("records")],
        most_memory=standing.answers.groupby("solver")
        .memory.max()
        .reindex(ranks.solver)
        .to_numpy(),
        solver=solver_cells(ranks.solver, top, standing.comparison.plan.named, warned, colours),
    )
    return Table(RANKING, rows)


def _strip(row: dict[str, Any]) -> Strip:
    """Return the drawing of the percentage of pairs on which a solver reaches 99.9 %."""
    low, high, point = (round(100.0 * row[name], 1) for name in (f"{HIT} low", f"{HIT} high", HIT))
    seeds = (round(100.0 * row["least"], 1), round(100.0 * row["most"], 1))
    return Strip(point, (low, high) if low == low else (), seeds if row["seeds"] > 1 else ())


def _within(standing: Standing) -> list[Section]:
    """Return the best solvers within budgets of flops and, if times can be compared, of time."""
    tables, order = [], [*standing.looks]
    for measure in (["work"] if standing.last == "flops" else ["time", "work"]) if order else ():
        rows = [
            [f"{g['group']}\n{g['pairs']} pairs", *map(_best, g["best"])]
            for g in budgets.best(standing.answers, order, measure)
        ]
        word = {"time": "Within a time limit", "work": "Within a number of flops"}[measure]
        tables.append(Table.of(("Problems", *budgets.HEADS[measure]), rows, word))
    told = (
        "The solver with the largest mean share of the best known value if every run is stopped at "
        "the budget. A finished run counts with its refitted value, a stopped run with its best "
        "feasible iterate, and a run without an answer as zero."
    )
    words = "of time and of flops, for each kind of problem"
    return [Section("within", "Best within a budget", words, told, tables=tables, linked=True)]


def _best(found: dict[str, Any] | None) -> str:
    """Return the best solvers within a budget, and their share."""
    if found is None:
        return "none"
    more = f" and {len(found['solvers']) - 3} more" if len(found["solvers"]) > 3 else ""
    return f"{', '.join(found['solvers'][:3])}{more}\n{percent(found['share'])}"


def _samples(rows: pd.DataFrame) -> list[Section]:
    """Return held-out variance, optimism and overlap; a column is a measure on a problem."""
    table = resampled(rows).pivot_table(
        index="solver", columns=["measure", "item"], values="of", sort=False
    )
    if table.empty:
        return []
    lines = [[s, *map(percent, v)] for s, v in zip(table.index, table.to_numpy(), strict=True)]
    told = (
        "A component is computed from one half of the samples. Share is the variance of the "
        "held-out half along it, divided by the largest variance of that half along any direction "
        "(mean of 5 splits). Optimism is the amount by which the variance was larger on the half "
        "from which the component was computed. Overlap is the intersection over union of the "
        "supports from 10 bootstrap samples (mean of all pairs)."
    )
    heads = ("Solver", *(f"{measure}, {item}" for measure, item in table.columns))
    title, words = "Other samples of the same data", "held-out variance, optimism, overlap"
    return [Section("samples", title, words, told, tables=[Table.of(heads, lines)])]


def _of_pairs(pairs: pd.DataFrame, standing: Standing) -> Section:
    """Return the best known value of each pair, with links to the answers of all solvers."""
    named, answers = standing.comparison.plan.named, standing.answers
    shares = answers.pivot(index=PAIR, columns="solver", values="share")
    told = pairs.assign(
        link=[
            Link(r.Index[0], f"pairs/{in_address(r.Index[0])}.html#k{r.Index[1]}")
            for r in pairs.itertuples()
        ],
        asked=[k for _, k in pairs.index],
        who=pairs.who.where(pairs.best > 0, ""),
        above=[_above(pair) for pair in pairs.to_dict("records")],
        best=pairs.best.where(pairs.best > 0),
        **shares[named],
    )
    unlisted = [f"{item}, k = {k}" for item, k in pairs.index[pairs.new]]
    better = (
        "This comparison found better answers than the table of best known answers; `spcabench "
        f"best-known --update 0` adds them: {'; '.join(unlisted)}."
    )
    return Section(
        "pairs",
        "Every pair",
        f"{len(pairs)} problems and cardinalities, with the best known and its bound",
        better if unlisted and standing.comparison.terms.fresh is None else "",
        tables=[Table([*PAIRS, *(Column(f"Share of {n}", n, percent) for n in named)], told)],
        linked=True,
    )


def _above(pair: dict[str, Any]) -> str:
    """Return how far the optimum can be above the best known value."""
    if not pair["best"]:
        return "n/a"
    return "proven" if pair["proven"] else f"{100 * (pair['bound'] / pair['best'] - 1):.3g} %"


def _pairs(standing: Standing) -> pd.DataFrame:
    """Return the best known value of each problem and k, and how many solvers reach it."""
    answers = standing.answers.assign(
        close=standing.answers.share >= TARGETS[-1] * (1.0 - best_known.CLOSE)
    )
    groups = answers.groupby(PAIR, sort=False)
    pairs = groups[["family", "best", "who", "bound", "proven", "listed"]].first()
    counts = groups.close.sum().astype(str) + " of " + groups.size().astype(str)
    return pairs.assign(reached=counts, new=pairs.best.gt(0) & ~pairs.listed)


def _write_pairs(folder: Path, standing: Standing, published: bool) -> None:
    """Write one page per problem with every answer, so that no page becomes too large."""
    make_folder(folder)
    for old in folder.glob("*.html"):
        old.unlink()  # pages left by another suite with the same name
    name = standing.comparison.name
    for item, mine in standing.answers.groupby("item", sort=False):
        file = in_address(str(item))
        top = "../../../" if published else None
        parts = [_answers(part, int(k), top) for k, part in mine.groupby("asked", sort=False)]
        about = {"name": name, "item": item, "home": f"{name}/{file}", "published": published}
        text = render("pairs.html.j2", parts=parts, cite=cite(standing.newest), **about)
        write_text(folder / f"{file}.html", text)


def _answers(part: pd.DataFrame, k: int, top: str | None) -> dict[str, Any]:
    """Return the best known value of a problem and k, and all answers, starting with the best."""
    part = part.sort_values(["share", "time"], ascending=[False, True])
    shares = [
        percent(row.share)
        + (
            f"\n{100 * min(row.shares):.2f} to {100 * max(row.shares):.2f}, {len(row.shares)} seeds"
            if len(row.shares) > 1
            else ""
        )
        for row in part.itertuples()
    ]
    reasons = part.reason.fillna("").map(lambda reason: " ".join(reason.split()))
    told = part.status.astype(str) + reasons.map(lambda reason: reason and f"\n{reason}")
    pair = part.iloc[0].to_dict()
    return pair | {
        "k": k,
        "above": _above(pair),
        "table": Table(
            ANSWERS,
            part.assign(solver=linked(part.solver, top), of_best=shares, told=told),
            f"{pair['item']}, k = {k}",
        ),
    }
