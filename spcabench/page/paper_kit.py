"""Write what a paper can use of a comparison: table, pictures and references."""

import re
from pathlib import Path

from spcabench.comparison import suite
from spcabench.comparison.stored import Comparison
from spcabench.files import make_folder, write_text
from spcabench.iterate import Facts
from spcabench.page import comparison_one, comparison_pictures, comparison_view
from spcabench.page.cite import cite
from spcabench.page.solver_table import facts_of
from spcabench.page.standing import Standing
from spcabench.page.tables import escaped

DATA = Path(suite.__file__).with_name("data.bib")
ADDRESS = re.compile(r"https?://[^\s{}\\]+")
CONFERENCES = re.compile("ICML|NIPS|NeurIPS|COLT|AISTATS")


def write(folder: Path, out: Path) -> Path:
    """Write table.tex, references.bib and figures/*.pdf for a comparison's folder; return ``out``.

    The references are those of the solvers, of the data of all suites, and of spcabench.
    """
    standing = Standing.of(Comparison.read(folder))
    rows, entrants = standing.comparison.rows, standing.comparison.entrants
    papers = {label: facts_of(entrant.solver) for label, entrant in entrants.items()}
    key_of = {label: key(paper) for label, paper in papers.items() if paper.title}
    entries = {key_of[label]: bibtex(papers[label]) for label in key_of}
    own = cite(comparison_view.newest(rows))["bibtex"]
    data = DATA.read_text(encoding="utf-8")
    make_folder(out)
    write_text(out / "references.bib", "\n".join([own, *entries.values(), data]))
    warnings = comparison_view.warnings(rows)
    ranked = comparison_one.ranking(standing, warnings, None)
    notes = [rf"$^\dagger$ {escaped(comparison_view.as_text(warning))}\par" for warning in warnings]
    head = ["\n\\par\\smallskip\\raggedright"] if notes else []
    write_text(out / "table.tex", ranked.latex(key_of) + "\n".join([*head, *notes, ""]))
    for picture in comparison_pictures.pictures(standing):
        picture.write(out / "figures" / f"{picture.name}.pdf")
    return out


def bibtex(paper: Facts) -> str:
    """Return the BibTeX entry of a paper."""
    journal = re.fullmatch(r"(.+?) (\d+)", paper.venue)
    kind, fields = "misc", {"howpublished": paper.venue}
    if CONFERENCES.match(paper.venue):
        kind, fields = "inproceedings", {"booktitle": paper.venue}
    elif journal:
        kind, fields = "article", {"journal": journal[1], "volume": journal[2]}
    fields = {name: escaped(value) for name, value in fields.items()} | {
        "author": re.sub(r",\s*|\s+and\s+", " and ", escaped(paper.authors)),
        "title": "{" + escaped(paper.title) + "}",
        "year": str(paper.year or ""),
        "note": rf"\url{{{paper.address}}}" if ADDRESS.fullmatch(paper.address) else "",
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@{kind}{{{key(paper)},\n" + ",\n".join(lines) + "\n}\n"


def key(paper: Facts) -> str:
    """Return the key of a paper: first author, year, and first word of the title."""
    first = re.sub("[^a-z]", "", re.split(r",| and ", paper.authors)[0].lower())
    word = re.sub("[^a-z]", "", paper.title.split()[0].lower())
    return f"{first}{paper.year or ''}{word}"
