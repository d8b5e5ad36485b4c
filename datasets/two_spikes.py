"""Two orthogonal sparse spikes that share variables: Sigma = I + strength (u u' + v v').

Synthetic data of Cory-Wright and Pauphilet, "Sparse PCA with multiple components", arXiv:2209.14790
(2022): n = 50, and u and v each have 20 nonzeros of equal size, of which a fraction of 0.1, 0.5 or
0.9 is on shared variables. Signs are random, but u and v have equal signs on exactly half of the
shared variables, so u'v = 0.
"""

import numpy as np

from spcabench import validate
from spcabench.errors import InputError
from spcabench.problem.problem import Problem


def load(n=50, count=20, overlap=0.5, strength=1.0, m=None, seed=0):
    """Return Sigma (n, n), or m samples from N(0, Sigma).

    In the provenance, ``loadings`` lists u and v, and ``support`` lists the variables of u or v.

    count : number of nonzeros of each spike.
    overlap : fraction of these nonzeros that both spikes share. The number of shared variables is
        rounded to an even number below ``count``.
    strength : variance along a spike in addition to the noise variance of 1.
    m : number of samples; by default, the covariance is returned.
    """
    for name, value, least in (("n", n, 1), ("count", count, 1), ("seed", seed, 0)):
        validate.whole(name, value, least)
    validate.number("strength", strength)
    validate.number("overlap", overlap)
    shared = shared_variables(count, min(overlap, 1.0))
    if m is not None:
        validate.whole("m", m, 2)
    if overlap > 1.0 or 2 * count - shared > n:
        raise InputError(
            f"overlap, count, n: {overlap}, {count}, {n}; overlap must be at most 1, and n "
            f"at least the {2 * count - shared} variables that the spikes need"
        )
    rng = np.random.default_rng(seed)
    U = spikes(rng, n, count, shared)  # (n, 2)
    about = dict(
        source="generated",
        preprocessing="none" if m is None else "centred",
        stand_in=False,
        support=np.flatnonzero(U.any(axis=1)).tolist(),
        loadings=U.T.tolist(),
    )
    name = f"two spikes {n}, {count} nonzeros, {shared} shared, strength {strength:g}"
    if m is None:
        Sigma = np.eye(n) + strength * U @ U.T
        return Problem.from_covariance((Sigma + Sigma.T) / 2.0, name, provenance=about)
    X = rng.standard_normal((m, n)) + np.sqrt(strength) * rng.standard_normal((m, 2)) @ U.T
    return Problem.from_data(X, f"{name}, {m} samples", divisor="m", provenance=about)


def shared_variables(count, overlap):
    """Return the number of shared variables, which is even and close to overlap times count."""
    shared = int(overlap * count + 1e-9)
    shared += shared % 2
    return shared - 2 if shared >= count else shared


def spikes(rng, n, count, shared):
    """Return u and v as orthogonal columns (n, 2), with nonzeros of equal absolute value."""
    places = rng.permutation(n)[: 2 * count - shared]
    signs = rng.choice([-1.0, 1.0], (2, count))
    # v shares the last variables of u, and the signs of u and v alternately agree and differ
    signs[1, count - shared :] = signs[0, count - shared :] * np.resize([1.0, -1.0], shared)
    U = np.zeros((n, 2))
    alone = count - shared
    U[places[: alone + shared], 0] = signs[0]
    U[np.concatenate([places[alone + shared :], places[alone : alone + shared]]), 1] = signs[1]
    return U / np.sqrt(count)
