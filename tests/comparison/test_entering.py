"""False rows, one for each falsification: only the false row is dropped."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from spcabench import api
from spcabench.comparison import entering, merging, ranking, suite
from spcabench.comparison.jobs import Comparison
from spcabench.comparison.suite import Item
from spcabench.running import rows as results
from spcabench.running.runner import stamp
from spcabench.running.schema import Row
from spcabench.running.worker import about, of_result
from spcabench.solving.status import GOOD
from spcabench.vectors import embed

ITEM = Item("gaussian", "gaussian", dict(m=40, n=30, seed=0), (3, 6), "gaussian", "ours")
RECOVERY = suite.recovery()[-4:-3]


def made(solver, item=ITEM, kind="suite"):
    """Compute the rows of a solver on a problem in this process, as a comparison stores them."""
    problem = api.load(item.dataset, **item.parameters)
    for k in item.ks:
        answer = of_result(api.solve(problem, solver, k=k, history=True))
        columns = dict(
            experiment="", solver=solver, dataset=item.dataset, item=item.name, kind=kind
        )
        columns |= dict(parameters=item.parameters, settings={}, asked=k, sign=False, seed=0)
        columns |= {**about(problem), "family": item.family, "repeat": 0}
        yield Row(**{**vars(answer), **columns, **stamp()})


@pytest.fixture(scope="module")
def rows_made():
    """Return rows of two solvers on one problem, and of one solver on a planted support."""
    suite_rows = [row for solver in ("tpower", "gpower1") for row in made(solver)]
    return suite_rows + list(made("tpower", RECOVERY[0], "recovery"))


@pytest.fixture
def stored(rows_made, tmp_path):
    """Return a function that reads the rows from a file after changing columns of the first one."""

    def read(**columns):
        encoded = [results._encoded(row) for row in rows_made]
        encoded[0] |= columns
        results.write_table(pa.Table.from_pylist(encoded, results.SCHEMA), tmp_path / "rows")
        return results.read([tmp_path / "rows"])

    return read


@pytest.fixture
def table(stored):
    return stored()


def entered(rows):
    """Return the rows that can be ranked, and the sentences about the dropped rows."""
    return entering.recomputed(rows, [ITEM, *RECOVERY], {}, api.load, elsewhere=True)


def test_honest_rows_enter_as_they_are(table):
    rows, said = entered(table)
    assert said == [] and len(rows) == len(table)
    assert rows.status.isin(GOOD).all()


LIES = {
    "negative seconds": dict(solve_time=-3.0),
    "seconds that are no number": dict(solve_time=float("nan")),
    "infinite seconds": dict(setup_time=float("inf")),
    "negative flops": dict(flops=-(10**12)),
    "negative memory": dict(peak_memory=-1.0),
    "negative rounds": dict(round_times=[0.1, -1.0]),
    "rounds that are no number": dict(round_times=[0.1, float("nan")]),
    "control characters in a name": dict(solver="tpower\x1b[2J"),
    "a name with an invisible character": dict(solver="tpower\u200b"),
    "a name with a letter of another alphabet": dict(solver="tpow\u0435r"),
    "a folder as a name": dict(solver="../tpower"),
    "a dataset elsewhere": dict(dataset="/tmp/gaussian"),
    "no solver": dict(solver=None),
    "an unknown flag": dict(flags=["best"]),
    "a history of negative seconds": dict(
        history='[{"seconds": -1, "flops": 1, "cardinality": 3, "variance": 1e9}]'
    ),
    "a history that is none": dict(history="{"),
    "a vector that is not finite": dict(values=[float("inf")] * 3),
    "a vector of enormous numbers": dict(values=[1e200] * 3),
    "a vector that is no number": dict(values=[float("nan")] * 3),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_row_that_no_run_gives_is_dropped_alone(lie, stored, table):
    rows, said = entered(stored(**LIES[lie]))
    assert len([omission for omission in said if "are missing" not in omission.sentence]) == 1
    good = rows[rows.status.isin(GOOD)]
    assert len(good) == len(table) - 1
    ranked = ranking.ranking(ranking.standing(rows, {}))
    assert set(ranked.solver) == {"tpower", "gpower1"}
    assert ranked.set_index("solver").answered["tpower"] == 1  # a failure, and no free place


def test_the_family_is_that_of_the_problem(table):
    rows, _ = entered(table.assign(family="<b>"))
    assert set(rows.family[rows.kind == "suite"]) == {ITEM.family}


@pytest.mark.parametrize("kind", ["suite", "seed"])
def test_a_row_of_a_pair_that_was_not_asked_changes_no_rank(kind, table):
    """Otherwise all other solvers would fail on this pair."""
    easy = table[:1].assign(asked=30, k=30, kind=kind, seed=int(kind == "seed"))
    foreign = easy.assign(item="another problem")
    rows, said = entered(pd.concat([table, easy, foreign], ignore_index=True))
    assert len(rows) == len(table) and any(
        "not part of the comparison" in omission.sentence for omission in said
    )
    honest, _ = entered(table)
    for each in (rows, honest):
        assert ranking.ranking(ranking.standing(each, {})).pairs.tolist() == [2, 2]


def worse(table, solver):
    """Return a solver's rows with honest but worse vectors that cost nothing."""
    rows = table[(table.solver == solver) & (table.kind == "suite")].copy()
    problem = api.load(ITEM.dataset, **ITEM.parameters)
    for index, row in rows.iterrows():
        x = embed(np.ones(1), np.array([0]), problem.n)
        value = problem.variance(x)
        rows.at[index, "support"], rows.at[index, "values"] = [0], [1.0]
        rows.loc[index, ["variance", "variance_refit", "flops", "setup_flops"]] = value, value, 0, 0
        assert row.variance > value
    return rows


def part(name, rows):
    return merging.Part(name, {}, entered(rows)[0], Comparison(name))


@pytest.mark.parametrize("order", [1, -1])
def test_the_best_believed_answer_counts_whoever_made_it(order, table):
    """A colleague's rows of a rival do not replace better ones; nor do rows with false values."""
    colleague = worse(table, "tpower")
    lying = colleague.assign(variance=1e6, variance_refit=1e6)
    parts = [part("mine", table), part("a", colleague), part("b", lying)][::order]
    together = merging.joined(parts)
    mine = ["solver", "item", "asked", "variance_refit", "flops"]
    suite_rows = together[together.kind == "suite"].sort_values(["solver", "asked"])
    expected = part("mine", table).rows
    expected = expected[expected.kind == "suite"].sort_values(["solver", "asked"])
    assert suite_rows[mine].reset_index(drop=True).equals(expected[mine].reset_index(drop=True))


def test_of_equal_answers_the_cheapest_counts(table):
    dear = table.assign(flops=table.flops + 10**12, search_flops=table.search_flops + 10**12)
    for parts in ([dear, table], [table, dear]):
        together = merging.joined([part(str(i), rows) for i, rows in enumerate(parts)])
        assert together[together.kind == "suite"].flops.max() < 10**12


def test_a_second_row_with_another_seed_is_one_of_the_same_run(table):
    again = worse(table, "tpower").assign(seed=99)
    rows, said = entered(pd.concat([again, table], ignore_index=True))
    assert len(rows) == len(table) and said[0].count == 2 and "repeat a run" in said[0].sentence
    ranking.costs(ranking.standing(rows, {}), 0.9, "time")


def test_no_part_makes_the_recovery_of_another_worse(table):
    bad = table[table.kind == "recovery"].assign(support=[[0]], values=[[1.0]])
    for parts in ([bad, table], [table, bad]):
        together = merging.joined([part(str(i), rows) for i, rows in enumerate(parts)])
        assert ranking.recovered(together).f1.equals(ranking.recovered(table).f1)


def test_a_planted_support_is_that_of_the_problem(table):
    row = table[table.kind == "recovery"].iloc[0]
    rows = table.copy()
    rows.at[row.name, "provenance"] = {"support": list(row.support)}
    assert ranking.recovered(entered(rows)[0]).f1.equals(ranking.recovered(table).f1)
    rows.at[row.name, "provenance"] = {}
    assert ranking.recovered(entered(rows)[0]).f1.equals(ranking.recovered(table).f1)
    rows.at[row.name, "parameters"] = {"strength": "x"}
    kept, said = entered(rows)
    assert "the problem is not in the suite" in said[0].sentence
    assert not (kept.kind == "recovery").any()


def test_a_size_of_a_row_changes_no_axis(stored):
    rows = entered(stored(nnz=1, m=None))[0]
    assert rows[rows.kind == "suite"].nnz.eq(40 * 30).all()


def test_who_is_ours_is_no_word_of_a_row(table):
    """Otherwise a stranger's claim would count as a bound, and any vector as the best known."""
    liar = table.assign(own=True, solver="liar")
    liar = liar[liar.kind == "suite"]
    found = entering.references(liar, [ITEM], {}, api.load, elsewhere=True)
    assert len(found) == len(ITEM.ks)
    assert not entering.references(liar, [ITEM], {}, api.load)  # rows that were made here


def test_costs_of_a_row_are_its_word(stored):
    """This is not prevented: nobody can repeat another machine's measurements."""
    rows, said = entered(stored(flops=1, setup_flops=0, solve_time=1e-9))
    assert said == [] and rows.flops.min() == 1
