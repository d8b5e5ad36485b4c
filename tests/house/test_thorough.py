"""What `make test` leaves to `make test-thorough`: never the last case of a property."""

from pathlib import Path

from tests import problems

MARK = "mark.thorough"


def values(parameters, marked):
    """The values of some parameters: those that have the mark, or those that do not."""
    found = [p for p in parameters if bool(getattr(p, "marks", ())) == marked]
    return [getattr(p, "values", (p,)) for p in found]


def test_only_the_helpers_mark_a_case():
    files = Path(__file__).parents[1].rglob("*.py")
    here = {file.name for file in files if MARK in file.read_text(encoding="utf-8")}
    assert here == {"problems.py", Path(__file__).name}


def test_every_solver_has_a_few_seeds_and_all_of_them_where_tests_are_thorough():
    given = problems.with_seeds(problems.SOLVERS, 3, 20, 4)
    few, every = dict(values(given, False)), dict(values(given, True))
    assert [*few] == [*every] == problems.SOLVERS
    for name in problems.SOLVERS:
        assert (
            {*few[name]} < {*every[name]} == {*range(4 if problems.traits(name).relaxation else 20)}
        )
        assert few[name]


def test_every_name_and_every_case_is_among_the_few():
    names, cases = problems.SOLVERS, ["a", "b", "c"]
    given = problems.spread(names, cases)
    few, more = values(given, False), values(given, True)
    assert [name for name, _ in few] == names
    assert {case for _, case in few} == {*cases}
    assert sorted(few + more) == [(name, case) for name in names for case in cases]


def test_what_is_left_out_is_thorough():
    given = problems.some(2, range(5))
    assert values(given, False) == [(0,), (1,)] and values(given, True) == [(2,), (3,), (4,)]
    parts = problems.groups(20, 5, few=5)
    assert [p.values[0] for p in parts if not p.marks] == [range(5)] and len(parts) == 4
