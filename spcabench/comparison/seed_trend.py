"""A test whether a randomised solver becomes better from seed to seed.

The runs with different seeds are independent unless the solver keeps something between them, for
example in the cache of the system. In this case, later seeds find better answers.
"""

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from spcabench.comparison.jobs import ANSWER, SEED
from spcabench.solving.status import GOOD

DIGITS = 6  # values that agree to this number of digits are equal
DEVIATIONS = 3.0  # a trend of more standard deviations is reported; its probability is 0.1 %


def trend(rows: pd.DataFrame) -> float:
    """Return the trend of a solver's values over its seeds, in standard deviations.

    On each pair of a problem and a cardinality, the values are replaced by their ranks. The sum of
    their products with the position of the seed is standardised by its mean and its variance over
    all orders of the seeds, which are equally likely without a trend. The result is 0 if all values
    are equal.
    """
    rows = rows[rows.kind.isin((ANSWER, SEED))]
    if rows.empty:
        return 0.0
    value = rows.variance_refit.where(rows.status.isin(GOOD), 0.0).fillna(0.0)
    of_pairs = rows.assign(value=value).pivot_table("value", ["item", "asked"], "seed").dropna()
    V = of_pairs.to_numpy(float)
    V = np.round(V / np.maximum(V.max(axis=1, keepdims=True), 1e-300), DIGITS)
    R = rankdata(V, axis=1)
    R -= R.mean(axis=1, keepdims=True)
    order = np.arange(V.shape[1]) - (V.shape[1] - 1) / 2.0
    variance = (order @ order) * np.sum(R * R) / max(V.shape[1] - 1, 1)
    return float(np.sum(R @ order) / np.sqrt(variance)) if variance > 0.0 else 0.0
