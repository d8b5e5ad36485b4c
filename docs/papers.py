"""Hook of MkDocs: the pages of the papers, with their pictures, from results/published."""

import re
from pathlib import Path

from mkdocs.structure.files import File

from spcabench.page.papers import in_order

PUBLISHED = Path(__file__).parents[1] / "results" / "published"


def on_files(files, config):
    """Add a page for each published paper, its pictures, and their list."""
    pages = {page.stem: page for page in PUBLISHED.glob("*.md")}
    files.append(File.generated(config, "papers/index.md", content=index(pages)))
    for page in pages.values():
        files.append(File.generated(config, f"papers/{page.name}", abs_src_path=str(page)))
    for picture in PUBLISHED.glob("figures/*/figure.png"):
        name = picture.relative_to(PUBLISHED).as_posix()
        files.append(File.generated(config, f"papers/{name}", abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown, **about):
    """Lead links to a published paper, as they stand in the repository, to its page here."""
    return re.sub(r"\]\(\.\./results/published/(\w+\.md)", r"](papers/\1", markdown)


def index(keys):
    """The list of the papers with these keys, as Markdown."""
    lines = [f"- [{paper.name}]({paper.key}.md): {paper.reference}" for paper in in_order(keys)]
    text = "\n".join(lines) or "No run at the papers' scale has been published yet."
    return f"# Papers\n\nEvery figure and claim of the published run.\n\n{text}\n"
