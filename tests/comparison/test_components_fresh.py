"""Comparisons of several components with a third-party file use fresh problems."""

from dataclasses import replace

import pytest

from spcabench.comparison import jobs, plans
from spcabench.comparison.components import ranking, runs, suite
from spcabench.comparison.components.suite import Item
from spcabench.comparison.jobs import COMPONENTS, Comparison, Job
from spcabench.page import components_page, doubts
from spcabench.running import rows as results
from spcabench.running import runner
from tests.answers import row_of
from tests.checking import tricks

ITEMS = [
    Item(f"gaussian {n}", "gaussian", dict(m=30, n=n, seed=0), (2,), (3, 5), "gaussian", "", n)
    for n in (12, 15)
]


def test_fresh_problems_are_new_and_samples_are_held_out_from_the_standard_data(tmp_path):
    file = tricks.file_of(tmp_path, "mine")
    job = Job.of(file, COMPONENTS, fresh=5, every_way=True)
    every = plans.plan(job).groups[""]
    standard = plans.plan(replace(job, fresh=None)).groups[""]
    assert len(every) == len(standard)
    for new, old in zip(every, standard, strict=True):
        assert new.settings == old.settings and new.columns["kind"] == old.columns["kind"]
        held_out = old.columns["kind"] == runs.HELD_OUT
        assert (new.parameters == old.parameters) == held_out
        assert new.timed != held_out


@pytest.fixture
def plan(tmp_path, monkeypatch, request):
    """Compare an honest third-party file and a solver of the repository on two problems."""
    monkeypatch.setattr(suite, "ITEMS", ITEMS)
    monkeypatch.chdir(tmp_path)
    folder, files = tmp_path / "results" / "compare", []
    fresh = getattr(request, "param", 5)
    for solver in (tricks.file_of(tmp_path, "mine"), "tpower"):
        job = Job.of(solver, COMPONENTS, limit=1.0, fresh=fresh)
        files.append(job.write(folder / "jobs"))
        runner.make_rows(plans.plan(job), jobs.rows_of(files[-1]))
    file = folder / "both" / "plan.json"
    file.parent.mkdir()
    names = [str(path.relative_to(tmp_path)) for path in files]
    file.write_text(Comparison("both", ["mine"], {}, names, drawn=True).text())
    return file


def doubts_of(plan):
    """Write the page of a plan, and return the lines with doubts in its ranking."""
    components_page.write(plan)
    lines = plan.with_name("ranking.txt").read_text().splitlines()
    return [line for line in lines if "Doubt, " in line]


def test_drawn_problems_are_shown_and_cause_no_doubt(plan):
    assert not doubts_of(plan)
    page = plan.with_name("index.html").read_text()
    assert "New problems from seed 5." in page and "fresh gaussian 12" in page


def test_a_specified_seed_and_a_broken_contract_are_doubts(plan):
    broken = replace(Comparison.read(plan), drawn=False, broken={"mine": ["feasible: no"]})
    plan.write_text(broken.text())
    contract, given = doubts_of(plan)
    assert "violates the contract: feasible: no" in contract and "specified" in given


@pytest.mark.parametrize("plan", [None], indirect=True)
def test_the_public_problems_are_a_doubt_about_a_third_party_file(plan):
    assert doubts_of(plan) == [f"Doubt, mine: {doubts.PUBLIC}"]


def test_a_file_that_takes_data_where_the_problem_is_a_covariance_has_a_doubt(plan, monkeypatch):
    """As in a comparison of one component: the conversion is on no cost."""
    accepts_data = Job.described.fget
    monkeypatch.setattr(
        Job, "described", property(lambda job: replace_traits(accepts_data(job), accepts="data"))
    )
    monkeypatch.setattr(results, "read", with_column(results.read, form="covariance"))
    assert any(line.endswith(doubts.FACTORED) for line in doubts_of(plan))
    assert not any("tpower" in line for line in doubts_of(plan))


def replace_traits(description, **traits):
    """Return a description with other traits."""
    return replace(description, traits=replace(description.traits, **traits))


def with_column(read, **columns):
    """Return a function that reads rows, and sets columns."""
    return lambda files: read(files).assign(**columns)


TWO = """
from multiprocessing import get_context

def busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
"""
FORKS = """
workers = [get_context("fork").Process(target=busy, args=(0.4,)) for _ in range({count})]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
yield work(problem.covariance, k)
"""


@pytest.mark.parametrize("count", [1, 2])
def test_a_file_that_uses_two_processors_for_several_components_is_flagged(tmp_path, count):
    file = tricks.file_of(tmp_path, "mine", top=TWO, body=FORKS.format(count=count))
    first = next(runs.runs(Job.of(file, COMPONENTS, limit=5.0, fresh=5)))
    answer = row_of(first, tmp_path)
    assert answer.status == "finished", answer.reason
    flagged = "threads" in (answer.flags or ())
    # on a busy machine, two processes can share one processor
    assert not flagged if count == 1 else flagged or answer.outer_time > 1.2


def test_r_loadings_on_fewer_common_variables_are_not_asked_for(monkeypatch):
    item = replace(ITEMS[0], counts=(2, 6), ks=(5, 8))
    monkeypatch.setattr(suite, "ITEMS", [item])
    for solver in ("row_sparse", "amanpg"):
        asked = [run.settings for run in plans.plan(Job.of(solver, COMPONENTS)).groups[""]]
        pairs = {(s["r"], s["k"]) for s in asked if s["formulation"] == "common"}
        assert pairs == {(2, 5), (2, 8), (6, 8)}


def test_the_time_of_a_third_party_file_is_that_of_the_outside_clock(plan):
    files = [jobs.rows_of(plan.parents[3] / file) for file in Comparison.read(plan).jobs]
    rows = results.read(files)
    for own in (False, True):
        for row in rows[rows.kind == runs.TRUE].assign(own=own).itertuples():
            inside, shown = row.extra["seconds"], ranking.line_of(row)["seconds"]
            assert shown == (inside if own else row.outer_time) >= inside


def test_an_answer_of_a_third_party_file_after_its_limit_does_not_count(plan):
    files = [jobs.rows_of(plan.parents[3] / file) for file in Comparison.read(plan).jobs]
    rows = results.read(files)
    rows = rows[rows.kind == runs.TRUE]
    for row in rows.assign(own=False, outer_time=100.0).itertuples():
        line = ranking.line_of(row)
        assert line["status"] == "late" and "at most 3 s are allowed" in line["reason"]  # 2 calls
    for own, seconds in ((True, 100.0), (False, 2.9)):
        lines = [*map(ranking.line_of, rows.assign(own=own, outer_time=seconds).itertuples())]
        assert {line["status"] for line in lines} == {"finished"}


@pytest.mark.parametrize(
    ("seconds", "own", "over"), [(2.7, False, True), (2.7, True, False), (2.5, False, False)]
)
def test_an_answer_of_several_components_a_little_after_its_limit_is_flagged(
    plan, seconds, own, over
):
    rows = results.read([jobs.rows_of(plan.parents[3] / f) for f in Comparison.read(plan).jobs])
    rows = rows[rows.kind == runs.TRUE].assign(own=own, outer_time=seconds)
    assert {*map(ranking.is_overtime, rows.itertuples())} == {over}


def test_other_data_than_those_of_the_rows_give_no_bound(plan):
    """Such as a stand-in, where the page is written without the data."""
    files = [jobs.rows_of(plan.parents[3] / file) for file in Comparison.read(plan).jobs]
    rows = results.read(files).assign(own=False)
    table = ranking.standing(rows.assign(problem="of another machine"))
    assert table.value.notna().all() and table.bound.isna().all()
    assert ranking.standing(rows).gap.ge(-1e-9).all()
