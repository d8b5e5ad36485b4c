"""Pit props: correlations of 13 measurements on 180 pine props.

Jeffers, "Two case studies in the application of principal component analysis", Applied Statistics
16 (1967), Table 2: 13 variables. The correlation matrix is used as printed.
"""

import numpy as np

from spcabench.problem.problem import Problem

NAMES = [
    *("topdiam", "length", "moist", "testsg", "ovensg", "ringtop", "ringbut"),
    *("bowmax", "bowdist", "whorls", "clear", "knots", "diaknot"),
]

# the strict lower triangle, row by row, in thousandths
LOWER = """
954
364 297
342 284 882
-129 -118 -148 220
313 291 153 381 364
496 503 -29 174 296 813
424 419 -54 -59 4 90 372
592 648 125 137 -39 211 465 482
545 569 -81 -14 37 274 679 557 526
84 76 162 97 -91 -36 -113 61 85 -319
-19 -36 220 169 -145 24 -232 -357 -127 -368 29
134 144 126 15 -208 -329 -424 -202 -76 -291 7 184
"""


def load():
    """Return Sigma (13, 13), a correlation matrix."""
    L = np.zeros((13, 13))
    L[np.tril_indices(13, -1)] = np.array(LOWER.split(), dtype=float) / 1000.0
    Sigma = L + np.eye(13) + L.T
    return Problem.from_covariance(
        Sigma,
        "pitprops",
        features=NAMES,
        provenance=dict(
            source="Jeffers (1967)", preprocessing="correlation matrix", stand_in=False
        ),
    )
