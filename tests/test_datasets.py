"""The datasets: what is published about them, and what is said where they cannot be had."""

import numpy as np
import pooch
import pytest

from spcabench import api, registry
from spcabench.readers import sources


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


@pytest.fixture
def nothing_at_hand(tmp_path, monkeypatch):
    """No data folder, an empty cache, no network."""
    monkeypatch.setenv("SPCABENCH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("SPCABENCH_OFFLINE", "1")
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache")
    sources._downloaded.cache_clear()
    yield
    sources._downloaded.cache_clear()


def test_a_stand_in_says_so(nothing_at_hand):
    problem = api.load("singh")
    assert problem.stand_in
    assert "stand-in" in problem.name
    assert (problem.m, problem.n) == (569, 30)
    assert np.allclose(problem.covariance.diagonal(), 569)  # scaled to unit variance
    assert len(problem.labels) == 569


@pytest.mark.parametrize("name", registry.names("dataset"))
def test_every_dataset_can_be_had_without_a_network(nothing_at_hand, name):
    problem = api.load(name)
    assert problem.n >= 1
    assert problem.provenance["source"]
    assert isinstance(problem.provenance["stand_in"], bool)


def test_the_real_file_where_it_is_at_hand():
    module = registry.module("dataset", "singh")
    if sources.find(module.FILE, module.SHA256) is None:
        pytest.skip("the file is not at hand")
    problem = api.load("singh")
    assert not problem.stand_in
    assert (problem.m, problem.n) == (102, 12600)
    assert sorted({label: problem.labels.count(label) for label in problem.labels}.values()) == [
        50,
        52,
    ]
    assert np.abs(problem.data.X.mean(axis=0)).max() < 1e-8


def test_a_file_with_the_right_checksum_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("SPCABENCH_DATA", str(tmp_path))
    (tmp_path / "set").mkdir()
    file = tmp_path / "set" / "table.csv"
    file.write_text("1,2\n")
    assert sources.find("set/table.csv", sources.checksum(file)) == file


@pytest.mark.parametrize("name", registry.names("dataset"))
def test_docstrings_give_a_first_line(name):
    assert registry.descriptions("dataset")[name] not in ("", "(no docstring)")
