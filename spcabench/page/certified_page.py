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
from spcabench.showing.words import counted, number

PUBLISHED = Path(best_known.__file__).with_name("published.toml")
HEAD = ("instance", "n", "k", "published value", "published bound", "ours", "s", "status")
Answers = list[dict[str, Any]]
NAME = "optimal.html"


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
    return f"\n{summary()}\n\n{markdown_table(HEAD, lines)}\n{differing}"


def _known() -> dict[tuple[str, int], best_known.Entry]:
    return {(e.item, e.k): e for e in best_known.read().values() if not e.nonnegative}


def summary() -> str:
    """State how many optima are proven, and the times of the slowest proofs."""
    known = _known()
    pairs = [(item.name, k) for item in SUITES["certified"] for k in item.ks]
    mine = [known[pair] for pair in pairs if pair in known]
    seconds = {
        k: max((e.seconds for e in mine if e.k == k), default=0.0)
        for k in sorted({k for _, k in pairs})
    }
    slowest = ", ".join(f"{s:.1f} s for k = {k}" for k, s in seconds.items())
    names = {name for name, _ in pairs}
    also = [e for (name, k), e in known.items() if name in names and (name, k) not in pairs]
    return (
        f"The optimum is proven for {sum(e.proven for e in mine)} of {len(mine)} pairs of a matrix "
        f"and k, and for {sum(e.proven for e in also)} of {len(also)} other published "
        f"cardinalities of {' and '.join(sorted({e.item for e in also}))}. On one thread of a busy "
        f"machine, the slowest proof took, in processor time, {slowest}."
    )


def proven() -> str:
    """State briefly for how many instances of the suite the optimum is proven."""
    known = _known()
    mine = [known.get((item.name, k)) for item in SUITES["certified"] for k in item.ks]
    count = sum(entry is not None and entry.proven for entry in mine)
    pairs = f"{count} of {len(mine)} pairs of a matrix and k"
    return f"The exact search proves the optimum for {pairs}."


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
    rows = [row for part in parts.values() for row in part]
    values = {"sources": published()["sources"], "site": about["site"] | {"optimal": NAME}}
    text = render("optimal.html.j2", rows=rows, told=f"{told}.", cite=about["cite"], **values)
    write_text(folder / NAME, text)


def of_suites() -> list[dict[str, Any]]:
    """Return short descriptions of the results that authors have published on an instance."""
    items = {(i.name, i.nonnegative): i for suite in SUITES.values() for i in suite}
    answers = published()["answers"]
    rows = []
    certified = {item.name for item in SUITES["certified"]}  # listed first
    known = best_known.read().values()
    for entry in sorted(known, key=lambda e: (e.item not in certified, e.item.casefold(), e.k)):
        item = items.get((entry.item, entry.nonnegative))
        mine = [a for a in answers if (a["instance"], a["k"]) == (entry.item, entry.k)]
        signed = not entry.nonnegative
        rows.append(
            {
                "instance": entry.item if signed else f"{entry.item}, x >= 0",
                "kind": item.family if item else "",
                "n": item.variables if item else 0,
                "k": entry.k,
                "value": f"{entry.value:.9g}",
                "published": _published_of(mine if signed else []),
                "state": _state(entry.proven, entry.gap),
                "proven": entry.proven,
                "who": entry.who,
                "when": entry.when,
                "bound_by": entry.bound_by,
                "seconds": number(entry.seconds, "s") if entry.seconds else "",
                "support": ", ".join(map(str, entry.support)),
            }
        )
    return rows


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
        "figure": entry["figure"],
        "n": 0,
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
