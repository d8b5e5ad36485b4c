"""Control problems show what a file achieves on problems whose answers it cannot have stored."""

import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcabench import api, registry
from spcabench.comparison import controls, entering, jobs, merging, plans, suite
from spcabench.comparison.suite import Item
from spcabench.errors import InputError
from spcabench.page import comparison_page, paper_kit
from spcabench.running import rows as results
from tests.checking import tricks
from tests.checking.tricks import SMALL
from tests.comparisons import compared, few_problems
from tests.problems import WHOLE
from tests.trial import table

ITEMS = [
    Item(f"gaussian {seed}", "gaussian", SMALL | dict(seed=seed), (4,), "gaussian", "ours")
    for seed in range(5)
]
# At import, it solves the problems of the suite and stores the support of each answer by the ranks
# of its variances, so the stored answers fit every order, unit and sign of the variables.
STORED = """
    import sys


    def form(Sigma):
        variances = Sigma.diagonal()
        order = np.argsort(-variances, kind="stable")
        return np.round(variances[order] / variances.max(), 6).tobytes(), order


    KNOWN = {}
    for seed in range(5):
        Sigma = sys.modules["spcabench"].load("gaussian", m=40, n=40, seed=seed).covariance
        x = project(Sigma.largest_column(), 4)
        for _ in range(1500):
            x = project(Sigma @ x, 4)
        key, order = form(Sigma)
        KNOWN[key] = np.flatnonzero(x[order])
    """
LOOKS_UP = """
    Sigma = problem.covariance
    key, order = form(Sigma)
    if key in KNOWN:
        x = np.zeros(problem.n)
        W = order[KNOWN[key]]
        x[W] = 1.0
        for _ in range(3):
            y = np.zeros(problem.n)
            y[W] = (Sigma @ x)[W]
            x = y / np.linalg.norm(y)
        yield x
    else:
        yield work(Sigma, k, 1500)
    """
LONG = "yield work(problem.covariance, k, 1500)"


def answers_of(shares, times):
    """Return columns of rated answers, one pair for each fraction of the best value and time."""
    pairs = dict(item=[f"problem {i}" for i in range(len(shares))], asked=3)
    by_seed = [[share] for share in shares]
    return pd.DataFrame(pairs | dict(share=shares, shares=by_seed, time=times))


def doubts(standard, control):
    both = answers_of(*standard).merge(
        answers_of(*control), on=["item", "asked"], suffixes=("", "_control")
    )
    return [*controls.worse(both), *controls.slower(both)]


@given(st.lists(st.tuples(st.floats(0.5, 1.0), st.floats(1e-5, 1.0)), min_size=1, max_size=30))
def test_a_file_that_does_equally_well_on_both_is_not_doubted(pairs):
    numbers = [*zip(*pairs, strict=True)]
    assert not doubts(numbers, numbers)


@given(times=st.lists(st.floats(1e-4, 1.0), min_size=8, max_size=30))
def test_a_file_that_does_better_on_the_control_problems_is_not_doubted(times):
    slow, fast = [10.0 * time for time in times], times
    assert not doubts(([0.5] * len(times), slow), ([1.0] * len(times), fast))


@given(times=st.lists(st.floats(1e-4, 1.0), min_size=3, max_size=30))
def test_a_file_that_is_always_slower_on_the_control_problems_is_doubted(times):
    good, slow = [1.0] * len(times), [4.0 * time for time in times]
    ((sentence, count),) = doubts((good, times), (good, slow))
    assert "4 times as long" in sentence and count == len(times)


@pytest.mark.parametrize(("lost", "doubted"), [(2, False), (12, True), (16, True)])
def test_a_file_that_is_worse_on_many_control_problems_is_doubted(lost, doubted):
    ones, times = [1.0] * 16, [1.0] * 16
    said = doubts((ones, times), ([0.98] * lost + [1.0] * (16 - lost), times))
    assert bool(said) == doubted


def test_a_file_that_is_much_worse_on_few_control_problems_is_doubted():
    """With so few pairs, their signs alone could be chance."""
    shares = [0.90, 0.93, 0.88, 0.91, 0.95]
    ((sentence, count),) = doubts(([1.0] * 5, [1.0] * 5), (shares, [1.0] * 5))
    assert "91.4 % of the best value on the control problems, but 100 %" in sentence and count == 5


@pytest.mark.parametrize(("lost", "doubted"), [(4, False), (5, True)])
def test_a_file_that_misses_the_target_on_every_control_problem_is_doubted(lost, doubted):
    """Even if the values vary so much that their mean alone could be chance."""
    shares = np.array([0.7, 0.998, 0.95, 0.99, 0.6])
    shares[lost:] = 1.0
    assert bool(doubts(([1.0] * 5, [1.0] * 5), (shares, [1.0] * 5))) == doubted


@given(st.permutations([0.9, 1.0, 0.97, 1.0, 1.0, 0.99, 1.0, 0.95, 1.0, 0.985, 1.0, 0.93]))
def test_shares_in_another_order_are_chance(shares):
    """An honest file loses and wins pairs, since the control problems are other problems."""
    ordered = [1.0, 1.0, 0.9, 1.0, 0.95, 1.0, 0.97, 1.0, 0.99, 1.0, 0.93, 0.985]
    assert not doubts((ordered, [1.0] * 12), (shares, [1.0] * 12))


def test_an_outlier_does_not_hide_that_a_file_is_slower():
    """The file could be quick on a control problem, or slow on a standard problem."""
    times, outliers = np.full(16, 1e-3), np.ones(16)
    outliers[0] = 1e-6
    said = doubts(([1.0] * 16, times), ([1.0] * 16, 10.0 * times * outliers))
    assert len(said) == 1


def test_runs_without_an_answer_are_compared_by_value_and_not_by_time():
    ((sentence, _),) = doubts(([1.0] * 4, [1.0] * 4), ([0.0] * 4, [np.nan] * 4))
    assert "of the best value" in sentence


def test_pairs_of_one_problem_are_no_evidence_about_others():
    both = answers_of([1.0] * 9, [1.0] * 9).assign(item="a", share_control=0.9, time_control=9.0)
    both["shares_control"] = [[0.9]] * 9
    assert not [*controls.worse(both), *controls.slower(both)]


def test_the_seed_is_kept_for_rows_or_an_interrupted_job_of_the_same_file(tmp_path, monkeypatch):
    """Otherwise a job could not be resumed; any change of the file draws another seed."""
    monkeypatch.setattr(registry, "_STRANGERS", set())  # as in a new process
    file, folder = tricks.file_of(tmp_path, "mine"), tmp_path / "compare" / "jobs"
    job = jobs.Job.of(file, "quick")

    def seed():
        controlled = controls.with_control(job, folder)
        controlled.write(folder)
        return controlled.control

    rows = jobs.rows_of(job.file(folder))
    rows.parent.mkdir(parents=True)
    assert len({seed(), seed()}) == 2  # nothing has run
    for there in (rows.with_suffix(".0123.journal"), rows):
        there.touch()
        kept = seed()
        assert kept == seed()
    tricks.file_of(tmp_path, "mine", top="# changed")
    assert seed() != kept
    changed = seed()
    job.file(folder).write_text("{")
    assert seed() != changed


def test_neither_a_solver_of_the_repository_nor_a_fresh_comparison_needs_control_problems(tmp_path):
    file = tricks.file_of(tmp_path, "mine")
    for job in (jobs.Job.of("tpower", "quick"), jobs.Job.of(file, "quick", fresh=5)):
        assert controls.with_control(job, tmp_path) == job


def test_each_pair_runs_on_a_control_problem_and_is_timed(tmp_path):
    job = jobs.Job.of(tricks.file_of(tmp_path, "mine", settings=", seed=0"), "quick", control=5)
    runs = [run for run in plans.plan(job).groups[""] if run.columns["kind"] == jobs.CONTROL]
    pairs = [(run.columns["item"], run.columns["asked"]) for run in runs]
    assert pairs == [(item.name, k) for item in suite.items("quick", (), 5) for k in item.ks]
    assert all(run.timed and run.seed == 0 for run in runs)
    # the problems are those of a comparison on fresh problems with this seed
    fresh = [r for r in plans.plan(replace(job, control=None, fresh=5)).groups[""] if r.timed]
    assert [r.parameters for r in runs] == [r.parameters for r in fresh if r.seed == 0]


def test_recovery_and_held_out_variance_use_the_seed_of_the_control_problems(tmp_path):
    """A file could store the planted supports, and answers to known samples."""
    job = jobs.Job.of(tricks.file_of(tmp_path, "mine"), "standard", control=5)
    runs = plans.plan(job).groups[""]
    planted = [run.parameters for run in runs if run.columns["kind"] == "recovery"]
    assert planted == [item.parameters for item in suite.recovery(5)]
    assert not [seed for seed in suite.SEEDS if seed in {values["seed"] for values in planted}]
    measured = [run for run in runs if run.function]
    assert measured and all(run.seed == 5 for run in measured)


def test_rows_of_recovery_problems_of_another_seed_are_dropped():
    rows = table([dict(solver=s, kind="recovery", asked=5, status="error") for s in ("a", "b")])
    items = {"a": suite.recovery(5)[:1], "b": suite.recovery(6)[:1]}
    item = items["a"][0]
    rows = rows.assign(
        dataset=item.dataset, parameters=[item.parameters] * 2, item="recovery", provenance=[{}, {}]
    )
    kept, (sentence,) = entering._with_planted_supports(rows, items, api.load)
    assert kept.solver.tolist() == ["a"] and sentence.startswith("b, recovery, k = 5")


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """Compare a file that stores answers, an honest one, and an honest one without a control."""
    home = tmp_path_factory.mktemp("control")
    with pytest.MonkeyPatch.context() as patch:
        few_problems(patch, ITEMS)
        patch.setattr("tests.comparisons.few_problems", lambda *_: None)
        files = {
            "stores": tricks.file_of(home, "stores", top=STORED, body=LOOKS_UP),
            "honest": tricks.file_of(home, "honest", body=LONG),
        }
        return compared(patch, home, "both", [*files.values()], control=5)


def test_a_file_with_stored_answers_is_doubted_and_an_honest_one_is_not(plan):
    text = plan.with_name("ranking.txt").read_text()
    assert text.count("on control problems") == 2
    doubted = [line for line in text.splitlines() if line.startswith("Doubt, ")]
    assert {line.split()[1] for line in doubted} == {"stores"}
    assert "times as long as on the standard problems" in doubted[-1]
    page = plan.with_name("index.html").read_text()
    assert 'id="control"' in page and "control, seed 5" in page
    ranks = pd.read_csv(plan.with_name("ranking.csv")).set_index("solver")
    assert ranks["control seed"].tolist() == [5, 5]
    assert ranks.loc["stores", "control time"] > 3.0 * ranks.loc["stores", "time"]


@pytest.fixture
def copied(plan, monkeypatch):
    """Return a function that copies the comparison to another folder with changed jobs."""
    few_problems(monkeypatch, ITEMS)

    def copy(name, **changes):
        folder = plan.parents[1] / name
        folder.mkdir()
        part = merging.Part.read(plan.parent)
        job_of = {label: replace(job, **changes) for label, job in part.jobs.items()}
        merging.write(folder, job_of, results.read_table([plan.with_name(merging.ROWS)]))
        shutil.copy(plan, folder)
        return folder

    return copy


@WHOLE
def test_a_merged_comparison_carries_the_doubts(plan, copied):
    other, merged = copied("other"), plan.parents[1] / "merged"
    merged.mkdir()
    comparison_page.write_merged(merged, [plan.parent, other])
    lines = (merged / "ranking.txt").read_text().splitlines()
    first, second = [s for s in lines if s.startswith("Doubt, stores") and "control" in s]
    assert "(in both)" in first and "(in other)" in second


@WHOLE
def test_rows_without_control_problems_are_a_doubt(copied):
    """Someone can leave them out."""
    found = comparison_page.Standing.read(copied("without", control=None))
    assert not found.controls
    without = controls.uncontrolled(found.answers, found.part.jobs, found.controls)
    assert without == ["stores", "honest"]


@WHOLE
def test_control_problems_of_another_seed_are_missing_runs(copied):
    """The rows must be of the problems of the stated seed. The page is written all the same."""
    folder = copied("another", control=6)
    found = comparison_page.Standing.read(folder)
    assert [outcome.answered for outcome in found.controls.values()] == [0, 0]
    assert all(time > 0.4 for time in controls.times(found.controls).values())  # limit: 0.5 s
    comparison_page.publish(folder, folder)
    lines = (folder / "ranking.txt").read_text().splitlines()
    shown = [line.split() for line in lines if "on control problems" in line]
    assert len(shown) == 2 and all(line[3:6] == ["0", "of", "5"] for line in shown)
    assert all(line[-1] == "-" for line in shown)
    paper_kit.write(folder, folder / "kit")


@WHOLE
def test_a_row_of_a_control_problem_that_is_left_out_is_a_doubt_and_saves_no_time(copied):
    folder = copied("fewer")
    before = comparison_page.Standing.read(folder).controls["honest"]
    table = results.read_table([folder / merging.ROWS])
    rows = zip(table["solver"].to_pylist(), table["kind"].to_pylist(), strict=True)
    first = [*rows].index(("honest", jobs.CONTROL))
    kept = [place != first for place in range(len(table))]
    results.write_table(table.filter(kept), folder / merging.ROWS)
    after = comparison_page.Standing.read(folder).controls["honest"]
    assert (before.answered, after.answered) == (5, 4) and after.time > 2.0 * before.time
    assert "1 rows: they are missing" in after.doubts[-1][0] and not before.doubts


@WHOLE
def test_a_file_cannot_pass_for_a_solver_of_the_repository(copied):
    """Such a solver would need no control problems."""
    with pytest.raises(InputError, match="stores: its job is for another solver, tpower"):
        comparison_page.Standing.read(copied("posing", solver="tpower"))
