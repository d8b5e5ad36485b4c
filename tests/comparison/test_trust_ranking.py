"""No dishonest solver of `test_trust` changes how the honest ones of a comparison are ranked."""

import pandas as pd
import pytest

from spcabench.comparison import ranking
from spcabench.comparison.suite import Item
from spcabench.running import rows as results
from tests import comparisons
from tests.checking.test_trust import BODY, SMALL, write
from tests.comparisons import few_problems
from tests.problems import some

# one process makes the rows of the honest solvers, and takes these tests
pytestmark = pytest.mark.xdist_group("ranking")

HONEST = ("tpower", "diagonal_thresholding", "greedy_forward", "gpower1")
ITEM = Item("gaussian", "gaussian", SMALL, (4, 8), "gaussian", "ours")
TRICKS = [name for name in BODY if name != "honest"]


@pytest.fixture(scope="module")
def rows_of(tmp_path_factory):
    """The rows of a solver's job on a suite of one small problem."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("ranking")
        patch.chdir(folder)
        few_problems(patch, [ITEM])
        yield lambda solver: results.read([comparisons.rows_of(solver, folder)[1]])


@pytest.fixture(scope="module")
def honest(rows_of):
    return pd.concat([rows_of(solver) for solver in HONEST], ignore_index=True)


def ranked(rows, last):
    """The honest solvers, best first."""
    order = ranking.ranking(ranking.standing(rows, {}), last).solver
    return [solver for solver in order if solver in HONEST]


@pytest.mark.parametrize("trick", some(3, TRICKS))
def test_honest_solvers_are_ranked_alike_beside_a_dishonest_one(trick, honest, rows_of, tmp_path):
    dishonest = rows_of(write(tmp_path, trick))
    assert len(dishonest) == len(ITEM.ks)
    both = pd.concat([honest, dishonest], ignore_index=True)
    for last in ("time", "flops"):
        assert ranked(both, last) == ranked(honest, last)


def test_the_honest_solvers_can_be_told_apart(honest):
    """The ranking is one that could change: not all are equal in quality."""
    answers = ranking.standing(honest, {})
    assert ranking.ranking(answers)["share"].round(6).nunique() > 1


def test_a_better_answer_may_change_the_ranking(honest):
    """The test above can fail: a value that no vector has would make shares of others fall."""
    lie = honest[honest.solver == "tpower"].assign(solver="liar")
    lie = lie.assign(variance_refit=1e3 * lie.variance_refit)
    answers = ranking.standing(pd.concat([honest, lie], ignore_index=True), {})
    assert ranking.ranking(answers).solver[0] == "liar"
