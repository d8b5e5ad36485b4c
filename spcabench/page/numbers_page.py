"""The numbers behind a figure as a table that a browser shows: a line for each run."""

from pathlib import Path
from typing import Any

import pandas as pd

from spcabench.atomic_files import write_text
from spcabench.page.render import render
from spcabench.page.row_names import hashes
from spcabench.running import rows, schema

NAME = "numbers.html"
# of the settings, which other columns show or which say nothing of the run
LEFT_OUT = ("k", "seed", "history", "time_limit")
COUNTS = ("asked", "nonzeros", "iterations", "flops", "setup", "search_runs", "search_flops")
DIGITS = {"variance": 7, "refit": 7, "gap": 3, "time": 3}  # that are shown
ENTRIES = 20  # of a list that a measure gives
LONGEST = 90  # letters that are shown at once; more are folded


def write(files: list[Path], out: Path, **words: Any) -> None:
    """Write the page of a figure's rows.

    words : what else the page tells of the figure: its names and the address of its paper's page.
    """
    table = _table(rows.read_text(files))
    if (table.refit == table.variance).all():  # no refit changed anything
        table = table.drop(columns="refit")
    shown = [column for column in table if (table[column] != "").any()]
    # what is equal in all lines is said once above the table
    same = [c for c in shown if len(table) > 1 and table[c].nunique() == 1]
    # an empty column costs width on a phone
    columns = [column for column in shown if column not in same]
    text = render(
        "numbers.html.j2",
        heads=HEADS,
        columns=columns,
        same=[(HEADS[c][0], table[c].iloc[0]) for c in same],
        lines=table[columns].to_numpy().tolist(),
        longest=LONGEST,
        **words,
    )
    write_text(out, text)


# column -> its head, whether it is one of numbers, whether its values can be chosen from
HEADS = {
    "solver": ("Solver or measure", False, True),
    "problem": ("Problem", False, True),
    "label": ("Part of the figure", False, True),
    "settings": ("Settings", False, True),
    "asked": ("k asked", True, True),
    "nonzeros": ("Nonzeros", True, False),
    "variance": ("Variance", True, False),
    "refit": ("Refitted", True, False),
    "gap": ("Gap, %", True, False),
    "iterations": ("Iterates", True, False),
    "flops": ("Flops", True, False),
    "setup": ("Start-up flops", True, False),
    "time": ("Time, ms", True, False),
    "search_runs": ("Runs of the search", True, False),
    "search_flops": ("Flops of the search", True, False),
    "values": ("Also measured", False, False),
    "status": ("Status", False, True),
    "name": ("Row", False, False),
}


def _table(runs: pd.DataFrame) -> pd.DataFrame:
    """The lines of the page, as texts; what a row does not have is an empty one."""
    runs = runs.assign(time=runs.solve_time + runs.setup_time.fillna(0.0))
    # other work on the machine only makes a round slower, so the least time counts
    runs["name"] = hashes(runs)
    runs["time"] = runs.groupby("name").time.transform("min")
    # rounds of timing are one run; the least time was taken above
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
            "name": runs.name,
        }
    )
    for column in COUNTS:
        lines[column] = lines[column].map(lambda value: f"{value:,.0f}", na_action="ignore")
    for column, digits in DIGITS.items():
        lines[column] = [number(value, digits) for value in lines[column]]
    return lines.astype(object).where(lines.notna(), "")


def _label(label: str) -> str:
    """A label; one that is a decimal fraction, with four digits."""
    try:
        # labels of a penalty come from its float: 0.30000000000000004
        return number(float(label), 4) if "." in label else label
    except ValueError:
        return label


def number(value: float, digits: int) -> str:
    """A number to some digits: 0.0123, 12,300, and a power of ten only if it is tiny."""
    if pd.isna(value):
        return ""
    rounded = float(f"{value:.{digits}g}")
    # "1.2e+04" is what programs write; people write 12,000
    return f"{rounded:,.0f}" if abs(rounded) >= 10**digits else f"{rounded:.{digits}g}"


def _problem(name: Any, parameters: str) -> str:
    """The problem by the name that it gives itself, and the seed that it was made from."""
    seed = schema.decoded(parameters).get("seed")
    return ("not loaded" if pd.isna(name) else name) + (
        f", seed {seed}" if seed is not None else ""
    )


def _settings(settings: str) -> str:
    return _together(
        {k: v for k, v in schema.decoded(settings, "settings").items() if k not in LEFT_OUT}
    )


def _values(measured: str) -> str:
    """What a measure gave, or a solver beyond its component; value_1, value_2, ... as one list."""
    values: dict[str, Any] = {}
    extra = schema.decoded(measured, "extra")
    for name, value in extra.items():
        family, _, place = name.rpartition("_")
        # hundreds of numbered values would be a column of names; where the name without a number
        # is there too, as in within and within_5, the number is no place in a list
        numbered = family and family not in extra and place.isdigit()
        if numbered and not isinstance(value, (list, dict)):
            values.setdefault(family, []).append(value)
        else:
            values[name] = value
    return _together(values)


def _together(values: dict[str, Any]) -> str:
    return "; ".join(f"{name} = {_short(value)}" for name, value in values.items())


def _short(value: Any) -> str:
    """A value in few letters: six digits of a number, the first entries of a list."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return f"({_together(value)})"
    if isinstance(value, list):
        length = f", ... ({len(value)} in all)" if len(value) > ENTRIES else ""
        return f"[{', '.join(map(_short, value[:ENTRIES]))}{length}]"
    return str(value)
