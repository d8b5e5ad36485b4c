"""Files of word counts: read exactly, or refused with file and line."""

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spcabench import registry
from spcabench.corpus import read_docword, read_vocabulary

GOOD = "3\n4\n5\n1 1 2\n1 4 1\n2 2 7\n3 1 1\n3 3 10\n"
COUNTS = [[2, 0, 0, 1], [0, 7, 0, 0], [1, 0, 10, 0]]


def write(folder, text, zipped=False):
    path = folder / ("docword.txt.gz" if zipped else "docword.txt")
    path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
    return path


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("text", [GOOD, GOOD.replace("\n", "\r\n"), GOOD.rstrip("\n")])
def test_plain_gzipped_and_windows_files(tmp_path, text, zipped):
    np.testing.assert_array_equal(read_docword(write(tmp_path, text, zipped)).toarray(), COUNTS)


def test_members_of_a_gz_file_are_joined(tmp_path):
    path = tmp_path / "docword.txt.gz"
    path.write_bytes(gzip.compress(GOOD[:20].encode()) + gzip.compress(GOOD[20:].encode()))
    np.testing.assert_array_equal(read_docword(path).toarray(), COUNTS)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "0 lines; the header needs three"),
        ("3\n4\n", "2 lines"),
        ("3\nfour\n5\n1 1 2\n", "line 2: 'four' is no number of words"),
        (GOOD.replace("1 4 1", "1 5 1"), "line 5: word 5 is out of range; allowed are 1 to 4"),
        (GOOD.replace("3 3 10", "4 3 10"), "line 8: document 4 is out of range"),
        (GOOD.replace("2 2 7", "0 2 7"), "line 6: document 0"),
        (GOOD.replace("2 2 7", "2 2 0"), "line 6: count 0"),
        (GOOD.replace("2 2 7", "2 2 -7"), "line 6"),
        (GOOD.replace("2 2 7", "2 two 7"), "line 6: '2 two 7' is not three whole numbers"),
        (GOOD.replace("2 2 7", "2 2"), "line 6: '2 2' is not three"),
        (GOOD.replace("2 2 7", "2 2 7 9"), "line 6"),
        (GOOD.replace("2 2 7\n", ""), "4 triplets; its header promises 5"),
        (GOOD + "3 4 1\n", "6 triplets; its header promises 5"),
    ],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_malformed_files_are_named_with_their_line(tmp_path, text, said, zipped):
    path = write(tmp_path, text, zipped)
    with pytest.raises(ValueError) as error:
        read_docword(path)
    message = str(error.value)
    assert said in message and path.name in message and "\n" not in message


def test_a_truncated_gz_file(tmp_path):
    path = write(tmp_path, GOOD * 1, zipped=True)
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(ValueError, match=r"docword.txt.gz.*damaged"):
        read_docword(path)


@settings(deadline=None, max_examples=40, derandomize=True)
@given(
    st.lists(
        st.tuples(st.integers(1, 6), st.integers(1, 5), st.integers(1, 99)), max_size=30, unique_by=lambda t: t[:2]
    )
)
def test_every_matrix_is_read_back(tmp_path_factory, triplets):
    dense = np.zeros((6, 5))
    for d, w, c in triplets:
        dense[d - 1, w - 1] = c
    lines = [f"{d} {w} {c}" for d, w, c in sorted(triplets)]
    path = write(tmp_path_factory.mktemp("x"), "\n".join(["6", "5", str(len(lines)), *lines]) + "\n")
    np.testing.assert_array_equal(read_docword(path).toarray(), dense)


def test_vocabulary_of_the_wrong_length(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_text("one\ntwo\n")
    assert read_vocabulary(path, 2) == ["one", "two"]
    with pytest.raises(ValueError, match=r"vocab.txt: 2 words; the corpus has 3"):
        read_vocabulary(path, 3)


def test_synthetic_enron_has_its_shape(monkeypatch, tmp_path):
    monkeypatch.setenv("SPCABENCH_DATA", str(tmp_path))
    monkeypatch.setenv("SPCABENCH_OFFLINE", "1")
    problem = registry.module("dataset", "bag_of_words").load("enron")
    assert (problem.m, problem.n) == (39861, 28102) and problem.stand_in and "synthetic" in problem.name
    assert problem.nnz == pytest.approx(3.7e6, rel=0.01)
    widest = np.diff(problem.data.X.indptr)
    assert widest[0] > 100 * widest[-1]
