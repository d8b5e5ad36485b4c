"""Invalid files: the command that opens the file prints one line.

Some files contain false headers. Every size that a header states, every index and every compressed
byte is checked before memory is allocated for it. Valid files are tested too.
"""

import gzip
import io
import json
import pickle
import struct
import sys
import zipfile
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.sparse as sp

from spcabench import machine
from spcabench.errors import InputError
from spcabench.readers import user_file
from tests.bad_inputs import LONGEST
from tests.own_solver import text_of as solver
from tests.problems import some

GOOD = np.arange(12.0).reshape(4, 3) ** 2


def read(path, **how):
    return user_file.read(path, user_file.Reading(**how))


def npy(shape, dtype="<f8", body=b"", version=b"\x01\x00"):
    """Return a .npy file whose header promises a shape."""
    header = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape!r}}}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY" + version + struct.pack("<H", len(header)) + header + body


def zipped(members):
    """Return a zip archive with these members."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return packed.getvalue()


def array(values):
    """Return the bytes of an array as a .npy file."""
    stream = io.BytesIO()
    np.save(stream, np.asarray(values))
    return stream.getvalue()


def sparse(kind="csr", shape=(4, 3), **changed):
    """Return a sparse .npz of GOOD with some parts changed."""
    matrix = sp.csr_array(GOOD).asformat(kind)
    names = {"coo": ("row", "col"), "dia": ("offsets",)}.get(kind, ("indices", "indptr"))
    parts = {name: array(getattr(matrix, name)) for name in names}
    parts |= dict(data=array(matrix.data), shape=array(shape), format=array(kind.encode()))
    parts |= {name: array(value) for name, value in changed.items() if value is not None}
    return zipped({name: part for name, part in parts.items() if changed.get(name, 0) is not None})


class Hostile:
    """A pickle that writes a file when it is loaded."""

    def __reduce__(self):
        return (open, ("stolen", "w"))


def bomb(count, text=b"1,2,3\n"):
    """Return a gzipped text of this many bytes."""
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = text * (2**20 // len(text))
    return b"".join(pack.compress(block) for _ in range(count // len(block))) + pack.flush()


def without_columns():
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({}), stream)
    return stream.getvalue()


PROPOSAL = dict(item="pit props", problem="pitprops", k=2, nonnegative=False, value=9.0, bound=9.0)
PROPOSAL |= dict(proven=True, support=[0, 1], loadings=[0.6, 0.8], who="me", when="2026-01-01")
PROPOSAL |= dict(bound_by="", seconds=0.0, bound_when="")


def proposal(**changed):
    return json.dumps(PROPOSAL | changed)


MTX = b"%%MatrixMarket matrix"
SPARSE = MTX + b" coordinate real general\n"
HUGE = 10**13
READ = {  # by `solve`: name of the file, what it holds, what is said of it
    # what a header promises
    "npy of terabytes": ("a.npy", npy((HUGE, 3))),
    "npy of more than a number holds": ("a.npy", npy((2**62, 2**62))),
    "npy cut short": ("a.npy", npy((4, 3), body=b"\0" * 90)),
    "npy negative": ("a.npy", npy((-1, 3))),
    "npy of void": ("a.npy", npy((4, 3), "|V8", b"\0" * 96)),
    "npy of records": ("a.npy", array(np.zeros(4, dtype="f8,f8"))),
    "npy of text": ("a.npy", array([["a", "b"]] * 3)),
    "npy of dates": ("a.npy", array(np.zeros((4, 3), "M8[D]"))),
    "npy of times": ("a.npy", array(np.zeros((4, 3), "m8[s]"))),
    "npy of complex": ("a.npy", array(GOOD * 1j)),
    "npy of a number": ("a.npy", array(5.0)),
    "npy of a list": ("a.npy", array([1.0, 2.0])),
    "npy empty": ("a.npy", b""),
    "npy version 3": ("a.npy", npy((4, 3), version=b"\x03\x00")),
    "npy version 9": ("a.npy", npy((4, 3), version=b"\x09\x00")),
    "npy with a header of code": ("a.npy", npy("__import__('os')")),
    "npy with a deep header": ("a.npy", b"\x93NUMPY\x01\0" + b"\x60\xea" + b"(" * 60000),
    "npy without a row": ("a.npy", array(np.zeros((0, 3)))),
    "npy without a column": ("a.npy", array(np.zeros((3, 0)))),
    "npy of objects": ("a.npy", array([Hostile()])),
    "a pickle": ("a.npy", pickle.dumps(Hostile())),
    "npy of three dimensions": ("a.npy", array(np.ones((2, 2, 2)))),
    "npy of constants": ("a.npy", array(np.ones((4, 3)))),
    "npz of two arrays": ("a.npz", zipped({"X": array(GOOD), "Y": array(GOOD)})),
    "no zip": ("a.npz", b"PK no zip"),
    "no parquet": ("a.parquet", b"PAR1 or not"),
    "gz cut short": ("a.csv.gz", gzip.compress(b"a,b\n" + b"1,2\n" * 999)[:-9]),
    "no matrix market": ("a.mtx", b"%%MatrixMarket nonsense\n"),
    "docword out of range": ("docword.a.txt", b"2\n2\n1\n9 1 1\n"),
    "csv of three values": ("a.csv", b"a,b\n1,2\n3,4,5\n6,7\n"),
    "csv of text": ("a.csv", b"a,b,c\n1,2,x\n3,4,y\n"),
    "csv with a gap": ("a.csv", b"a,b\n1,2\n3,\n5,7\n"),
    "csv of one row": ("a.csv", b"a,b\n1,2\n"),
    "csv with infinity": ("a.csv", b"a,b\n1,inf\n3,4\n"),
    "npz of terabytes": ("a.npz", zipped({"X": npy((HUGE, 3))})),
    "npz of nothing": ("a.npz", zipped({})),
    "npz of text": ("a.npz", zipped({"X": array(["a"])})),
    "mtx of 10^10 rows": ("a.mtx", SPARSE + b"10000000000 2 1\n1 1 2.0\n"),
    "mtx of 10^10 columns": ("a.mtx", SPARSE + b"2 10000000000 1\n1 1 2.0\n"),
    "mtx of 10^12 entries": ("a.mtx", SPARSE + b"9 9 1000000000000\n1 1 2\n"),
    "mtx dense of terabytes": ("a.mtx", MTX + b" array real general\n1000000 1000000\n1.0\n"),
    "mtx beyond 64 bits": ("a.mtx", SPARSE + b"99999999999999999999 2 1\n1 1 2\n"),
    "mtx with more values than promised": (
        "a.mtx",
        MTX + b" array real general\n2 2\n" + b"1.0\n" * 9999,
    ),
    "mtx with fewer": ("a.mtx", MTX + b" array real general\n2 2\n1\n2\n3\n"),
    "mtx of zero rows": ("a.mtx", SPARSE + b"3 3 1\n0 1 2\n"),
    "mtx of two columns": ("a.mtx", SPARSE + b"3 3 1\n1 1 2 9\n"),
    "mtx symmetric but not square": ("a.mtx", MTX + b" coordinate real symmetric\n3 2 1\n1 1 2\n"),
    "mtx out of range": ("a.mtx", SPARSE + b"2 2 1\n3 1 2.0\n"),
    "mtx complex": ("a.mtx", MTX + b" coordinate complex general\n2 2 1\n1 1 2 3\n"),
    "docword of 10^9 words": ("docword.a.txt", b"3\n1000000000\n3\n1 1 1\n2 2 1\n3 3 1\n"),
    "docword of 10^15 triplets": ("docword.a.txt", b"3\n3\n1000000000000000\n1 1 1\n"),
    "docword of too many triplets": ("docword.a.txt", b"3\n3\n1\n" + b"1 1 1\n" * 1000),
    "docword with a long number": ("docword.a.txt", b"9" * 10**6 + b"\n3\n1\n1 1 1\n"),
    "mtx of a header of zeros": ("a.mtx", MTX + b" array" + bytes(60) + b" real general\n"),
    "docword of zeros": ("docword.a.txt", bytes(90)),
    "docword with zeros": ("docword.a.txt", b"3\n3\n1\n1 1" + bytes(60) + b"\n"),
    # what sparse arrays point to
    "csr index too large": ("a.npz", sparse(indices=[0, 1, 9] * 4)),
    "csr index huge": ("a.npz", sparse(indices=[10**12] * 11)),
    "csr index negative": ("a.npz", sparse(indices=[-5] * 11)),
    "csr indptr beyond": ("a.npz", sparse(indptr=[0, 5, 8, 11, 10**9])),
    "csr indptr falls": ("a.npz", sparse(indptr=[0, 10**9, 2, 3, 11])),
    "csr indptr ends at 0": ("a.npz", sparse(indptr=[0, 10**9, 0, 0, 0])),
    "csr indptr short": ("a.npz", sparse(indptr=[0, 11])),
    "csr indptr from 3": ("a.npz", sparse(indptr=[3, 5, 8, 11, 11])),
    "csr lacks indptr": ("a.npz", sparse(indptr=None)),
    "csr of 10^12 rows": ("a.npz", sparse(shape=(10**12, 3))),
    "csr of 10^12 columns": ("a.npz", sparse(shape=(4, 10**12))),
    "csr of one length": ("a.npz", sparse(shape=(4,))),
    "csr negative shape": ("a.npz", sparse(shape=(-4, 3))),
    "csr fewer data": ("a.npz", sparse(data=[1.0])),
    "csr of text": ("a.npz", sparse(data=["a"] * 11)),
    "csr of complex": ("a.npz", sparse(data=[1j] * 11)),
    "csr with missing values": ("a.npz", sparse(data=[np.nan] * 11)),
    "csc index too large": ("a.npz", sparse("csc", indices=[9] * 11)),
    "csc indptr falls": ("a.npz", sparse("csc", indptr=[0, 10**6, 4, 11])),
    "bsr index too large": ("a.npz", sparse("bsr", indices=[9] * len(sp.bsr_array(GOOD).indices))),
    "coo row too large": ("a.npz", sparse("coo", row=[4] * 11)),
    "coo column negative": ("a.npz", sparse("coo", col=[-1] * 11)),
    "coo of two lengths": ("a.npz", sparse("coo", col=[1] * 4)),
    "dia of offsets out of range": ("a.npz", sparse("dia", data=np.ones((1, 3)), offsets=[10**9])),
    "dia of offsets without data": ("a.npz", sparse("dia", offsets=[10**15])),
    "lil": ("a.npz", sparse(format=b"lil")),
    "a format of code": ("a.npz", sparse(format=b"__class__")),
    "a format of bytes": ("a.npz", sparse(format=b"\xff\xfe")),
    # what a table is
    "no column": ("a.parquet", without_columns()),
    "gaps in names of sentences": (
        "a.csv",
        ",".join(f"{name} {'is long ' * 20}" for name in "abcd") + "\n1,2,,\n,,1,4\n3,3,3,3\n",
    ),
    "numbers beyond the square": ("a.csv", "a,b,c\n1e308,2,3\n-1e308,3,5\n1e308,4,1\n"),
    "empty": ("a.csv", ""),
    "another format": ("a.docx", b""),
    **{
        f"bytes as {name}": (name, bytes(range(256)))
        for name in ("a.npy", "a.npz", "a.mtx", "a.parquet", "a.csv.gz", "docword.a.txt")
    },
    "csv of zero bytes": ("a.csv", b"a,b\n" + b"\0" * 500),
    "UTF-16 without a mark": ("a.csv", "a,b\n1,2\n3,4\n".encode("utf-16-le")),
    "latin-1": ("a.csv", "größe,b\n1,2\n3,5\n".encode("latin-1")),
    "latin-1 far below": ("a.csv", b"a,b\n" + b"1,2\n" * 10**5 + b"\xf6,1\n"),
    "blank": ("a.csv", b"\n \n"),
    "names only": ("a.csv", b"a,b,c\n"),
    "an open quote": ("a.csv", b'a,b\n1,2\n"3,4\n5,6\n'),
    "comments": ("a.csv", b"# made by x\n# y\na,b\n1,2\n"),
    "lines of three lengths": ("a.csv", b"a,b\n1,2\n3\n4,5,6\n"),
    "a line for spreadsheets": ("a.csv", b"sep=;\na;b\n1;2\n3;5\n"),
    "two values more": ("a.csv", b"a,b\n1,2,3,4\n5,6,7,8\n"),
    "decimal points and commas": ("a.csv", b"a;b\n1,5;2\n2;2.5\n4;1\n"),
    "thousands": ("a.csv", b'a,b\n"1,234",2\n"2,345",3\n"7,1",4\n'),
    "a question mark": ("a.csv", b"a,b\n" + b"1,2\n4,3\n" * 20 + b"?,3\n"),
}


VARIABLES = "variable,x\n"
LOADINGS = {  # of `grade --problem pitprops`
    "lines of two lengths": ("x.csv", "1,2\n3\n"),
    "words": ("x.csv", "a loading\nof words\n"),
    "empty": ("x.csv", ""),
    "text as npy": ("x.npy", "1 2 3"),
    "another format": ("x.docx", "1"),
    "unknown names": ("x.csv", f"{VARIABLES}topdiam,0.6\nno_prop,0.8\n"),
    "repeated names": ("x.csv", f"{VARIABLES}topdiam,0.6\ntopdiam,0.8\n"),
    "two columns": ("x.csv", "variable,x,y\ntopdiam,0.6,1\n"),
}
PROPOSALS = {  # of `best-known --take`
    "not of norm one": ("p.json", proposal(loadings=[2.0, 2.0])),
    "another support": ("p.json", proposal(support=[0])),
    "too many nonzeros": ("p.json", proposal(k=1)),
    "no such problem": ("p.json", proposal(item="no such problem")),
    "another problem": ("p.json", proposal(problem="another one")),
    "a word as support": ("p.json", proposal(support="x")),
}
STRANGERS = {  # of `solve pitprops -k 3 --solver`
    "shape": (solver("yield A @ np.ones(5)"), "(mine.py, line 13: yield A @ np.ones(5))"),
    "name": (solver("yield xx"), "NameError: name 'xx' is not defined (mine.py, line 13: yield xx"),
    "syntax": (solver("yield ("), "(mine.py, line 13: yield ("),
    "complex": (solver("yield 1j * np.ones(13)"), "yielded complex numbers; they must be real"),
    "another shape": (
        solver("yield np.ones(5)"),
        "mine.py: solve yielded x of shape (5,); it must be (13,)",
    ),
    "more than the memory": (
        solver("yield np.broadcast_to(1.0, (10**9,))"),
        "mine.py: solve yielded x of shape (1000000000,); it must be (13,)",
    ),
    "no iterates": (solver("return A"), "mine.py: solve returned an object of type ndarray"),
    "exit": ("import sys\nsys.exit(0)\n", "mine.py: importing the file exits the program"),
    "no traits": ("x = 1\n", "mine.py: the file does not define TRAITS; see"),
    "traits of another type": ("TRAITS = 5\nsolve = 3\n", "TRAITS is 5; it must be Traits(...)"),
    "no solve": (solver("", "if True:"), "the file does not define solve"),
    "no function": (solver("solve = 3", "if True:"), "solve is 3; it must be a function"),
    "no k": (solver("yield A", "def solve(problem, kk=3):"), "must be (problem, *, k, ...)"),
    "exit in solve": (solver("exit(0)\nyield A"), "SystemExit: 0 (mine.py, line 13"),
    "bad code": ("def (\n", "SyntaxError"),
    "zero bytes": ("\0\0", "mine.py"),
    "latin-1": ("# ö\n".encode("latin-1"), "mine.py"),
}
STRANGERS = {case: ("mine.py", *each) for case, each in STRANGERS.items()}
COMPARED = {case: STRANGERS[case] for case in ("syntax", "no traits")}
COMPARED["end of the process"] = ("mine.py", "import os\nos._exit(3)\n", "exit code 3")
FILES = {  # words -> the files that are wrong for them
    "solve FILE -k 1 --solver grqi": READ,
    "grade FILE --problem pitprops": LOADINGS,
    "best-known --take FILE": PROPOSALS,
    "solve pitprops -k 3 --solver FILE": STRANGERS,
    "compare FILE": COMPARED,
}
CASES = [
    pytest.param(
        words, *each, *[""] * (3 - len(each)), id=f"{words.replace('FILE', each[0])}: {case}"
    )
    for words, cases in FILES.items()
    for case, each in cases.items()
]


@pytest.mark.parametrize(("words", "name", "content", "message"), CASES)
def test_a_file_that_is_wrong_is_one_line(
    words, name, content, message, spcabench, here, monkeypatch
):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    content = content.encode() if isinstance(content, str) else content
    (here / name).write_bytes(content)
    ended = spcabench(*words.replace("FILE", name).split())
    line = ended.stderr.removesuffix("\n")
    assert (ended.returncode, ended.stdout) == (2, ""), line
    assert line.startswith("spcabench: ") and name in line and message in line, line
    assert "\n" not in line and len(line) <= LONGEST and "allow_pickle" not in line, line
    assert [*here.iterdir()] == [here / name]


SIZE = 15 * 10**7
BOMBS = {
    "csv": ("a.csv.gz", lambda: bomb(SIZE)),
    "one line": ("a.csv.gz", lambda: bomb(SIZE, b"1,")),
    "one word": ("a.csv.gz", lambda: bomb(SIZE, b"1")),
    "mtx": ("a.mtx.gz", lambda: bomb(SIZE, b"%%MatrixMarket ")),
    "docword header": ("docword.a.txt.gz", lambda: bomb(SIZE, b"1")),
    "docword": ("docword.a.txt.gz", lambda: bomb(SIZE, b"1 1 1\n")),
    "docword without line ends": (
        "docword.a.txt.gz",
        lambda: gzip.compress(b"9\n9\n9\n") + bomb(SIZE, b"1"),
    ),
    "npz": ("a.npz", lambda: zipped({"X": npy((SIZE // 8,), body=bytes(SIZE))})),
}


@pytest.mark.parametrize("case", some(3, [*BOMBS]))
def test_a_bomb_takes_no_memory(case, tmp_path, monkeypatch):
    """A file of 150 MB with 100 MB free: peak memory grows by less than 100 MB."""
    name, make = BOMBS[case]
    (tmp_path / name).write_bytes(make())
    monkeypatch.setattr(machine, "free_memory", lambda: 1e8)
    machine.forget_peak()
    before = machine.process_memory("VmRSS")
    with pytest.raises(InputError, match=r"a\."):
        read(tmp_path / name)
    peak = machine.process_memory("VmHWM")
    assert not peak - before > 1e8, f"{(peak - before) / 1e6:.0f} MB"


@pytest.mark.parametrize("case", ["one line", "one word"])
def test_a_line_that_no_table_has_is_refused_however_much_memory_is_free(
    case, tmp_path, monkeypatch
):
    name, make = BOMBS[case]
    (tmp_path / name).write_bytes(make())
    monkeypatch.setattr(machine, "free_memory", lambda: 1e13)
    machine.forget_peak()
    before = machine.process_memory("VmRSS")
    with pytest.raises(InputError, match="a line has more than 100 MB"):
        read(tmp_path / name)
    assert not machine.process_memory("VmHWM") - before > 1e8


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("transpose", [False, True])
def test_good_sparse_arrays_are_read(kind, transpose, tmp_path):
    (tmp_path / "a.npz").write_bytes(sparse(kind))
    problem = read(tmp_path / "a.npz", transpose=transpose)
    S = np.cov((GOOD.T if transpose else GOOD).T)
    np.testing.assert_allclose(problem.given_as("covariance").matrix.S, S)


def test_small_integers_that_stand_twice_are_summed_without_overflow(tmp_path):
    data, place = np.array([100, 100, 1], dtype=np.int8), np.array([0, 0, 1])
    content = sparse("coo", shape=(2, 2), data=data, row=place, col=place)
    (tmp_path / "a.npz").write_bytes(content)
    problem = read(tmp_path / "a.npz")
    assert problem.covariance.diagonal()[0] == pytest.approx(2 * 100.0**2)
