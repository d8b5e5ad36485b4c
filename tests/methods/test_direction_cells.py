"""Cells of directions find the optimum of a low-rank matrix, as brute force does."""

from collections import deque

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.methods.exact_search import direction_cells
from spcabench.methods.exact_search.branch_and_bound import Exact
from spcabench.methods.exact_search.direction_cells import Cells
from tests import problems

SIGNS = pytest.mark.parametrize("nonnegative", [False, True])


def _small_rank(seed, n=8):
    """Return V V' + r I of rank one to four, with ties in every third matrix, and V, r."""
    rng = np.random.default_rng(seed)
    V = rng.standard_normal((n, 1 + seed % 4))
    if seed % 3 == 0:
        V = np.round(V)
        V[0] = 1.0
    return V @ V.T, V


@SIGNS
@pytest.mark.parametrize("seed", problems.some(4, range(12)))
def test_the_bound_is_never_below_the_optimum_and_meets_it(seed, nonnegative):
    S, V = _small_rank(seed)
    for k in (1, 3, 6):
        optimum, best = problems.optimum(S, k, nonnegative), 0.0

        def best_with(W, S=S):
            nonlocal best
            B = S[np.ix_(W, W)]
            value = problems.copositive(B) if nonnegative else np.linalg.eigvalsh(B)[-1]
            best = max(best, float(value))
            return best

        cells = Cells(V, 0.0, k, nonnegative, best_with)
        bounds = [cells.bound for _ in cells.run(1e-9)] + [cells.bound]
        assert min(bounds) >= optimum * (1 - 1e-12)
        assert bounds == sorted(bounds, reverse=True)
        assert cells.bound <= optimum * (1 + 2e-9)


@SIGNS
@pytest.mark.parametrize("seed", problems.some(2, range(4)))
@pytest.mark.parametrize("noise", [0.0, 2.0])
def test_the_exact_search_uses_them(seed, noise, nonnegative, monkeypatch):
    """The search runs without its tree and dual search; adding a multiple of the identity is
    harmless.
    """
    monkeypatch.setattr(Exact, "_settle", lambda *_: iter(()))
    S = _small_rank(seed)[0] + noise * np.eye(8)
    search = Exact(S.diagonal().copy(), lambda W: S[np.ix_(W, W)], 5, 1.0, True, 0, nonnegative)
    deque(search.incumbents(), maxlen=0)
    deque(search.run(), maxlen=0)
    for k in range(2, 6):
        assert search.value[k] == pytest.approx(problems.optimum(S, k, nonnegative), rel=3e-9)
        assert search.proven(k)


def test_where_all_directions_tie_the_search_ends():
    """With equal eigenvalues and k = n, every direction of the plane is optimal."""
    S = np.diag([1.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    result = api.solve(Problem.from_covariance(S), "branch_and_bound", k=6)
    assert result.variance == pytest.approx(1.0)
    assert result.bound == pytest.approx(1.0)


def test_many_cells_are_given_up(monkeypatch):
    monkeypatch.setattr(direction_cells, "MOST_CELLS", 50)
    V = np.linalg.qr(np.random.default_rng(0).standard_normal((6, 4)))[0]
    cells = Cells(V, 0.0, 6, False, lambda W: 1.0)
    assert len(list(cells.run(1e-9))) < 20
    assert 1.0 <= cells.bound < 4.0
