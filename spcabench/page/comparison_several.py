"""The page of a comparison of several components: a ranking for each formulation."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from spcabench.comparison import suite
from spcabench.comparison.components import ranking
from spcabench.comparison.components import runs as several_runs
from spcabench.comparison.components.runs import HELD_OUT
from spcabench.comparison.entrants import COMPONENTS
from spcabench.comparison.stored import Comparison
from spcabench.files import read_json, write_text
from spcabench.page import comparison_view as views
from spcabench.page.comparison_view import Section, View
from spcabench.page.tables import Column, Table, linked, percent
from spcabench.showing.words import duration
from spcabench.solving.formulations import Formulation
from spcabench.solving.status import Status

NOT_SHOWN = ("Z", "parameters")
ABOUT = "about.json"  # what the page shows besides its table
ORDER = (
    "Solvers are ranked within each formulation, by their mean share of the best value, and not "
    "across formulations. With fewer than ten problems, ranks are just the order of the means."
)


def _words(how: str) -> str:
    """Return a method in words."""
    return how.replace("_", " ")


PROBLEM, FORMULATION = Column("Problem", "item"), Column("Formulation", "formulation")
SOLVER = Column("Solver", "solver")
METHOD = Column("Method", "how", _words, "by which deflation, or all loadings at once")
RANKING = (
    Column(
        "Rank",
        "rank",
        meaning="range of ranks that the results on these problems leave open; none if a solver "
        "was run on a part of the problems only",
    ),
    SOLVER,
    METHOD,
    Column("Answered", "counts", meaning="problems (with r and k) with a feasible answer"),
    Column("Share", "share", percent, "mean variance over the best; a failure counts as zero"),
    Column("Gap", "gap", percent, "median gap to the certified bound on all loadings together"),
    Column("Twice", "twice", percent, "mean share of tr(Z'ΣZ) that was counted twice", False),
    Column("Violation", "violation", "{:.2g}", "mean of sum |Z'Z - I|"),
    Column("Overlap", "overlap", percent, "mean overlap of two supports", False),
    Column("Correlation", "correlation", "{:.2f}", "mean largest correlation of two scores", False),
    Column("Union", "union", "{:.1f}", "mean number of variables in use", False),
    Column("Time", "seconds", duration, "mean time, with the search for a penalty"),
)
RECOVERED = (
    Column("Accuracy", "accuracy", percent),
    *(Column("False", "false", percent), Column("Subspace", "subspace", "{:.3f}")),
)
SAMPLES = (
    Column("Projected", "held_out_projected", percent),
    Column("Adjusted", "held_out_adjusted", percent),
    *(Column("Regression", "held_out_regression", percent), Column("Problems", "count")),
)
BEST = (
    *(FORMULATION, PROBLEM, Column("r", "r"), Column("k", "k"), Column("Best", "value", "{:.6g}")),
    *(Column("Bound", "bound", "{:.6g}"), Column("Gap", "gap", percent)),
    *(Column("Found by", "solver"), METHOD, Column("Bound by", "source")),
)
HOW = (
    (
        "Method",
        "A solver for one component is run again after each deflation; *drop features* removes the "
        "variables that were used, so supports are disjoint. A solver for several components finds "
        "all of them at once: *joint* with cardinality k, *calibrated* with the penalty for which "
        "all loadings together have at most r k nonzeros, and *rounded* with the penalty for which "
        "they use at most k variables, on which the loadings are the leading eigenvectors.",
    ),
    (
        "Refit",
        "Loadings found one after the other are replaced by the leading eigenvector on their "
        "support before the deflation. Loadings found together are used as they are.",
    ),
    (
        "Grades",
        "Computed from the loadings on freshly loaded problems. Loadings that violate the "
        "constraint of their formulation are failures. Disjoint loadings are orthonormal, so they "
        "appear in both rankings.",
    ),
)


def view(comparison: Comparison, folder: Path, top: str | None) -> View:
    """Write the table of a comparison to its folder, and return the contents of its page."""
    write_table(comparison, folder)
    return stored_view(folder, top)


def write_table(comparison: Comparison, folder: Path) -> None:
    """Write the table of a comparison, and what its page shows besides."""
    rows, terms, newest = comparison.rows, comparison.terms, views.newest(comparison.rows)
    about = {
        "name": comparison.name,
        "named": comparison.plan.named,
        "limit": terms.limit,
        "machines": sorted(set(zip(rows.cpu, rows.commit, strict=True))),
        "fresh": terms.fresh,
        "about_problems": comparison.about,
        "warnings": views.warnings(rows),
        "newest": {name: newest[name] for name in ("machine", "commit", "written")},
    }
    # loadings are available in the rows
    table = ranking.standing(rows).drop(columns=[*NOT_SHOWN], errors="ignore")
    views.write_answers(folder, table)
    write_text(folder / ABOUT, json.dumps(about) + "\n")


def stored_view(folder: Path, top: str | None) -> View:
    """Return the contents of the page of a comparison, from its table."""
    table, about = pd.read_parquet(folder / views.ANSWERS), read_json(folder / ABOUT)
    rankings = [*_rankings(table, about, top)]
    held_out = (table.kind == HELD_OUT) & (table.status == Status.FINISHED)
    return View(
        name=about["name"],
        title="Several components compared",
        lead=f"“Several sparse components” can mean {len(rankings)} different problems "
        f"(formulations). {about['about_problems']}",
        order=ORDER,
        rankings=rankings,
        answers=table.assign(
            solver=table.solver + ", " + table.how.map(_words),
            answered=table.value.notna() | held_out,
        ),
        warnings=about["warnings"],
        sections=[*_samples(table), _pairs(table), _how(about)],
        files=[views.ANSWERS, "ranking.txt"],
        newest=about["newest"],
    )


def _rankings(table: pd.DataFrame, about: dict[str, Any], top: str | None) -> Iterator[Table]:
    """Yield the ranking of each formulation."""
    warned, keys = [warning["solver"] for warning in about["warnings"]], ["solver", "how"]
    ranks = ranking.ranking(table)
    for formulation in Formulation:
        mine = ranks[ranks.formulation == formulation]
        answers = table[(table.formulation == formulation) & (table.kind != HELD_OUT)]
        # the total counts the common part of correlated scores twice
        twice = (1.0 - answers.projected / answers.total).groupby([answers[key] for key in keys])
        if mine.empty:
            continue
        yield Table(
            RANKING,
            mine.assign(
                rank=mine["rank"].where(~mine.partly, "–"),
                counts=mine.answered.astype(str) + " of " + mine.pairs.astype(str),
                twice=twice.mean().reindex(pd.MultiIndex.from_frame(mine[keys])).to_numpy(),
                solver=linked(mine.solver, top, about["named"], warned),
            ),
            title=formulation.capitalize(),
            words=f"{formulation.meaning} Ranked by the "
            + (
                "total variance tr(Z'ΣZ)."
                if formulation.orthonormal
                else "projected variance, which does not count any variance twice."
            ),
            first=8,
        )


def _samples(table: pd.DataFrame) -> list[Section]:
    """Return the recovery of planted loadings, and the fraction of held-out variance."""
    # dropping features makes all loadings orthonormal, so the same answers would appear twice
    twice = (table.formulation == "orthonormal") & (table.how == "drop_features")
    recovery = (
        "Loadings are matched one to one. Accuracy is the percentage of the true nonzeros that "
        "were found, and False the percentage of the found nonzeros that are not true. Subspace is "
        "the sine of the largest angle between the two spans."
    )
    held_out = (
        "Loadings computed from the even samples are evaluated on the odd samples, as a fraction "
        "of their variance. Regression uses coefficients fitted on the even samples."
    )
    known = table[(table.kind != HELD_OUT) & ~twice]
    title, words = "Recovery of known loadings", "found, false, angle of the spans"
    tables = _means(known, [PROBLEM, FORMULATION], RECOVERED)
    first = Section("recovery", title, words, recovery, tables=tables)
    title, words = "Other samples of the same data", "variance of samples that were held out"
    tables = _means(table, [FORMULATION], SAMPLES)
    return [
        s for s in (first, Section("samples", title, words, held_out, tables=tables)) if s.tables
    ]


def _means(table: pd.DataFrame, first: list[Column], measures: Sequence[Column]) -> list[Table]:
    """Return the means of measures for each solver and method, starting with the best."""
    columns, best = [*first, SOLVER, METHOD], measures[0].field
    if best not in table:  # only some problems have it
        return []
    keys, fields = ([c.field for c in of if c.field != "count"] for of in (columns, measures))
    groups = table.dropna(subset=[best]).groupby(keys, sort=False)
    means = groups[fields].mean().assign(count=groups.size()).reset_index()
    means = means.sort_values([keys[0], best], ascending=[True, False])
    return [Table([*columns, *measures], means)]


def _pairs(table: pd.DataFrame) -> Section:
    """Return the best answer and its certified bound for each formulation, problem, r and k."""
    keys = ["formulation", "item", "r", "k"]
    answered = table[table.kind != HELD_OUT].dropna(subset=["value"])
    answered = answered.sort_values("value", ascending=False, kind="stable")
    firsts = answered.drop_duplicates(keys).sort_values(keys, kind="stable")
    words = f"{len(firsts)} problems, r and k in each formulation"
    title, tables = "Best answer and certified bound", [Table(BEST, firsts)]
    return Section("pairs", title, words, tables=tables, linked=True)


def _how(about: dict[str, Any]) -> Section:
    """Return how the comparison was measured."""
    limits = (
        f"{about['limit']} s per run; a run without an answer after {several_runs.PATIENCE} s is "
        "killed. Relaxations and exact searches are only run on the small problems."
    )
    facts = [*HOW, ("Limits", limits)]
    items = suite.items(COMPONENTS, fresh=about["fresh"])
    return views.how("methods, refit, limits, machine, problems", facts, about["machines"], items)
