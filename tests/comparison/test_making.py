"""A whole comparison: one rule for every file, rows that are reused, what the page says."""

import html
import json
import os
import re
import shutil

import numpy as np
import pandas as pd
import pytest

from spcabench import registry
from spcabench.comparison import draft, making, merge, plans, ranking, suite
from spcabench.comparison.stored import Comparison
from spcabench.errors import InputError
from spcabench.page import comparison_page, comparison_pictures, comparison_tables
from spcabench.running import fingerprint
from spcabench.running import rows as results
from spcabench.running.journal import Journal
from spcabench.solving.run_warnings import SENTENCES, Flag
from tests.comparisons import compared, computed, entrants_of, few_problems, file_of, home_of
from tests.trial import change_columns

NEEDS = 'REQUIRES = "no_such_library"\n'
LOOPS = "while problem.n > 13:\n    pass\nyield project(problem.covariance.diagonal(), k)"


@pytest.fixture
def undrawn(monkeypatch):
    """Skip plotting, which takes longer than writing the tested text."""
    monkeypatch.setattr(comparison_pictures, "pictures", lambda *_: ())


def copy_of(solver, folder):
    """Copy the file of a solver under another name."""
    return shutil.copy(registry.path("solver", solver), folder / f"my_{solver}.py")


@pytest.mark.parametrize("solver", ["tpower", "gpower1", "em", "dspca", "sklearn_sparse_pca"])
def test_a_copy_of_a_solver_has_its_answers_flops_and_rank(tmp_path, monkeypatch, undrawn, solver):
    """One rule for every file, wherever it is and whoever wrote it."""
    solvers = [solver, copy_of(solver, tmp_path)]
    folder = compared(monkeypatch, tmp_path, "copy", solvers, seeds=2, limit=60.0)
    rows = Comparison.read(folder).rows
    columns = ["item", "asked", "seed", "status", "variance_refit", "flops", "bound", "flags"]
    one, two = (rows[rows.solver == label][columns] for label in ("my_" + solver, solver))
    pd.testing.assert_frame_equal(one.reset_index(drop=True), two.reset_index(drop=True))
    ranks = pd.read_csv(folder / "ranking.csv")
    for column in ("rank", "group", "at 0.999", "share", "answered"):
        assert ranks[column].nunique() == 1


def test_an_edit_costs_the_runs_of_its_file_alone(tmp_path, monkeypatch):
    few_problems(monkeypatch, suite.SUITES["quick"][:1])
    mine, home = file_of(tmp_path, "mine"), home_of(tmp_path)
    assert computed(home, entrants_of(["tpower", mine])) == ["tpower", "mine"]
    assert computed(home, entrants_of([mine, "tpower"])) == []
    file_of(tmp_path, "mine", top="# a comment")
    assert computed(home, entrants_of(["tpower", mine])) == []
    file_of(tmp_path, "mine", top="ROUNDS = 2")
    for cached in (fingerprint._summary, fingerprint.closure):  # as in a new process
        cached.cache_clear()
    assert computed(home, entrants_of(["tpower", mine])) == ["mine"]
    assert computed(home, entrants_of(["tpower", mine], fresh=7)) == ["tpower", "mine"]


def test_a_stopped_comparison_continues_with_the_next_run(tmp_path, monkeypatch):
    few_problems(monkeypatch, suite.SUITES["quick"][:2])
    entrants, added, add = entrants_of(["tpower", "grqi"]), [], Journal.add

    def some(journal, task, row):
        add(journal, task, row)
        added.append((row.solver, task))
        if len(added) in (2, 7):
            raise KeyboardInterrupt

    monkeypatch.setattr(Journal, "add", some)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            computed(home_of(tmp_path), entrants)
    computed(home_of(tmp_path), entrants)
    assert len(added) == len({*added}) == 10
    assert not list(tmp_path.rglob("*.journal"))


def test_the_page_is_written_again_only_if_something_changed(tmp_path, monkeypatch, undrawn):
    folder = compared(monkeypatch, tmp_path, "mine", ["tpower", "grqi"], named=["tpower"])
    page, entrants = folder / "index.html", entrants_of(["tpower", "grqi"])
    assert making.is_current(page, entrants, ["tpower"])
    assert not making.is_current(page, entrants, ["grqi"])
    assert not making.is_current(page, entrants_of(["tpower"]), ["tpower"])
    newer = page.stat().st_mtime + 10.0
    os.utime(entrants["grqi"].rows(folder.parent), (newer, newer))
    assert not making.is_current(page, entrants, ["tpower"])


def test_failures_have_their_reasons_and_the_line_of_the_file(tmp_path, monkeypatch, undrawn):
    monkeypatch.setattr(plans, "PATIENCE_FACTOR", 2.0)
    solvers = [
        "tpower",
        file_of(tmp_path, "loops", LOOPS),
        file_of(tmp_path, "needy", top=NEEDS),
        file_of(tmp_path, "raises", "yield problems"),
    ]
    folder = compared(monkeypatch, tmp_path, "mine", solvers, items=2, named=["loops"])
    text, ranked = (folder / "index.html").read_text(), (folder / "ranking.txt").read_text()
    assert "killed after" in text and ranking.RULE in text
    assert "needy: skipped on 5: needs no_such_library" in ranked and "nan" not in ranked
    for shown in (html.unescape(text), ranked):
        assert re.search(r"\(raises\.py, line \d+: yield problems\)", shown)
    heads, first = ranked.splitlines()[:2]
    assert heads.split()[-2:] == ["time", "flops"] and len(first) == len(heads)
    table = pd.read_csv(folder / "table.csv")
    assert {*table[table.solver == "loops"].status} == {"finished", "killed", "skipped"}
    good = table[table.value.notna()]
    assert (good.value <= good.bound * (1 + 1e-9)).all() and (good.share <= 1 + 1e-9).all()
    assert (good.cardinality <= good.asked).all()


@pytest.mark.parametrize("array", ["covariance.S", "matrix.S", "given_as('data').matrix.X"])
def test_data_that_a_solver_is_graded_on_are_read_only(tmp_path, monkeypatch, array):
    few_problems(monkeypatch, suite.SUITES["quick"][:1])
    body = f"problem.{array}[0] = 9.0\nyield project(problem.covariance.largest_column(), k)"
    entrants = entrants_of([file_of(tmp_path, "mine", body)])
    computed(home_of(tmp_path), entrants)
    rows = results.read_text([entrants["mine"].rows(home_of(tmp_path))])
    # lambda_1 is computed before the run
    assert (rows.status == "error").all() or (rows.variance <= rows.lambda_1).all()


def test_files_of_one_name_have_different_labels(tmp_path):
    folders = [tmp_path / name for name in ("one", "two", "more/one")]
    for folder in folders:
        folder.mkdir(parents=True)
    one, two, other = (file_of(folder, "mine") for folder in folders)
    assert [*entrants_of([one, two])] == ["mine (one)", "mine (two)"]
    assert [*entrants_of(["tpower", one])] == ["tpower", "mine"]
    assert len(entrants_of([one, other])) == 2


@pytest.mark.parametrize("fresh", [None, 7])
def test_the_page_and_the_terminal_say_which_problems_were_used(
    tmp_path, monkeypatch, undrawn, fresh
):
    folder = compared(monkeypatch, tmp_path, "new", ["tpower"], fresh=fresh)
    sentence = "drawn with seed 7 (--fresh 7)" if fresh else "public ones of the suite"
    for name in ("index.html", "ranking.txt"):
        assert sentence in (folder / name).read_text()
    table = pd.read_csv(folder / "table.csv")
    assert ((table.problem == "rows of pitprops, drawn again") == bool(fresh)).all()
    assert (table.best <= table.bound).all()


def test_a_pair_that_the_harness_could_not_run_is_left_out(tmp_path, monkeypatch, undrawn):
    """It counts neither for nor against a solver, and the page says so."""
    folder = compared(monkeypatch, tmp_path, "lost", ["tpower", "grqi"], items=2)
    rows = Comparison.read(folder).rows
    lost = rows.index[(rows.solver == "grqi") & (rows.asked == 3)]
    rows.loc[lost, "status"] = "not_run"
    answers = ranking.standing(rows, {})
    assert {*answers.asked} == {*rows.asked} - {3}
    (warning,) = comparison_tables.warnings(rows)
    assert warning["count"] == 1 and "left out" in warning["sentence"]
    assert (ranking.ranking(answers).pairs == len({*answers.asked})).all()


def test_warnings_are_the_same_for_every_file(tmp_path, monkeypatch):
    body = "problem.covariance.S[0, 0]\n" + "yield project(problem.covariance.diagonal(), k)"
    folder = compared(monkeypatch, tmp_path, "mine", ["tpower", file_of(tmp_path, "mine", body)])
    change_columns(folder / "rows.parquet", flags=lambda flags: ["threads"])
    comparison_page.write(folder)
    ranked = (folder / "ranking.txt").read_text()
    for solver in ("mine", "tpower"):
        assert f"Warning, {solver} (3 runs): {SENTENCES[Flag.threads]}" in ranked


def test_a_draft_shows_what_got_better_or_worse(tmp_path, monkeypatch):
    few_problems(monkeypatch, suite.SUITES["quick"][:2])

    def drafted(body):
        (entrant,) = entrants_of([file_of(tmp_path, "mine", body)]).values()
        return draft.draft(entrant, home_of(tmp_path))

    good = "yield project(problem.covariance.largest_column(), k)"
    first = drafted(good)
    assert "5 of 5" in first and "pit props, k = 9" in first and "last draft" not in first
    assert "no change" in drafted(good)
    worse = drafted("x = np.zeros(problem.n)\nx[0] = 1.0\nyield x")
    assert "worse value on 5" in worse and "pit props, k = 9" in worse and "better" not in worse
    assert "better value on 5" in drafted(good)
    twice = drafted("problem.covariance @ problem.covariance.largest_column()\n" + good)
    assert "more flops on 5" in twice and "value" not in twice.split("\n\n")[1]
    assert re.search(r"\(mine\.py, line \d+: yield problems\)", drafted("yield problems"))
    pairs = json.loads(next(tmp_path.rglob("drafts/*/*.json")).read_text())
    assert {pair["share"] for pair in pairs.values()} == {0.0}
    assert not list(tmp_path.rglob("*.parquet"))


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Return the folders of two comparisons on one suite, with tpower in both."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparison_pictures, "pictures", lambda *_: ())
        solvers = {"here": ["tpower", "gpower1"], "there": ["tpower", "grqi"]}
        yield [compared(patch, home, name, solvers[name], items=2) for name in solvers]


@pytest.fixture
def merged(parts, tmp_path, monkeypatch, undrawn):
    """Return a function that merges the comparisons after columns of the second were changed."""
    few_problems(monkeypatch, suite.SUITES["quick"][:2])

    def merged_with(**columns):
        there, out = tmp_path / "there", tmp_path / "both"
        shutil.copytree(parts[1], there)
        change_columns(there / "rows.parquet", **columns)
        merge.merge([parts[0], there], out)
        return Comparison.read(out), comparison_page.write(out).read_text()

    return merged_with


@pytest.mark.xdist_group("merging")
def test_merged_rows_are_those_of_both_with_their_origin(parts, merged):
    comparison, text = merged()
    assert [*comparison.entrants] == ["tpower", "gpower1", "grqi"]
    assert "tpower, gpower1 from here; grqi from there" in text
    both = pd.concat([Comparison.read(folder).rows for folder in parts], ignore_index=True)
    columns = ["solver", "item", "asked", "kind", "seed"]
    for row in comparison.rows.to_dict("records"):
        same = both[(both[columns] == pd.Series(row)[columns]).all(axis=1)]
        assert np.allclose(
            same.variance_refit.to_numpy(float), row["variance_refit"], rtol=1e-9, equal_nan=True
        )


@pytest.mark.xdist_group("merging")
@pytest.mark.parametrize(
    ("column", "lie"),
    [
        ("values", lambda values: [2.0 * value for value in values]),
        ("support", lambda support: [99, *support[1:]]),
        ("values", lambda values: None),
        ("problem", lambda name: "another problem"),
    ],
)
def test_a_merged_row_without_a_feasible_vector_is_a_failure(merged, column, lie):
    comparison, text = merged(**{column: lie})
    rows = comparison.rows
    wrong = rows[rows.solver == "grqi"]
    assert (wrong.status == "disagrees").all() and wrong.variance_refit.isna().all()
    assert not (rows[rows.solver != "grqi"].status == "disagrees").any()
    assert "disagrees" in text


@pytest.mark.xdist_group("merging")
def test_a_merged_value_is_that_of_its_vector(merged):
    comparison, _ = merged(variance=lambda value: 999.0, variance_refit=lambda value: 999.0)
    assert comparison.rows.variance_refit.max() < 999.0


@pytest.mark.xdist_group("merging")
def test_comparisons_on_other_terms_or_with_missing_rows_are_not_merged(
    parts, tmp_path, monkeypatch, undrawn
):
    limited = compared(monkeypatch, tmp_path, "limited", ["tpower"], items=2, limit=0.7)
    with pytest.raises(InputError, match=r"limited has limit 0\.7"):
        merge.merge([parts[0], limited], tmp_path / "both")
    short = tmp_path / "short"
    shutil.copytree(parts[1], short)
    results.write_table(results.read_table([short / "rows.parquet"])[2:], short / "rows.parquet")
    with pytest.raises(InputError, match="tpower: its rows are not those of the suite"):
        merge.merge([parts[0], short], tmp_path / "both")
