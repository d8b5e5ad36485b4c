"""Rows of results: what the schema refuses, what a file keeps, and how older files are read."""

import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spcabench.errors import InputError
from spcabench.flops import CONVENTION
from spcabench.page import verify
from spcabench.running import rows
from spcabench.running.schema import COLUMNS, VERSION, steps
from spcabench.solving.status import Status
from tests.trial import NAME, change_columns, judged_run, row

REFUSED = {  # column -> a value that it must not have
    "flops": True,
    "variance": "2.5",
    "status": "weird",
    "dataset": None,
    "support": (1, 2),
    "colour": "red",  # no column
}


@pytest.mark.parametrize("column", REFUSED)
def test_a_value_of_another_type_and_an_unknown_column_are_refused(column):
    with pytest.raises(TypeError, match=f"'{column}'"):
        row(**{column: REFUSED[column]})


def test_only_a_table_with_the_columns_of_the_schema_is_written(tmp_path):
    rows.write([row()], tmp_path / "a.parquet")
    table = rows.read_table([tmp_path / "a.parquet"])
    for other in (table.append_column("colour", pa.array(["red"])), table.drop_columns(["gap"])):
        with pytest.raises(TypeError, match="differ from the schema"):
            rows.write_table(other, tmp_path / "b.parquet")
    assert not (tmp_path / "b.parquet").exists()


def test_numbers_of_numpy_are_those_of_python():
    stored = row(flops=np.int64(3), variance=np.float64(2.5), stand_in=np.bool_(True), gap=1)
    types = [type(value) for value in (stored.flops, stored.variance, stored.stand_in, stored.gap)]
    assert types == [int, float, bool, float]
    assert row(variance=float("nan")).variance is None


def test_every_entry_of_a_history_has_its_numbers():
    assert steps('[{"flops": 1}, {"flops": 2.5, "a": "b"}]', "flops")[1]["flops"] == 2.5
    for wrong in ('[{"flops": 1}, {}]', '[{"flops": 1}, {"flops": "2"}]', '[{"flops": true}]'):
        with pytest.raises(InputError, match="'flops'"):
            steps(wrong, "flops")


def test_costs_in_all_include_the_set_up_and_a_search_replaces_them():
    costs = dict(flops=100, setup_flops=13, solve_time=2.0, setup_time=0.5)
    for search, flops, seconds in (
        ({}, 113, 2.5),
        (dict(search_flops=900, search_time=7.0), 900, 7.0),
        (dict(setup_flops=None, setup_time=None), 100, 2.0),
        (dict(flops=None, solve_time=None), None, None),
    ):
        made = row(**costs | search)
        assert (made.flops_in_all, made.seconds) == (flops, seconds)


def test_a_file_keeps_what_the_rows_hold(tmp_path):
    written = [
        row(support=[0, 4], values=[0.6, 0.8], extra={"nodes": np.int64(7)}, phases={"a": {}}),
        row(status=Status.KILLED, variance=None, solver=None, measure="trace", settings={}),
        row(history=[{"flops": np.int64(2), "variance": 1.0}], settings={"k": 3, "a": None}),
    ]
    file = tmp_path / "rows.parquet"
    rows.write(written, file)
    table = rows.read([file])
    assert list(table.columns) == list(COLUMNS)
    assert table.status.tolist() == ["converged", "killed", "converged"]
    assert table.settings.tolist() == [{"k": 3}, {}, {"a": None, "k": 3}]
    assert table.extra.tolist() == [{"nodes": 7}, {}, {}]
    assert table.support[0].tolist() == [0, 4] and table.support[1] is None
    assert table.history.isna().tolist() == [True, True, False]
    assert rows.read_text([file]).settings.tolist()[2] == '{"a": null, "k": 3}'
    assert table.flops.tolist() == [100, 100, 100] and table.flops.dtype == int
    stored = rows.read_table([file])
    rows.write_table(stored, tmp_path / "small.parquet", small=True)
    assert rows.read_table([tmp_path / "small.parquet"]) == stored


def test_a_file_of_another_schema_or_of_something_else_is_refused(tmp_path):
    file = tmp_path / "rows.parquet"
    rows.write([row()], file)
    good, damaged = pq.read_table(file), bytearray(file.read_bytes())
    damaged[40] ^= 0xFF
    weird = good.set_column(good.column_names.index("status"), "status", pa.array(["weird"]))
    tables = {
        f"schema {version}": good.replace_schema_metadata({rows.MARK: str(version)})
        for version in (0, VERSION + 1, "one")
    }
    tables[r"rows\.parquet: unknown columns colour"] = good.append_column(
        "colour", pa.array(["red"])
    )
    tables |= {"not a file of rows": pa.table({"colour": ["red"]}), "status: 'weird'": weird}
    for sentence, wrong in tables.items():
        pq.write_table(wrong, file)
        with pytest.raises(InputError, match=sentence):
            rows.read([file])
    for content in (damaged, b"no parquet"):
        file.write_bytes(content)
        with pytest.raises(InputError, match=r"rows\.parquet"):
            rows.read([file])


def test_older_files_lack_new_columns_and_what_is_gone_is_not_read(tmp_path):
    file = tmp_path / "rows.parquet"
    rows.write([row(flags=["ledger", "clock", "tied"])], file)
    older = pq.read_table(file).drop_columns(["load", "reason", "repeat", "gap"])
    pq.write_table(older.append_column("outer_time", pa.array([1.0])), file)
    table = rows.read([file])
    rows.check(table, "trial")
    assert table.load.isna().all() and table.gap.isna().all()
    assert table.reason.tolist() == [""] and table.repeat.tolist() == [0]


def test_a_file_tells_the_job_that_wrote_it(tmp_path):
    file = tmp_path / "rows.parquet"
    assert rows.key_of(file) == ""
    rows.write([row()], file, "a hash")
    assert rows.key_of(file) == "a hash"
    rows.write_table(rows.read_table([file]), file)  # as published
    assert rows.key_of(file) == ""


def test_flops_of_two_conventions_are_never_compared(trial_run):
    judged_run(trial_run, group="grqi", label="")
    other = shutil.copytree(trial_run, trial_run.with_name("other"))
    (own,), (file,) = (folder.glob("rows/*/*.parquet") for folder in (trial_run, other))
    change_columns(file, flops=1, setup_flops=1, flops_convention=CONVENTION + 1)
    (check,) = verify.against(trial_run, other)
    assert "another convention" in check.line and not check.differences
    rows.check(rows.read([own, own]), NAME)
    with pytest.raises(InputError, match=f"conventions {CONVENTION}, {CONVENTION + 1}"):
        rows.check(rows.read([file, own]), NAME)
