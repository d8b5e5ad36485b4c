"""The tables of docs/certified.md: what is published of each instance, and what is proven.

The proven values are those of the table of the best known answers, in which each is recomputed from
its vector; the published ones are those of spcabench/comparison/published.toml.
"""

import tomllib
from pathlib import Path
from typing import Any

from spcabench.comparison import best_known
from spcabench.comparison.suite import SUITES, Item
from spcabench.page.generated_block import markdown_table

PUBLISHED = Path(best_known.__file__).with_name("published.toml")
HEAD = ("instance", "n", "k", "published value", "published bound", "ours", "s", "status")
Answers = list[dict[str, Any]]


def published(file: Path = PUBLISHED) -> dict[str, Any]:
    """The published answers, and their sources."""
    return tomllib.loads(file.read_text(encoding="utf-8"))


def tables() -> str:
    """Every instance of the suite, and what is published of it, as Markdown."""
    known = _known()
    lines = []
    answers = published()["answers"]
    for item in SUITES["certified"]:
        of_instance = [a for a in answers if a["instance"] == item.name]
        for k in sorted({*item.ks, *(a["k"] for a in of_instance)}):
            entry = known.get((item.name, k))
            mine = [a for a in of_instance if a["k"] == k]
            lines.append(_line(item, k, mine, entry))
    differing = "".join(_difference(*pair) for pair in contradicted())
    return f"\n{summary()}\n\n{markdown_table(HEAD, lines)}\n{differing}"


def _known() -> dict[tuple[str, int], best_known.Entry]:
    return {(e.item, e.k): e for e in best_known.read().values() if not e.nonnegative}


def summary() -> str:
    """How many are proven, and in how many seconds."""
    names = {item.name for item in SUITES["certified"]}
    mine = [e for e in _known().values() if e.item in names]
    seconds = {k: max((e.seconds for e in mine if e.k == k), default=0.0) for k in (5, 10, 20, 30)}
    slowest = ", ".join(f"{s:.1f} s for k = {k}" for k, s in seconds.items())
    return (
        f"{sum(e.proven for e in mine)} of {len(mine)} are proven. The slowest took {slowest}, of "
        "processor time on one thread of a busy machine."
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


def contradicted() -> list[tuple[dict[str, Any], best_known.Entry]]:
    """The published optima that a proven one contradicts in its digits, each with that one."""
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
    """A paragraph on a published optimum that the proven one contradicts."""
    published_value = float(answer["value"])
    W = ", ".join(map(str, entry.support))
    loadings = ", ".join(f"{x:.6f}" for x in entry.loadings)
    which = "low" if published_value < entry.value else "high"
    return (
        f"**{entry.item}, k = {entry.k}.** Published is {answer['value']} ({answer['source']}). "
        f"The optimum is {entry.value:.9g}, so the published value, if it was not rounded, is too "
        f"{which} by "
        f"{abs(published_value / entry.value - 1.0):.1e} of it. It is reached on the variables {W} "
        f"(counted from 0) with the loadings {loadings}; no x reaches more than {entry.bound:.9g}, "
        f"by {entry.bound_by}.\n\n"
    )
