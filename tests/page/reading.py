"""Read what pages show: numbers with units, lines of tables, and tables drawn by a script."""

import json
import re

UNITS = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "%": 0.01}
UNITS |= {"µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9}


def shown(cell):
    """Return the number that a cell shows with its unit; NaN if it is not known."""
    number, _, unit = cell.replace(",", "").partition(" ")
    return float("nan") if number in ("n/a", "–") else float(number) * UNITS[unit]


def lines_of(table):
    """Return each line of a table as a mapping from heads to cells."""
    heads = [column.head for column in table.columns]
    return [dict(zip(heads, line, strict=True)) for line in table.cells]


def unpacked(text):
    """Return the lines of the table that a page stores for its script."""
    packed = json.loads(re.search(r'"application/json">(.*?)</script>', text, re.DOTALL)[1])
    columns = [[cells[0][i] for i in cells[1]] if len(cells) == 2 else cells[0] for cells in packed]
    return [*zip(*columns, strict=True)]
