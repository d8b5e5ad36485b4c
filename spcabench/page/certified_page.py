"""Write the published and the proven values of instances to docs/bounds.md and optimal.html.

The proven values come from the table of best known answers, which are recomputed from their
vectors. The published values come from spcabench/comparison/published.toml.
"""

import tomllib
from pathlib import Path
from typing import Any

import pandas as pd

from spcabench.comparison import best_known
from spcabench.comparison.suite import SUITES
from spcabench.files import write_text
from spcabench.page import comparison_one
from spcabench.page.generated_block import markdown_table
from spcabench.page.render import render
from spcabench.page.tables import Column, Link, Table, linked
from spcabench.showing.words import number, span

PUBLISHED = Path(best_known.__file__).with_name("published.toml")
Answers = list[dict[str, Any]]
NAME = "optimal.html"
COLUMNS = (
    Column("Instance", "named"),
    Column("k", "k", choose=True),
    Column("Value", "value", "{:.9g}"),
    Column("Published", "published"),
    Column("State", "told", choose=True),
    Column("Found by", "by", choose=True),
    Column("Support", "support"),
)


def published() -> dict[str, Any]:
    """Return the published answers and their sources."""
    return tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))


def tables() -> str:
    """Return a Markdown table of the instances of the suite with published values or bounds."""
    heads = ("instance", "k", "published", "ours", "state", "time")
    lines = [
        (i["instance"], i["k"], i["published"], f"{i['value']:.9g}", i["state"], i["seconds"])
        for i in of_suites()
        if i["published"]
    ]
    return f"\n{proven()}\n\n{markdown_table(heads, lines)}\n{contradicted()}\n"


def proven() -> str:
    """State for how many problems the optimum is proven, and the gaps of the others."""
    every = best_known.read().values()
    pairs = {(item.name, k) for item in SUITES["certified"] for k in item.ks}
    mine = [e for e in every if (e.item, e.k) in pairs and not e.nonnegative]
    gaps = [entry.gap for entry in every if not entry.proven]
    others = f"; the others have a gap of {span(gaps, 'share')}" if gaps else ""
    return (
        f"The optimum is proven for {sum(e.proven for e in mine)} of {len(mine)} published "
        f"instances (a matrix and k), and for {sum(e.proven for e in every)} of {len(every)} "
        f"pairs of a problem and k in all suites of one component except large{others}."
    )


def contradicted() -> str:
    """State which published optima have other digits than the proven optimum."""
    differing = []
    known = {(e.item, e.k): e for e in best_known.read().values() if not e.nonnegative}
    for answer in published()["answers"]:
        entry, printed = known.get((answer["instance"], answer["k"])), answer.get("value")
        if entry is None or not entry.proven or not printed:
            continue
        unit = 10.0 ** -len(printed.partition(".")[2])
        if abs(float(printed) - entry.value) > unit:
            values = f"{printed} published, {entry.value:.9g} proven"
            differing.append(f"{entry.item}, k = {entry.k}: {values}")
    return (
        f"The digits of {len(differing)} published values disagree with the proven optimum: "
        f"{'; '.join(differing)}."
        if differing
        else ""
    )


def write(folder: Path, about: dict[str, Any]) -> None:
    """Write the page that lists all instances. about : the links of the site and the footer."""
    entries = of_suites()
    rows = pd.DataFrame(entries)
    rows = rows.assign(
        named=[_named(row, folder) for row in entries],
        told=[*map(_told, entries)],
        by=linked(rows.who, ""),
        published=rows.published.replace("", "-"),
    )
    text = render(
        "optimal.html.j2",
        told=proven(),
        table=Table(COLUMNS, rows, "Instances"),
        sources=published()["sources"],
        site=about["site"] | {"optimal": NAME},
        cite=about["cite"],
    )
    write_text(folder / NAME, text)


def _named(row: dict[str, Any], folder: Path) -> Link:
    """Return the name of an instance, with a link to all answers if a comparison has them.

    A search finds "k=5" in it, and no other k.
    """
    name, _, nonnegative = row["instance"].partition(", ")
    ways = [
        f"compare/{suite}/{comparison_one.address(name, row['k'])}"
        for suite, items in SUITES.items()
        for item in items
        if (item.name, item.nonnegative) == (name, bool(nonnegative)) and row["k"] in item.ks
        if (folder / "compare" / suite / "answers.html").exists()
    ]
    return Link(f"{row['instance']}\n{row['kind']}, k={row['k']}", "".join(ways[-1:]))


def _told(row: dict[str, Any]) -> str:
    """Return the state of an instance, with its bound in a second line."""
    state, _, more = row["state"].partition(": ")
    bound = f"bound by {row['bound_by']}{row['seconds'] and ', '}{row['seconds']}"
    return f"{state}\n{'; '.join(filter(None, (more, bound if row['bound_by'] else '')))}"


def of_suites() -> list[dict[str, Any]]:
    """Return each entry of the table of best known answers, with what authors published on it."""
    kinds = {(i.name, i.nonnegative): i.family for suite in SUITES.values() for i in suite}
    certified = {item.name for item in SUITES["certified"]}  # listed first
    answers: dict[Any, Answers] = {}
    for answer in published()["answers"]:
        answers.setdefault((answer["instance"], answer["k"], False), []).append(answer)
    return [
        {
            "instance": e.item if not e.nonnegative else f"{e.item}, x >= 0",
            "kind": kinds.get((e.item, e.nonnegative), ""),
            "k": e.k,
            "value": e.value,
            "published": "; ".join(map(_published, answers.get((e.item, e.k, e.nonnegative), ()))),
            "state": "proven" if e.proven else f"open: gap {number(e.gap, 'share')}",
            "who": e.who,
            "bound_by": e.bound_by,
            "seconds": number(e.seconds, "s") if e.seconds else "",
            "support": ", ".join(map(str, e.support)),
        }
        for e in sorted(
            best_known.read().values(),
            key=lambda e: (e.item not in certified, e.item.casefold(), e.k),
        )
    ]


def _published(answer: dict[str, Any]) -> str:
    """Return what an author published on an instance: a value, a bound, or neither."""
    low, high = answer.get("seconds", ("", ""))
    time = f" in {low} s" if low == high else f" in {low} to {high} s"
    time = time if "seconds" in answer else ""
    told = f"no bound in {answer.get('stopped', 0):,} s"
    if "value" in answer:
        told = f"{answer['value']}{time}"
    elif "gap" in answer:
        told = f"bound {answer['gap']:.2g} % above their best{time}"
    return f"{told} ({answer['source']})"
