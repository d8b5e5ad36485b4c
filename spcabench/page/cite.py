"""What every page says about its origin: how to cite it, release, commit, machine and date."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

BIBTEX = """@misc{{spcabench,
  title = {{{{spcabench, version {release}}}}},
  author = {{{{the spcabench developers}}}},
  year = {{{year}}}
}}
"""


def cite(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the facts for the footer of a page: this release, and the origin of its newest row.

    row : the fields ``machine``, ``commit`` and ``written``.
    """
    release = version("spcabench")  # one version on all pages, whenever their rows were computed
    date = row["written"][:10]
    return {
        "bibtex": BIBTEX.format(release=release, year=date[:4]),
        "release": release,
        "commit": row["commit"][:10],
        "machine": row["machine"]["cpu"],
        "date": date,
    }
