"""Comparisons: profiles, suites and runs have their properties; best answers are verified."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcabench import api, registry
from spcabench.comparison import (
    best_known,
    entrants,
    suite,
    update_best_known,
)
from spcabench.comparison.entrants import Entrant
from spcabench.comparison.suite import Item
from spcabench.iterate import Traits
from spcabench.run import Run
from spcabench.running import fingerprint

ITEM = Item("pit props", "pitprops", {}, (3,), "classic", "Jeffers (1967)")


@pytest.mark.parametrize("fresh", [None, 7])
def test_a_suite_has_no_cardinality_that_no_answer_could_have(fresh):
    large = suite.items("quick", (5, 30, 70), fresh)
    assert {k for item in large for k in item.ks} == {5, 30, 70}
    assert all(k <= item.variables for item in large for k in item.ks)


@pytest.fixture(scope="module")
def entry():
    return update_best_known.of_result(ITEM, api.solve(api.load("pitprops"), "brute_force", k=3))


def test_an_entry_is_recomputed_from_its_vector(entry):
    problem = api.load("pitprops")
    assert entry.checked(problem) is entry
    for wrong in (
        dict(value=entry.value * 1.001),
        dict(loadings=[2 * v for v in entry.loadings]),
        dict(k=2),
        dict(bound=entry.value * 0.9),
        dict(nonnegative=True, loadings=[-abs(v) for v in entry.loadings]),
    ):
        with pytest.raises(RuntimeError, match="pit props"):
            replace(entry, **wrong).checked(problem)


NUMBERS = st.sampled_from([0.8, 0.9, 1.0, 1.0 + 1e-12, 1.1, 1.5])


@given(st.tuples(NUMBERS, NUMBERS), st.tuples(NUMBERS, NUMBERS), st.sampled_from(["", "b"]))
def test_merging_takes_the_larger_value_and_the_smallest_bound_that_no_value_refutes(
    entry, one, two, source
):
    """Of two numbers that are equal but for rounding, the older is kept, if its source is known."""
    ends = [sorted(pair) for pair in (one, two)]
    old, new = (
        replace(entry, value=v, bound=b, who=who, bound_by=by, bound_when=who)
        for (v, b), who, by in zip(ends, ("old", "new"), (source, "n"), strict=True)
    )
    merged = best_known.merged(old, new)
    refuted = [e for e, o in ((old, new), (new, old)) if o.value > e.bound * (1.0 + 1e-9)]
    for pair in ((old, new), (new, old)):
        assert bool(best_known.refuted(*pair)) == bool(refuted)
    best = new if new.value > old.value * (1.0 + 1e-9) else old
    assert (merged.value, merged.who) == (best.value, best.who)
    if not refuted:
        unsaid = not source and new.bound <= old.bound * (1.0 + 1e-8)
        lower = new if unsaid or new.bound < old.bound * (1.0 - 1e-9) else old
        assert merged.bound == max(lower.bound, merged.value)
        assert (merged.bound_by, merged.bound_when) == (lower.bound_by, lower.bound_when)
        assert merged.proven == (merged.value >= merged.bound * (1.0 - 1e-8))
    else:
        assert [merged] == [e for e in (old, new) if e not in refuted]
    assert best_known.merged(None, new) == new
    assert new.gap == max(0.0, (new.bound - new.value) / new.bound)


def test_the_frozen_table_agrees_with_its_problems():
    table = best_known.read()
    for item in suite.SUITES["quick"]:
        problem = api.load(item.dataset, **item.parameters)
        for k in item.ks:
            table[item.name, problem.name, k, False].checked(problem)


def test_entrants_with_other_cardinalities_or_seeds_have_other_folders():
    entrant = Entrant.of("tpower", "quick")
    many = [(), (5,), (6,), (5, 6), *(tuple(range(5, end)) for end in (40, 41, 400))]
    others = [*(replace(entrant, ks=ks) for ks in many), replace(entrant, fresh=7)]
    folders = {other.folder for other in others}
    assert len(folders) == len(others) and max(map(len, folders)) < 200


@pytest.mark.parametrize("name", suite.SUITES)
def test_fresh_problems_are_of_the_same_families_and_none_is_known(name):
    old, new = suite.items(name), suite.items(name, fresh=7)
    assert [i.family for i in new] == [i.family for i in old]
    assert [i.ks for i in new] == [i.ks for i in old]
    assert new == suite.items(name, fresh=7)
    for other in (old, suite.items(name, fresh=8)):
        for fresh, theirs in zip(new, other, strict=True):
            assert (fresh.dataset, fresh.parameters) != (theirs.dataset, theirs.parameters)
    assert not {i.name for i in new} & {key[0] for key in best_known.read()}


TAKES = [  # traits, a problem that such a solver takes, and one that it does not
    (dict(), dict(), dict(nonnegative=True)),
    (dict(nonnegative="always"), dict(nonnegative=True), dict()),
    (dict(nonnegative=True), dict(nonnegative=True), None),
    (dict(largest=20), dict(n=20), dict(n=21)),
    (dict(largest=50), dict(n=50), dict(n=0)),
    (dict(largest=51), dict(n=0), dict(n=52)),
    (dict(exact=True), dict(n=50), dict(n=51)),
    (dict(relaxation=True), dict(n=1), dict(n=0)),
    (dict(accepts="covariance"), dict(n=5000), dict(n=5001)),
]


def test_a_solver_is_asked_what_it_can_answer():
    for traits, taken, refused in TAKES:
        of = Traits("cardinality", **traits)
        assert not entrants.refused(of, replace(ITEM, **taken)), traits
        assert refused is None or entrants.refused(of, replace(ITEM, **refused)), traits


def test_a_fingerprint_follows_the_dataset_whose_rows_are_drawn_again(monkeypatch):
    task = Run(dataset="bootstrap", parameters={"of": "alon"}, solver="tpower")
    first = fingerprint.of_runs([task])
    other = replace(task, parameters={"of": "pitprops"})
    assert fingerprint.of_runs([other]) != first
    alon, hashed = registry.path("dataset", "alon"), fingerprint.tree_hash
    monkeypatch.setattr(
        fingerprint, "tree_hash", lambda file: hashed(file) + "edited" * (file == alon)
    )
    assert fingerprint.of_runs([task]) != first
