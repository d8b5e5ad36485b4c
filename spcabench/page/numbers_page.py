"""Write the numbers behind a figure as a table for the browser, with a line for each run."""

import json
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from spcabench.files import write_text
from spcabench.page.claims_file import natural
from spcabench.page.render import render
from spcabench.page.row_names import hashes
from spcabench.page.tables import Column, Table, known, linked
from spcabench.running import rows, schema
from spcabench.showing.words import plain

NAME = "numbers.html"
COUNT, SEVEN = "{:,.0f}", partial(plain, digits=7)
COLUMNS = (
    Column("Solver or measure", "solver", choose=True),
    Column("Problem", "problem", choose=True),
    Column("Part of the figure", "label", choose=True),
    Column("Settings", "settings", choose=True),
    Column("k asked", "k", COUNT, choose=True),
    Column("Nonzeros", "cardinality", COUNT),
    Column("Variance", "variance", SEVEN),
    Column("Refitted", "variance_refit", SEVEN),
    Column("Gap, %", "gap", plain),
    Column("Iterates", "iterations", COUNT),
    Column("Flops", "flops", COUNT),
    Column("Start-up flops", "setup_flops", COUNT),
    Column("Time, ms", "time", plain),
    Column("Runs of the search", "search_runs", COUNT),
    Column("Flops of the search", "search_flops", COUNT),
    Column("Also measured", "extra"),
    Column("Status", "status", choose=True),
    Column("Statements", "judged"),
    Column("Row", "name"),
)
# settings that are shown in other columns, or that do not describe the run
LEFT_OUT = ("k", "seed", "history", "time_limit")
LONGEST = 400  # characters of a measured list


def write(
    files: list[Path],
    out: Path,
    figure: dict[str, Any],
    judged: dict[str, str],
    about: dict[str, Any],
) -> None:
    """Write the page of a figure's rows.

    figure : its claims file. judged : the statements that rest on each row. about : the links of
    the site and the footer.
    """
    table = runs_of(rows.read_text(files), judged)
    if np.allclose(table.variance_refit, table.variance, rtol=1e-7, equal_nan=True):
        table = table.drop(columns="variance_refit")  # the refit changed nothing
    # an empty column wastes width on a phone
    shown = [c for c in COLUMNS if c.field in table and (table[c.field].dropna() != "").any()]
    # values that are equal in all lines are shown once above the table
    same = [c for c in shown if len(table) > 1 and table[c.field].nunique(dropna=False) == 1]
    text = render(
        "numbers.html.j2",
        table=Table(
            [column for column in shown if column not in same],
            table.assign(solver=linked(table.solver, "../../")),
            "Runs",
            missing="",
        ),
        same=[(column.head, known(table[column.field].iloc[0], column.how)) for column in same],
        ids=sorted({id for ids in judged.values() for id in ids.split()}, key=natural),
        home=f"../../{figure['paper']}.html#{figure['figure']}",
        **{name: figure[name] for name in ("figure", "title", "scale")},
        **{name: about[name] for name in ("site", "cite")},
    )
    write_text(out, text)


def runs_of(runs: pd.DataFrame, judged: dict[str, str]) -> pd.DataFrame:
    """Return the lines of the page: rounds of timing are one run, whose shortest time is shown."""
    # other load on the machine can only make a round slower
    runs = runs.assign(
        name=hashes(runs), time=1e3 * (runs.solve_time + runs.setup_time.fillna(0.0))
    )
    runs["time"] = runs.groupby("name").time.transform("min")
    runs = runs[runs.repeat == 0]
    problems = zip(runs.problem, runs.parameters, strict=True)
    return runs.assign(
        solver=runs.solver.fillna(runs.measure),
        problem=[_problem(name, parameters) for name, parameters in problems],
        label=runs.label.map(_label, na_action="ignore"),
        gap=100.0 * runs.gap,
        settings=runs.settings.map(partial(_told, left_out=LEFT_OUT)),
        extra=runs.extra.map(_told, na_action="ignore"),
        status=runs.status + runs.reason.map(lambda why: why and f": {why}"),
        judged=runs.name.map(judged),
    )


def _label(label: str) -> str:
    """Return a label; a decimal fraction is rounded to four digits."""
    try:
        # labels of a penalty come from its float: 0.30000000000000004
        return plain(float(label), 4) if "." in label else label
    except ValueError:
        return label


def _problem(name: Any, parameters: str) -> str:
    """Return the name of the problem, and the seed from which it was generated."""
    seed = schema.decoded(parameters).get("seed")
    return ("not loaded" if pd.isna(name) else name) + (
        f", seed {seed}" if seed is not None else ""
    )


def _told(text: str, left_out: Collection[str] = ()) -> str:
    """Return the values of a JSON object on a line, with six digits of each number."""
    values = json.loads(text, parse_float=lambda number: float(f"{float(number):.6g}"))
    line = "; ".join(f"{k} = {_plain(v)}" for k, v in values.items() if k not in left_out)
    return line if len(line) <= LONGEST else f"{line[:LONGEST]} ..."


def _plain(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace('"', "")
