"""Figures 3 to 6 of Asteris et al. (2014): the data behind their statements."""

import numpy as np
import pytest

from spcabench.claims import judging
from spcabench.figures import _asteris2014 as shared
from spcabench.figures import _asteris2014_claims as judged
from spcabench.figures import asteris2014_fig3 as fig3
from spcabench.figures import asteris2014_fig4 as fig4
from spcabench.figures import asteris2014_fig5 as fig5
from tests import controls, trial
from tests.controls import _asteris2014 as made_up


def _rows(ratio=1.0, value=0.5, **changes):
    """Return rows of both methods: Algorithm 3 has variance ``value``, EM that over ``ratio``."""
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
    passes = [dict(dataset="cbcl", problem="cbcl", stand_in=False) | row | changes for row in rows]
    return shared.with_bounds(trial.table(passes))


@pytest.mark.parametrize("n", [30, 93, 1000])
def test_the_grid_goes_from_one_to_n_and_through_what_the_paper_names(n):
    ks = shared.grid(n, 16, [20])
    assert {1, 20, n} <= set(ks)
    assert ks == sorted(set(ks))
    assert len(ks) <= 19


def test_the_bounds_are_those_of_the_paper_and_at_most_lambda_1():
    own = shared.by_cardinality(_rows(value=0.1), "spannogram")
    q, after = 0.9 * 0.1, 0.1
    assert own.upper.to_numpy() == pytest.approx(q / 0.9 + after)
    assert own.loose.to_numpy() == pytest.approx(q + after)
    k = own.index.to_numpy()
    rho = np.maximum(k / 722, 1 / (1 + 2 * 361 / k * 0.1))
    assert own.apriori.to_numpy() == pytest.approx(np.minimum(0.1 / (0.9 * rho), 1.0))
    assert own.apriori.min() < 1.0
    most = shared.by_cardinality(_rows(value=1.0), "spannogram")
    assert (most[["upper", "apriori"]] == 1.0).all(axis=None)


def test_a_row_of_a_pass_says_whether_its_data_are_a_stand_in():
    names = ("k", "cardinality", "variance", "variance_refit", "q", "bound")
    extra = {name: [1.0, 2.0] for name in (*names, "lambda_next")}
    row = dict(measure="one_pass", extra=extra, stand_in=True, problem="patches", n=361)
    table = shared.unfolded(trial.table([row]))
    assert table.stand_in.tolist() == [True, True]
    assert table.problem.tolist() == ["patches", "patches"]


@pytest.mark.parametrize(
    ("ratio", "verdict"), [(1.01, "holds"), (0.99, "holds"), (1.03, "fails"), (0.9, "fails")]
)
def test_nearly_identical_is_within_two_percent(ratio, verdict):
    assert fig4.A2.judge(_rows(ratio, label="contrast-normalised"))["verdict"] == verdict


def test_what_is_explained_is_a_share_of_the_bound_and_what_is_no_bound_is_a_note():
    (reading,) = judged.explained(_rows(), 180, {"raw": "main"})
    assert reading.places[0].measured.value == pytest.approx(100 * 0.5 / 0.6)
    assert "not a bound: 90.9 %" in reading.notes[0]
    assert not list(judged.explained(_rows(), 7, {"raw": "main"}))  # no such run


def test_a_statement_on_three_data_sets_is_one():
    stored = [
        controls.judged(f"asteris2014_fig{place}", list(made_up.explained(of, percent)), "A13")
        for place, of, percent in ((4, "faces", 50), (5, "genes", 30), (6, "spectra", 60))
    ]
    assert [s["verdict"] for s in stored] == ["holds", "fails", "holds"]
    one = judging.merged(stored)
    assert one["verdict"] == "fails"
    first, second, third = (f"{name}, k = 1" for name in ("faces", "genes", "LRS"))
    labels = [place["label"] for place in one["readings"][0]["places"]]
    assert labels.index(first) < labels.index(second) < labels.index(third)


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
    assert all(fig3.compactness(np.arange(a, a + 40)) >= 1 for a in range(300))
    assert all(fig3.compactness(rng.permutation(361)[:40]) > 1.5 for _ in range(20))


def test_figure_5_goes_up_to_all_genes_and_keeps_what_low_meant():
    for label in ("main", *fig5.PREPROCESSINGS):
        (run,) = (r for r in fig5.runs("paper") if r.function and r.label == label and not r.judge)
        assert run.settings["ks"][-1] == fig5.ALL == 12582
        assert run.settings["ks"] == sorted({*run.settings["ks"]})
    assert fig5.A4.over.high == fig5.THIRD == 1000 / 3
