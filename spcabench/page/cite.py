"""What every page says about its origin: how to cite it, release, commit, machine and date."""

from collections.abc import Mapping
from typing import Any

BIBTEX = """@misc{{spcabench,
  title = {{{{spcabench, version {release}}}}},
  author = {{{{the spcabench developers}}}},
  year = {{{year}}}
}}
"""


def cite(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the facts for the footer of a page, from its newest row or a figure's claims file.

    row : the fields ``machine``, ``commit`` and ``written``.
    """
    release, date = row["machine"]["versions"].get("spcabench", ""), row["written"][:10]
    return {
        "bibtex": BIBTEX.format(release=release, year=date[:4]),
        "release": release,
        "commit": row["commit"][:10],
        "machine": row["machine"]["cpu"],
        "date": date,
    }
