"""No dishonest solver of `test_trust` changes the ranking of the honest ones."""

from pathlib import Path

import pandas as pd
import pytest
import typer

from spcabench import registry
from spcabench.checking import conformance
from spcabench.cli import compare, options
from spcabench.comparison import ranking, suite
from spcabench.comparison.jobs import Comparison
from spcabench.comparison.suite import Item
from spcabench.errors import InputError
from spcabench.running import description, workflow
from spcabench.running import rows as results
from spcabench.solving.run_warnings import Flag
from tests import comparisons
from tests.checking import tricks
from tests.checking.test_trust import BODY, write
from tests.checking.tricks import SMALL
from tests.comparisons import few_problems
from tests.problems import some

# one process makes the rows of the honest solvers, and takes these tests
pytestmark = pytest.mark.xdist_group("ranking")

HONEST = ("tpower", "diagonal_thresholding", "greedy_forward", "gpower1")
ITEM = Item("gaussian", "gaussian", SMALL, (4, 8), "gaussian", "ours")


@pytest.fixture(scope="module")
def rows_of(tmp_path_factory):
    """Return a function that makes the rows of a solver's job on a suite of one small problem."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("ranking")
        patch.chdir(folder)
        few_problems(patch, [ITEM])
        yield lambda solver: results.read([comparisons.rows_of(solver, folder)[1]])


@pytest.fixture(scope="module")
def honest(rows_of):
    return pd.concat([rows_of(solver) for solver in HONEST], ignore_index=True)


def ranked(rows, last):
    """Return the honest solvers, best first."""
    order = ranking.ranking(ranking.standing(rows, {}), last).solver
    return [solver for solver in order if solver in HONEST]


@pytest.mark.parametrize("trick", some(3, [*BODY]))
def test_honest_solvers_are_ranked_alike_beside_a_dishonest_one(trick, honest, rows_of, tmp_path):
    dishonest = rows_of(write(tmp_path, trick))
    assert len(dishonest) == len(ITEM.ks)
    both = pd.concat([honest, dishonest], ignore_index=True)
    for last in ("time", "flops"):
        assert ranked(both, last) == ranked(honest, last)


@pytest.mark.parametrize("fresh", [None, options.NEW])
def test_a_seed_is_drawn_after_the_files_were_read_and_tried(here, monkeypatch, fresh):
    """No import can see the seed, and no solver is imported by the process that draws it."""
    monkeypatch.setattr(options, "ROOT", here)
    monkeypatch.setattr(registry, "_STRANGERS", set())  # as in a new process
    events = []

    def record(module, name, function):
        def recorded(*given):
            events.append(name)
            return function(*given)

        monkeypatch.setattr(module, name, recorded)

    record(description, "of_stranger", description.of_stranger)
    record(conformance, "check", conformance.check)
    record(suite, "new_seed", suite.new_seed)
    record(workflow, "workflow", lambda *_: 1)
    file = tricks.file_of(here, "honest")
    with pytest.raises(typer.Exit):
        compare.compare([file], against="tpower", suite="quick", fresh=fresh)
    assert events == ["of_stranger", "check", "new_seed", "workflow"]
    with pytest.raises(typer.Exit):
        compare.compare(["tpower"], against="none", suite="quick", fresh="5")
    plans = [Comparison.read(plan) for plan in here.glob("results/compare/*/plan.json")]
    assert {plan.named[0]: plan.drawn for plan in plans} == {Path(file).stem: True, "tpower": False}


@pytest.mark.parametrize(
    "name", ["tpow\u0435r", "tpower\u200b", "tpower\u0301", "tp\x1bower", "t power"]
)
def test_a_file_whose_name_looks_like_another_is_refused(tmp_path, name):
    """The name has letters of another alphabet or invisible characters, as a file or as a
    command.
    """
    file = tmp_path / f"{name}.py"
    file.write_text(Path(tricks.file_of(tmp_path, "honest")).read_text())
    with pytest.raises(InputError, match="must have only letters from a to z") as refused:
        registry.path("solver", str(file))
    assert str(refused.value).isascii()
    with pytest.raises(InputError, match="--name"):
        compare._of_command("cat {data} {k} {out}", name)


def test_a_process_that_ran_a_strangers_file_draws_no_seed(monkeypatch):
    monkeypatch.setattr(registry, "_STRANGERS", {"mine.py"})
    with pytest.raises(InputError, match="use a new process"):
        suite.new_seed()


def test_an_import_that_changes_what_a_seed_is_drawn_from_is_flagged(rows_of, tmp_path):
    lines = "import secrets, os\nsecrets.randbelow = lambda n: 4\nos.urandom = bytes\n"
    file = tricks.file_of(tmp_path, "seeds", lines)
    assert all(Flag.patched in flags for flags in rows_of(file)["flags"])


def test_the_honest_solvers_can_be_told_apart(honest):
    """The ranking can change, because the solvers differ in quality."""
    answers = ranking.standing(honest, {})
    assert ranking.ranking(answers)["share"].round(6).nunique() > 1


def test_a_better_answer_may_change_the_ranking(honest):
    """The previous test can fail: an impossibly high value would lower other ratios."""
    lie = honest[honest.solver == "tpower"].assign(solver="liar")
    lie = lie.assign(variance_refit=1e3 * lie.variance_refit)
    answers = ranking.standing(pd.concat([honest, lie], ignore_index=True), {})
    assert ranking.ranking(answers).solver[0] == "liar"
