"""Write the numbers behind a figure as a table for the browser, with a line for each run."""

from pathlib import Path
from typing import Any

import pandas as pd

from spcabench.files import write_text
from spcabench.page.claims_file import natural
from spcabench.page.render import render
from spcabench.page.row_names import hashes
from spcabench.page.tables import Column, Table, linked
from spcabench.running import rows, schema

NAME = "numbers.html"
COLUMNS = (
    Column("Solver or measure", "solver", choose=True),
    Column("Problem", "problem", choose=True),
    Column("Part of the figure", "label", choose=True),
    Column("Settings", "settings", choose=True),
    Column("k asked", "asked", choose=True),
    Column("Nonzeros", "nonzeros"),
    Column("Variance", "variance"),
    Column("Refitted", "refit"),
    Column("Gap, %", "gap"),
    Column("Iterates", "iterations"),
    Column("Flops", "flops"),
    Column("Start-up flops", "setup"),
    Column("Time, ms", "time"),
    Column("Runs of the search", "search_runs"),
    Column("Flops of the search", "search_flops"),
    Column("Also measured", "values"),
    Column("Status", "status", choose=True),
    Column("Statements", "judged"),
    Column("Row", "name"),
)
# settings that are shown in other columns, or that do not describe the run
LEFT_OUT = ("k", "seed", "history", "time_limit")
COUNTS = ("asked", "nonzeros", "iterations", "flops", "setup", "search_runs", "search_flops")
DIGITS = {"variance": 7, "refit": 7, "gap": 3, "time": 3}  # significant digits shown
ENTRIES = 20  # number of entries shown of a list


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
    table = _table(rows.read_text(files), judged)
    if (table.refit == table.variance).all():  # the refit changed nothing
        table = table.drop(columns="refit")
    # an empty column wastes width on a phone
    shown = [c for c in COLUMNS if c.field in table and (table[c.field] != "").any()]
    # values that are equal in all lines are shown once above the table
    same = [c for c in shown if len(table) > 1 and table[c.field].nunique() == 1]
    text = render(
        "numbers.html.j2",
        table=Table(
            [column for column in shown if column not in same],
            table.assign(solver=linked(table.solver, "../../")),
            "Runs",
        ),
        same=[(column.head, table[column.field].iloc[0]) for column in same],
        ids=sorted({id for ids in judged.values() for id in ids.split()}, key=natural),
        home=f"../../{figure['paper']}.html",
        **{name: figure[name] for name in ("figure", "title", "scale")},
        **{name: about[name] for name in ("site", "cite")},
    )
    write_text(out, text)


def _table(runs: pd.DataFrame, judged: dict[str, str]) -> pd.DataFrame:
    """Return the lines of the page as texts; missing values are empty."""
    runs = runs.assign(time=runs.solve_time + runs.setup_time.fillna(0.0))
    # other load on the machine can only make a round slower, so the shortest time is used
    runs["name"] = hashes(runs)
    runs["time"] = runs.groupby("name").time.transform("min")
    # rounds of timing are one run, whose shortest time was taken above
    runs = runs[runs.repeat == 0]
    lines = pd.DataFrame(
        {
            "solver": runs.solver.fillna(runs.measure),
            "problem": [
                _problem(*pair) for pair in zip(runs.problem, runs.parameters, strict=True)
            ],
            "label": runs.label.map(_label, na_action="ignore"),
            "asked": runs.k,
            "nonzeros": runs.cardinality,
            "variance": runs.variance,
            "refit": runs.variance_refit,
            "gap": 100.0 * runs.gap,
            "time": 1e3 * runs.time,
            "iterations": runs.iterations,
            "flops": runs.flops,
            "setup": runs.setup_flops,
            "search_runs": runs.search_runs,
            "search_flops": runs.search_flops,
            "settings": runs.settings.map(_settings),
            "values": runs.extra.map(_values, na_action="ignore"),
            "status": runs.status + runs.reason.map(lambda why: why and f": {why}"),
            "judged": runs.name.map(judged),
            "name": runs.name,
        }
    )
    for column in COUNTS:
        lines[column] = lines[column].map(lambda value: f"{value:,.0f}", na_action="ignore")
    for column, digits in DIGITS.items():
        lines[column] = [number(value, digits) for value in lines[column]]
    return lines.astype(object).where(lines.notna(), "")


def _label(label: str) -> str:
    """Return a label; a decimal fraction is rounded to four digits."""
    try:
        # labels of a penalty come from its float: 0.30000000000000004
        return number(float(label), 4) if "." in label else label
    except ValueError:
        return label


def number(value: float, digits: int) -> str:
    """Format a number with this many digits, and with a power of ten only if it is tiny."""
    if pd.isna(value):
        return ""
    rounded = float(f"{value:.{digits}g}")
    # "1.2e+04" is a notation for programs; people write 12,000
    return f"{rounded:,.0f}" if abs(rounded) >= 10**digits else f"{rounded:.{digits}g}"


def _problem(name: Any, parameters: str) -> str:
    """Return the name of the problem, and the seed from which it was generated."""
    seed = schema.decoded(parameters).get("seed")
    return ("not loaded" if pd.isna(name) else name) + (
        f", seed {seed}" if seed is not None else ""
    )


def _settings(settings: str) -> str:
    return _together(
        {k: v for k, v in schema.decoded(settings, "settings").items() if k not in LEFT_OUT}
    )


def _values(measured: str) -> str:
    """Format the numbers of a measure or a solver; value_1, value_2 become one list."""
    values: dict[str, Any] = {}
    extra = schema.decoded(measured, "extra")
    for name, value in extra.items():
        family, _, place = name.rpartition("_")
        # hundreds of numbered values would be a column of names. If the name without a number also
        # exists, as in within and within_5, the number is not a position in a list.
        numbered = family and family not in extra and place.isdigit()
        if numbered and not isinstance(value, (list, dict)):
            values.setdefault(family, []).append(value)
        else:
            values[name] = value
    return _together(values)


def _together(values: dict[str, Any]) -> str:
    return "; ".join(f"{name} = {_short(value)}" for name, value in values.items())


def _short(value: Any) -> str:
    """Shorten a value: six digits of a number, the first entries of a list."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return f"({_together(value)})"
    if isinstance(value, list):
        length = f", ... ({len(value)} in all)" if len(value) > ENTRIES else ""
        return f"[{', '.join(map(_short, value[:ENTRIES]))}{length}]"
    return str(value)
