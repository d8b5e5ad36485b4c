"""The permutation test, and how often a variable is selected in halves of the samples."""

from collections import Counter
from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import spcabench as suite
from docs.tables.choosing_k import draw
from spcabench import api
from spcabench.cli import terminal
from spcabench.errors import InputError
from spcabench.problem.problem import Problem
from spcabench.selecting import chance, inclusion, truncated_power
from spcabench.selecting.permutation_test import CARDINALITIES, _p_value
from spcabench.selecting.samples import Samples
from spcabench.selecting.truncated_power import batches
from spcabench.vectors import project

NOISE = np.random.default_rng(0).standard_normal((60, 20))
PLANTED = draw(5, 4, 0, m=100, n=20)


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("as_given", [np.asarray, sp.csc_array])
def test_permuted_columns_keep_their_entries_and_take_every_order(as_given, center):
    X = NOISE * (np.abs(NOISE) > 1.3)
    X[:, 0] = np.arange(1, 61)  # a full column
    problem = Problem.from_data(as_given(X), center=center, scale=True)
    permuted = Samples(problem).permuted(np.random.default_rng(1)).given_as("data").data.dense()
    given = problem.data.dense()
    assert np.allclose(np.sort(permuted, axis=0), np.sort(given, axis=0), atol=1e-12)
    assert (np.abs(permuted - given) > 1e-9).any(axis=0).all()
    few = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 4.0], [0.0, 0.0], [0.0, 5.0]])
    samples, rng = Samples(Problem.from_data(as_given(few), center=False)), np.random.default_rng(0)
    tables = [samples.permuted(rng).given_as("data").data.dense() for _ in range(600)]
    for j, orders in ((0, 60), (1, 20)):
        counts = Counter(tuple(np.round(T[:, j], 9)) for T in tables)
        assert len(counts) == orders and max(counts.values()) < 3.5 * 600 / orders


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_each_table_is_as_likely_as_any_other_to_be_extreme(seed, cardinalities):
    """With each table in turn as the data, the p-values are 1/B, 2/B, ..., 1."""
    variances = np.random.default_rng(seed).standard_normal((20, cardinalities)) + 10.0
    ranks = [_p_value(np.roll(variances, i, axis=0)) for i in range(20)]
    assert np.allclose(np.sort(ranks), np.arange(1, 21) / 20)
    standard = (variances - variances.mean(axis=0)) / variances.std(axis=0)
    assert ranks[0] == (standard.max(axis=1) >= standard.max(axis=1)[0]).mean()
    constant = np.column_stack([variances, np.full(20, 50.0)])  # permuting does not change it
    assert _p_value(constant) == ranks[0] and _p_value(constant[:, -1:]) == 1.0


def test_a_planted_component_is_more_than_chance_and_noise_is_not():
    planted = suite.permutation_test(PLANTED, range(1, 21), permutations=49)
    assert planted.p_value == 0.02 and planted.significant and "p = 0.02" in planted.sentence()
    assert planted.ks[0] == 1 and planted.ks[-1] == 20 and len(planted.ks) <= CARDINALITIES
    assert planted.permuted.shape == (49, len(planted.ks))
    results = suite.path(PLANTED, "tpower", planted.ks)
    assert planted.variances == pytest.approx([r.variance for r in results], rel=1e-3)
    # of a hundred tables of noise five are rejected on average; three of three never should be
    shifted = (np.roll(NOISE, seed, axis=1)[seed:] for seed in (0, 1))
    noise = [suite.permutation_test(X, 5, random_state=1) for X in shifted]
    assert {test.permutations for test in noise} == {99}  # the fewest that allow p = .01
    assert max(test.p_value for test in noise) > 0.05 and not all(t.significant for t in noise)


@pytest.mark.parametrize("nonnegative", [False, True])
def test_the_scale_of_the_data_does_not_matter(nonnegative):
    test = suite.permutation_test(PLANTED, 5, permutations=19, nonnegative=nonnegative)
    larger = suite.permutation_test(1e3 * PLANTED, 5, permutations=19, nonnegative=nonnegative)
    assert np.allclose(larger.permuted, 1e6 * test.permuted)
    assert larger.p_value == test.p_value


def test_a_planted_support_is_chosen_and_noise_is_not():
    answer = suite.solve(PLANTED, k=5)
    often, halves = suite.inclusion(answer)
    assert halves == 50 and often.sum() == pytest.approx(5.0)
    assert often[:5].min() > 0.95 and set(answer.support) == {0, 1, 2, 3, 4}
    few, halves = suite.inclusion(answer, most=12)
    assert halves == 12 and np.allclose(12 * few, np.round(12 * few))
    often, _ = suite.inclusion(suite.solve(NOISE[:30], k=5))
    assert often.max() < 0.95


def test_halves_are_drawn_while_there_is_time_for_ten(monkeypatch):
    answer, clock = suite.solve(PLANTED, k=5), count()
    monkeypatch.setattr(inclusion, "perf_counter", lambda: next(clock))  # each half takes 1 s
    assert suite.inclusion(answer, seconds=60.0)[1] == 50
    assert suite.inclusion(answer, seconds=10.0)[1] <= 10
    assert 20 <= suite.inclusion(answer, seconds=22.0)[1] <= 22
    with pytest.raises(InputError, match="longer than the answer"):
        suite.inclusion(answer, seconds=9.0)
    monkeypatch.setattr(chance, "SHORT", 9.0)
    for wall, judged in ((0.0, False), (99.0, True)):
        answers = [replace(answer, cost=replace(answer.cost, wall_time=wall))]
        seen = chance.beside(answer.problem, answers, null=False)
        note = "no stability: 10 halves of the samples take longer than the answer did"
        assert (seen.halves == 50) == judged != any(n.startswith(note) for n in seen.notes)


@pytest.mark.parametrize("n", [9, truncated_power.SMALL, truncated_power.SMALL + 6])
@pytest.mark.parametrize("as_given", [np.asarray, sp.csc_array])
def test_runs_together_are_those_of_the_solver_one_by_one(as_given, n):
    rng = np.random.default_rng(n)
    problems = [Problem.from_data(as_given(rng.standard_normal((20, n)))) for _ in range(2)]
    ks, start = [1, 3, n], rng.standard_normal(n)
    for nonnegative in (False, True):
        found = [truncated_power.answers(b, ks, nonnegative, [start]) for b in batches(problems, n)]
        assert len(found) == (1 if n <= truncated_power.SMALL else 2)
        values, vectors = (np.concatenate(part) for part in zip(*found, strict=True))
        for problem, value, X in zip(problems, values, vectors, strict=True):
            _, V = np.linalg.eigh(problem.given_as("covariance").matrix.S)
            starts = (np.eye(n)[problem.covariance.diagonal().argmax()], V[:, -1], start)
            for k, v, x in zip(ks, value, X, strict=True):
                assert v == pytest.approx(problem.variance(x))
                assert np.linalg.norm(x) == pytest.approx(1.0) and (x != 0.0).sum() <= k
                assert (x != 0.0).sum() == k or nonnegative
                if nonnegative:
                    assert x.min() >= 0.0 and v >= problem.covariance.diagonal().max() * 0.999
                    continue
                runs = [suite.solve(problem, "tpower", k=k, settings={"start": s}) for s in starts]
                assert v == pytest.approx(max(run.variance for run in runs), rel=1e-5)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_a_projection_of_many_vectors_is_that_of_each_one(seed, k):
    X = np.random.default_rng(seed).integers(-2, 3, (2, 3, 6)).astype(float)
    sizes = np.array([k, 1, 6])
    projected = truncated_power._projected(X, sizes)
    for t, run in np.ndindex(2, 3):
        assert np.allclose(projected[t, run], project(X[t, run], sizes[run]))


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("deflation", ["projection", "hotelling"])
def test_every_component_is_judged_or_a_note_says_why_not(sparse, deflation, monkeypatch):
    problem = api.as_problem(sp.csr_array(PLANTED) if sparse else PLANTED)
    found = api.solve(problem, "tpower", n_components=2, k=5, deflation=deflation)
    seen = chance.beside(problem, found, null=True, stability=True)
    assert len(seen.tests) == len(seen.frequencies) == 2
    judged = [test is not None for test in seen.tests]
    assert judged[0] and (judged[1] or seen.notes)
    assert judged[1] == (not sparse and deflation == "projection")
    assert len(seen.notes) <= 1 and not "".join(seen.notes).endswith(": ")
    drawn = iter((50, 30))
    monkeypatch.setattr(chance, "inclusion", lambda *_, **__: (np.zeros(20), next(drawn)))
    assert chance.beside(problem, found, null=False, stability=True).halves == 30
    full = api.solve(problem, "tpower", n_components=1, k=problem.n)
    assert chance.beside(problem, full, null=False, stability=True).frequencies == [None]


def test_what_has_no_samples_is_told_so(monkeypatch):
    problem = suite.load("pitprops")
    found = api.solve(problem, "tpower", n_components=1, k=5)
    assert "is a covariance" in chance.beside(problem, found, null=True).notes[0]
    assert not chance.beside(problem, found).notes  # nothing was requested
    for m, told in ((7, True), (8, False)):
        few = api.as_problem(NOISE[:m])
        seen = chance.beside(few, api.solve(few, "tpower", n_components=1, k=5))
        assert any(f"has {m} samples" in note for note in seen.notes) == told == (not seen.tests)
    with pytest.raises(InputError, match="no samples"):
        suite.permutation_test(problem, 5)
    monkeypatch.setattr(chance, "LARGE", few.product_cost - 1)
    path = suite.path(few, "tpower", [2, 5])
    assert "the data are large" in chance.beside(few, path).notes[0]
    asked = chance.beside(few, path, null=True, stability=False)
    assert len(asked.tests) == 1 and not (asked.notes or asked.frequencies)
    assert asked.tests[0].ks == [2, 5]


def test_a_table_says_how_many_notes_it_leaves_out_and_what_was_lost_comes_first():
    lost = "missing values: 9 (3%): dropped 9 of 80 samples"
    provenance = {"notes": ["decimal commas", "read as cp1252", lost]}
    problem = replace(Problem.from_data(NOISE), provenance=provenance)
    for more in range(3):
        noted = chance.Chance([], notes=["skipped"] * more)
        table = terminal.as_table(problem, [api.solve(problem, "tpower", k=2)], False, noted)
        assert table.index(lost) < table.index("decimal commas")
        said = f"{more} more note" in table
        assert said == (more > 0) and ("more notes" in table) == (more > 1)


def test_a_component_that_explains_no_more_than_chance_is_named():
    components = api.solve(Problem.from_data(NOISE), "tpower", k=2, n_components=2)
    tests = [SimpleNamespace(significant=True), SimpleNamespace(significant=False)]
    (note,) = (
        note
        for note in terminal.notes(components.problem, components, chance.Chance(tests))
        if "no more than chance" in note
    )
    assert "component 2" in note and "component 1" not in note
