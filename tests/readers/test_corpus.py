"""Files of word counts are read exactly, or refused."""

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spcabench import registry
from spcabench.errors import InputError
from spcabench.readers import corpus, docword
from spcabench.readers.corpus import read_docword, read_vocabulary

GOOD = "3\n4\n5\n1 1 2\n1 4 1\n2 2 7\n3 1 1\n3 3 10\n"
BAD = ("0 2 7", "2 2 0", "2 2 -7", "2 two 7", "2 2", "2 2 7 9")
COUNTS = [[2, 0, 0, 1], [0, 7, 0, 0], [1, 0, 10, 0]]


def write(folder, text, zipped=False):
    path = folder / ("docword.txt.gz" if zipped else "docword.txt")
    path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
    return path


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("text", [GOOD, GOOD.replace("\n", "\r\n"), GOOD.rstrip("\n")])
def test_plain_gzipped_and_windows_files(tmp_path, text, zipped):
    np.testing.assert_array_equal(read_docword(write(tmp_path, text, zipped)).toarray(), COUNTS)


MALFORMED = ["", "3\n4\n", "3\nfour\n5\n1 1 2\n", GOOD.replace("1 4 1", "1 5 1"), GOOD + "3 4 1\n"]
MALFORMED += [GOOD.replace("3 3 10", "4 3 10"), GOOD.replace("2 2 7\n", "")]
MALFORMED += [GOOD.replace("2 2 7", line) for line in BAD]


@pytest.mark.parametrize("text", MALFORMED)
@pytest.mark.parametrize("zipped", [False, True])
def test_malformed_files_are_named(tmp_path, text, zipped):
    path = write(tmp_path, text, zipped)
    with pytest.raises(InputError) as error:
        read_docword(path)
    assert path.name in str(error.value) and "\n" not in str(error.value)


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.integers(1, 6), st.integers(1, 5), st.integers(1, 99)),
        max_size=30,
        unique_by=lambda t: t[:2],
    )
)
def test_every_matrix_is_read_back(tmp_path_factory, triplets):
    dense = np.zeros((6, 5))
    for d, w, c in triplets:
        dense[d - 1, w - 1] = c
    lines = [f"{d} {w} {c}" for d, w, c in sorted(triplets)]
    path = write(
        tmp_path_factory.mktemp("x"), "\n".join(["6", "5", str(len(lines)), *lines]) + "\n"
    )
    np.testing.assert_array_equal(read_docword(path).toarray(), dense)


def test_vocabulary_of_the_wrong_length(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_text("one\ntwo\n")
    assert read_vocabulary(path, 2) == ["one", "two"]
    with pytest.raises(
        InputError, match=r"vocab.txt: contains 2 names, but the data have 3 variables"
    ):
        read_vocabulary(path, 3)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.booleans())
def test_streamed_moments_and_covariance_are_those_of_the_counts(tmp_path_factory, seed, zipped):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.7, (rng.integers(1, 30), rng.integers(1, 12)))
    lines = [f"{d + 1} {w + 1} {counts[d, w]}" for d, w in np.argwhere(counts)]
    text = "\n".join([*map(str, counts.shape), str(len(lines)), *lines]) + "\n"
    path = write(tmp_path_factory.mktemp("x"), text, zipped)
    moments = corpus.stream_moments(path)
    np.testing.assert_allclose(moments.means, counts.mean(axis=0))
    np.testing.assert_allclose(moments.variances, counts.var(axis=0), atol=1e-12)
    columns = rng.permutation(counts.shape[1])[: rng.integers(1, counts.shape[1] + 1)]
    centred = counts[:, columns] - counts[:, columns].mean(axis=0)
    expected = centred.T @ centred / len(counts)
    np.testing.assert_allclose(corpus.covariance(path, columns, moments), expected, atol=1e-12)


def test_blocks_join_at_any_place(tmp_path, monkeypatch):
    path = write(tmp_path, GOOD)
    for block in range(8, 40):
        monkeypatch.setattr(docword, "BLOCK", block)
        np.testing.assert_array_equal(read_docword(path).toarray(), COUNTS)
        bad = write(tmp_path, GOOD.replace("3 1 1", "3 1 x"))
        with pytest.raises(InputError, match="3 1 x"):
            read_docword(bad)
        path = write(tmp_path, GOOD)


def test_documents_out_of_order_have_moments_but_no_streamed_covariance(tmp_path):
    path = write(tmp_path, "3\n2\n3\n2 1 1\n1 1 4\n3 2 2\n")
    moments = corpus.stream_moments(path)
    np.testing.assert_allclose(moments.sums, [5, 2])
    with pytest.raises(InputError, match="not in order"):
        corpus.covariance(path, np.array([0, 1]), moments)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("values", ["counts", "tfidf", "presence"])
def test_values_of_the_words_agree_streamed_and_in_memory(data_folder, values, center):
    rng = np.random.default_rng(3)
    counts = rng.poisson(0.5, (30, 9)) + (rng.random((30, 9)) < 0.1)
    d, w = np.nonzero(counts)
    text = f"30\n9\n{len(d)}\n" + "".join(
        f"{a + 1} {b + 1} {counts[a, b]}\n" for a, b in zip(d, w, strict=True)
    )
    (data_folder / "kos").mkdir()
    write(data_folder / "kos", text).rename(data_folder / "kos" / "docword.kos.txt")
    load = registry.module("dataset", "bag_of_words").load
    present = counts > 0
    A = {"counts": counts, "tfidf": counts * np.log(30 / present.sum(axis=0)), "presence": present}[
        values
    ].astype(float)
    A = A - A.mean(axis=0) if center else A
    full = load("kos", center, values=values)
    np.testing.assert_allclose(full.given_as("covariance").matrix.S, A.T @ A, atol=1e-9)
    some = load("kos", center, words=4, values=values)
    chosen = [int(name) for name in some.features]
    np.testing.assert_allclose(some.matrix.S, A[:, chosen].T @ A[:, chosen] / 30, atol=1e-12)
    by = counts if values == "presence" else A
    assert by.var(axis=0)[chosen].min() >= np.delete(by.var(axis=0), chosen).max() - 1e-12
