"""The page of a comparison: ranking, profiles, tables; and the same as files."""

import base64
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from spcabench.comparison import best_known, jobs, standing, suite
from spcabench.comparison.jobs import Job
from spcabench.page import comparison_pictures
from spcabench.page.render import render
from spcabench.running.job import write_parquet
from spcabench.running.whole_files import write_text

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
    "memory",
    "problem",
    "form",
    "settings",
)


def write(plan: Path) -> Path:
    """Write index.html, table.csv, table.parquet and ranking.txt beside a plan, from its jobs'
    rows; the page.
    """
    told = json.loads(plan.read_text(encoding="utf-8"))
    root = plan.resolve().parents[3]
    todo = [Job.read(root / file) for file in told["jobs"]]
    files = [
        root / file.replace("/jobs/", "/rows/").replace(".json", ".parquet")
        for file in told["jobs"]
    ]
    rows = pd.concat([pd.read_parquet(file) for file in files], ignore_index=True)
    found = standing.standing(rows, best_known.checked(suite.items(todo[0].suite)))
    ranking = standing.ranking(found)
    table = found[[c for c in TABLE if c in found]]
    write_text(plan.with_name("table.csv"), table.to_csv(index=False))
    write_parquet(table, plan.with_name("table.parquet"))
    write_text(plan.with_name("ranking.txt"), _lines(ranking))
    drawn = _pictures(rows, found, ranking, told["named"])
    text = _render(told, todo, rows, found, ranking, drawn)
    out = plan.with_name("index.html")
    write_text(out, text)
    return out


def _lines(ranking: pd.DataFrame) -> str:
    """The ranking as text."""
    lines = [f"{'':4}{'solver':28}{'answered':>10}{'99.9 %':>8}{'share':>9}{'time, s':>11}"]
    for r in ranking.to_dict("records"):
        lines.append(
            f"{r['rank']:<4}{r['solver']:28}{r['answered']:>4} of "
            f"{r['pairs']:<3}{100 * r['at 0.999']:>6.0f} %"
            f"{r['share']:>9.4f}{r['time']:>11.4g}"
        )
    return "\n".join(lines) + "\n"


def _pictures(
    rows: pd.DataFrame, found: pd.DataFrame, ranking: pd.DataFrame, named: list[str]
) -> list[dict[str, str]]:
    order = [s for s, n in zip(ranking.solver, ranking.answered, strict=True) if n]
    some = comparison_pictures.shown(order, [s for s in named if s in order])
    made: list[dict[str, str]] = []

    def add(title: str, words: str, *how: Any) -> None:
        picture = base64.b64encode(comparison_pictures.svg(*how).encode()).decode()
        made.append(
            {"title": title, "words": words, "address": f"data:image/svg+xml;base64,{picture}"}
        )

    if not some:
        return made
    few = (
        f"The {len(some)} solvers shown are those named, then the best of the ranking; bands: "
        "90 %, problems resampled."
    )
    add(
        "Performance profiles",
        f"After Dolan and More (2002). {few}",
        comparison_pictures.performance,
        (1, 2),
        (9.5, 4.4),
        found,
        some,
    )
    add(
        "Data profiles",
        f"After More and Wild (2009). {few} The first feasible iterate that is good enough counts; "
        "of a searched penalty the whole search.",
        comparison_pictures.data,
        (2, 3),
        (9.5, 6.6),
        found,
        some,
    )
    size = 2.6 + 0.27 * len(order)
    add(
        "Pair by pair",
        "Values after the refit, ties within 1e-6 on neither side, a failure below every value.",
        comparison_pictures.pairwise,
        (1, 1),
        (size + 1.0, size),
        found,
        order,
    )
    for solver in [s for s in named if s in order][:2]:
        rivals = [s for s in order if s != solver][:6]
        if rivals:
            shape = (-(-len(rivals) // 3), min(len(rivals), 3))
            add(
                f"{solver}, two at a time",
                "Performance profiles on time, at 99 % of the best known.",
                comparison_pictures.duels,
                shape,
                (9.5, 2.9 * shape[0]),
                found,
                solver,
                rivals,
            )
    pairs = [(str(i), int(k)) for (i, k), _ in found.groupby(["item", "asked"])]
    pairs = list({item: (item, k) for item, k in pairs}.values())[:9]
    pairs = pairs[: 3 * (len(pairs) // 3)] if len(pairs) >= 3 else pairs
    shape = (max(len(pairs) // 3, 1), min(len(pairs), 3))
    add(
        "Anytime curves",
        "The best feasible value so far, before the refit, against the flops of the run; solvers "
        "with a searched penalty are points, at the cost of the search. Dotted: the certified "
        "bound.",
        comparison_pictures.anytime,
        shape,
        (9.5, 2.6 * shape[0] + 0.8),
        found,
        some,
        pairs,
    )
    several = found.groupby("item").asked.nunique()
    names = [item for item in dict.fromkeys(found.item) if several[item] >= 3]
    if names:
        shape = (-(-len(names) // 4), 4)
        add(
            "Trade-off",
            "Variance after the refit against the cardinality reached.",
            comparison_pictures.trade_off,
            shape,
            (9.5, 2.4 * shape[0] + 0.6),
            found,
            some,
            names,
        )
    recovered = standing.recovered(rows)
    if len(recovered):
        panels = recovered.sparsity.nunique()
        add(
            "Support recovery",
            f"Spiked model, {suite.SAMPLES} samples of {suite.VARIABLES} variables, asked at the "
            f"true k; means over seeds {', '.join(map(str, suite.SEEDS))}, a failure counts zero.",
            comparison_pictures.recovery,
            (1, panels),
            (9.5, 3.9),
            recovered,
            some,
        )
    return made


def _render(
    told: dict[str, Any],
    todo: list[Job],
    rows: pd.DataFrame,
    found: pd.DataFrame,
    ranking: pd.DataFrame,
    drawn: list[dict[str, str]],
) -> str:
    pairs = [
        {
            "item": item,
            "k": int(k),
            "family": part.family.iloc[0],
            "best": part.best.iloc[0],
            "who": part.who.iloc[0],
            "bound": part.bound.iloc[0],
            "proven": bool(part.proven.iloc[0]),
            "listed": bool(part.listed.iloc[0]),
            "rows": part.sort_values(["share", "time"], ascending=[False, True]).to_dict("records"),
        }
        for (item, k), part in found.groupby(["item", "asked"], sort=False)
    ]
    resampled = standing.resampled(rows)
    wide = resampled.pivot_table(
        index="solver", columns=["measure", "item"], values="of", sort=False
    )
    own = {job.label: suite.settings_of(job.settings, job.label, job.solver) for job in todo}
    named = {solver: given for solver, given in own.items() if given}
    stand_ins = (
        sorted(set(rows.problem[rows.stand_in.fillna(False).astype(bool)]))
        if "stand_in" in rows
        else []
    )
    return render(
        "comparison.html.j2",
        name=told["name"],
        named=told["named"],
        job=todo[0],
        rule=standing.RULE,
        ranking=ranking.to_dict("records"),
        pairs=pairs,
        pictures=drawn,
        items=suite.items(todo[0].suite, todo[0].ks),
        ended=jobs.PATIENCE_FACTOR * todo[0].limit,
        rounds=jobs.ROUNDS,
        short=jobs.SHORT,
        small=jobs.SMALL,
        about=suite.SETTINGS[todo[0].settings].about,
        settings=named,
        version=best_known.version(),
        written=datetime.now(UTC).date().isoformat(),
        failures=_failures(found),
        stand_ins=stand_ins,
        columns=list(wide.columns),
        resampled=[(s, list(v)) for s, v in zip(wide.index, wide.to_numpy(), strict=True)],
        machines=sorted({(r.cpu, r.commit) for r in rows.dropna(subset=["cpu"]).itertuples()}),
        files=[(file, quote(file)) for file in ("table.csv", "table.parquet", "ranking.txt")],
    )


def _failures(found: pd.DataFrame) -> list[dict[str, Any]]:
    """What gave no answer: solver, status, reason, how often."""
    bad = found[~found.answered].assign(reason=lambda t: t.reason.fillna(""))
    groups = (
        bad.groupby(["solver", "status", "reason"], dropna=False).size().reset_index(name="count")
    )
    return groups.to_dict("records")
