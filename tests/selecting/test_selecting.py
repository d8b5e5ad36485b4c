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
from spcabench.selecting.selection import CRITERIA, _cardinalities, _warning

SPIKED = table.draw(5, 4, 2000)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_planted_size_is_found_within_one(criterion):
    selection = spcabench.select(SPIKED, range(1, 16), criterion)
    assert abs(selection.k - 5) <= 1
    assert selection.result.cardinality == selection.k and f"k = {selection.k}" in selection.reason
    frame = selection.to_frame()
    drawn = selection.plot().axes[0]
    assert drawn.lines[-1].get_xdata()[0] == selection.k
    shown = [column for column in frame if "error" not in column]
    shown = shown[1:] if criterion == "stability" else shown
    for container, column in zip(drawn.containers, shown, strict=True):
        assert container.lines[0].get_ydata() == pytest.approx(100.0 * frame[column])


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_numbers_are_shares_and_depend_on_neither_scale_nor_storage(criterion):
    X, ks = SPIKED[:100], [8, 2, 4, 6]
    selection, again = (spcabench.select(X, ks, criterion, resamples=5) for _ in range(2))
    first = selection.to_frame()
    pd.testing.assert_frame_equal(first, again.to_frame())
    assert list(first.index) == [2, 4, 6, 8] and first.notna().to_numpy().all()
    total = Problem.from_data(X).covariance.diagonal().sum()
    variances = [result.variance for result in selection.results]
    assert first["share"].to_numpy() * total == pytest.approx(variances)
    assert first["share"].is_monotonic_increasing and 0.0 < first["share"].max() < 1.0
    if "bound" in first:
        assert (first["bound"] >= first["share"] * (1 - 1e-9)).all() and first["bound"].max() <= 1.0
    for other in (1e3 * X, sp.csr_array(X)):
        same = spcabench.select(other, ks, criterion, resamples=5).to_frame()
        np.testing.assert_allclose(same, first, rtol=1e-6, atol=1e-9)


def test_held_out_variance_is_that_of_samples_that_were_not_fitted():
    rng = np.random.default_rng(0)
    Z = np.linalg.qr(rng.standard_normal((50, 3)))[0]
    X = SPIKED[:103] + 1.0
    for center, as_given in ((True, np.asarray), (True, sp.csr_array), (False, sp.csr_array)):
        samples, seen = Samples(Problem.from_data(as_given(X), center=center, divisor="1")), []
        for fitted, rest in samples.folds(10, 0):
            assert not {*fitted} & {*rest} and len(fitted) + len(rest) == len(X)
            seen += [*rest]
            centred = X[rest] - (X[fitted].mean(axis=0) if center else 0.0)
            expected = ((centred @ Z) ** 2).sum(axis=0) / (centred**2).sum()
            np.testing.assert_allclose(samples.shares(fitted, rest, Z), expected)
            part = samples.problem(fitted)
            spread = X[fitted] - (X[fitted].mean(axis=0) if center else 0.0)
            np.testing.assert_allclose(part.covariance.diagonal(), (spread**2).sum(axis=0))
        assert sorted(seen) == list(range(len(X)))
        halves = [tuple(half) for half in samples.halves(20, 0)]
        assert {len({*half}) for half in halves} == {51} and len({*halves}) == 20
        assert {*np.concatenate(halves)} == {*range(103)}


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
    assert verdict.columns["held_out"] == pytest.approx([0.1, 0.35, 1.07 / 3.0])
    assert verdict.columns["held_out_error"][1] == pytest.approx(0.0088192, rel=1e-4)
    rows = iter(shares + [[0.0, -0.01, 0.0]] * 3)
    assert criteria.held_out(samples, [1, 2, 3], lambda part: part.m, 3, 0).chosen == 2


def test_the_elbow_is_the_point_farthest_above_the_line_between_the_ends():
    ks = [2, 3, 5, 9, 14]
    results = spcabench.path(SPIKED, "tpower", ks)
    for seed in range(20):
        shares = np.sort(np.random.default_rng(seed).random(5))
        above = shares - np.interp(ks, [2, 14], shares[[0, -1]])
        assert criteria.certified(results, ks, shares, 1e3).chosen == above.argmax()
    assert criteria.certified(results, ks, np.ones(5), 1e3).chosen == 0


def test_stability_compares_the_unbiased_variances_with_those_of_random_supports(monkeypatch):
    supports = np.random.default_rng(1).random((4, 9)) < 0.4
    share = supports.mean()
    expected = 1.0 - supports.var(axis=0, ddof=1).mean() / (share * (1.0 - share))
    assert criteria._stability(supports)[0] == pytest.approx(expected)
    assert np.isnan(criteria._stability(np.ones((4, 9)))[0])
    # of 1, .92, .95 and .1 with errors of .06, the third is the last as good as the best
    measured = iter([(1.0, 0.06), (0.92, 0.0), (0.95, 0.0), (0.1, 1.0)])
    monkeypatch.setattr(criteria, "_stability", lambda supports: next(measured))
    samples = Samples(Problem.from_data(SPIKED[:9]))
    verdict = criteria.stability(samples, [1, 2, 3, 4], lambda part: np.ones((50, 4)), 2, 0)
    assert verdict.chosen == 2 and verdict.columns["stability"][1] == 0.92


def test_the_standard_error_of_the_stability_is_that_of_a_jackknife():
    rng = np.random.default_rng(0)
    M, chances = 400, np.repeat([0.02, 0.98], 4)
    sizes = rng.uniform(0.2, 1.0, (M, 1))  # supports of different sizes
    supports = rng.random((M, 8)) < chances * sizes
    error = criteria._stability(supports)[1]
    without = [criteria._stability(np.delete(supports, i, axis=0))[0] for i in range(M)]
    assert error == pytest.approx(np.sqrt((M - 1) * np.var(without)), rel=0.02)


def test_all_small_and_some_large_cardinalities_are_tried():
    assert _cardinalities(None, 7) == [*range(1, 8)]
    tried = _cardinalities(None, 1000)
    assert tried[:10] == [*range(1, 11)] and tried[-1] == 100
    assert _cardinalities([3, 1, 3], 5) == [1, 3]
    ends = {k: _warning(k, [2, 3, 4], 5) for k in (2, 3, 4)}  # further ones could be better
    assert "smaller" in ends[2] and not ends[3] and "larger" in ends[4]
    assert not _warning(1, [1, 5], 5) + _warning(5, [1, 5], 5)


def test_a_covariance_allows_the_certified_path_alone():
    pitprops = spcabench.load("pitprops")
    assert 1 <= spcabench.select(pitprops, criterion="certified").k <= 13
    second = spcabench.solve(sp.csr_array(SPIKED[:50]), "tpower", n_components=2, k=5)[1].problem
    for problem, message in ((pitprops, "has no samples"), (second, "component was removed")):
        for criterion in ("heldout", "stability"):
            with pytest.raises(InputError, match=message):
                spcabench.select(problem, [2, 4], criterion=criterion)


def test_nonnegative_loadings_are_chosen_among_nonnegative_ones():
    selection = spcabench.select(SPIKED, [2, 5, 8], nonnegative=True)
    assert all((result.x >= 0).all() for result in selection.results)


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
        assert (substitutes.loss < 0.05).all()
        assert substitutes.groupby("variable").size().le(5).all()
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


@pytest.mark.parametrize("m", [4, 9, 19, 25])
def test_few_samples_have_fewer_folds(m):
    X = np.random.default_rng(m).standard_normal((m, 5))
    selection = spcabench.select(X, k=[1, 2])
    assert selection.k in (1, 2) and f"over {min(m // 2, 10)} folds" in selection.reason
    with pytest.raises(InputError, match="X: 3 samples"):
        spcabench.select(X[:3], k=[1, 2])
    with pytest.raises(InputError, match=f"from 2 to m / 2 = {m // 2}"):
        spcabench.select(X, k=[1, 2], folds=m // 2 + 1)
    with pytest.raises(InputError, match="at least 2 resamples and 4 samples"):
        spcabench.select(X[:3], k=[1, 2], criterion="stability")
    same = np.vstack([np.ones((5, 3)), np.eye(3)])  # explain nothing
    shares = Samples(Problem.from_data(same)).shares(np.arange(3), np.arange(3, 5), np.eye(3))
    assert not shares.any()
