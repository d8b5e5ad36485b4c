"""docs/certified.md: what is published of each instance, and what is proven; `make docs` renews it.

The proven values are those of the table of the best known answers, in which each is recomputed from
its vector; the published ones are those of spcabench/comparison/published.toml.
"""

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from spcabench.comparison import best_known
from spcabench.comparison.suite import SUITES, Item
from spcabench.page.block import replaced
from spcabench.page.render import cell
from spcabench.running.whole_files import write_changed

DOCUMENT = Path(__file__).parents[2] / "docs" / "certified.md"
PUBLISHED = Path(best_known.__file__).with_name("published.toml")
BEGIN, END = "<!-- instances: made by `make docs` -->\n", "<!-- end of instances -->"
HEAD = ("instance", "n", "k", "published value", "published bound", "ours", "s", "status")
Answers = list[dict[str, Any]]


def published(file: Path = PUBLISHED) -> dict[str, Any]:
    """The published answers, and their sources."""
    return tomllib.loads(file.read_text(encoding="utf-8"))


def tables() -> str:
    """Every instance of the suite, and what is published of it, as Markdown."""
    known = {(e.item, e.k): e for e in best_known.read().values() if not e.nonnegative}
    lines, differing = [], []
    answers = published()["answers"]
    for item in SUITES["certified"]:
        said = [a for a in answers if a["instance"] == item.name]
        for k in sorted({*item.ks, *(a["k"] for a in said)}):
            entry = known.get((item.name, k))
            mine = [a for a in said if a["k"] == k]
            lines.append(_line(item, k, mine, entry))
            differing += _differences(mine, entry) if entry else []
    rule = ("---",) * len(HEAD)
    table = "".join(f"| {' | '.join(map(cell, line))} |\n" for line in (HEAD, rule, *lines))
    return f"\n{_summary(known.values())}\n\n{table}\n{''.join(differing)}"


def _summary(known: Iterable[best_known.Entry]) -> str:
    """How many are proven, and in how many seconds."""
    names = {item.name for item in SUITES["certified"]}
    mine = [e for e in known if e.item in names]
    seconds = {k: max((e.seconds for e in mine if e.k == k), default=0.0) for k in (5, 10, 20, 30)}
    slowest = ", ".join(f"{s:.1f} s for k = {k}" for k, s in seconds.items())
    return (
        f"{sum(e.proven for e in mine)} of {len(mine)} are proven. The slowest took {slowest}, of "
        "processor time on one thread of a busy machine."
    )


def _line(item: Item, k: int, said: Answers, entry: best_known.Entry | None) -> tuple[str, ...]:
    values = [f"{a['value']}{_seconds(a)} ({a['source']})" for a in said if "value" in a]
    bounds = [
        f"{a['gap']:.2g} % above{_seconds(a)} ({a['source']})"
        if "gap" in a
        else f"none in {a['stopped']:,} s ({a['source']})"
        for a in said
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


def _differences(said: Answers, entry: best_known.Entry) -> list[str]:
    """A paragraph for each published optimum that a proven one contradicts in its digits."""
    found = []
    for answer in said:
        printed = answer.get("value")
        if not printed or not entry.proven:
            continue
        unit = 10.0 ** -len(printed.partition(".")[2])
        if abs(float(printed) - entry.value) <= unit:
            continue
        below = float(printed) < entry.value
        W = ", ".join(map(str, entry.support))
        loadings = ", ".join(f"{x:.6f}" for x in entry.loadings)
        found.append(
            f"**{entry.item}, k = {entry.k}.** Published is {printed} ({answer['source']}). The "
            f"optimum is {entry.value:.9g}, so the published value, if it was not rounded, is too "
            f"{'low' if below else 'high'} by {abs(float(printed) / entry.value - 1.0):.1e} of it. "
            f"It is reached on the variables {W} (counted from 0) with the loadings {loadings}; no "
            f"x reaches more than {entry.bound:.9g}, by {entry.bound_by}.\n\n"
        )
    return found


def renewed(text: str) -> str:
    """The document with its tables as the best known answers have them."""
    return replaced(text, BEGIN, END, tables(), DOCUMENT.name)


if __name__ == "__main__":
    write_changed(DOCUMENT, renewed(DOCUMENT.read_text(encoding="utf-8")))
