"""Safe elimination on random covariances: claims Z9, Z9b and Z13 of Zhang and El Ghaoui (2011)."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from spcabench import Problem, api, claims
from spcabench.claims import claim
from spcabench.methods import eliminate
from spcabench.run import Run

SDP = "exact_sdp"
SAME = 1e-6  # relative to the largest variance


# what runs


def runs(count: int) -> Iterator[Run]:
    """Run the elimination on this number of random covariances."""
    for seed in range(count):
        yield Run(
            dataset="gaussian",
            # low rank too, because with full rank large penalties leave a single variable, and no
            # value can be lost
            parameters=dict(m=(2, 3, 8)[seed % 3], n=6, seed=seed),
            function=elimination,
            seed=seed,
            label="instance",
            uses=(SDP,),
        )


def elimination(problem, *, seed):
    """Return both optima with and without the variables that the rule removes."""
    S = problem.given_as("covariance").matrix.S
    d = S.diagonal()
    # between the smallest and the largest variance, because otherwise the rule removes no or all
    # variables
    lam = float(np.random.default_rng(seed).uniform(d.min(), d.max()))
    W = eliminate.survivors(d, lam)
    inner = S[np.ix_(W, W)]
    complete, left = (_relaxation(M, lam) for M in (S, inner))
    return {
        "removed": len(S) - len(W),
        "strongest": _strongest(S, d < lam) / lam,
        "identity": _right_side(S, lam, seed),
        "l0": [_penalised(S, lam), _penalised(inner, lam)],
        "l1": [*complete, *left],
        "unit": float(d.max()),
    }


def _strongest(S, removed):
    """Return the largest |Sigma_ij| between a removed variable i and another variable j."""
    return float(np.abs(S - np.diag(S.diagonal()))[removed].max(initial=0.0))


def _penalised(S, lam):
    """Return the optimum of the problem with penalty lam times the number of nonzeros."""
    return max(
        float(np.linalg.eigvalsh(S[np.ix_(W, W)])[-1] - lam * size)
        for size in range(1, len(S) + 1)
        for W in combinations(range(len(S)), size)
    )


def _right_side(S, lam, seed, count=200):
    """Return the largest sum of ((a_i'xi)^2 - lam)_+ over unit xi, by ascent from many starts.

    For fixed xi, the sum is over the i with (a_i'xi)^2 > lam; for a fixed set of i, the best xi is
    a leading left singular vector of the columns a_i. Neither step can decrease the sum.
    """
    w, V = np.linalg.eigh(S)
    # a Sigma of rank 2 has four eigenvalues that consist of rounding errors only
    positive = w > 1e-12 * w[-1]
    A = np.sqrt(w[positive])[:, None] * V.T[positive]  # S = A'A
    a = (A / np.linalg.norm(A, axis=0)).T
    i, j = np.triu_indices(len(a), 1)
    random = np.random.default_rng(seed).standard_normal((count, len(A)))
    # from many xi, because an ascent can end at a local maximum, and the identity is about the
    # global one
    return max(_ascent(A, xi, lam) for xi in np.vstack([a, a[i] + a[j], a[i] - a[j], random]))


def _ascent(A, xi, lam):
    """Return the sum at the end of the ascent from xi."""
    reached = -1.0
    xi = xi / np.linalg.norm(xi)
    while True:
        gains = np.maximum((A.T @ xi) ** 2 - lam, 0.0)
        # no term exceeds lambda, so psi is zero
        if gains.sum() <= reached * (1.0 + 1e-12) or not gains.any():
            return max(reached, 0.0)
        reached = float(gains.sum())
        xi = np.linalg.svd(A[:, gains > 0.0])[0][:, 0]


def _relaxation(S, lam):
    """Return a value that the relaxation attains, and an upper bound on its optimum."""
    # 1e-9, because differences of 1e-6 are judged
    result = api.solve(Problem.from_covariance(S), SDP, rho=lam, solver="CLARABEL", eps=1e-9)
    return result.relaxation_value, result.relaxation_bound


def instances(table):
    """Return the random covariances, with differences of optima over the largest variance."""
    rows = table[table.label == "instance"]
    names = ["removed", "change", "fall", "error"]
    numbers = [(e["removed"], *(d / e["unit"] for d in _differences(e))) for e in rows.extra]
    return rows.assign(**pd.DataFrame(numbers, rows.index, names))


def _differences(extra):
    """Return the change of the l0 optimum, the fall of the relaxation's, and the error of psi."""
    with_all, left = extra["l0"]
    # the value for all variables and the bound for the survivors are both certified, so a positive
    # difference is a proof
    value, *_, bound_of_left = extra["l1"]
    return with_all - left, value - bound_of_left, extra["identity"] - with_all


# what is claimed (nothing of it is drawn)

BRUTE_FORCE: dict[str, Any] = dict(
    kind="theorem",
    unit="",
    rule=claims.at_most(SAME),
    primary="brute force",
    why="every support is tried",
)


def together(rows, value, reading):
    """Return a single number for all instances."""
    return claims.numbers(rows, {f"{len(rows)} random covariances": value}, reading=reading)


@claim(
    "Z9",
    "section 2, theorem 2.1",
    "we can safely remove feature i in {1, ..., n} if Sigma_ii = a_i^T a_i < lambda",
    measures="difference of the optima of the l0-penalised problem (2) with and without the "
    "features of smaller variance / the largest variance",
    **BRUTE_FORCE,
)
def Z9(data):
    """Compare the optima where a variable was removed; otherwise, they are equal by definition."""
    cut = data.instances[data.instances.removed > 0]
    return together(cut, cut.change.abs().max(), Z9.primary)


@claim(
    "Z9b",
    "section 3, said of problem (1)",
    "Thanks to the feature elimination result (Thm. 2.1), we can always assume without loss of "
    "generality that lambda < sigma_min^2 := min Sigma_ii",
    measures="instances whose certified optimum of the relaxation (1) falls when the features of "
    "smaller variance are removed",
    unit="instances",
    rule=claims.below(1),
    null=100.0,  # the feature of largest variance is removed, so the optimum falls in all
    primary="interior point",
    why="problem (1) is the relaxation; one instance is enough to refute 'always'",
    changed="first tested only with full rank, where large penalties leave a single variable",
    because="In each of these instances, a removed feature has a covariance above lambda with "
    "another one, so that X_ij gains more than it costs; in the others, this is rare.",
)
def Z9b(data):
    """Count the instances where a variable was removed and the optimum fell."""
    cut = data.instances[data.instances.removed > 0]
    return together(cut, (cut.fall > SAME).sum(), Z9b.primary)


Z13 = claim(
    "Z13",
    "section 2, theorem 2.1",
    "psi = max over ||xi||_2 = 1 of sum_{i=1}^n ((a_i^T xi)^2 - lambda)_+",
    measures="difference of psi of problem (2), by brute force, and the largest right side that "
    "ascent from many xi reaches / the largest variance",
    rows=lambda data: together(data.instances, data.instances.error.abs().max(), "brute force"),
    **BRUTE_FORCE,
)
