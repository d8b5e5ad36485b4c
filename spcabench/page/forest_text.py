"""Forest tables as text: a judged statement for the terminal, and in Markdown."""

import re
import shutil
import textwrap
from typing import Any

from spcabench.page.forest import blocks, causes, cut

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


def markdown(statement: Stored) -> str:
    """Return a statement as Markdown: its head, and its readings as tables or lines."""
    head, *readings, _ = blocks(statement)
    marks = f" ({', '.join(mark for mark, _ in head['marks'])})" if head["marks"] else ""
    code = statement.get("code")
    link = f"[{head['id']}]({code[0][1]})" if code else head["id"]
    lines = [f"### {link}: {head['verdict']}{marks}", f"> {plain_text(head['quote'])}"]
    lines += [plain_text(told) for told in (head["short"], head["reason"]) if told]
    for reading in readings:
        if reading["tables"]:
            lines += [plain_text(reading["because"])] if reading["because"] else []
            lines += [_markdown_table(table, reading) for table in reading["tables"]]
    others = [reading for reading in readings if not reading["tables"]]
    lines += ["\n".join(map(_markdown_line, others))] if others else []
    return "\n\n".join(lines)


def _markdown_table(table: Stored, reading: Stored) -> str:
    head = [
        f"{reading['name']}: {reading['verdict']}".removeprefix(": "),
        f"{table['part'] or table['measures']}: {table['rule']}",
        "",
    ]
    rows = [*(row | {"verdict": ""} for row in table["paper"]), *table["rows"]]
    lines = [head, *([row["label"], row["number"], row["verdict"]] for row in rows)]
    drawn = [f"| {' | '.join(map(plain_text, line))} |" for line in lines]
    return "\n".join([drawn[0], "|---|---|---|", *drawn[1:]])


def _markdown_line(reading: Stored) -> str:
    why = f" {reading['because']}" if reading["because"] else ""
    told = f"{reading['name']}: {reading['verdict']}; {reading['short']}{'.' if why else ''}{why}"
    return f"- {plain_text(told)}"


def plain_text(text: str) -> str:
    """Return a text on one line, escaped so that Markdown shows it unchanged."""
    # "$" is escaped too, because GitHub renders text between two "$" as mathematics
    return re.sub(r"([\\`*_\[\]<>|$])", r"\\\1", cut(" ".join(str(text).split())))
