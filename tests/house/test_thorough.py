"""`make test` leaves cases to `make test TESTS=thorough`, but never all cases of a property."""

from pathlib import Path

import pytest

from tests import problems

MARK = "mark.thorough"


def values(parameters, marked):
    """Return the parameter values that are marked thorough, or those that are not."""
    cases = [p if hasattr(p, "marks") else pytest.param(*p) for p in parameters]
    return [case.values for case in cases if bool(case.marks) == marked]


@pytest.fixture(autouse=True)
def generated(monkeypatch):
    """Generate the thorough cases too."""
    monkeypatch.setattr(problems, "GENERATED", True)


def test_only_the_helpers_mark_a_case():
    files = Path(__file__).parents[1].rglob("*.py")
    here = {file.name for file in files if MARK in file.read_text(encoding="utf-8")}
    assert here == {"problems.py", Path(__file__).name}


def test_every_solver_has_a_few_seeds_and_all_of_them_where_tests_are_thorough():
    cases = problems.with_seeds(problems.SOLVERS, 3, 20, 4)
    few, every = dict(values(cases, False)), dict(values(cases, True))
    assert [*few] == [*every] == problems.SOLVERS
    for name in problems.SOLVERS:
        assert (
            {*few[name]} < {*every[name]} == {*range(4 if problems.traits(name).relaxation else 20)}
        )
        assert few[name]


def test_every_name_and_every_case_is_among_the_few():
    names, cases = problems.SOLVERS, ["a", "b", "c"]
    pairs = problems.spread(names, cases)
    few, thorough = values(pairs, False), values(pairs, True)
    assert [name for name, _ in few] == names
    assert {case for _, case in few} == {*cases}
    assert sorted(few + thorough) == [(name, case) for name in names for case in cases]


def test_what_is_left_out_is_thorough():
    first, second, *thorough = problems.some(2, range(5))
    assert (first, second) == (0, 1) and values(thorough, True) == [(2,), (3,), (4,)]
    parts = problems.groups(20, 5, few=5)
    assert values(parts, False) == [(range(5),)] and len(parts) == 4


def test_the_few_are_all_that_is_made_where_nothing_else_is_asked_for(monkeypatch):
    makers = [
        lambda: problems.with_seeds(problems.SOLVERS, 3, 20, 4),
        lambda: problems.spread(problems.SOLVERS, ["a", "b", "c"]),
        lambda: [(value,) for value in problems.some(2, range(5)) if not hasattr(value, "marks")],
        lambda: problems.groups(20, 5, few=5),
    ]
    few = [values(make(), False) for make in makers]
    monkeypatch.setattr(problems, "GENERATED", False)
    assert [values(make(), False) for make in makers] == few
    assert not any(values(make(), True) for make in makers)
