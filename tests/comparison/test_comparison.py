"""Comparisons: profiles, suites and runs have their properties; best answers are verified."""

import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

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


@pytest.fixture
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


def test_merging_keeps_the_better_value_and_the_smaller_bound(entry):
    worse = replace(
        entry, value=0.9 * entry.value, bound=1.5 * entry.value, proven=False, who="other"
    )
    for merged in (best_known.merged(worse, entry), best_known.merged(entry, worse)):
        assert (merged.value, merged.bound, merged.who) == (entry.value, entry.bound, entry.who)
        assert (merged.bound_by, merged.seconds) == (entry.bound_by, entry.seconds)
    assert best_known.merged(None, worse) == worse
    assert worse.gap == pytest.approx(0.4) and replace(worse, bound=1e-9).gap == 0.0
    unsaid = replace(entry, bound_by="", bound=entry.bound * (1.0 + 1e-9))
    assert best_known.merged(unsaid, entry).bound_by == entry.bound_by  # the same, with its source
    assert best_known.merged(entry, replace(unsaid, bound_by="other")) == entry


def test_a_bound_below_a_value_that_was_verified_is_dropped_and_said(entry):
    wrong = replace(
        entry, value=0.8 * entry.value, bound=0.9 * entry.value, proven=True, bound_by="mistaken"
    )
    loose = replace(entry, bound=2.0 * entry.value, proven=False, bound_by="dual")
    for sound in (entry, loose):
        for merged in (best_known.merged(wrong, sound), best_known.merged(sound, wrong)):
            assert merged == sound
        for message in (best_known.refuted(wrong, sound), best_known.refuted(sound, wrong)):
            assert "mistaken" in message and f"{wrong.bound:.9g}" in message
    assert best_known.refuted(entry, loose) == best_known.refuted(None, entry) == ""
    rounded = replace(entry, bound=entry.bound * (1.0 - 1e-13))
    assert best_known.refuted(rounded, entry) == ""


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


REFUSED = {  # traits, problem, what is said
    "signed": (dict(), dict(nonnegative=True), "signed answers only"),
    "nonnegative": (dict(nonnegative="always"), {}, "nonnegative answers only"),
    "small": (dict(largest=20), dict(n=21), "at most 20 variables"),
    "unknown": (dict(largest=50), dict(n=0), "at most 50 variables"),
    "exact": (dict(exact=True), dict(n=51), "only run on small problems"),
    "dense": (dict(accepts="covariance"), dict(n=5001), r"5,001 it would need 0\.2 GB"),
}
TAKEN = [(dict(nonnegative=True), dict(nonnegative=True)), (dict(largest=20), dict(n=20))]
TAKEN += [(dict(exact=True), dict(n=50)), (dict(accepts="covariance"), dict(n=5000))]
TAKEN += [(dict(largest=51), dict(n=0))]


def test_a_solver_is_asked_what_it_can_answer():
    for traits, item, said in REFUSED.values():
        assert re.search(
            said, entrants.refused(Traits("cardinality", **traits), replace(ITEM, **item))
        )
    for traits, item in TAKEN:
        assert not entrants.refused(Traits("cardinality", **traits), replace(ITEM, **item))
    with pytest.raises(InputError, match="40 variables; solver 'brute_force' accepts at most 20"):
        api.solve(api.load("gaussian", m=40, n=40), "brute_force", k=2)


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
