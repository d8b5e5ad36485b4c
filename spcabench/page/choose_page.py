"""Write the page that helps to choose a solver: answers of `advice`, with a script to search."""

import json
from pathlib import Path

from markupsafe import Markup

from spcabench import style
from spcabench.atomic_files import write_text
from spcabench.claims.words import duration
from spcabench.comparison import advice, merging
from spcabench.page import search_index
from spcabench.page.render import render

NAME = "choose.html"


def write(folder: Path, compare: Path, pages: list[str]) -> None:
    """Write the page to a folder, if there are published comparisons to base advice on.

    pages : the solvers that have a page.
    """
    if not any((compare / name / merging.ROWS).is_file() for name in advice.SUITES):
        return
    data = advice.choices(advice.read(compare))
    names = {point[0] for selection in data["selections"] for point in selection["points"]}
    data["colours"] = {n: c for n in sorted(names) if (c := style.own_colour(n.split(" ")[0]))}
    data["pages"] = pages
    # "</" would end the script element that contains it
    text = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    budgets = [duration(seconds) for seconds in data["budgets"]]
    suites = [name for name in (*advice.SUITES, "components") if (compare / name).is_dir()]
    about = {"budgets": budgets, "choices": data, "suites": suites}
    # both pages are written together
    site = search_index.site(folder) | {n: search_index.OPTIONAL[n] for n in ("choose", "optimal")}
    page = render("choose.html.j2", data=Markup(text), about=about, site=site)
    write_text(folder / NAME, page)
