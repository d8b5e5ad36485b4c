"""Write the page of a comparison of several components, with its table and ranking as files."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from spcabench.comparison import suite
from spcabench.comparison.components import ranking
from spcabench.comparison.components import runs as several_runs
from spcabench.comparison.components.runs import HELD_OUT
from spcabench.comparison.entrants import COMPONENTS
from spcabench.comparison.stored import Comparison
from spcabench.files import read_json, write_changed, write_text
from spcabench.page import comparison_tables, components_pictures
from spcabench.page.render import render
from spcabench.solving.formulations import Formulation
from spcabench.solving.status import Status

NOT_SHOWN = ("Z", "parameters")
ABOUT = "about.json"  # what the page of a published comparison shows besides its table
FIRST = 6  # number of ways per formulation that the page shows unfolded
# explanations of the column heads for readers who see only a terminal or a log
HEADS = (
    ("asked", "how several loadings were computed: by a deflation, or all at once"),
    ("answered", "problems (with r and k) whose answer satisfies the formulation"),
    ("of the best", "mean variance relative to the best of all solvers; failures count zero"),
    ("gap", "median gap to the certified bound on all loadings together"),
    ("violation", "mean deviation from orthogonality, sum of |Z'Z - I|"),
    ("time", "mean time of the solver, including the search for a penalty"),
)


def write(comparison: Comparison, folder: Path, published: bool = False) -> Path:
    """Write the page of a comparison, its table and its ranking; return the path of the page."""
    rows, terms = comparison.rows, comparison.terms
    about = {
        "name": comparison.name,
        "named": comparison.plan.named,
        "limit": terms.limit,
        "machines": sorted(set(zip(rows.cpu, rows.commit, strict=True))),
        "fresh": terms.fresh,
        "about_problems": comparison.about,
        "warnings": comparison_tables.warnings(rows),
    }
    if published:
        write_text(folder / ABOUT, json.dumps(about) + "\n")
    return _written(folder, about, ranking.standing(rows), published)


def write_again(folder: Path) -> Path:
    """Write the page of a published comparison again, from its table."""
    table = pd.read_parquet(folder / "table.parquet")
    return _written(folder, read_json(folder / ABOUT), table, published=True)


def _written(folder: Path, about: dict[str, Any], table: pd.DataFrame, published: bool) -> Path:
    ranks, failures = ranking.ranking(table), comparison_tables.failures(_named(table))
    # loadings would fill pages of a CSV file, and are available in the rows
    shown = table.drop(columns=[name for name in NOT_SHOWN if name in table])
    files = comparison_tables.write_answers(folder, shown, published)
    # published comparisons of earlier versions have neither
    about = {"fresh": None, "about_problems": "", "warnings": [], **about}
    text = lines(ranks, _named(table), about["about_problems"], about["warnings"])
    write_text(folder / "ranking.txt", text)
    pictures = list(components_pictures.pictures(table, ranks))
    # without loadings, as in a published table, the picture of them remains
    for picture in pictures:
        if "Z" in table or picture.draw is not components_pictures.heat_maps:
            write_changed(folder / "pictures" / f"{picture.name}.svg", picture.svg())
    about = about | {"files": [(file, file) for file in (*files, "ranking.txt")]}
    answers = table[table.kind != HELD_OUT]
    # in the order of their definition, as in the explanations on the page
    formulations = [f for f in Formulation if (ranks.formulation == f).any()]
    text = render(
        "several.html.j2",
        published=published,
        written=datetime.now(UTC).date().isoformat(),
        formulations=formulations,
        first=FIRST,
        ranking={f: ranks[ranks.formulation == f].to_dict("records") for f in formulations},
        pictures=pictures,
        recovered=_recovered(answers),
        held_out=_held_out(table),
        pairs=_pairs(answers),
        failures=failures,
        stand_ins=sorted(set(table.problem[table.stand_in.eq(True)])),
        items=suite.items(COMPONENTS, fresh=about["fresh"]),
        patience=several_runs.PATIENCE,
        warned={warning["solver"] for warning in about["warnings"]},
        **about,
    )
    write_text(folder / "index.html", text)
    return folder / "index.html"


def lines(
    ranking: pd.DataFrame,
    answers: pd.DataFrame,
    about: str,
    warnings: Iterable[Mapping[str, Any]] = (),
) -> str:
    """Format the ranking as text, one block per formulation, and list missing answers.

    answers : as returned by `_named`. about : a sentence about the problems.
    """
    text, width = [], max([28, *(len(name) + 1 for name in ranking.solver)])
    for formulation, part in ranking.groupby("formulation", sort=False):
        text.append(f"{formulation}: {Formulation(formulation).meaning}")
        text.append(
            f"  {'rank':10}{'solver':{width}}{'asked':22}{'answered':>10}{'of the best':>12}"
            f"{'gap':>8}{'violation':>11}{'time, s':>9}"
        )
        for r in part.itertuples():
            text.append(
                f"  {'-' if r.partly else r.rank:10}{r.solver:{width}}{_words(r.how):22}"
                f"{r.answered:>4} of {r.pairs:<3}"
                f"{100 * r.share:>10.1f} %{_or_dash(100 * r.gap, '.1f', ' %'):>8}"
                f"{_or_dash(r.violation, '.2g'):>11}{_or_dash(r.seconds, '.3g'):>9}"
            )
        text.append("")
    text += [f"{head:13}{meaning}" for head, meaning in HEADS]
    text.append(about)
    text.append("Ranked within each formulation, by the share of the best, not across them.")
    text.append("A rank is the range that the problems leave open (docs/comparing.md).")
    text.append("")
    text += [comparison_tables.as_text(warning) for warning in warnings]
    text += comparison_tables.unanswered(answers)
    return "\n".join(text).rstrip() + "\n"


def _words(how: str) -> str:
    """Return a way in words."""
    return how.replace("_", " ")


def _or_dash(value: float, how: str, unit: str = "") -> str:
    """Format a number, or return a dash if there is none."""
    return "-" if pd.isna(value) else f"{value:{how}}{unit}"


def _recovered(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the recovery of planted loadings for each solver and way, starting with the best."""
    # only problems with planted loadings have this column
    if "accuracy" not in table:
        return []
    known = table.dropna(subset=["accuracy"])
    keys = ["formulation", "solver", "how", "item"]
    means = known.groupby(keys, sort=False)[["accuracy", "false", "subspace"]].mean().reset_index()
    # dropping features makes all loadings orthonormal, so the same answers would appear twice
    means = means[~((means.formulation == "orthonormal") & (means.how == "drop_features"))]
    return means.sort_values(["item", "accuracy"], ascending=[True, False]).to_dict("records")


def _held_out(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the fraction of held-out variance for each solver and way, starting with the best."""
    if "held_out_projected" not in table:
        return []
    part = table.dropna(subset=["held_out_projected"])
    columns = ["held_out_projected", "held_out_adjusted", "held_out_regression"]
    groups = part.groupby(["formulation", "solver", "how"], sort=False)
    shares = groups[columns].mean().assign(count=groups.size()).reset_index()
    shares = shares.sort_values(["formulation", columns[0]], ascending=[True, False])
    return shares.to_dict("records")


def _pairs(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the best answer and its certified bound for each formulation, problem, r and k."""
    answered = table.dropna(subset=["value"]).sort_values("value", ascending=False, kind="stable")
    firsts = answered.drop_duplicates(["formulation", "item", "r", "k"])
    return firsts.sort_values(["formulation", "item", "r", "k"], kind="stable").to_dict("records")


def _named(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with solvers named with their way, and whether each line has an answer."""
    held_out = (table.kind == HELD_OUT) & (table.status == Status.FINISHED)
    ways = table.solver + ", " + table.how.str.replace("_", " ")
    return table.assign(solver=ways, answered=table.value.notna() | held_out)
