"""Write the page of a comparison with its ranking, profiles and tables, also as files."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd
import pyarrow as pa

from spcabench.atomic_files import make_folder, write_changed, write_text
from spcabench.comparison import (
    best_known,
    budgets,
    conditions,
    entering,
    fresh,
    jobs,
    merging,
    plans,
    suite,
)
from spcabench.comparison.jobs import Comparison, Job
from spcabench.comparison.ranking import LAST, RANK, RULE, TARGETS, resampled, resolution
from spcabench.comparison.ranking import ranking as rank_solvers
from spcabench.errors import InputError
from spcabench.page import (
    comparison_curves,
    comparison_pictures,
    comparison_tables,
    doubts,
    interactive_curves,
)
from spcabench.page.render import render
from spcabench.page.row_names import in_address
from spcabench.running import external_solver
from spcabench.running import rows as results
from spcabench.solving.driver import Limits
from spcabench.solving.status import Status


def write(plan_file: Path) -> Path:
    """Write the page of a plan, its table, rows and ranking beside it; return the page's path."""
    plan = Comparison.read(plan_file)
    if not plan.jobs:
        raise InputError(f"{plan_file}: it has no jobs, so it is not the plan of a comparison")
    root = plan_file.resolve().parents[3]
    listed = [Job.read(root / file) for file in plan.jobs]
    job_of = dict(zip(jobs.labels(listed), listed, strict=True))
    table = _table([jobs.rows_of(root / file) for file in plan.jobs], list(job_of))
    # store the rows as computed, so that others can merge them, before values are recomputed
    merging.write(plan_file.parent, job_of, table)
    # read the stored file, because a merge of this comparison will also use the stored rows
    rows = results.read([plan_file.with_name(merging.ROWS)])
    rows, omissions = entering.of_jobs(rows, job_of)
    extra = {"omissions": omissions, "changed": fresh.changed(plan, job_of, rows)}
    return _written(plan_file.parent, plan, job_of, rows, _last(rows), extra)


def publish(folder: Path, out: Path) -> Path:
    """Write a published comparison: its rows, with thinned histories, and its pages.

    The pages are written from the published rows, so anyone who has the rows can reproduce the
    pages.

    out : may be ``folder`` itself.
    """
    part, plan = merging.Part.read(folder), Comparison.read(folder / "plan.json")
    merging.write(out, part.jobs, results.read_table([folder / merging.ROWS]), small=True)
    # paths of jobs are meaningless outside the clone in which they ran
    write_text(out / "plan.json", replace(plan, jobs=[]).text())
    rows, omissions = entering.of_jobs(results.read([out / merging.ROWS]), part.jobs)
    extra = {"published": True, "omissions": omissions}
    return _written(out, plan, part.jobs, rows, _last(rows), extra)


@dataclass(frozen=True)
class Standing:
    """A comparison read from its folder, ranked as on its page.

    last : the criterion that orders equal solvers, "time" or "flops". doubts : those of its page.
    """

    part: merging.Part
    rows: pd.DataFrame
    answers: pd.DataFrame
    ranks: pd.DataFrame
    last: str
    doubts: list[dict[str, Any]]

    @classmethod
    def read(cls, folder: Path) -> "Standing":
        """Read the comparison in a folder, and recompute its values."""
        part = merging.Part.read(folder)
        rows, omissions = entering.of_jobs(part.rows, part.jobs)
        last = _last(rows)
        answers = entering.rated(rows, next(iter(part.jobs.values())))
        extra = {"omissions": omissions, "changed": fresh.changed(part.plan, part.jobs, rows)}
        listed = _doubts(part.plan, part.jobs, rows, answers, extra)
        return cls(part, rows, answers, rank_solvers(answers, last), last, listed)


def _within(answers: pd.DataFrame, order: list[str], apart: bool) -> list[dict[str, Any]]:
    """Return the best solvers within budgets of flops and, if one machine ran all, of time."""
    return [
        {
            "measure": measure,
            "heads": budgets.HEADS[measure],
            "groups": budgets.best(answers, order, measure),
        }
        # flops can be compared between machines, seconds cannot
        for measure in (["work"] if apart else ["time", "work"])
        if order
    ]


def _last(rows: pd.DataFrame) -> str:
    """Return the last criterion of the ranking: time, or flops if timings differ."""
    return "flops" if conditions.differences(conditions.of_rows(rows)) else "time"


def write_merged(folder: Path, sources: list[Path]) -> Path:
    """Write a single page for several comparisons, with unranked times for each machine."""
    parts = [merging.Part.read(source) for source in sources]
    merging.check(parts)
    # if several machines ran a solver, the job of the first one is used
    job_of = {label: job for part in reversed(parts) for label, job in part.jobs.items()}
    # values and bounds reported by other machines are not trusted
    believed = [entering.of_jobs(part.rows, part.jobs, elsewhere=True) for part in parts]
    parts = [replace(part, rows=rows) for part, (rows, _) in zip(parts, believed, strict=True)]
    omissions = [
        replace(omission, sentence=f"{omission.sentence} (In {part.name}.)")
        for part, (_, listed) in zip(parts, believed, strict=True)
        for omission in listed
    ]
    rows = merging.joined(parts)
    if not (rows.kind == "suite").any():
        first = omissions[0]
        raise InputError(f"merge: no row can be ranked; {first.solver}: {first.sentence}")
    broken: dict[str, list[str]] = {}
    for part in parts:
        for solver, violations in part.plan.broken.items():
            broken.setdefault(solver, []).extend(f"{why} (in {part.name})" for why in violations)
    continued = any(part.plan.continued for part in parts)
    plan = Comparison(folder.name, broken=broken, continued=continued)
    times = merging.times(parts, entering.best_known_of(next(iter(job_of.values()))))
    by_machine = times.pivot(index="solver", columns="place", values="time")
    extra = {
        "places": list(by_machine.columns),
        "apart": [(s, list(v)) for s, v in zip(by_machine.index, by_machine.values, strict=True)],
        "differences": merging.differences(parts),
        "made": pd.concat([part.rows.assign(place=part.name) for part in parts]),
        "omissions": omissions,
        "seed_given": [part.name for part in parts if not part.plan.drawn],
    }
    return _written(folder, plan, job_of, rows, "flops", extra)


def _written(
    folder: Path,
    plan: Comparison,
    job_of: dict[str, Job],
    rows: pd.DataFrame,
    last: str,
    extra: dict[str, Any] | None = None,
) -> Path:
    """Write the page, the table and the ranking from rows.

    extra : additional values for the page.
    """
    job, extra = next(iter(job_of.values())), dict(extra or {})
    answers = entering.rated(rows, job, elsewhere="places" in extra)
    ranks = rank_solvers(answers, last)
    files = {label: job.solver for label, job in job_of.items() if job.solver.endswith(".py")}
    pictures = list(comparison_pictures.pictures(rows, answers, ranks, plan.named, files, last))
    for picture in pictures:
        write_changed(folder / "pictures" / f"{picture.name}.svg", picture.svg())
    looks = comparison_pictures.looks_of(ranks, plan.named, files)
    extra = {"looks": looks, "published": False, "seed_given": _seed_given(plan), **extra}
    extra["doubts"] = _doubts(plan, job_of, rows, answers, extra)
    extra.pop("made", None)
    extra["claims"] = doubts.claims(rows)
    listed = extra["doubts"] + extra["claims"]
    tables = comparison_tables.write(folder, answers, ranks, last, listed, extra["published"])
    extra["files"] = [(file, quote(file)) for file in tables]
    extra["within"] = _within(answers, list(looks), "apart" in extra)
    data, home = comparison_curves.data(answers, looks), folder.resolve()
    extra["scripts"] = interactive_curves.write(home.parents[1], home, data)
    pairs = _pairs(answers)
    _write_pairs(folder / "pairs", plan.name, pairs, extra["published"])
    extra |= {"pairs": pairs, "unlisted": [f"{p['item']}, k = {p['k']}" for p in pairs if p["new"]]}
    text = render(
        "comparison.html.j2",
        name=plan.name,
        named=plan.named,
        rule=f"{RULE}{LAST[last]} {RANK}",
        resolution=resolution(answers),
        last=last,
        agree=conditions.AGREE,
        waited=conditions.WAITED,
        differences_in_time=conditions.differences(conditions.of_rows(rows)),
        timing=conditions.of_rows(rows).to_dict("records"),
        ranking=ranks.to_dict("records"),
        pictures=pictures,
        failures=comparison_tables.failures(answers),
        doubted={doubt["solver"] for doubt in extra["doubts"]},
        claiming={claim["solver"] for claim in extra["claims"]},
        stand_ins=sorted(set(rows.problem[rows.stand_in.eq(True)])),
        commands=_commands(job_of, rows),
        **_how(job_of, rows),
        **_resampled(rows),
        **extra,
    )
    write_text(folder / "index.html", text)
    return folder / "index.html"


def _seed_given(plan: Comparison) -> list[str]:
    """Return the name of a comparison whose seed was not drawn, in a list."""
    return [] if plan.drawn else [plan.name]


def _doubts(
    plan: Comparison,
    job_of: dict[str, Job],
    rows: pd.DataFrame,
    answers: pd.DataFrame,
    extra: dict[str, Any],
) -> list[dict[str, Any]]:
    """Return reasons to doubt the numbers of solvers."""
    extra = {"seed_given": _seed_given(plan), **extra}
    listed = doubts.said(plan, job_of, {*answers.solver[answers.answered]}, extra)
    return listed + doubts.of_rows(extra.get("made", rows))


def _table(files: list[Path], labels: list[str]) -> pa.Table:
    """Return the rows of all jobs, with each solver named by its label in this comparison."""
    tables = []
    for file, label in zip(files, labels, strict=True):
        table = results.read_table([file])
        # two files with the same name would become one solver in the ranking
        place = table.schema.get_field_index("solver")
        named = pa.repeat(pa.scalar(label), len(table))
        tables.append(table.set_column(place, table.schema.field(place), named))
    return pa.concat_tables(tables)


def _pairs(answers: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the best known value and all solvers' answers for each problem and k, best first."""
    same = ["family", "best", "who", "bound", "proven", "listed"]
    pairs = []
    for (item, k), part in answers.groupby(["item", "asked"], sort=False):
        ordered = part.sort_values(["share", "time"], ascending=[False, True])
        ordered = ordered.assign(address=ordered.solver.map(in_address))
        about = part[same].iloc[0].to_dict()
        about |= {
            "file": f"{in_address(str(item))}.html",
            "reached": int((part.share >= TARGETS[-1] * (1.0 - best_known.CLOSE)).sum()),
            "new": bool(about["best"]) and not about["listed"],
        }
        pairs.append({"item": item, "k": int(k), "rows": ordered.to_dict("records"), **about})
    return pairs


def _write_pairs(folder: Path, name: str, pairs: list[dict[str, Any]], published: bool) -> None:
    """Write one page per problem with every answer, so that no page becomes too large."""
    make_folder(folder)
    for old in {file.name for file in folder.glob("*.html")} - {pair["file"] for pair in pairs}:
        (folder / old).unlink()  # remove pages left by another suite with the same name
    for file, part in groupby(pairs, key=itemgetter("file")):
        mine = list(part)
        home = f"{name}/{Path(file).stem}"
        about = {"name": name, "item": mine[0]["item"], "home": home, "published": published}
        text = render("pairs.html.j2", pairs=mine, **about)
        write_text(folder / file, text)


def _how(job_of: dict[str, Job], rows: pd.DataFrame) -> dict[str, Any]:
    """Return how the comparison was measured: suite, limits, settings, machines, versions."""
    first = next(iter(job_of.values()))
    return {
        "job": first,
        "items": suite.items(first.suite, first.ks, first.fresh),
        "ended": plans.PATIENCE_FACTOR * first.limit,
        "rounds": plans.ROUNDS,
        "short": plans.SHORT,
        "small": plans.SMALL,
        "about": suite.SETTINGS[first.settings]["about"],
        "settings": [_settings(label, job, rows) for label, job in job_of.items()],
        "version": best_known.version(),
        "written": datetime.now(UTC).date().isoformat(),
        "machines": sorted(set(zip(rows.cpu, rows.commit, strict=True))),
    }


def _settings(label: str, job: Job, rows: pd.DataFrame) -> dict[str, Any]:
    """Return a solver's settings, its stopping rule, the rule behind them, and its limits."""
    mine = rows[(rows.solver == label) & (rows.kind == "suite") & (rows.status != Status.SKIPPED)]
    limited = int((mine.status == Status.TIME_LIMIT).sum())
    entry = {
        "solver": label,
        "pairs": len(mine),
        "limited": limited,
        "iterations": float(mine.iterations.median()),
        "rule": job.tuned_on or suite.RULES.get(job.solver, ""),
        "values": {},
        "stop": "",
    }
    try:
        about, own = job.described, job.own_settings
    except InputError:  # the file is on another machine, so its description is unavailable
        return entry
    left_out = {"k", "start", "seed", "components", "nonnegative", about.traits.penalty}
    values = {name: value for name, value in about.defaults.items() if name not in left_out}
    return entry | {"values": values | own, "stop": _stop(about.limits(own))}


def _stop(limits: Limits) -> str:
    """Describe a stopping rule in words."""
    rule = "ends by itself" if limits.stop == "end" else f"{limits.stop} below {limits.tol:g}"
    return f"{rule}, at most {limits.max_iterations:g} iterates"


def _commands(job_of: dict[str, Job], rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the solvers that are external commands: label, words, seconds of an empty run."""
    commands = []
    for label, job in job_of.items():
        mine = rows[(rows.solver == label) & (rows.kind == "suite")]
        started = [e["startup_seconds"] for e in mine.extra if "startup_seconds" in e]
        file = Path(job.solver)
        if (
            started
            and file.suffix == ".py"
            and file.is_file()
            and (words := external_solver.words_of(file))
        ):
            commands.append({"solver": label, "words": words, "startup": min(started)})
    return commands


def _resampled(rows: pd.DataFrame) -> dict[str, Any]:
    """Return held-out variance, optimism and overlap: a column for each measure and problem."""
    table = resampled(rows).pivot_table(
        index="solver", columns=["measure", "item"], values="of", sort=False
    )
    lines = [(s, list(v)) for s, v in zip(table.index, table.to_numpy(), strict=True)]
    return {"columns": list(table.columns), "resampled": lines}
