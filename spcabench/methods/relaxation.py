"""The semidefinite relaxation: its value, its dual bound, and its decomposition over components.

The relaxation is phi(lam) = max Tr(Sigma X) - lam ||X||_1 over PSD X of trace one (d'Aspremont et
al. 2007, equation 6). Its dual is min lambda_max(Sigma + U) over symmetric U with |U_ij| <= lam.
Any feasible X and U bound phi from below and above. For any U and every k-sparse unit vector x,

    x'Sigma x <= lambda_max(Sigma + U) + k max |U_ij|.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from spcabench.iterate import Iterate
from spcabench.methods import eliminate
from spcabench.problem.spectral import eigen, last_vector
from spcabench.vectors import (
    Array,
    Indices,
    Vector,
    embed,
    first_largest,
    normalize,
    support,
)

THRESHOLD = 1e-2  # entries of the leading eigenvector below this fraction of the largest are zeroed


@dataclass(frozen=True, slots=True)
class Pair:
    """A primal matrix X and a dual matrix U (n, n) of one component, with their value and bound.

    x (n,) is a leading eigenvector of X.
    """

    x: Vector
    X: Array
    U: Array
    value: float
    bound: float


Method = Callable[..., Iterator[Pair]]


def value(S: Array, X: Array, lam: float) -> float:
    """Return Tr(S X) - lam ||X||_1."""
    S, X = np.asarray(S), np.asarray(X)
    return float(np.vdot(S, X) - lam * np.abs(X).sum())


def sparse(x: Vector, threshold: float = THRESHOLD) -> Vector:
    """Zero the entries of x below ``threshold`` times the largest, and scale x to norm one."""
    return normalize(np.where(np.abs(x) >= threshold * np.abs(x).max(), x, 0.0))


def best(pairs: Sequence[Pair | None]) -> Pair:
    """Combine the pair with the largest value and the pair with the smallest bound."""
    solved = [p for p in pairs if p is not None]
    high, low = max(solved, key=lambda p: p.value), min(solved, key=lambda p: p.bound)
    return Pair(high.x, high.X, low.U, high.value, low.bound)


def trivial(S: Array, lam: float) -> Pair:
    """Return the pair that requires no solver: X = e_i e_i', and U = -S clipped to the box.

    i is the variable with the largest variance. The bound follows from Gershgorin's discs.
    """
    n, j = len(S), int(eliminate.by_variance(S)[0])
    e = np.zeros(n)
    e[j] = 1.0
    U = -np.clip(S, -lam, lam)
    np.fill_diagonal(U, -lam)
    M = S + U
    discs = M.diagonal() + np.abs(M).sum(axis=1) - np.abs(M.diagonal())
    return Pair(e, np.outer(e, e), U, float(S[j, j] - lam), float(discs.max()))


def polished(S: Array, pair: Pair, lam: float) -> Pair:
    """Replace the primal matrix of a pair with xx' if xx' has a larger value.

    x is an eigenvector of S - lam ss' on the support of the present x, where s are its signs. As
    long as x has these signs, x'S x - lam ||x||_1^2 equals x'(S - lam ss')x. If the optimum has
    rank one, xx' is the optimum.
    """
    W = support(sparse(pair.x))
    s = np.sign(pair.x[W])
    v = embed(last_vector(*eigen(S[np.ix_(W, W)] - lam * np.outer(s, s))), W, len(S))
    X = np.outer(v, v)
    reached = value(S, X, lam)
    return replace(pair, x=v, X=X, value=reached) if reached > pair.value else pair


def by_component(
    S: Array, lam: float, method: Method, screen: bool = True, start: Vector | None = None
) -> Iterator[Iterate]:
    """Run a method on the connected components of |S_ij| > lam, and combine their answers.

    Each step advances the method on the component with the largest bound. The run stops when the
    largest bound is attained, or when the method on that component stops.

    Parameters
    ----------
    S : array of shape (n, n)
        The covariance.
    lam : float
        The penalty.
    method : callable
        Function of the S of a component that yields pairs, of which the best primal and the best
        dual matrix are used. If ``start`` is specified and is nonzero in the component, the method
        also takes this part of it, scaled to norm one.
    screen : bool
        If false, all variables form one component, unless lam is at least the largest |S_ij|.
    start : array of shape (n,), optional
        Starting point of the run.

    Yields
    ------
    x, X, U, gap
        The vector, the primal and the dual matrix, and the certified relative gap.
    """
    S = np.asarray(S)
    whole = not screen and lam < np.abs(S).max()
    groups = [eliminate.by_variance(S)] if whole else _solved(eliminate.connected_parts(S, lam))
    blocks = [np.ascontiguousarray(S[np.ix_(W, W)]) for W in groups]
    pairs = [trivial(block, lam) for block in blocks]
    running = [method(block) if len(block) > 1 else iter(()) for block in blocks]
    for c, W in enumerate(groups if start is not None else ()):
        if len(W) > 1 and start[W].any():  # type: ignore[index]
            x = normalize(start[W])  # type: ignore[index]
            pairs[c] = polished(blocks[c], replace(pairs[c], x=x), lam)
            running[c] = method(blocks[c], x)
    while True:
        yield _joined(S, lam, groups, tuple(pairs))
        c = first_largest(np.array([p.bound for p in pairs]))
        new = next(running[c], None)
        if new is None:
            return
        pairs[c] = best([pairs[c], new])


def _solved(groups: list[Indices]) -> list[Indices]:
    """Drop all components of a single variable except the one with the largest variance."""
    single = next((W for W in groups if len(W) == 1), None)
    return [W for W in groups if len(W) > 1 or W is single]


def _joined(S: Array, lam: float, groups: list[Indices], pairs: tuple[Pair, ...]) -> Iterate:
    """Combine the pairs of all components into one iterate of the whole problem."""
    c = first_largest(np.array([p.value for p in pairs]))
    low, high = pairs[c].value, max(p.bound for p in pairs)
    W, x = groups[c], np.zeros(len(S))
    x[W] = sparse(pairs[c].x)
    return Iterate(
        x,
        X=partial(_primal, len(S), W, pairs[c].X),
        U=partial(_dual, S, lam, groups, pairs),
        extra={
            "objective": low,
            "dual": high,
            "gap": relative_gap(low, high),
            "largest": max(map(len, groups)),
        },
    )


def relative_gap(low: float, high: float) -> float:
    """Return (high - low) / |high|, or zero if both are zero."""
    return max(high - low, 0.0) / abs(high) if high else float(low < high)


def _primal(n: int, W: Indices, X_W: Array) -> Vector:
    X = np.zeros((n, n))
    X[np.ix_(W, W)] = X_W
    return X


def _dual(S: Array, lam: float, groups: list[Indices], pairs: tuple[Pair, ...]) -> Vector:
    """Join the duals of the components, with U = -S between components.

    S + U is then block diagonal, and the block of a single variable is S_ii - lam.
    """
    U = -np.clip(S, -lam, lam)
    np.fill_diagonal(U, -lam)
    for W, pair in zip(groups, pairs, strict=True):
        U[np.ix_(W, W)] = pair.U
    return U
