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


@pytest.mark.parametrize("form", MAKE)
@pytest.mark.parametrize("deflation", ["hotelling", "projection", "schur", "drop_features"])
def test_ledgers_of_deflated_problems_are_exact(deflation, form):
    # what Hotelling's deflation leaves is indefinite, and has no data form
    for solver in ("grqi", "tpower") if deflation == "hotelling" else ("tpower", "gpower1", "scol"):
        problem = MAKE[form](6, 14)
        first = api.solve(problem, solver, n_components=2, k=4, deflation=deflation)
        audited = audit(first[1].problem, solver, k=4, max_iterations=20)
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
        (lambda M, x: M.S.T.dot(x), 81),
        (lambda M, x: np.vstack([M.S[:4], M.S[4:]]) @ x, 81),
        (lambda M, x: np.einsum("ij,j", M.S, x), 81),
        (lambda M, x: M.S[:, :4] @ x[:4], 36),
        (lambda M, x: sp.csr_array(np.asarray(M.S)) @ x, 81),
        (lambda M, x: np.linalg.eigh(M.S)[1][:, -1], 9 * 729),
        (lambda M, x: scipy.linalg.eigh(M.S)[1][:, -1], 9 * 729),
        (lambda M, x: scipy.linalg.solve(M.S + np.eye(9), x), 729 + 2 * 81),
        (lambda M, x: scipy.linalg.eigvalsh(M.S), 9 * 729),
        (lambda M, x: scipy.linalg.lapack.dsyevd(M.S)[1][:, -1], 9 * 729),
        (lambda M, x: scipy.linalg.lapack.dsyevr(M.S)[1][:, -1], 9 * 729),
        # a bordered system is charged by the order of its block
        (lambda M, x: scipy.linalg.lapack.dgesv(M.S + np.eye(9), x)[2], 512 + 2 * 64),
    ],
)
def test_a_solver_that_bypasses_the_layer_is_caught(product, cost):
    audited = audit(MAKE["covariance"](12, 9), _past_the_layer(product), stop="end", tol=0)
    assert audited.charged == 0
    assert audited.seen == 3 * cost


def test_only_what_consists_of_low_rank_parts_is_low_rank():
    """Products with low-rank parts are free."""
    L = counting_array.seen(np.ones((2, 3)), low_rank=True)
    low = counting_array.is_low_rank
    assert low(np.vstack([L, L])) and low(L[:, :2]) and low(L * np.ones(3)) and low(L.T)
    for other in (np.vstack([L, np.eye(3)]), L + np.ones((2, 3)), L * np.ones((2, 3))):
        assert not low(other)


A, B, x = np.ones((2, 3)), np.ones((3, 5)), np.ones(3)
STACK, SQUARES = np.ones((4, 3, 5)), np.stack([np.eye(3)] * 4)


@pytest.mark.parametrize(
    ("function", "arrays", "flops"),
    [
        (np.matmul, (A, B), 30),
        (np.matmul, (A, x), 6),
        (np.matmul, (x, B), 15),
        (np.matmul, (A, STACK), 120),
        (np.matmul, (SQUARES, B), 180),
        (np.matmul, (SQUARES, STACK), 180),
        (np.dot, (A, B), 30),
        (np.inner, (A, A), 12),
        (np.inner, (A, x), 6),
        (np.vdot, (A, A), 6),
        (np.vecdot, (A, x), 6),
        (np.linalg.norm, (A,), 6),
        (np.linalg.eigh, (SQUARES,), 4 * 9 * 27),
        (np.linalg.eigvalsh, (SQUARES,), 4 * 9 * 27),
        (np.add, (A, x), 0),
        (np.dot, (x, x), 0),
    ],
)
def test_a_product_costs_its_multiplications_and_all_else_is_free(
    monkeypatch, function, arrays, flops
):
    tally = counting_array.Tally()
    monkeypatch.setattr(counting_array, "TALLY", tally)
    for setup in (True, False, False):
        with tally.watching(setup):
            result = function(*map(counting_array.seen, arrays))
    function(*map(counting_array.seen, arrays))  # it is not watched
    assert tally.flops == {True: flops, False: 2 * flops}
    np.testing.assert_equal(result, function(*arrays))


@pytest.mark.parametrize(
    ("steps", "free"),
    [("qqqqq", 0), ("qqsqqsqqs", 3), ("sqqsqqsqq", 4), ("sss", 0), ("qsqs", 2), ("ss", 0)],
)
def test_a_solve_pays_for_the_quotient_before_or_after_it(steps, free):
    """There may be one more free quotient than solves, and none without a solve."""

    def solve(problem):
        S, x = problem.matrix.S, np.ones(problem.n) / np.sqrt(problem.n)
        yield x
        for step in steps:
            x @ (S @ x) if step == "q" else scipy.linalg.solve(S + np.eye(9), x)
        yield x

    audited = audit(MAKE["covariance"](12, 9), _planted(solve))
    cost = {"s": 729 + 2 * 81, "q": 81}
    assert audited.seen == sum(cost[step] for step in steps) - 81 * free


@pytest.mark.parametrize(
    ("setup", "later", "exact", "complete"),
    [
        (81, 162, True, True),
        (162, 81, False, False),
        (80, 162, False, False),
        (82, 162, False, True),
        (81, 163, False, True),
    ],
)
def test_set_up_and_iterations_are_compared_each(setup, later, exact, complete):
    def solve(problem):
        S, x = problem.matrix.S, np.ones(problem.n) / np.sqrt(problem.n)
        for charge, products in ((setup, 1), (later, 2)):
            LEDGER.charge(charge)
            for _ in range(products):
                S @ x
            yield x

    audited = audit(MAKE["covariance"](12, 9), _planted(solve), stop="end")
    assert (audited.setup_charged, audited.charged) == (setup, setup + later)
    assert (audited.setup_seen, audited.seen) == (81, 243)
    assert (audited.exact, audited.complete) == (exact, complete)


@pytest.mark.parametrize(
    ("product", "message"),
    [
        (lambda M, x: x, "observed no product"),
        (lambda M, x: scipy.linalg.svd(M.S)[0][0], "svd"),
        (lambda M, x: np.linalg.svd(M.S)[0][0], "svd"),
        (lambda M, x: np.linalg.inv(M.S)[0], "inv"),
    ],
)
def test_an_audit_that_saw_nothing_or_a_function_without_a_count_fails(product, message):
    with pytest.raises(AuditError, match=message):
        audit(MAKE["covariance"](12, 9), _past_the_layer(product))
