"""Write the page of a comparison of several components, with its table and ranking as files."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from spcabench import opening
from spcabench.atomic_files import write_changed, write_text
from spcabench.comparison import fresh
from spcabench.comparison.components import ranking, suite
from spcabench.comparison.components import runs as several_runs
from spcabench.comparison.components.runs import HELD_OUT, TRUE
from spcabench.comparison.jobs import COMPONENTS, Comparison, Job, labels, rows_of
from spcabench.page import comparison_tables, components_pictures, doubts
from spcabench.page.render import render
from spcabench.running import rows as results
from spcabench.solving.formulations import Formulation
from spcabench.solving.run_warnings import Flag
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


def write(plan_file: Path, out: Path | None = None) -> Path:
    """Write the page of a plan, its table and its ranking; return the path of the page.

    The files are written next to the plan or, for a published page, to the folder ``out``.
    """
    plan = Comparison.read(plan_file)
    root = plan_file.resolve().parents[3]
    files = [rows_of(root / file) for file in plan.jobs]
    counts = [len(results.read_table([file], ["status"])) for file in files]
    listed = [Job.read(root / file) for file in plan.jobs]
    # solvers are named as in the plan, even if the names in their rows differ
    job_of = dict(zip(labels(listed), listed, strict=True))
    rows = results.read(files).assign(solver=np.repeat([*job_of], counts))
    rows = rows.assign(own=rows.solver.map({label: job.is_ours for label, job in job_of.items()}))
    results.check(rows, plan.name)
    machines = sorted(set(zip(rows.cpu, rows.commit, strict=True)))
    about = {"name": plan.name, "named": plan.named, "limit": listed[0].limit, "machines": machines}
    table = ranking.standing(rows)
    about |= {"fresh": listed[0].fresh, "doubts": _doubts(plan, rows, job_of)}
    folder = out or plan_file.parent
    if out is not None:
        write_text(out / ABOUT, json.dumps(about) + "\n")
    return _written(folder, about, table, published=out is not None)


def _doubts(
    plan: Comparison, rows: pd.DataFrame, job_of: Mapping[str, Job]
) -> list[dict[str, Any]]:
    """Return reasons to doubt the numbers of solvers."""
    given = [] if plan.drawn else [plan.name]
    answered = {*rows.solver[(rows.kind == TRUE) & (rows.status == Status.FINISHED)]}
    extra = {"seed_given": given, "changed": fresh.changed(plan, job_of, rows)}
    listed = doubts.said(plan, job_of, answered, extra)
    ours = {label: job.is_ours for label, job in job_of.items()}
    factored = rows.solver.map(lambda solver: job_of[solver].described.traits.accepts == "data")
    form = rows.form.where(~factored, "data")  # to which the solver converts each problem
    rows = rows.assign(own=rows.solver.map(ours), given=rows.form, form=form)
    flags = [
        [*(row.flags or ()), Flag.overtime] if ranking.is_overtime(row) else row.flags
        for row in rows.itertuples()
    ]
    return listed + doubts.of_rows(rows.assign(flags=flags))


def write_again(folder: Path) -> Path:
    """Write the page of a published comparison again, from its table."""
    table = pd.read_parquet(folder / "table.parquet")
    return _written(folder, opening.read_json(folder / ABOUT), table, published=True)


def _written(folder: Path, about: dict[str, Any], table: pd.DataFrame, published: bool) -> Path:
    ranks, failures = ranking.ranking(table), comparison_tables.failures(_named(table))
    # loadings would fill pages of a CSV file, and are available in the rows
    shown = table.drop(columns=[name for name in NOT_SHOWN if name in table])
    files = comparison_tables.write_answers(folder, shown, published)
    # published comparisons of earlier versions have neither
    about = {"fresh": None, "doubts": [], **about}
    write_text(folder / "ranking.txt", lines(ranks, _named(table), about["doubts"]))
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
        items=suite.items(about["fresh"]),
        patience=several_runs.PATIENCE,
        claims=[],
        doubted={doubt["solver"].partition(",")[0] for doubt in about["doubts"]},
        **about,
    )
    write_text(folder / "index.html", text)
    return folder / "index.html"


def is_of_components(plan_file: Path) -> bool:
    """Whether a plan is for a comparison of several components."""
    jobs = Comparison.read(plan_file).jobs
    root = plan_file.resolve().parents[3]
    return bool(jobs) and Job.read(root / jobs[0]).suite == COMPONENTS


def lines(
    ranking: pd.DataFrame,
    answers: pd.DataFrame,
    listed: Iterable[Mapping[str, Any]] = (),
) -> str:
    """Format the ranking as text, one block per formulation, and list doubts and missing answers.

    answers : as returned by `_named`. listed : doubts.
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
    text.append("Ranked within each formulation, by the share of the best, not across them.")
    text.append("A rank is the range that the problems leave open (docs/comparing.md).")
    text.append("")
    text += [doubts.as_text(doubt) for doubt in listed]
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
