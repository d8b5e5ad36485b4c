"""Comparisons made on two machines, joined; the settings that a comparison's page shows."""

import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from spcabench import __main__ as command_line
from spcabench.cli import options
from spcabench.comparison import jobs, merging, suite
from spcabench.errors import InputError
from spcabench.page import comparison_page as page
from spcabench.running import rows as results
from spcabench.solving.status import Status
from tests.comparisons import compared
from tests.problems import WHOLE

# one process makes the comparisons, and takes these tests
pytestmark = [pytest.mark.xdist_group("merging"), WHOLE]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Two comparisons of one suite: tpower on both machines, another solver on each."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        made = {"one": ["tpower", "spcavrp"], "two": ["tpower", "gpower1"]}
        yield [compared(patch, home, name, made[name], items=2).parent for name in made]


def slower(folder, elsewhere):
    """The comparison as another machine would have made it: all times tenfold."""
    elsewhere.mkdir(exist_ok=True)
    (elsewhere / "jobs.json").write_text((folder / "jobs.json").read_text())
    table = results.read_table([folder / "rows.parquet"])
    for name in ("solve_time", "setup_time", "search_time"):
        place = table.schema.get_field_index(name)
        column = [None if value is None else 10 * value for value in table[name].to_pylist()]
        table = table.set_column(place, table.schema.field(place), [column])
    results.write_table(table, elsewhere / "rows.parquet")
    return elsewhere


def test_quality_is_joined_and_times_are_apart(made, tmp_path):
    one, two = made[0], slower(made[1], tmp_path / "two")
    out = tmp_path / "both"
    out.mkdir()
    text = page.write_merged(out, [one, two]).read_text()
    assert "Times by machine" in text
    assert "Times are not ranked" in text
    table = pd.read_csv(out / "table.csv")
    assert set(table.solver) == {"tpower", "spcavrp", "gpower1"}
    assert not table.duplicated(["solver", "item", "asked"]).any()
    parts = [merging.Part.read(folder) for folder in (one, two)]
    times = merging.times(parts, {}).pivot(index="solver", columns="place", values="time")
    assert times.loc["tpower", "two"] > 2.0 * times.loc["tpower", "one"]
    assert times.notna().sum().to_dict() == {"one": 2, "two": 2}
    assert merging.differences(parts) == []


def test_what_two_machines_made_differently_is_said(made):
    one, two = (merging.Part.read(folder) for folder in made)
    assert merging.differences([one, two]) == []
    changed = replace(two, rows=two.rows.assign(flops=two.rows.flops + 1))
    (sentence,) = merging.differences([one, changed])
    assert sentence.startswith("tpower: other values or flops on ")


def test_comparisons_of_other_terms_are_not_joined(made):
    one, two = (merging.Part.read(folder) for folder in made)
    other = {label: replace(job, limit=9.0) for label, job in two.jobs.items()}
    with pytest.raises(InputError, match=r"limit = 9.0"):
        merging.check([one, replace(two, jobs=other)])


@pytest.mark.parametrize("text", [None, "[]", "{", '{"a": {"x": 1}}'])
def test_a_folder_without_a_comparison_is_one_line(tmp_path, text):
    if text is not None:
        (tmp_path / "jobs.json").write_text(text)
        results.write([], tmp_path / "rows.parquet")
    with pytest.raises(InputError, match=str(tmp_path)):
        merging.Part.read(tmp_path)


def test_the_command_merges(made, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(options, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "argv", ["spcabench", "merge", *map(str, made), "--name", "both"])
    with pytest.raises(SystemExit) as end:
        command_line.main()
    assert not end.value.code
    said = capsys.readouterr().out
    assert said.rstrip().endswith(str(Path("compare", "both", "index.html")))
    assert "spcavrp" in said


def test_settings_are_those_that_the_solver_ran_with(made):
    part = merging.Part.read(made[0])
    found = page._settings("spcavrp", part.jobs["spcavrp"], part.rows)
    assert found["values"] == {"A": 300, "B": 100}
    assert found["stop"] == "ends by itself, at most 1e+06 iterates"
    assert "authors' package" in found["rule"]
    mine = part.rows[(part.rows.solver == "spcavrp") & (part.rows.kind == "suite")]
    assert found["limited"] == (mine.status == Status.TIME_LIMIT).sum()


def test_settings_replace_the_defaults_and_a_penalty_is_none(made):
    part = merging.Part.read(made[0])
    job = jobs.Job("gpower1", "quick", settings="paper")
    found = page._settings("gpower1", job, part.rows)
    assert found["stop"] == "objective below 0.0001, at most 1000 iterates"
    assert "gamma" not in found["values"]


@pytest.mark.parametrize("solver", suite.RULES)
def test_rules_are_about_solvers_that_take_part(solver):
    assert solver in {*jobs.entrants("standard"), *jobs.entrants("nonnegative")}
