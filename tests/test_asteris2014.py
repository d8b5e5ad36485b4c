"""Figures 3 to 6 of Asteris et al. (2014): what their claims are judged by."""

import numpy as np
import pytest

from spcabench.figures import _asteris2014 as shared
from spcabench.figures import _asteris2014_claims as judging
from spcabench.figures import asteris2014_fig3 as fig3
from spcabench.figures import asteris2014_fig4 as fig4
from spcabench.figures import asteris2014_fig5 as fig5
from tests import trial


def _rows(ratio=1.0, value=0.5):
    """Rows of both methods: Algorithm 3's variance is ``value``, EM's that over ``ratio``."""
    ks = [1, 50, 180, 361]
    rows = [
        dict(solver=s, k=k, cardinality=k, n=361, label="main", lambda_1=2.0, bound=2.0, extra={})
        for k in ks
        for s in ("spannogram", "em")
    ]
    for row in rows:
        ours = row["solver"] == "spannogram"
        row["variance"] = row["variance_refit"] = 2.0 * (value if ours else value / ratio)
        row["q"], row["lambda_next"] = (0.9 * row["variance"], 0.2) if ours else (np.nan, np.nan)
    return shared.with_bounds(trial.table(rows))


@pytest.mark.parametrize("n", [30, 93, 1000])
def test_the_grid_goes_from_one_to_n_and_through_what_the_paper_names(n):
    ks = shared.grid(n, 16, [20])
    assert {1, 20, n} <= set(ks)
    assert ks == sorted(set(ks))
    assert len(ks) <= 19


def test_the_bounds_are_those_of_the_paper():
    mine = shared.by_cardinality(_rows(), "spannogram")
    q, after = 0.9 * 0.5, 0.1
    assert mine.upper.to_numpy() == pytest.approx(q / 0.9 + after)
    assert mine.loose.to_numpy() == pytest.approx(q + after)
    assert (
        shared.by_cardinality(_rows(value=1.0), "spannogram").upper == 1.0
    ).all()  # at most lambda_1
    k = mine.index.to_numpy()
    rho = np.maximum(k / 722, 1 / (1 + 2 * 361 / k * 0.1))
    assert mine.apriori.to_numpy() == pytest.approx(0.5 / (0.9 * rho))


@pytest.mark.parametrize(
    ("ratio", "verdict"), [(1.01, "holds"), (0.99, "holds"), (1.03, "fails"), (0.9, "fails")]
)
def test_nearly_identical_is_within_two_percent(ratio, verdict):
    assert judging.similar(_rows(ratio), "value", 0.02)[0] == verdict


def test_the_explained_share_is_judged_to_the_printed_digits():
    data = _rows()
    found = judging.share(data, 180, "upper")
    assert found == pytest.approx(100 * 0.5 / 0.6)
    for percent, verdict in ((83.0, "holds"), (84.0, "fails")):
        primary = next(judging.explained(fig4.A3, data, 180, percent, 0))
        assert primary.verdict == verdict
        assert "shaded" in primary.variant
    assert next(judging.explained(fig4.A3, data, 7, 58.0, 0)).verdict == "undecided"  # no such run


def test_a_bound_is_weighed_by_the_cardinalities_that_it_stands_for():
    data = _rows()
    assert judging.lower(fig5.A7, data, "uncapped", None).verdict == "holds"  # 0.6 everywhere
    data.loc[data.k == 361, "uncapped"] = 0.95
    assert (
        judging.lower(fig5.A7, data, "uncapped", None).verdict == "fails"
    )  # half of the last gap and more
    assert judging.lower(fig5.A7, data.iloc[:2], "uncapped", None).verdict == "undecided"


def test_neighbours_are_pairs_side_by_side():
    side = fig3.SIDE
    block = np.array([0, 1, side, side + 1])
    assert fig3.neighbours(block) == 4
    assert fig3.neighbours(np.array([side - 1, side])) == 0  # end of a row, start of the next
    assert fig3.neighbours(np.arange(side**2)) == 2 * side * (side - 1)
