"""Write the front page of a run, and its pages of claims, solvers and machines."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from spcabench import files
from spcabench.comparison import best_known
from spcabench.files import write_text
from spcabench.page import certified_page, claims_file, in_short, search_index, solver_numbers
from spcabench.page.render import render
from spcabench.page.source_links import relative

PAGES = ("index", "claims", "solvers", "machine")
# the folders that are searched for the figures at the other scale, in this order
OTHER_CLAIMS = "quick_claims.json"  # in a published run: the claims at the quick scale
OTHERS = {"quick": ("published", "paper"), "paper": ("quick",)}


def write(
    folder: Path,
    papers: list[dict[str, Any]],
    figures: list[dict[str, Any]],
    about: dict[str, Any],
    rows: pd.DataFrame,
    published: bool,
) -> None:
    """Write the front page, and the pages of claims, solvers and machine.

    rows : the rows of all figures. published : see `results_page.write_page`.
    """
    statements = [s for paper in papers for s in paper["statements"]]
    other = _other_scale(folder, about["scale"], published)
    seconds = _time(rows)
    counts = in_short.counts(statements)
    known = best_known.read().values()
    values = about | {
        "other": other,
        "time": seconds,
        "comparisons": _comparisons(folder if published else folder.parent, folder),
        "words": in_short.WORDS,
        "papers": papers,
        "statements": in_short.ordered(statements),
        "differing": differing(statements, other),
        "counts": counts,
        "told": in_short.told(counts),
        "header": in_short.header(statements),
        "figures": {figure["figure"]: figure for figure in figures},
        "machines": _machines(figures),
        "dirty": any(figure["dirty"] for figure in figures),
        "total": sum(entry["seconds"] for entry in seconds.values()),
        "listed": len(known),
        "proven": sum(entry.proven for entry in known),
        "optima": certified_page.of_suites() if "optimal" in about["site"] else [],
        "reached": solver_numbers.reached(rows),
        "others": solver_numbers.others(about["solvers"]),
    }
    for name in PAGES:
        write_text(folder / f"{name}.html", render(f"{name}.html.j2", **values))
    search_index.write(folder, values)


def differing(
    statements: Iterable[dict[str, Any]], other: dict[str, Any] | None
) -> list[dict[str, Any]]:
    """Return statements whose verdict differs at the other scale; "beside" is the other verdict."""
    if other is None:
        return []
    beside = {_key(s): s for s in other["statements"]}
    both = [s | {"beside": beside[_key(s)]} for s in statements if _key(s) in beside]
    return [s for s in both if s["verdict"] != s["beside"]["verdict"]]


def _key(statement: dict[str, Any]) -> tuple[str, str]:
    return statement["paper_key"], statement["id"]


def _other_scale(folder: Path, scale: str, published: bool) -> dict[str, Any] | None:
    """Return the claims of the run at the other scale if it is available, and its page.

    A published run contains a copy of those claims, because the other run is not published.
    """
    # a published run contains a copy, which takes precedence over a run next to it
    if stored := _claims(folder / OTHER_CLAIMS):
        return stored | {"page": ""}
    if published:
        return None
    for name in OTHERS.get(scale, ()):
        file = folder.parent / name / "claims.json"
        # a symbolic link can make a folder its own counterpart
        if file.parent.resolve() != folder.resolve() and (claims := _claims(file)):
            return claims | {"page": f"../{name}/index.html"}
    return None


def _claims(file: Path) -> dict[str, Any] | None:
    """Return the claims of another run, or None if there are no claims of this version."""
    run = files.read_json(file) if file.exists() else {}
    return run if run.get("version") == claims_file.VERSION else None


def _time(rows: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Return each figure's rows, seconds inside solvers and slowest solvers, sorted by time."""
    entries: dict[str, dict[str, Any]] = {}
    # grouped by the experiment that computed the rows, so that shared rows are counted once
    for figure, part in rows.assign(seconds=solver_numbers.seconds(rows)).groupby("experiment"):
        by_solver = (
            part.groupby(part.solver.fillna(part.measure))
            .seconds.sum()
            .sort_values(ascending=False)
        )
        most = ", ".join(
            f"{name} {value:.0f} s" for name, value in by_solver.head(3).items() if value >= 0.5
        )
        entries[str(figure)] = {"rows": len(part), "seconds": float(by_solver.sum()), "most": most}
    return dict(sorted(entries.items(), key=lambda item: -item[1]["seconds"]))


def _comparisons(home: Path, folder: Path) -> list[dict[str, Any]]:
    """Return name, address and number of solvers of each comparison below a folder.

    within : whether the page shows the best solvers within a budget.
    """
    pages = [
        *(home / "compare").glob("index.html"),
        *sorted((home / "compare").glob("*/index.html")),
    ]
    comparisons = []
    for page in pages:
        # a comparison of components has no such file, so its number of solvers is not shown
        ranking = page.with_name("ranking.csv")
        solvers = len(pd.read_csv(ranking)) if ranking.exists() else None
        about = {"name": page.parent.name, "path": relative(page, folder)}
        within = 'id="within"' in page.read_text(encoding="utf-8")
        comparisons.append(about | {"solvers": solvers, "within": within})
    return comparisons


def _machines(figures: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the distinct machines, each with the figures computed on it."""
    machines: dict[str, dict[str, Any]] = {}
    for figure in figures:
        # BLAS libraries are recorded in the order of loading, which does not matter.
        for machine in figure.get("machines", [figure["machine"]]):
            machine = machine | {"blas": ", ".join(sorted(machine["blas"].split(", ")))}
            # dicts cannot be keys; machines are the same if all their fields are
            key = json.dumps(machine, sort_keys=True)
            of_machine = machines.setdefault(key, machine | {"figures": []})["figures"]
            if figure not in of_machine:
                of_machine.append(figure)
    return list(machines.values())
