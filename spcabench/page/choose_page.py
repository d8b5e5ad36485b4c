"""Write the page that helps to choose a solver, with a script that searches the advice."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from markupsafe import Markup

from spcabench.comparison import advice, advice_table
from spcabench.files import write_text
from spcabench.page import search_index
from spcabench.page.render import OPTIONAL, render
from spcabench.showing.words import duration

NAME = "choose.html"


def write(folder: Path, pages: list[str], about: dict[str, Any]) -> list[search_index.Entry]:
    """Write the page to a published run, if it has comparisons to base advice on.

    pages : the solvers that have a page. about : the footer. Returns its entries for the search:
    the best solvers for each kind of data and time.
    """
    compare = folder / "compare"
    if not advice_table.write(compare, folder / advice.NAME):
        return []
    data = advice.choices(advice.read(folder / advice.NAME))
    data["pages"] = pages
    # "</" would end the script element that contains it
    text = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    budgets = [duration(seconds) for seconds in data["budgets"]]
    suites = [name for name in (*advice_table.SUITES, "components") if (compare / name).is_dir()]
    values = {"budgets": budgets, "choices": data, "suites": suites}
    # both pages are written together
    site = about["site"] | {n: OPTIONAL[n] for n in ("choose", "optimal")}
    page = render("choose.html.j2", data=Markup(text), about=values, site=site, cite=about["cite"])
    write_text(folder / NAME, page)
    return [
        (f"best solver for {kind} within {budget}", _answer(data, kind, i), f"{NAME}#{address}")
        for kind in data["kinds"]
        for i, budget in enumerate(budgets)
        for address in [urlencode({"kind": kind, "budget": i}, quote_via=quote)]
    ]


def _answer(data: dict[str, Any], kind: str, budget: int) -> str:
    """Describe the best three solvers for a kind of data and a budget."""
    place, *_ = data["of"][f"signed|{kind}||"]
    best = data["selections"][place]["best"][budget][:3]
    words = [f"{solver} {100 * share:.2f} % of the best known" for solver, share, *_ in best]
    return "; ".join(words) or "none has an answer"
