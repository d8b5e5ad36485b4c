"""Merging comparisons made on two machines, and the settings that a comparison's page shows."""

import html
import json
import shutil
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from spcabench import registry
from spcabench.cli import options
from spcabench.comparison import entering, jobs, merging, suite
from spcabench.comparison.components import ways
from spcabench.errors import InputError
from spcabench.flops import CONVENTION
from spcabench.page import comparison_page as page
from spcabench.page import doubts
from spcabench.running import rows as results
from spcabench.solving.run_warnings import SENTENCES, Flag
from spcabench.solving.status import Status
from tests.comparisons import compared
from tests.problems import WHOLE
from tests.trial import change_columns, table

# one process makes the comparisons, and takes these tests
pytestmark = [pytest.mark.xdist_group("merging"), WHOLE]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Run two comparisons on one suite: tpower and a different second solver in each."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        solvers = {"one": ["tpower", "spcavrp"], "two": ["tpower", "gpower1"]}
        yield [compared(patch, home, name, solvers[name], items=2).parent for name in solvers]


@pytest.fixture
def out(tmp_path):
    """Return the folder of a merged comparison."""
    (folder := tmp_path / "both").mkdir()
    return folder


def kept(folder, elsewhere, which):
    """Copy a comparison, keeping only the rows whose numbers ``which`` returns."""
    elsewhere.mkdir()
    (elsewhere / "jobs.json").write_text((folder / "jobs.json").read_text())
    table = results.read_table([folder / "rows.parquet"])
    results.write_table(table.take(which(table.to_pandas())), elsewhere / "rows.parquet")
    return elsewhere


def slower(folder, elsewhere):
    """Copy a comparison, with times as measured on a machine that is ten times slower."""
    kept(folder, elsewhere, lambda rows: [*rows.index])
    times = ("solve_time", "setup_time", "search_time")
    change_columns(elsewhere / "rows.parquet", **dict.fromkeys(times, lambda t: t and 10 * t))
    return elsewhere


def test_quality_is_joined_and_times_are_apart(folders, tmp_path, out):
    one, two = folders[0], slower(folders[1], tmp_path / "two")
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
    assert merging.differences(parts) == {}


def changed(folder, elsewhere, **columns):
    """Copy a comparison and change columns of one solver's rows: name -> function of a value.

    All its rows change, as if somebody had edited the file to get a better rank.
    """
    elsewhere.mkdir()
    (elsewhere / "jobs.json").write_text((folder / "jobs.json").read_text())
    table = results.read_table([folder / "rows.parquet"])
    first = table["solver"].to_pylist()[0]
    for name, function in columns.items():
        place = table.schema.get_field_index(name)
        values = zip(table[name].to_pylist(), table["solver"].to_pylist(), strict=True)
        column = [function(value) if solver == first else value for value, solver in values]
        column = pa.array(column, table.schema.field(place).type)
        table = table.set_column(place, table.schema.field(place), column)
    results.write_table(table, elsewhere / "rows.parquet")
    return elsewhere


LIES = {
    "a better value": dict(variance=lambda v: 2 * v, variance_refit=lambda v: 2 * v),
    "a vector of norm two": dict(values=lambda v: v and [2 * x for x in v]),
    "a vector with more nonzeros": dict(asked=lambda k: k - 1),
    "another problem of the same name": dict(parameters=lambda p: '{"seed": 7}'),
    "a problem that is not in the suite": dict(item=lambda name: "mine"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_row_that_lies_is_dropped_with_a_sentence_and_blocks_nobody(folders, tmp_path, out, lie):
    two = changed(folders[1], tmp_path / "two", **LIES[lie])
    text = page.write_merged(out, [two, folders[0]]).read_text()
    assert "A row was rejected" in text
    liars = results.read([two / "rows.parquet"]).solver[0]
    table = pd.read_csv(out / "table.csv")
    honest = page.write_merged(out, [folders[0], folders[1]]).read_text()
    assert "A row was rejected" not in honest
    assert (table[table.solver != liars].value > 0.0).all()
    assert table[(table.solver == liars) & table.value.isna()].shape[0] or liars == "tpower"


@pytest.mark.parametrize("all_of_the_part", [False, True])
def test_rows_of_another_convention_are_dropped_alone(folders, tmp_path, out, all_of_the_part):
    two = changed(folders[1], tmp_path / "two", flops_convention=lambda _: CONVENTION - 1)
    if all_of_the_part:
        two = kept(two, tmp_path / "old", lambda rows: [*rows.index[rows.solver == rows.solver[0]]])
    text = page.write_merged(out, [two, folders[0]]).read_text()
    solvers = [*results.read([two / "rows.parquet"]).solver]
    first, count = solvers[0], solvers.count(solvers[0])
    who = "all solvers" if all_of_the_part else first
    said = f"Rows were rejected: they count flops by convention {CONVENTION - 1}"
    assert text.count("were rejected") == 1 and said in text
    assert f'compute them again. (In {two.name}.)</td><td class="number">{count}</td>' in text
    assert f"Doubt, {who} ({count} runs): {said}" in (out / "ranking.txt").read_text()
    table = pd.read_csv(out / "table.csv")
    assert {"tpower", "spcavrp"} <= set(table.solver) and table.value.notna().all()
    if all_of_the_part:
        with pytest.raises(InputError, match="no row can be ranked; all solvers: Rows were"):
            page.write_merged(out, [two])


def test_a_bound_of_another_machine_is_made_again(folders, tmp_path):
    lower = dict(bound=lambda b: b and 0.0, own=lambda own: True)
    two = changed(folders[1], tmp_path / "two", **lower)
    rows, messages = entering.of_jobs(
        merging.Part.read(two).rows, merging.Part.read(two).jobs, elsewhere=True
    )
    good = rows[(rows.kind == "suite") & rows.variance.notna()]
    assert messages == [] and (good.bound >= good.variance_refit * (1 - 1e-9)).all()


def test_broken_promises_are_carried_along(folders, tmp_path, out):
    two = changed(folders[1], tmp_path / "two")
    (two / "plan.json").write_text(
        '{"name": "two", "broken": {"gpower1": ["it prints nothing: it printed"]}}'
    )
    text = page.write_merged(out, [folders[0], two]).read_text()
    sentence = "The solver violates the contract: it prints nothing: it printed (in two)"
    assert sentence in text
    assert f"Doubt, gpower1: {sentence}" in (out / "ranking.txt").read_text()


def test_what_two_machines_made_differently_is_said(folders):
    one, two = (merging.Part.read(folder) for folder in folders)
    assert merging.differences([one, two]) == {}
    unlike = replace(two, rows=two.rows.assign(flops=two.rows.flops + 1))
    pairs = (one.rows.solver == "tpower") & (one.rows.kind == "suite")
    names = sorted([one.name, two.name])
    assert merging.differences([one, unlike]) == {"tpower": (int(pairs.sum()), names)}
    first = one.rows.index[pairs][0]
    failed = one.rows.copy()
    failed.loc[first, ["status", "variance_refit"]] = ["error", None]
    assert merging.differences([replace(one, rows=failed), two]) == {"tpower": (1, names)}


@pytest.mark.parametrize(
    "edit",
    [
        dict(flops=lambda v: v and v // 3),
        dict(flops=lambda v: v and v // 3, solver_sha256=lambda v: "0" * 64),
    ],
    ids=["flops", "flops and file"],
)
def test_rows_of_one_run_that_differ_are_a_doubt(folders, tmp_path, out, edit):
    text = page.write_merged(out, [folders[0], changed(folders[0], tmp_path / "two", **edit)])
    names = " and ".join(sorted([folders[0].name, "two"]))
    assert f"Rows of the same run in {names} differ in value or flops" in text.read_text()
    assert f"Rows of the same run in {names} differ" in (out / "ranking.txt").read_text()
    assert ("2 different files of this name" in text.read_text()) == (len(edit) > 1)


def test_a_flag_in_merged_rows_names_its_folder(folders, tmp_path, out):
    """Flags that were edited in one folder must not discredit clean rows in another folder."""
    two = changed(folders[0], tmp_path / "two", flags=lambda _: ["threads"])
    text = page.write_merged(out, [folders[0], two]).read_text()
    assert f"{SENTENCES[Flag.threads]} (In two.)" in html.unescape(text)
    assert f"(In {folders[0].name}.)" not in text


def test_no_text_from_elsewhere_adds_a_line_to_the_ranking(folders, tmp_path, out):
    """Such a line could be a forged doubt about a rival."""
    reason = dict(status=lambda _: "error", reason=lambda _: "it crashed\nDoubt, tpower: forged")
    two = changed(folders[1], tmp_path / "two", **reason)
    plan = {"name": "two", "broken": {"gpower1": ["x\nDoubt, tpower: forged"]}}
    (two / "plan.json").write_text(json.dumps(plan))
    page.write_merged(out, [folders[0], two])
    lines = (out / "ranking.txt").read_text().splitlines()
    assert any("forged" in line for line in lines)
    assert not any(line.startswith("Doubt, tpower: forged") for line in lines)


def test_a_comparison_of_components_is_refused_with_the_reason(folders, tmp_path, out):
    shutil.copy(folders[0] / "plan.json", tmp_path)
    with pytest.raises(
        InputError, match="a comparison of several components, which cannot be merged"
    ):
        page.write_merged(out, [folders[0], tmp_path])


def test_what_a_merged_page_cannot_know_is_said_of_all_solvers(folders, out):
    text = page.write_merged(out, folders).read_text()
    assert text.index(doubts.CLAIMED) < text.index('id="ranking"')
    assert f"Doubt, all solvers: {doubts.CLAIMED}" in (out / "ranking.txt").read_text()


def test_comparisons_of_other_terms_are_not_joined(folders):
    one, two = (merging.Part.read(folder) for folder in folders)
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


def test_the_command_merges(folders, tmp_path, monkeypatch, spcabench):
    monkeypatch.setattr(options, "ROOT", tmp_path)
    done = spcabench("merge", *folders, "--name", "both")
    assert not done.returncode and "spcavrp" in done.stdout
    assert done.stdout.rstrip().endswith(str(Path("compare", "both", "index.html")))


def test_settings_are_those_that_the_solver_ran_with(folders):
    part = merging.Part.read(folders[0])
    settings = page._settings("spcavrp", part.jobs["spcavrp"], part.rows)
    assert settings["values"] == {"A": 300, "B": 100}
    assert settings["stop"] == "ends by itself, at most 1e+06 iterates"
    assert "authors' package" in settings["rule"]
    own = part.rows[(part.rows.solver == "spcavrp") & (part.rows.kind == "suite")]
    assert settings["limited"] == (own.status == Status.TIME_LIMIT).sum()


def test_settings_replace_the_defaults_and_a_penalty_is_none(folders):
    part = merging.Part.read(folders[0])
    job = jobs.Job("gpower1", "quick", settings="paper")
    settings = page._settings("gpower1", job, part.rows)
    assert settings["stop"] == "objective below 0.0001, at most 1000 iterates"
    assert "gamma" not in settings["values"]


@pytest.mark.parametrize("solver", suite.RULES)
def test_rules_are_about_solvers_that_take_part(solver):
    of_one = {*jobs.entrants("standard"), *jobs.entrants("nonnegative")}
    assert solver in of_one | {*ways.entrants()}


def suite_rows(rows, solver):
    return int(((rows.solver == solver) & (rows.kind == "suite")).sum())


def test_rows_that_are_left_out_are_failures(folders, tmp_path, out):
    """Omitting failures does not improve a mean."""
    good = kept(folders[1], tmp_path / "two", lambda rows: [*range(len(rows))])
    part = merging.Part.read(good)
    worst = part.rows[(part.rows.solver == "gpower1") & (part.rows.kind == "suite")].index[0]
    fewer = kept(good, tmp_path / "fewer", lambda rows: [i for i in rows.index if i != worst])
    rows, messages = entering.of_jobs(merging.Part.read(fewer).rows, part.jobs, elsewhere=True)
    assert [(said.solver, said.count) for said in messages] == [("gpower1", 1)]
    assert messages[0].sentence == "Rows are missing and are treated as failures."
    own = rows[(rows.solver == "gpower1") & (rows.kind == "suite")]
    assert len(own) == suite_rows(part.rows, "gpower1")
    page.write_merged(out, [folders[0], fewer])
    table = pd.read_csv(out / "table.csv")
    assert (table[table.solver == "gpower1"].value.isna()).sum() == 1


def test_a_row_that_stands_twice_counts_once(folders, tmp_path):
    part = merging.Part.read(folders[1])
    best = int(part.rows[part.rows.kind == "suite"].variance.idxmax())
    more = kept(folders[1], tmp_path / "two", lambda rows: [*rows.index, best, best])
    rows, messages = entering.of_jobs(merging.Part.read(more).rows, part.jobs, elsewhere=True)
    assert len(rows) == len(part.rows) and len(messages) == 1
    assert "repeat a run" in messages[0].sentence and messages[0].count == 2


def test_rows_of_another_time_limit_are_dropped(folders):
    part = merging.Part.read(folders[1])
    longer = [{**settings, "time_limit": 60.0} for settings in part.rows.settings]
    mine = part.rows.solver == "tpower"
    rows = part.rows.assign(settings=part.rows.settings.where(~mine, pd.Series(longer)))
    ranked, messages = entering.of_jobs(rows, part.jobs, elsewhere=True)
    assert any("time limit is not the comparison's" in said.sentence for said in messages)
    assert "tpower" not in set(ranked.solver) and len(ranked) == int((~mine).sum())


def test_no_solver_of_a_part_has_terms_of_its_own(folders, tmp_path):
    two = changed(folders[1], tmp_path / "two")
    jobs = json.loads((two / "jobs.json").read_text())
    jobs["tpower"]["limit"] = 3600.0
    (two / "jobs.json").write_text(json.dumps(jobs))
    with pytest.raises(InputError, match=r"two \(tpower\) has limit = 3600"):
        merging.check([merging.Part.read(folder) for folder in (folders[0], two)])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e-13])
def test_a_vector_at_the_edge_of_grading_is_dropped(folders, tmp_path, value):
    """The vector has one additional entry, which is tiny or not finite."""

    def spoiled(support):
        return support and [*support, next(j for j in range(len(support) + 1) if j not in support)]

    more = dict(support=spoiled, values=lambda v: v and [*v, value], asked=lambda k: k)
    two = changed(folders[1], tmp_path / "two", **more)
    rows, messages = entering.of_jobs(
        merging.Part.read(two).rows, merging.Part.read(two).jobs, elsewhere=True
    )
    full = rows[(rows.kind == "suite") & rows.variance.notna()]
    assert messages and all(len(s) <= k for s, k in zip(full.support, full.asked, strict=True))


LOOKS = {
    "a label of jobs.json": ("jobs.json", '"gpower1": {', '"gpow\u0435r1": {'),
    "a solver of jobs.json": ("jobs.json", '"solver": "gpower1"', '"solver": "gpow\u0435r1"'),
    "a label of plan.json": ("plan.json", '"gpower1"', '"gpower1\u200b"'),
}


@pytest.mark.parametrize("where", LOOKS)
def test_a_name_that_looks_like_another_is_refused_where_it_enters(folders, tmp_path, where):
    name, old, new = LOOKS[where]
    two = changed(folders[1], tmp_path / "two")
    (two / "plan.json").write_text('{"name": "two", "named": ["gpower1"]}')
    text = (two / name).read_text()
    assert old in text
    (two / name).write_text(text.replace(old, new))
    with pytest.raises(
        InputError, match=rf"{name}: solver 'gpow.*1.*'; a name must have only letters"
    ):
        merging.Part.read(two)


def doubts_of(rows):
    """Return the doubts about rows, which have the column that entering rows get."""
    return doubts.of_rows(rows if "given" in rows else rows.assign(given=None))


def test_names_that_hardly_differ_are_a_doubt():
    names = ("tpower", "TPower", "tp0wer", "tpovver", "t_power")
    rows = table([dict(solver=name) for name in (*names, "gpower")])
    pairs = {(doubt["solver"], doubt["sentence"]) for doubt in doubts_of(rows)}
    alike = permutations(names, 2)
    sentence = "Its name looks like that of {}, another solver."
    assert pairs == {(name, sentence.format(twin)) for name, twin in alike}
    own = table([dict(solver=name) for name in registry.names("solver")])
    assert doubts_of(own) == []


def test_a_namesake_of_a_solver_of_the_repository_is_a_doubt():
    names = {"tpower": True, "TPower": False, "mine": False}
    rows = table([dict(solver=name, own=own) for name, own in names.items()])
    namesakes = [d["solver"] for d in doubts_of(rows) if d["sentence"] == doubts.NAMESAKE]
    assert namesakes == ["TPower"]


@pytest.mark.parametrize(
    ("given", "form", "own", "doubted"),
    [
        ("covariance", "data", False, True),
        ("covariance", "sparse", False, True),
        ("covariance", "data", True, False),
        ("covariance", "covariance", False, False),
        ("data", "data", False, False),
        ("sparse", "data", False, False),
    ],
)
def test_data_that_the_harness_made_of_a_covariance_are_a_doubt(given, form, own, doubted):
    rows = table([dict(solver="mine", form=form, own=own, given=given)] * 2)
    found = [(d["sentence"], d["count"]) for d in doubts_of(rows)]
    assert found == ([(doubts.FACTORED, 2)] if doubted else [])


def test_two_files_under_one_name_are_a_doubt():
    versions = dict.fromkeys(("a" * 64, "b" * 64), "mine") | {"c" * 64: "other"}
    rows = table([dict(solver=name, solver_sha256=file) for file, name in versions.items()])
    (doubt,) = doubts_of(rows)
    assert doubt["solver"] == "mine" and "2 different files" in doubt["sentence"]
