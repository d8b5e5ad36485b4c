"""Write the page of a comparison with its ranking, profiles and tables, also as files."""

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from spcabench.comparison import best_known, budgets, conditions, plans, stored, suite
from spcabench.comparison.entrants import COMPONENTS, Entrant
from spcabench.comparison.ranking import LAST, RANK, RULE, TARGETS, resampled, resolution
from spcabench.comparison.ranking import ranking as rank_solvers
from spcabench.comparison.ranking import standing as stand
from spcabench.comparison.stored import Comparison
from spcabench.files import make_folder, write_changed, write_text
from spcabench.page import (
    comparison_pictures,
    comparison_tables,
    components_page,
)
from spcabench.page.render import render
from spcabench.page.row_names import in_address
from spcabench.running import command
from spcabench.running import rows as results
from spcabench.solving.call import Limits
from spcabench.solving.status import Status


@dataclass(frozen=True)
class Standing:
    """A comparison of solvers for one component, with its answers and its ranking.

    last : the criterion that orders equal solvers, "time", or "flops" if timings differ. warnings :
        as returned by `comparison_tables.warnings`.
    """

    comparison: Comparison
    answers: pd.DataFrame
    ranks: pd.DataFrame
    last: str
    warnings: list[dict[str, Any]]

    @classmethod
    def of(cls, comparison: Comparison) -> "Standing":
        """Rank the solvers of a comparison."""
        rows = comparison.rows
        # the best answers to fresh problems are unknown
        table = best_known.read() if comparison.terms.fresh is None else {}
        answers = stand(rows, table)
        last = "flops" if conditions.differences(conditions.of_rows(rows)) else "time"
        listed = comparison_tables.warnings(rows)
        return cls(comparison, answers, rank_solvers(answers, last), last, listed)


def write(folder: Path, published: bool = False) -> Path:
    """Write the page of the comparison in a folder, and its tables; return the page's path."""
    comparison = Comparison.read(folder)
    if comparison.terms.suite == COMPONENTS:
        return components_page.write(comparison, folder, published)
    standing, entrants = Standing.of(comparison), comparison.entrants
    answers, ranks, rows = standing.answers, standing.ranks, comparison.rows
    named, files, last = comparison.plan.named, comparison.files, standing.last
    pictures = list(comparison_pictures.pictures(rows, answers, ranks, named, files, last))
    for picture in pictures:
        write_changed(folder / "pictures" / f"{picture.name}.svg", picture.svg())
    looks = comparison_pictures.looks_of(ranks, named, files)
    about = comparison.about
    tables = comparison_tables.write(
        folder, answers, ranks, last, about, standing.warnings, published
    )
    pairs = _pairs(answers)
    _write_pairs(folder / "pairs", comparison.name, pairs, published)
    text = render(
        "comparison.html.j2",
        name=comparison.name,
        named=named,
        about_problems=about,
        published=published,
        looks=looks,
        warnings=standing.warnings,
        warned={warning["solver"] for warning in standing.warnings},
        files=[(file, quote(file)) for file in tables],
        within=_within(answers, list(looks), last),
        pairs=pairs,
        unlisted=[f"{pair['item']}, k = {pair['k']}" for pair in pairs if pair["new"]],
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
        stand_ins=sorted(set(rows.problem[rows.stand_in.eq(True)])),
        commands=_commands(entrants, rows),
        **_how(entrants, rows),
        **_resampled(rows),
    )
    write_text(folder / "index.html", text)
    return folder / "index.html"


def publish(folder: Path, out: Path) -> Path:
    """Write a published comparison to a folder: its rows, with thinned histories, and its pages.

    The pages are written from the published rows, so anyone who has the rows can reproduce the
    pages. For several components, only the table is published.
    """
    comparison = Comparison.read(folder)
    make_folder(out)
    if comparison.terms.suite == COMPONENTS:
        return components_page.write(comparison, out, published=True)
    table = results.read_table([folder / stored.ROWS])
    stored.write(out, comparison.entrants, table, comparison.plan, small=True)
    return write(out, published=True)


def _within(answers: pd.DataFrame, order: list[str], last: str) -> list[dict[str, Any]]:
    """Return the best solvers within budgets of flops and, if times can be compared, of time."""
    return [
        {
            "measure": measure,
            "heads": budgets.HEADS[measure],
            "groups": budgets.best(answers, order, measure),
        }
        for measure in (["work"] if last == "flops" else ["time", "work"])
        if order
    ]


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


def _how(entrants: dict[str, Entrant], rows: pd.DataFrame) -> dict[str, Any]:
    """Return how the comparison was measured: suite, limits, settings, machines, versions."""
    first = next(iter(entrants.values()))
    return {
        "terms": first,
        "items": suite.items(first.suite, first.ks, first.fresh),
        "ended": plans.PATIENCE_FACTOR * first.limit,
        "rounds": plans.ROUNDS,
        "short": plans.SHORT,
        "small": plans.SMALL,
        "about": suite.SETTINGS[first.settings]["about"],
        "settings": [_settings(label, entrant, rows) for label, entrant in entrants.items()],
        "version": best_known.version(),
        "written": datetime.now(UTC).date().isoformat(),
        "machines": sorted(set(zip(rows.cpu, rows.commit, strict=True))),
    }


def _settings(label: str, entrant: Entrant, rows: pd.DataFrame) -> dict[str, Any]:
    """Return a solver's settings, its stopping rule, the rule behind them, and its limits."""
    mine = rows[(rows.solver == label) & (rows.kind == "suite") & (rows.status != Status.SKIPPED)]
    limited = int((mine.status == Status.TIME_LIMIT).sum())
    entry = {
        "solver": label,
        "pairs": len(mine),
        "limited": limited,
        "iterations": float(mine.iterations.median()),
        "rule": entrant.tuned_on or suite.RULES.get(entrant.solver, ""),
    }
    about, own = entrant.about, entrant.own_settings
    left_out = {"k", "start", "seed", "components", "nonnegative", about.traits.penalty}
    values = {name: value for name, value in about.defaults.items() if name not in left_out}
    return entry | {"values": values | own, "stop": _stop(about.limits(own))}


def _stop(limits: Limits) -> str:
    """Describe a stopping rule in words."""
    rule = "ends by itself" if limits.stop == "end" else f"{limits.stop} below {limits.tol:g}"
    return f"{rule}, at most {limits.max_iterations:g} iterates"


def _commands(entrants: dict[str, Entrant], rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the solvers that are external commands: label, words, seconds of an empty run."""
    commands = []
    for label, entrant in entrants.items():
        mine = rows[(rows.solver == label) & (rows.kind == "suite")]
        started = [e["startup_seconds"] for e in mine.extra if "startup_seconds" in e]
        file = Path(entrant.solver)
        if (
            started
            and file.suffix == ".py"
            and file.is_file()
            and (words := command.words_of(file))
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
