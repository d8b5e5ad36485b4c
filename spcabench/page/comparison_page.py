"""The page of a comparison: ranking, profiles, tables; and the same as files."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from spcabench import registry
from spcabench.comparison import best_known, conditions, jobs, standing, suite
from spcabench.comparison.jobs import Job
from spcabench.errors import InputError, using_file
from spcabench.page import comparison_pictures
from spcabench.page.comparison_pictures import Picture
from spcabench.page.render import render
from spcabench.running import command
from spcabench.running import rows as results
from spcabench.running.whole_files import replacing, write_text
from spcabench.solving.flags import SENTENCES, Flag

TABLE = (
    "item",
    "family",
    "asked",
    "solver",
    "status",
    "reason",
    "value",
    "best",
    "bound",
    "proven",
    "who",
    "share",
    "gap",
    "cardinality",
    "variance",
    "work",
    "time",
    "slowest",
    "memory",
    "problem",
    "form",
    "settings",
)


def write(plan_file: Path) -> Path:
    """Write the page of a plan, its table and its ranking beside the plan; the path of the page."""
    plan = _plan(plan_file)
    root = plan_file.resolve().parents[3]
    asked = [Job.read(root / file) for file in plan["jobs"]]
    rows = _rows([_rows_of(root / file) for file in plan["jobs"]], jobs.labels(asked))
    results.check_convention(rows, plan["name"])
    answers = standing.standing(rows, _best_known(asked[0]))
    timing = conditions.of_rows(rows)
    last = "time" if conditions.comparable(timing) else "flops"
    ranking = standing.ranking(answers, last)
    _write_tables(plan_file.parent, answers, ranking)
    pictures = list(comparison_pictures.pictures(rows, answers, ranking, plan["named"]))
    page = plan_file.with_name("index.html")
    write_text(page, _page(plan, asked, rows, answers, ranking, pictures, last))
    return page


def _plan(file: Path) -> dict[str, Any]:
    """What `spcabench compare` has written; InputError for any other file."""
    with using_file(file):
        plan = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(plan, dict) or not {"name", "named", "jobs"} <= {*plan}:
        raise InputError(f"{file}: no plan of a comparison")
    return plan


def _best_known(job: Job) -> dict[tuple[str, str, int, bool], best_known.Entry]:
    """The table of the best answers known, checked; of fresh problems nothing is known."""
    return {} if job.fresh is not None else best_known.checked(suite.items(job.suite))


def _rows(files: list[Path], labels: list[str]) -> pd.DataFrame:
    """The rows of all jobs, each solver by its label in this comparison."""
    tables = [
        results.read([file]).assign(solver=label) for file, label in zip(files, labels, strict=True)
    ]
    return pd.concat(tables, ignore_index=True)


def _rows_of(job: Path) -> Path:
    """Where the rows of a job are, from where the job is described."""
    return job.parents[2] / "rows" / job.parent.name / f"{job.stem}.parquet"


def _write_tables(folder: Path, answers: pd.DataFrame, ranking: pd.DataFrame) -> None:
    settings = [results.to_json(given) for given in answers.settings]
    table = answers[list(TABLE)].assign(settings=settings)
    write_text(folder / "table.csv", table.to_csv(index=False))
    with replacing(folder / "table.parquet") as aside:
        table.to_parquet(aside, index=False)
    write_text(folder / "ranking.txt", _lines(ranking))


def _lines(ranking: pd.DataFrame) -> str:
    """The ranking as text."""
    lines = [f"{'':4}{'solver':28}{'answered':>10}{'99.9 %':>8}{'share':>9}{'time, s':>11}"]
    for r in ranking.to_dict("records"):
        lines.append(
            f"{r['rank']:<4}{r['solver']:28}{r['answered']:>4} of "
            f"{r['pairs']:<3}{100 * r['at 0.999']:>6.0f} %{r['share']:>9.4f}{r['time']:>11.4g}"
        )
    return "\n".join(lines) + "\n"


def _page(
    plan: dict[str, Any],
    asked: list[Job],
    rows: pd.DataFrame,
    answers: pd.DataFrame,
    ranking: pd.DataFrame,
    pictures: list[Picture],
    last: str,
) -> str:
    doubts, broken = _doubts(rows), plan.get("broken", {})
    return render(
        "comparison.html.j2",
        name=plan["name"],
        named=plan["named"],
        rule=standing.RULE + standing.LAST[last],
        last=last,
        agree=conditions.AGREE,
        timing=conditions.of_rows(rows).to_dict("records"),
        ranking=ranking.to_dict("records"),
        pairs=_pairs(answers),
        pictures=pictures,
        failures=_failures(answers),
        doubts=doubts,
        broken=broken,
        doubted={*broken, *(doubt["solver"] for doubt in doubts)},
        claims=_claims(rows),
        stand_ins=_stand_ins(rows),
        files=[(file, quote(file)) for file in ("table.csv", "table.parquet", "ranking.txt")],
        commands=_commands(asked, rows),
        **_how(asked, rows),
        **_resampled(rows),
    )


def _pairs(answers: pd.DataFrame) -> list[dict[str, Any]]:
    """For each problem and cardinality the best known, and every solver's answer, best first."""
    same = ["family", "best", "who", "bound", "proven", "listed"]
    pairs = []
    for (item, k), part in answers.groupby(["item", "asked"], sort=False):
        ordered = part.sort_values(["share", "time"], ascending=[False, True])
        about = part[same].iloc[0].to_dict()
        pairs.append({"item": item, "k": int(k), "rows": ordered.to_dict("records"), **about})
    return pairs


def _how(asked: list[Job], rows: pd.DataFrame) -> dict[str, Any]:
    """How it was measured: suite, limits, settings, machines, versions."""
    first = asked[0]
    own = {job.label: suite.settings_of(job.settings, job.label, job.solver) for job in asked}
    return {
        "job": first,
        "items": suite.items(first.suite, first.ks, first.fresh),
        "ended": jobs.PATIENCE_FACTOR * first.limit,
        "rounds": jobs.ROUNDS,
        "short": jobs.SHORT,
        "small": jobs.SMALL,
        "about": suite.SETTINGS[first.settings].about,
        "settings": {solver: settings for solver, settings in own.items() if settings},
        "version": best_known.version(),
        "written": datetime.now(UTC).date().isoformat(),
        "machines": sorted(set(zip(rows.cpu, rows.commit, strict=True))),
    }


def _commands(asked: list[Job], rows: pd.DataFrame) -> list[dict[str, Any]]:
    """The solvers that are commands: label, words, seconds of an empty run."""
    found = []
    for label, job in zip(jobs.labels(asked), asked, strict=True):
        mine = rows[(rows.solver == label) & (rows.kind == "suite")]
        started = [e["startup_seconds"] for e in mine.extra if "startup_seconds" in e]
        if started and job.solver.endswith(".py") and command.is_command(Path(job.solver)):
            words = registry.module("solver", job.solver).COMMAND
            found.append({"solver": label, "words": words, "startup": min(started)})
    return found


def _resampled(rows: pd.DataFrame) -> dict[str, Any]:
    """Held-out variance, optimism and overlap: a column for each measure and problem."""
    table = standing.resampled(rows).pivot_table(
        index="solver", columns=["measure", "item"], values="of", sort=False
    )
    lines = [(s, list(v)) for s, v in zip(table.index, table.to_numpy(), strict=True)]
    return {"columns": list(table.columns), "resampled": lines}


def _stand_ins(rows: pd.DataFrame) -> list[str]:
    return sorted(set(rows.problem[rows.stand_in.eq(True)]))


def _doubts(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """What may make a solver's numbers wrong: solver, sentence, on how many runs."""
    flagged = rows.dropna(subset=["flags"])
    pairs = [(r.solver, flag) for r in flagged.itertuples() for flag in r.flags]
    counts = pd.Series(pairs, dtype=object).value_counts()
    return [
        {"solver": solver, "sentence": SENTENCES[Flag(flag)], "count": int(count)}
        for (solver, flag), count in counts.items()
    ]


def _claims(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Solvers outside the repository that claim upper bounds, and on how many runs."""
    foreign = rows[rows.claimed_bound.notna() & rows.own.eq(False)]
    return foreign.groupby("solver").size().reset_index(name="count").to_dict("records")


def _failures(answers: pd.DataFrame) -> list[dict[str, Any]]:
    """What gave no answer: solver, status, reason, how often."""
    bad = answers[~answers.answered]
    groups = bad.groupby(["solver", "status", "reason"]).size().reset_index(name="count")
    return groups.to_dict("records")
