"""The ledger agrees with an independent count, and the audit detects solvers that cheat it."""

from types import ModuleType

import numpy as np
import pytest
import scipy
import scipy.linalg
import scipy.sparse as sp

from spcabench import Problem, api, registry
from spcabench.checking import counting_array
from spcabench.checking.audit import AuditError, audit
from spcabench.flops import LEDGER
from spcabench.iterate import Traits
from spcabench.methods.exact_search import branch_and_bound
from spcabench.problem import covariance, data, spectral, working_set
from spcabench.running.fingerprint import closure
from spcabench.solving.call import arguments, parameters
from tests import problems


def _few(solver):
    """Return settings that stop a relaxation early, because audited iterations are slow."""
    return {"max_iterations": 12} if problems.traits(solver).relaxation else {}


def _data(m, n, seed=0):
    return np.random.default_rng(seed).standard_normal((m, n))


def _holed(m, n):
    return np.where(_data(m, n, 1) > 0, _data(m, n), 0.0)


# the audit sees what is done between the kernels
WITH_KERNELS = [
    s
    for s in problems.COUNTED
    if any("@compiled" in file.read_text() for file in closure(registry.path("solver", s)))
]

MAKE = {
    "covariance": lambda m, n: Problem.from_covariance(_data(m, n).T @ _data(m, n)),
    "data": lambda m, n: Problem.from_data(_data(m, n)),
    "sparse centred": lambda m, n: Problem.from_data(sp.csr_array(_holed(m, n))),
    "sparse scaled": lambda m, n: Problem.from_data(
        sp.csc_array(_holed(m, n)), center=False, scale=True
    ),
}


@pytest.mark.parametrize("shape", problems.some(1, [(12, 9), (6, 14)]))
@pytest.mark.parametrize(("solver", "form"), problems.spread(problems.COUNTED, [*MAKE]))
def test_every_ledger_is_exact(solver, form, shape):
    problem = MAKE[form](*shape)
    for k in (1, 4, problem.n) if problems.traits(solver).control else (None,):
        try:
            audited = audit(problem, solver, k=k, **_few(solver))
        except AuditError:  # one variable: some need no product
            result = api.solve(problem, solver, k=k, **arguments(_few(solver)))
            assert result.cost.total_flops == 0
            continue
        assert audited.exact, audited
        assert audited.seen > 0
        in_all = audited.result.cost.total_flops
        assert audited.charged == in_all or (audited.charged < in_all and solver in WITH_KERNELS)


def _deflated(solver, place):
    """Return combinations of deflation and form that a solver accepts, rotated by its place."""
    traits = problems.traits(solver)
    cases = [
        (solver, deflation, form)
        for deflation in ("hotelling", "projection", "schur", "drop_features")
        # what Hotelling's deflation leaves is indefinite, and has no data form
        if not (deflation == "hotelling" and traits.accepts == "data")
        # the first component of an ordinary PCA uses all variables: nothing is left without them
        if traits.control or deflation != "drop_features"
        for form in MAKE
    ]
    first = 5 * place % len(cases)
    return problems.some(1, cases[first:] + cases[:first])


@pytest.mark.parametrize(
    "case",
    [case for place, name in enumerate(problems.COUNTED) for case in _deflated(name, place)],
    ids="-".join,
)
def test_ledgers_of_deflated_problems_are_exact(case):
    solver, deflation, form = case
    problem = MAKE[form](6, 14)
    k = 4 if problems.traits(solver).control else None
    first = api.solve(
        problem, solver, n_components=2, k=k, deflation=deflation, **arguments(_few(solver))
    )
    audited = audit(first[1].problem, solver, k=k, **({"max_iterations": 20} | _few(solver)))
    assert audited.exact, audited


@pytest.mark.parametrize("case", problems.some(1, [(60, 15, False), (50, 12, True)]))
def test_the_ledger_of_an_exact_search_is_exact_in_all_its_parts(case, monkeypatch):
    n, k, nonnegative = case
    monkeypatch.setattr(branch_and_bound, "CHECKS", 15)
    # large enough for the dual bounds and their parts
    problem = Problem.from_covariance(np.cov(_data(n + 6, n, 1), rowvar=False))
    audited = audit(problem, "branch_and_bound", k=k, nonnegative=nonnegative, budget=5e8)
    assert audited.calls["vdot"] > 5
    assert audited.exact, audited


SETTINGS = {"mu": "carried", "J": 1, "start": np.ones(9)}
TAKEN = [
    (solver, setting)
    for solver in problems.COUNTED
    for setting in SETTINGS
    if setting in parameters(registry.module("solver", solver).solve)
]


@pytest.mark.parametrize(("solver", "setting"), TAKEN)
def test_settings_change_no_exactness(solver, setting):
    for k in (4, 9) if problems.traits(solver).control else (None,):
        audited = audit(
            MAKE["covariance"](12, 9), solver, k=k, **_few(solver), **{setting: SETTINGS[setting]}
        )
        assert audited.exact, audited


def _planted(solve):
    module = ModuleType("planted")
    vars(module).update(TRAITS=Traits(control=None), EXAMPLE={}, solve=solve)
    return module


@pytest.mark.parametrize("solver", ["grqi", "gpower1", "scol"])
def test_a_layer_that_undercharges_is_caught(monkeypatch, solver):
    for module in (covariance, data, working_set, spectral):
        monkeypatch.setattr(module, "charge", lambda count: LEDGER.charge(count // 2))
    k = 4 if problems.traits(solver).control else None
    audited = audit(MAKE["covariance"](12, 9), solver, k=k, **_few(solver))
    assert not audited.exact
    assert audited.charged < audited.seen


def _past_the_layer(product):
    def solve(problem):
        x = np.ones(problem.n) / np.sqrt(problem.n)
        yield x
        for _ in range(3):
            x = np.asarray(product(problem.matrix, x))
            yield x / np.linalg.norm(x)

    return _planted(solve)


@pytest.mark.parametrize(
    ("product", "cost"),
    [
        (lambda M, x: M.S @ x, 81),
        (lambda M, x: M.S.T.dot(x), 81),
        (lambda M, x: np.vstack([M.S[:4], M.S[4:]]) @ x, 81),
        (lambda M, x: np.dot(M.S, x), 81),
        (lambda M, x: np.einsum("ij,j", M.S, x), 81),
        (lambda M, x: M.S[:, :4] @ x[:4], 36),
        (lambda M, x: sp.csr_array(np.asarray(M.S)) @ x, 81),
        (lambda M, x: np.linalg.eigh(M.S)[1][:, -1], 9 * 729),
        (lambda M, x: scipy.linalg.eigh(M.S)[1][:, -1], 9 * 729),
        (lambda M, x: scipy.linalg.solve(M.S + np.eye(9), x), 729 + 2 * 81),
    ],
)
def test_a_solver_that_bypasses_the_layer_is_caught(product, cost):
    audited = audit(MAKE["covariance"](12, 9), _past_the_layer(product), stop="end", tol=0)
    assert audited.charged == 0
    assert audited.seen == 3 * cost


def test_only_what_consists_of_low_rank_parts_is_low_rank():
    """Products with low-rank parts are free."""
    L = counting_array.seen(np.ones((2, 3)), low_rank=True)
    assert counting_array.is_low_rank(np.vstack([L, L]))
    assert not counting_array.is_low_rank(np.vstack([L, np.eye(3)]))


def test_quotients_without_solves_are_not_free():
    def solve(problem):
        S, x = problem.matrix.S, np.ones(problem.n) / np.sqrt(problem.n)
        yield x
        for _ in range(5):
            x @ (S @ x)
        yield x

    audited = audit(MAKE["covariance"](12, 9), _planted(solve))
    assert audited.seen == 5 * 81


def test_an_audit_that_saw_nothing_fails():
    with pytest.raises(AuditError, match="observed no product"):
        audit(MAKE["covariance"](12, 9), _past_the_layer(lambda M, x: x))


@pytest.mark.parametrize("function", [scipy.linalg.svd, np.linalg.svd, np.linalg.inv])
def test_a_function_without_a_count_fails(function):
    name = function.__name__
    module = scipy.linalg if function.__module__.startswith("scipy") else np.linalg
    with pytest.raises(AuditError, match=name):
        audit(
            MAKE["covariance"](12, 9),
            _past_the_layer(lambda M, x: getattr(module, name)(M.S)[0][0]),
        )
