"""Write the documents as pages of a published run, for readers without the site of `make docs`."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import markdown
from markupsafe import Markup

from spcabench.files import write_text
from spcabench.page import search_index
from spcabench.page.render import OPTIONAL, render
from spcabench.page.source_links import relative

ROOT = Path(__file__).parents[2]
DOCS, PUBLISHED = ROOT / "docs", ROOT / "results" / "published"
EXTENSIONS = ("tables", "fenced_code", "toc", "admonition")  # as in mkdocs.yml
DIRECTIVE = "\n::: "  # of the reference, which needs MkDocs
LINK = re.compile(r'\b(href|src)="(?![a-z]+:)([^"#]+)')


def write(folder: Path, about: dict[str, Any]) -> Iterator[search_index.Entry]:
    """Write a page for each document; yield the parts of the documents for the search.

    about : the links of the site and the footer.
    """
    out = folder / OPTIONAL["docs"]
    for page in out.glob("*.html"):
        page.unlink()
    texts = {file.stem: file.read_text(encoding="utf-8") for file in sorted(DOCS.glob("*.md"))}
    names = [name for name, text in texts.items() if DIRECTIVE not in text]
    for name in names:
        html = markdown.markdown(texts[name], extensions=EXTENSIONS)
        html = LINK.sub(lambda link: f'{link[1]}="{_address(link[2], folder, names)}', html)
        parts = [*search_index.parts(html, f"{OPTIONAL['docs']}{name}.html")]
        values = about | {"name": name, "title": parts[0][0], "content": Markup(html)}
        write_text(out / f"{name}.html", render("document.html.j2", **values))
        yield from parts


def _address(link: str, folder: Path, names: list[str]) -> str:
    """Return the address of a document's link, from its page in the folder of a published run."""
    file = Path(os.path.normpath(DOCS / link))
    if file.parent == DOCS and file.stem in names:
        return f"{file.stem}.html"
    if file.is_relative_to(PUBLISHED):
        page = folder / file.relative_to(PUBLISHED)
        page = page.with_suffix(".html") if page.suffix == ".md" else page
        file = page if page.exists() else file
    return relative(file, folder / OPTIONAL["docs"])
