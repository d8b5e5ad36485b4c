"""Reads and writes files of rows in the format defined by the schema."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from spcabench.errors import InputError
from spcabench.files import from_json, regular_file, replacing
from spcabench.readers.opening import calling_library
from spcabench.running.schema import COLUMNS, EARLIER, VERSION, Json, Row, to_json
from spcabench.solving.status import Status

# keys of the schema version, and of the hash of the job, in the metadata of a file
MARK, JOB = b"spcabench_schema", b"spcabench_job"
# JSON columns that are not decoded, because decoding ten thousand iterates takes seconds
TEXT = ("history",)
TYPES = {int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
TYPES |= {list[int]: pa.list_(pa.int64()), list[float]: pa.list_(pa.float64())}
TYPES |= {list[str]: pa.list_(pa.string())}


SCHEMA = pa.schema(
    [(column.name, TYPES.get(column.type, pa.string())) for column in COLUMNS.values()],
    metadata={MARK: str(VERSION)},
)
# measured numbers do not repeat, but the first bytes of their representations do
NUMBERS = [f.name for f in SCHEMA if f.type == pa.float64()]
NUMBERS += [f"{f.name}.list.element" for f in SCHEMA if f.type == pa.list_(pa.float64())]
LEAVES = [f"{f.name}.list.element" if pa.types.is_list(f.type) else f.name for f in SCHEMA]
SMALL: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 19,
    "use_dictionary": sorted({*LEAVES} - {*NUMBERS}),
    "use_byte_stream_split": NUMBERS,
}


def _encoded(row: Row) -> Json:
    """Return a row as it is stored in a file; keys in identifying JSON columns are sorted."""
    return {
        name: to_json(value, sort_keys=COLUMNS[name].key)
        if value is not None and COLUMNS[name].kind == "JSON"
        else value
        for name, value in vars(row).items()
    }


def write(rows: Iterable[Row], out: Path, key: str = "") -> None:
    """Write a file of rows atomically.

    key : hash of everything that affects the rows, which `key_of` reads.
    """
    write_table(pa.Table.from_pylist([_encoded(row) for row in rows], schema=SCHEMA), out, key=key)


def key_of(file: Path) -> str:
    """Return the hash with which a file of rows was written, or "" if it is missing or damaged."""
    try:
        return (pq.read_schema(file).metadata or {}).get(JOB, b"").decode()
    except (OSError, ValueError, pa.ArrowException):
        return ""


def write_table(table: pa.Table, out: Path, small: bool = False, key: str = "") -> None:
    """Write a table as returned by `read_table`; raise TypeError if it has other columns.

    small : whether to compress the file to two thirds of the size, which takes ten times as long.
    key : as in `write`.
    """
    if table.schema != SCHEMA:
        raise TypeError(f"{out.name}: the columns differ from the schema")
    with replacing(out) as aside:
        table = table.replace_schema_metadata({**(SCHEMA.metadata or {}), JOB: key})
        pq.write_table(table, aside, write_page_checksum=True, **(SMALL if small else {}))


def read_table(files: Iterable[Path], columns: Sequence[str] = SCHEMA.names) -> pa.Table:
    """Return the rows in files as one table with the specified columns, by default all.

    Raises InputError if a file has unknown columns or another version of the schema.
    """
    tables = [_of_file(file, list(columns)) for file in files]
    return pa.concat_tables([SCHEMA.empty_table().select(list(columns)), *tables])


def read_text(files: Iterable[Path], columns: Sequence[str] = SCHEMA.names) -> pd.DataFrame:
    """Return the rows in files without decoding JSON; integer columns with gaps become floats."""
    return read_table(files, columns).to_pandas()


def read(files: Iterable[Path]) -> pd.DataFrame:
    """Return the rows in files with all columns, and JSON decoded to dicts except in history."""
    files = [*files]
    table = read_text(files)
    decoded = {
        name: [
            from_json(cell, column.type, f"{', '.join(map(str, files)):.100}: {name}")
            if isinstance(cell, str)
            else {}
            for cell in table[name]
        ]
        for name, column in COLUMNS.items()
        if column.kind == "JSON" and name not in TEXT
    }
    return table.assign(**{name: pd.Series(v, dtype=object) for name, v in decoded.items()})


def replaced(table: pa.Table, **columns: Sequence[Any]) -> pa.Table:
    """Return rows with other values in some columns."""
    for name, values in columns.items():
        field = table.schema.field(name)
        place = table.schema.get_field_index(name)
        table = table.set_column(place, field, pa.array(values, field.type))
    return table


def is_empty(value: Any) -> bool:
    """Whether a cell is empty."""
    return value is None or (isinstance(value, float) and value != value)


def check(table: pd.DataFrame, name: str) -> None:
    """Raise InputError if flop conventions differ."""
    conventions = sorted(table.flops_convention.unique())
    if len(conventions) > 1:
        raise InputError(
            f"{name}: rows count flops by the conventions {', '.join(map(str, conventions))}, "
            "which cannot be compared; compute the rows again"
        )


def _of_file(file: Path, columns: list[str]) -> pa.Table:
    with calling_library(regular_file(file, "a file of rows")):
        schema = pq.read_schema(file)
    if lacking := [name for name in ("status", "solver", "dataset") if name not in schema.names]:
        raise InputError(f"{file}: not a file of rows: column {lacking[0]} is missing")
    version = (schema.metadata or {}).get(MARK, b"0").decode("ascii", "backslashreplace")
    if version != str(VERSION):
        raise InputError(
            f"{file}: rows of schema {version:.40}, written by another version of spcabench; this "
            f"version reads schema {VERSION}"
        )
    if unknown := sorted({*schema.names} - {*COLUMNS, *EARLIER}):
        raise InputError(
            f"{file}: unknown columns {', '.join(unknown):.100}; see results/README.md"
        )
    try:
        names = [name for name in columns if name in schema.names]
        table = pq.read_table(file, columns=names, page_checksum_verification=True)
        table = _completed(table, columns)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputError(f"{file}: damaged ({' '.join(str(error).split()):.100})") from None
    if "status" in columns:
        _check_status(file, table)
    return table


def _check_status(file: Path, table: pa.Table) -> None:
    unknown = {*table["status"].unique().to_pylist()} - {*map(str, Status)}
    if unknown:
        raise InputError(
            f"{file}: status: {unknown.pop()!r:.40}; it must be one of {', '.join(Status)}"
        )


def _completed(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    """Add the columns that an older file lacks to its rows, with their default values."""
    fields = [SCHEMA.field(name) for name in columns]
    arrays = [
        table[field.name].cast(field.type)
        if field.name in table.column_names
        else pa.repeat(pa.scalar(COLUMNS[field.name].default, field.type), len(table))
        for field in fields
    ]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields, SCHEMA.metadata))
