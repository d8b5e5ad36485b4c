"""Gene expression data and synthetic covariances: published facts about them."""

import numpy as np
import pytest

from spcabench import api
from spcabench.errors import InputError
from spcabench.readers import sources

GENES = {
    "alon": (62, 2000, [22, 40]),
    "golub": (72, 7129, [25, 47]),
    "mll": (72, 12582, [20, 24, 28]),
}


@pytest.mark.parametrize("name", GENES)
def test_the_real_file_where_it_is_at_hand(real_data, name):
    real_data(name)
    m, n, classes = GENES[name]
    problem = api.load_or_stand_in(name)
    assert (problem.m, problem.n) == (m, n)
    assert sorted(problem.labels.count(c) for c in set(problem.labels)) == classes
    few = api.load_or_stand_in(name, genes=50)
    variances = problem.covariance.diagonal()
    assert few.n == len(set(few.features)) == 50
    assert np.sort(few.covariance.diagonal()) == pytest.approx(np.sort(variances)[-50:])
    assert few.features == tuple(np.array(problem.features)[np.sort(np.argsort(-variances)[:50])])


@pytest.mark.parametrize("name", GENES)
def test_the_stand_in_says_so(name, monkeypatch):
    monkeypatch.setattr(sources, "find", lambda *args: None)
    problem = api.load_or_stand_in(name)
    assert problem.stand_in
    assert "stand-in" in problem.name
    assert problem.covariance.diagonal() == pytest.approx(np.ones(30))


def test_the_artificial_covariance_is_that_of_the_paper():
    S = api.load("artificial").matrix.S
    variance = 0.09 * 290 + 0.925**2 * 300 + 1
    assert S.diagonal() == pytest.approx([291.0] * 4 + [301.0] * 4 + [variance + 1] * 2)
    assert S[0, 1] == 290.0
    assert S[0, 4] == 0.0
    assert S[0, 8] == pytest.approx(-0.3 * 290)
    assert S[4, 8] == pytest.approx(0.925 * 300)
    assert S[8, 9] == pytest.approx(variance)


def test_the_spike_is_there():
    problem = api.load("spiked", n=60, m=6000, seed=3)
    assert np.array_equal(problem.matrix.S, api.load("spiked", n=60, m=6000, seed=3).matrix.S)
    x = api.solve(problem, "bca_continuation", settings={"lam": 0.1}).x
    assert np.count_nonzero(x) == 6
    assert problem.variance(x) == pytest.approx(2.0, rel=0.1)
    with pytest.raises(InputError, match="share"):
        api.load("spiked", share=-1.0)
