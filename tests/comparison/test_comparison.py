"""Comparisons: profiles have their defining properties, the best-known table is verified, and a
whole comparison is made.
"""

import html
import json
import re
import shutil
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spcabench import api, registry
from spcabench.comparison import best_known, jobs, plans, profiles, ranking, resampling, suite
from spcabench.comparison.suite import Item
from spcabench.errors import InputError
from spcabench.page import comparison_page, comparison_pictures
from spcabench.run import Run
from spcabench.running import preparation, row_hash, worker
from spcabench.running.description import describe
from tests.answers import rows_of
from tests.checking import tricks
from tests.comparisons import compared
from tests.problems import WHOLE

GRID = np.geomspace(0.1, 1e4, 30)
COSTS = arrays(float, (6, 3), elements=st.one_of(st.floats(0.1, 1e3), st.just(np.inf)))
ITEM = Item("pit props", "pitprops", {}, (3,), "classic", "Jeffers (1967)")


@given(COSTS)
@settings(max_examples=50)
def test_profiles_rise_lie_between_0_and_1_and_end_at_the_share_solved(cost):
    for matrix in (cost, profiles.ratios(cost)):
        curves = profiles.reached(matrix, GRID)
        assert ((curves >= 0) & (curves <= 1)).all() and (np.diff(curves, axis=1) >= 0).all()
        at_last = profiles.reached(matrix, np.array([1e9]))[:, 0]
        assert np.allclose(at_last, np.isfinite(matrix).mean(axis=0))
    solved = np.isfinite(cost).any(axis=1)
    ratio = profiles.ratios(cost)
    assert (ratio[solved].min(axis=1) == 1.0).all() and np.isinf(ratio[~solved]).all()


@given(COSTS, st.floats(1.0, 10.0))
@settings(max_examples=30)
def test_a_solver_that_is_never_dearer_is_never_below(cost, factor):
    cost[:, 1] = cost[:, 0] * factor
    for matrix in (cost, profiles.ratios(cost)):
        curves = profiles.reached(matrix, GRID)
        assert (curves[0] >= curves[1]).all()


def test_the_band_holds_the_profile_and_widens_with_nothing():
    cost = np.random.default_rng(0).exponential(10.0, (60, 2))
    low, high = profiles.band(cost, np.arange(60) // 3, GRID)
    curve = profiles.reached(cost, GRID)
    assert (low <= curve + 0.05).all() and (curve <= high + 0.05).all() and (high - low).max() < 0.5


def test_the_shifted_mean_is_the_geometric_one_without_shift():
    assert profiles.shifted_mean(np.array([1.0, 100.0]), 1e-9) == pytest.approx(10.0)
    assert profiles.shifted_mean(np.array([7.0, 7.0]), 3.0) == pytest.approx(7.0)
    assert profiles.shifted_mean(np.zeros(3), 1e5) == 0.0
    assert np.isnan(profiles.shifted_mean(np.array([np.nan]), 1.0))


def test_wins_exclude_each_other_and_a_failure_loses():
    won = profiles.wins(np.array([[1.0, 2.0, np.nan], [3.0, 3.0, 1.0]]))
    assert won[1, 0] == 0.5 and won[0, 1] == 0.0 and won[0, 2] == won[1, 2] == 1.0
    assert (won + won.T <= 1.0).all()


def test_the_standard_suite_has_40_pairs_with_an_origin_each_and_loads():
    pairs = [(item.name, k) for item in suite.items("standard") for k in item.ks]
    assert len(set(pairs)) == len(pairs) >= 40
    for items in suite.SUITES.values():
        for item in items:
            assert item.origin and item.family and item.dataset in registry.names("dataset")
    assert {item.ks for item in suite.items("quick", (2,))} == {(2,)}
    for fresh in (None, 7):  # without cardinalities that no answer could have
        large = suite.items("quick", (5, 30, 70), fresh)
        assert {k for item in large for k in item.ks} == {5, 30, 70}
        assert all(k <= item.variables for item in large for k in item.ks)
        assert len(suite.items("quick", (70,), fresh)) < len(suite.items("quick"))
    with pytest.raises(InputError, match="suite"):
        suite.items("standart")
    with pytest.raises(InputError, match="settings"):
        suite.settings_of("best", "grqi")


@pytest.fixture
def entry():
    return best_known.of_result(ITEM, api.solve(api.load("pitprops"), "brute_force", k=3))


def test_an_entry_is_recomputed_from_its_vector(entry):
    problem = api.load("pitprops")
    assert entry.checked(problem) is entry
    for wrong in (
        dict(value=entry.value * 1.001),
        dict(loadings=[2 * v for v in entry.loadings]),
        dict(k=2),
        dict(bound=entry.value * 0.9),
        dict(nonnegative=True, loadings=[-abs(v) for v in entry.loadings]),
    ):
        with pytest.raises(RuntimeError, match="pit props"):
            replace(entry, **wrong).checked(problem)


def test_the_table_is_versioned_and_checksummed(entry, tmp_path):
    file = tmp_path / "table.json"
    assert best_known.read(file) == {} and best_known.version(file) == 0
    for version in (1, 2):
        best_known.write([entry], file)
        assert best_known.read(file) == {entry.key: entry} and best_known.version(file) == version
    file.write_text(file.read_text().replace('"k": 3', '"k": 4'))
    with pytest.raises(InputError, match="checksum"):
        best_known.read(file)


def test_merging_keeps_the_better_value_and_the_smaller_bound(entry):
    worse = replace(
        entry, value=0.9 * entry.value, bound=1.5 * entry.value, proven=False, who="other"
    )
    for merged in (best_known.merged(worse, entry), best_known.merged(entry, worse)):
        assert (merged.value, merged.bound, merged.who) == (entry.value, entry.bound, entry.who)
    assert best_known.merged(None, worse) == worse


def test_a_bound_below_a_value_that_was_verified_is_dropped_and_said(entry):
    wrong = replace(
        entry, value=0.8 * entry.value, bound=0.9 * entry.value, proven=True, bound_by="mistaken"
    )
    loose = replace(entry, bound=2.0 * entry.value, proven=False, bound_by="dual")
    for sound in (entry, loose):
        for merged in (best_known.merged(wrong, sound), best_known.merged(sound, wrong)):
            assert merged == sound
        for message in (best_known.refuted(wrong, sound), best_known.refuted(sound, wrong)):
            assert "mistaken" in message and f"{wrong.bound:.9g}" in message
    assert best_known.refuted(entry, loose) == best_known.refuted(None, entry) == ""
    rounded = replace(entry, bound=entry.bound * (1.0 - 1e-13))
    assert best_known.refuted(rounded, entry) == ""


def test_the_frozen_table_agrees_with_its_problems_and_brute_force():
    table = best_known.read()
    load = best_known.checking(suite.SUITES["quick"], table)
    for item in suite.SUITES["quick"]:
        load(item.dataset, **item.parameters)
    assert best_known.version() >= 1
    for k in (3, 6, 9):
        entry = table["pit props", "pitprops", k, False]
        best = api.solve(api.load("pitprops"), "brute_force", k=k).variance
        assert entry.proven and entry.value == pytest.approx(best, rel=1e-9)


def test_f1_is_1_for_the_same_support_and_0_for_another():
    assert resampling.f1([1, 2], [2, 1]) == 1.0
    assert resampling.f1([1], [2]) == resampling.f1([], []) == 0.0
    assert resampling.f1([1, 2], [2, 3]) == 0.5


def test_statistics_of_a_solver_are_shares():
    problem = api.load("spiked_samples", m=60, n=20, count=4, strength=8.0, seed=3)
    settings = dict(seed=0, name="tpower", k=4)
    for (function, judge), number in zip(resampling.MEASURES, ("share", "overlap"), strict=True):
        numbers = function(problem, **settings)
        assert 0.5 < judge(problem, numbers, **settings)[number] <= 1.0
        with pytest.raises(ValueError):
            judge(problem, numbers, **settings | {"k": 2})  # more nonzeros than were asked for


NEEDS = 'REQUIRES = "no_such_library"\n'


def test_a_solver_that_needs_a_missing_library_is_named_with_the_reason(tmp_path):
    file = tricks.file_of(tmp_path, "needy", NEEDS)
    assert "no_such_library" in registry.unavailable(file)
    assert registry.unavailable("tpower") == ""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_memory_that_an_earlier_run_left_free_is_seen_again(here):
    body = "ones = np.ones(2_500_000)\nyield ones[0] * project(problem.covariance.diagonal(), k)"
    file = tricks.file_of(here, "greedy", body=body, traits="")
    task = plans.plan(jobs.Job.of(file)).groups[""][0]
    rows = rows_of([replace(task, timed=False)] * 3, here)
    assert min(row.peak_memory - row.memory_before for row in rows) > 18e6


LOOPS = "while problem.n > 13:\n    pass\nyield project(problem.covariance.diagonal(), k)"


@pytest.fixture
def undrawn(monkeypatch):
    """Skip plotting, which takes longer than writing the tested text."""
    monkeypatch.setattr(comparison_pictures, "pictures", lambda *_: ())


def test_a_comparison_is_made_resumed_and_shows_failures(tmp_path, monkeypatch):
    monkeypatch.setattr(plans, "PATIENCE_FACTOR", 2.0)
    files = (("loops", ""), ("needy", NEEDS))
    files = [tricks.file_of(tmp_path, name, top, LOOPS, traits="") for name, top in files]
    solvers = ["tpower", "gpower1", *files]
    plan = compared(monkeypatch, tmp_path, "mine", solvers, items=2, named=["loops"])
    text = plan.with_name("index.html").read_text()
    assert "killed after" in text and "gpower1" in text and ranking.RULE in text
    ranked = plan.with_name("ranking.txt").read_text()
    assert "needs no_such_library" in text and "loops" in ranked
    heads, first = ranked.splitlines()[:2]
    assert heads.split()[-2:] == ["time", "flops"] and len(first) == len(heads)
    place, reason = [line for line in ranked.splitlines() if "needy" in line], "needs no_such_lib"
    assert len(place) == 1 and place[0].startswith("needy: skipped on 5: " + reason)
    table = pd.read_csv(plan.with_name("table.csv"))
    pairs = text.partition('id="pairs-table"')[2].partition("</table>")[0]
    shares = table[table.solver == "loops"].share
    assert pairs.count("n/a") == shares.isna().sum() > 0
    assert all(f"{100 * share:.2f} %</td></tr>" in pairs for share in shares.dropna())
    good = table[table.value.notna()]
    assert (good.value <= good.bound * (1 + 1e-9)).all() and (good.share <= 1 + 1e-9).all()
    assert (good.cardinality <= good.asked).all()
    ended = {"crash", "killed"} & set(table.status)
    assert set(table[table.solver == "loops"].status) == {"finished", "skipped"} | ended
    assert not list(plan.parents[2].glob("rows/*/*.journal"))


@WHOLE
def test_solvers_of_one_name_that_reach_nothing_are_compared(tmp_path, monkeypatch):
    solvers = [tmp_path / folder / "poor.py" for folder in ("one", "two")]
    for file in solvers:
        file.parent.mkdir()
        body = "print('so poor')\nyield np.eye(problem.n)[0]"
        tricks.file_of(file.parent, "poor", body=body, traits="")
    plan = compared(monkeypatch, tmp_path, "both", solvers, named=["poor (one)"])
    text = plan.with_name("index.html").read_text()
    ranked = plan.with_name("ranking.txt").read_text()
    assert "poor (one)" in ranked
    assert "poor (two)" in ranked
    assert "The solver printed text" in text


def test_a_comparison_in_which_every_run_fails_shows_the_line(tmp_path, monkeypatch, undrawn):
    file = tricks.file_of(tmp_path, "mine", body="yield problems", traits="")
    plan = compared(monkeypatch, tmp_path, "mine", [file], items=2, named=["mine"])
    text = html.unescape(plan.with_name("index.html").read_text())
    assert "0 of 1</td>" in text
    ranked = plan.with_name("ranking.txt").read_text()
    assert "nan" not in ranked
    for shown in (text, ranked):
        assert re.search(r"\(mine\.py, line \d+: yield problems\)", shown)


@pytest.mark.parametrize(
    ("solvers", "expected"),
    [
        (["tpower", "/a/mine.py"], ["tpower", "mine"]),
        (["tpower", "/a/tpower.py"], ["tpower", "tpower (a)"]),
        (["/a/mine.py", "/b/mine.py"], ["mine (a)", "mine (b)"]),
    ],
)
def test_labels_are_unique(solvers, expected):
    assert jobs.labels([jobs.Job(solver) for solver in solvers]) == expected


def test_files_of_one_name_in_folders_of_one_name_have_labels_of_their_own():
    labels = jobs.labels([jobs.Job(f"/{home}/x/mine.py") for home in "ab"])
    assert len(set(labels)) == 2


def test_a_fingerprint_follows_the_solver_and_the_limit(tmp_path):
    job = jobs.Job.of(tricks.file_of(tmp_path, "mine", "x = 1\n"), "quick")
    first = plans.plan(job).key
    assert plans.plan(replace(job, limit=1.0)).key != first
    other = tricks.file_of(tmp_path, "other", "x = 2\n")
    assert plans.plan(jobs.Job.of(other, "quick")).key != first
    assert job.key != jobs.Job(str(tmp_path / "sub" / "mine.py")).key


def test_solvers_take_part_where_they_give_what_is_asked():
    signed, nonnegative = jobs.entrants("standard"), jobs.entrants("nonnegative")
    assert "nspca" in nonnegative and "nspca" not in signed
    assert "tpower" in signed and "tpower" not in nonnegative
    assert "power_method" not in signed


def test_samples_are_drawn_again_in_the_worker(here):
    runs = plans.plan(jobs.Job("tpower", limit=5.0)).groups[""]
    names = {run.measure: run for run in runs if run.function}
    assert set(names) == {"held_out", "stability"} and names["held_out"].solvers == ("tpower",)
    task = replace(names["held_out"], dataset="gaussian", parameters=dict(m=30, n=12))
    (row,) = rows_of([task], here)
    assert row.status == "finished" and 0.0 < row.extra["share"] <= 1.0


def test_a_problem_is_ready_before_its_runs(here):
    for function in (preparation.ready, preparation.tidied):
        answer = worker.answered(Run(dataset="pitprops", function=function))
        assert answer.status == "finished", answer.reason


@pytest.mark.parametrize("name", suite.SUITES)
def test_fresh_problems_are_of_the_same_families_and_none_is_known(name):
    old, new = suite.items(name), suite.items(name, fresh=7)
    assert [i.family for i in new] == [i.family for i in old]
    assert [i.ks for i in new] == [i.ks for i in old]
    assert new == suite.items(name, fresh=7)
    for other in (old, suite.items(name, fresh=8)):
        for fresh, theirs in zip(new, other, strict=True):
            assert (fresh.dataset, fresh.parameters) != (theirs.dataset, theirs.parameters)
    assert not {i.name for i in new} & {key[0] for key in best_known.read()}


def test_fresh_samples_have_seeds_that_the_standard_ones_have_not():
    old, new = (
        {i.parameters["seed"] for i in items} for items in (suite.recovery(), suite.recovery(7))
    )
    assert len(new) == len(old) == len(suite.SEEDS)
    assert not old & new


def test_fresh_jobs_have_rows_of_their_own():
    jobs_of = [jobs.Job("tpower", "quick", fresh=seed) for seed in (None, 7, 8)]
    assert len({job.folder for job in jobs_of}) == 3
    assert len({plans.plan(job).key for job in jobs_of}) == 3


def test_a_fingerprint_follows_the_dataset_whose_rows_are_drawn_again(monkeypatch):
    task = Run(dataset="bootstrap", parameters={"of": "alon"}, solver="tpower")
    first = row_hash.of_runs([task])
    other = replace(task, parameters={"of": "pitprops"})
    assert row_hash.of_runs([other]) != first
    alon, hashed = registry.path("dataset", "alon"), row_hash.tree_hash
    monkeypatch.setattr(
        row_hash, "tree_hash", lambda file: hashed(file) + "edited" * (file == alon)
    )
    assert row_hash.of_runs([task]) != first


def test_a_seed_that_was_given_is_a_doubt(tmp_path, monkeypatch, undrawn):
    """Someone who chooses the seed can try many; a merged page names the source of the seed."""
    plan = compared(monkeypatch, tmp_path, "new", ["tpower"], fresh=7)
    table = pd.read_csv(plan.with_name("table.csv"))
    assert (table.problem == "rows of pitprops, drawn again").all()
    assert (table.best <= table.bound).all()
    page = plan.with_name("index.html")
    assert "new problems from seed 7" in page.read_text()
    doubt = "The seed of the fresh problems, 7, was specified instead of drawn"
    assert doubt in page.read_text() and "specified, not drawn" in page.read_text()
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(plan.parent, elsewhere)
    plan.write_text(json.dumps(json.loads(plan.read_text()) | {"drawn": True}))
    text = comparison_page.write(plan).read_text()
    assert doubt not in text and "specified, not drawn" not in text
    out = tmp_path / "both"
    out.mkdir()
    merged = comparison_page.write_merged(out, [plan.parent, elsewhere]).read_text()
    assert f"{doubt} (in elsewhere)" in merged


def test_the_source_of_a_bound_is_that_of_the_smaller_one(entry):
    looser = replace(entry, bound=2.0 * entry.value, proven=False, bound_by="dual", seconds=9.0)
    merged = best_known.merged(looser, entry)
    assert (merged.bound_by, merged.seconds) == (entry.bound_by, entry.seconds)
    assert best_known.merged(entry, looser) == entry
    unsaid = replace(entry, bound_by="")
    assert best_known.merged(unsaid, entry).bound_by == entry.bound_by


def test_pairs_are_those_of_the_suites_or_of_one_problem():
    expected = [(suite.SUITES["quick"][0], k) for k in (2, 4)]
    assert best_known.pairs(["quick"], "pit props", (2, 4)) == expected
    every = best_known.pairs(suite.SUITES)
    assert len({(i.name, i.nonnegative, k) for i, k in every}) == len(every)
    with pytest.raises(InputError, match="pit props"):
        best_known.pairs(["quick"], "pit prop")


def test_one_problem_is_shown_with_names_and_what_proved_it(capsys):
    from spcabench.cli.best_known import best_known as command

    command("pit props", "3")
    shown = capsys.readouterr().out
    for word in ("k =   3", "optimal", "topdiam", "bound", "proven by"):
        assert word in shown
    with pytest.raises(InputError, match="no answers are known"):
        command("pit props", "2")


def test_what_cannot_be_tried_on_large_problems_is_said_before():
    refusals = {
        (solver, item.name): plans.refused(describe(solver).traits, item)
        for solver in jobs.entrants("large")
        for item in suite.items("large")
    }
    assert "80.0 GB" in refusals["greedy_full", "text 100,000"]
    assert not refusals["gpower1", "text 100,000"]
    assert not refusals["local_search", "sparse 200,000"]


def test_the_optima_of_adversarial_problems_are_their_planted_supports():
    for item in suite.items("adversarial"):
        problem = api.load_or_stand_in(item.dataset, **item.parameters)
        result = api.solve(problem, "branch_and_bound", k=item.ks[0])
        assert result.gap < 1e-8
        if item.parameters["family"] not in ("equal", "negative"):
            assert result.support.tolist() == problem.provenance["support"]


def test_no_vector_is_the_best_because_nothing_else_is_known(tmp_path, monkeypatch, undrawn):
    """If the table contains no answer for a cardinality, the harness also computes an answer."""
    body = "x = np.zeros(problem.n)\nx[-k:] = 1.0 / np.sqrt(k)\nyield x"
    file = tricks.file_of(tmp_path, "equal", body=body, traits="")
    plan = compared(monkeypatch, tmp_path, "equal", [file], ks=(7,))
    table = pd.read_csv(plan.with_name("table.csv"))
    assert (table.share < 0.9).all()
