"""A published row is found by name or address, recomputed and compared."""

from dataclasses import replace
from pathlib import Path

import pytest

from spcabench.errors import InputError
from spcabench.page import rerun, row_names
from spcabench.running import rows
from spcabench.solving.status import Status

PUBLISHED = Path(__file__).parents[2] / "results" / "published"
NAME = "adversarial/against-deflation/2/tpower"


@pytest.fixture(scope="module")
def published():
    return rerun.find(NAME, [PUBLISHED])


def test_the_row_is_made_again_and_only_a_change_is_a_difference(published):
    row = rerun.again(published)
    assert not [line for line in rerun.compared(published, row) if line.differs]
    assert row.form == published.rounds.form.iloc[0]
    for change in ({"flops": row.flops + 1}, {"variance": row.variance * (1 + 1e-6)}):
        lines = rerun.compared(published, replace(row, **change))
        assert [line.name for line in lines if line.differs] == [*change]
    # how far a run comes until a time limit depends on the machine
    ended = replace(row, status=Status.TIME_LIMIT, flops=row.flops // 2)
    assert not any(line.differs for line in rerun.compared(published, ended))


def test_rounds_of_timing_have_one_name_and_other_runs_have_others():
    table = rows.read_text([PUBLISHED / "rows" / "kuleshov2013_table1" / "rows.parquet"])
    names = row_names.hashes(table)
    first = table.repeat == 0
    assert {*names} == {name for name, is_first in zip(names, first, strict=True) if is_first}
    assert len({*names}) == first.sum() < len(table)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("adversrial/x", "'adversarial'"),
        ("adversarial/against-deflation/2/tpwer", "'against-deflation/2/tpower'"),
        ("kuleshov2013_fig11/00000000", "'kuleshov2013_fig1'"),
        ("", "unknown figure or comparison"),
    ],
)
def test_a_wrong_name_gives_the_nearest(name, near):
    with pytest.raises(InputError, match=near) as refused:
        rerun.find(name, [PUBLISHED])
    assert len(str(refused.value)) <= 200
