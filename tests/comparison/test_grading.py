"""Loadings from a file are put in the order of the problem, and graded by the definitions."""

from types import SimpleNamespace

import numpy as np
import pytest

from spcabench import api
from spcabench.comparison import best_known, grading
from spcabench.errors import InputError
from tests.problems import explicit, optimum


@pytest.fixture(scope="module")
def problem():
    return api.load("pitprops")


def test_named_loadings_are_put_in_the_order_of_the_problem(problem, tmp_path):
    """What is not named is zero; numbers name the variables that have no names."""
    file = tmp_path / "x.csv"
    for header in ("variable,x\n", "name,x\n", ""):
        file.write_text(f"{header}length,0.8\ntopdiam,0.6\n")
        x = grading.read(file, problem.n, problem.features)
        assert np.array_equal(x, [0.6, 0.8, *[0.0] * 11])
    file.write_text("variable,x\nlength,a\n")
    with pytest.raises(InputError):
        grading.read(file, problem.n, problem.features)
    file.write_text("variable,x\n2,0.6\n0,0.8\n")
    assert np.array_equal(grading.read(file, 3), [0.8, 0.0, 0.6])


@pytest.mark.parametrize("nonnegative", [False, True])
def test_a_grade_is_computed_from_the_vector(problem, nonnegative):
    S, rng = explicit(problem), np.random.default_rng(1)
    items = grading.items_of("pit props", nonnegative)
    for k in (1, 3, 6):
        W = rng.permutation(13)[:k]
        x = np.zeros(13)
        x[W] = np.abs(rng.standard_normal(k)) if nonnegative else rng.standard_normal(k)
        x /= np.linalg.norm(x)
        found = grading.graded(problem, x, None, nonnegative, items)
        assert found.k == found.cardinality == k and not found.fault
        assert found.variance == pytest.approx(x @ S @ x)
        assert found.refit == pytest.approx(optimum(S[np.ix_(W, W)], k, nonnegative))
        best = optimum(S, k, nonnegative)
        assert best * (1 - 1e-9) <= found.bound
        known = best_known.read().get(("pit props", "pitprops", k, nonnegative))
        assert found.best == known
        if known and known.proven:
            assert found.bound == pytest.approx(best) == known.value
        if k > 1:
            assert "nonzeros" in grading.graded(problem, x, k - 1, nonnegative).fault
    assert "below zero" in grading.graded(problem, -x, 6, True).fault if nonnegative else True


def test_a_row_without_a_feasible_vector_has_none(problem):
    row = dict(problem="pitprops", support=[12, 0], values=[0.6, 0.8], asked=2, sign=False)
    assert grading.vector_of(row, problem).tolist() == [0.8, *[0.0] * 11, 0.6]
    lies = [dict(problem="another"), dict(values=None), dict(support=None), dict(values=[1.0])]
    lies += [dict(support=[0, 13]), dict(support=[-1, 0]), dict(values=[0.6, 0.9]), dict(asked=1)]
    for lie in [*lies, dict(sign=True, values=[0.6, -0.8])]:
        assert isinstance(grading.vector_of(row | lie, problem), str), lie


def test_a_proposal_is_better_than_what_is_known(problem, monkeypatch):
    items = grading.items_of("pit props", False)
    for k in (3, 5):  # known by two names of the matrix
        x = api.solve(problem, "brute_force", k=k).x
        with pytest.raises(InputError, match="does not exceed"):
            grading.proposal(items, problem, x, k, "me")
    known = SimpleNamespace(value=problem.variance(x) * (1.0 - 1e-6), who="somebody")
    monkeypatch.setattr(best_known, "best", lambda *_: known)
    better = grading.proposal(items, problem, x, 5, "me")
    assert better.value == pytest.approx(problem.variance(x)) and better.item == "pitprops"
