"""A rank is a range, which says no more than the problems do."""

import numpy as np
import pandas as pd
import pytest

from spcabench.cli import compare
from spcabench.comparison import ranking
from spcabench.errors import InputError


def answers(problems, reach):
    """Answers at two cardinalities. reach : solver -> for each problem, whether it gets there."""
    return pd.DataFrame(
        {"item": f"problem {i}", "asked": k, "solver": solver, "shares": [float(good[i])]}
        for solver, good in reach.items()
        for i in range(problems)
        for k in (5, 10)
    )


def above(problems, reach):
    return ranking._compared(answers(problems, reach), list(reach))[0]


def test_one_problem_of_twenty_tells_no_two_solvers_apart_and_half_of_them_do():
    everywhere, half = np.ones(20), np.arange(20) % 2
    but_one = np.arange(20) > 0
    found = above(20, {"a": everywhere, "b": but_one, "c": half})
    assert found.tolist() == [[False, False, True], [False, False, True], [False] * 3]


def test_cardinalities_of_one_problem_are_no_further_problems():
    assert not above(12, {"a": np.ones(12), "b": np.arange(12) > 1}).any()


def test_few_problems_are_counted_exactly():
    """A single pair orders two solvers on these problems, and the sentence claims no more."""
    reach = {"a": np.ones(6), "b": np.arange(6) > 0, "c": np.arange(6) > 0}
    assert above(6, reach).tolist() == [[False, True, True], [False] * 3, [False] * 3]
    assert "exact counts" in ranking.resolution(answers(6, reach))


def test_the_range_of_equal_solvers_covers_a_false_order_rarely():
    """Of two solvers alike on random problems one is put above the other in few draws."""
    rng = np.random.default_rng(0)
    wrong = [
        above(20, dict(a=rng.random(20) < 0.5, b=rng.random(20) < 0.5)).any() for _ in range(100)
    ]
    assert np.mean(wrong) <= 0.15


def test_against_without_a_solver_compares_those_alone(monkeypatch):
    asked = []

    def stop(solvers, *_):
        asked.extend(solvers)
        raise InputError("seen")

    monkeypatch.setattr(compare, "_jobs", stop)
    with pytest.raises(InputError, match="seen"):
        compare.compare(against="tpower,grqi", suite="quick")
    assert asked == ["tpower", "grqi"]
    with pytest.raises(InputError, match="--against none"):
        compare.compare(against="none", suite="quick")
