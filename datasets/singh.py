"""Prostate cancer gene expression (Singh et al. 2002): 102 samples x 12600 genes.

Singh et al., "Gene expression correlates of clinical prostate cancer behavior", Cancer Cell 1
(2002): 52 tumour and 50 normal samples, raw intensities. The file comes from the R package
datamicroarray (MIT licence; it states no licence for the data), sha256 5197cdae41c6....

Stand-in if the file is not available: scikit-learn's breast-cancer table, 569 samples x 30
measurements.
"""

from functools import lru_cache
from pathlib import Path

import numpy as np

from spcabench.problem.problem import Problem
from spcabench.readers import sources
from spcabench.readers.gene_expression import stand_in

FILE = "singh/singh.RData"
SHA256 = "5197cdae41c6e25b9a59cfda23fd9434c25b7406ed1942c5ca074e140e5c2cff"
URL = (
    "https://raw.githubusercontent.com/ramhiser/datamicroarray/"
    "a95f6f68ed3debf48ee54f198435fa12aa655b16/data/singh.RData"
)
FILES = [sources.File(FILE, SHA256, URL, 1_234_368, "none stated; package MIT")]


def load(center=True, scale=False):
    """Return A = X (102, 12600), centred by gene, not divided by m (Kuleshov 2013, section 5.1).

    center, scale : other possible preprocessing; the paper does not specify any.
    """
    file = sources.find(FILE, SHA256, URL)
    if file is None:
        return stand_in("singh", "Singh et al. (2002)", divisor="1")
    X, labels = _table(file)
    return Problem.from_data(
        X.copy(),
        "singh",
        center=center,
        scale=scale,
        divisor="1",
        labels=labels,
        provenance=dict(
            source="Singh et al. (2002)",
            file=FILE,
            sha256=SHA256,
            stand_in=False,
            preprocessing=f"genes {'centred' if center else 'not centred'}, "
            f"{'' if scale else 'not '}scaled",
        ),
    )


@lru_cache(maxsize=1)  # parsing takes a second, and a figure prepares the table in several ways
def _table(file: Path) -> tuple[np.ndarray, list[str]]:
    """Return X (m, n) and the class label of each sample."""
    table = sources.read_rdata(file)["singh"]
    return np.asarray(table["x"], dtype=float), [str(label) for label in table["y"]]
