"""The page of a comparison of one component: ranking, pictures, budgets, pairs and answers."""

from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pandas as pd

from spcabench.comparison import best_known, budgets, plans, suite
from spcabench.comparison.entrants import Entrant
from spcabench.comparison.ranking import (
    FEWEST,
    HIT,
    LAST,
    PAIR,
    RANK,
    RULE,
    TARGET,
    TOLD,
    resampled,
)
from spcabench.comparison.stored import Comparison
from spcabench.files import write_text
from spcabench.page import comparison_pictures
from spcabench.page import comparison_view as views
from spcabench.page.comparison_view import Section, View
from spcabench.page.math_html import compact
from spcabench.page.row_names import answer
from spcabench.page.standing import Standing
from spcabench.page.tables import (
    Column,
    Link,
    Strip,
    Table,
    known,
    linked,
    percent,
    whole,
)
from spcabench.running import rows as results
from spcabench.showing.words import duration, size
from spcabench.solving.status import Status

RANKING = (
    Column(
        "Rank",
        "rank",
        meaning="range of ranks that the results on these problems leave open",
    ),
    Column("Solver", "solver"),
    Column(
        "95 % interval",
        "strip",
        meaning="of the next number (problems are resampled), from 0 to 100 %; on the page, thick: "
        "from the worst to the best seed",
    ),
    Column(TOLD, HIT, whole, f"pairs on which {TOLD} of the best known variance is reached"),
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
RUNS = (
    # forms have functions `item` and `namedItem`, which hide fields with these names
    Column("Problem", "problem", choose=True),
    Column("k", "asked", choose=True),
    Column("Solver", "solver", choose=True),
    Column("Variance", "value", "{:.7g}"),
    Column("Of the best", "of_best"),
    Column("Gap", "gap", percent),
    Column("Nonzeros", "cardinality", "{:.0f}"),
    Column("Flops", "work", compact),
    Column("Time", "time", duration),
    Column("Memory", "memory", size),
    Column("Status", "told", choose=True),
    Column("Row", "row"),
)
STORED = (  # columns of the table of all answers
    *("item", "family", "asked", "solver", "status", "reason", "value", "best", "bound", "proven"),
    *("who", "share", "shares", "gap", "cardinality", "variance", "work", "time", "slowest"),
    *("memory", "problem", "form", "settings"),
)


def view(comparison: Comparison, folder: Path, top: str | None) -> View:
    """Write the tables of a comparison to its folder, and return the contents of its page.

    top : the way to the folder of the site, or None outside a site.
    """
    standing = Standing.of(comparison)
    rows, ranks, answers = comparison.rows, standing.ranks, standing.answers
    warnings, pairs = views.warnings(rows), _pairs(standing)
    ranked = ranking(standing, warnings, top)
    # Parquet would merge the keys of all rows into one struct
    as_json = {name: answers[name].map(results.to_json) for name in ("settings", "shares")}
    views.write_answers(folder, answers[list(STORED)].assign(**as_json))
    told = [
        " ".join(w["sentence"] for w in warnings if w["solver"] in (solver, views.ALL))
        for solver in ranks.solver
    ]
    write_text(folder / "ranking.csv", ranks.assign(warnings=told).to_csv(index=False))
    pictures = [Section(p.name, p.title, picture=p) for p in comparison_pictures.pictures(standing)]
    return View(
        name=comparison.name,
        title="Solvers compared",
        lead=f"{len(ranks)} solvers on {len(pairs)} pairs of a problem and a cardinality, suite "
        f"{comparison.terms.suite}, settings {comparison.terms.settings}. {comparison.about}",
        order=f"{RULE}{LAST[standing.last]}",
        notes=[note for note in (_seeds(ranks), _no_intervals(answers)) if note],
        rankings=[ranked],
        answers=answers,
        warnings=warnings,
        sections=[
            *pictures[:1],
            *_within(standing),
            *pictures[1:],
            *_samples(rows),
            _of_pairs(pairs, standing),
            _how(standing),
        ],
        files=[views.ANSWERS, "ranking.csv", "ranking.txt"],
        newest=views.newest(rows),
        runs=_runs(standing, top),
    )


def _seeds(ranks: pd.DataFrame) -> str:
    """Return how far the seeds of randomised solvers differ."""
    several = ranks[ranks.seeds > 1]
    spreads = [
        f"{r.solver} on {100 * r.least:.0f} to {100 * r.most:.0f} %" for r in several.itertuples()
    ]
    told = f"Percentages are means over {ranks.seeds.max()} seeds, which reach {TOLD} as follows: "
    return f"{told}{'; '.join(spreads)} of the pairs. Costs are those of the first seed." * bool(
        spreads
    )


def _no_intervals(answers: pd.DataFrame) -> str:
    """Return a sentence if there are too few problems for intervals, or ""."""
    count = answers["item"].nunique()
    told = (
        f"Ranks have no intervals, because there are only {count} problems (fewer than {FEWEST})."
    )
    return told * (count < FEWEST)


def ranking(standing: Standing, warnings: views.Warnings, top: str | None) -> Table:
    """Return the ranking with its columns. top : the way to the folder of the site."""
    ranks, answered = standing.ranks, standing.ranks.answered
    warned = [warning["solver"] for warning in warnings]
    colours = {solver: look["color"] for solver, look in standing.looks.items()}
    rows = ranks.assign(
        # a solver without an answer has no rank, and its costs would be those of its failures
        rank=ranks["rank"].where(answered > 0, "–"),
        time=ranks.time.where(answered > 0),
        flops=ranks.flops.where(answered > 0),
        counts=answered.astype(str) + " of " + ranks.pairs.astype(str),
        strip=[_strip(row) for row in ranks.to_dict("records")],
        solver=linked(ranks.solver, top, standing.comparison.plan.named, warned, colours),
    )
    # on few problems no interval is known
    drawn = any(strip.ends for strip in rows["strip"])
    return Table([column for column in RANKING if drawn or column.field != "strip"], rows)


def _strip(row: dict[str, Any]) -> Strip:
    """Return the drawing of the percentage of pairs on which a solver reaches the target."""
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


def _pairs(standing: Standing) -> pd.DataFrame:
    """Return the best known value of each problem and k, and how many solvers reach it."""
    answers = standing.answers.assign(
        close=standing.answers.share >= TARGET * (1.0 - best_known.CLOSE)
    )
    groups = answers.groupby(PAIR, sort=False)
    pairs = groups[["best", "who", "bound", "proven", "listed"]].first()
    counts = groups.close.sum().astype(str) + " of " + groups.size().astype(str)
    return pairs.assign(reached=counts, new=pairs.best.gt(0) & ~pairs.listed)


def _of_pairs(pairs: pd.DataFrame, standing: Standing) -> Section:
    """Return the best known value of each pair, with links to the answers of all solvers."""
    named, answers = standing.comparison.plan.named, standing.answers
    shares = answers.pivot(index=PAIR, columns="solver", values="share")
    found = pairs.best > 0
    above = 100 * (pairs.bound / pairs.best.where(found) - 1)
    told = pairs.assign(
        link=[Link(item, address(item, k)) for item, k in pairs.index],
        asked=[k for _, k in pairs.index],
        who=pairs.who.where(found, ""),
        above=above.map("{:.3g} %".format).where(~pairs.proven, "proven").where(found, "n/a"),
        best=pairs.best.where(found),
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


def address(item: str, k: int) -> str:
    """Return the address of all answers to a problem and k, from the page of a comparison."""
    return f"answers.html#answers?{urlencode({'problem': item, 'asked': k}, quote_via=quote)}"


def _runs(standing: Standing, top: str | None) -> Table:
    """Return the answers of all solvers to every problem and k, starting with the best."""
    answers = standing.answers.sort_values(["share", "time"], ascending=[False, True])
    answers = pd.concat(part for _, part in answers.groupby(PAIR))
    reasons = answers.reason.fillna("").map(lambda reason: " ".join(reason.split()))
    rows = answers.assign(
        problem=answers["item"],
        of_best=[*map(_of_best, answers.share, answers.shares)],
        told=answers.status.astype(str) + reasons.map(lambda reason: reason and f"\n{reason}"),
        row=[*map(answer, answers["item"], answers.asked, answers.solver)],
        solver=linked(answers.solver, top),
    )
    return Table(RUNS, rows, "Answers")


def _of_best(share: float, of_seeds: list[float]) -> str:
    """Return the share of the best known value, and its range over the seeds."""
    ends = f"\n{100 * min(of_seeds):.2f} to {100 * max(of_seeds):.2f}, {len(of_seeds)} seeds"
    return f"{percent(share)}{ends if len(of_seeds) > 1 else ''}"


def _how(standing: Standing) -> Section:
    """Return the rule, limits, settings, times and problems."""
    comparison, rows = standing.comparison, standing.comparison.rows
    terms, limit = comparison.terms, comparison.terms.limit
    times = (
        f"Times are not ranked. {' '.join(standing.differences)}"
        if standing.differences
        else "Times are ranked, because they were measured under the same conditions."
    )
    known_best = f"Version {best_known.version()} of the frozen table, and these answers."
    if terms.fresh is not None:
        known_best = "The best answers of this comparison; bounds were computed during the runs."
    facts = [
        ("Ranks", RANK),
        (
            "Limits",
            f"{limit:g} s per run. A run without an answer after {plans.PATIENCE_FACTOR * limit:g} "
            "s is killed, and larger cardinalities of the problem are skipped. Relaxations and "
            f"exact searches are only run on problems with up to {suite.SMALL} variables.",
        ),
        ("Times", times),
        ("Best known", known_best),
        ("Settings", f"{terms.settings}: {suite.SETTINGS[terms.settings]['about']}."),
    ]
    settings = [_settings(*entrant, rows) for entrant in comparison.entrants.items()]
    heads = ("Solver", "Settings", "Stops", "Rule", "Iterates", "At the time limit")
    table = Table.of(heads, settings, "Settings of the solvers, and the median number of iterates")
    machines = sorted(set(zip(rows.cpu, rows.commit, strict=True)))
    items = suite.items(terms.suite, terms.ks, terms.fresh)
    return views.how("rule, limits, settings, times, problems", facts, machines, items, table)


def _settings(label: str, entrant: Entrant, rows: pd.DataFrame) -> list[str]:
    """Return a solver's settings, its stopping rule, the rule behind them, and its limits."""
    mine = rows[(rows.solver == label) & (rows.kind == "suite") & (rows.status != Status.SKIPPED)]
    about, own = entrant.about, entrant.own_settings
    left_out = {"k", "start", "seed", "components", "nonnegative", about.traits.penalty}
    values = {name: value for name, value in about.defaults.items() if name not in left_out} | own
    told = ", ".join(f"{key} = {value}" for key, value in values.items())
    if any("process_seconds" in extra for extra in mine.extra):  # a command in another language
        told += "timed from the start of the process to its exit"
    limits = about.limits(own)
    stop = "ends by itself" if limits.stop == "end" else f"{limits.stop} below {limits.tol:g}"
    return [
        label,
        told,
        f"{stop}, at most {limits.max_iterations:g} iterates",
        entrant.tuned_on or suite.RULES.get(entrant.solver, ""),
        known(mine.iterations.median(), "{:.0f}"),
        f"{(mine.status == Status.TIME_LIMIT).sum()} of {len(mine)}",
    ]
