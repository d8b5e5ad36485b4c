"""The tables of columns and statuses in ``results/README.md``: ``make docs`` renews them."""

from collections.abc import Iterable
from pathlib import Path

from spcabench.atomic_files import write_changed
from spcabench.page.generated_block import replaced
from spcabench.page.render import cell
from spcabench.running.schema import COLUMNS, VERSION, Column
from spcabench.solving.status import Status

README = Path(__file__).parents[2] / "results" / "README.md"
BEGIN, END = "<!-- columns: made by `make docs` -->\n", "<!-- end of columns -->"


def tables() -> str:
    """Columns and statuses as Markdown."""
    columns = _table(("column", "type", "meaning", "empty where"), map(_line, COLUMNS.values()))
    statuses = _table(
        ("status", "meaning", "answer"),
        ((f"`{s}`", s.meaning, "yes" if s.good else "no") for s in Status),
    )
    return f"\nSchema {VERSION}.\n\n{columns}\n{statuses}\n"


def _line(column: Column) -> tuple[str, ...]:
    kind = f"{column.kind}, {column.unit}" if column.unit else column.kind
    return f"`{column.name}`", kind, column.meaning, column.empty or "never"


def _table(head: tuple[str, ...], lines: Iterable[tuple[str, ...]]) -> str:
    rule = ("---",) * len(head)
    return "".join(f"| {' | '.join(map(cell, line))} |\n" for line in (head, rule, *lines))


def with_tables(text: str) -> str:
    """The document with its tables as the schema has them."""
    return replaced(text, BEGIN, END, tables(), README.name)


if __name__ == "__main__":
    write_changed(README, with_tables(README.read_text(encoding="utf-8")))
