"""Invalid files are refused in one line that names the file, and take no memory.

Some files contain false headers. Every size that a header states, every index and every compressed
byte is checked before memory is allocated for it.
"""

import gzip
import io
import pickle
import struct
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from spcabench import machine
from spcabench.errors import InputError
from spcabench.readers import delimited, table, user_file
from tests.readers import test_tables

LONGEST = 200  # characters of a message
GOOD = np.arange(12.0).reshape(4, 3) ** 2
MTX, HUGE = b"%%MatrixMarket matrix", 10**13
SPARSE, DENSE = MTX + b" coordinate real general\n", MTX + b" array real general\n"


def npy(shape, dtype="<f8", body=b"", version=b"\x01\x00"):
    """Return a .npy file whose header promises a shape."""
    header = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape!r}}}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY" + version + struct.pack("<H", len(header)) + header + body


def array(values):
    """Return the bytes of an array as a .npy file."""
    stream = io.BytesIO()
    np.save(stream, np.asarray(values))
    return stream.getvalue()


def zipped(**members):
    """Return a zip archive with these members."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return packed.getvalue()


def sparse(kind="csr", shape=(4, 3), **changed):
    """Return a sparse .npz of GOOD with some parts changed, or left out if they are None."""
    matrix = sp.csr_array(GOOD).asformat(kind)
    names = {"coo": ("row", "col"), "dia": ("offsets",)}.get(kind, ("indices", "indptr"))
    parts = {name: getattr(matrix, name) for name in names}
    parts |= dict(data=matrix.data, shape=shape, format=kind.encode()) | changed
    return zipped(**{name: array(part) for name, part in parts.items() if part is not None})


class Hostile:
    """A pickle that writes a file when it is loaded."""

    def __reduce__(self):
        return (open, ("stolen", "w"))


def parquet(frame):
    stream = io.BytesIO()
    frame.to_parquet(stream)
    return stream.getvalue()


WRONG = {  # name of a file, and what is in it
    "a.npy": [
        *(npy((HUGE, 3)), npy((4, 3), body=b"\0" * 90), npy((-1, 3)), npy("__import__('os')"), b""),
        *(array(np.zeros(4, dtype="f8,f8")), array([["a", "b"]] * 3), array(GOOD * 1j), array(5.0)),
        *(array(np.zeros((4, 3), "M8[D]")), array([1.0, 2.0]), array(np.zeros((0, 3)))),
        *(array(np.zeros((3, 0))), array(np.ones((2, 2, 2))), array([Hostile()])),
        *(pickle.dumps(Hostile()), bytes(range(256))),
    ],
    "a.npz": [
        *(zipped(X=array(GOOD), Y=array(GOOD)), b"PK no zip", zipped(X=npy((HUGE, 3))), zipped()),
        *(zipped(X=array(["a"])), zipped(X=array([Hostile()])), sparse(format=b"__class__")),
        # what sparse arrays point to
        *(sparse(indices=[0, 1, 9] * 4), sparse(indices=[10**12] * 11), sparse(indices=[-5] * 11)),
        *(sparse(indptr=[0, 10**9, 2, 3, 11]), sparse(indptr=[0, 10**9, 0, 0, 0])),
        *(sparse(indptr=[0, 11]), sparse(indptr=[3, 5, 8, 11, 11]), sparse(shape=(4, 10**12))),
        *(
            sparse(shape=(-4, 3)),
            sparse(data=[1.0]),
            sparse(data=["a"] * 11),
            sparse("csc", indptr=[9]),
        ),
        sparse("bsr", indices=[9] * len(sp.bsr_array(GOOD).indices)),
        *(
            sparse("coo", row=[4] * 11),
            sparse("coo", col=[-1] * 11),
            sparse("dia", offsets=[10**15]),
        ),
    ],
    "a.mtx": [
        *(MTX + b" nonsense\n", MTX + b" array" + bytes(60) + b" real general\n", b""),
        *(SPARSE + b"10000000000 2 1\n1 1 2.0\n", SPARSE + b"2 10000000000 1\n1 1 2.0\n"),
        *(SPARSE + b"9 9 1000000000000\n1 1 2\n", DENSE + b"1000000 1000000\n1.0\n"),
        *(SPARSE + b"99999999999999999999 2 1\n1 1 2\n", DENSE + b"2 2\n" + b"1.0\n" * 9999),
        *(DENSE + b"2 2\n1\n2\n3\n", SPARSE + b"3 3 1\n0 1 2\n"),
        *(SPARSE + b"2 2 1\n3 1 2.0\n", SPARSE + b"2 2 1\n1 3 2.0\n"),
        *(MTX + b" coordinate complex general\n2 2 1\n1 1 2 3\n", bytes(range(256))),
        # SciPy 1.17 dies at a zero byte, and reads 1,5 as 1 and Fortran's 1.5-101 as 1.5
        *(
            SPARSE + b"2 2 1\n1 1 " + word + b"\n"
            for word in (b"1.5-101", b"2e", b"1.234.567", b"2 7")
        ),
        *(SPARSE + b"2 2 1\n1 1 2\0\n", SPARSE + b"2 2 1\n1 1 1,5\n", DENSE + b"2 1\n1\n1,5\n"),
    ],
    "docword.a.txt": [
        *(b"3\n1000000000\n3\n1 1 1\n2 2 1\n3 3 1\n", b"3\n3\n1000000000000000\n1 1 1\n"),
        *(b"9" * 10**6 + b"\n3\n1\n1 1 1\n", b"3\n3\n1\n1 1" + bytes(60) + b"\n"),
    ],
    "a.csv": [
        *(
            "",
            "\n \n",
            "a,b,c\n",
            "a,b\n1,2\n",
            "a,b\n1,2\n3,4,5\n6,7\n",
            "a,b\n1,2,3,4\n5,6,7,8\n",
        ),
        *("a,b,c\n1,2,x\n3,4,y\n", "a,b\n1,2\n3,\n5,7\n", "a,b\n1,inf\n3,4\n", "a,b\n1\n4,5,6\n"),
        *("a,b,c\n1e308,2,3\n-1e308,3,5\n1e308,4,1\n", b"a,b\n" + b"\0" * 500),
        *('a,b\n1,2\n"3,4\n5,6\n', "# made by x\n# y\na,b\n1,2\n", "sep=;\na;b\n1;2\n3;5\n"),
        *("a;b\n1,5;2\n2;2.5\n4;1\n", 'a,b\n"1,234",2\n"2,345",3\n"7,1",4\n'),
        *("a,b\n" + "1,2\n4,3\n" * 20 + "?,3\n", "a,b\n1,2\n3,4\n".encode("utf-16-le")),
        b"a,b\n" + b"1,2\n" * 10**5 + b"\x81,1\n",
        "a,b\n1,2\n3,4\n".encode("utf-16")[:-1],
        ",".join(f"{name} {'is long ' * 20}" for name in "abcd") + "\n1,2,,\n,,1,4\n3,3,3,3\n",
        *("<!DOCTYPE html>\n<html>\n</html>\n", '[{"a": 1, "b": 2},\n{"a": 3, "b": 4}]\n'),
    ],
    "a.csv.gz": [gzip.compress(b"a,b\n" + b"1,2\n" * 999)[:-9], bytes(range(256))],
    "a.parquet": [b"PAR1 or not", parquet(pd.DataFrame()), bytes(range(256))],
    "a.xlsx": [b"a,b\n1,2\n", b"PK\x03\x04" + bytes(60)],
    "a.dta": [b"a,b\n1,2\n", bytes(200)],
    "a.mat": [b"MATLAB 7.3" + bytes(600), b"a,b\n1,2\n"],
    "a.docx": [b""],
}
CASES = [(name, i) for name, contents in WRONG.items() for i in range(len(contents))]


def read(path, **how):
    return user_file.read(path, user_file.Reading(**how))


@pytest.mark.parametrize(("name", "number"), CASES)
def test_a_file_that_is_wrong_is_one_line(name, number, here):
    content = WRONG[name][number]
    (here / name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(InputError) as caught:
        read(here / name)
    line = str(caught.value).replace(f"{here}/", "")
    assert name in line and "\n" not in line and len(line) <= LONGEST, line
    assert [*here.iterdir()] == [here / name]  # no code was executed


@pytest.mark.parametrize("name", test_tables.WRITE)
@pytest.mark.parametrize("seed", range(8))
def test_a_file_with_bytes_replaced_is_one_line_or_a_problem(name, seed, here):
    test_tables.WRITE[name](here / name)
    rng = np.random.default_rng(seed)
    good = (here / name).read_bytes()
    start, length = rng.integers(len(good)), rng.integers(40, size=2)
    bad = good[:start] + rng.bytes(length[0]) + good[start + length[1] :]
    (here / name).write_bytes(bad)
    try:
        assert read(here / name).n
    except InputError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("where", [(delimited, "_style"), (table, "row_names")])
def test_a_bug_of_a_reader_is_no_error_of_the_user(where, here, monkeypatch):
    def broken(*arguments):
        raise KeyError("a bug")

    monkeypatch.setattr(*where, broken)
    (here / "a.csv").write_text("a,b\n1,2\n3,5\n")
    with pytest.raises(KeyError):
        read(here / "a.csv")


def test_a_bomb_ends_in_one_line(here, spcabench, monkeypatch):
    """A file of 1.5 GB, in a kilobyte or two, with 0.3 GB of free memory."""
    monkeypatch.setattr(machine, "free_memory", lambda: 3e8)
    lines = {b"1,2,3\n": "a.csv.gz", b"%%MatrixMarket ": "a.mtx.gz"}
    for text, name in lines.items():  # gzip joins blocks
        block = gzip.compress(text * (10**7 // len(text)))
        (here / name).write_bytes(block * 150)
        refused = spcabench("solve", name, "-k", "1")
        assert refused.returncode == 2 and "not enough memory" in refused.stderr
        assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("transpose", [False, True])
def test_good_sparse_arrays_are_read(kind, transpose, tmp_path):
    (tmp_path / "a.npz").write_bytes(sparse(kind))
    problem = read(tmp_path / "a.npz", transpose=transpose)
    S = np.cov((GOOD.T if transpose else GOOD).T)
    np.testing.assert_allclose(problem.given_as("covariance").matrix.S, S)
