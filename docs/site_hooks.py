"""MkDocs hooks that combine documents and results into one site with a common design and search."""

import re
import shutil
from pathlib import Path

from jinja2 import ChoiceLoader, PackageLoader

from spcabench.page import search_index

PUBLISHED = Path(__file__).parents[1] / "results" / "published"
# links to files of the repository, which only work offline if the site is in the repository
CODE = re.compile(r'"(?:\.\./)+((?:spcabench|solvers|datasets|benchmarks|tests)/[^":]+)"')
entries = []  # entries of the search index, one for each part of a document


def with_code(html, config):
    """Point links to code at the repository, if mkdocs.yml defines its address as ``repo_url``."""
    url = config.repo_url
    return CODE.sub(rf'"{url.rstrip("/")}/blob/main/\1"', html) if url else html


def on_env(env, config, files):
    """Let the theme use the templates of the result pages."""
    env.loader = ChoiceLoader([env.loader, PackageLoader("spcabench.page")])
    env.globals["site"] = search_index.site(PUBLISHED) | {"docs": "../", "ext": ".html"}
    return env


def on_page_content(html, page, config, files):
    """Redirect links from published pages to their copies, and add the document to the search."""
    for part in re.split(r"(?=<h[1-3])", html):
        if heading := re.match(r'<h[1-3] id="([^"]*)"[^>]*>(.*?)</h', part, re.DOTALL):
            title, text = (re.sub(r"<[^>]*>", "", words) for words in (heading[2], part))
            name = title if title == page.title else f"{page.title}: {title}"
            entries.append((name, " ".join(text.split())[:400], f"{page.url}#{heading[1]}"))
    html = re.sub(r'"\.\./results/published/(\w+)\.md', r'"results/\1.html', html)
    return with_code(html.replace('"../results/published/', '"results/'), config)


def on_post_build(config):
    """Copy the published pages to the site, adjust their links, and write the search index."""
    site = Path(config.site_dir)
    shutil.copytree(PUBLISHED, site / "results", ignore=shutil.ignore_patterns("*.md"))
    for file in (site / "results").rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        text = re.sub(r"\.\./\.\./docs/(\w+)\.md", r"../\1.html", text)
        text = re.sub(r'data-indexes="([^"]*)"', r'data-indexes="\1 \1../"', text)
        file.write_text(with_code(text, config), encoding="utf-8")
    search_index.write_index(site / search_index.NAME, entries)
