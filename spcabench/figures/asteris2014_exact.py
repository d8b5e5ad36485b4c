"""Asteris, Papailiopoulos, Dimakis (2014), Algorithms 1 and 3 compared with brute force: share of
the optimum.

The components are nonnegative. The value is x'Ax divided by the optimum, which brute force finds
for n = 10 and k = 4. The matrices are random and positive semidefinite: Gaussian matrices A = X'X
of full rank, to which the algorithms are applied with d = 1, 2 and 3; matrices of rank d; and
matrices A = sigma I + C, where C has rank d. In the last case, Algorithm 1 is applied to C, as the
paper says; the last column shows the results on A itself. Ticks show the guarantee of Theorem 1
(Theorem 2 for Algorithm 3, with eps = 0.1). Candidate supports and flops, which are not drawn, are
also measured on larger Gaussian matrices with k = 10 and k = n/4. Flops exclude the eigenvectors
and, by the suite's rule for flops, sorting.
"""

from functools import partial
from math import comb
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from spcabench import claims
from spcabench.claims import claim
from spcabench.run import Run
from spcabench.showing.style import look
from spcabench.showing.words import number

PANELS, SIZE = (1, 1), (7.6, 4.4)
# brute force tries all 210 supports of 4 out of 10 variables for hundreds of matrices
N, K, EPS = 10, 4, 0.1
EXACT, ALGORITHM_1, ALGORITHM_3 = "brute_force", "spannogram_exact", "spannogram"
LOW = {"rank d": "rank d", "sigma I + rank d": "sigma I + C"}  # label -> place
# column of the picture -> solver, label and d
CASES: dict[str, tuple[str, str, int | None]] = {
    "Alg. 1\nd = 1": (ALGORITHM_1, "full rank", 1),
    "Alg. 1\nd = 2": (ALGORITHM_1, "full rank", 2),
    "Alg. 1\nd = 3": (ALGORITHM_1, "full rank", 3),
    "Alg. 3\nd = 3": (ALGORITHM_3, "full rank", 3),
    "A of\nrank d": (ALGORITHM_1, "rank d", None),
    r"$\sigma I$ +" + "\nrank d": (ALGORITHM_1, "sigma I + rank d", None),
    r"$\sigma I$ + rank d," + "\non A": (ALGORITHM_1, "sigma I + rank d, on A", None),
}


# what runs


def runs(scale):
    """Compute values on small matrices, and candidates and flops on growing matrices."""
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
            # the theorem is about C; there is no guarantee if the algorithm is applied to A itself
            yield _run(shifted, ALGORITHM_1, "sigma I + rank d, on A", seed, d=d, k=K)
    # for k = n/4 and d = 3, n^d k^d is proportional to n^6, so the sizes depend on d
    growing = {2: (100, 200, 400, 1000), 3: (30, 60, 100, 200)}
    for d, sizes in (growing if paper else {2: (50, 100, 200), 3: (15, 30, 60)}).items():
        for n in sizes:
            # one matrix per size, because flops hardly depend on the entries
            grown = dict(dataset="gaussian", parameters=dict(m=2 * n, n=n, seed=0))
            for of, k in (("10", 10), ("n/4", n // 4)):
                yield _run(grown, ALGORITHM_1, f"growth {of}", 0, d=d, k=k)
    for n in (1000, 2000, 4000, 8000, 16000) if paper else (500, 1000, 2000):
        # few samples suffice, because Algorithm 3 uses only three eigenvectors
        wide = dict(dataset="gaussian", parameters=dict(m=50, n=n, seed=0))
        for of, k in (("10", 10), ("n/4", n // 4)):
            yield _run(wide, ALGORITHM_3, f"growth {of}", 0, d=3, eps=EPS, k=k)


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
    """Return the runs of Algorithms 1 and 3, those on small matrices, and those on growing ones.

    d, k : as set. ratio : variance divided by the optimum. rho : the guarantee of Theorem 1, for
    matrices of full rank. of : the rule for k on growing matrices, "10" or "n/4". The columns of
    Algorithm 1 for claims are `used`, `promised` and `away`; they are NaN if a run on a small
    matrix gave no answer, because the largest of the other values does not bound its value.
    """
    table = table.assign(
        d=[s.get("d", 0) for s in table.settings],
        k=[s.get("k", 0) for s in table.settings],
        # identifies the problem, so it does not contain the seed of Algorithm 3's samples
        key=[f"{row.dataset} {sorted(row.parameters.items())}" for row in table.itertuples()],
    )
    brute = table[table.solver == EXACT]
    optimum = brute.groupby("key").variance.first()
    spectra = table[table.measure == eigenvalues.__name__].set_index("key").extra
    rows = table[table.solver.isin([ALGORITHM_1, ALGORITHM_3])]
    grown = rows.label.str.startswith("growth")
    rhos = [
        rho(spectra[row.key]["w"], row.d) if row.key in spectra else np.nan
        for row in rows.itertuples()
    ]
    rows = rows.assign(
        ratio=rows.variance / rows.key.map(optimum).astype(float),
        rho=np.array(rhos, dtype=float),
        of=rows.label.str.removeprefix("growth ").where(grown),
    )
    exact = rows[rows.solver == ALGORITHM_1]
    most = [2**d * comb(int(n) + 1, d) for n, d in zip(exact.n, exact.d, strict=True)]
    # Algorithm 1 runs with three values of d on a matrix of full rank, and otherwise with one
    requested = len(brute) + 2 * (brute.label == "full rank").sum()
    complete = exact.label.isin(set(brute.label)).sum() == requested
    exact = exact.assign(
        used=[extra.get("candidates", np.nan) for extra in exact.extra] / np.array(most),
        promised=exact.rho / exact.ratio,
        away=(exact.ratio - 1).abs(),
    )
    if not complete:
        exact = exact.assign(used=np.nan, promised=np.nan, away=np.nan)
    return SimpleNamespace(exact=exact, sampled=rows[rows.solver == ALGORITHM_3])


def rho(w, d):
    """Return the lower bound on rho_d from Theorem 1."""
    return max(K / (2 * N), 1.0 / (1.0 + 2.0 * N / K * w[d] / w[0]))


# what is drawn


def draw(data, axes):
    """Plot the share of the optimum for each matrix, and the guarantees."""
    axis, both = axes.flat[0], pd.concat([data.exact, data.sampled])
    for place, (solver, label, d) in enumerate(CASES.values()):
        rows = both[(both.solver == solver) & (both.label == label)]
        rows = rows if d is None else rows[rows.d == d]
        # spread out, because fifty equal values would look like a single dot
        across = place + np.linspace(-0.3, 0.3, len(rows))
        axis.plot(across, rows.ratio, ".", color=look(solver)["color"], alpha=0.6, markersize=4)
        promised = rows.rho * (1.0 - EPS if solver == ALGORITHM_3 else 1.0)
        name = None if place else "guarantee (theorems 1 and 2)"
        axis.plot(across, promised, "_", color="black", markersize=4, alpha=0.7, label=name)
    axis.set(ylim=(0.0, 1.05), ylabel="share of the optimum $x^T A x / x_*^T A x_*$")
    axis.set_title(f"Theorem 1 promises at most {A12.told(data)} what Algorithm 1 reaches")
    axis.set_xticks(range(len(CASES)), list(CASES))
    axis.grid(axis="x", visible=False)
    axis.legend(loc="lower right")


# what is claimed

MINE, SAMPLED = "Algorithm 1", "Algorithm 3"
# theorems are not claims about data: a run either agrees with them or reveals a bug
theorem = partial(
    claim,
    kind="theorem",
    primary=MINE,
    at=claims.every("d"),
    why=f"the theorem is on {MINE}",
)


def by_rank(rows, column):
    """Return the largest value for each d."""
    return claims.each(rows, "d", column, "d = {:g}", how="max", reading=MINE)


A11 = theorem(
    "A11",
    "section 2, step 2",
    "a collection S_d of support sets, with cardinality |S_d| <= 2^d C(n+1, d)",
    measures="candidate supports that Algorithm 1 meets / 2^d C(n+1, d), maximum over all matrices",
    unit="times",
    rule=claims.at_most(1),
    rows=lambda data: by_rank(data.exact, "used"),
)


@theorem(
    "A12",
    "section 1, equations (3) and (4)",
    "x_d'A x_d >= rho_d x*'A x*, rho_d >= max{k/2n, 1/(1 + 2 (n/k) lambda_{d+1}/lambda_1)}",
    measures="rho_d over the share of the optimum (brute force) that Algorithm 1 reaches, maximum "
    "over all matrices",
    unit="times",
    rule=claims.at_most(1),
)
def A12(data):
    """Use matrices of full rank, because the approximation is exact if A has rank d."""
    rows = data.exact[data.exact.label == "full rank"]
    least = [
        f"d = {d}: at least {number(share, 'share')} of the optimum."
        for d, share in rows.groupby("d").ratio.min().items()
    ]
    return claims.noted(by_rank(rows, "promised"), *least)


@theorem(
    "A15",
    "section 1, exact solution for low-rank matrices",
    "if the matrix A has rank d, our algorithm returns the optimal k-sparse PC for any target "
    "sparsity k. The same holds in the case of the rank-d update matrix A = sigma I + C",
    measures="|variance of Algorithm 1 / optimum (brute force) - 1|, maximum over all matrices",
    unit="",
    rule=claims.at_most(1e-6),
    at=claims.every("kinds of matrix"),
    why="sigma I + C is solved through C, as the paper says",
)
def A15(data):
    """Judge each kind of matrix."""
    rows = data.exact[data.exact.label.isin([*LOW])]
    return claims.each(rows, "label", "away", LOW.__getitem__, how="max", reading=MINE)


@theorem(
    "A16",
    "section 6, theorem 2",
    "Alg. 3 outputs x with x'A x >= (1 - eps) rho_d x*'A x*, with probability at least 1 - 1/n, in "
    "time O(eps^-d n log n) plus the time to compute the d leading eigenvectors of A",
    measures="share of runs that reach (1 - eps) rho_d of the optimum (brute force), n = 10",
    unit="share",
    rule=claims.at_least(1 - 1 / N),
    also=[
        claims.Part(
            "time",
            "exponent of exact flops / log n against n",
            "",
            claims.at_most(1.1),
            claims.every("k"),
        )
    ],
    primary=SAMPLED,
    why=f"the theorem is on {SAMPLED}",
)
def A16(data):
    """Judge the share on small matrices, and the flops on growing ones."""
    # without brute force or the eigenvalues of a matrix, nobody knows whether its runs suffice
    small = data.sampled[data.sampled.label == "full rank"].dropna(subset=["ratio", "rho"])
    # 1e-9, because rounding can miss a guarantee that is attained with equality
    small = small.assign(kept=small.ratio >= (1 - EPS) * small.rho * (1 - 1e-9))
    yield claims.one(small, "kept", f"n = {N}", seed="key", over="matrices", reading=SAMPLED)
    for k, rows in data.sampled.groupby("of"):
        growth = {f"k = {k}": claims.slope(rows.n, rows.flops / np.log(rows.n))}
        yield claims.numbers(rows, growth, reading=SAMPLED, part="time")


@theorem(
    "A18",
    "section 1",
    "our algorithm runs in time O(n^d k^d + n^{d+1})",
    measures="exponent of exact flops against n^d k^d + n^{d+1}, k = 10 and k = n/4, without the "
    "eigenvectors",
    unit="",
    rule=claims.at_most(1.1),
)
def A18(data):
    """Fit the growth of the flops for each d."""
    for d, rows in data.exact[data.exact.of.notna()].groupby("d"):
        n, k = rows.n.astype(float), rows.k.astype(float)
        growth = {f"d = {d}": claims.slope(n**d * k**d + n ** (d + 1), rows.flops)}
        yield claims.numbers(rows, growth, float(d), reading=MINE)
