"""Asteris, Papailiopoulos, Dimakis (2014), Algorithms 1 and 3 compared with brute force: share of
the optimum.

The components are nonnegative. The value is x'Ax divided by the optimum, which brute force finds
for n = 10 and k = 4. The matrices are random and positive semidefinite: Gaussian matrices A = X'X
of full rank, to which the algorithms are applied with d = 1, 2 and 3; matrices of rank d; and
matrices A = sigma I + C, where C has rank d. In the last case, Algorithm 1 is applied to C, as the
paper says. Ticks show the guarantee of Theorem 1 (Theorem 2 for Algorithm 3, with eps = 0.1).
"""

from typing import Any

import numpy as np

from spcabench import claims
from spcabench.claims import claim
from spcabench.run import Run
from spcabench.showing.style import look

PANELS, SIZE = (1, 1), (7.6, 4.4)
# brute force tries all 210 supports of 4 out of 10 variables for hundreds of matrices
N, K, EPS = 10, 4, 0.1
EXACT, ALGORITHM_1, ALGORITHM_3 = "brute_force", "spannogram_exact", "spannogram"
# column of the picture -> solver, label and d
CASES: dict[str, tuple[str, str, int | None]] = {
    "Alg. 1\nd = 1": (ALGORITHM_1, "full rank", 1),
    "Alg. 1\nd = 2": (ALGORITHM_1, "full rank", 2),
    "Alg. 1\nd = 3": (ALGORITHM_1, "full rank", 3),
    "Alg. 3\nd = 3": (ALGORITHM_3, "full rank", 3),
    "A of\nrank d": (ALGORITHM_1, "rank d", None),
    r"$\sigma I$ +" + "\nrank d": (ALGORITHM_1, "sigma I + rank d", None),
}


# what runs


def runs(scale):
    """Compute values on small matrices."""
    paper = scale == "paper"
    for seed in range(50 if paper else 6):
        full: dict[str, Any] = dict(dataset="gaussian", parameters=dict(m=2 * N, n=N, seed=seed))
        # rho_d of the theorem is computed from the spectrum
        yield Run(**full, function=eigenvalues)
        yield from values(full, "full rank", seed, (1, 2, 3))
        # Algorithm 3 is random, so its guarantee is a probability over samples
        for again in range(20 if paper else 5):
            yield _run(full, ALGORITHM_3, "full rank", again, d=3, eps=EPS, k=K)
        for d in (1, 2, 3):
            low = dict(n=N, rank=d, seed=seed)
            yield from values(dict(dataset="low_rank", parameters=low), "rank d", seed, (d,))
            shifted = dict(dataset="low_rank", parameters=low | dict(sigma=2.0))
            yield from values(shifted, "sigma I + rank d", seed, (d,), shift=True)


def values(problem, label, seed, ranks, **settings):
    """Run brute force, and Algorithm 1 with each d."""
    yield _run(problem, EXACT, label, seed, k=K)
    for d in ranks:
        yield _run(problem, ALGORITHM_1, label, seed, d=d, k=K, **settings)


def _run(problem, solver, label, seed, **settings):
    settings = dict(nonnegative=True, **settings)
    return Run(**problem, solver=solver, settings=settings, seed=seed, label=label)


def eigenvalues(problem, *, seed):
    """Return all eigenvalues in descending order."""
    return {"w": problem.covariance.leading_pairs(problem.n)[0].clip(0).tolist()}


def data(table):
    """Return the runs of Algorithms 1 and 3.

    d, k : as set. ratio : variance divided by the optimum. rho : the guarantee of Theorem 1, for
    matrices of full rank. promised : rho over the ratio; NaN if a run of Algorithm 1 gave no
    answer, because the largest of the other values does not bound its value.
    """
    table = table.assign(
        d=[s.get("d", 0) for s in table.settings],
        # identifies the problem, so it does not contain the seed of Algorithm 3's samples
        key=[f"{row.dataset} {sorted(row.parameters.items())}" for row in table.itertuples()],
    )
    brute = table[table.solver == EXACT]
    optimum = brute.groupby("key")[["variance", "row"]].first()
    spectra = table[table.measure == eigenvalues.__name__].set_index("key")
    rows = table[table.solver.isin([ALGORITHM_1, ALGORITHM_3])]
    rhos = [
        rho(spectra.extra[row.key]["w"], row.d) if row.key in spectra.index else np.nan
        for row in rows.itertuples()
    ]
    rows = rows.assign(
        ratio=rows.variance / rows.key.map(optimum.variance).astype(float),
        rho=np.array(rhos, dtype=float),
        row_optimum=rows.key.map(optimum.row),
        row_spectrum=rows.key.map(spectra.row),
    )
    # Algorithm 1 runs with three values of d on a matrix of full rank, and otherwise with one
    requested = len(brute) + 2 * (brute.label == "full rank").sum()
    exact = (rows.solver == ALGORITHM_1) & rows.label.isin(set(brute.label))
    complete = exact.sum() == requested
    return rows.assign(promised=rows.rho / rows.ratio if complete else np.nan)


def rho(w, d):
    """Return the lower bound on rho_d from Theorem 1."""
    return max(K / (2 * N), 1.0 / (1.0 + 2.0 * N / K * w[d] / w[0]))


# what is drawn


def draw(data, axes):
    """Plot the share of the optimum for each matrix, and the guarantees."""
    axis = axes.flat[0]
    for place, (solver, label, d) in enumerate(CASES.values()):
        rows = data[(data.solver == solver) & (data.label == label)]
        rows = rows if d is None else rows[rows.d == d]
        # spread out, because fifty equal values would look like a single dot
        across = place + np.linspace(-0.3, 0.3, len(rows))
        axis.plot(across, rows.ratio, ".", color=look(solver)["color"], alpha=0.6, markersize=4)
        promised = rows.rho * (1.0 - EPS if solver == ALGORITHM_3 else 1.0)
        name = None if place else "guarantee (theorems 1 and 2)"
        axis.plot(across, promised, "_", color="black", markersize=4, alpha=0.7, label=name)
    axis.set(ylim=(0.0, 1.05), ylabel="share of the optimum $x^T A x / x_*^T A x_*$")
    axis.set_title(f"the guarantee of Theorem 1 is {A12.told(data)} what Algorithm 1 reaches")
    axis.set_xticks(range(len(CASES)), list(CASES))
    axis.grid(axis="x", visible=False)
    axis.legend(loc="lower right")


# what is claimed


@claim(
    "A12",
    "section 1, equations (3) and (4)",
    "x_d'A x_d >= rho_d x*'A x*, rho_d >= max{k/2n, 1/(1 + 2 (n/k) lambda_{d+1}/lambda_1)}",
    kind="theorem",
    measures="rho_d over the share of the optimum (brute force) that Algorithm 1 reaches, maximum "
    "over all matrices",
    unit="times",
    rule=claims.at_most(1),
    at=claims.every("values of d"),
)
def A12(data):
    """Use matrices of full rank, because the approximation is exact if A has rank d."""
    rows = data[(data.label == "full rank") & (data.solver == ALGORITHM_1)]
    return claims.each(rows, "d", "promised", "d = {:g}", how="max")
