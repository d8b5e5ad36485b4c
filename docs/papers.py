"""Hook of MkDocs: the pages of the papers, with their pictures, from results/published."""

from pathlib import Path

from mkdocs.structure.files import File

PUBLISHED = Path(__file__).parents[1] / "results" / "published"


def on_files(files, config):
    """Add a page for each published paper, its pictures, and their list."""
    pages = sorted(PUBLISHED.glob("*.md"))
    lines = [
        f"- [{page.read_text(encoding='utf-8').splitlines()[0][2:]}]({page.name})" for page in pages
    ]
    text = "# Papers\n\nEvery figure and claim of the published run.\n\n" + (
        "\n".join(lines) or "No run at the papers' scale has been published yet."
    )
    files.append(File.generated(config, "papers/index.md", content=text + "\n"))
    for page in pages:
        files.append(File.generated(config, f"papers/{page.name}", abs_src_path=str(page)))
    for picture in PUBLISHED.glob("figures/*/figure.png"):
        name = picture.relative_to(PUBLISHED).as_posix()
        files.append(File.generated(config, f"papers/{name}", abs_src_path=str(picture)))
    return files
