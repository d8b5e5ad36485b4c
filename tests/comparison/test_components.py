"""Comparing several components: the runs, the verification of rows, and the page."""

import re
import shutil

import numpy as np
import pandas as pd
import pytest

from spcabench import api
from spcabench.comparison import making, suite
from spcabench.comparison.components import find, ranking, ways
from spcabench.comparison.entrants import COMPONENTS
from spcabench.comparison.suite import Item
from spcabench.page import comparison_page
from spcabench.running import rows
from spcabench.running.description import describe
from spcabench.solving.deflate import Components
from spcabench.solving.formulations import Formulation, fault
from spcabench.solving.measures import measures
from tests.comparisons import computed, entrants_of, home_of
from tests.own_solver import text_of
from tests.problems import explicit
from tests.trial import check_links, make_site

DATA = dict(m=20, n=9, seed=0)
ITEM = Item(
    *("pit props", "gaussian", DATA, (3,), "gaussian", "ours"),
    **dict(n=9, counts=(2,), small=True, held_out=True),
)
SOLVERS = ("tpower", "amanpg", "alternating_disjoint")  # they have all ways
EVERY = dict(suite=COMPONENTS, limit=1.0, every_way=True)
ONE_TWICE = """z = np.eye(problem.n)[:, :1]
yield Iterate(z[:, 0], Z=np.tile(z, components))"""


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(suite, "COMPONENTS", [ITEM])


# one process makes the table, and takes these tests
of_the_table = pytest.mark.xdist_group("components")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Return the folder of comparisons with the rows of solvers, which run in every way."""
    folder = home_of(tmp_path_factory.mktemp("compared"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suite, "COMPONENTS", [ITEM])
        patch.setattr(find, "TRIALS", 4)
        computed(folder, entrants_of(SOLVERS, **EVERY))
        making.write(folder / "mine", entrants_of(["tpower"], **EVERY), ["tpower"])
    return folder


@pytest.fixture(scope="module")
def table(home):
    return ranking.standing(rows.read(home.glob("rows/*/*.parquet")))


@of_the_table
def test_the_grades_are_those_of_the_loadings_in_every_way(table):
    """A way is ranked within its formulation; disjoint answers are among the orthonormal ones."""
    S, answered = explicit(api.load("gaussian", **DATA)), table[table.value.notna()]
    for line in answered.itertuples():
        assert fault(line.Z, Formulation(line.formulation), line.k) == ""
        assert line.found == line.r and line.value <= line.bound
        assert line.total == pytest.approx(np.trace(line.Z.T @ S @ line.Z))
    dropped = answered[answered.how == "drop_features"]
    assert {*dropped.formulation} == {"disjoint", "orthonormal"}
    ranks = ranking.ranking(table)
    every = [ways.ways(name, describe(name).traits, True) for name in SOLVERS]
    assert {*ranks.how} == {way.how for of in every for way in of}
    assert (ranks.share <= 1.0 + 1e-12).all() and (ranks.answered <= ranks.pairs).all()
    best = answered.groupby(["formulation", "item", "r", "k"]).share.max()
    assert np.allclose(best, 1.0)


def test_loadings_that_break_their_formulation_are_a_failure(small, tmp_path):
    files = [tmp_path / f"{word}.py" for word in ("orthonormal", "disjoint")]
    text = text_of(ONE_TWICE, "def solve(problem, *, k, components=1):")
    for file in files:
        traits = f'"cardinality", components="joint", formulation="{file.stem}"'
        file.write_text(text.replace('"cardinality"', traits))
    computed(home_of(tmp_path), entrants_of(files, suite=COMPONENTS, limit=1.0))
    graded = ranking.standing(rows.read(tmp_path.rglob("*.parquet")))
    assert {*graded.solver} == {file.stem for file in files} and graded.value.isna().all()
    assert graded.reason.str.contains("constraint").all() and (graded.status != "finished").all()


ALL_BUT_ONE = [0.0, *np.ones(11)]
RANKS = [  # solver -> its share of each problem, the slowest first, and solver -> its rank
    (dict(c=ALL_BUT_ONE[:3], b=ALL_BUT_ONE[:3], a=[1.0] * 3), dict(a="1", b="2 to 3", c="2 to 3")),
    (dict(c=ALL_BUT_ONE, b=ALL_BUT_ONE, a=[1.0] * 12), dict.fromkeys("abc", "1 to 3")),
    # a gain from the tolerance of orthogonality is none
    (
        dict(worse=[1.0 - 3e-4] * 12, slack=[1.0] * 12, honest=[1.0 - 3e-5] * 12),
        dict(honest="1 to 2", slack="1 to 2", worse="3"),
    ),
]


@pytest.mark.parametrize(("shares", "ranks"), RANKS)
def test_several_components_have_ranges_and_what_ran_on_a_part_has_none(shares, ranks):
    """One problem is enough to decide among three solvers but not among twelve."""
    line = dict(r=2, k=3, formulation="disjoint", how="joint", kind="", status="finished")
    line |= dict(gap=0.1, found=2, value=1.0)
    lines = [
        line | dict(item=item, solver=solver, share=share, seconds=-place)
        for place, (solver, of) in enumerate(shares.items())
        for item, share in enumerate(of)
    ]
    lines.append(lines[0] | dict(solver="once"))
    ranked = ranking.ranking(pd.DataFrame(lines)).set_index("solver")["rank"]
    assert pd.isna(ranked.pop("once")) and [*ranked.items()] == [*ranks.items()]


@of_the_table
def test_the_page_shows_each_formulation_with_its_bound_and_can_be_published(home, small, tmp_path):
    folder = shutil.copytree(home / "mine", home_of(tmp_path) / "mine")
    text = comparison_page.write(folder).read_text()
    for formulation in ("deflation", "disjoint", "orthonormal"):
        assert f'<h3 id="{formulation}">' in text
    assert not re.search(r"\bnan\b", text.partition("<script>")[0])
    out = tmp_path / "results" / "published" / "compare" / "one"
    comparison_page.publish(folder, out)
    make_site(out / "index.html")
    check_links(out / "index.html")
    again = comparison_page.write(out, published=True).read_text()
    assert again == (out / "index.html").read_text()


def test_the_cost_is_that_of_all_components():
    problem, how = api.load("gaussian", **DATA), dict(k=3, n_components=2, deflation="projection")
    of_all = find.loadings(problem, seed=0, solver="tpower", how="projection", r=2, k=3, limit=9.0)
    results = api.solve(problem, "tpower", refit=True, **how)
    assert of_all["flops"] == sum(result.cost.total_flops for result in results)
    assert (of_all["runs"], len(of_all["statuses"])) == (2, 2)


@pytest.mark.parametrize("how", [ways.CALIBRATED, ways.ROUNDED])
def test_a_search_returns_the_best_of_its_trials_with_few_enough_nonzeros(monkeypatch, how):
    problem, solve = api.load("gaussian", **DATA), api.solve
    trials: list[Components] = []
    monkeypatch.setattr(
        find.api, "solve", lambda *a, **b: trials.append(solve(*a, **b)) or trials[-1]
    )
    found = find.loadings(problem, seed=0, solver="amanpg", how=how, r=2, k=3, limit=9.0)
    explained, S = [], explicit(problem)
    for each in trials:
        W = np.flatnonzero(each.Z.any(axis=1))
        if how == ways.ROUNDED and len(W) <= 3:
            explained.append(np.linalg.eigvalsh(S[np.ix_(W, W)])[-2:].sum())
        if how == ways.CALIBRATED and np.count_nonzero(each.Z) <= 2 * 3:
            explained.append(measures(problem, each.Z).projected)
    best = measures(problem, find.assembled(found, problem.n)).projected
    assert best == pytest.approx(max(explained)) and 1 < len(explained) < len(trials)
    assert found["runs"] == len(trials) <= find.TRIALS
    assert found["flops"] == sum(each.results[0].cost.total_flops for each in trials)


def test_held_out_samples_are_not_those_of_the_loadings():
    problem = api.load("gaussian", **DATA)
    train, test = find.train_and_test(problem)
    A = [each.data.dense() for each in (train, test, problem)]
    for half, X in zip(A[:2], (A[2][::2], A[2][1::2]), strict=True):
        assert np.allclose(half, X - X.mean(axis=0))
    settings = dict(seed=0, solver="tpower", how="projection", r=2, k=3, limit=1.0)
    answer = find.components_held_out(problem, formulation="deflation", **settings)
    Z = find.assembled(answer, problem.n)
    assert find.assembled({"indices": [], "values": []}, 9).shape == (9, 0)
    direct = api.solve(train, "tpower", n_components=2, k=3, refit=True)
    assert np.allclose(np.abs(Z), np.abs(direct.Z))
