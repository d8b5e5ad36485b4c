"""A user's own file: every format gives the same problem, and notes say how it was read."""

import datetime
import decimal
import gzip
import re
import shlex
from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from spcabench import machine
from spcabench.errors import InputError
from spcabench.readers import matrix_market, new_samples, table, user_file

RNG = np.random.default_rng(5)
X = np.round(RNG.standard_normal((40, 6)) * [3, 1, 1, 2, 1, 1] + 4, 3)
NAMES = ["age", "height", "weight", "pulse", "dose", "score"]
FRAME = pd.DataFrame(X, columns=NAMES)


def _csv(path, **settings):
    FRAME.assign(group=np.where(X[:, 0] > 4, "a", "b")).to_csv(path, index=False, **settings)


def _docword(path):
    counts = np.round(np.abs(X)).astype(int)
    lines = [f"{i + 1} {j + 1} {c}" for (i, j), c in np.ndenumerate(counts) if c]
    path.write_text("\n".join([*map(str, counts.shape), str(len(lines)), *lines]) + "\n")
    path.with_name(path.name.replace("docword", "vocab")).write_text("\n".join(NAMES))


def _sparse(kind):
    return lambda path: sp.save_npz(path, sp.csr_array(X).asformat(kind))


WRITE = {
    "t.npy": lambda path: np.save(path, X),
    "t.npz": lambda path: np.savez(path, X),
    **{f"{kind}.npz": _sparse(kind) for kind in ("csr", "csc", "coo", "bsr", "dia")},
    "t.csv": _csv,
    "t.csv.gz": _csv,
    "t.tsv": lambda path: _csv(path, sep="\t"),
    "t.mtx": lambda path: scipy.io.mmwrite(path, sp.coo_array(X)),
    "t.parquet": lambda path: FRAME.to_parquet(path),
    "t.xlsx": lambda path: FRAME.to_excel(path, index=False),
    "t.dta": lambda path: FRAME.to_stata(path, write_index=False),
    "t.mat": lambda path: scipy.io.savemat(path, {"X": X}),
    "docword.t.txt": _docword,
}
LABELLED = ("t.csv", "t.csv.gz", "t.tsv")
NAMED = (*LABELLED, "t.parquet", "t.xlsx", "t.dta", "docword.t.txt")


def read(path, **how):
    return user_file.read(path, user_file.Reading(**how))


def covariance_of(problem):
    return problem.given_as("covariance").matrix.S


@pytest.mark.parametrize("name", WRITE)
def test_every_format_gives_the_problem_that_was_written(name, tmp_path):
    WRITE[name](tmp_path / name)
    label = "group" if name in LABELLED else None
    problem = read(tmp_path / name, label=label)
    data = np.round(np.abs(X)) if name.startswith("docword") else X
    assert np.allclose(covariance_of(problem), np.cov(data.T))
    assert (list(problem.features) == NAMES) if name in NAMED else problem.features is None
    assert (problem.labels is not None) == (label is not None)
    if name not in NAMED:
        transposed = read(tmp_path / name, transpose=True)
        assert np.allclose(covariance_of(transposed), np.cov(X))


GAPS = pd.DataFrame(np.arange(12.0).reshape(4, 3), columns=[*"abc"])
GAPS = GAPS.mask(np.eye(4, 3, k=-1) * np.array([[0], [1], [1], [0]]) > 0)  # of a and of b
MISSING = {"rows": ([0, 3], "abc"), "columns": ([0, 1, 2, 3], "c"), "mean": ([0, 1, 2, 3], "abc")}


@pytest.mark.parametrize("missing", MISSING)
def test_missing_values_are_left_out_or_filled_in_and_noted(missing, tmp_path):
    rows, columns = MISSING[missing]
    GAPS.assign(kind=[*"wxyz"]).to_csv(tmp_path / "t.csv", index=False)
    np.save(tmp_path / "t.npy", GAPS.to_numpy())
    np.save(tmp_path / "genes.npy", GAPS.to_numpy().T)
    expected = GAPS.loc[rows, [*columns]].fillna(GAPS.mean())
    readings = {"t.csv": dict(label="kind"), "t.npy": {}, "genes.npy": dict(transpose=True)}
    for name, how in readings.items():
        problem = read(tmp_path / name, missing=missing, **how)
        assert np.allclose(covariance_of(problem), np.cov(expected.T))
        assert "missing values: 2 " in problem.provenance["notes"][0]
        if name == "t.csv":
            assert [*problem.labels] == ["wxyz"[i] for i in rows]
            assert [*problem.features] == [*columns]


PLAIN = "a,b,c\n1.5,2,3\n4,5.25,6\n7,9,8\n2,1,0\n"
VALUES = [[1.5, 2, 3], [4, 5.25, 6], [7, 9, 8], [2, 1, 0]]


def _decimal(text):
    return text.replace(",", ";").replace(".", ",")


def _german(value):
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


DAYS = ["2024-02-29", "29.02.2024 08:15", "3 May 2024", "May 3, 2024"]
WRONG = {  # what is wrong with a table, and options that its message must advise
    "dates": (lambda d: d.assign(x=DAYS * 10), "--drop x"),
    "text": (lambda d: d.assign(x=["a", "b"] * 20, y="c"), "--label x --drop y"),
    "names": (lambda d: d.assign(x=[f"n{i}" for i in range(40)]), "--drop x"),
    "gaps": (lambda d: d.mask(np.eye(40, 6) > 0), "--missing mean"),
    "no values": (lambda d: d.assign(x=np.nan), "--drop x"),
    "another word": (lambda d: d.astype({"age": object}).replace({"age": {d.age[1]: "?"}}), "na=?"),
    "dashes": (lambda d: d.astype(object).mask(np.eye(40, 6) > 0, "-"), "na=-"),
    "chromosomes": (lambda d: d.assign(x=["X", *range(39)]), "--drop x"),
    "percent signs": (lambda d: d.assign(x="12 %"), "--drop x"),
    "a large column": (lambda d: d.assign(x=1e6 * d.age, y="c"), "--scale"),
    "a name with a comma": (lambda d: d.assign(**{"a, b": "c"}), "--drop"),
    "many": (lambda d: d.assign(**dict.fromkeys("abcdefg", "c")), "--drop text"),
    "a large column of thousands": (
        lambda d: d.assign(x=(1e6 * d.age).map("{:,.2f}".format)).mask(np.eye(40, 7, k=3) > 0),
        "--thousands --missing mean --scale",
    ),
    "infinite": (lambda d: d.replace({"age": {d.age[1]: np.inf}}), "--drop age"),
    "only an id": (lambda d: pd.DataFrame({"id": range(40), "x": ["a", "b"] * 20}), "--label x"),
    "no format": (lambda d: d.assign(x=["1.234,5", "1,234.5"] * 20), "--label x"),
    "thousands": (lambda d: d.assign(x=(1e4 * d.age).map("{:,.2f}".format)), "--thousands"),
    "everything": (
        lambda d: d.mask(np.eye(40, 6) > 0).assign(
            id=range(40), x=DAYS * 10, y=["a", "b"] * 20, z=(1e4 * d.age).map(_german)
        ),
        "--drop x --label y --thousands --missing mean --scale --drop id",
    ),
}


FILES = {"t.csv": dict(sep=","), "t.xlsx": None, "de.csv": dict(sep=";", decimal=",")}
TYPED = ("-k 1", "", "--solver gpower1 --set gamma=0.1")


@pytest.mark.parametrize(("wrong", "file"), [*product(WRONG, FILES)])
def test_a_table_is_refused_once_with_a_command_that_reads_it(wrong, file, spcabench, here):
    change, options = WRONG[wrong]
    frame, style = change(FRAME), FILES[file]
    frame.to_csv(file, index=False, **style) if style else frame.to_excel(file, index=False)
    typed = TYPED[[*FILES].index(file)] if wrong == "text" else "-k 1"
    refused = spcabench("solve", file, *typed.split(), "--checks", "none")
    assert refused.returncode == 2, refused
    message, command = refused.stderr.splitlines()
    assert set(options.split()) <= set(re.split("[ ,]", command.replace("'", "")))
    # with a cardinality, if none was typed and the solver needs one
    assert ("-k" in message, "-k auto" in command) == (not typed, not typed)
    advised = spcabench(*shlex.split(command)[1:])
    assert advised.returncode == 0, (refused.stderr, advised.stderr)


COUNTRIES = [".,", ",.", "'.", "’.", " ,", "\u202f,"]  # thousands separator and decimal mark


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(-(10**11), 10**11), st.booleans()), min_size=2, max_size=5),
    st.sampled_from(COUNTRIES),
)
def test_thousands_separators_are_read_on_request(tmp_path_factory, cents, country):
    values = [cent / 100 if has_cents else cent for cent, has_cents in cents]
    marks = str.maketrans(",.", country)
    words = [
        f"{value:,.{2 * has_cents}f}".translate(marks)
        for value, (_, has_cents) in zip(values, cents, strict=True)
    ]
    path = tmp_path_factory.mktemp("x") / "t.csv"
    pd.DataFrame({"a": words, "b": range(len(words))}).to_csv(path, sep=";", index=False)
    problem = read(path, thousands=True)
    assert np.allclose(problem.mean, [np.mean(values), np.mean(range(len(words)))])


def _numbered(head, line):
    """Return PLAIN with another head; ``line`` is a format for the beginning of each row."""
    return head + "".join(line.format(i, i + 1) + f"{x}\n" for i, x in enumerate(PLAIN[6:].split()))


CERTAIN = {  # a text, for which no note is needed, and what must be declared about it
    "plain": (PLAIN, {}),
    "semicolons": (PLAIN.replace(",", ";"), {}),
    "bars": (PLAIN.replace(",", "|"), {}),
    "spaces": (PLAIN.replace(",", "  "), {}),
    "spaces after commas": (PLAIN.replace(",", ", "), {}),
    "quotes": (re.sub(r"([^,\n]+)", r'"\1"', PLAIN), {}),
    "Windows line ends": (PLAIN.replace("\n", "\r\n"), {}),
    "Macintosh line ends": (PLAIN.replace("\n", "\r"), {}),
    "no last line end": (PLAIN.rstrip(), {}),
    "empty lines": (PLAIN.replace("\n", "\n\n"), {}),
    "commas at the ends": (PLAIN.replace("\n", ",\n"), {}),
    "commas at the ends of numbers": (PLAIN[:6] + PLAIN[6:].replace("\n", ",\n"), {}),
    "an index without a name": (_numbered(",a,b,c\n", "{},"), {}),
    "an index that is called Unnamed": (_numbered("Unnamed: 0,a,b,c\n", "{1},"), {}),
    "an index that was saved twice": (_numbered(",Unnamed: 0,a,b,c\n", "{0},{0},"), {}),
    "numbers of rows": (_numbered("x,a,b,c\n", "{},"), dict(index=True)),
    "text that differs": (_numbered("x,a,b,c\n", "r{},"), dict(index=False, drop=["x"])),
    "carets": (PLAIN.replace(",", "^"), dict(sep="^")),
    "declared spaces": (PLAIN.replace(",", " "), dict(sep="space")),
    "a decimal comma": (_decimal(PLAIN), dict(sep=";", decimal=",")),
}
GUESSED = {  # a text, and the names of its columns; a note states the guess
    "no header": (PLAIN[6:], "123"),
    "decimal commas": (_decimal(PLAIN), "abc"),
    "decimal commas, no header": (_decimal(PLAIN[6:]), "123"),
    "tabs and decimal commas": (_decimal(PLAIN).replace(";", "\t"), "abc"),
    "one more value than names": (_numbered("a,b,c\n", "r{},"), "abc"),
    "names of rows": (_numbered("who,a,b,c\n", "r{},"), "abc"),
    "R's write.table": (_numbered('"a" "b" "c"\n', '"r{}" ').replace(",", " "), "abc"),
    "pandas' names": (PLAIN.replace("a,b,c", "0,1,2"), "012"),
    "pandas' names and index": (_numbered(",0,1,2\n", "{},"), "012"),
    "years as names": (PLAIN.replace("a,b,c", "x,2001,2002"), ["x", "2001", "2002"]),
}
WAYS = {way: (text, "abc", declared) for way, (text, declared) in CERTAIN.items()}
WAYS["separators in names"] = (PLAIN.replace("a,b,c", "a|x,b|y;z,c"), ["a|x", "b|y;z", "c"], {})
WAYS["declared years"] = (PLAIN.replace("a,b,c", "1,2,3"), "123", dict(header=True))
WAYS |= {way: (text, names, {}) for way, (text, names) in GUESSED.items()}


@pytest.mark.parametrize("way", WAYS)
def test_a_table_is_read_as_programs_write_it(way, tmp_path):
    text, names, declared = WAYS[way]
    path = tmp_path / "t.csv"
    marked, packed = text.encode("utf-8-sig"), gzip.compress(text.encode())
    for content in (text.encode(), marked, text.encode("utf-16"), packed):
        path.write_bytes(content)
        problem = read(path, **declared)
        assert list(problem.features) == list(names)
        np.testing.assert_allclose(covariance_of(problem), np.cov(np.transpose(VALUES)))
        assert bool(problem.provenance["notes"]) == (way in GUESSED)


@pytest.mark.parametrize(
    ("first", "separator", "noted"),
    [("12.697", ";", True), ("12.697", "\t", True), ("0.697", ";", False), ("12.697", ",", False)],
)
def test_a_point_that_can_separate_thousands_is_told(first, separator, noted, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"a,b\n{first},1\n6.362,2\n1.811,4\n".replace(",", separator))
    notes = " ".join(read(path).provenance["notes"])
    assert ("--thousands" in notes) == noted


def test_names_that_occur_twice_and_numbers_in_place_of_names_are_told(tmp_path):
    path = tmp_path / "t.csv"
    for first, names, told in (
        ("a,b,a", ["a", "b", "a.1"], "2 columns are named a"),
        ("1,2,7", ["1", "2", "3"], "numbered from 1"),
    ):
        path.write_text(f"{first}\n6,2,1\n1,4,5\n3,3,3\n")
        problem = read(path)
        assert list(problem.features) == names
        assert told in " ".join(problem.provenance["notes"])


CONTRADICTIONS = [
    *(dict(covariance=True) | other for other in (dict(scale=True), dict(label="a"))),
    *(dict(transpose=True) | other for other in (dict(covariance=True), dict(label="a"))),
    *(dict(missing="zero"), dict(sep="ab"), dict(sep='"'), dict(decimal="x"), dict(encoding="x")),
    dict(sep=",", decimal=","),
]


def test_a_reading_that_makes_no_sense_is_refused():
    for how in CONTRADICTIONS:
        with pytest.raises(InputError, match="--"):
            user_file.Reading(**how).check()


def test_encodings_missing_words_and_sheets_are_guessed_or_declared(tmp_path):
    lines = ["größe,b", *["1,2", "4,4"] * 40_000, "?,5"]
    (tmp_path / "t.csv").write_bytes("\n".join(lines).encode("cp1252"))  # as Excel writes it
    with pytest.raises(table.TableError, match=r"column größe has words .*in row 80001") as caught:
        read(tmp_path / "t.csv")  # a word in a later block than numbers
    assert "na=?" in caught.value.advice
    for encoding in (None, "cp1252"):
        problem = read(tmp_path / "t.csv", encoding=encoding, na="?", missing="rows")
        assert problem.features == ("größe", "b") and problem.m == 80_000
        notes = [note for note in problem.provenance["notes"] if "cp1252" in note]
        assert len(notes) == (encoding is None)
    with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
        pd.DataFrame({"about": ["x", "y"]}).to_excel(book, sheet_name="one", index=False)
        FRAME.to_excel(book, sheet_name="two", index=False)
    with pytest.raises(InputError, match="--read key=two"):
        read(tmp_path / "t.xlsx")
    assert list(read(tmp_path / "t.xlsx", key="two").features) == NAMES


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
@pytest.mark.parametrize(("form", "field"), [*product("as", ("real", "integer")), ("s", "pattern")])
def test_every_kind_of_matrix_market_has_the_numbers_that_it_promises(
    symmetry, form, field, tmp_path
):
    A = np.random.default_rng(0).integers(0, 3, (5, 5))
    A = {"general": A[:, :3], "symmetric": A + A.T, "skew-symmetric": A - A.T}[symmetry]
    A = np.minimum(A, 1) if field == "pattern" else A
    file = tmp_path / "a.mtx"
    scipy.io.mmwrite(file, A if form == "a" else sp.coo_array(A), field=field, symmetry=symmetry)
    text = file.read_text()
    if field != "pattern" or symmetry != "skew-symmetric":
        found = matrix_market.read(file)
        np.testing.assert_array_equal(found.toarray() if form == "s" else found, A)
    for wrong in (text[: text[:-1].rindex("\n") + 1], f"{text}1\n"):
        file.write_text(wrong)
        with pytest.raises(InputError):
            matrix_market.read(file)


def test_a_series_matrix_of_geo_has_lines_around_its_table(tmp_path):
    lines = ['!Series_title\t"a, b, and c"', "", '!Sample_title\t"x!"\t"y"', "!table_begin"]
    lines += ["\t".join(['"ID_REF"', *(f'"GSM{i}"' for i in range(40))])]
    lines += ["\t".join([f'"{name}"', *map(str, x)]) for name, x in zip(NAMES, X.T, strict=True)]
    file = tmp_path / "series_matrix.txt.gz"
    file.write_bytes(gzip.compress("\n".join([*lines, "!table_end", ""]).encode()))
    problem = read(file, transpose=True)
    assert (problem.m, list(problem.features)) == (40, NAMES)
    np.testing.assert_allclose(covariance_of(problem), np.cov(X.T))


def test_genes_of_10x_genomics_are_named_by_the_first_field(tmp_path):
    counts = np.random.default_rng(2).poisson(1.0, (3, 9))
    scipy.io.mmwrite(tmp_path / "matrix.mtx", sp.coo_array(counts), field="integer")
    rows = "".join(f"ENSG{i}\tMIR\tGene Expression\n" for i in range(3))
    (tmp_path / "features.tsv.gz").write_bytes(gzip.compress(rows.encode()))
    names = tmp_path / "features.tsv.gz"
    problem = read(tmp_path / "matrix.mtx", transpose=True, names=names)
    assert (problem.form, problem.features) == ("sparse", ("ENSG0", "ENSG1", "ENSG2"))
    np.testing.assert_allclose(covariance_of(problem), np.cov(counts))


def test_genes_in_rows_are_transposed(tmp_path):
    genes = FRAME.T.reset_index(names="gene").assign(kind="protein")
    genes.columns = genes.columns.astype(str)
    genes.to_csv(tmp_path / "t.csv", index=False)
    problem = read(tmp_path / "t.csv", transpose=True, drop=["text"])
    assert (problem.m, problem.n, list(problem.features)) == (40, 6, NAMES)
    np.testing.assert_allclose(covariance_of(problem), np.cov(X.T))
    with pytest.raises(table.TableError) as caught:
        read(tmp_path / "t.csv", transpose=True)
    assert caught.value.advice[:2] == ["--drop", "text"]
    FRAME.T.to_csv(tmp_path / "u.csv", index=False)
    assert [*read(tmp_path / "u.csv", transpose=True).features] == [*"123456"]


NOTED = {  # name and values of a first column -> whether a note proposes to drop it
    ("id", "numbers"): (range(40), True),
    ("patient_id", "permuted"): (RNG.permutation(40) + 1000, True),
    ("x", "counting"): (range(1, 41), True),
    ("site", "constant"): (np.ones(40), False),
    ("id", "repeated"): (np.repeat(range(20), 2), False),
    ("x", "permuted"): (RNG.permutation(40), False),
}


@pytest.mark.parametrize("case", NOTED, ids=str)
def test_a_column_that_could_be_left_out_is_noted_and_remains(case, tmp_path):
    values, numbers_rows = NOTED[case]
    FRAME.assign(**{case[0]: values})[[case[0], *NAMES]].to_csv(tmp_path / "t.csv", index=False)
    problem = read(tmp_path / "t.csv")
    assert problem.n == 7
    notes = " ".join(problem.provenance["notes"])
    assert (f"--drop {case[0]}" in notes) == numbers_rows
    assert ("loadings are zero: site" in notes) == (case[0] == "site")


MIXED = {
    "a": [*map(decimal.Decimal, ("1.5", "2", "4", "1"))],  # of a database
    "b": pd.array([True, False, None, True], dtype="boolean"),
    "c": pd.array([3, 1, None, 2], dtype="Int64"),
}


@pytest.mark.parametrize("values", [[datetime.date(2020, 1, 1)] * 4, ["a", "b"] * 2])
def test_columns_of_other_types_are_numbers_with_gaps_or_text(values, tmp_path):
    pd.DataFrame(MIXED | {"x": values}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"column x has .*missing values: 2 "):
        read(tmp_path / "t.parquet")
    problem = read(tmp_path / "t.parquet", drop=["text"], missing="mean")
    assert problem.features == (*"abc",)
    np.testing.assert_allclose(problem.mean, [2.125, 2 / 3, 2])


def test_new_samples_are_those_of_the_variables_of_a_model(tmp_path):
    def samples(name, **how):
        """Read the values of the variables dose and age, and the names of the samples."""
        reading, used = user_file.Reading(**how), np.array([4, 0])
        choose = lambda names: [names.index("dose"), names.index("age")]  # noqa: E731
        return new_samples.read(tmp_path / name, reading, choose, ["dose", "age"], used, 6, [])

    X_with_gaps = np.where(X[7, 4] == X, np.nan, X)
    FRAME.T.to_csv(tmp_path / "genes.csv")
    np.save(tmp_path / "gap.npy", X_with_gaps)
    values, names = samples("genes.csv", transpose=True)
    np.testing.assert_array_equal(values, X[:, [4, 0]])
    assert names[0] == "0"
    with pytest.raises(InputError, match=r"in 5 \(1\)"):
        samples("gap.npy")
    np.testing.assert_array_equal(samples("gap.npy", missing="mean")[0], X_with_gaps[:, [4, 0]])
    values, names = samples("gap.npy", missing="rows")
    np.testing.assert_array_equal(values, np.delete(X, 7, axis=0)[:, [4, 0]])
    assert names == [str(i) for i in range(1, 41) if i != 8]


def test_more_rows_than_memory_is_advised_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "free_memory", lambda: 0.0)
    for name, make in WRITE.items():
        make(tmp_path / name)
        if name == "t.npy":  # not read but mapped into memory
            continue
        with pytest.raises(InputError, match="covariance from blocks"):
            read(tmp_path / name)


def test_a_line_may_be_as_long_as_a_genome(tmp_path):
    """A table of 9,000 columns has lines longer than the limit of Python's reader."""
    X = np.random.default_rng(0).standard_normal((4, 9_000))
    names = [f"gene number {j}" for j in range(X.shape[1])]
    pd.DataFrame(X, columns=names).to_csv(tmp_path / "genes.csv", index=False)
    problem = read(tmp_path / "genes.csv")
    assert np.allclose(problem.mean, X.mean(axis=0)) and [*problem.features] == names
