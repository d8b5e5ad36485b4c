"""A reader of text tables written by other programs, gzipped or not.

Fields can be separated by commas, semicolons, tabs, bars or spaces. Numbers can have decimal points
or decimal commas. The encoding can be UTF-8, UTF-16 or UTF-32.
"""

import csv
import io
import itertools
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import pandas as pd

from spcabench.errors import InputError
from spcabench.readers import sizes

SAMPLE = 200  # maximum number of lines read to detect the style of a table
ENOUGH = 10**6  # number of characters after which no further line is read for detecting the style
HEAD = 1 << 16  # number of bytes read to detect the encoding
FIELD = 24.0  # bytes of memory that a field needs while it is read, in addition to its text
SEPARATORS = "\t;|,"  # the comma is last, because it can be a decimal comma
SPACES = r"\s+"
MARKS = {  # byte order marks; longer ones come first, because they can begin with a shorter one
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
COMMA_NUMBER = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.IGNORECASE)
POINT_NUMBER = re.compile(r"[+-]?\d*\.\d+(e[+-]?\d+)?", re.IGNORECASE)
# numbers in formats that Python does not parse: 1.234,5 and 1'234 and 12 %
NUMBER_LIKE = re.compile(r"[+-]?[\d.,'’\s]*\d\s*%?")
csv.field_size_limit((1 << 31) - 1)  # with a wrong separator, a whole line is a single field
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # spreadsheets evaluate cells that start with these
SAVE = "save the file as UTF-8, for example: iconv -f latin1 -t utf-8 OLD > NEW"


@dataclass(frozen=True)
class Style:
    """The style of a text table.

    header : whether the first line contains the column names. padded : whether every line of
        numbers ends with a separator.
    """

    separator: str
    decimal: str
    header: bool
    padded: bool


def read(path: Path, notes: list[str]) -> pd.DataFrame:
    """Read a text table, and append a note for each guess about its style.

    If the first line contains a word that is not a number, it is used as the header.
    """
    sizes.afford(path, float(sizes.unpacked(path, FIELD)))
    encoding = _encoding(path)
    try:
        with _opened(path, encoding) as stream:
            lines = [line for line in _sample(stream) if line.strip()]
        if not lines:
            raise InputError("the file is empty")
        if re.fullmatch(r'"?sep=.\s*"?\s*', lines[0]):
            raise InputError(
                f"{path}: remove its first line, {lines[0].strip()!r}, which is no table"
            )
        style = _style(lines)
        frame = _parsed(path, encoding, style)
        if frame.empty and style.header:
            raise InputError(
                f"{path}: the header is followed by no rows; at least one sample is needed"
            )
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise InputError(f"{path}: not UTF-8 text (byte 0x{byte:02x}): {SAVE}") from None
    except pd.errors.ParserError as error:
        raise InputError(f"{path}: {_unparsed(str(error), lines[0])}") from None
    _remark(lines, style, notes)
    return _named(path, frame, style, notes)


def _unparsed(message: str, first: str) -> str:
    """Return the reason why pandas cannot parse a table, in words for users."""
    if widths := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message):
        expected, line, there = widths.groups()
        start = first.strip()[:20]
        comment = f"; if {start!r} is a comment, remove it" if start[0] in "#%" else ""
        return f"line {line} has {there} values, but the lines before it have {expected}{comment}"
    if row := re.search(r"EOF inside string starting at row (\d+)", message):
        return f"a quotation mark in line {int(row[1]) + 1} or after it is never closed"
    return f"not a readable table ({' '.join(message.split())})"


def _encoding(path: Path) -> str:
    with sizes.open_text(path) as stream:
        head = stream.read(HEAD)
    for mark, encoding in MARKS.items():
        if head.startswith(mark):
            return encoding
    if b"\x00" in head:
        raise InputError(
            f"{path}: contains zero bytes, so it is not text, or it is UTF-16 without a byte order "
            "mark; save the file as UTF-8"
        )
    return "utf-8"


def _sample(stream: IO[str]) -> Iterator[str]:
    """Yield the first lines of a text (fewer if they are long)."""
    read = 0
    for line in itertools.islice(stream, SAMPLE):
        yield line
        read += len(line)
        if read > ENOUGH:
            return


def _opened(path: Path, encoding: str) -> IO[str]:
    return io.TextIOWrapper(sizes.open_text(path), encoding=encoding, newline="")


def _style(lines: list[str]) -> Style:
    separator = _separator(lines)
    rows = [_fields(line, separator) for line in lines]
    words = [word for row in rows for word in row]
    commas = any(map(COMMA_NUMBER.fullmatch, words))
    # if commas separate fields, the comma in a quoted "1,234" can be a thousands separator
    decimal = (
        "," if commas and separator != "," and not any(map(POINT_NUMBER.fullmatch, words)) else "."
    )
    header = not all(is_number(word, decimal) for word in rows[0])
    below = rows[1:] if header else []
    padded = bool(below) and all(len(r) == len(rows[0]) + 1 and not r[-1] for r in below)
    return Style(separator, decimal, header, padded)


def _fields(line: str, separator: str) -> list[str]:
    if separator == SPACES:
        return line.split()
    rows = list(csv.reader([line], delimiter=separator, skipinitialspace=True))
    return [word.strip() for word in rows[0]] if rows else []


def _separator(lines: list[str]) -> str:
    """Return the character that splits all lines into the same number of fields.

    If no character does so, return the most frequent separator in the first line.
    """
    for mark in SEPARATORS:
        widths = {len(_fields(line, mark)) for line in lines}
        if len(widths) == 1 and widths != {1}:
            return mark
    if any(mark in lines[0] for mark in SEPARATORS):
        return max(reversed(SEPARATORS), key=lines[0].count)
    first, *lengths = (len(line.split()) for line in lines)
    widths = {*lengths} or {first}
    # R omits the header of the row names
    even = len(widths) == 1 and widths != {1} and first - max(widths) in (0, -1)
    return SPACES if even else ","


def guarded(name: str) -> str:
    """Return a name as a table cell, with an apostrophe if spreadsheets would evaluate it."""
    return f"'{name}" if name.startswith(FORMULA) and not is_number(name) else name


def unguarded(cell: str) -> str:
    """Return the name in a table cell, without the apostrophe added by `guarded`."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell


def is_number(word: str, decimal: str = ".") -> bool:
    """Whether a word is a number or empty."""
    try:
        float(word.strip().strip('"').replace(decimal, ".") or "nan")
    except ValueError:
        return False
    return True


def _parsed(path: Path, encoding: str, style: Style) -> pd.DataFrame:
    with _opened(path, encoding) as stream, warnings.catch_warnings():
        # pandas warns before it drops values that have no column name
        warnings.simplefilter("error", pd.errors.ParserWarning)
        frame = pd.read_csv(
            stream,
            sep=style.separator,
            decimal=style.decimal,
            header=0 if style.header else None,
            index_col=False if style.padded else None,
            low_memory=False,
            skipinitialspace=True,
        )
    # pandas stores each column separately, which would slow down later steps for wide tables
    return frame.copy()


def note_repeated(names: list[str], notes: list[str]) -> None:
    """Append a note if several columns have the same name."""
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        shown = ", ".join(map(repr, twice[:3])) + (", ..." if len(twice) > 3 else "")
        notes.append(f"several columns are named {shown}; .1, .2, ... is added to repeated names")


def _remark(lines: list[str], style: Style, notes: list[str]) -> None:
    """Append a note for each guess that could be wrong."""
    first = _fields(lines[0], style.separator)
    if style.header:
        note_repeated(first, notes)
    numbers = sum(word != "" and is_number(word, style.decimal) for word in first)
    if not style.header:
        notes.append("the first line contains only numbers and is read as data, not as names")
    elif numbers:
        notes.append(
            f"the first line is read as column names, although {numbers} of its {len(first)} words "
            f"{'is a number' if numbers == 1 else 'are numbers'}"
        )
    if style.decimal == ",":
        words = (word for line in lines for word in _fields(line, style.separator))
        shown = next(filter(COMMA_NUMBER.fullmatch, words))
        notes.append(f"decimal commas: {shown} is read as {shown.replace(',', '.')}")


def _named(path: Path, frame: pd.DataFrame, style: Style, notes: list[str]) -> pd.DataFrame:
    """Return the table with strings as column names and with row names as the first column."""
    if isinstance(frame.index, pd.MultiIndex):
        raise InputError(
            f"{path}: the lines have {frame.index.nlevels} more values than the header has names"
        )
    if not isinstance(frame.index, pd.RangeIndex):
        notes.append(
            "the lines have one more value than the header, so the first value is read as a row "
            "name"
        )
        frame = frame.reset_index(drop=True)
    if style.header:
        empty = [
            str(name).startswith("Unnamed: ") and frame.iloc[:, j].isna().all()
            for j, name in enumerate(frame.columns)
        ]
        frame = frame.loc[:, ~np.array(empty, dtype=bool)]
        return frame.set_axis([unguarded(str(name).strip()) for name in frame.columns], axis=1)
    return frame.set_axis([str(j + 1) for j in range(frame.shape[1])], axis=1)
