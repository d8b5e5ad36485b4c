"""Comparisons: profiles, suites and runs have their properties; best answers are verified."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcabench import api, registry
from spcabench.comparison import (
    best_known,
    entrants,
    plans,
    suite,
    update_best_known,
)
from spcabench.comparison.entrants import Entrant
from spcabench.comparison.suite import Item
from spcabench.errors import InputError
from spcabench.iterate import Traits
from spcabench.run import Run
from spcabench.running import fingerprint
from tests.comparisons import file_of

ITEM = Item("pit props", "pitprops", {}, (3,), "classic", "Jeffers (1967)")


def test_the_standard_suite_has_40_pairs_with_an_origin_each_and_loads():
    pairs = [(item.name, k) for item in suite.items("standard") for k in item.ks]
    assert len(set(pairs)) == len(pairs) >= 40
    for items in suite.SUITES.values():
        for item in items:
            assert item.origin and item.family and item.dataset in registry.names("dataset")
    assert {item.ks for item in suite.items("quick", (2,))} == {(2,)}
    for fresh in (None, 7):  # without cardinalities that no answer could have
        large = suite.items("quick", (5, 30, 70), fresh)
        assert {k for item in large for k in item.ks} == {5, 30, 70}
        assert all(k <= item.variables for item in large for k in item.ks)
        assert len(suite.items("quick", (70,), fresh)) < len(suite.items("quick"))
    with pytest.raises(InputError, match="suite"):
        suite.items("standart")
    with pytest.raises(InputError, match="settings"):
        suite.settings_of("best", "grqi")


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


def test_the_table_is_versioned(entry, tmp_path):
    file = tmp_path / "table.json"
    assert best_known.read(file) == {} and best_known.version(file) == 0
    for version in (1, 2):
        best_known.write([entry], file)
        assert best_known.read(file) == {entry.key: entry} and best_known.version(file) == version
    file.write_text(file.read_text().replace('"k": 3', '"k": "three"'))
    with pytest.raises(InputError, match="entries"):
        best_known.read(file)


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
    for message in (best_known.refuted(old, new), best_known.refuted(new, old)):
        assert bool(message) == bool(refuted)
        assert all(f"{e.bound:.9g}" in message and e.who in message for e in refuted)
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


def test_the_frozen_table_agrees_with_its_problems_and_brute_force():
    table = best_known.read()
    assert best_known.version() >= 1
    for item in suite.SUITES["quick"]:
        problem = api.load(item.dataset, **item.parameters)
        for k in item.ks:
            table[item.name, problem.name, k, False].checked(problem)
    for k in (3, 6, 9):
        entry = table["pit props", "pitprops", k, False]
        best = api.solve(api.load("pitprops"), "brute_force", k=k).variance
        assert entry.proven and entry.value == pytest.approx(best, rel=1e-9)


def key_of(entrant):
    return plans.job(entrant, Path()).key


def test_a_fingerprint_follows_the_solver_and_the_limit(tmp_path):
    entrant = Entrant.of(file_of(tmp_path, "mine", top="x = 1"), "quick")
    first = key_of(entrant)
    assert key_of(replace(entrant, limit=1.0)) != first
    assert key_of(Entrant.of(file_of(tmp_path, "other", top="x = 2"), "quick")) != first
    assert replace(entrant, solver=str(tmp_path / "sub" / "mine.py")).key != entrant.key
    fresh = [replace(entrant, fresh=seed) for seed in (7, 8)]
    assert len({e.folder for e in (entrant, *fresh)}) == 3
    assert len({key_of(e) for e in (entrant, *fresh)}) == 3
    many = [(), (5,), (6,), (5, 6), *(tuple(range(5, end)) for end in (40, 41, 400))]
    folders = {replace(entrant, ks=ks).folder for ks in many}
    assert len(folders) == len(many) and max(map(len, folders)) < 200


def test_solvers_take_part_if_they_compute_what_is_requested():
    signed, nonnegative = entrants.solvers_for("standard"), entrants.solvers_for("nonnegative")
    assert "nspca" in nonnegative and "nspca" not in signed
    assert "tpower" in signed and "tpower" not in nonnegative
    assert "power_method" not in signed


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


def test_recovery_is_asked_at_every_strength_and_sparsity_with_seeds_of_its_own():
    for fresh in (None, 7):
        problems = suite.recovery(fresh)
        asked = {(*item.parameters.values(), *item.ks) for item in problems}
        counts = [round(sparsity * 10) for sparsity in suite.SPARSITIES]  # of sqrt(n) = 10
        expected = product(
            [100], [100], counts, suite.STRENGTHS, {i.parameters["seed"] for i in problems}
        )
        assert (
            asked == {(*each, each[2]) for each in expected} and len(asked) == len(problems) == 72
        )
    assert not {i.parameters["seed"] for i in problems} & {*suite.SEEDS}


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
    with pytest.raises(InputError, match="40 variables; solver 'brute_force' accepts at most 20"):
        api.solve(api.load("gaussian", m=40, n=40), "brute_force", k=2)


def test_a_name_refers_to_a_problem_and_that_of_a_dataset_to_its_defaults():
    part, whole = (
        Item("gaussian", "gaussian", {"n": 9}, (), "", ""),
        replace(ITEM, dataset="gaussian"),
    )
    for name, found in {
        "gaussian": [],  # a dataset's name is not that of a problem with other parameters
        "Gaussian N=9": [part],
        "Pit-Props": [whole],
        "gauss": [],
    }.items():
        assert suite.called(name, [part, whole][: 2 if found == [whole] else 1]) == found, name
    assert suite.called("gaussian", [whole]) == [whole]
    assert suite.called("pitprops", [replace(whole, parameters={"n": 5}), whole])[0] == whole
    with pytest.raises(InputError, match="'gaussian n=9' or 'pit props'"):
        suite.called("gaussian", [part, whole])


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


def test_pairs_are_those_of_the_suites_or_of_one_problem():
    expected = [(suite.SUITES["quick"][0], k) for k in (2, 4)]
    assert best_known.pairs(["quick"], "pit props", (2, 4)) == expected
    every = best_known.pairs(suite.SUITES)
    assert len({(i.name, i.nonnegative, k) for i, k in every}) == len(every)
    with pytest.raises(InputError, match="pit props"):
        best_known.pairs(["quick"], "pit prop")
