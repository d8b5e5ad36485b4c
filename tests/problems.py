"""Families of small random problems, and the answers by definition that solvers are held
against.
"""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp

from spcabench import Problem, api, registry

SEEDS = range(20)
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
FAMILIES = [f"{name} {form}" for name in DRAWS for form in ("data", "covariance")]


def draw(family, seed):
    """Data (m, n) of a family, n from 3 to 10, and a cardinality k."""
    rng = np.random.default_rng([seed, sum(map(ord, family))])
    m, n = int(rng.integers(3, 13)), int(rng.integers(3, 11))
    return DRAWS[family.split()[0]](rng, m, n), int(rng.integers(1, n + 1))


def problem(family, seed):
    """A problem of a family, and a cardinality."""
    X, k = draw(family, seed)
    if family.endswith("covariance"):
        return Problem.from_covariance(X.T @ X, family), k
    return Problem.from_data(X, family, center=family.startswith("gaussian")), k


def explicit(problem):
    """Sigma (n, n) of a problem as a plain array."""
    return np.array(problem.given_as("covariance").matrix.S)


def optimum(Sigma, k, nonnegative=False):
    """Largest eigenvalue over all principal k x k blocks; with ``nonnegative`` over x >= 0, see
    `copositive`.
    """
    if nonnegative:
        return max(copositive(Sigma[np.ix_(W, W)]) for W in combinations(range(len(Sigma)), k))
    return max(
        np.linalg.eigvalsh(Sigma[np.ix_(W, W)])[-1] for W in combinations(range(len(Sigma)), k)
    )


def copositive(B):
    """The maximum of x'Bx over unit x >= 0: over all faces, the eigenvectors that are positive
    there (up to 1e-9).
    """
    best = B.diagonal().max()
    for size in range(2, len(B) + 1):
        for F in combinations(range(len(B)), size):
            w, V = np.linalg.eigh(B[np.ix_(F, F)])
            inside = (V > -1e-9).all(axis=0) | (V < 1e-9).all(axis=0)
            best = max([best, *w[inside]])
    return best


def traits(name):
    return registry.module("solver", name).TRAITS


def seeds(name):
    """Fewer for the relaxations: each of their runs takes milliseconds, and a search has many."""
    return range(3) if traits(name).relaxation else SEEDS


def solve(problem, name, k, **settings):
    """Solve, with the cardinality where the solver has one."""
    return api.solve(problem, name, **({"k": k} if traits(name).control else {}), **settings)


def once(problem, name, **settings):
    """One run, without a search: at its EXAMPLE's cardinality, or a quarter of its largest
    penalty.
    """
    module = registry.module("solver", name)
    if module.TRAITS.control == "penalty":
        given = problem if problem.form != "covariance" else problem.given_as("data")
        settings = {module.TRAITS.penalty: 0.25 * module.penalty_range(given)[1], **settings}
    elif module.TRAITS.control == "cardinality":
        settings = {"k": min(module.EXAMPLE["k"], problem.n // 2), **settings}
    return api.solve(problem, name, **settings)


def groups(count, size):
    """Cheap seeds, from 0 below ``count``, as parameters of ``size`` seeds each."""
    parts = [range(first, min(first + size, count)) for first in range(0, count, size)]
    return [pytest.param(part, id=f"seeds {part[0]} to {part[-1]}") for part in parts]


def as_sparse(X, form):
    return {"csc": sp.csc_array, "csr": sp.csr_array}[form](X)
