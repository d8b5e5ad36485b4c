"""Asteris, Papailiopoulos, Dimakis (2014), Algorithms 1 to 3 compared with brute force: value,
candidate supports and cost.

The components are nonnegative. The value is x'Ax divided by the optimum, which brute force finds
for n = 10 and k = 4. The matrices are random and positive semidefinite: Gaussian matrices A = X'X
of full rank, to which the algorithms are applied with d = 1, 2 and 3; matrices of rank d; and
matrices A = sigma I + C, where C has rank d. In the last case, Algorithm 1 is applied to C, as the
paper says; a note lists the results on A itself. Ticks show the guarantee of Theorem 1 (Theorem 2
for Algorithm 3, with eps = 0.1). Numbers of candidates and flops are measured on Gaussian matrices
with k = 10 and k = n/4. Flops exclude the eigenvectors and, by the suite's rule for flops, sorting.
Algorithm 3 draws 50 samples. Times are those of single runs on a busy machine, so the verdicts are
based on flops.
"""

from functools import partial
from math import comb
from typing import Any

import numpy as np

from spcabench import claims
from spcabench.claims.words import number
from spcabench.run import Run
from spcabench.style import legend_below, look, plain_log_ticks

PANELS, SIZE = (2, 2), (11.5, 8.6)
# brute force tries all 210 supports of 4 out of 10 variables for hundreds of matrices
N, K, EPS = 10, 4, 0.1
NAMES = {"spannogram_exact": "Alg. 1", "spannogram": "Alg. 3, $d = 3$"}
MARKERS = {1: "s", 2: "o", 3: "^"}
EXACT = "brute_force"
LOW = {"rank d": "rank d", "sigma I + C": "sigma I + rank d"}  # place -> label

MINE, SAMPLED = "Algorithm 1", "Algorithm 3"
# theorems are not claims about data: a run either agrees with them or reveals a bug
theorem = partial(
    claims.Statement,
    kind="theorem",
    primary=MINE,
    over=claims.every("d"),
    why=f"the theorem is on {MINE}",
)

A11 = theorem(
    "A11",
    where="section 2, step 2",
    quote="a collection S_d of support sets, with cardinality |S_d| <= 2^d C(n+1, d)",
    measures="candidate supports that Algorithm 1 meets / 2^d C(n+1, d), maximum over all matrices",
    unit="times",
    rule=claims.at_most(1),
)


@A11.measured
def _candidates(data):
    rows = data[data.solver == "spannogram_exact"]
    rows = rows.assign(used=rows.candidates / rows.most)
    yield claims.Reading(MINE, _by_rank(rows, "used"), rows)


A12 = theorem(
    "A12",
    where="section 1, equations (3) and (4)",
    quote="x_d'A x_d >= rho_d x*'A x*, rho_d >= max{k/2n, 1/(1 + 2 (n/k) lambda_{d+1}/lambda_1)}",
    measures="rho_d over the share of the optimum (brute force) that Algorithm 1 reaches, maximum "
    "over all matrices",
    unit="times",
    rule=claims.at_most(1),
)


@A12.measured
def _guaranteed(data):
    # if A has rank d, the approximation is exact, so only matrices of full rank are used
    rows = data[(data.solver == "spannogram_exact") & (data.label == "full rank")]
    rows = rows.assign(promised=rows.rho / rows.ratio)
    notes = [
        f"d = {d}: at least {number(part.ratio.min(), 'share')} of the optimum; rho_d is at most "
        f"{number(part.rho.max(), 'share')}."
        for d, part in rows.groupby("d")
    ]
    yield claims.Reading(MINE, _by_rank(rows, "promised"), rows, notes)


A15 = theorem(
    "A15",
    where="section 1, exact solution for low-rank matrices",
    quote="if the matrix A has rank d, our algorithm returns the optimal k-sparse PC for any "
    "target sparsity k. The same holds in the case of the rank-d update matrix A = sigma I + C",
    measures="|variance of Algorithm 1 / optimum (brute force) - 1|, maximum over all matrices",
    unit="",
    rule=claims.at_most(1e-6),
    over=claims.every("kinds of matrix"),
    why="sigma I + C is solved through C, as the paper says",
)


@A15.measured
def _optimal(data):
    rows = data[(data.solver == "spannogram_exact") & data.label.isin(LOW.values())]
    away = rows.assign(away=(rows.ratio - 1).abs()).groupby("label").away.max()
    places = [
        claims.Place(name, _all_there(rows, away.get(label, np.nan))) for name, label in LOW.items()
    ]
    # shows the consequence of overlooking that the algorithm must be applied to C
    on_A = data[data.label == "sigma I + rank d, on A"].ratio
    note = f"Applied to sigma I + C itself, it may be as low as {number(on_A.min(), 'share')}."
    yield claims.Reading(MINE, places, rows, [note])


A16 = theorem(
    "A16",
    where="section 6, theorem 2",
    quote="Alg. 3 outputs x with x'A x >= (1 - eps) rho_d x*'A x*, with probability at least 1 - "
    "1/n, in time O(eps^-d n log n) plus the time to compute the d leading eigenvectors of A",
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


@A16.measured
def _sampled(data):
    rows = data[data.solver == "spannogram"]
    small = rows[rows.label == "full rank"]
    # 1e-9, because rounding can miss a guarantee that is attained with equality
    small = small.assign(kept=small.ratio >= (1 - EPS) * small.rho * (1 - 1e-9))
    share = claims.share(small, "kept", over="key", called="matrices")
    growth = [
        claims.Place(
            f"k = {k}", claims.exact(claims.slope(part.n, part.flops / np.log(part.n))), part="time"
        )
        for k, part in _grown(rows).groupby("of")
    ]
    yield claims.Reading(SAMPLED, [claims.Place(f"n = {N}", share), *growth], rows)


A18 = theorem(
    "A18",
    where="section 1",
    quote="our algorithm runs in time O(n^d k^d + n^{d+1})",
    measures="exponent of exact flops against n^d k^d + n^{d+1}, k = 10 and k = n/4, without the "
    "eigenvectors",
    unit="",
    rule=claims.at_most(1.1),
)


@A18.measured
def _growth(data):
    rows = _grown(data[data.solver == "spannogram_exact"])
    n, k = rows.n.astype(float), rows.k.astype(float)
    rows = rows.assign(cost=n**rows.d * k**rows.d + n ** (rows.d + 1))
    places = claims.places(
        rows, "d", lambda part: claims.exact(claims.slope(part.cost, part.flops)), "d = {:g}"
    )
    yield claims.Reading(MINE, places, rows)


def _by_rank(rows, column):
    """Return the largest value for each d, as places."""
    return claims.places(rows, "d", lambda part: _all_there(rows, part[column].max()), "d = {:g}")


def _all_there(rows, value):
    """Return a number over all matrices; NaN if a run of Algorithm 1 returned no answer."""
    # the largest value over the finished runs does not bound the values of the unfinished runs
    return claims.exact(np.nan if rows.missing.iloc[0] else value)


def _grown(rows):
    """Return the runs on matrices of increasing size.

    of : the rule for k, "10" or "n/4".
    """
    rows = rows[rows.label.str.startswith("growth")]
    return rows.assign(of=rows.label.str.partition(" ")[2])


def runs(scale):
    """Compute values on small matrices, and candidates, flops and times on growing matrices."""
    paper = scale == "paper"
    for seed in range(50 if paper else 6):
        full: dict[str, Any] = dict(dataset="gaussian", parameters=dict(m=2 * N, n=N, seed=seed))
        # rho_d of the theorem is computed from the spectrum
        yield Run(**full, function=eigenvalues)
        yield from values(full, "full rank", seed, (1, 2, 3))
        # Algorithm 3 is random, so its guarantee is a probability over samples
        for again in range(20 if paper else 5):
            yield _run(full, "spannogram", "full rank", again, d=3, eps=EPS, k=K)
        for d in (1, 2, 3):
            low = dict(n=N, rank=d, seed=seed)
            yield from values(dict(dataset="low_rank", parameters=low), "rank d", seed, (d,))
            shifted = dict(dataset="low_rank", parameters=low | dict(sigma=2.0))
            yield from values(shifted, "sigma I + rank d", seed, (d,), shift=True)
            # the theorem is about C; there is no guarantee if the algorithm is applied to A itself
            yield _run(shifted, "spannogram_exact", "sigma I + rank d, on A", seed, d=d, k=K)
    # for k = n/4 and d = 3, n^d k^d is proportional to n^6, so the sizes depend on d
    growing = {2: (100, 200, 400, 1000), 3: (30, 60, 100, 200)}
    for d, sizes in (growing if paper else {2: (50, 100, 200), 3: (15, 30, 60)}).items():
        for n in sizes:
            # one matrix per size, because flops hardly depend on the entries
            grown = dict(dataset="gaussian", parameters=dict(m=2 * n, n=n, seed=0))
            for of, k in (("10", 10), ("n/4", n // 4)):
                yield _run(grown, "spannogram_exact", f"growth {of}", 0, d=d, k=k)
    for n in (1000, 2000, 4000, 8000, 16000) if paper else (500, 1000, 2000):
        # few samples suffice, because Algorithm 3 uses only three eigenvectors
        wide = dict(dataset="gaussian", parameters=dict(m=50, n=n, seed=0))
        for of, k in (("10", 10), ("n/4", n // 4)):
            yield _run(wide, "spannogram", f"growth {of}", 0, d=3, eps=EPS, k=k)


def values(problem, label, seed, ranks, **settings):
    """Run brute force, and Algorithm 1 with each d."""
    yield _run(problem, EXACT, label, seed, k=K)
    for d in ranks:
        yield _run(problem, "spannogram_exact", label, seed, d=d, k=K, **settings)


def _run(problem, solver, label, seed, **settings):
    settings = dict(nonnegative=True, **settings)
    return Run(**problem, solver=solver, settings=settings, seed=seed, label=label)


def eigenvalues(problem, *, seed):
    """Return all eigenvalues in descending order."""
    return {"w": problem.covariance.leading_pairs(problem.n)[0].clip(0).tolist()}


def data(table):
    """Return one row per run with d, the fraction of the optimum, and the guarantee of Theorem 1.

    rho : the guarantee; NaN for matrices that do not have full rank.
    """
    table = table.assign(
        d=[s.get("d", 0) for s in table.settings],
        k=[s.get("k", 0) for s in table.settings],
        key=[f"{row.dataset} {sorted(row.parameters.items())}" for row in table.itertuples()],
    )
    # the key identifies the problem, so it does not contain the seed of Algorithm 3's samples
    optimum = table[table.solver == EXACT].groupby("key").variance.first()
    spectra = table[table.measure == eigenvalues.__name__].set_index("key").extra
    brute = table[table.solver == EXACT]
    # Algorithm 1 runs with three values of d on a matrix of full rank, and otherwise with one
    requested = len(brute) + 2 * (brute.label == "full rank").sum()
    # counts the runs of Algorithm 1 on matrices for which brute force found the optimum
    compared = (table.solver == "spannogram_exact") & table.label.isin(set(brute.label))
    table = table[table.solver.isin(NAMES)]
    rhos = [
        rho(spectra[r.key]["w"], r.d) if r.key in spectra else np.nan for r in table.itertuples()
    ]
    return table.assign(
        missing=requested - compared.sum(),
        ratio=table.variance / table.key.map(optimum),
        rho=rhos,
        candidates=[e.get("candidates", np.nan) for e in table.extra],
        most=[2**d * comb(int(n) + 1, d) for n, d in zip(table.n, table.d, strict=True)],
    )


def rho(w, d):
    """Return the lower bound on rho_d from Theorem 1."""
    return max(K / (2 * N), 1.0 / (1.0 + 2.0 * N / K * w[d] / w[0]))


def draw(data, axes):
    """Plot the fraction of the optimum, the number of candidates, the flops and the times."""
    share, candidates, flops, times = axes.flat
    _draw_shares(share, data)
    grown = _grown(data)
    _draw_limits(candidates, grown[grown.solver == "spannogram_exact"])
    for (solver, d, k), rows in grown.groupby(["solver", "d", "of"]):
        rows = rows.sort_values("n")
        style = _style(solver, d, k)
        flops.plot(rows.n, rows.flops, **style)
        times.plot(rows.n, rows.solve_time + rows.setup_time, **style)
        if solver == "spannogram_exact":
            candidates.plot(rows.n, rows.candidates, **style)
    exact = data[data.solver == "spannogram_exact"]
    used = number((exact.candidates / exact.most).max(), "share")
    candidates.set(
        ylabel="candidate supports", title=f"Algorithm 1 meets at most {used} of the bound"
    )
    flops.set(ylabel="flops, without the eigenvectors", title=_grows(grown, "flops"))
    seconds = grown.assign(time=grown.solve_time + grown.setup_time)
    times.set(ylabel="time, s", title=_grows(seconds, "time"))
    for axis in (candidates, flops, times):
        axis.set(xscale="log", yscale="log", xlabel="variables n")
        plain_log_ticks(axis)
        legend_below(axis)


def _grows(grown, column):
    """State the growth exponent of each algorithm for k = 10, for the title of a panel."""
    slopes = [
        f"{NAMES[solver].partition(',')[0]} $n^{{{claims.slope(rows.n, rows[column]):.1f}}}$"
        + (f" (d = {d})" if solver == "spannogram_exact" else "")
        for (solver, d), rows in grown[grown.of == "10"].groupby(["solver", "d"])
        if len(rows) > 2
    ]
    return f"{column}: {', '.join(slopes)}"


def _draw_limits(axis, exact):
    """Plot the upper bound on the number of candidates, 2^d C(n+1, d)."""
    for d, dashes in ((2, "--"), (3, ":")):
        limit = exact[exact.d == d].sort_values("n").groupby("n").most.first()
        name = rf"$2^{d}\binom{{n+1}}{{{d}}}$"
        axis.plot(limit.index, limit, color="black", linewidth=1.0, linestyle=dashes, label=name)


def _style(solver, d, k):
    """Return a style: the marker shows d, and the line and the fill of the marker show k."""
    colour = look(solver)["color"]
    rank = f", $d = {d}$" if solver == "spannogram_exact" else ""
    line, face = ("-", colour) if k == "10" else ("--", "white")
    style = dict(color=colour, marker=MARKERS[d], linestyle=line, markerfacecolor=face)
    return style | dict(label=f"{NAMES[solver]}{rank}, $k = {k}$")


CASES = {
    "Alg. 1\nd = 1": ("spannogram_exact", "full rank", 1),
    "Alg. 1\nd = 2": ("spannogram_exact", "full rank", 2),
    "Alg. 1\nd = 3": ("spannogram_exact", "full rank", 3),
    "Alg. 3\nd = 3": ("spannogram", "full rank", 3),
    "A of\nrank d": ("spannogram_exact", "rank d", None),
    r"$\sigma I$ +" + "\nrank d": ("spannogram_exact", "sigma I + rank d", None),
    r"$\sigma I$ + rank d," + "\non A": ("spannogram_exact", "sigma I + rank d, on A", None),
}


def _draw_shares(axis, data):
    for place, (solver, label, d) in enumerate(CASES.values()):
        rows = data[(data.solver == solver) & (data.label == label)]
        rows = rows if d is None else rows[rows.d == d]
        # spread out, because fifty equal values would look like a single dot
        across = place + np.linspace(-0.3, 0.3, len(rows))
        axis.plot(across, rows.ratio, ".", color=look(solver)["color"], alpha=0.6, markersize=4)
        promised = rows.rho * (1.0 - EPS if solver == "spannogram" else 1.0)
        name = None if place else "guarantee (theorems 1 and 2)"
        axis.plot(across, promised, "_", color="black", markersize=4, alpha=0.7, label=name)
    least = data[data.label == "full rank"].groupby("solver").ratio.min()
    told = [f"{NAMES[s].partition(',')[0]} {number(value, 'share')}" for s, value in least.items()]
    axis.set(ylim=(0.0, 1.05), ylabel="share of the optimum $x^T A x / x_*^T A x_*$")
    axis.set_title(f"smallest share of the optimum: {', '.join(told)}")
    axis.set_xticks(range(len(CASES)), list(CASES))
    axis.grid(axis="x", visible=False)
    axis.legend(loc="lower right")
