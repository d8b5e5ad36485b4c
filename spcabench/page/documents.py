"""Renew the generated blocks of documents; ``make docs`` runs this module."""

from pathlib import Path

from spcabench.claims import meaning
from spcabench.page import certified_page, findings, schema_table, solver_table
from spcabench.page.generated_block import markdown_table, renew

ROOT = Path(__file__).parents[2]


def documents() -> dict[Path, dict[str, str]]:
    """Return the documents with generated blocks, and the text of each block by name."""
    return {
        ROOT / "results" / "README.md": {"columns": schema_table.tables()},
        ROOT / "docs" / "bounds.md": {"instances": certified_page.tables()},
        ROOT / "docs" / "solvers.md": {"methods": solver_table.table()},
        ROOT / "docs" / "reading_results.md": {"words": words()},
        ROOT / "docs" / "findings.md": {"article": findings.article()},
        ROOT / "docs" / "index.md": {"numbers": findings.front("../results/published/")},
    }


def words() -> str:
    """Return the table of the papers' words and their rules as Markdown."""
    return f"\n{markdown_table(('the paper says', 'rule'), meaning.TABLE)}\n"


if __name__ == "__main__":
    for file, blocks in documents().items():
        renew(file, blocks)
