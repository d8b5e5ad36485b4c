"""Elimination before a solve: variables that can be dropped without changing the optimum.

Each of two problems has its own rule (Zhang and El Ghaoui 2011, section 2; d'Aspremont et al.
2007):

- the l0-penalised problem psi(lam) = max x'Sigma x - lam ||x||_0 over unit x: variables with
  Sigma_ii < lam are zero;
- the relaxation phi(lam) = max Tr(Sigma X) - lam ||X||_1, Tr X = 1, X PSD: it decomposes over the
  connected components of the graph with edges |Sigma_ij| > lam. The variance rule is *not* safe
  here.
"""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from spcabench.vectors import Array, Indices, Vector, falling_order


def survivors(variances: Vector, lam: float) -> Indices:
    """Return the variables with Sigma_ii >= lam.

    All other variables are zero in some optimum of the l0-penalised problem, because this problem
    is the maximum over unit xi of sum_i [(a_i'xi)^2 - lam]_+, and (a_i'xi)^2 <= Sigma_ii.
    """
    return np.flatnonzero(variances >= lam)


def by_variance(S: Array) -> Indices:
    """Return the variables in order of decreasing variance; ties, of decreasing sum of |S_ij|."""
    return falling_order(S.diagonal(), lambda J: np.abs(S[J]).sum(axis=1))


def connected_parts(S: Array, lam: float) -> list[Indices]:
    """Return the connected components of the graph with edges |S_ij| > lam, i != j.

    They are sorted by decreasing largest variance, and the variables within a component by
    decreasing variance. The optimum of the relaxation is the largest of its optima on the
    components, and X is zero elsewhere, because U = -S between components is dual feasible and
    makes Sigma + U block diagonal.
    """
    S = np.asarray(S)
    edges = np.abs(S) > lam
    np.fill_diagonal(edges, False)
    W = np.flatnonzero(edges.any(axis=0))
    parts, of_linked = connected_components(sp.csr_array(edges[np.ix_(W, W)]), directed=False)
    # every variable has its own label unless it is linked to another variable
    label = parts + np.arange(len(edges))
    label[W] = of_linked
    order = by_variance(S)
    _, label = np.unique(label[order], return_inverse=True)
    groups = np.split(order[np.argsort(label, kind="stable")], np.cumsum(np.bincount(label))[:-1])
    rank = np.argsort(order)
    return sorted(groups, key=lambda W: rank[W[0]])
