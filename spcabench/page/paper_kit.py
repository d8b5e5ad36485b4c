"""Write the parts of a paper about a comparison: table, pictures, references, main.tex."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spcabench.comparison import best_known, plans, ranking, suite
from spcabench.comparison.stored import Comparison
from spcabench.files import write_text
from spcabench.flops import CONVENTION
from spcabench.iterate import Facts
from spcabench.page import comparison_pictures, comparison_tables
from spcabench.page.cite import cite
from spcabench.page.comparison_tables import escaped
from spcabench.page.render import render
from spcabench.page.solver_table import facts_of
from spcabench.page.standing import Standing

DATA = Path(suite.__file__).with_name("data.bib")
ADDRESS = re.compile(r"https?://[^\s{}\\]+")
CONFERENCES = re.compile("ICML|NIPS|NeurIPS|COLT|AISTATS")


def write(folder: Path, out: Path) -> Path:
    """Write the kit for a comparison's folder to another folder, and return its main.tex.

    The folder ``out`` gets main.tex, table.tex, references.bib and figures/*.pdf.
    """
    standing = Standing.of(Comparison.read(folder))
    comparison, ranks = standing.comparison, standing.ranks
    papers = {label: facts_of(e.solver) for label, e in comparison.entrants.items()}
    data = dict(_entries(DATA.read_text(encoding="utf-8")))
    key_of = {label: _key(paper, data) for label, paper in papers.items() if paper.title}
    pictures = list(comparison_pictures.pictures(standing))
    for picture in pictures:
        picture.write(out / "figures" / f"{picture.name}.pdf")
    words = _words(standing, data, key_of)
    cited = {*key_of.values(), *(problem["key"] for problem in words["problems"])}
    entries = {key: entry for key, entry in data.items() if key in cited}
    entries |= {key_of[s]: bibtex(key_of[s], p) for s, p in papers.items() if s in key_of} | entries
    own = cite(standing.newest)["bibtex"]
    write_text(out / "references.bib", "\n".join([own, *entries.values()]))
    table = comparison_tables.latex(ranks, standing.warnings, key_of)
    write_text(out / "table.tex", table)
    write_text(out / "main.tex", render("kit.tex.j2", tex=escaped, pictures=pictures, **words))
    return out / "main.tex"


def bibtex(key: str, paper: Facts) -> str:
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
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}\n"


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """Yield key and text of each BibTeX entry, which must end with a brace on its own line."""
    for entry in re.finditer(r"^@\w+\{(\w+),.*?^\}\n", text, re.M | re.S):
        yield entry[1], entry[0]


def _key(paper: Facts, data: dict[str, str]) -> str:
    """Return the key of a solver's paper, which is the data's key if they share the paper."""
    same = [key for key, entry in data.items() if paper.address and paper.address in entry]
    first = re.sub("[^a-z]", "", re.split(r",| and ", paper.authors)[0].lower())
    word = re.sub("[^a-z]", "", paper.title.split()[0].lower())
    return same[0] if same else f"{first}{paper.year or ''}{word}"


def _provider(dataset: str, source: str, data: dict[str, str]) -> str:
    """Return the key of the paper or collection that provides the data; "" for generated data."""
    for key, entry in data.items():
        provided = re.search(r"provides = \{(.*)\}", entry)
        words = [word.strip() for word in provided[1].split(";")] if provided else []
        if any(word == dataset or source.startswith(word) for word in words):
            return key
    return ""


def _words(standing: Standing, data: dict[str, str], key_of: dict[str, str]) -> dict[str, Any]:
    """Return the values for the templates about a comparison."""
    comparison, answers = standing.comparison, standing.answers
    rows, terms = comparison.rows, comparison.terms
    pairs = answers.drop_duplicates(["item", "asked"])
    machines = {m["cpu"]: m for m in rows.machine}
    several = standing.ranks[standing.ranks.seeds > 1]
    return {
        "name": comparison.name,
        "version": next(iter(machines.values()))["versions"].get("spcabench", ""),
        "solvers": [{"name": s, "key": key_of.get(s, "")} for s in standing.ranks.solver],
        "nonnegative": bool(answers.sign.all()),
        "problems": [
            _problem(str(name), part, data) for name, part in answers.groupby("item", sort=False)
        ],
        "pairs": len(pairs),
        "proven": int(pairs.proven.sum()),
        "fresh": terms.fresh,
        "stand_ins": sorted({*answers.item[answers.stand_in.eq(True)]}),
        "about": suite.SETTINGS[terms.settings]["about"],
        "tuned": [f"{s}: {e.tuned_on}" for s, e in comparison.entrants.items() if e.tuned_on],
        "limit": f"{terms.limit:g}",
        "ended": f"{plans.PATIENCE_FACTOR * terms.limit:g}",
        "rounds": plans.ROUNDS,
        "seeded": list(several.solver),
        "seeds": int(standing.ranks.seeds.max()),
        "table_version": best_known.version(),
        "resampled": answers.item.nunique() >= ranking.FEWEST,
        "draws": ranking.DRAWS,
        "resolution": ranking.resolution(answers),
        "machines": list(machines.values()),
        "commits": sorted({commit[:10] for commit in rows.commit}),
        "convention": CONVENTION,
        "last": standing.last,
    }


def _problem(name: str, part: Any, data: dict[str, str]) -> dict[str, Any]:
    """Describe a problem: its size, cardinalities, source and preparation."""
    told = part[part.provenance.map(bool)]
    about = told.provenance.iloc[0] if len(told) else {}
    prepared = about.get("preprocessing", "none")
    return {
        "name": name,
        "key": _provider(part.dataset.iloc[0], about.get("source", ""), data),
        "n": int(part.n.max()),
        "m": None if part.m.isna().all() else int(part.m.max()),
        "ks": sorted({int(k) for k in part.asked}),
        "preparation": "" if prepared == "none" else prepared,
    }
