"""No certified bound is below a value, and no answer is falsely called proven.

Small problems of difficult kinds are compared with brute force, through every function and command
that shows a bound. Large data are compared with the best of several answers and with LAPACK.
"""

import json
import warnings
from collections import Counter
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

from spcabench import Problem, SparsePCA, api, registry
from spcabench.cli import application
from spcabench.solving import bounds, joint_bounds
from spcabench.solving.call import Limits
from spcabench.solving.formulations import Formulation
from spcabench.solving.status import Status
from tests import problems

FORMS = ("data", "sparse", "covariance")
# solvers that state a bound or end with "proven", and two that do not
STATING = ("branch_and_bound", "local_search", "spannogram_exact", "spannogram", "geospca")
RELAXED = ("dspca_constrained", "relax_and_round")
OTHERS = ("tpower", "brute_force")
DEFLATIONS = ("projection", "hotelling", "schur", "drop_features", "orthogonal_projection")
COUNTS = Counter()  # number of bounds and of proofs compared


KINDS = ("integers", "duplicates", "rank_one", "scaled", "columns_apart", "isolated", "constant")
KINDS += ("means_apart", "orthogonal")


def drawn(kind, form, seed):
    """Return a problem of a kind and form, its data (None for a covariance), and a cardinality."""
    rng = np.random.default_rng([seed, *map(ord, kind + form)])
    n = int(rng.integers(3, 8))
    X = problems.HARD[kind](rng, int(rng.integers(4, 12)), n)
    k = int(rng.integers(1, n + 1))
    if form == "covariance":
        A = X - X.mean(axis=0)
        S = A.T @ A
        # sometimes indefinite, as after rounding
        below = rng.choice([0.0, 1e-16, 1e-11, 5e-9]) * np.abs(S).max()
        return Problem.from_covariance(S - below * np.eye(n)), None, k
    X = sp.csc_array(X) if form == "sparse" else X
    return Problem.from_data(X, scale=bool(rng.random() < 0.3)), X, k


def compare(result, note, nonnegative=False):
    """Compare a result with brute force on its own problem."""
    S = problems.explicit(result.problem)
    best = problems.optimum(S, result.k, nonnegative)
    if not result.good:
        assert result.status in (Status.ZERO, Status.INFEASIBLE), note
        return
    COUNTS["bounds"] += 1
    allowed = result.problem.noise
    assert result.variance <= result.bound, note
    assert best <= result.bound + allowed, (note, best, result.bound)
    if result.bound_whp is not None:
        COUNTS["probable bounds"] += 1
        assert best <= result.bound_whp + allowed, note
    if result.status == Status.PROVEN:
        COUNTS["proofs"] += 1
        assert result.variance >= best * (1.0 - 2e-8) - allowed, note


def one(kind, form, seed, relaxed):
    """Compare all that states a bound for one problem."""
    problem, X, k = drawn(kind, form, seed)
    note = (kind, form, seed, k)
    S = problems.explicit(problem)
    for nonnegative, full in product((False, True), repeat=2):
        best = problems.optimum(S, k, nonnegative)
        for source, bound in bounds.upper_bounds(problem, k, nonnegative, full).items():
            COUNTS["bounds by source"] += 1
            assert best <= bound + problem.noise, (note, source, best, bound)
    for solver in (*STATING, *OTHERS, *(RELAXED if relaxed else ())):
        if registry.unavailable(solver):
            continue
        compare(api.solve(problem, solver, k=k, refit=bool(seed % 2)), (*note, solver))
    compare(api.solve(problem, "branch_and_bound", k=k, nonnegative=True), note, True)
    deflation = DEFLATIONS[seed % len(DEFLATIONS)]
    exact = "branch_and_bound" if seed % 2 else "local_search"
    found = api.solve(problem, exact, n_components=problem.n, k=k, deflation=deflation)
    for i, result in enumerate(found):
        compare(result, (*note, deflation, i))
    if found[0].good:
        total = np.linalg.eigvalsh(S)[-2:].sum()
        bound = joint_bounds.joint_bound(problem, Formulation.COMMON, 2, problem.n)[0]
        assert total <= bound + problem.noise, note
    for result in api.path(problem, exact, [1, k, problem.n], settings={"budget": 1}):
        compare(result, (*note, "path"))
    return problem, X, k, S, note


@pytest.mark.parametrize("seed", problems.some(1, range(10)))
@pytest.mark.parametrize(("kind", "form"), problems.spread([*KINDS], [*FORMS]))
@pytest.mark.filterwarnings("ignore:X. [0-9]+ sparse columns have means far above")
def test_no_bound_is_below_a_value_and_no_proof_is_false(kind, form, seed):
    one(kind, form, seed, relaxed=seed == 1)


@pytest.mark.parametrize("kind", problems.some(4, [*KINDS]))
@pytest.mark.parametrize("seed", problems.some(1, range(10)))
def test_the_estimator_and_the_command_show_the_same_sound_bounds(
    kind, seed, tmp_path, monkeypatch, capsys
):
    _, X, k = drawn(kind, "data", seed)
    S = problems.explicit(Problem.from_data(X))
    best = problems.optimum(S, k)
    noise = Problem.from_data(X).noise
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # fewer components than requested
        warnings.filterwarnings("ignore", "X: .* of the variance", UserWarning)  # one dominates
        fitted = SparsePCA(2, cardinality=k, solver="branch_and_bound").fit(X)
    assert best <= fitted.bound_[0] + noise
    assert fitted.deflated_variance_[0] <= fitted.bound_[0]
    np.save(tmp_path / "X.npy", X)
    words = ["solve", str(tmp_path / "X.npy"), "-k", str(k), "--components", "2", "--json"]
    application.app([*words, "--solver", "branch_and_bound"], standalone_mode=False)
    typed = json.loads(capsys.readouterr().out)["components"]
    assert best <= typed[0]["bound"] + noise
    for each in typed:
        assert each["deflated_variance"] <= each["bound"] and each["gap"] >= 0.0
    if typed[0]["status"] == "proven":
        assert typed[0]["variance"] >= best * (1.0 - 2e-8) - noise
    assert typed[0]["bound"] == pytest.approx(fitted.bound_[0])


def _sparse(seed, shape, stored):
    rng = np.random.default_rng(seed)
    rows, columns = (rng.integers(side, size=stored) for side in shape)
    return sp.csc_array((rng.standard_normal(stored) + 0.5, (rows, columns)), shape=shape)


SHAPES = ((4090, 4100), (4097, 4097), (4100, 4200), (200, 200_000), (200_000, 200), (9000, 200_000))


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", problems.some(0, range(2)))
def test_no_bound_of_large_data_is_below_a_value(shape, seed, center):
    X = _sparse(seed, shape, 100_000)
    problem = Problem.from_data(X, center=center)
    for k in (1, 10, 100):
        found = [api.solve(problem, solver, k=k) for solver in ("tpower", "grqi", "scol")]
        best = max(result.variance for result in found)
        for result in found:
            assert best <= result.bound
            assert result.bound_whp is None or best <= result.bound_whp <= result.bound
    top = api.solve(problem, "power_method", limits=Limits(max_iterations=300)).variance
    assert top <= bounds.upper_bound(problem, problem.n)
    assert top <= bounds.leading_eigenvalue(problem) * (1 + 1e-9)
    deflated = api.solve(problem, "tpower", n_components=3, k=10, deflation=DEFLATIONS[seed])
    assert all(result.variance <= result.bound for result in deflated)
