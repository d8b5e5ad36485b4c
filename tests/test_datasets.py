"""The datasets: what is published about them, and what is said where they cannot be had."""

import numpy as np
import pytest

from spcabench import api, registry
from spcabench.readers import corpus, sources


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
    problem = api.load("singh")
    assert problem.stand_in
    assert "stand-in" in problem.name
    assert (problem.m, problem.n) == (569, 30)
    assert np.allclose(problem.covariance.diagonal(), 569)  # scaled to unit variance
    assert len(problem.labels) == 569


@pytest.mark.parametrize("name", registry.names("dataset"))
def test_every_dataset_can_be_had_without_a_network(data_folder, monkeypatch, name):
    monkeypatch.setattr(corpus, "PACKAGES", ("joblib",))  # all of them are half a minute's parsing
    problem = api.load(name)
    assert problem.n >= 1
    assert problem.provenance["source"]
    assert isinstance(problem.provenance["stand_in"], bool)


def test_the_real_file_where_it_is_at_hand(real_data):
    real_data("singh")
    problem = api.load("singh")
    assert not problem.stand_in
    assert (problem.m, problem.n) == (102, 12600)
    assert sorted({label: problem.labels.count(label) for label in problem.labels}.values()) == [
        50,
        52,
    ]
    assert np.abs(problem.data.X.mean(axis=0)).max() < 1e-8


def test_a_file_with_the_right_checksum_is_found(data_folder):
    (data_folder / "set").mkdir()
    file = data_folder / "set" / "table.csv"
    file.write_text("1,2\n")
    assert sources.find("set/table.csv", sources.checksum(file)) == file


@pytest.mark.parametrize("name", registry.names("dataset"))
def test_docstrings_give_a_first_line(name):
    assert registry.descriptions("dataset")[name] not in ("", "(no docstring)")
