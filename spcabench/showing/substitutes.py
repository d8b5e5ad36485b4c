"""Substitutes: variables that could replace a variable of a component at a small loss of variance.

The choice between correlated variables is often arbitrary. A swap of two variables is judged by the
variance of the best component on the new support.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spcabench import validate
from spcabench.errors import InputError
from spcabench.flops import uncharged
from spcabench.vectors import Array, Indices, Vector, embed, support

if TYPE_CHECKING:
    from spcabench.solving.result import Result

LOSS = 0.01  # maximum fraction of the variance that a substitute loses
MOST_SUBSTITUTES = 5  # maximum number of substitutes per variable
TRIED = 20  # number of promising candidates per variable for which the variance is computed


@dataclass(frozen=True)
class Substitute:
    """A variable that can replace a variable of a component.

    variable, substitute : the indices of the two variables. loss : fraction of the variance that
        is lost by the swap, negative if the variance increases. correlation : of the two variables.
    """

    variable: int
    substitute: int
    loss: float
    correlation: float


def substitutes(result: "Result", loss: float = LOSS) -> list[Substitute]:
    """Return the best substitutes of each variable whose loss is below a fraction of the variance.

    Raise InputError if the answer is invalid, or the loss is not between 0 and 1.
    """
    if not result.good:
        raise InputError(f"substitutes: the answer is invalid: {result.fault}")
    if not 0.0 < validate.number("loss", loss) < 1.0:
        raise InputError(f"loss: {loss}; it must be above 0 and below 1")
    W, Sigma = support(result.x), result.problem.covariance
    with uncharged():
        R = np.array([Sigma @ embed(np.ones(1), np.array([j]), Sigma.n) for j in W])  # (k, n)
        d = np.asarray(Sigma.diagonal())
    if len(W) == len(d):
        return []
    value = float(np.linalg.eigvalsh(R[:, W])[-1])
    swaps = []
    for i in range(len(W)):
        J = _promising(np.delete(R, i, axis=0), d, np.delete(W, i), W, (1.0 - loss) * value)
        losses = 1.0 - _values(R, d, W, i, J, result.nonnegative) / value
        scale = np.sqrt(d[W[i]] * d[J])
        correlation = np.divide(R[i, J], scale, out=np.zeros(len(J)), where=scale > 0.0)
        order = np.argsort(losses, kind="stable")[:MOST_SUBSTITUTES]
        swaps += [
            Substitute(int(W[i]), int(J[j]), float(losses[j]), float(correlation[j]))
            for j in order
            if losses[j] < loss
        ]
    return swaps


def _promising(R: Array, d: Vector, others: Indices, W: Indices, least: float) -> Indices:
    """Return the variables outside W that add most variance to the rest of the support.

    With j added, the largest eigenvalue exceeds t, a number above the largest eigenvalue of the
    rest B, if and only if S_jj + c'(t I - B)^-1 c > t, where c is the covariance of j with the
    rest. R (k - 1, n) contains the rows of Sigma for the rest.
    """
    added = d.copy()
    if len(others):
        w, V = np.linalg.eigh(R[:, others])
        t = max(least, 1.001 * w[-1])
        added += ((V.T @ R) ** 2 / (t - w)[:, None]).sum(axis=0)
    added[W] = -np.inf
    J = np.argsort(-added, kind="stable")[:TRIED]
    return J[np.isfinite(added[J])]


def _values(R: Array, d: Vector, W: Indices, i: int, J: Indices, nonnegative: bool) -> Vector:
    """Return the largest eigenvalue after replacing the i-th variable by each j in J.

    For nonnegative loadings, the value is zero if the eigenvector has entries of both signs.
    """
    S = np.repeat(R[None, :, W], len(J), axis=0)
    S[:, i, :] = R[:, J].T
    S[:, :, i] = R[:, J].T
    S[:, i, i] = d[J]
    w, V = np.linalg.eigh(S)
    v = V[:, :, -1]
    one_sign = ((v >= -1e-12).all(axis=1)) | ((v <= 1e-12).all(axis=1))
    return np.where(one_sign | (not nonnegative), w[:, -1], 0.0)
