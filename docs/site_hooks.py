"""MkDocs hooks that combine documents and results into one site with a common design and search."""

import html as markup
import os
import re
import shutil
from pathlib import Path

from jinja2 import ChoiceLoader, PackageLoader

from spcabench.page import claims_file, search_index
from spcabench.page.cite import cite

ROOT = Path(__file__).parents[1]
PUBLISHED = ROOT / "results" / "published"
# links to code of the repository, which has pages of its own in the site
CODE = re.compile(
    r'"(?:\.\./)+((?:spcabench|solvers|datasets|benchmarks|tests)/[\w/]+\.py)(#L\d+)?"'
)
entries = []  # entries of the search index, one for each part of a document
linked = set()  # files of code to which a page links


def with_code(html, home):
    """Point links to code at its pages. home : the folder of the page, from that of the site."""
    linked.update(file for file, _ in CODE.findall(html))
    way = os.path.relpath("code", home)
    return CODE.sub(rf'"{way}/\1.html\2"', html)


def page_of_code(text, name):
    """Return a page with the lines of a file, each with an anchor such as L12."""
    lines = "\n".join(
        f'<a id="L{i}" href="#L{i}">{i:5}</a>  {line}'
        for i, line in enumerate(markup.escape(text).splitlines(), 1)
    )
    style = (
        ":root{color-scheme:light dark;background:light-dark(white,#181715)}"
        "a{color:light-dark(#707070,#8c8c8c);text-decoration:none}"
        "h1{font-size:1rem}pre{overflow-x:auto}:target{background:gold;color:black}"
    )
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{name}</title><style>{style}</style>"
    )
    return (
        f'<!doctype html><html lang="en"><head>{head}</head><body><main><h1>{name}</h1>'
        f'<pre tabindex="0">{lines}</pre></main></body></html>'
    )


def on_env(env, config, files):
    """Let the theme use the templates of the result pages."""
    env.loader = ChoiceLoader([env.loader, PackageLoader("spcabench.page")])
    env.globals["site"] = search_index.site(PUBLISHED, published=True) | {"docs": "../"}
    env.globals["cite"] = cite(
        max(claims_file.read_all(PUBLISHED).values(), key=lambda report: report["written"])
    )
    return env


def on_page_content(html, page, config, files):
    """Redirect links from published pages to their copies, and add the document to the search."""
    if not (PUBLISHED / "docs" / page.url).exists():  # those of the results include the others
        entries.extend(search_index.parts(html, page.url))
    html = re.sub(r'"\.\./results/published/(\w+)\.md', r'"results/\1.html', html)
    return with_code(html.replace('"../results/published/', '"results/'), Path(page.url).parent)


def on_post_build(config):
    """Copy the published pages to the site, adjust their links, and write the search index."""
    site = Path(config.site_dir)
    # the documents are pages of the site itself
    ignored = shutil.ignore_patterns("*.md", "docs")
    shutil.copytree(PUBLISHED, site / "results", ignore=ignored)
    for file in [*(site / "results").rglob("*.html"), site / "results" / search_index.NAME]:
        text = file.read_text(encoding="utf-8")
        text = re.sub(r'"((?:\.\./)*)docs/(\w+\.html)', r'"\1../\2', text)
        text = re.sub(r'data-indexes="([^"]*)"', r'data-indexes="\1 \1../"', text)
        home = file.parent.relative_to(site)
        file.write_text(with_code(text, home), encoding="utf-8")
    for name in sorted(linked):
        file = site / "code" / f"{name}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        code = (ROOT / name).read_text(encoding="utf-8")
        file.write_text(page_of_code(code, name), encoding="utf-8")
    search_index.write_index(site / search_index.NAME, entries)
