"""A third-party file is compared on problems that were drawn after it was read."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import typer

from spcabench import api, registry
from spcabench.cli import compare, options
from spcabench.comparison import entering, fresh, jobs, merging, plans, suite
from spcabench.comparison.jobs import Comparison, Job
from spcabench.errors import InputError
from spcabench.page import comparison_page, doubts
from spcabench.running import code_hash, description, workflow
from spcabench.running import rows as results
from tests.checking import tricks
from tests.comparisons import compared
from tests.problems import WHOLE
from tests.trial import table


@pytest.fixture
def typed(here, monkeypatch):
    """Return a function that compares on the quick suite and returns the plan, without any run."""
    monkeypatch.setattr(options, "ROOT", here)
    monkeypatch.setattr(registry, "_STRANGERS", set())  # as in a new process
    monkeypatch.setattr(workflow, "workflow", lambda *_: 1)

    def run(*solvers, **settings):
        code_hash._summary.cache_clear()
        settings = dict(against="tpower", suite="quick") | settings
        with pytest.raises(typer.Exit):
            compare.compare([*solvers], **settings)
        plan = max(here.glob("results/compare/*/plan.json"), key=lambda file: file.stat().st_mtime)
        return plan, Comparison.read(plan)

    return run


def seeds_of(home, comparison):
    """Return the seeds of a comparison's jobs."""
    return {Job.read(home / file).fresh for file in comparison.jobs}


@pytest.mark.parametrize("new", [None, options.NEW])
def test_no_output_has_the_seed_before_all_runs(typed, here, capsys, new):
    """A file could read it if the output goes to a file beside it."""
    file = tricks.file_of(here, "mine")
    _, comparison = typed(file, fresh=new)
    (seed,) = seeds_of(here, comparison)
    _, again = with_rows(here, typed, file)
    assert "drawn" in (said := capsys.readouterr().out)
    assert not any(str(seed) in said for seed in {seed, *seeds_of(here, again)})
    compare._say_seed(fresh.Problems(seed, True))
    assert f"--fresh {seed} " in capsys.readouterr().out


def files_of(home, comparison, solver):
    """Return the path of a solver's rows."""
    named = [home / file for file in comparison.jobs if solver in file]
    return jobs.rows_of(named[0])


def test_all_solvers_run_on_fresh_problems_beside_a_third_party_file(typed, here):
    file = tricks.file_of(here, "mine")
    _, comparison = typed(file)
    (seed,) = seeds_of(here, comparison)
    assert seed is not None and comparison.drawn and not comparison.continued
    assert [*comparison.files] == [str(Path(file).resolve())]


@pytest.mark.parametrize("settings", [dict(public=True), dict(fresh="5"), dict(against="grqi")])
def test_the_problems_of_the_suite_and_a_specified_seed_are_not_drawn(typed, here, settings):
    solvers = [] if "against" in settings else [tricks.file_of(here, "mine")]
    _, comparison = typed(*solvers, **settings)
    assert seeds_of(here, comparison) == {5 if "fresh" in settings else None}
    assert not comparison.drawn and not comparison.files


def test_an_interrupted_comparison_keeps_its_seed_and_says_so(typed, here):
    """Answers could have been stored in another file while it was interrupted."""
    file = tricks.file_of(here, "mine")
    plan, first = typed(file)
    assert plan.parent.name == "mine-quick-fresh-default-2s"
    _, second = typed(file)
    assert seeds_of(here, second) != seeds_of(here, first)  # nothing of the file has run
    rows = files_of(here, second, "mine")
    rows.parent.mkdir(parents=True)
    rows.with_suffix(".0123.journal").touch()
    for _ in range(2):
        _, third = typed(file)
        assert seeds_of(here, third) == seeds_of(here, second) and third.continued
    results.write([], rows)
    assert typed(file)[1].continued
    _, new = typed(file, fresh=options.NEW)
    assert seeds_of(here, new) != seeds_of(here, third) and not new.continued


def with_rows(here, typed, *solvers, **settings):
    """Compare files, as if they had run; return the plan and its comparison."""
    plan, comparison = typed(*solvers, **settings)
    for name in comparison.jobs:
        rows = jobs.rows_of(here / name)
        rows.parent.mkdir(parents=True, exist_ok=True)
        results.write([], rows)
    return plan, comparison


def test_rows_keep_the_seed_and_a_changed_file_loses_it(here, typed):
    file = tricks.file_of(here, "mine")
    _, first = with_rows(here, typed, file)
    _, again = typed(file)
    _, more = typed(file, against="tpower,grqi")
    assert again == first and seeds_of(here, more) == seeds_of(here, first)
    tricks.file_of(here, "mine", top="# a comment")
    assert typed(file)[1] == first
    tricks.file_of(here, "mine", top="CHANGED = True")
    _, changed = typed(file)
    assert seeds_of(here, changed) != seeds_of(here, first) and changed.drawn


def test_another_file_draws_new_problems_for_all(here, typed):
    """Its author could have seen the earlier ones."""
    file, other = (tricks.file_of(here, name) for name in ("mine", "other"))
    _, first = with_rows(here, typed, file, name="both")
    _, both = typed(file, other, name="both")
    assert seeds_of(here, both) != seeds_of(here, first) and len(both.files) == 2


def test_a_damaged_plan_and_deleted_rows_draw_new_problems(here, typed):
    file = tricks.file_of(here, "mine")
    plan, first = with_rows(here, typed, file)
    files_of(here, first, "mine").unlink()
    _, second = with_rows(here, typed, file)
    assert seeds_of(here, second) != seeds_of(here, first)
    plan.write_text("{")
    _, third = typed(file)
    assert seeds_of(here, third) != seeds_of(here, second)


def test_a_slow_import_and_a_cause_of_many_failures_are_said_once(typed, here, capsys, monkeypatch):
    monkeypatch.setattr(description, "SLOW", 0.0)
    file = tricks.file_of(here, "mine", body="yield problems")
    _, comparison = typed(file)
    said = capsys.readouterr().out
    assert "mine.py: its import took" in said and "tpower: its import" not in said
    assert str(comparison.broken).count("NameError") == 1


def test_public_and_fresh_contradict_each_other(typed, here):
    with pytest.raises(InputError, match="--public: cannot be combined with --fresh"):
        compare.compare(["tpower"], public=True, fresh="5")


def test_recovery_and_held_out_variance_use_the_seed_of_the_fresh_problems(tmp_path):
    """A file could store the planted supports, and answers to known samples."""
    runs = plans.plan(Job.of(tricks.file_of(tmp_path, "mine"), "standard", fresh=5)).groups[""]
    planted = [run.parameters for run in runs if run.columns["kind"] == "recovery"]
    assert planted == [item.parameters for item in suite.recovery(5)]
    assert not [seed for seed in suite.SEEDS if seed in {values["seed"] for values in planted}]
    measured = [run for run in runs if run.function]
    assert measured and all(run.seed == 5 for run in measured)
    assert {run.dataset for run in measured}.isdisjoint({"bootstrap"})


def doubts_of(plan):
    """Return the sentences of the doubts of a written comparison, by solver."""
    lines = plan.with_name("ranking.txt").read_text().splitlines()
    doubted = [line.removeprefix("Doubt, ").split(": ", 1) for line in lines if "Doubt, " in line]
    return {(solver, sentence) for solver, sentence in doubted}


@pytest.mark.parametrize("continued", [False, True])
def test_only_a_continued_comparison_of_drawn_problems_is_doubted(tmp_path, monkeypatch, continued):
    file = tricks.file_of(tmp_path, "mine")
    plan = compared(monkeypatch, tmp_path, "new", ["tpower", file], items=2, fresh=7)
    drawn = replace(Comparison.read(plan), drawn=True, continued=continued)
    plan.write_text(drawn.text())
    comparison_page.write(plan)
    assert doubts_of(plan) == ({("mine", doubts.CONTINUED)} if continued else set())


def test_a_file_that_is_changed_after_its_problems_were_drawn_is_doubted(tmp_path, monkeypatch):
    """Even if it was replaced by the old one in the meantime."""
    file = tricks.file_of(tmp_path, "mine")
    plan = compared(monkeypatch, tmp_path, "new", ["tpower", file], items=2, fresh=7)
    job_of = merging.Part.read(plan.parent).jobs
    monkeypatch.setattr(registry, "_STRANGERS", set())  # as in a new process
    monkeypatch.setattr(suite, "new_seed", lambda: 7)
    files = fresh.drawn(job_of.values()).files
    plan.write_text(replace(Comparison.read(plan), drawn=True, files=files).text())
    comparison_page.write(plan)
    assert not doubts_of(plan)
    rows = table([dict(solver="mine", solver_sha256="0")])
    assert fresh.changed(Comparison.read(plan), job_of, rows) == ["mine"]
    tricks.file_of(tmp_path, "mine", top="# a comment affects no run")
    code_hash._summary.cache_clear()
    comparison_page.write(plan)
    assert not doubts_of(plan)
    tricks.file_of(tmp_path, "mine", top="CHANGED = True")
    code_hash._summary.cache_clear()
    comparison_page.write(plan)
    assert doubts_of(plan) == {("mine", doubts.CHANGED)}
    Path(file).unlink()
    assert fresh.changed(Comparison.read(plan), job_of, rows) == ["mine"]


def test_a_file_on_public_problems_is_doubted_and_a_solver_of_the_repository_is_not(
    tmp_path, monkeypatch
):
    file = tricks.file_of(tmp_path, "mine")
    plan = compared(monkeypatch, tmp_path, "old", ["tpower", file])
    assert doubts_of(plan) == {("mine", doubts.PUBLIC)}


@pytest.mark.parametrize("name", suite.SUITES)
def test_fresh_samples_of_real_data_have_other_scales(name):
    """Stored supports of the original data are then poor, unlike those of a designed problem."""
    items = suite.items(name, fresh=5)
    spreads = {i.parameters["spread"] for i in items if i.dataset == "bootstrap"}
    assert spreads <= ({0.0} if name == "adversarial" else {suite.SPREAD})
    assert suite.are_known(items) == (name == "adversarial")
    assert not suite.are_known(suite.items(name))


def test_a_designed_problem_that_is_known_is_a_doubt(tmp_path):
    job = Job.of(tricks.file_of(tmp_path, "mine"), "adversarial", fresh=5)
    both = {"mine": job, "tpower": Job.of("tpower", "adversarial", fresh=5)}
    found = doubts.said(Comparison("both", drawn=True), both, [*both], {"seed_given": []})
    assert found == [doubts.doubt("mine", doubts.SAMPLES)]


@WHOLE
def test_merged_rows_are_claimed(tmp_path, monkeypatch):
    file = tricks.file_of(tmp_path, "mine")
    plan = compared(monkeypatch, tmp_path, "one", ["tpower", file], fresh=7)
    plan.write_text(replace(Comparison.read(plan), drawn=True, continued=True).text())
    other, merged = plan.parents[1] / "other", plan.parents[1] / "merged"
    shutil.copytree(plan.parent, other)
    merged.mkdir()
    comparison_page.write_merged(merged, [plan.parent, other])
    found = {*doubts_of(merged / "plan.json")}
    assert {(doubts.ALL, doubts.CLAIMED), ("mine", doubts.CONTINUED)} <= found
    other_seed = {
        label: replace(job, fresh=8) for label, job in merging.Part.read(other).jobs.items()
    }
    merging.write(other, other_seed, results.read_table([other / merging.ROWS]))
    with pytest.raises(InputError, match="fresh = 8"):
        comparison_page.write_merged(merged, [plan.parent, other])


def test_rows_of_recovery_problems_of_another_seed_are_dropped():
    rows = table([dict(solver=s, kind="recovery", asked=5, status="error") for s in ("a", "b")])
    items = [suite.recovery(5)[0], suite.recovery(6)[0]]
    rows = rows.assign(
        dataset=items[0].dataset,
        parameters=[item.parameters for item in items],
        item="recovery",
        provenance=[{}, {}],
    )
    kept, (omission,) = entering._with_planted_supports(rows, items[:1], api.load)
    assert kept.solver.tolist() == ["a"] and omission.solver == "b"
    assert "recovery, k = 5" in omission.sentence


def test_a_file_cannot_pass_for_a_solver_of_the_repository(tmp_path, monkeypatch):
    """Such a solver would be compared on the public problems without a doubt."""
    file = tricks.file_of(tmp_path, "mine")
    plan = compared(monkeypatch, tmp_path, "one", ["tpower", file])
    job_of = merging.Part.read(plan.parent).jobs
    posing = {label: replace(job, solver="tpower") for label, job in job_of.items()}
    merging.write(plan.parent, posing, results.read_table([plan.with_name(merging.ROWS)]))
    with pytest.raises(InputError, match="mine: its job is for another solver, tpower"):
        comparison_page.Standing.read(plan.parent)
