"""A reader of text tables written by other programs, gzipped or not.

Each guess serves a program, and can be overridden: semicolons and decimal commas (Excel in Germany,
R's write.csv2), tabs and UTF-16 (Excel's Unicode text), Western European characters (Excel's CSV),
bars (Oracle, polars), spaces and a header without the row names (R's write.table, numpy.savetxt), a
separator at the end of each line (SQL*Plus), and lines that begin with ! (GEO's series matrix).
"""

import csv
import io
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
import pandas as pd

from spcabench.errors import InputError
from spcabench.readers.opening import calling_library, open_text
from spcabench.readers.reading import SPACES, Reading

SAMPLE = 200  # maximum number of lines read to detect the style of a table
ENOUGH = 10**6  # number of characters after which no further line is read for detecting the style
LONGEST = 4 * 10**7  # characters of a line; a million fields of a table need half of this
HEAD = 1 << 16  # number of bytes read to detect the encoding
UTF_8 = "utf-8-sig"  # with or without a byte order mark
WESTERN = "cp1252"  # Excel's encoding of CSV in Western Europe
SEPARATORS = "\t;|,"  # the comma is last, because it can be a decimal comma
COMMENT = "!"  # starts the lines before and after the table in GEO's series matrix files
# numbers with thousands separators, by their decimal mark: 40.500,06 and 40,500.06
GROUPED = {
    ",": re.compile(r"[+-]?\d{1,3}(?:[.'’\s]\d{3})*(?:,\d+)?"),
    ".": re.compile(r"[+-]?\d{1,3}(?:[,'’\s]\d{3})*(?:\.\d+)?"),
}
OTHER = {".": ",", ",": "."}
POINTED = re.compile(
    r"[+-]?[1-9]\d{0,2}\.\d{3}"
)  # a number with one point, which can be either mark
csv.field_size_limit((1 << 31) - 1)  # with a wrong separator, a whole line is a single field


class Style(NamedTuple):
    """The detected style of a text table.

    header : whether its first line contains names. padded : whether lines end with a separator.
    spaced : whether spaces follow separators.
    """

    separator: str
    decimal: str
    header: bool
    padded: bool
    spaced: bool


def read(path: Path, how: Reading, notes: list[str]) -> pd.DataFrame:
    """Read a text table, and append a note for each guess about its style.

    If the first line contains a word that is not a number, or numbers the columns from 0, it is
    used as the header.
    """
    encodings = [how.encoding or _encoding(path)]
    encodings += [WESTERN] if encodings == [UTF_8] and how.encoding is None else []
    for encoding in encodings:
        with suppress(UnicodeError):
            frame = _read(path, encoding, how, notes)
            if how.encoding is None and encoding == WESTERN:
                notes.append(
                    f"not UTF-8 text, so it is read as {WESTERN} (Excel in Western Europe); for "
                    "another encoding, use --read encoding=NAME"
                )
            return frame
    name = encodings[0].removesuffix("-sig")
    raise InputError(f"not {name} text; declare its encoding with --read encoding=NAME")


def _read(path: Path, encoding: str, how: Reading, notes: list[str]) -> pd.DataFrame:
    """Read a text table in an encoding; raise UnicodeError if it has another one."""
    with _opened(path, encoding) as stream:
        lines, comment = _sample(stream)
    if not lines:
        raise InputError("the file is empty")
    style = _style(lines, how)
    frame = _parsed(path, encoding, style, comment, how.na)
    if frame.empty and style.header:
        raise InputError("no rows after the header; at least one sample is needed")
    _remark(lines, style, how, notes)
    return _named(frame, style.header, notes)


def _encoding(path: Path) -> str:
    with open_text(path) as stream:
        head = stream.read(HEAD)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if b"\0" in head:
        raise InputError("contains zero bytes, so it is not a text table")
    return UTF_8


@contextmanager
def _opened(path: Path, encoding: str) -> Iterator[IO[str]]:
    with (
        open_text(path) as stream,
        io.TextIOWrapper(stream, encoding=encoding, newline="") as text,
    ):
        yield text


def _sample(stream: IO[str]) -> tuple[list[str], str | None]:
    """Return the first lines of a table (fewer if they are long), and the sign of comments."""
    lines: list[str] = []
    comment = None
    for line in filter(str.strip, iter(partial(stream.readline, LONGEST), "")):
        if not lines and line.startswith(COMMENT):
            comment = COMMENT
        if comment is None or not line.startswith(comment):
            lines.append(line)
        if len(lines) == SAMPLE or sum(map(len, lines)) > ENOUGH:
            break
    return lines, comment


def _style(lines: list[str], how: Reading) -> Style:
    """Detect the parts of a style that are not declared."""
    separator = how.separator or _separator(lines)
    rows = [_fields(line, separator) for line in lines]
    # if commas separate fields, the comma in a quoted "1,234" can be a thousands separator
    words = [] if separator == "," else [word for row in rows for word in row]
    decimal = how.decimal or (decimal_of(words) if how.thousands else _decimal(words))
    header = how.header
    if header is None:
        header = _is_default(rows[0]) or not all(is_number(word, decimal) for word in rows[0])
    # every line except the header ends with a separator
    ends = [len(row) == len(rows[0]) + 1 and not row[-1] for row in rows[1:]]
    padded = header and ends != [] and all(ends)
    return Style(separator, decimal, header, padded, any(f"{separator} " in line for line in lines))


def _decimal(words: Sequence[str]) -> str:
    """Return a comma if numbers have decimal commas and none has a decimal point."""
    points, commas = (
        any(mark in word and number_in(word, mark, False) is not None for word in words)
        for mark in OTHER
    )
    return "," if commas and not points else "."


def _is_default(words: list[str]) -> bool:
    """Whether words are the names that pandas gives to columns, 0 to n - 1, after its index."""
    names = words[1:] if words[0] == "" else words
    return len(names) > 2 and names == [str(j) for j in range(len(names))]


def _fields(line: str, separator: str) -> list[str]:
    if separator == SPACES:
        return [word.strip('"') for word in line.split()]
    rows = list(csv.reader([line], delimiter=separator, skipinitialspace=True))
    return [word.strip() for word in rows[0]] if rows else []


def _separator(lines: list[str]) -> str:
    """Return the separator that splits all lines into the same number of fields.

    The first line can have one field less, because R's write.table omits the header of the row
    names. If no separator does so, return the most frequent one in the first line.
    """
    for mark in (*SEPARATORS, SPACES):
        first, *others = (len(_fields(line, mark)) for line in lines)
        widths = {*others} or {first}
        if len(widths) == 1 and widths != {1} and first - max(widths) in (0, -1):
            return mark
    return max(reversed(SEPARATORS), key=lines[0].count)


def is_number(word: str, decimal: str = ".") -> bool:
    """Whether a word is a number or empty."""
    try:
        float(word.strip().replace(decimal, ".") or "nan")
    except ValueError:
        return False
    return True


def number_in(word: str, decimal: str, thousands: bool = True) -> float | None:
    """Return the number in a word, or None; ``thousands``: whether it can have separators."""
    if thousands and GROUPED[decimal].fullmatch(word):
        return float(re.sub(r"[^\d+-]", lambda mark: "." if mark[0] == decimal else "", word))
    plain = word.replace(decimal, ".", 1)
    valid = word and not {OTHER[decimal], "_"} & {*word} and is_number(plain)
    return float(plain) if valid else None


def decimal_of(words: Sequence[str]) -> str:
    """Return the decimal mark with which most words are numbers with thousands separators."""

    def fits(decimal: str) -> tuple[int, int]:
        found = [word for word in words if number_in(word, decimal) is not None]
        return len(found), sum(OTHER[decimal] in word for word in found)

    return max(OTHER, key=fits)


def _parsed(
    path: Path, encoding: str, style: Style, comment: str | None, na: str | None
) -> pd.DataFrame:
    parse = partial(
        pd.read_csv,
        sep=style.separator,
        decimal=style.decimal,
        header=0 if style.header else None,
        index_col=False if style.padded else None,
        comment=comment,
        na_values=na,
        skipinitialspace=style.spaced,  # takes a tenth of the time
    )
    with calling_library(path, UnicodeError), warnings.catch_warnings():
        # pandas warns before it drops values that have no column name
        warnings.simplefilter("error", pd.errors.ParserWarning)
        warnings.simplefilter("error", pd.errors.DtypeWarning)
        try:  # in blocks, which pandas joins faster than columns
            with _opened(path, encoding) as stream:
                frame = parse(stream)
        except pd.errors.DtypeWarning:  # a column has numbers in one block and text in another
            with _opened(path, encoding) as stream:
                frame = parse(stream, low_memory=False)
    # pandas stores each column separately, which would slow down later steps for wide tables
    if (frame.dtypes == np.float64).all():
        return pd.DataFrame(frame.to_numpy(), frame.index, frame.columns, copy=False)
    return frame.copy()


def _remark(lines: list[str], style: Style, how: Reading, notes: list[str]) -> None:
    """Append a note for each guess that could be wrong."""
    first, *others = (_fields(line, style.separator) for line in lines)
    numbers = sum(word != "" and is_number(word, style.decimal) for word in first)
    if how.header is None and not style.header:
        notes.append(
            "the first line has only numbers, so it is data, and variables are numbered from 1; "
            "for names, use --read header=yes"
        )
    elif how.header is None and numbers:
        notes.append(
            f"the first line is read as column names, although {numbers} of its {len(first)} words "
            "are numbers; if it is data, use --read header=no"
        )
    [(name, count)] = Counter(filter(None, first)).most_common(1) or [("", 0)]
    if style.header and count > 1:
        notes.append(f"{count} columns are named {name}; they are read as {name}, {name}.1, ...")
    if how.decimal is None and style.decimal == ",":
        words = (word for row in [first, *others] for word in row if "," in word)
        read = ((word, number_in(word, ",")) for word in words)
        for word, value in islice((r for r in read if r[1] is not None), 1):
            notes.append(f"decimal commas: {word} is read as {value:.15g}")
    # a table in English separates its fields by commas
    if (
        style.decimal == "."
        and how.decimal is None
        and not how.thousands
        and style.separator != ","
    ):
        pointed = [word for row in others for word in row if "." in word and is_number(word)]
        if pointed and all(map(POINTED.fullmatch, pointed)):
            notes.append(
                f"decimal points: {pointed[0]} is read as {float(pointed[0]):g}; if points "
                "separate thousands, use --thousands"
            )


def _named(frame: pd.DataFrame, header: bool, notes: list[str]) -> pd.DataFrame:
    """Return the table with strings as column names and with row names as the first column."""
    if isinstance(frame.index, pd.MultiIndex):
        raise InputError(f"the lines have {frame.index.nlevels} more values than the first line")
    if not isinstance(frame.index, pd.RangeIndex):
        notes.append(
            "the lines have one more value than the header, so the first value is read as a row "
            "name"
        )
        frame = frame.reset_index(names="")
    if not header:
        return frame.set_axis([str(j + 1) for j in range(frame.shape[1])], axis=1)
    unnamed = frame.columns.astype(str).str.startswith("Unnamed: ")
    empty = [name for name in frame.columns[unnamed] if frame[name].isna().all()]
    frame = frame.drop(columns=empty) if empty else frame  # which would be a copy
    return frame.set_axis([str(name).strip() for name in frame.columns], axis=1)
