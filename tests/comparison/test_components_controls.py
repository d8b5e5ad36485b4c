"""Control problems in a comparison of several components."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from spcabench.comparison import jobs, plans
from spcabench.comparison.components import controls, ranking, runs, suite
from spcabench.comparison.components.suite import Item
from spcabench.comparison.jobs import COMPONENTS, CONTROL, Comparison, Job
from spcabench.page import components_page
from spcabench.running import rows as results
from spcabench.running import runner
from tests.checking import tricks

ITEMS = [
    Item(f"gaussian {n}", "gaussian", dict(m=30, n=n, seed=0), (2,), (3, 5), "gaussian", "", n)
    for n in (12, 15)
]


def lines(ratios, seconds, kind):
    """Return lines of one way, with the ratios of its values to those of a quick solver."""
    items = dict(item=[f"problem {i}" for i in range(len(ratios))], r=2, k=3, kind=kind)
    return pd.DataFrame(items | dict(ratio=ratios, seconds=seconds, value=1.0))


@pytest.mark.parametrize(
    ("ratio", "seconds", "words"),
    [(1.0, 1.0, []), (1.01, 0.2, []), (0.97, 1.0, ["3.1 % larger"]), (1.0, 4.0, ["4 times"])],
)
def test_a_file_is_doubted_if_it_is_worse_or_slower_on_the_control_problems(
    ratio, seconds, words, monkeypatch
):
    """In each case the control problems have this ratio of values, and of times, to the others."""
    monkeypatch.setattr(controls, "generated", lambda _: [f"problem {i}" for i in range(8)])
    noise = 1.0 + 1e-3 * np.random.default_rng(0).standard_normal(8)
    table = pd.concat(
        [
            lines(np.ones(8), np.ones(8), runs.TRUE),
            lines(ratio * noise, seconds * noise, CONTROL),
        ]
    )
    found = controls._outcome("mine", "projection", 5, table, controls.LEVEL)
    assert len(found.doubts) == len(words)
    assert all(w in said for w, (said, _) in zip(words, found.doubts, strict=True))
    monkeypatch.setattr(controls, "generated", lambda _: [])  # samples of real data are harder
    assert not controls._outcome("mine", "projection", 5, table, controls.LEVEL).doubts


def test_control_problems_follow_their_problems_in_every_way_and_are_timed(tmp_path):
    file = tricks.file_of(tmp_path, "mine")
    job = Job.of(file, COMPONENTS, control=5, every_way=True)
    every = plans.plan(job).groups[""]
    control = [run for run in every if run.columns["kind"] == CONTROL]
    standard = [run for run in every if run.columns["kind"] == runs.TRUE]
    keys = ("how", "r", "k")
    assert [[run.settings[key] for key in keys] for run in control] == [
        [run.settings[key] for key in keys] for run in standard
    ]
    assert all(run.timed for run in control)
    assert not any(run.parameters == other.parameters for run in control for other in standard)
    assert not [r for r in plans.plan(replace(job, control=None)).groups[""] if r not in every]


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """Compare an honest third-party file and a solver of the repository on two problems."""
    monkeypatch.setattr(suite, "ITEMS", ITEMS)
    monkeypatch.chdir(tmp_path)
    folder, files = tmp_path / "results" / "compare", []
    for solver, control in ((tricks.file_of(tmp_path, "mine"), 5), ("tpower", None)):
        job = Job.of(solver, COMPONENTS, limit=1.0, control=control)
        files.append(job.write(folder / "jobs"))
        runner.make_rows(plans.plan(job), jobs.rows_of(files[-1]))
    file = folder / "both" / "plan.json"
    file.parent.mkdir()
    names = [str(path.relative_to(tmp_path)) for path in files]
    file.write_text(Comparison("both", ["mine"], {}, names).text())
    return file


def test_the_page_shows_the_control_problems_of_a_third_party_file_alone(plan):
    page = components_page.write(plan).read_text()
    text = plan.with_name("ranking.txt").read_text()
    assert 'id="control"' in page and page.count("control, seed 5") == 2  # two ways
    assert text.count("on 4 control problems") == 2 and "tpower, projection, on" not in text
    assert "mine" not in {line.split(",")[0] for line in text.splitlines() if "Doubt" in line}
    table = pd.read_parquet(plan.with_name("table.parquet"))
    assert not table.item.str.startswith("fresh").any()


def test_a_file_without_control_problems_and_one_that_breaks_its_contract_are_doubted(plan):
    fields = Comparison.read(plan)
    rows = jobs.rows_of(plan.parents[3] / fields.jobs[0])
    table = results.read_table([rows])
    kept = [kind != CONTROL for kind in table["kind"].to_pylist()]
    results.write_table(table.filter(kept), rows)
    plan.write_text(replace(fields, broken={"mine": ["feasible: no"]}).text())
    components_page.write(plan)
    doubts = [s for s in plan.with_name("ranking.txt").read_text().splitlines() if "Doubt" in s]
    assert "violates the contract: feasible: no" in doubts[0]
    assert doubts[1].startswith("Doubt, mine: It did not run on control problems")


def test_the_time_of_a_third_party_file_is_that_of_the_outside_clock(plan):
    files = [jobs.rows_of(plan.parents[3] / file) for file in Comparison.read(plan).jobs]
    rows = results.read(files)
    for own in (False, True):
        for row in rows[rows.kind == runs.TRUE].assign(own=own).itertuples():
            inside, shown = row.extra["seconds"], ranking.line_of(row)["seconds"]
            assert shown == (inside if own else row.outer_time) >= inside


def test_other_data_than_those_of_the_rows_give_no_bound_and_no_ratio(plan):
    """Such as a stand-in, where the page is written without the data."""
    files = [jobs.rows_of(plan.parents[3] / file) for file in Comparison.read(plan).jobs]
    rows = results.read(files).assign(own=False)
    other = rows.assign(problem="of another machine")
    table = ranking.standing(other[other.kind != CONTROL])
    assert table.value.notna().all() and table.bound.isna().all()
    job_of = {"mine": Job.read(plan.parents[3] / Comparison.read(plan).jobs[0])}
    for found in controls.outcomes(other, job_of):
        assert np.isnan(found.value) and np.isnan(found.value_control) and not found.doubts
    assert ranking.standing(rows[rows.kind != CONTROL]).gap.ge(-1e-9).all()
