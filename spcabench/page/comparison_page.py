"""Write the page of a comparison, its pictures, its ranking as text, and the page of its answers.

There is one writer: `comparison_one` and `comparison_several` return what the page of a comparison
of one component, or of several, contains.
"""

from pathlib import Path
from typing import Any

from spcabench.comparison import stored
from spcabench.comparison.entrants import COMPONENTS
from spcabench.comparison.stored import Comparison
from spcabench.files import make_folder, write_text
from spcabench.page import comparison_one, comparison_several
from spcabench.page.cite import cite
from spcabench.page.comparison_view import View
from spcabench.page.render import render
from spcabench.running import rows as results


def write(folder: Path, published: bool = False) -> Path:
    """Write the page of the comparison in a folder, and its tables; return the page's path.

    published : whether the page is in the folder of a published run. For several components, the
        page is written from the table if there are no rows.
    """
    view = _view(folder, "../../" if published else None)
    for section in view.sections:
        if section.picture:
            section.picture.write(folder / "pictures" / f"{section.picture.name}.svg")
    write_text(folder / "ranking.txt", view.text())
    shared: dict[str, Any] = {"published": published, "cite": cite(view.newest)}
    if view.runs:
        text = render("answers.html.j2", name=view.name, table=view.runs, **shared)
        write_text(folder / "answers.html", text)
    write_text(folder / "index.html", render("comparison.html.j2", view=view, **shared))
    return folder / "index.html"


def _view(folder: Path, top: str | None) -> View:
    if not (folder / stored.ROWS).is_file() and (folder / comparison_several.ABOUT).is_file():
        return comparison_several.stored_view(folder, top)
    comparison = Comparison.read(folder)
    kind = comparison_several if comparison.terms.suite == COMPONENTS else comparison_one
    return kind.view(comparison, folder, top)


def publish(folder: Path, out: Path) -> Path:
    """Write a published comparison to a folder: its rows, with thinned histories, and its pages.

    The pages are written from the published rows, so anyone who has the rows can reproduce the
    pages. For several components, the table is published in place of the rows.
    """
    comparison = Comparison.read(folder)
    make_folder(out)
    if comparison.terms.suite == COMPONENTS:
        comparison_several.write_table(comparison, out)
    else:
        table = results.read_table([folder / stored.ROWS])
        stored.write(out, comparison.entrants, table, comparison.plan, small=True)
    return write(out, published=True)
