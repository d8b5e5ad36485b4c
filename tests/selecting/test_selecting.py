"""Selecting the number of variables: the three criteria, their numbers and their error messages."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import spcabench
from docs.tables import choosing_k as table
from spcabench.errors import InputError
from spcabench.problem.problem import Problem
from spcabench.selecting import criteria
from spcabench.selecting.samples import Samples
from spcabench.selecting.selection import CRITERIA
from tests.problems import some

SPIKED = table.draw(5, 4, 2000)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_planted_size_is_found_within_one(criterion):
    selection = spcabench.select(SPIKED, range(1, 16), criterion)
    assert abs(selection.k - 5) <= 1
    assert selection.result.cardinality == selection.k and f"k = {selection.k}" in selection.reason
    assert selection.plot().axes[0].lines[-1].get_xdata()[0] == selection.k


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_numbers_are_shares_and_repeat(criterion):
    first, second = (
        spcabench.select(SPIKED[:200], range(1, 9), criterion, resamples=5) for _ in range(2)
    )
    frame = first.to_frame()
    pd.testing.assert_frame_equal(frame, second.to_frame())
    assert list(frame.index) == list(range(1, 9)) and frame.notna().to_numpy().all()
    assert frame["share"].is_monotonic_increasing and 0 < frame["share"].max() < 1
    if "bound" in frame:
        assert (frame["bound"] >= frame["share"] * (1 - 1e-9)).all()


@pytest.mark.parametrize("criterion", some(1, CRITERIA))
def test_scale_order_and_storage_of_the_data_change_no_choice(criterion):
    X = SPIKED[:100]
    expected = spcabench.select(X, [2, 4, 6], criterion).to_frame()
    for other in (1e3 * X, sp.csr_array(X)):
        table = spcabench.select(other, [2, 4, 6], criterion).to_frame()
        np.testing.assert_allclose(table, expected, rtol=1e-6, atol=1e-9)


def test_held_out_variance_is_that_of_samples_that_were_not_fitted():
    samples = Samples(Problem.from_data(SPIKED))
    rng = np.random.default_rng(0)
    Z = np.linalg.qr(rng.standard_normal((50, 3)))[0]
    seen = []
    for fitted, rest in samples.folds(10, 0):
        assert not {*fitted} & {*rest} and len(fitted) + len(rest) == len(SPIKED)
        seen += [*rest]
        centred = SPIKED[rest] - SPIKED[fitted].mean(axis=0)
        expected = ((centred @ Z) ** 2).sum(axis=0) / (centred**2).sum()
        np.testing.assert_allclose(samples.shares(fitted, rest, Z), expected)
    assert sorted(seen) == list(range(len(SPIKED)))


def test_the_rule_of_one_standard_error_takes_the_smallest_that_is_near(monkeypatch):
    shares = np.array([[0.1, 0.30, 0.31], [0.1, 0.40, 0.39], [0.1, 0.35, 0.37]])  # folds x ks
    rows, samples = iter(shares), Samples(Problem.from_data(SPIKED))
    m = samples.m

    def seen(fitted, rest, Z):
        assert len(fitted) > m / 2 and {*fitted} | {*rest} == {*range(m)} and len(fitted) == Z
        return next(rows)

    monkeypatch.setattr(samples, "shares", seen)
    verdict = criteria.held_out(samples, [1, 2, 3], lambda part: part.m, 3, 0)
    assert verdict.chosen == 1  # .35 and .357 differ by .007, with a standard error of .009


def test_the_elbow_is_the_point_farthest_above_the_line_between_the_ends():
    ks = [2, 3, 5, 9, 14]
    results = spcabench.path(SPIKED, "tpower", ks)
    for seed in range(20):
        shares = np.sort(np.random.default_rng(seed).random(5))
        above = shares - np.interp(ks, [2, 14], shares[[0, -1]])
        assert criteria.certified(results, ks, shares, 1e3).chosen == above.argmax()


def test_stability_compares_the_unbiased_variances_with_those_of_random_supports():
    supports = np.random.default_rng(1).random((4, 9)) < 0.4
    share = supports.mean()
    expected = 1.0 - supports.var(axis=0, ddof=1).mean() / (share * (1.0 - share))
    assert criteria._stability(supports)[0] == pytest.approx(expected)


def test_a_covariance_allows_the_certified_path_alone():
    pitprops = spcabench.load("pitprops")
    assert 1 <= spcabench.select(pitprops, criterion="certified").k <= 13
    for criterion in ("heldout", "stability"):
        with pytest.raises(InputError, match="has no samples"):
            spcabench.select(pitprops, criterion=criterion)


def test_nonnegative_loadings_are_chosen_among_nonnegative_ones():
    selection = spcabench.select(SPIKED, [2, 5, 8], nonnegative=True)
    assert all((result.x >= 0).all() for result in selection.results)


def test_deflated_data_are_refused():
    sparse = Problem.from_data(sp.csr_array(SPIKED))
    second = spcabench.solve(sparse, "tpower", n_components=2, k=5)[1].problem
    with pytest.raises(InputError, match="component was removed"):
        spcabench.select(second)


@pytest.mark.parametrize("nonnegative", [False, True])
def test_substitutes_are_those_that_all_swaps_find(nonnegative):
    rng = np.random.default_rng(1)
    X = np.abs(rng.standard_normal((40, 3))) @ np.abs(rng.standard_normal((3, 12)))
    problem = Problem.from_data(X + 0.4 * rng.standard_normal(X.shape), scale=True)
    S = problem.given_as("covariance").matrix.S
    for k in (1, 3, 5):
        result = spcabench.solve(problem, k=k, nonnegative=nonnegative)
        W, value = result.support, np.linalg.eigvalsh(S[np.ix_(result.support, result.support)])[-1]
        substitutes = result.substitutes(0.05)
        assert (substitutes.loss < 0.05).all() and substitutes.groupby("variable").size().le(
            5
        ).all()
        got = {(int(r.variable), int(r.substitute)): r.loss for r in substitutes.itertuples()}
        for i, j in [(i, j) for i in W for j in range(12) if j not in W]:
            V = np.sort([j, *W[i != W]])
            w, v = np.linalg.eigh(S[np.ix_(V, V)])
            loss = 1 - w[-1] / value
            if (i, j) in got:
                assert got[i, j] == pytest.approx(loss, abs=1e-9)
            elif loss < 0.05 and (not nonnegative or abs(v[:, -1].sum()) == abs(v[:, -1]).sum()):
                losses = [lost for (a, _), lost in got.items() if a == i]
                assert len(losses) == 5 and max(losses) <= loss + 1e-12


def test_a_copy_of_a_variable_is_its_substitute_without_loss():
    X = np.column_stack([3.0 * SPIKED[:, :1], SPIKED[:, 1:], 3.0 * SPIKED[:, 0]])
    (swap,) = spcabench.solve(X, "tpower", k=1).substitutes().itertuples()
    assert {swap.variable, swap.substitute} == {"0", "50"}
    assert (swap.loss, swap.correlation) == pytest.approx((0.0, 1.0), abs=1e-9)


@pytest.mark.parametrize("m", [4, 9, 19])
def test_few_samples_have_fewer_folds(m):
    X = np.random.default_rng(m).standard_normal((m, 5))
    selection = spcabench.select(X, k=[1, 2])
    assert selection.k in (1, 2) and f"over {m // 2} folds" in selection.reason
    with pytest.raises(InputError, match="X: 3 samples"):
        spcabench.select(X[:3], k=[1, 2])


def test_the_standard_error_of_the_stability_is_that_of_a_jackknife():
    rng = np.random.default_rng(0)
    M, chances = 1000, np.repeat([0.02, 0.98], 4)
    sizes = rng.uniform(0.2, 1.0, (M, 1))  # supports of different sizes
    supports = rng.random((M, 8)) < chances * sizes
    error = criteria._stability(supports)[1]
    without = [criteria._stability(np.delete(supports, i, axis=0))[0] for i in range(M)]
    assert error == pytest.approx(np.sqrt((M - 1) * np.var(without)), rel=0.01)


def test_samples_without_variance_explain_nothing():
    samples = Samples(Problem.from_data(np.vstack([np.ones((5, 3)), np.eye(3)])))
    same = np.arange(5)
    assert not samples.shares(same[:3], same[3:], np.eye(3)).any()
