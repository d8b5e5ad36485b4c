"""Generalized power method for several components at once (block GPower, l1 and l0 penalty).

Journee, Nesterov, Richtarik, Sepulchre (2010), Algorithms 4 and 5: maximise sum_ij [mu_j |a_i'x_j|
- gamma_j]_+^2 over X (m, q) with orthonormal columns or, with the l0 penalty, sum_ij [(mu_j
a_i'x_j)^2 - gamma_j]_+.

Differences from the paper:

1. gamma is absolute: gamma_j is mu_j gamma, or (mu_j gamma)^2 for the l0 penalty. Therefore, for
   one component, the method equals single-unit GPower.
2. mu_j is 1 / j, so rotating the components changes the objective.
3. The solver does not refit its answer; the harness does on request.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.steps import polar
from spcabench.vectors import hard_threshold, normalize, soft_threshold

TRAITS = Traits(
    control="penalty",
    accepts="data",
    penalty="gamma",
    components="joint",
    same_for_one="gpower1",
)
FACTS = Facts(
    paper_of="gpower1",
    cost="m n q + m k q",
    reproduced="none: for one component it equals gpower0 and gpower1",
)
COLOUR = "#17A2B8"
EXAMPLE = dict(k=10)
NORMS = ("l1", "l0")


def penalty_range(problem):
    """Return a range of l1 penalties over which the first component's cardinality drops to 1."""
    top = float(problem.data.squared_norms().max()) ** 0.5
    return 1e-6 * top, top


def solve(problem, *, gamma: float, components: int = 1, norm: str = "l1", seed: int = 0):
    """Yield the first component x (n,) and all components Z (n, q), with unit columns.

    gamma : threshold of |a_i'x_j|; with norm="l0", the square root of the threshold of (a_i'x_j)^2.
    components : the number q of components, at most the number of samples.
    """
    if norm not in NORMS or not 1 <= components <= problem.m:
        raise InputError(
            f"norm, components: {norm!r}, {components}; choose from {NORMS} and 1 to {problem.m}"
        )
    A = problem.data  # (m, n)
    mu = 1.0 / np.arange(1.0, components + 1.0)
    others = np.random.default_rng(seed).standard_normal((problem.m, components - 1))
    X = (
        polar(np.column_stack([A.largest_column(), others]))
        if components > 1
        else A.largest_column()[:, None]
    )
    while True:
        P = np.column_stack([A.T @ x for x in X.T])  # (n, q)
        T = mu * (soft_threshold(P, gamma) if norm == "l1" else hard_threshold(P, gamma**2))
        penalty = (
            0.0 if norm == "l1" else gamma**2 * float((mu**2 * np.count_nonzero(T, axis=0)).sum())
        )
        Z = np.column_stack([normalize(t) for t in T.T])
        yield Iterate(Z[:, 0], Z=Z, extra={"objective": float((T * T).sum()) - penalty})
        X = polar(mu * A.products(T))
