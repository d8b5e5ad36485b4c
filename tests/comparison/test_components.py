"""Comparing several components: the runs, the verification of rows, and the page."""

import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest

from spcabench import api, registry
from spcabench.comparison import jobs, plans
from spcabench.comparison.components import find, ranking, runs, suite, ways
from spcabench.comparison.components.suite import Item
from spcabench.comparison.jobs import COMPONENTS, Job
from spcabench.errors import InputError
from spcabench.page import components_page, components_pictures, publish
from spcabench.running import rows, runner
from spcabench.running.description import describe
from spcabench.running.journal import Journal
from spcabench.solving.formulations import Formulation, fault
from tests.problems import some
from tests.trial import change_columns, check_links, make_site

DATA = dict(m=20, n=9, seed=0)
ITEM = Item("pit props", "gaussian", DATA, (2,), (3,), "gaussian", "ours", 9, True, held_out=True)
ITEMS = suite.ITEMS  # as they are, before a fixture replaces them
LIAR = '''"""Says that its loadings are orthonormal; they are the same one twice."""
import numpy as np
from spcabench.iterate import Iterate, Traits
TRAITS = Traits(control="cardinality", components="joint", formulation="{formulation}")
EXAMPLE = dict(k=3)
def solve(problem, *, k, components=1):
    z = np.zeros(problem.n)
    z[0] = 1.0
    Z = np.tile(z[:, None], components)
    yield Iterate(Z[:, 0], Z=Z)
'''


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(suite, "ITEMS", [ITEM])


def _graded(tmp_path, *solvers, **more):
    files = []
    for solver in solvers:
        job = Job.of(str(solver), COMPONENTS, limit=1.0, **more)
        files.append(tmp_path / f"{job.key}.parquet")
        runner.make_rows(plans.plan(job), files[-1])
    return ranking.standing(rows.read(files))


# one process makes the table, and takes these tests
of_the_table = pytest.mark.xdist_group("components")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suite, "ITEMS", [ITEM])
        yield _graded(tmp_path_factory.mktemp("rows"), "tpower", "amanpg", every_way=True)


@of_the_table
def test_every_way_has_a_formulation_and_none_is_ranked_across_two(table):
    ranks = ranking.ranking(table)
    ways_by = {
        way.how
        for name in ("tpower", "amanpg")
        for way in ways.ways(name, describe(name).traits, True)
    }
    assert set(ranks.how) == ways_by
    best = table[table.value.notna()].groupby(["formulation", "item", "r", "k"]).share.max()
    assert np.allclose(best, 1.0)


@of_the_table
def test_the_grades_are_those_of_the_kept_loadings(table):
    problem = api.load("gaussian", **DATA)
    for line in table[table.value.notna()].itertuples():
        assert fault(line.Z, Formulation(line.formulation), line.k) == ""
        S = problem.given_as("covariance").matrix.S
        assert line.total == pytest.approx(np.trace(line.Z.T @ S @ line.Z))
        assert line.value <= line.bound


@of_the_table
def test_disjoint_answers_stand_among_the_orthonormal_ones(table):
    both = table[(table.how == "drop_features") & table.value.notna()]
    assert set(both.formulation) == {"disjoint", "orthonormal"}


@pytest.mark.parametrize("formulation", ["orthonormal", "disjoint", "common"])
def test_loadings_that_break_their_formulation_are_a_failure(small, tmp_path, formulation):
    file = tmp_path / f"liar_{formulation}.py"
    file.write_text(LIAR.format(formulation=formulation))
    graded = _graded(tmp_path, file)
    assert graded.value.isna().all()
    assert (graded.status != "finished").all()
    assert graded.reason.str.contains("constraint").all()


def test_a_gain_from_the_tolerance_of_orthogonality_is_no_rank():
    items = [f"problem {i}" for i in range(12)]
    line = dict(r=2, k=3, r_=2, formulation="orthonormal", how="joint", kind="", status="finished")
    line |= dict(gap=0.1, found=2, value=1.0)
    of = {"slack": (1.0, 0.2), "honest": (1.0 - 3e-5, 0.1), "worse": (1.0 - 3e-4, 0.1)}
    lines = [
        line | dict(item=item, solver=solver, share=share, seconds=seconds)
        for solver, (share, seconds) in of.items()
        for item in items
    ]
    ranked = ranking.ranking(pd.DataFrame(lines)).set_index("solver")
    assert [*ranked.index] == ["honest", "slack", "worse"]  # equal shares by time
    assert [*ranked["rank"]] == ["1 to 2", "1 to 2", "3"]


@of_the_table
def test_a_shorter_answer_can_be_better_only_by_its_variance(table):
    ranks = ranking.ranking(table)
    assert (ranks.share <= 1.0 + 1e-12).all()
    assert (ranks.answered <= ranks.pairs).all()


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """Compute the rows and the plan of a comparison of one solver; return the folder."""
    folder = tmp_path_factory.mktemp("compared")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suite, "ITEMS", [ITEM])
        file = Job("tpower", COMPONENTS, limit=1.0).write(folder / "results" / "compare" / "jobs")
        runner.make_rows(plans.plan(Job.read(file)), jobs.rows_of(file))
    plan = folder / "results" / "compare" / "mine" / "plan.json"
    plan.parent.mkdir()
    fields = dict(name="mine", named=["tpower"], jobs=[str(file.relative_to(folder))])
    plan.write_text(json.dumps(fields))
    return folder


@pytest.fixture
def plan(compared, small, tmp_path):
    """Return the plan of a copy of the comparison."""
    shutil.copytree(compared, tmp_path, dirs_exist_ok=True)
    return tmp_path / "results" / "compare" / "mine" / "plan.json"


@of_the_table
def test_no_page_is_made_of_an_impossible_row(plan, tmp_path, monkeypatch):
    """The row has a negative time; a row with a different solver's name gets the name from the
    plan.
    """
    monkeypatch.setattr(components_pictures, "pictures", lambda *_: ())  # the text is looked at
    (file,) = tmp_path.glob("results/compare/rows/*/*.parquet")
    change_columns(file, solver="gpower1")
    text = components_page.write(plan).read_text()
    assert "tpower" in text and "gpower1" not in text
    change_columns(file, solve_time=-1.0)
    with pytest.raises(InputError, match=r"a row of tpower: solve_time: -1\.0"):
        components_page.write(plan)


@of_the_table
def test_the_page_shows_each_formulation_with_its_bound_and_can_be_published(plan, tmp_path):
    text = components_page.write(plan).read_text()
    shown = re.findall(r'<img src="([^"]*)"', text)
    assert shown and all((plan.parent / address).stat().st_size for address in shown)
    for formulation in ("deflation", "disjoint", "orthonormal"):
        assert f'<h3 id="{formulation}">' in text
    assert not re.search(r"\bnan\b", text.partition("<script>")[0])
    assert len(pd.read_csv(plan.with_name("table.csv"))) >= 4
    ranked = plan.with_name("ranking.txt").read_text()
    assert "tpower" in ranked and "nan" not in ranked
    out = tmp_path / "results" / "published" / "compare" / "one"
    publish._copy_comparison(plan.parent, out)
    make_site(out / "index.html")
    check_links(out / "index.html")
    again = components_page.write_again(out).read_text()
    assert again == (out / "index.html").read_text()


def test_a_killed_job_goes_on_where_it_stopped(small, tmp_path, monkeypatch):
    job, out = Job("tpower", COMPONENTS, limit=1.0), tmp_path / "tpower.parquet"
    added, add = [], Journal.add

    def some(journal, task, row):
        added.append(task)
        add(journal, task, row)
        if len(added) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(Journal, "add", some)
    with pytest.raises(KeyboardInterrupt):
        runner.make_rows(plans.plan(job), out)
    runner.make_rows(plans.plan(job), out)
    assert len(added) == len(set(added)) == len(rows.read([out])) == len(plans.plan(job).groups[""])


def test_held_out_samples_are_not_those_of_the_loadings():
    problem = api.load("gaussian", **DATA)
    train, test = find.train_and_test(problem)
    assert train.m + test.m == problem.m
    settings = dict(seed=0, solver="tpower", how="projection", r=2, k=3, limit=1.0)
    Z = find.assembled(find.halves(problem, **settings), problem.n)
    direct = api.components(train, "tpower", 2, k=3, refit=True)
    assert np.allclose(np.abs(Z), np.abs(direct.Z))


@pytest.mark.parametrize(
    "name", some(10, [name for name in ways.entrants() if not registry.unavailable(name)])
)
def test_every_entrant_answers_a_small_problem_in_each_way(name):
    traits = registry.module("solver", name).TRAITS
    if traits.relaxation or traits.exact:
        problem, k = api.load("gaussian", m=12, n=6, seed=1), 2
    else:
        problem, k = api.load("gaussian", **DATA), 3
    for way in ways.ways(name, traits):
        loadings = find.loadings(problem, seed=0, solver=name, how=way.how, r=2, k=k, limit=2.0)
        Z = find.assembled(loadings, problem.n)
        assert Z.shape[1] >= 1, way
        assert fault(Z, way.formulation, k) == "", way


def test_removed_variables_make_disjoint_loadings():
    problem = api.load("pitprops")
    components = api.components(problem, "tpower", 2, k=4, deflation="drop_features")
    assert components.formulation == Formulation.DISJOINT
    assert components.measures.violation == pytest.approx(0.0, abs=1e-12)
    assert components.measures.total <= components.joint_bound


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_an_item_has_as_many_variables_as_it_says(item):
    problem = api.load_or_stand_in(item.dataset, **item.parameters)
    if not problem.stand_in:  # which may have another size
        assert problem.n == item.n


def test_a_solver_is_not_asked_what_is_too_large_for_it():
    sizes = {item.n: runs.refused(describe("brute_force").traits, item) for item in ITEMS}
    assert {n for n, why in sizes.items() if not why} == {13}
    assert sizes[40] == "is for at most 20 variables"
    with pytest.raises(
        InputError, match="n: 40 variables; solver 'brute_force' accepts at most 20"
    ):
        api.solve(api.load("gaussian", m=40, n=40), "brute_force", k=2)
