"""A whole comparison: one rule for every file, rows that are reused, what the page says."""

import os
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from spcabench import registry
from spcabench.comparison import draft, making, merge, ranking, stored, suite
from spcabench.comparison.stored import Comparison
from spcabench.errors import InputError
from spcabench.page import comparison_page, comparison_pictures
from spcabench.running import fingerprint
from spcabench.running import rows as results
from tests.comparisons import computed, entrants_of, few_problems, file_of, home_of
from tests.trial import change_columns

# one process makes the comparisons, and takes these tests
of_the_comparison = pytest.mark.xdist_group("comparison")
PROBLEMS = suite.SUITES["quick"][:2]
COPIED = "em"  # a solver with a seed


def written(name, solvers, home, **terms):
    """Compute the missing rows of a comparison, and write its page without pictures."""
    entrants = entrants_of(solvers, **terms)
    computed(home, entrants)
    making.write(home / name, entrants, [*entrants][:1])
    comparison_page.write(home / name)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Return the folder of two comparisons: "here", with files of a user, and "there"."""
    folder = tmp_path_factory.mktemp("comparisons")
    files = [
        shutil.copy(registry.path("solver", COPIED), folder / f"my_{COPIED}.py"),
        file_of(folder, "needy", top='REQUIRES = "no_such_library"'),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparison_pictures, "pictures", lambda *_: ())
        few_problems(patch, PROBLEMS)
        written("here", ["tpower", COPIED, *files], home_of(folder), seeds=2)
        written("there", ["tpower", "grqi"], home_of(folder), seeds=2)
    return home_of(folder)


@pytest.fixture
def copy(home, tmp_path, monkeypatch):
    """Return the folder of a copy of both comparisons and their rows."""
    monkeypatch.setattr(comparison_pictures, "pictures", lambda *_: ())
    few_problems(monkeypatch, PROBLEMS)
    return shutil.copytree(home, home_of(tmp_path))


@of_the_comparison
def test_a_copy_of_a_solver_has_its_answers_flops_and_rank(home):
    """One rule for every file, wherever it is and whoever wrote it."""
    rows = Comparison.read(home / "here").rows
    columns = ["item", "asked", "seed", "status", "variance_refit", "flops", "bound", "flags"]
    one, two = (rows[rows.solver == label][columns] for label in ("my_" + COPIED, COPIED))
    pd.testing.assert_frame_equal(one.reset_index(drop=True), two.reset_index(drop=True))
    ranks = pd.read_csv(home / "here" / "ranking.csv").set_index("solver")
    for column in ("rank", "at 0.999", "share", "answered"):
        assert ranks[column][COPIED] == ranks[column]["my_" + COPIED]


@of_the_comparison
def test_a_solver_without_its_library_is_skipped_with_the_reason(home):
    ranked = (home / "here" / "ranking.txt").read_text()
    assert "needy: skipped on 5: needs no_such_library" in ranked


@of_the_comparison
def test_a_pair_that_the_harness_could_not_run_is_left_out(home):
    """It counts neither for nor against a solver."""
    rows = Comparison.read(home / "there").rows
    lost = rows.index[(rows.solver == "grqi") & (rows.asked == 3)]
    rows.loc[lost, "status"] = "not_run"
    answers = ranking.standing(rows, {})
    assert {*answers.asked} == {*rows.asked} - {3}
    assert (ranking.ranking(answers).pairs == len({*answers.asked})).all()


@of_the_comparison
def test_merged_rows_are_those_of_both_with_their_origin(copy):
    merge.merge([copy / "here", copy / "there"], copy / "both")
    comparison = Comparison.read(copy / "both")
    assert comparison.plan.sources.pop("grqi") == "there"
    assert {*comparison.plan.sources.values()} == {"here"}
    here, there = (Comparison.read(copy / name).rows for name in ("here", "there"))
    both = pd.concat([here, there[there.solver == "grqi"]], ignore_index=True)
    columns = ["solver", "item", "asked", "seed", "status", "flops"]
    pd.testing.assert_frame_equal(comparison.rows[columns], both[columns])
    found, stated = (t.variance_refit.to_numpy(float) for t in (comparison.rows, both))
    assert np.allclose(found, stated, rtol=1e-9, equal_nan=True)
    for column in ("variance", "variance_refit"):
        change_columns(copy / "there" / "rows.parquet", **{column: lambda value: 999.0})
    merge.merge([copy / "here", copy / "there"], copy / "both")
    again = Comparison.read(copy / "both").rows
    assert np.array_equal(again.variance_refit.to_numpy(float), found, equal_nan=True)


@of_the_comparison
def test_comparisons_on_other_terms_or_with_missing_rows_are_not_merged(copy):
    both = [copy / "here", copy / "there"]
    file, rows = (copy / "there" / name for name in (stored.ENTRANTS, stored.ROWS))
    text = file.read_text()
    file.write_text(text.replace('"limit": 0.5', '"limit": 0.7'))
    with pytest.raises(InputError, match=r"there has limit 0\.7"):
        merge.merge(both, copy / "both")
    file.write_text(text)
    results.write_table(results.read_table([rows])[2:], rows)
    with pytest.raises(InputError, match="tpower: its rows are not those of the suite"):
        merge.merge(both, copy / "both")


def test_an_edit_costs_the_runs_of_its_file_alone(tmp_path):
    mine, home = file_of(tmp_path, "mine"), home_of(tmp_path)

    def missing(solvers, **terms):
        """Return the labels of the solvers whose rows are missing, and write rows for them."""
        jobs = making.missing(entrants_of(solvers, **terms), home)
        for job in jobs.values():
            job.out.parent.mkdir(parents=True, exist_ok=True)
            results.write([], job.out, job.key)
        return [*jobs]

    assert missing(["tpower", mine]) == ["tpower", "mine"]
    assert missing([mine, "tpower"]) == []
    for top, changed in (("# a comment", []), ("ROUNDS = 2", ["mine"])):
        file_of(tmp_path, "mine", top=top)
        for cached in (fingerprint._summary, fingerprint.closure):  # as in a new process
            cached.cache_clear()
        assert missing(["tpower", mine]) == changed
    for terms in (dict(fresh=7), dict(limit=1.0)):
        assert missing(["tpower", mine], **terms) == ["tpower", "mine"]


@of_the_comparison
def test_a_page_is_current_until_its_rows_or_its_solvers_change(copy):
    page, entrants = copy / "there" / "index.html", entrants_of(["tpower", "grqi"], seeds=2)
    assert making.is_current(page, entrants, ["tpower"])
    assert not making.is_current(page, entrants, ["grqi"])
    assert not making.is_current(page, entrants_of(["tpower"], seeds=2), ["tpower"])
    later = page.stat().st_mtime + 1
    os.utime(entrants["grqi"].rows(copy), (later, later))
    assert not making.is_current(page, entrants, ["tpower"])
    os.utime(page, (later, later))
    assert making.is_current(page, entrants, ["tpower"])


def test_files_of_one_name_have_different_labels(tmp_path):
    folders = [tmp_path / name for name in ("one", "two", "more/one")]
    for folder in folders:
        folder.mkdir(parents=True)
    one, two, other = (file_of(folder, "mine") for folder in folders)
    assert [*entrants_of([one, two])] == ["mine (one)", "mine (two)"]
    assert [*entrants_of(["tpower", one])] == ["tpower", "mine"]
    assert len(entrants_of([one, other])) == 2


def test_a_draft_shows_what_got_better_or_worse(tmp_path, monkeypatch):
    few_problems(monkeypatch, PROBLEMS)

    def drafted(body):
        (entrant,) = entrants_of([file_of(tmp_path, "mine", body)]).values()
        return draft.draft(entrant, home_of(tmp_path))

    good = "yield project(problem.covariance.largest_column(), k)"
    assert "last draft" not in drafted(good)
    twice = drafted("problem.covariance @ problem.covariance.largest_column()\n" + good)
    assert "more flops on 5" in twice and "value" not in twice.split("\n\n")[1]
    worse = drafted("x = np.zeros(problem.n)\nx[0] = 1.0\nyield x")
    assert "worse value on 5" in worse and "better" not in worse
    for failing in (drafted("raise RuntimeError('boom')"), drafted("raise RuntimeError('boom')")):
        assert "boom" in failing
    pair = draft.Pair("converged", value=1.0, share=0.9, flops=100, seconds=0.1)
    for change, said in (
        (dict(value=1.0 + 2e-6, flops=200), "better value"),
        (dict(value=1.0 - 2e-6, flops=50), "worse value"),
        (dict(value=1.0 + 5e-7, flops=99), "fewer flops"),
        (dict(flops=None, seconds=9.0), ""),
    ):
        assert draft._change(replace(pair, **change), pair) == said
    assert not list(tmp_path.rglob("*.parquet"))
