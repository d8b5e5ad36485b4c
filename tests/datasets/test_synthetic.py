"""Generated problems: their covariances, spikes and counts are those of their formulas."""

import numpy as np
import pytest

from spcabench import api, registry
from spcabench.errors import InputError
from tests import problems


def sigma(name, **settings):
    """Return the covariance of a generated problem; it must be the same if it is loaded again."""
    first, again = (api.load(name, **settings) for _ in range(2))
    assert np.array_equal(first.matrix.S, again.matrix.S) and not first.stand_in
    other = api.load(name, **settings, seed=1)
    assert not np.array_equal(first.matrix.S, other.matrix.S) and other.n == first.n
    return first.matrix.S


def test_spectra_are_as_stated():
    w = np.linalg.eigvalsh(sigma("decaying", n=12, power=0.5))[::-1]
    assert w == pytest.approx(np.arange(1.0, 13.0) ** -0.5)
    w = np.linalg.eigvalsh(sigma("low_rank", n=9, rank=3, sigma=0.25))
    assert w[:6] == pytest.approx(0.25) and w[6] > 0.5
    S = sigma("blocks", n=12, groups=3, correlation=0.6, noise=0.0)
    d = S.diagonal()
    assert np.sort(d) == pytest.approx(np.repeat([1 / 1.2, 1 / 1.1, 1.0], 4))
    same = np.isclose(d[:, None], d)
    expected = np.where(np.eye(12), 1.0, 0.6 * same)
    assert S / np.sqrt(np.outer(d, d)) == pytest.approx(expected)
    noise = sigma("blocks", n=12, noise=0.1) - sigma("blocks", n=12, noise=0.0)
    assert -1e-12 < np.linalg.eigvalsh(noise)[0] < 0.01 < noise.diagonal().min()


def test_spikes_are_sparse_orthogonal_and_as_strong_as_stated():
    weak, strong = (sigma("spiked", n=40, strength=strength) for strength in (1.0, 3.0))
    w, V = np.linalg.eigh((strong - weak) / 2.0)  # u u'
    assert w[-1] == pytest.approx(1.0) and w[:-1] == pytest.approx(0.0, abs=1e-12)
    assert np.sort(np.abs(V[:, -1])) == pytest.approx(np.repeat([0.0, 0.5], [36, 4]), abs=1e-9)
    assert sigma("spiked", n=20, m=20_000, strength=0.0) == pytest.approx(np.eye(20), abs=0.06)
    for overlap, shared in ((0.1, 4), (0.5, 20), (0.9, 36), (1.0, 38), (0.05, 2), (0.0, 0)):
        problem = api.load("two_spikes", n=80, count=40, overlap=overlap, strength=2.0)
        U = np.array(problem.provenance["loadings"]).T
        assert pytest.approx(np.eye(2)) == U.T @ U
        assert (np.count_nonzero(U, axis=0) == 40).all() and (U != 0.0).all(axis=1).sum() == shared
        assert pytest.approx(np.eye(80) + 2.0 * U @ U.T) == problem.matrix.S
        assert problem.provenance["support"] == np.flatnonzero(U.any(axis=1)).tolist()
    drawn = api.load("two_spikes", n=40, count=12, strength=9.0, m=20_000)
    U = np.array(drawn.provenance["loadings"]).T
    expected = np.eye(40) + 9.0 * U @ U.T
    assert pytest.approx(expected, abs=0.3) == drawn.given_as("covariance").matrix.S
    samples = api.load("spiked_samples", m=5_000, n=20, count=4, strength=4.0)
    S, W = samples.given_as("covariance").matrix.S, samples.provenance["support"]
    inside = np.isin(np.arange(20), W)
    assert len(W) == 4 and S.diagonal() == pytest.approx(np.where(inside, 2.0, 1.0), abs=0.15)
    assert np.abs(S[np.ix_(W, W)]) == pytest.approx(np.ones((4, 4)) + np.eye(4), abs=0.15)


REFUSED = {
    "overlap must be at most 1": ("two_spikes", dict(overlap=1.1)),
    "n at least the 30": ("two_spikes", dict(n=29)),
    "count: 5; it must be from 1 to n = 4": ("spiked_samples", dict(n=4, count=5)),
    "correlation: 1.1": ("blocks", dict(correlation=1.1)),
    "groups: 0": ("blocks", dict(groups=0)),
    "density: 0.0": ("random_sparse", dict(density=0.0)),
    "topics: 0": ("generated_text", dict(topics=0)),
    "s: 2": ("adversarial", dict(s=2)),
    "at least 11": ("adversarial", dict(family="covariance", s=8, n=10)),
    "patches: 1": ("natural_images", dict(patches=1)),
    "corpus: 'x'": ("bag_of_words", dict(corpus="x")),
    "words: 0": ("bag_of_words", dict(words=0)),
    "spread: -1": ("bootstrap", dict(spread=-1.0)),
    "of: 'bootstrap'": ("bootstrap", dict(of="bootstrap")),
}


@pytest.mark.parametrize("message", REFUSED)
def test_parameters_out_of_range_are_refused(message):
    name, settings = REFUSED[message]
    with pytest.raises(InputError, match=message):
        api.load(name, **settings)


@pytest.mark.parametrize("family", registry.module("dataset", "adversarial").FAMILIES)
def test_the_support_of_an_adversarial_problem_is_optimal(family):
    settings = dict(family=family, s=4)
    S, problem = sigma("adversarial", **settings), api.load("adversarial", **settings)
    W = problem.provenance["support"]
    w = np.linalg.eigvalsh(S)[::-1]
    value = np.linalg.eigvalsh(S[np.ix_(W, W)])[-1]
    assert value == pytest.approx(problems.optimum(S, len(W))) == pytest.approx(w[0])
    assert len(W) == (2 if family == "deflation" else 4)
    if family in ("diagonal", "covariance", "greedy", "deflation"):
        assert w[0] == pytest.approx(10.0 if family == "deflation" else 1.0)
        assert w[1] <= 0.9001 * w[0] or family == "deflation"
    outside = np.setdiff1d(np.arange(len(S)), W)
    fooled = {
        "diagonal": lambda: S.diagonal()[outside].min() > S.diagonal()[W].max(),
        "covariance": lambda: (
            np.abs(S - np.diag(S.diagonal()))[outside].max()
            > np.abs(S - np.diag(S.diagonal()))[W].max()
        ),
        "greedy": lambda: any(
            np.abs(S[i, outside]).max() > np.delete(np.abs(S[i, W]), j).max()
            for j, i in enumerate(W)
        ),
        "deflation": lambda: w[:3] == pytest.approx([10.0, 1.0, 0.9]),
        "equal": lambda: w[:3] == pytest.approx([2.5, 2.5, 0.5]),
        "negative": lambda: value == pytest.approx(problems.optimum(S, 2)) == pytest.approx(1.25),
        "tied": lambda: w[:4] - 2.5 == pytest.approx(3e-6 * np.arange(3.0, -1.0, -1.0), abs=1e-9),
    }
    assert fooled[family]()
    more = api.load("adversarial", **settings, n=30).matrix.S
    assert (more.diagonal() == 0.0).sum() == 30 - len(S)
    drawn = api.load("adversarial", **settings, m=20_000).given_as("covariance").matrix.S
    assert drawn == pytest.approx(S, abs=0.06 * w[0])


def test_generated_data_have_their_density_and_words_zipfs_law():
    gaussian = api.load("gaussian", m=400, n=100).data.X
    assert gaussian.shape == (400, 100) and abs(gaussian.mean()) < 0.02
    assert gaussian.std() == pytest.approx(1.0, abs=0.02)
    X = api.load("random_sparse", m=500, n=100, density=0.1).data.X
    assert X.nnz == pytest.approx(5000, abs=200) and X.data.std() == pytest.approx(1.0, abs=0.05)
    text = api.load("generated_text", m=2000, n=100, topics=4)
    documents = np.diff(text.data.X.indptr)
    share = np.minimum(8.0 / np.arange(1, 101), 0.5)
    assert documents[16:] / 2000 == pytest.approx(1.5 * share[16:], rel=0.35)
    assert documents[:16].min() > 990 and text.data.X.data.mean() == pytest.approx(
        1 / 0.6, abs=0.02
    )
    S = text.given_as("covariance").matrix.S[20:, 20:]
    topics = np.arange(80) % 4
    same = (topics[:, None] == topics) & ~np.eye(80, dtype=bool)
    assert S[same].mean() > 5.0 * abs(S[topics[:, None] != topics].mean())


def test_examples_have_the_random_numbers_of_r():
    examples = registry.module("dataset", "r_examples")
    assert examples.rnorm(1234, 2) == pytest.approx([-1.2070657, 0.2774292], abs=1e-7)
    assert examples.rnorm(10, 1) == pytest.approx([0.01874617], abs=1e-8)
    X = examples.eespca()
    expected = np.eye(10)
    for block in (slice(0, 4), slice(8, 10)):
        expected[block, block] += 0.5 * (1.0 - np.eye(10)[block, block])
    normal = examples.rnorm(2, 1000).reshape(10, 100).T
    root = np.linalg.lstsq(normal, X)[0]
    assert root.T @ root == pytest.approx(expected, abs=1e-6)
    S = np.cov(examples.sparsepca().T)
    assert np.sqrt(S.diagonal()) == pytest.approx([290.0] * 4 + [300.0] * 4 + [108.0] * 2, rel=0.06)
    assert S[:4, :4] == pytest.approx(S[0, 0] * np.ones((4, 4)), rel=1e-3)
    assert S[0, 8] == pytest.approx(-0.1 * S[0, 0], rel=0.5) and S[4, 8] > 0.0
    rows = api.load("r_examples", example="amanpg").data.dense()
    assert (rows**2).sum(axis=1) == pytest.approx(np.ones(1000)) and rows.shape == (1000, 500)


def test_the_artificial_covariance_is_that_of_the_paper():
    S = api.load("artificial").matrix.S
    variance = 0.09 * 290 + 0.925**2 * 300 + 1
    assert S.diagonal() == pytest.approx([291.0] * 4 + [301.0] * 4 + [variance + 1] * 2)
    row = [S[0, 1], S[0, 4], S[0, 8], S[4, 8], S[8, 9]]
    assert row == pytest.approx([290.0, 0.0, -0.3 * 290, 0.925 * 300, variance])


def test_a_simulated_corpus_is_as_unequal_as_the_news_that_it_is_calibrated_on(monkeypatch):
    # KOS and the Associated Press: entries a row, counts an entry, and variance over mean by rank
    module = registry.module("dataset", "simulated_corpus")
    monkeypatch.setattr(module, "BLOCK", 1500)  # documents generated at a time
    X = api.load("simulated_corpus", m=4000, n=8000).data.X
    assert X.shape == (4000, 8000)
    mean = X.mean(axis=0)
    dispersion = np.asarray((X**2).mean(axis=0) - mean**2) / np.maximum(mean, 1e-300)
    assert 200 < X.nnz / 4000 < 260  # a file of 1 GB at NYTimes' size
    assert 1.3 < X.sum() / X.nnz < 1.5  # 1.32 and 1.44
    assert 1.2 < np.median(dispersion[1000:5000]) < 1.6  # 1.26 and 1.51
    assert np.median(dispersion[:10]) > np.median(dispersion[10:100]) > 1.8  # longer documents here
