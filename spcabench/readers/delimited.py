"""A reader of text tables written by other programs, gzipped or not.

Fields can be separated by commas, semicolons, tabs, bars or spaces. Numbers can have decimal points
or decimal commas. The encoding can be UTF-8 or UTF-16. Each guess can be overridden.
"""

import codecs
import csv
import io
import itertools
import re
import shlex
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pandas as pd

from spcabench.errors import InputError
from spcabench.readers import sizes

SAMPLE = 200  # maximum number of lines read to detect the style of a table
ENOUGH = 10**6  # number of characters after which no further line is read for detecting the style
HEAD = 1 << 16  # number of bytes read to detect the encoding
SEPARATORS = "\t;|,"  # the comma is last, because it can be a decimal comma
SPACES = r"\s+"
COMMENT = "!"  # starts the lines before and after the table in GEO's series matrix files
COMMA_NUMBER = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.IGNORECASE)
POINT_NUMBER = re.compile(r"[+-]?\d*\.\d+(e[+-]?\d+)?", re.IGNORECASE)
# numbers with thousands separators, by their decimal mark: 40.500,06 and 40,500.06
GROUPED = {
    ",": re.compile(r"[+-]?\d{1,3}(?:[.'’\s]\d{3})*(?:,\d+)?"),
    ".": re.compile(r"[+-]?\d{1,3}(?:[,'’\s]\d{3})*(?:\.\d+)?"),
}
csv.field_size_limit((1 << 31) - 1)  # with a wrong separator, a whole line is a single field
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # spreadsheets evaluate cells that start with these


class TableError(InputError):
    """A table that can be read with the options in `advice`."""

    def __init__(self, message: str, advice: Sequence[str]) -> None:
        super().__init__(message)
        self.advice = shlex.join(advice)


@dataclass(frozen=True)
class Style:
    """The style of a text table. As an argument, None means that a part is detected.

    header : whether the first line contains the column names. encoding : of the file.
    """

    separator: str | None = None
    decimal: str | None = None
    header: bool | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        """Raise InputError if a part is not one that a table can have."""
        if self.separator is not None and (
            self.separator != SPACES and (len(self.separator) != 1 or self.separator in "\"'\r\n.")
        ):
            raise InputError(
                f"--read sep: {self.separator!r:.40}; it must be one character, or tab or space"
            )
        if self.decimal not in (None, ".", ","):
            raise InputError(f"--read decimal: {self.decimal!r:.40}; it must be . or ,")
        if self.decimal is not None and self.decimal == self.separator:
            raise InputError("--read decimal: must differ from sep")
        try:
            codecs.lookup(self.encoding or "utf-8")
        except LookupError:
            raise InputError(f"--read encoding: {self.encoding!r:.40} is not an encoding") from None


def read(
    path: Path, given: Style, notes: list[str], thousands: bool = False, na: str | None = None
) -> pd.DataFrame:
    """Read a text table, and append a note for each guess about its style.

    If the first line contains a word that is not a number, it is used as the header. na : a word
    that means a missing value.
    """
    sizes.unpacked(path, sizes.FIELD)
    encoding = given.encoding or _encoding(path)
    try:
        with _opened(path, encoding) as stream:
            lines, comment = _sample(stream)
        if not lines:
            raise InputError(f"{path}: the file is empty")
        if re.fullmatch(r'"?sep=.\s*"?\s*', lines[0]):  # a line for Excel
            raise InputError(f"{path}: remove its first line, {lines[0].strip()!r}")
        style = _style(lines, given, thousands)
        frame = _parsed(path, encoding, style, comment, _is_padded(lines, style), na)
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        declared = ["--read", "encoding=cp1252"]  # Excel saves CSV in it in Western Europe
        raise TableError(
            f"{path}: not {encoding.removesuffix('-sig').upper()} text (byte 0x{byte:02x})",
            declared,
        ) from None
    except pd.errors.ParserError as error:
        found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
        if found is None:
            raise
        raise InputError(
            f"{path}: line {found[2]} has {found[3]} values, but earlier lines have {found[1]}; "
            "mend it, or specify the separator with --read sep="
        ) from None
    if frame.empty and style.header:
        raise InputError(f"{path}: no rows after the header; at least one sample is needed")
    _remark(lines, style, given, notes)
    return _named(path, frame, bool(style.header), notes)


def _encoding(path: Path) -> str:
    with sizes.open_text(path) as stream:
        head = stream.read(HEAD)
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if (b"\0\0\0" if wide else b"\0") in head:
        raise InputError(
            f"{path}: contains zero bytes, so it is not UTF-8, nor UTF-16 with a byte order mark; "
            "save the file as UTF-8"
        )
    return "utf-16" if wide else "utf-8-sig"


def _sample(stream: Iterable[str]) -> tuple[list[str], str | None]:
    """Return the first lines of a table (fewer if they are long), and the sign of comments."""
    filled = (line for line in stream if line.strip())
    first = next(filled, "")
    comment = COMMENT if first.startswith(COMMENT) else None
    lines: list[str] = []
    size = 0
    for line in itertools.chain([first] * bool(first), filled):
        if comment is None or not line.startswith(comment):
            lines.append(line)
            size += len(line)
        if len(lines) == SAMPLE or size > ENOUGH:
            break
    return lines, comment


def _opened(path: Path, encoding: str) -> IO[str]:
    return io.TextIOWrapper(sizes.open_text(path), encoding=encoding, newline="")


def _style(lines: list[str], given: Style, thousands: bool) -> Style:
    separator = given.separator or _separator(lines)
    rows = [_fields(line, separator) for line in lines]
    words = [word for row in rows for word in row]
    commas = any(map(COMMA_NUMBER.fullmatch, words))
    points = any(map(POINT_NUMBER.fullmatch, words))
    # if commas separate fields, the comma in a quoted "1,234" can be a thousands separator
    decimal = given.decimal or ("," if commas and separator != "," and not points else ".")
    if thousands and given.decimal is None and separator != ",":
        decimal = decimal_of(words)
    header = not all(is_number(word, decimal) for word in rows[0])
    return Style(separator, decimal, header if given.header is None else given.header)


def _is_padded(lines: list[str], style: Style) -> bool:
    """Whether every line except the header ends with a separator."""
    first, *below = (_fields(line, str(style.separator)) for line in lines)
    longer = all(len(row) == len(first) + 1 and not row[-1] for row in below)
    return bool(style.header and below and longer)


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


def number_in(word: str, decimal: str) -> float | None:
    """Return the number in a word that can have thousands separators, or None."""
    if GROUPED[decimal].fullmatch(word):
        return float(re.sub(r"[^\d+-]", lambda mark: "." if mark[0] == decimal else "", word))
    plain = word.replace(",", ".", 1) if decimal == "," and "." not in word else word
    return float(plain) if word and "_" not in word and is_number(plain) else None


def decimal_of(words: Sequence[str]) -> str:
    """Return the decimal mark of numbers with thousands separators."""

    def fits(decimal: str) -> tuple[int, int]:
        found = [word for word in words if number_in(word, decimal) is not None]
        return len(found), sum(("." if decimal == "," else ",") in word for word in found)

    return max((".", ","), key=fits)


def _parsed(
    path: Path, encoding: str, style: Style, comment: str | None, padded: bool, na: str | None
) -> pd.DataFrame:
    with _opened(path, encoding) as stream, warnings.catch_warnings():
        # pandas warns before it drops values that have no column name
        warnings.simplefilter("error", pd.errors.ParserWarning)
        frame = pd.read_csv(
            stream,
            sep=style.separator,
            decimal=str(style.decimal),
            header=0 if style.header else None,
            index_col=False if padded else None,
            comment=comment,
            na_values=na,
            low_memory=False,
            skipinitialspace=True,
        )
    # pandas stores each column separately, which would slow down later steps for wide tables
    return frame.copy()


def _remark(lines: list[str], style: Style, given: Style, notes: list[str]) -> None:
    """Append a note for each guess that could be wrong."""
    first = _fields(lines[0], str(style.separator))
    decimal = str(style.decimal)
    twice = [name for name, count in Counter(first).items() if count > 1]
    if style.header and twice:
        notes.append(f"several columns are named {twice[0]!r}; .1, .2, ... is added to such names")
    numbers = sum(word != "" and is_number(word, decimal) for word in first)
    if given.header is None and not style.header:
        notes.append(
            "the first line contains only numbers and is read as data, not as names; if these are "
            "names, use --read header=yes"
        )
    elif given.header is None and numbers:
        notes.append(
            f"the first line is read as column names, although {numbers} of its {len(first)} words "
            "are numbers; if it is data, use --read header=no"
        )
    if given.decimal is None and decimal == ",":
        words = (word for line in lines for word in _fields(line, str(style.separator)))
        read = ((word, number_in(word, ",")) for word in words if "," in word)
        for word, value in itertools.islice((r for r in read if r[1] is not None), 1):
            notes.append(f"decimal commas: {word} is read as {value:.15g}")


def _named(path: Path, frame: pd.DataFrame, header: bool, notes: list[str]) -> pd.DataFrame:
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
    if not header:
        return frame.set_axis([str(j + 1) for j in range(frame.shape[1])], axis=1)
    unnamed = frame.columns.astype(str).str.startswith("Unnamed: ")
    frame = frame.loc[:, ~(unnamed & frame.isna().all().to_numpy())]
    return frame.set_axis([unguarded(str(name).strip()) for name in frame.columns], axis=1)
