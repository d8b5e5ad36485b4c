"""The datasets: published facts about them, and messages if they are not available."""

import numpy as np
import pytest

from spcabench import api, registry
from spcabench.comparison import suite
from spcabench.readers import corpus
from tests.problems import some


def test_gaussian_data_repeat_by_seed():
    a, b, c = (api.load("gaussian", m=20, n=10, seed=s).data.X for s in (1, 1, 2))
    assert np.array_equal(a, b)
    assert not np.array_equal(a, c)
    assert a.shape == (20, 10)
    assert abs(np.mean(api.load("gaussian", m=400, n=100).data.X)) < 0.02


def test_pitprops_is_the_published_correlation_matrix():
    problem = api.load("pitprops")
    S = problem.matrix.S
    w = np.linalg.eigvalsh(S)[::-1]
    assert len(problem.features) == problem.n == 13
    assert np.array_equal(S, S.T)
    assert np.array_equal(S.diagonal(), np.ones(13))
    assert np.abs(S - np.eye(13)).max() < 1.0
    assert w[-1] > 0
    assert w.sum() == pytest.approx(13)
    assert w[:2] == pytest.approx([4.219, 2.378], abs=5e-4)  # Jeffers (1967), Table 3
    assert not problem.stand_in


def test_a_stand_in_says_so(data_folder):
    problem = api.load_or_stand_in("singh")
    assert problem.stand_in
    assert "stand-in" in problem.name
    assert (problem.m, problem.n) == (569, 30)
    assert np.allclose(problem.covariance.diagonal(), 569)  # scaled to unit variance
    assert len(problem.labels) == 569


SMALL = {"simulated_corpus": dict(m=300, n=200), "generated_text": dict(m=300, n=200)}


@pytest.mark.parametrize("name", registry.names("dataset"))
def test_every_dataset_can_be_had_without_a_network(data_folder, monkeypatch, name):
    monkeypatch.setattr(corpus, "PACKAGES", ("joblib",))  # all of them are half a minute's parsing
    problem = api.load_or_stand_in(name, **SMALL.get(name, {}))
    assert problem.n >= 1
    assert problem.provenance["source"]
    assert isinstance(problem.provenance["stand_in"], bool)


def test_the_real_file_where_it_is_at_hand(real_data):
    real_data("singh")
    problem = api.load_or_stand_in("singh")
    assert not problem.stand_in
    assert (problem.m, problem.n) == (102, 12600)
    assert sorted(problem.labels.count(label) for label in set(problem.labels)) == [50, 52]
    assert np.abs(problem.data.X.mean(axis=0)).max() < 1e-8


@pytest.mark.parametrize(
    ("of", "settings"), [("gaussian", dict(m=50, n=8)), ("random_sparse", dict(m=50, n=8))]
)
def test_rows_that_are_drawn_again_are_rows_of_the_data(of, settings):
    drawn = api.load_or_stand_in("bootstrap", of=of, given=settings, seed=3)
    original = api.load(of, **settings)
    rows = original.data.X.toarray() if original.data.sparse else original.data.dense()
    samples = drawn.data.dense() * np.sqrt(50)
    # distances between rows do not depend on the centre
    old, new = (np.linalg.norm(R[:, None] - R[None], axis=2) for R in (rows, samples))
    assert (np.abs(new.ravel()[:, None] - old.ravel()).min(axis=1) < 1e-9).all()
    assert (new[~np.eye(50, dtype=bool)] < 1e-9).any()  # some row was drawn twice


def test_of_a_covariance_normal_rows_are_drawn():
    S = api.load("pitprops").matrix.S
    original, drawn = api.load("pitprops"), api.load("bootstrap", of="pitprops", samples=20000)
    order = [drawn.features.index(name) for name in original.features]
    assert order != sorted(order)  # an answer cannot be stored by the places of its variables
    assert np.abs(drawn.covariance[np.array(order)].B - S).max() < 0.06


@pytest.mark.parametrize(
    ("of", "settings"),
    [("gaussian", dict(m=50, n=8)), ("random_sparse", dict(m=50, n=8)), ("pitprops", {})],
)
def test_random_factors_change_the_scale_of_each_variable_alone(of, settings):
    plain, scaled = (
        api.load_or_stand_in("bootstrap", of=of, given=settings, spread=spread, seed=3)
        for spread in (0.0, 0.5)
    )
    S, T = (problem.given_as("covariance").matrix.S for problem in (plain, scaled))
    factors = np.sqrt(T.diagonal() / S.diagonal())
    assert np.allclose(T, S * np.outer(factors, factors))
    assert len({*factors}) == len(S) and 0.1 < np.log(factors).std() < 1.5


@pytest.mark.parametrize("name", ["pit props", "leukemia", "spectra"])
def test_a_problem_that_is_drawn_again_keeps_its_form_and_size(name):
    (item,) = [item for item in suite.ITEMS if item.name == name]
    drawn, original = (
        api.load_or_stand_in(i.dataset, **i.parameters) for i in (suite.fresh_of(item, 5, 0), item)
    )
    assert (drawn.form, drawn.n, drawn.m) == (original.form, original.n, original.m)


def test_the_variables_of_a_fresh_sample_are_those_of_largest_variance():
    full, few = (
        api.load_or_stand_in("bootstrap", of="alon", seed=1, **more).covariance.diagonal()
        for more in ({}, {"variables": 20})
    )
    assert np.allclose(np.sort(few), np.sort(full)[-20:])


PUBLISHED = registry.module("dataset", "published")


@pytest.mark.parametrize("name", PUBLISHED.TABLES)
def test_a_published_matrix_is_what_its_papers_say(name):
    table = PUBLISHED.TABLES[name]
    if table.key and table.file.endswith(".jld"):
        pytest.importorskip("h5py")
    problem = api.load_or_stand_in("published", name=name)
    if problem.stand_in:
        pytest.skip(f"{table.file} is not at hand: `spcabench data` says where to get it")
    S = problem.matrix.S
    assert problem.n == table.n
    assert np.array_equal(S, S.T)
    assert np.allclose(S.diagonal(), 1.0) == table.correlation
    np.linalg.cholesky(S + 1e-7 * np.abs(S).max() * np.eye(table.n))  # fails if S is indefinite


@pytest.mark.parametrize("name", some(10, [*PUBLISHED.TABLES]))
def test_a_published_matrix_that_cannot_be_had_is_replaced(name, data_folder, monkeypatch):
    monkeypatch.setenv("SPCABENCH_OFFLINE", "1")
    problem = api.load_or_stand_in("published", name=name)
    table = PUBLISHED.TABLES[name]
    assert problem.stand_in == bool(table.file)
    assert ("stand-in" in problem.name) == bool(table.file)
    assert problem.n == table.n
    assert np.allclose(problem.matrix.S.diagonal(), 1.0) == table.correlation


def test_a_simulated_corpus_is_as_unequal_as_the_news_that_it_is_calibrated_on():
    # KOS and the Associated Press: entries a row, counts an entry, and variance over mean by rank
    X = api.load("simulated_corpus", m=4000, n=8000).data.X
    mean = X.mean(axis=0)
    dispersion = np.asarray((X**2).mean(axis=0) - mean**2) / np.maximum(mean, 1e-300)
    assert 200 < X.nnz / 4000 < 260  # a file of 1 GB at NYTimes' size
    assert 1.3 < X.sum() / X.nnz < 1.5  # 1.32 and 1.44
    assert 1.2 < np.median(dispersion[1000:5000]) < 1.6  # 1.26 and 1.51
    assert np.median(dispersion[:10]) > np.median(dispersion[10:100]) > 1.8  # longer documents here
