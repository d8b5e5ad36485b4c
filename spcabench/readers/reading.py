"""How a user's file is read: what its columns are, and which guesses about it are overridden."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from spcabench.errors import InputError

MISSING = ("error", "rows", "columns", "mean")
SPACES = r"\s+"
SEPARATORS = {"tab": "\t", r"\t": "\t", "space": SPACES}


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Settings for reading a file. None means that a setting is detected.

    covariance : whether the file contains Sigma (n, n). scale : as in `Problem.from_data`. label :
        name of the column with the class labels. drop : names of columns to drop, or the word text
        for all columns of text; an entry can be a list separated by commas. transpose : whether the
        rows are the variables, as is common for genes. missing : treatment of missing values, one
        of "error", "rows" or "columns" (drop rows or columns with missing values) and "mean" (fill
        in column means). thousands : whether numbers in text have thousands separators. sep,
        decimal : between the fields, and in the numbers, of a text table. header : whether its
        first line contains the column names. encoding : of a text table. na : a word that means a
        missing value. index : whether the first column contains names of rows. key : name of an
        array in an .npz or .mat file, or of a sheet in an .xlsx file. names : file with the names
        of the variables, one per line.
    """

    covariance: bool = False
    scale: bool = False
    label: str | None = None
    drop: Sequence[str] = ()
    transpose: bool = False
    missing: str = "error"
    thousands: bool = False
    sep: str | None = None
    decimal: str | None = None
    header: bool | None = None
    encoding: str | None = None
    na: str | None = None
    index: bool | None = None
    key: str | None = None
    names: Path | None = None

    @property
    def words(self) -> list[str]:
        """All words in ``drop``, each of which can be a name."""
        return [*self.drop, *(word for entry in self.drop for word in entry.split(","))]

    @property
    def separator(self) -> str | None:
        """The character, or the regular expression, that separates the fields of a text table."""
        return SEPARATORS.get(self.sep or "", self.sep)

    def check(self) -> None:
        """Raise InputError if a setting is invalid, or if settings contradict each other."""
        if self.missing not in MISSING:
            raise InputError(f"--missing: {self.missing!r}; choose from {', '.join(MISSING)}")
        if self.covariance and (self.scale or self.label or self.transpose):
            raise InputError(
                "--covariance: cannot be combined with --scale, --label or --transpose, which "
                "apply to data"
            )
        if self.transpose and self.label:
            raise InputError("--label: cannot be combined with --transpose")
        mark = self.separator
        if mark not in (None, SPACES) and (len(str(mark)) != 1 or str(mark) in "\"'\r\n."):
            raise InputError(f"--read sep: {mark!r:.40}; it must be one character, or tab or space")
        if self.decimal not in (None, ".", ","):
            raise InputError(f"--read decimal: {self.decimal!r:.40}; it must be . or ,")
        if self.decimal is not None and self.decimal == mark:
            raise InputError("--read decimal: must differ from sep")
        try:
            "".encode(self.encoding or "utf-8")
        except (LookupError, ValueError):
            raise InputError(f"--read encoding: {self.encoding!r:.40} is not an encoding") from None
