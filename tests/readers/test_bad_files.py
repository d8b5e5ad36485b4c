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
import pytest
import scipy.sparse as sp

from spcabench import machine
from spcabench.errors import InputError
from spcabench.readers import delimited, table, user_file
from tests.readers import test_tables

LONGEST = 200  # characters of a message
GOOD = np.arange(12.0).reshape(4, 3) ** 2
MTX, HUGE, JUNK = b"%%MatrixMarket matrix", 10**13, bytes(range(256))
SPARSE, DENSE = MTX + b" coordinate real general\n", MTX + b" array real general\n"


def npy(shape, dtype="<f8", body=b""):
    """Return a .npy file whose header promises a shape."""
    header = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape!r}}}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + body


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


def sparse(kind, **changed):
    """Return a sparse .npz of GOOD with some parts changed."""
    matrix = sp.csr_array(GOOD).asformat(kind)
    names = {"coo": ("row", "col"), "dia": ("offsets",)}.get(kind, ("indices", "indptr"))
    parts = {name: getattr(matrix, name) for name in names}
    parts |= dict(data=matrix.data, shape=GOOD.shape, format=kind.encode()) | changed
    return zipped(**{name: array(part) for name, part in parts.items()})


class Hostile:
    """A pickle that writes a file when it is loaded."""

    def __reduce__(self):
        return (open, ("stolen", "w"))


FALSE_PARTS = [  # of a sparse matrix
    ("csr", dict(format=b"__class__")),
    *(("csr", dict(shape=shape)) for shape in ((4, 10**12), (-4, 3))),
    *(("csr", dict(data=data)) for data in ([1.0], ["a"] * 11)),
    *((kind, dict(indices=[j] * 11)) for kind in ("csr", "csc") for j in (9, 10**12, -5)),
    *(("csr", dict(indptr=[0, 10**9, *rest])) for rest in ((2, 3, 11), (0, 0, 0))),
    *(("csr", dict(indptr=indptr)) for indptr in ([0, 11], [3, 5, 8, 11, 11])),
    *(("coo", dict(row=[4] * 11)), ("coo", dict(col=[-1] * 11)), ("dia", dict(offsets=[10**15]))),
    ("bsr", dict(indices=[9] * len(sp.bsr_array(GOOD).indices))),
]
ENTRIES = (b"1.5-101", b"2e", b"1.234.567", b"2 7", b"2\0", b"1,5")  # SciPy 1.17 accepts some
WRONG = {  # name of a file, and what is in it
    "a.npy": [
        *(npy((HUGE, 3)), npy((4, 3), body=b"\0" * 90), npy((-1, 3)), npy("__import__('os')"), b""),
        *(array(GOOD[0]), array(5.0), array(GOOD[:0]), array(GOOD[:, :0]), array(GOOD[None])),
        *(array(np.zeros(4, "f8,f8")), array([["a", "b"]] * 3), array(np.zeros((4, 3), "M8[D]"))),
        *(array(GOOD * 1j), array([Hostile()]), pickle.dumps(Hostile()), JUNK),
    ],
    "a.npz": [
        *(zipped(X=array(GOOD), Y=array(GOOD)), b"PK no zip", zipped(X=npy((HUGE, 3))), zipped()),
        *(zipped(X=array(["a"])), zipped(X=array([Hostile()]))),
        *(sparse(kind, **part) for kind, part in FALSE_PARTS),
    ],
    "a.mtx": [
        *(MTX + b" nonsense\n", MTX + b" array" + bytes(60) + b" real general\n", b"", JUNK),
        *(SPARSE + size + b"\n1 1 2.0\n" for size in (b"10000000000 2 1", b"2 10000000000 1")),
        *(SPARSE + size + b"\n1 1 2\n" for size in (b"9 9 1000000000000", b"9" * 20 + b" 2 1")),
        *(DENSE + b"1000000 1000000\n1.0\n", DENSE + b"2 2\n" + b"1.0\n" * 9999),
        *(DENSE + b"2 2\n1\n2\n3\n", DENSE + b"2 1\n1\n1,5\n"),
        *(SPARSE + b"2 2 1\n" + place + b" 2.0\n" for place in (b"0 1", b"3 1", b"1 3")),
        *(SPARSE + b"2 2 1\n1 1 " + entry + b"\n" for entry in ENTRIES),
        MTX + b" coordinate complex general\n2 2 1\n1 1 2 3\n",
    ],
    "docword.a.txt": [
        *(b"3\n1000000000\n3\n1 1 1\n2 2 1\n3 3 1\n", b"3\n3\n1000000000000000\n1 1 1\n"),
        *(b"9" * 10**6 + b"\n3\n1\n1 1 1\n", b"3\n3\n1\n1 1" + bytes(60) + b"\n"),
    ],
    "a.csv": [
        *("", "\n \n", "a,b,c\n", "a,b\n1,2\n", "a,b\n1,2\n3,4,5\n6,7\n"),
        *("a,b\n1,2,3,4\n5,6,7,8\n", "a,b\n1\n4,5,6\n", 'a,b\n1,2\n"3,4\n5,6\n'),
        *("a,b,c\n1,2,x\n3,4,y\n", "a,b\n1,2\n3,\n5,7\n", "a,b\n1,inf\n3,4\n"),
        *("a,b,c\n1e308,2,3\n-1e308,3,5\n1e308,4,1\n", b"a,b\n" + b"\0" * 500),
        *("# made by x\n# y\na,b\n1,2\n", "sep=;\na;b\n1;2\n3;5\n", "a,b\n1,2".encode("utf-16-le")),
        *("a;b\n1,5;2\n2;2.5\n4;1\n", 'a,b\n"1,234",2\n"2,345",3\n"7,1",4\n'),
        *("a,b\n" + "1,2\n4,3\n" * 20 + "?,3\n", b"a,b\n" + b"1,2\n" * 10**5 + b"\x81,1\n"),
        "a,b\n1,2\n3,4\n".encode("utf-16")[:-1],
        ",".join(f"{name} {'is long ' * 20}" for name in "abcd") + "\n1,2,,\n,,1,4\n3,3,3,3\n",
        *("<!DOCTYPE html>\n<html>\n</html>\n", '[{"a": 1, "b": 2},\n{"a": 3, "b": 4}]\n'),
    ],
    "a.csv.gz": [gzip.compress(b"a,b\n" + b"1,2\n" * 999)[:-9], JUNK],
    "a.parquet": [b"PAR1 or not", JUNK],
    "a.xlsx": [b"a,b\n1,2\n", b"PK\x03\x04" + bytes(60)],
    "a.dta": [b"a,b\n1,2\n", bytes(200)],
    "a.mat": [b"MATLAB 7.3" + bytes(600), b"a,b\n1,2\n"],
    "a.docx": [b""],
}
CASES = [(name, i) for name, contents in WRONG.items() for i in range(len(contents))]


def read(path):
    return user_file.read(path, user_file.Reading())


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
def test_a_file_with_bytes_replaced_is_one_line_or_a_problem(name, here):
    test_tables.WRITE[name](here / name)
    good = (here / name).read_bytes()
    for seed in range(8):
        rng = np.random.default_rng(seed)
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


@pytest.mark.parametrize(("name", "text"), [("a.csv.gz", b"1,2,3\n"), ("a.mtx.gz", MTX)])
def test_a_bomb_ends_in_one_line(name, text, here, monkeypatch):
    """A file of 0.6 GB, in a kilobyte or two, with 0.1 GB of free memory."""
    monkeypatch.setattr(machine, "free_memory", lambda: 1e8)
    (here / name).write_bytes(gzip.compress(text * (10**7 // len(text))) * 60)  # joined blocks
    with machine.limited_memory(), pytest.raises(InputError, match="not enough memory"):
        read(here / name)
