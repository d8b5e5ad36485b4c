"""Families of small random problems, and reference answers computed by definition."""

from itertools import combinations
from types import ModuleType

import numpy as np
import pytest

from spcabench import Problem, api, registry
from spcabench.iterate import Traits
from spcabench.solving.call import arguments

GENERATED = True  # whether cases that are thorough are generated; tests/conftest.py decides
SOLVERS = [s for s in registry.names("solver") if not registry.unavailable(s)]
COUNTED = [s for s in SOLVERS if getattr(registry.module("solver", s), "COUNTED", True)]


def _gaussian(rng, m, n):
    return rng.standard_normal((m, n))


def _spiked(rng, m, n):
    v = np.zeros(n)
    v[rng.permutation(n)[: max(1, n // 3)]] = 1.0
    return rng.standard_normal((m, n)) + 3.0 * np.outer(rng.standard_normal(m), v)


def _rank_deficient(rng, m, n):
    return rng.standard_normal((m, 2)) @ rng.standard_normal((2, n))


def _tied(rng, m, n):
    X = rng.integers(-1, 2, (m, n)).astype(float)
    X[:, n // 2] = X[:, 0]  # a duplicate column
    X[0, -1] = 2.0  # not zero, whatever was drawn
    return X


def _zero_column(rng, m, n):
    X = rng.standard_normal((m, n))
    X[:, rng.integers(n)] = 0.0
    return X


DRAWS = {
    f.__name__.strip("_"): f for f in (_gaussian, _spiked, _rank_deficient, _tied, _zero_column)
}
GENERAL = ("gaussian", "spiked")  # no two entries are equal
FAMILIES = [f"{name} {form}" for form in ("data", "covariance") for name in DRAWS]


def _equal_variances(rng, m, n):
    X = rng.standard_normal((m, n)) + np.outer(rng.standard_normal(m), rng.integers(0, 2, n))
    X = X - X.mean(axis=0)
    return X / X.std(axis=0)


def _duplicates(rng, m, n):
    return rng.standard_normal((m, n))[:, rng.integers(0, max(1, n // 2), n)]


def _integers(rng, m, n):
    X = rng.integers(-1, 2, (m, n)).astype(float)
    X[0, -1] = 2.0
    return X


def _nearly_tied(rng, m, n):
    X = _integers(rng, m, n)
    X[:, -2] = X[:, 0]
    return X * (1.0 + 1e-12 * rng.standard_normal(X.shape))


def _scaled_columns(rng, m, n):
    return _integers(rng, m, n) * 10.0 ** rng.integers(-3, 4, n)


def _scaled(rng, m, n):
    return _integers(rng, m, n) * 10.0 ** rng.integers(-50, 50)


def _orthogonal(rng, m, n):
    H = np.ones((1, 1))
    while len(H) < max(m, n + 1):
        H = np.kron(H, [[1.0, 1.0], [1.0, -1.0]])
    return H[:, 1 + rng.permutation(len(H) - 1)[:n]] * rng.choice([1.0, 1.0, 2.0], n)


def _exchangeable(rng, m, n):
    return np.eye(n) * rng.choice([0.5, 1.0, 3.0]) + rng.integers(-1, 2)


def _equal_blocks(rng, m, n):
    size = max(2, n // 3)
    return np.kron(np.eye(-(-n // size)), rng.standard_normal((max(3, m // 3), size)))[:, :n]


def _rank_one(rng, m, n):
    return np.outer(rng.standard_normal(m), rng.standard_normal(n))


def _columns_apart(rng, m, n):
    return rng.standard_normal((m, n)) * 10.0 ** rng.uniform(-9.0, 3.0, n)


def _isolated(rng, m, n):
    X = np.zeros((m, n))
    for j in range(n):
        X[rng.integers(m), j] = rng.standard_normal() + 2.0
    X[:, n // 2] = 0.0
    return X


def _constant(rng, m, n):
    shares = rng.random((m, n))
    shares[:, -1] = (shares[:, :-1] / shares[:, :-1].sum(axis=1, keepdims=True)).sum(axis=1)
    return shares


def _means_apart(rng, m, n):
    return rng.standard_normal((m, n)) + 10.0 ** rng.uniform(0.0, 7.0)


HARD = {  # data on which rounding, ties or scales decide
    f.__name__.strip("_"): f
    for f in (
        *(_equal_variances, _duplicates, _integers, _nearly_tied, _scaled_columns, _scaled),
        *(_orthogonal, _exchangeable, _equal_blocks, _rank_one, _columns_apart, _isolated),
        *(_constant, _means_apart),
    )
}


def draw(family, seed):
    """Return data (m, n) of a family, n from 3 to 10, and a cardinality k."""
    rng = np.random.default_rng([seed, sum(map(ord, family))])
    m, n = int(rng.integers(3, 13)), int(rng.integers(3, 11))
    return DRAWS[family.split()[0]](rng, m, n), int(rng.integers(1, n + 1))


def problem(family, seed):
    """Return a problem of a family and a cardinality."""
    X, k = draw(family, seed)
    if family.endswith("covariance"):
        return Problem.from_covariance(X.T @ X, family), k
    return Problem.from_data(X, family, center=family.startswith("gaussian"), divisor="1"), k


def explicit(problem):
    """Return Sigma (n, n) of a problem as a plain array."""
    return np.array(problem.given_as("covariance").matrix.S)


def optimum(Sigma, k, nonnegative=False):
    """Return the largest eigenvalue over all principal k x k blocks.

    With ``nonnegative``, the maximum is over x >= 0: over all blocks up to k x k whose leading
    eigenvector is positive (up to 1e-9).
    """
    if not nonnegative:
        return np.linalg.eigvalsh(_blocks(Sigma, k)).max()
    best = Sigma.diagonal().max()
    for size in range(2, k + 1):
        w, V = np.linalg.eigh(_blocks(Sigma, size))
        inside = (V > -1e-9).all(axis=1) | (V < 1e-9).all(axis=1)
        best = max(best, w[inside].max(initial=best))
    return best


def copositive(B):
    """Return the maximum of x'Bx over unit x >= 0."""
    return optimum(B, len(B), nonnegative=True)


def _blocks(Sigma, size):
    """Return all principal blocks of a size as one array (count, size, size)."""
    W = np.array([*combinations(range(len(Sigma)), size)])
    return Sigma[W[:, :, None], W[:, None, :]]


def solver_of(solve, **traits):
    """Return the module of a solver with these traits."""
    module = ModuleType("trial")
    vars(module).update(solve=solve, TRAITS=Traits(**traits))
    return module


def traits(name):
    return registry.module("solver", name).TRAITS


def draws(solvers, families, few, count=20, slow=3):
    """Return solvers with pairs of a family and a seed as parameters.

    In the ordinary suite, each solver has a few seeds, each of another family. In thorough tests,
    every family has all seeds. Relaxations get fewer seeds, because each of their runs takes
    milliseconds and a search has many.
    """
    cases = []
    for i, name in enumerate(solvers):
        seeds = range(slow if traits(name).relaxation else count)
        pairs = [(families[(i + 3 * seed) % len(families)], seed) for seed in seeds[:few]]
        cases.append(pytest.param(name, pairs, id=f"{name}-few"))
        for family in families:
            cases += _thorough((name, [(family, s) for s in seeds]), id=f"{name}-{family}")
    return cases


def spread(names, cases):
    """Return pairs of a name and a case as parameters: name i with case i, the other pairs
    thorough.

    Thus every name and, if there are enough names, every case is in the ordinary suite.
    """
    pairs = []
    for i, name in enumerate(names):
        for j, case in enumerate(cases):
            pairs += [(name, case)] if j == i % len(cases) else _thorough((name, case))
    return pairs


def some(few, values):
    """Return values as parameters: the first few are ordinary, the others thorough."""
    thorough = [case for value in values[few:] for case in _thorough((value,))]
    return [*values[:few], *thorough]


# of a test that takes seconds: a workflow in a copy of the repository, an installed wheel
WHOLE = pytest.mark.thorough


def _thorough(values, id=None):
    """Return the parameters of a thorough case, or none if thorough cases are not generated."""
    return [pytest.param(*values, marks=pytest.mark.thorough, id=id)] if GENERATED else []


def solve(problem, name, k, **settings):
    """Solve a problem, passing the cardinality if the solver takes one."""
    return api.solve(
        problem, name, **arguments({**({"k": k} if traits(name).control else {}), **settings})
    )


def once(problem, name, **settings):
    """Run once without a search: with EXAMPLE's cardinality, or a quarter of the largest
    penalty.
    """
    module = registry.module("solver", name)
    if module.TRAITS.control == "penalty":
        in_form = problem if problem.form != "covariance" else problem.given_as("data")
        settings = {module.TRAITS.penalty: 0.25 * module.penalty_range(in_form)[1], **settings}
    elif module.TRAITS.control == "cardinality":
        settings = {"k": min(module.EXAMPLE["k"], problem.n // 2), **settings}
    return api.solve(problem, name, **arguments(settings))
