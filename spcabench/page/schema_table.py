"""The tables of columns and statuses in ``results/README.md``."""

from spcabench.page.generated_block import markdown_table
from spcabench.running.schema import COLUMNS, VERSION, Column
from spcabench.solving.status import Status


def tables() -> str:
    """Return the tables of columns and statuses as Markdown."""
    heads = ("column", "type", "meaning", "empty if")
    columns = markdown_table(heads, map(_line, COLUMNS.values()))
    statuses = markdown_table(
        ("status", "meaning", "answer"),
        ((f"`{s}`", s.meaning, "yes" if s.good else "no") for s in Status),
    )
    return f"\nSchema {VERSION}.\n\n{columns}\n{statuses}\n"


def _line(column: Column) -> tuple[str, ...]:
    kind = f"{column.kind}, {column.unit}" if column.unit else column.kind
    return f"`{column.name}`", kind, column.meaning, column.empty or "never"
