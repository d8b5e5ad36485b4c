"""Figures 3 to 6 of Asteris et al. (2014), and the algorithms beside brute force."""

import numpy as np
import pytest

from spcabench.figures import _asteris2014 as shared
from spcabench.figures import asteris2014_exact as exact
from spcabench.figures import asteris2014_fig1 as fig1
from spcabench.figures import asteris2014_fig3 as fig3
from tests import trial

KS = (1, 20, 50, 90, 180, 361)
COMMON = dict(problem="made up", stand_in=False, seed=0, lambda_1=2.0)


def _rows(value=0.5, ratio=1.0, dataset="cbcl", label="main", n=361):
    """Return rows of both methods: Algorithm 3 has variance ``value``, EM that over ``ratio``."""
    about = dict(dataset=dataset, label=label, n=n, parameters={}, settings={}, extra={}, bound=2.0)
    certificate = dict(q=2.0 * 0.9 * value, lambda_next=0.2)
    return [
        COMMON | about | dict(solver=solver, k=k, cardinality=k, variance=2.0 * of) | more
        for k in KS
        if k <= n
        for solver, of, more in (
            ("spannogram", value, certificate),
            ("em", value / ratio, dict(settings=dict(starts="signed"))),
        )
    ]


def _mine(*args, **options):
    return shared.data(trial.table(_rows(*args, **options))).mine


def test_the_bounds_are_those_of_the_paper_and_at_most_lambda_1():
    mine = _mine(0.1)
    assert mine.upper.to_numpy() == pytest.approx(0.9 * 0.1 / 0.9 + 0.1)
    assert mine.explained.to_numpy() == pytest.approx(50)
    k = mine.k.to_numpy()
    rho = np.maximum(k / 722, 1 / (1 + 2 * 361 / k * 0.1))
    apriori = 0.1 / (0.9 * rho)
    assert mine.tighter.to_numpy() == pytest.approx(0.2 / apriori)
    assert mine.capped.to_numpy() == pytest.approx(0.2 / np.minimum(apriori, 1.0))
    assert apriori.min() < 1.0 < apriori.max()
    assert (_mine(1.0)[["upper", "capped"]] == 1.0).all(axis=None)


@pytest.mark.parametrize(("ratio", "percent"), [(1.01, 1), (0.99, 1), (0.9, 10), (1 + 1e-9, 1e-7)])
def test_both_methods_are_compared_at_equal_k(ratio, percent):
    mine = _mine(ratio=ratio)
    assert mine["signed apart"].to_numpy() == pytest.approx(percent, rel=1e-6)
    assert mine["signed ratio"].to_numpy() == pytest.approx(
        ratio if percent > 1e-4 else 1.0, abs=1e-12
    )
    alone = shared.data(trial.table(_rows()[::2])).mine  # a tie with a missing run is none
    assert alone[["signed ratio", "signed apart"]].isna().all(axis=None)


def test_the_better_one_of_two_rivals_is_the_state_of_the_art():
    nspca = [row | dict(solver="nspca", variance=1.1) for row in _rows()[1::2]]
    missed = nspca[0] | dict(cardinality=nspca[0]["cardinality"] + 1)
    mine = shared.data(trial.table([*_rows(), missed, *nspca[1:]])).mine
    # NSPCA has 1.1 / 2 of lambda_1, but its search missed the first k
    assert mine["signed beside"].tolist() == pytest.approx([1.0] + [0.5 / 0.55] * (len(mine) - 1))


def test_neighbours_are_pairs_side_by_side():
    side = fig3.SIDE
    block = np.array([0, 1, side, side + 1])
    assert fig3.neighbours(block) == 4
    assert fig3.neighbours(np.array([side - 1, side])) == 0  # end of a row, start of the next
    assert fig3.neighbours(np.arange(side**2)) == 2 * side * (side - 1)


def test_compact_is_what_lies_closer_together_than_pixels_in_reading_order():
    square = np.add.outer(fig3.SIDE * np.arange(6), np.arange(6)).ravel()
    rng = np.random.default_rng(0)
    assert fig3.compactness(square) < 0.25
    assert fig3.compactness(square) == pytest.approx(fig3.compactness(square + 7))  # elsewhere
    assert all(fig3.compactness(np.arange(a, a + 40)) >= 1 for a in range(0, 300, 20))
    assert all(fig3.compactness(rng.permutation(361)[:40]) > 1.5 for _ in range(4))


def _small(share=0.9):
    """Return runs on a matrix of full rank and on one of rank 2, whose optima are 2."""
    settings = dict(k=exact.K)
    full = COMMON | dict(dataset="gaussian", label="full rank", parameters=dict(seed=0), n=exact.N)
    low = COMMON | dict(dataset="low_rank", label="rank d", parameters=dict(seed=0), n=exact.N)
    yield full | dict(measure="eigenvalues", settings={}, extra=dict(w=[1.0, *[0.5] * 9]))
    for of in (full, low):
        yield of | dict(solver="brute_force", settings=settings, extra={}, variance=2.0)
    for problem, ranks in ((full, (1, 2, 3)), (low, (2,))):
        for d in ranks:
            mine = dict(solver="spannogram_exact", settings=settings | dict(d=d), extra={})
            yield problem | mine | dict(variance=2.0 * share)


def test_the_guarantee_is_compared_with_the_share_that_is_reached():
    (reading,) = exact.A12.judge(exact.data(trial.table([*_small(0.9)])))["readings"]
    # lambda_2 is half of lambda_1: the second term of Theorem 1 is 1 / (1 + 2 * 10 / 4 * 0.5)
    assert [p["value"] for p in reading["places"]] == pytest.approx([1 / 3.5 / 0.9] * 3)


def test_the_support_changes_where_two_of_the_curves_and_zero_meet():
    V = np.random.default_rng(3).standard_normal((4, 2))
    points = fig1.meetings(V)
    assert len(points) == 10 and (np.diff(points[:, 0]) >= 0).all()
    for phi, value in points:
        curves = [*(V @ [np.sin(phi), np.cos(phi)]), 0.0]
        assert np.isclose(curves, value).sum() == 2
    for phi in np.linspace(-1.5, 1.5, 7):
        v = V @ [np.sin(phi), np.cos(phi)]
        for sign, support in zip((1, -1), fig1.supports(V, phi), strict=True):
            largest = [i + 1 for i in np.argsort(-sign * v) if sign * v[i] > 0][: fig1.K]
            assert sorted(largest) == [*support]
