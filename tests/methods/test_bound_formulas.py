"""The bounds by formulas are those of their definitions, and no optimum exceeds them."""

import numpy as np
import pytest

from spcabench.methods import bound_formulas
from tests import problems
from tests.problems import FAMILIES


@pytest.mark.parametrize("family", problems.some(5, FAMILIES))
def test_formulas_are_their_definitions_and_bound_every_cardinality(family):
    S = problems.explicit(problems.problem(family, 2)[0])
    n, rows = len(S), bound_formulas.falling(S)
    gershgorin, frobenius = bound_formulas.gershgorin(rows), bound_formulas.frobenius(rows)
    soft, cheap = bound_formulas.soft_threshold_bounds(S, rows), bound_formulas.cheap(S)
    top = np.abs(S - np.diag(S.diagonal())).max()
    cuts = [np.clip(S, -rho, rho) for rho in top * 0.6 ** np.arange(8)]
    for k in range(1, n + 1):
        largest = np.sort(np.abs(S), axis=1)[:, n - k :]
        assert gershgorin[k - 1] == pytest.approx(largest.sum(axis=1).max())
        squares = np.sort((largest**2).sum(axis=1))[n - k :]
        assert frobenius[k - 1] == pytest.approx(np.sqrt(squares.sum()))
        discs = [np.sort(np.abs(cut), axis=1)[:, n - k :].sum(axis=1).max() for cut in cuts]
        tops = [np.linalg.eigvalsh(S - cut)[-1] for cut in cuts]
        assert soft[k - 1] == pytest.approx(np.add(tops, discs).min())
        smallest = min(gershgorin[k - 1], frobenius[k - 1], soft[k - 1], np.linalg.eigvalsh(S)[-1])
        assert cheap[k - 1] == pytest.approx(smallest)
        assert problems.optimum(S, k) <= cheap[k - 1] * (1 + 1e-12)


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_cells_bound_every_cardinality_and_many_of_them_closely(d, nonnegative):
    V = np.random.default_rng(d).standard_normal((7, d))
    best = [problems.optimum(V @ V.T, k, nonnegative) + 0.3 for k in range(1, 8)]
    few, many = (bound_formulas.spannogram(V, 0.3, nonnegative, count) for count in (30, 3000))
    assert (few >= np.array(best) * (1 - 1e-12)).all()
    assert (many >= np.array(best) * (1 - 1e-12)).all() and (many <= np.array(best) * 1.01).all()
