"""Safe elimination on random covariances: claims Z9 and Z9b of Zhang and El Ghaoui (2011)."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from spcabench import Problem, api, claims
from spcabench.claims import claim, meaning
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
        # the cause of Z9b
        "strongest": _strongest(S, d < lam) / lam,
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


def _relaxation(S, lam):
    """Return a value that the relaxation attains, and an upper bound on its optimum."""
    # 1e-9, because differences of 1e-6 are judged
    result = api.solve(
        Problem.from_covariance(S), SDP, settings={"rho": lam, "solver": "CLARABEL", "eps": 1e-9}
    )
    return result.relaxation_value, result.relaxation_bound


def instances(table):
    """Return the random covariances, with differences of optima over the largest variance."""
    rows = table[table.label == "instance"]
    names = ["removed", "change", "fall"]
    numbers = [(e["removed"], *(d / e["unit"] for d in _differences(e))) for e in rows.extra]
    return rows.assign(**pd.DataFrame(numbers, rows.index, names))


def _differences(extra):
    """Return the change of the l0 optimum, and the fall of the relaxation's."""
    with_all, left = extra["l0"]
    # the value for all variables and the bound for the survivors are both certified, so a positive
    # difference is a proof
    value, *_, bound_of_left = extra["l1"]
    return with_all - left, value - bound_of_left


# what is claimed (nothing of it is drawn)


def together(rows, value):
    """Return a single number for all instances."""
    return claims.numbers(rows, {f"{len(rows)} random covariances": value})


@claim(
    "Z9",
    "section 2, theorem 2.1",
    "we can safely remove feature i in {1, ..., n} if Sigma_ii = a_i^T a_i < lambda",
    kind="theorem",
    measures="difference of the optima of the l0-penalised problem (2) with and without the "
    "features of smaller variance, by brute force / the largest variance",
    unit="",
    rule=claims.at_most(SAME),
)
def Z9(data):
    """Compare the optima where a variable was removed; otherwise, they are equal by definition."""
    cut = data.instances[data.instances.removed > 0]
    return together(cut, cut.change.abs().max())


@claim(
    "Z9b",
    "section 3, said of problem (1)",
    "Thanks to the feature elimination result (Thm. 2.1), we can always assume without loss of "
    "generality that lambda < sigma_min^2 := min Sigma_ii",
    measures="instances whose certified optimum of the relaxation (1) falls when the features of "
    "smaller variance are removed",
    unit="instances",
    rule=meaning.LESS,
    null=100.0,  # the feature of largest variance is removed, so the optimum falls in all
    changed="first tested only with full rank, where large penalties leave a single variable",
    because="As a relaxation of (2), as section 2 has it, the removal is safe (Z9), and the lower "
    "value is the tighter bound. For (1) itself, Sigma = [[10, 3], [3, 1]] and lambda = 2 give "
    "8.11 with the second feature and 8 without it: a covariance above lambda gains more than "
    "it costs.",
)
def Z9b(data):
    """Count the instances where a variable was removed and the optimum fell."""
    cut = data.instances[data.instances.removed > 0]
    return together(cut, (cut.fall > SAME).sum())
