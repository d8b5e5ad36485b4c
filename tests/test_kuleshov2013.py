"""What the figures of Kuleshov (2013) compute themselves."""

import numpy as np
import pandas as pd
import pytest

from spcabench import api
from spcabench.claims import bands
from spcabench.figures import _kuleshov2013
from spcabench.figures.kuleshov2013_fig2 import restarts


@pytest.mark.parametrize("k", [1, 4, 12])
def test_the_formula_for_a_given_sigma_is_what_such_a_run_is_charged(k):
    problem = api.load("gaussian", m=20, n=30, seed=3).given_as("covariance")
    result = api.solve(problem, "grqi", k=k)
    formula = _kuleshov2013.flops_of_grqi(problem.n, k, result.iterations)
    assert result.iterations > 0 and result.flops == formula


def test_at_the_scale_of_the_paper_every_band_has_three_sparsities():
    _, _, sparsities, *_ = _kuleshov2013.sizes("paper")
    found = bands(pd.Series(sparsities), _kuleshov2013.WIDE_EDGES).value_counts()
    assert len(found) == 8 and found.min() >= 3
    assert (np.diff(sparsities) > 0).all()


def test_a_search_comes_near_k_no_later_than_to_it():
    problem = api.load("gaussian", m=30, n=30, seed=0)
    found = restarts(problem, seed=0, penalty="gpower1", ks=[3, 8])
    assert found["k"] == [3, 8]
    assert all(
        1 <= near <= exact for near, exact in zip(found["near"], found["exact"], strict=True)
    )
