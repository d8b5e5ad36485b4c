"""The artificial example of Zou, Hastie and Tibshirani: ten variables with three hidden factors.

Zou, Hastie, Tibshirani, "Sparse principal component analysis", Journal of Computational and
Graphical Statistics 15 (2006), section 5.2: V1 ~ N(0, 290), V2 ~ N(0, 300), V3 = -0.3 V1 + 0.925 V2
+ e; X1 to X4 = V1 + e_i, X5 to X8 = V2 + e_i, X9 and X10 = V3 + e_i, with all e independent N(0,
1). The exact covariance is used, as in the paper.
"""

import numpy as np

from spcabench.problem.problem import Problem

FACTOR = np.repeat([0, 1, 2], [4, 4, 2])


def load():
    """Return Sigma (10, 10)."""
    T = np.array(
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.3, 0.925, 1.0]]
    )  # maps (V1, V2, e of V3) to (V1, V2, V3)
    hidden = T @ np.diag([290.0, 300.0, 1.0]) @ T.T
    Sigma = hidden[np.ix_(FACTOR, FACTOR)] + np.eye(10)
    return Problem.from_covariance(
        Sigma,
        "artificial",
        features=[f"X{i}" for i in range(1, 11)],
        provenance=dict(
            source="Zou, Hastie, Tibshirani (2006)",
            preprocessing="exact covariance",
            stand_in=False,
        ),
    )
