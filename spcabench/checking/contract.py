"""Checks that every solver must pass, on problems that are small enough for brute force."""

import copy
import functools
import io
import os
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from itertools import combinations
from time import perf_counter, thread_time
from types import ModuleType
from typing import Any

import numpy as np
import scipy.sparse as sp

from spcabench import api
from spcabench.checking.audit import AuditError, audit
from spcabench.errors import CertificateError, InputError, SolverError
from spcabench.problem.problem import Problem
from spcabench.running.worker import KEPT
from spcabench.solving.call import arguments, in_form, parameters
from spcabench.solving.driver import uses_threads
from spcabench.solving.result import Result
from spcabench.solving.tune import penalty_range
from spcabench.vectors import Vector

N, K = 8, 3
# variables of a larger problem, with its seed; fewer variables for relaxations and exact searches
LARGE, LARGE_SEARCHED, SEED = 48, 12, 67
# processor seconds in which the threads of a solver are measured, and the most seconds for this
LONG_ENOUGH, PATIENCE = 0.8, 5.0
Promise = Callable[
    [ModuleType], str | None
]  # returns None, or the reason why the solver could not be checked


class Broken(Exception):
    """A violation of the contract by a solver, described in one sentence."""


def _data(seed: int, m: int = 12) -> Vector:
    """Return Gaussian data (m, N) with a strong leading direction and distinct entries."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, N)) + np.outer(
        rng.standard_normal(m), [2.0, 1.5, 1.0, 0, 0, 0, 0, 0]
    )


def _small(module: ModuleType) -> Iterator[Problem]:
    yield from _problems(0)


def _problems(first: int) -> Iterator[Problem]:
    for seed in range(first, first + 4):
        X = _data(seed, m=5 + 4 * (seed - first))
        yield Problem.from_data(X, f"data ({len(X)}, {N}), seed {seed}", divisor="1")
        yield Problem.from_covariance(X.T @ X, f"covariance ({N}, {N}), seed {seed}")


def _all(module: ModuleType, first: int = 0) -> Iterator[Problem]:
    """Yield small problems and a larger one, each as data and as a covariance.

    first : seed of the first problem.
    """
    yield from _problems(first)
    hard = module.TRAITS.exact or module.TRAITS.relaxation
    n = min(LARGE_SEARCHED if hard else LARGE, module.TRAITS.largest or LARGE)
    seed = SEED + first
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n + 12, n)) + np.outer(rng.standard_normal(n + 12), np.arange(n) < K)
    yield Problem.from_data(X, f"data ({len(X)}, {n}), seed {seed}", divisor="1")
    yield Problem.from_covariance(X.T @ X, f"covariance ({n}, {n}), seed {seed}")


def _others(module: ModuleType) -> Iterator[Problem]:
    """Yield problems of no other check, because a solver can keep something for each problem."""
    yield from _all(module, first=100)


def _as_data(module: ModuleType) -> Iterator[Problem]:
    for seed in range(4):
        yield Problem.from_data(_data(seed), f"data (12, {N}), seed {seed}", divisor="1")


def _as_sparse_data(module: ModuleType) -> Iterator[Problem]:
    for seed in range(4):
        X = np.where(np.random.default_rng(seed).random((12, N)) < 0.3, 0.0, _data(seed))
        name = f"sparse data (12, {N}), seed {seed}"
        yield Problem.from_data(sp.csr_array(X), name, divisor="1")


def _on(
    problems: Callable[[ModuleType], Iterator[Problem]],
) -> Callable[[Callable[[ModuleType, Problem], None]], Promise]:
    """Make a promise about several problems from a function that checks one of them."""

    def promise(check: Callable[[ModuleType, Problem], None]) -> Promise:
        @functools.wraps(check)
        def every(module: ModuleType) -> None:
            of, faults = 0, []
            for of, problem in enumerate(problems(module), 1):  # noqa: B007
                try:
                    check(module, problem)
                except (Broken, SolverError) as broken:
                    faults.append((str(broken), problem.name))
                except Exception:
                    if not faults:
                        raise
                    break
            if faults:
                sentence, first = faults[0]
                raise Broken(f"{sentence} (on {len(faults)} of {of} problems, first on {first})")

        return every

    return promise


def _asked(module: ModuleType, problem: Problem) -> dict[str, Any]:
    return {"k": max(K, problem.n // N)} if module.TRAITS.control else {}


def _solve(module: ModuleType, problem: Problem, **settings: Any) -> Result:
    result = api.solve(problem, module, **arguments({**_asked(module, problem), **settings}))
    if not result.good:
        raise Broken(_fault(result))
    return result


def _fault(result: Result) -> str:
    """Return what is wrong with an answer, with advice if it is the norm or the cardinality."""
    x = result.x
    if x.shape != (result.problem.n,) or not np.isfinite(x).all() or not x.any():
        return result.fault
    advice = "project(x, k) in spcabench.vectors reduces a vector to k entries and norm 1"
    return result.fault if "NaN" in result.fault else f"{result.fault}; {advice}"


def _same(circumstance: str, a: float, b: float) -> None:
    if abs(a - b) > 1e-6 * max(abs(a), abs(b)):
        raise Broken(f"the variance is {a:.9g}, but {b:.9g} {circumstance}")


def says_what_it_is(module: ModuleType) -> None:
    """The file defines a docstring, TRAITS, EXAMPLE and solve(problem, *, ...)."""
    # TRAITS and solve were checked when the file was imported
    for name, kind in (("EXAMPLE", dict), ("__doc__", str)):
        if not isinstance(getattr(module, name, None), kind):
            raise Broken(f"{name} is missing or has the wrong type; see `spcabench new solver`")
    settings, traits = set(parameters(module.solve)), module.TRAITS
    if wrong := [name for name in module.EXAMPLE if not isinstance(name, str)]:
        raise Broken(f"EXAMPLE has the key {wrong[0]!r}; its keys must be names of settings")
    takes = settings | ({"k"} if traits.control else set())  # a penalty is searched for k
    if unknown := sorted(set(module.EXAMPLE) - takes):
        raise Broken(
            f"EXAMPLE has the unknown settings {', '.join(unknown)}; solve() accepts "
            f"{', '.join(sorted(takes))}"
        )
    if traits.components == "joint" and "components" not in settings:
        raise Broken('TRAITS has components="joint", but solve() has no argument components')
    if traits.formulation != "penalised" and traits.control != "cardinality":
        raise Broken(f'formulation="{traits.formulation}" requires control="cardinality"')
    if traits.control == "penalty":
        penalty_range(module, in_form(next(_problems(0)), traits))


@_on(_all)
def mutates_nothing(module: ModuleType, problem: Problem) -> None:
    """A run does not change the arrays of the problem."""
    accepted = in_form(problem, module.TRAITS)
    arrays = {name: a for name, a in vars(accepted.matrix).items() if isinstance(a, np.ndarray)}
    before = copy.deepcopy(arrays)
    with suppress(CertificateError):  # a bound of other data
        api.solve(accepted, module, **arguments(_asked(module, accepted)))
    for name, a in arrays.items():
        if not np.array_equal(a, before[name]):
            raise Broken(f"the array {name} of the problem was changed; use a copy")


@_on(_all)
def stops_at_its_limits(module: ModuleType, problem: Problem) -> None:
    """The solver stops at the limits on iterations and time."""
    for limit in ({"max_iterations": 2}, {"time_limit": 0.0}):
        run = api.solve(problem, module, **arguments({**_asked(module, problem), **limit}))
        if run.iterations > 2:
            raise Broken(f"{run.iterations} iterations were executed, in spite of {limit}")


@_on(_all)
def is_feasible(module: ModuleType, problem: Problem) -> None:
    """Each x has n entries in double precision, norm 1, at most k nonzeros and the right signs."""
    _solve(module, problem)
    if module.TRAITS.nonnegative:
        _solve(module, problem, nonnegative=True)


def runs_its_example(module: ModuleType) -> str | None:
    """The settings in EXAMPLE, which are used to compare commits, produce a feasible x."""
    if not isinstance(example := getattr(module, "EXAMPLE", None), dict):
        return "it has no EXAMPLE"
    *_, problem = _all(module)
    settings = dict(example)
    if isinstance(k := settings.get("k"), int):
        settings["k"] = min(k, problem.n)  # the example can be intended for larger problems
    asked = _asked(module, problem)
    if module.TRAITS.penalty in settings:
        asked.pop("k", None)  # the example is for this penalty
    try:
        result = api.solve(problem, module, **arguments(asked | settings))
    except InputError as error:
        raise Broken(f"EXAMPLE: {error}") from None
    if not result.good:
        raise Broken(_fault(result))
    return None


@_on(_small)
def is_never_above_the_optimum(module: ModuleType, problem: Problem) -> None:
    """No variance exceeds the optimum, no bound is below it, and exact solvers attain it."""
    S = np.array(problem.given_as("covariance").matrix.S)  # type: ignore[union-attr]
    k = K if module.TRAITS.control else N
    best = max(np.linalg.eigvalsh(S[np.ix_(W, W)])[-1] for W in combinations(range(N), k))
    result = _solve(module, problem)
    lowest = result.variance if result.nonnegative else best  # bounds must not be below this
    value, claimed = result.variance, result.claim.bound
    if claimed is not None and claimed < lowest * (1 - 1e-9):
        raise Broken(f"it claims the upper bound {claimed:.9g}, but the optimum is {lowest:.9g}")
    if value > best * (1 + 1e-9) or result.bound < lowest * (1 - 1e-9):
        raise Broken(f"value {value:.9g}, bound {result.bound:.9g}, optimum {best:.9g}")
    if module.TRAITS.exact and value < best * (1 - 1e-9):
        raise Broken(
            f"TRAITS has exact=True, but the value {value:.9g} is below the optimum {best:.9g}"
        )


@_on(_all)
def finds_components_as_stated(module: ModuleType, problem: Problem) -> None:
    """Components computed jointly have shape (n, r) and satisfy the formulation in TRAITS."""
    if module.TRAITS.components != "joint":
        return
    settings = {**_asked(module, problem), "components": 2}
    if module.TRAITS.control == "penalty":
        high = penalty_range(module, in_form(problem, module.TRAITS))[1]
        settings = {module.TRAITS.penalty: 0.1 * high, "components": 2}
    result = api.solve(problem, module, **arguments(settings))
    if not result.good:
        raise Broken(f"two components: {result.fault}")
    if result.Z is None or result.Z.shape != (problem.n, 2):
        shape = None if result.Z is None else result.Z.shape
        raise Broken(f"Z has shape {shape}; it must be ({problem.n}, 2)")


@_on(_others)
def is_repeatable(module: ModuleType, problem: Problem) -> None:
    """The same seed gives the same answer to the last bit."""
    first, again = (_solve(module, problem.copied(), seed=5) for _ in range(2))
    # compared first, because another random start can need fewer flops, too
    if not np.array_equal(first.x, again.x):
        seeded = "seed" in parameters(module.solve)
        raise Broken(
            f"two runs{' with the same seed' if seeded else ''} differ; "
            f"{'' if seeded else 'add a setting seed, '}draw only from default_rng(seed), and "
            "keep nothing between runs"
        )
    if again.cost.total_flops < KEPT * first.cost.total_flops:
        raise Broken(
            "the second run needed less than half of the flops, so the solver keeps something "
            "between runs; keep nothing outside solve"
        )


@_on(_as_data)
def is_invariant(module: ModuleType, problem: Problem) -> None:
    """The variance does not depend on units or, without a seed, on signs and order of variables."""
    A, rng = problem.data.dense(), np.random.default_rng(0)
    value = _solve(module, problem).variance

    def of(X: Vector) -> float:
        return _solve(module, Problem.from_data(X, divisor="1")).variance

    _same("for the same data times 1000", value, of(1e3 * A) / 1e6)
    if "seed" in parameters(module.solve):
        return  # with random starts, the rest only holds on average
    if module.TRAITS.nonnegative != "always":
        _same("if variables are flipped", value, of(A * rng.choice([-1.0, 1.0], N)))
    _same("if variables are reordered", value, of(A[:, rng.permutation(N)]))


@_on(_as_sparse_data)
def works_on_every_form(module: ModuleType, problem: Problem) -> None:
    """Dense and sparse data give the same value, and their covariance gives a feasible x."""
    dense = Problem.from_data(problem.data.X.toarray(), divisor="1")
    value = _solve(module, dense).variance
    circumstance = "for the same data, sparse and implicitly centred"
    _same(circumstance, value, _solve(module, problem).variance)
    _solve(module, dense.given_as("covariance"))


def counts_honestly(module: ModuleType) -> str | None:
    """The ledger includes all flops that an independent audit counts."""
    if not getattr(module, "COUNTED", True):
        return "the file has COUNTED = False, so no flops are reported"
    return _counts(module)


@_on(_all)
def _counts(module: ModuleType, problem: Problem) -> None:
    _solve(module, problem)  # report a wrong answer first
    try:
        audited = audit(problem, module, **_asked(module, problem))
    except AuditError as error:
        raise Broken(
            f"{error}; use @ of problem.covariance or problem.data, which counts flops"
        ) from None
    if not audited.complete:
        raise Broken(
            f"{audited.charged} flops were charged, but {audited.seen} were counted "
            f"({audited.calls}); use @ of problem.covariance or problem.data instead of their "
            "arrays, or set COUNTED = False"
        )


def uses_one_thread(module: ModuleType) -> None:
    """It computes in one thread, and starts no processes."""
    *_, problem = _all(module)
    _solve(module, problem)  # compiles kernels
    begun, total, own = perf_counter(), _processor_seconds(), thread_time()
    while _processor_seconds() - total < LONG_ENOUGH and perf_counter() - begun < PATIENCE:
        _solve(module, problem)
    if uses_threads(thread_time() - own, _processor_seconds() - total):
        raise Broken(
            "it computes in several threads or processes; comparisons are about one thread, so "
            "start no threads and no processes"
        )


def _processor_seconds() -> float:
    """Return the processor seconds of all threads of this process and of its ended children."""
    return sum(os.times()[:4])


@_on(_all)
def prints_nothing(module: ModuleType, problem: Problem) -> None:
    """It prints nothing."""
    text = io.StringIO()
    with redirect_stdout(text), redirect_stderr(text):
        _solve(module, problem)
    if text.getvalue():
        raise Broken(f"it printed {text.getvalue().strip()[:60]!r}")


PROMISES: dict[str, Promise] = {
    check.__name__.replace("_", " "): check
    for check in (
        *(says_what_it_is, stops_at_its_limits, mutates_nothing, is_feasible, runs_its_example),
        *(is_never_above_the_optimum, finds_components_as_stated, is_repeatable, is_invariant),
        *(works_on_every_form, counts_honestly, uses_one_thread, prints_nothing),
    )
}
# the checks at the start of a comparison: mistakes that an author makes without noticing
OF_MISTAKES = [
    check.__name__.replace("_", " ")
    for check in (
        is_repeatable,  # first, because a solver can keep something after its first run
        *(is_feasible, is_invariant, mutates_nothing, counts_honestly, uses_one_thread),
    )
]
