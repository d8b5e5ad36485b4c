"""Files of word counts are read exactly, or refused."""

import gzip
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spcabench.errors import InputError
from spcabench.readers import corpus, docword
from spcabench.readers.corpus import read_docword, read_vocabulary

GOOD = "3\n4\n5\n1 1 2\n1 4 1\n2 2 7\n3 1 1\n3 3 10\n"
BAD = ("0 2 7", "2 2 0", "2 2 -7", "2 two 7", "2 2", "2 2 7 9", f"2 2 {'7' * 18}", "4 2 7", "2 5 7")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("corpus")


def text_of(counts):
    """Return the docword file of counts (documents, words)."""
    lines = [f"{d + 1} {w + 1} {counts[d, w]}" for d, w in np.argwhere(counts)]
    return "\n".join([*map(str, counts.shape), str(len(lines)), *lines]) + "\n"


def write(folder, text, zipped=False):
    path = folder / ("docword.txt.gz" if zipped else "docword.txt")
    path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
    return path


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    zipped=st.booleans(),
    end=st.sampled_from(["\n", "\r\n", " \t\n"]),
    block=st.integers(8, 40) | st.just(docword.BLOCK),
)
def test_counts_and_streamed_moments_are_those_of_the_file(folder, seed, zipped, end, block):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.7, (rng.integers(1, 30), rng.integers(1, 12)))
    text = "".join(f"{line}{end}" for line in text_of(counts).splitlines())
    path = write(folder, f"{text}\n" if seed % 2 else text.rstrip(), zipped)
    words = rng.permutation(counts.shape[1])[: rng.integers(1, counts.shape[1] + 1)]
    with patch.object(docword, "BLOCK", block):  # blocks can end anywhere in a line
        np.testing.assert_array_equal(read_docword(path).toarray(), counts)
        moments = corpus.stream_moments(path)
        covariance = corpus.covariance(path, words, moments)
        together = corpus.products(path, words, presence=True)
    np.testing.assert_allclose(moments.means, counts.mean(axis=0))
    np.testing.assert_allclose(moments.variances, counts.var(axis=0), atol=1e-12)
    expected = np.cov(counts[:, words].T, ddof=0)
    np.testing.assert_allclose(covariance, np.atleast_2d(expected), atol=1e-12)
    present = (counts[:, words] > 0).astype(float)
    np.testing.assert_allclose(together, present.T @ present / len(counts))


MALFORMED = ["", "3\n4\n", "3\nfour\n5\n1 1 2\n", GOOD + "3 4 1\n", GOOD.replace("2 2 7\n", "")]


@pytest.mark.parametrize("text", [*MALFORMED, *(GOOD.replace("2 2 7", line) for line in BAD)])
def test_malformed_files_are_named(tmp_path, text):
    path = write(tmp_path, text)
    for block in (8, docword.BLOCK):
        with patch.object(docword, "BLOCK", block), pytest.raises(InputError) as error:
            read_docword(path)
        assert path.name in str(error.value) and "\n" not in str(error.value)


def test_documents_out_of_order_have_moments_but_no_streamed_covariance(tmp_path):
    for lines in ("2 1 1\n1 1 4\n3 2 2\n", "1 1 1\n1 1 4\n1 2 2\n"):
        path = write(tmp_path, f"3\n2\n3\n{lines}")
        moments = corpus.stream_moments(path)
        np.testing.assert_allclose(moments.sums, [5, 2])
        with pytest.raises(InputError, match="not in order"):
            corpus.covariance(path, np.array([0, 1]), moments)


def test_a_vocabulary_has_a_name_for_each_variable(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_text("one\ntwo\n")
    assert read_vocabulary(path, 2) == ["one", "two"]
    for count in (1, 3):
        with pytest.raises(InputError, match=rf"vocab.txt: contains 2 names, .* {count} var"):
            read_vocabulary(path, count)
