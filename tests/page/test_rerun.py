"""A published row is found by name or address, recomputed and compared."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from spcabench.errors import InputError
from spcabench.page import rerun, row_names
from spcabench.running import rows
from spcabench.solving.status import Status

PUBLISHED = Path(__file__).parents[2] / "results" / "published"
NAME = "adversarial/against-deflation/2/tpower"
TABLE = "kuleshov2013_table1"
TIMED = "asteris2014_fig5"


@pytest.fixture(scope="module")
def published():
    return rerun.find(NAME, [PUBLISHED])


def test_the_row_is_made_again_and_only_a_change_is_a_difference(published):
    row = rerun.again(published)
    assert row.form == published.rounds.form.iloc[0]
    changes = [{n: getattr(row, n) * (1 + 1e-6)} for n in ("variance", "variance_refit")]
    changes += [{n: getattr(row, n) + 1} for n in ("flops", "setup_flops")]
    changes += [dict(search_flops=1), dict(status="finished"), dict(problem="another")]
    for change in ({}, dict(variance=row.variance * (1 + 1e-10)), *changes):
        lines = rerun.compared(published, replace(row, **change))
        found = [line.name for line in lines if line.differs]
        assert found == [*change] * (change in changes)
    seconds = published.rounds.solve_time + published.rounds.setup_time
    told = lines[-1]
    assert (told.old, told.new) == (seconds.min(), row.solve_time + row.setup_time)
    searched = rerun.compared(published, replace(row, search_time=7.0))[-1]
    assert searched.new == 7.0 and not searched.differs
    # how far a run comes until a time limit depends on the machine
    ended = replace(row, status=Status.TIME_LIMIT, flops=row.flops // 2)
    assert not any(line.differs for line in rerun.compared(published, ended))
    measured = replace(row, measure="f", extra={"a": 2.0, "time": 3.0, "b": [1]})
    table = published.rounds.assign(extra=['{"a": 1.0, "time": 1.0, "b": [2]}'] * len(seconds))
    lines = rerun.compared(replace(published, rounds=table), measured)
    assert [line.name for line in lines if line.differs] == ["a"]


def test_a_row_is_found_with_its_run_and_all_its_rounds_of_timing():
    """Two solvers with equal settings and two seeds are different runs."""
    for figure, rounds in ((TIMED, True), (TABLE, False)):
        table = rows.read_text([PUBLISHED / "rows" / figure / "rows.parquet"])
        names = row_names.hashes(table)
        first = table.index[table.repeat == 0]
        assert {*names} == {names[i] for i in first} and len({*names}) == len(first)
        assert (len(first) < len(table)) == rounds
    report = PUBLISHED / "figures" / TABLE / "claims.json"
    judged = {
        name for of in json.loads(report.read_text())["rows_of"].values() for name in of[TABLE]
    }
    assert judged and judged <= {*names}  # the names are those of all earlier publications
    for solver in ("gpower0", "gpower1"):
        row = table[(table.solver == solver) & (table.label == "history")].iloc[-1]
        name = names[row.name]
        found = rerun.find(f"{TABLE}/{name}", [PUBLISHED / "none", PUBLISHED])
        assert found.rounds.index.tolist() == [i for i, other in enumerate(names) if other == name]
        assert (found.run.solver, found.run.seed) == (solver, row.seed)
        assert found.run.settings == json.loads(row.settings) and not found.warm
    table = rows.read_text([PUBLISHED / "compare" / "adversarial" / "rows.parquet"])
    place = table.index[(table.kind == "seed") & (table.seed == 2)][0]
    found = rerun.find(f"adversarial/{row_names.hashes(table)[place]}", [PUBLISHED])
    assert found.run.seed == 2 and found.warm and found.rounds.index.tolist() == [place]


def test_a_wrong_name_gives_the_nearest():
    for name, near in (
        ("adversrial/x", "'adversarial'"),
        ("adversarial/against-deflation/2/tpwer", "'against-deflation/2/tpower'"),
    ):
        with pytest.raises(InputError, match=near):
            rerun.find(name, [PUBLISHED])
