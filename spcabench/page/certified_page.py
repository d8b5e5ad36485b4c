"""Write the published and the proven values of instances to docs/bounds.md and optimal.html.

The proven values come from the table of best known answers, which are recomputed from their
vectors. The published values come from spcabench/comparison/published.toml.
"""

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from spcabench.comparison import best_known
from spcabench.comparison.suite import SUITES, Item
from spcabench.files import write_text
from spcabench.page.generated_block import markdown_table
from spcabench.page.render import render
from spcabench.showing.words import counted, number, span

PUBLISHED = Path(best_known.__file__).with_name("published.toml")
HEAD = ("instance", "n", "k", "published value", "published bound", "ours", "s", "status")
Answers = list[dict[str, Any]]
NAME = "optimal.html"
COLUMNS = (  # head, class, choice
    ("Instance", ""),
    ("k", "number", "k"),
    ("Value", "number"),
    ("Published", ""),
    ("State", "", "state"),
    ("Found by", "", "by"),
    ("Support", ""),
)


def published(file: Path = PUBLISHED) -> dict[str, Any]:
    """Return the published answers and their sources."""
    return tomllib.loads(file.read_text(encoding="utf-8"))


def tables() -> str:
    """Return a Markdown table of the instances of the suite with published values or bounds."""
    known = _known()
    lines = []
    answers = published()["answers"]
    for item in SUITES["certified"]:
        of_instance = [a for a in answers if a["instance"] == item.name]
        for k in sorted({a["k"] for a in of_instance}):
            mine = [a for a in of_instance if a["k"] == k]
            lines.append(_line(item, k, mine, known.get((item.name, k))))
    differing = "".join(_difference(*pair) for pair in contradicted())
    return f"\n{proven()}\n\n{markdown_table(HEAD, lines)}\n{differing}"


def _known() -> dict[tuple[str, int], best_known.Entry]:
    return {(e.item, e.k): e for e in best_known.read().values() if not e.nonnegative}


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
        f"problems of all suites{others}."
    )


def _line(item: Item, k: int, answers: Answers, entry: best_known.Entry | None) -> tuple[str, ...]:
    values = [f"{a['value']}{_seconds(a)} ({a['source']})" for a in answers if "value" in a]
    bounds = [
        f"{a['gap']:.2g} % above{_seconds(a)} ({a['source']})"
        if "gap" in a
        else f"none in {a['stopped']:,} s ({a['source']})"
        for a in answers
        if "value" not in a
    ]
    ours = ("", "", "not tried")
    if entry:
        state = "proven" if entry.proven else f"gap {entry.gap:.2%}"
        ours = (f"{entry.value:.9g}", f"{entry.seconds:.2f}", state)
    return (item.name, str(item.variables), str(k), "; ".join(values), "; ".join(bounds), *ours)


def _seconds(answer: dict[str, Any]) -> str:
    if "seconds" not in answer:
        return ""
    low, high = answer["seconds"]
    return f" in {low} s" if low == high else f" in {low} to {high} s"


def write(folder: Path, of_figures: Iterable[dict[str, Any]], about: dict[str, Any]) -> None:
    """Write the page that lists all instances, from the suites and from the figures' problems.

    of_figures : the entries of certified.json. about : the links of the site and the footer.
    """
    parts = {
        "of the suites are proven optimal": of_suites(),
        "that figures needed": [_of_figure(entry) for entry in of_figures],
    }
    told = ", ".join(
        f"{sum(row['proven'] for row in rows):,} of {counted(len(rows), 'instances')} {what}"
        for what, rows in parts.items()
    )
    lines = [_cells(row) for rows in parts.values() for row in rows]
    values = {"sources": published()["sources"], "site": about["site"] | {"optimal": NAME}}
    text = render(
        "optimal.html.j2",
        told=f"{told}.",
        heads=COLUMNS,
        lines=lines,
        cite=about["cite"],
        **values,
    )
    write_text(folder / NAME, text)


def _cells(row: dict[str, Any]) -> list[str]:
    """Return the line of an instance. A search finds "k=5" in it, and no other k."""
    state, _, more = row["state"].partition(": ")
    bound = f"bound by {row['bound_by']}{row['seconds'] and ', '}{row['seconds']}"
    told = "; ".join(filter(None, (more, bound if row["bound_by"] else "")))
    return [
        f"{row['instance']}\n{row['kind']}, k={row['k']}",
        str(row["k"]),
        row["value"],
        "; ".join(row["published"]) or "none that we know of",
        f"{state}\n{told}",
        row["who"] or "runs of the figure",
        row["support"] or "not stored",
    ]


def of_suites() -> list[dict[str, Any]]:
    """Return each entry of the table of best known answers, with what authors published on it."""
    items = {(i.name, i.nonnegative): i for suite in SUITES.values() for i in suite}
    certified = {item.name for item in SUITES["certified"]}  # listed first
    answers = published()["answers"]
    return [
        {
            "instance": e.item if not e.nonnegative else f"{e.item}, x >= 0",
            "kind": items[e.item, e.nonnegative].family if (e.item, e.nonnegative) in items else "",
            "k": e.k,
            "value": f"{e.value:.9g}",
            "published": _published_of(
                [
                    a
                    for a in answers
                    if (a["instance"], a["k"], False) == (e.item, e.k, e.nonnegative)
                ]
            ),
            "state": _state(e.proven, e.gap),
            "proven": e.proven,
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


def _published_of(answers: Answers) -> list[str]:
    """Return short descriptions of what authors have published on an instance."""
    values = [f"{a['value']}{_seconds(a)} ({a['source']})" for a in answers if "value" in a]
    bounds = [
        f"no value; bound {a['gap']:.2g} % above their best{_seconds(a)} ({a['source']})"
        for a in answers
        if "gap" in a
    ]
    stopped = [f"none in {a['stopped']:,} s ({a['source']})" for a in answers if "stopped" in a]
    return values or [*bounds, *stopped]


def _state(proven: bool, gap: float) -> str:
    return "proven" if proven else f"open: at most {number(gap, 'share')} more"


def _of_figure(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the row for an optimum or a bound that was computed for a figure."""
    return {
        "instance": entry["problem"],
        "kind": entry["figure"],
        "k": int(entry["k"]),
        "value": f"{entry['best']:.9g}",
        "published": [],
        "state": _state(entry["proven"], max(entry["bound"] / entry["best"] - 1.0, 0.0)),
        "proven": entry["proven"],
        "who": "",
        "bound_by": best_known.EXACT,
        "seconds": number(entry.get("seconds"), "s") if entry.get("seconds") else "",
        "support": "",
    }


def contradicted() -> list[tuple[dict[str, Any], best_known.Entry]]:
    """Return pairs of a published optimum and a proven optimum whose digits disagree."""
    known, differing = _known(), []
    for answer in published()["answers"]:
        entry, printed = known.get((answer["instance"], answer["k"])), answer.get("value")
        if entry is None or not entry.proven or not printed:
            continue
        unit = 10.0 ** -len(printed.partition(".")[2])
        if abs(float(printed) - entry.value) > unit:
            differing.append((answer, entry))
    order = [item.name for item in SUITES["certified"]]
    return sorted(differing, key=lambda pair: (order.index(pair[1].item), pair[1].k))


def _difference(answer: dict[str, Any], entry: best_known.Entry) -> str:
    """Return a paragraph on a published optimum that differs from the proven one."""
    published_value = float(answer["value"])
    W = ", ".join(map(str, entry.support))
    loadings = ", ".join(f"{x:.6f}" for x in entry.loadings)
    which = "low" if published_value < entry.value else "high"
    return (
        f"**{entry.item}, k = {entry.k}.** The published value is {answer['value']} "
        f"({answer['source']}). "
        f"The optimum is {entry.value:.9g}. Unless the published value was rounded, it is too "
        f"{which}, with a relative error of {abs(published_value / entry.value - 1.0):.1e}. The "
        f"optimum is attained on variables {W} (numbered from 0) with the loadings {loadings}. "
        f"{entry.bound_by} proves that no x has a variance above {entry.bound:.9g}.\n\n"
    )
