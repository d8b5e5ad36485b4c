"""The page of a comparison of several components: a ranking for each formulation."""

import json
from collections.abc import Sequence
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
from spcabench.page import comparison_tables, components_pictures
from spcabench.page.comparison_view import Section, View, problems
from spcabench.page.tables import Column, Ranking, Solver, Table, known, percent
from spcabench.showing.words import duration
from spcabench.solving.formulations import Formulation
from spcabench.solving.status import Status

NOT_SHOWN = ("Z", "parameters")
ABOUT = "about.json"  # what the page of a published comparison shows besides its table
ORDER = (
    "Solvers are ranked within each formulation, by their mean share of the best value, and not "
    "across formulations. With fewer than ten problems, ranks are just the order of the means."
)
COLUMNS = (
    Column(
        "Rank",
        "rank",
        meaning="range of ranks that the results on these problems leave open; none if a solver "
        "was run on a part of the problems only",
    ),
    Column("Solver", "solver"),
    Column("Method", "how", meaning="by which deflation, or all loadings at once"),
    Column("Answered", "counts", meaning="problems (with r and k) with a feasible answer"),
    Column("Share", "share", percent, "mean variance over the best; a failure counts as zero"),
    Column("Gap", "gap", percent, "median gap to the certified bound on all loadings together"),
    Column("Violation", "violation", "{:.2g}", "mean of sum |Z'Z - I|"),
    Column("Overlap", "overlap", percent, "mean overlap of two supports", terminal=False),
    Column(
        "Correlation",
        "correlation",
        "{:.2f}",
        "mean of the largest correlation of two scores",
        terminal=False,
    ),
    Column("Union", "union", "{:.1f}", "mean number of variables in use", terminal=False),
    Column("Time", "seconds", duration, "mean time, with the search for a penalty"),
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


def of_comparison(comparison: Comparison, folder: Path, published: bool) -> View:
    """Write the tables of a comparison to a folder, and return the contents of its page."""
    rows, terms = comparison.rows, comparison.terms
    newest = rows.sort_values("written", kind="stable").iloc[-1]
    about = {
        "name": comparison.name,
        "named": comparison.plan.named,
        "limit": terms.limit,
        "machines": sorted(set(zip(rows.cpu, rows.commit, strict=True))),
        "fresh": terms.fresh,
        "about_problems": comparison.about,
        "warnings": comparison_tables.warnings(rows),
        "newest": {name: newest[name] for name in ("machine", "commit", "written")},
    }
    table = ranking.standing(rows)
    # loadings would fill pages of a CSV file, and are available in the rows
    shown = table.drop(columns=[name for name in NOT_SHOWN if name in table])
    files = comparison_tables.write_answers(folder, shown, published)
    if published:
        write_text(folder / ABOUT, json.dumps(about) + "\n")
    return _view(table, about, files)


def of_published(folder: Path) -> View:
    """Return the contents of the page of a published comparison, from its table."""
    return _view(
        pd.read_parquet(folder / "table.parquet"), read_json(folder / ABOUT), ["table.parquet"]
    )


def _view(table: pd.DataFrame, about: dict[str, Any], files: Sequence[str]) -> View:
    ranks = ranking.ranking(table)
    warned = {warning["solver"] for warning in about["warnings"]}
    rankings = [
        _ranking(f, ranks[ranks.formulation == f], about["named"], warned)
        for f in Formulation
        if (ranks.formulation == f).any()
    ]
    pictures = [
        Section(p.name, p.title, picture=p) for p in components_pictures.pictures(table, ranks)
    ]
    answers = table[table.kind != HELD_OUT]
    return View(
        name=about["name"],
        title="Several components compared",
        lead=f"“Several sparse components” can mean {len(rankings)} different problems "
        f"(formulations). {about['about_problems']}",
        order=ORDER,
        rankings=rankings,
        answers=_named(table),
        warnings=about["warnings"],
        sections=[*pictures, *_recovered(answers), *_held_out(table), _pairs(answers), _how(about)],
        stand_ins=sorted(set(table.problem[table.stand_in.eq(True)])),
        files=[*files, "ranking.txt"],
        newest=about["newest"],
    )


def _ranking(
    formulation: Formulation, ranks: pd.DataFrame, named: Sequence[str], warned: set[str]
) -> Ranking:
    """Return the ranking of a formulation."""
    ranked_by = "projected variance, which does not count any variance twice"
    if formulation.orthonormal:
        ranked_by = "total variance tr(Z'ΣZ)"
    rows = ranks.assign(
        rank=ranks["rank"].where(~ranks.partly, "–"),
        how=ranks.how.map(_words),
        counts=ranks.answered.astype(str) + " of " + ranks.pairs.astype(str),
    )
    solvers = [Solver(s, "", s in named, s in warned) for s in ranks.solver]
    words = f"{formulation.meaning} Ranked by the {ranked_by}."
    return Ranking(COLUMNS, rows, {"solver": solvers}, formulation.capitalize(), words)


def _words(how: str) -> str:
    """Return a way in words."""
    return how.replace("_", " ")


def _recovered(table: pd.DataFrame) -> list[Section]:
    """Return the recovery of planted loadings for each solver and way, starting with the best."""
    # only problems with planted loadings have this column
    if "accuracy" not in table:
        return []
    keys = ["item", "formulation", "solver", "how"]
    means = table.dropna(subset=["accuracy"]).groupby(keys, sort=False)
    means = means[["accuracy", "false", "subspace"]].mean().reset_index()
    # dropping features makes all loadings orthonormal, so the same answers would appear twice
    means = means[~((means.formulation == "orthonormal") & (means.how == "drop_features"))]
    rows = [
        [
            r.item,
            r.formulation,
            r.solver,
            _words(r.how),
            percent(r.accuracy),
            percent(r.false),
            known(r.subspace, "{:.3f}"),
        ]
        for r in means.sort_values(["item", "accuracy"], ascending=[True, False]).itertuples()
    ]
    told = (
        "Loadings are matched one to one. Accuracy is the percentage of the true nonzeros that "
        "were found, and False the percentage of the found nonzeros that are not true. Subspace is "
        "the sine of the largest angle between the two spans."
    )
    heads = ("Problem", "Formulation", "Solver", "Method", "Accuracy", "False", "Subspace")
    words = "found, false, angle of the spans"
    return [
        Section("recovery", "Recovery of known loadings", words, told, tables=[Table(heads, rows)])
    ]


def _held_out(table: pd.DataFrame) -> list[Section]:
    """Return the fraction of held-out variance for each solver and way, starting with the best."""
    if "held_out_projected" not in table:
        return []
    part = table.dropna(subset=["held_out_projected"])
    columns = ["held_out_projected", "held_out_adjusted", "held_out_regression"]
    groups = part.groupby(["formulation", "solver", "how"], sort=False)
    shares = groups[columns].mean().assign(count=groups.size()).reset_index()
    shares = shares.sort_values(["formulation", columns[0]], ascending=[True, False])
    rows = [
        [
            r["formulation"],
            r["solver"],
            _words(r["how"]),
            *(percent(r[c]) for c in columns),
            str(r["count"]),
        ]
        for r in shares.to_dict("records")
    ]
    told = (
        "Loadings computed from the even samples are evaluated on the odd samples, as a fraction "
        "of their variance. Regression uses coefficients fitted on the even samples."
    )
    heads = ("Formulation", "Solver", "Method", "Projected", "Adjusted", "Regression", "Problems")
    words = "variance of samples that were held out"
    table_of = [Table(heads, rows)]
    return [Section("samples", "Other samples of the same data", words, told, tables=table_of)]


def _pairs(table: pd.DataFrame) -> Section:
    """Return the best answer and its certified bound for each formulation, problem, r and k."""
    keys = ["formulation", "item", "r", "k"]
    answered = table.dropna(subset=["value"]).sort_values("value", ascending=False, kind="stable")
    firsts = answered.drop_duplicates(keys).sort_values(keys, kind="stable")
    rows = [
        [
            p.formulation,
            p.item,
            str(p.r),
            str(p.k),
            f"{p.value:.6g}",
            known(p.bound, "{:.6g}"),
            percent(p.gap),
            f"{p.solver}, {_words(p.how)}",
            p.source,
        ]
        for p in firsts.itertuples()
    ]
    heads = ("Formulation", "Problem", "r", "k", "Best", "Bound", "Gap", "Found by", "Bound by")
    words = f"{len(rows)} problems, r and k in each formulation"
    title, table_of = "Best answer and certified bound", [Table(heads, rows)]
    return Section("pairs", title, words, tables=table_of, linked=True)


def _how(about: dict[str, Any]) -> Section:
    """Return how the comparison was measured."""
    limits = (
        f"{about['limit']} s per run; a run without an answer after {several_runs.PATIENCE} s is "
        "killed. Relaxations and exact searches are only run on the small problems."
    )
    machines = "; ".join(f"{cpu}, commit {commit[:10]}" for cpu, commit in about["machines"])
    facts = [*HOW, ("Limits", limits), ("Machine", machines)]
    tables = [problems(suite.items(COMPONENTS, fresh=about["fresh"]))]
    words = "methods, refit, limits, machine, problems"
    return Section("how", "How it was measured", words, "", facts, tables, linked=True)


def _named(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with solvers named with their way, and whether each line has an answer."""
    held_out = (table.kind == HELD_OUT) & (table.status == Status.FINISHED)
    ways = table.solver + ", " + table.how.str.replace("_", " ")
    return table.assign(solver=ways, answered=table.value.notna() | held_out)
