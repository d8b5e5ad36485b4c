"""Forest tables as text: a judged statement for the terminal."""

import shutil
import textwrap
from typing import Any

from spcabench.page.forest import blocks, causes

Stored = dict[str, Any]


def brief(statement: Stored) -> str:
    """Return the verdict of a statement, its numbers in a sentence and its causes, as lines."""
    marks = f" ({', '.join(statement['marks'])})" if statement["marks"] else ""
    reason = f": {statement['reason']}" if statement["reason"] else ""
    first = _wrapped(f"{statement['id']} {statement['verdict']}{marks}{reason}", "")
    return "\n".join(
        [first, *(_wrapped(w, "    ") for w in [statement["short"], *causes(statement)])]
    )


def text(statement: Stored) -> str:
    """Return a statement for the terminal: its quotation, rule, readings and numbers."""
    head, *readings, about = blocks(statement)
    lines = brief(statement).splitlines()[:1]
    lines.append(_wrapped(f'"{head["quote"]}" ({head["where"]})', "  "))
    lines += [] if readings else [_wrapped(head["short"], "  ")]
    for reading in readings:
        marks = "".join(f" [{mark}]" for mark in reading["marks"])
        name = f"{reading['name'] or 'all runs'}{marks}: {reading['verdict']}"
        lines.append("")
        lines.append(_wrapped(name if reading["tables"] else f"{name}; {reading['short']}", "  "))
        lines += [line for table in reading["tables"] for line in _lines(table)]
        lines += [
            _wrapped(told, "    ") for told in (reading["because"], *reading["notes"]) if told
        ]
    lines += ["", *(_wrapped(f"{name}: {told}", "  ") for name, told in about["facts"])]
    return "\n".join(lines)


def _lines(table: Stored) -> list[str]:
    """Return a table as lines for the terminal."""
    rows = [*(row | {"verdict": ""} for row in table["paper"]), *table["rows"]]
    # a longer label moves its own line only
    label = min(max(len(row["label"]) for row in rows), 34)
    number = min(max(len(row["number"]) for row in rows), 50)
    return [
        _wrapped(f"{table['part'] or table['measures']}: {table['rule']}", "    "),
        *(
            _wrapped(f"{r['label']:<{label}}  {r['number']:<{number}}  {r['verdict']}", "      ")
            for r in rows
        ),
    ]


def _wrapped(line: str, indent: str) -> str:
    columns = shutil.get_terminal_size((100, 24)).columns
    # columns of a table are aligned with spaces, which must survive
    return textwrap.fill(
        line.rstrip(), columns, initial_indent=indent, subsequent_indent=f"{indent}    "
    )
