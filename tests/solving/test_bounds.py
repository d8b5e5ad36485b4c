"""No certified bound is below a value, no bound is needlessly loose, and no proof is false.

Small problems of difficult kinds are compared with brute force, through every function that states
a bound.
"""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

from spcabench import Problem, api, registry
from spcabench.methods import bound_formulas
from spcabench.problem import covariance
from spcabench.solving import bounds, joint_bounds
from spcabench.solving.formulations import Formulation
from spcabench.solving.status import Status
from tests import problems

FORMS = ("data", "sparse", "covariance")
EXACT = "branch_and_bound"
# solvers that state a bound or end with "proven", and two that do not
SOLVERS = (EXACT, "local_search", "spannogram_exact", "spannogram", "geospca")
SOLVERS += ("tpower", "brute_force")
RELAXED = ("dspca_constrained", "relax_and_round")
DEFLATIONS = ("projection", "hotelling", "schur", "drop_features", "orthogonal_projection")
KINDS = ("integers", "duplicates", "rank_one", "scaled", "columns_apart", "isolated", "constant")
KINDS += ("means_apart", "orthogonal")


def drawn(kind, form, seed):
    """Return a problem of a kind and form, and a cardinality."""
    rng = np.random.default_rng([seed, *map(ord, kind + form)])
    n = int(rng.integers(3, 8))
    X = problems.HARD[kind](rng, int(rng.integers(4, 12)), n)
    k = int(rng.integers(1, n + 1))
    if form == "covariance":
        A = X - X.mean(axis=0)
        S = A.T @ A
        # sometimes indefinite, as after rounding
        below = rng.choice([0.0, 1e-16, 1e-11, 5e-9]) * np.abs(S).max()
        return Problem.from_covariance(S - below * np.eye(n)), k
    X = sp.csc_array(X) if form == "sparse" else X
    return Problem.from_data(X, scale=bool(rng.random() < 0.3)), k


def compare(result, note, nonnegative=False):
    """Compare a result with brute force on its own problem."""
    best = problems.optimum(problems.explicit(result.problem), result.k, nonnegative)
    if not result.good:
        assert result.status in (Status.ZERO, Status.INFEASIBLE), note
        return
    allowed = result.problem.noise
    assert result.variance <= result.bound, note
    assert 0.0 <= result.gap == pytest.approx(1.0 - result.variance / result.bound), note
    assert best <= result.bound + allowed, (note, best, result.bound)
    if result.bound_whp is not None:
        assert best <= result.bound_whp + allowed, note
    if result.status == Status.PROVEN:
        assert result.variance >= best * (1.0 - 2e-8) - allowed, note
        assert result.bound <= best * (1.0 + 1e-7) + 10.0 * allowed, note


hard = pytest.mark.parametrize(("kind", "form"), problems.spread([*KINDS], [*FORMS]))
imprecise = pytest.mark.filterwarnings("ignore:X. [0-9]+ sparse columns have means far above")


@pytest.mark.parametrize("seed", problems.some(1, range(3)))
@hard
@imprecise
def test_no_bound_is_below_the_optimum_or_above_the_simple_ones(kind, form, seed):
    problem, k = drawn(kind, form, seed)
    S = problems.explicit(problem)
    top, variances = np.linalg.eigvalsh(S)[-1], np.sort(S.diagonal())[::-1].cumsum()
    cases = [*product((False, True), [False], range(1, problem.n + 1)), (False, True, k)]
    for nonnegative, full, size in [*cases, (True, True, k)]:
        best = problems.optimum(S, size, nonnegative)
        upper = bounds.upper_bounds(problem, size, nonnegative, full)
        for source, bound in upper.items():
            assert best <= bound + problem.noise, (size, source)
        simple = top if problem.indefinite else min(top, variances[size - 1])
        assert min(upper.values()) <= simple * (1.0 + 2e-9) + 2.0 * problem.noise
        if nonnegative:
            tighter, signed = (bounds.upper_bound(problem, size, sign) for sign in (True, False))
            assert tighter <= signed * (1.0 + 1e-12)


@pytest.mark.parametrize("seed", problems.some(1, range(3)))
@hard
@imprecise
def test_no_answer_exceeds_its_bound_and_no_proof_is_false(kind, form, seed):
    problem, k = drawn(kind, form, seed)
    for solver in (*SOLVERS, *(RELAXED if seed == 1 else ())):
        if not registry.unavailable(solver):
            compare(api.solve(problem, solver, k=k, refit=bool(seed % 2)), solver)
    compare(api.solve(problem, EXACT, k=k, nonnegative=True), "nonnegative", True)
    for deflation in (DEFLATIONS[seed % len(DEFLATIONS)], "hotelling"):
        found = api.solve(problem, EXACT, n_components=3, k=k, deflation=deflation)
        for i, result in enumerate(found):
            compare(result, (deflation, i))
    if found[0].good:
        total = np.linalg.eigvalsh(problems.explicit(problem))[-2:].sum()
        bound = joint_bounds.joint_bound(problem, Formulation.COMMON, 2, problem.n)[0]
        assert total <= bound + problem.noise
    for result in api.path(problem, EXACT, [1, k, problem.n], settings={"budget": 1}):
        compare(result, "path")


@pytest.mark.parametrize("limit", ["large", "wide", "few remain"])
def test_what_is_done_for_large_data_holds_for_small_data_too(limit, monkeypatch):
    """The limits are lowered, so that brute force can check the bounds of large data."""
    if limit == "large":
        monkeypatch.setattr(covariance, "SMALL_SIDE", 4)
    monkeypatch.setattr(bounds, "LARGEST_MATRIX", 4)
    asked, duals, proven = [], [], bounds.proven_pairs
    monkeypatch.setattr(bounds, "proven_pairs", lambda *args: asked.append(1) or proven(*args))
    monkeypatch.setattr(bounds, "LARGEST_DUAL", 6 if limit == "few remain" else 1000)
    for seed in range(6):
        X = np.random.default_rng(seed).standard_normal((6, 9)) * np.linspace(0.1, 3.0, 9) ** 2
        problem = Problem.from_data(X, divisor="1")
        S = np.cov(X.T) * 5.0
        top = np.linalg.eigvalsh(S)[-1]
        assert (bounds.large_data(problem) is None) == (limit != "large")
        assert bounds.leading_eigenvalue(problem) == pytest.approx(top)
        assert top <= bounds.largest_eigenvalue_bound(problem) * (1.0 + 1e-12) <= 1.5 * top
        for k in range(1, 10):
            best, upper = problems.optimum(S, k), bounds.upper_bound(problem, k)
            assert best <= upper <= 1.5 * min(top, np.sort(S.diagonal())[-k:].sum())
            assert bool(asked) == (limit != "large")
            if limit == "large":
                assert top <= bounds.bound_whp(problem, 9) <= bounds.upper_bound(problem, 9)
                assert best <= bounds.bound_whp(problem, k) <= min(upper, 1.01 * top)
            if limit == "few remain" and (dual := bounds.dual_bound(problem, k)) is not None:
                duals.append(dual)
                assert k > 1 and len(dual.variables) <= 6
                assert best <= dual.value <= 1.1 * best and dual.reached <= best * (1.0 + 1e-12)
    assert bool(duals) == (limit == "few remain")


def test_bounds_rise_with_k_and_repeat_to_the_last_digit():
    X = np.random.default_rng(0).standard_normal((15, 12))
    first, again = (Problem.from_data(X) for _ in range(2))
    upper = [bounds.upper_bounds(first, k) for k in range(1, 13)]
    assert upper == [bounds.upper_bounds(again, k) for k in range(1, 13)]
    for source in upper[0]:
        values = [f[source] for f in upper]
        assert values == sorted(values)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_the_cells_cover_all_directions(d):
    centres, cosine = bound_formulas.cells(d, 60)
    c = np.random.default_rng(d).standard_normal((2000, d))
    c /= np.linalg.norm(c, axis=1)[:, None]
    assert np.allclose(np.linalg.norm(centres, axis=1), 1.0)
    assert np.abs(c @ centres.T).max(axis=1).min() >= cosine
