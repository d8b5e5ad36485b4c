"""A rank is a range that is no narrower than the problems justify."""

import re

import numpy as np
import pandas as pd
import pytest

from spcabench.cli import compare
from spcabench.comparison import ranking
from spcabench.comparison.components import ranking as components
from spcabench.errors import InputError


def answers(problems, reach):
    """Return answers at two cardinalities.

    reach : solver -> for each problem, whether the solver reaches the target.
    """
    return pd.DataFrame(
        {"item": f"problem {i}", "asked": k, "solver": solver, "shares": [float(good[i])]}
        for solver, good in reach.items()
        for i in range(problems)
        for k in (5, 10)
    )


def above(problems, reach):
    return ranking.told_apart(ranking._of_pairs(answers(problems, reach), ranking.HIT))[0]


def test_cardinalities_of_one_problem_are_no_further_problems():
    assert not above(12, {"a": np.ones(12), "b": np.arange(12) > 1}).any()


def test_few_problems_are_counted_exactly():
    """A single pair decides the order of two solvers on these problems, and the sentence says
    so.
    """
    reach = {"a": np.ones(6), "b": np.arange(6) > 0, "c": np.arange(6) > 0}
    assert above(6, reach).tolist() == [[False, True, True], [False] * 3, [False] * 3]
    assert "only compare the counts" in ranking.resolution(answers(6, reach))


@pytest.mark.parametrize(("problems", "ends"), [(3, [1, 2, 2]), (12, [1, 1, 1])])
def test_several_components_have_ranges_and_what_ran_on_a_part_has_none(problems, ends):
    """One problem is enough to decide among three solvers but not among twelve."""
    values = {"a": lambda i: 1.0, "b": lambda i: float(i > 0), "c": lambda i: float(i > 0)}
    lines = [
        dict(item=i, r=2, k=3, formulation="disjoint", solver=solver, how="joint", share=value(i))
        for solver, value in values.items()
        for i in range(problems)
    ]
    lines.append(lines[0] | dict(solver="once"))
    more = dict(kind="components", status="finished", value=1.0, gap=0.1, found=2, seconds=1.0)
    ranks = components.ranking(pd.DataFrame([line | more for line in lines]))
    assert ranks.solver.tolist() == ["a", "b", "c", "once"]
    assert ranks.rank_first[:3].tolist() == ends and pd.isna(ranks["rank"][3])


def test_the_range_of_equal_solvers_covers_a_false_order_rarely():
    """Of two equally good solvers on random problems, one is rarely ranked above the other."""
    rng = np.random.default_rng(0)
    wrong = [
        above(20, dict(a=rng.random(20) < 0.5, b=rng.random(20) < 0.5)).any() for _ in range(100)
    ]
    assert np.mean(wrong) <= 0.15


def test_against_without_a_solver_compares_those_alone(monkeypatch):
    def stop(title, entrants, own, *_):
        raise InputError(f"{[*entrants]} {own}")

    monkeypatch.setattr(compare, "_page", stop)
    with pytest.raises(InputError, match=re.escape("['tpower', 'grqi'] ['tpower', 'grqi']")):
        compare.compare(against="tpower,grqi", suite="quick")
    with pytest.raises(InputError, match="--against none"):
        compare.compare(against="none", suite="quick")
