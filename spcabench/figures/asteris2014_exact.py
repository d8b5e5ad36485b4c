"""Asteris, Papailiopoulos, Dimakis (2014), Algorithms 1 to 3 against brute force: value, candidate
supports, cost.

Nonnegative components. Value: x'Ax over the optimum by brute force, n = 10, k = 4, on random PSD
matrices: Gaussian A = X'X of full rank with d = 1, 2, 3, of rank d, and sigma I + rank d (Algorithm
1 applied to C, as the paper says; on A itself it is listed); ticks are the guarantee of Theorem 1
(of Theorem 2 for Algorithm 3, eps = 0.1). Candidates and flops: Gaussian matrices, k = 10 and k =
n/4, flops without the eigenvectors; Algorithm 3 on 50 samples. Sorting is not counted, as the rule
is. Times are single runs, other work beside them; the verdicts are on flops.
"""

from math import comb
from typing import Any

import numpy as np

from spcabench.claims import Statement, decided, slope
from spcabench.run import Measure, Run
from spcabench.style import look, plain_log_ticks

PANELS, SIZE = (2, 2), (10.5, 7.6)
N, K, EPS = 10, 4, 0.1
NAMES = {"spannogram_exact": "Alg. 1", "spannogram": "Alg. 3, $d = 3$"}
MARKERS = {1: "s", 2: "o", 3: "^"}
EXACT = "brute_force"

A11 = Statement(
    id="A11",
    quote="a collection S_d of support sets, with cardinality |S_d| <= 2^d C(n+1, d)",
    where="section 2, step 2",
    test="candidate supports that Algorithm 1 meets, on every matrix, d = 1, 2, 3",
    threshold="at most 2^d C(n+1, d), in every instance",
)
A12 = Statement(
    id="A12",
    quote="x_d'A x_d >= rho_d x*'A x*, rho_d >= max{k/2n, 1/(1 + 2 (n/k) lambda_{d+1}/lambda_1)}",
    where="section 1, equations (3) and (4)",
    test="x_d'A x_d of Algorithm 1 over the optimum by brute force, d = 1, 2, 3, against rho_d",
    threshold="at least rho_d (to 1e-6), in every instance",
)
A15 = Statement(
    id="A15",
    quote="if the matrix A has rank d, our algorithm returns the optimal k-sparse PC for any "
    "target sparsity k. The same holds in the case of the rank-d update matrix A = sigma I + C",
    where="section 1, exact solution for low-rank matrices",
    test="x_d'A x_d of Algorithm 1 over the optimum by brute force, A of rank d, and sigma I + C "
    "by way of C",
    threshold="1 to 1e-6, in every instance",
)
A16 = Statement(
    id="A16",
    quote="Alg. 3 outputs x with x'A x >= (1 - eps) rho_d x*'A x*, with probability at least 1 - "
    "1/n, in time O(eps^-d n log n) plus the time to compute the d leading eigenvectors of A",
    where="section 6, theorem 2",
    test="share of runs, over matrices and seeds, with x'A x at least (1 - eps) rho_d times the "
    "optimum by brute force; fitted exponent of exact flops / log n against n, without the "
    "eigenvectors",
    threshold="at least 1 - 1/n; at most 1.1",
)
A18 = Statement(
    id="A18",
    quote="our algorithm runs in time O(n^d k^d + n^{d+1})",
    where="section 1",
    test="fitted exponent of exact flops (of our sweeps) against n^d k^d + n^{d+1}, k = 10 and k = "
    "n/4, without the eigenvectors",
    threshold="at most 1.1, for d = 2 and d = 3",
)


def runs(scale):
    """Values on small matrices; candidates, flops and times on growing ones."""
    paper = scale == "paper"
    for seed in range(50 if paper else 6):
        full: dict[str, Any] = dict(dataset="gaussian", parameters=dict(m=2 * N, n=N, seed=seed))
        yield Measure(**full, function=eigenvalues)
        yield from values(full, "full rank", seed, (1, 2, 3))
        for again in range(20 if paper else 5):
            yield _run(full, "spannogram", "full rank", again, d=3, eps=EPS, k=K)
        for d in (1, 2, 3):
            low = dict(n=N, rank=d, seed=seed)
            yield from values(dict(dataset="low_rank", parameters=low), "rank d", seed, (d,))
            shifted = dict(dataset="low_rank", parameters=low | dict(sigma=2.0))
            yield from values(shifted, "sigma I + rank d", seed, (d,), shift=True)
            yield _run(shifted, "spannogram_exact", "sigma I + rank d, on A", seed, d=d, k=K)
    grids = (
        {2: (100, 200, 400, 1000), 3: (30, 60, 100, 200)}
        if paper
        else {2: (50, 100, 200), 3: (15, 30, 60)}
    )
    for d, sizes in grids.items():
        for n in sizes:
            for k in (10, n // 4):
                grown = dict(dataset="gaussian", parameters=dict(m=2 * n, n=n, seed=0))
                yield _run(
                    grown, "spannogram_exact", f"growth {'n/4' if k != 10 else '10'}", 0, d=d, k=k
                )
    for n in (1000, 2000, 4000, 8000, 16000) if paper else (500, 1000, 2000):
        for k in (10, n // 4):
            wide = dict(dataset="gaussian", parameters=dict(m=50, n=n, seed=0))
            yield _run(
                wide, "spannogram", f"growth {'n/4' if k != 10 else '10'}", 0, d=3, eps=EPS, k=k
            )


def values(problem, label, seed, ranks, **settings):
    """The optimum, and Algorithm 1 at each rank."""
    yield _run(problem, EXACT, label, seed, k=K)
    for d in ranks:
        yield _run(problem, "spannogram_exact", label, seed, d=d, k=K, **settings)


def _run(problem, solver, label, seed, **settings):
    return Run(
        **problem,
        solver=solver,
        settings=dict(nonnegative=True, **settings),
        seed=seed,
        label=label,
    )


def eigenvalues(problem, *, seed):
    """All eigenvalues, falling."""
    return {"w": problem.covariance.leading_pairs(problem.n)[0].clip(0).tolist()}


def data(table):
    """One row per run with d, the share of the optimum, and what Theorem 1 guarantees of it.

    rho : the guarantee, for matrices of full rank only.
    """
    table = table.assign(
        d=[s.get("d", 0) for s in table.settings],
        k=[s.get("k", 0) for s in table.settings],
        key=[f"{row.dataset} {sorted(row.parameters.items())}" for row in table.itertuples()],
    )
    optimum = table[table.solver == EXACT].groupby("key").variance.first()
    spectra = table[table.measure == eigenvalues.__name__].set_index("key").extra
    brute = table[table.solver == EXACT]
    asked = len(brute) + 2 * (brute.label == "full rank").sum()  # there at three ranks, else at one
    missing = (
        asked - ((table.solver == "spannogram_exact") & table.label.isin(set(brute.label))).sum()
    )
    table = table[table.solver.isin(NAMES)]
    table = table.assign(
        missing=missing,
        ratio=table.variance / table.key.map(optimum),
        rho=[
            rho(spectra[row.key]["w"], row.d) if row.key in spectra else np.nan
            for row in table.itertuples()
        ],
        candidates=[e.get("candidates", np.nan) for e in table.extra],
    )
    return table.assign(
        most=[2**d * comb(int(n) + 1, d) for n, d in zip(table.n, table.d, strict=True)]
    )


def rho(w, d):
    """Theorem 1's lower bound on rho_d."""
    return max(K / (2 * N), 1.0 / (1.0 + 2.0 * N / K * w[d] / w[0]))


def draw(data, axes):
    """Shares of the optimum, candidates, flops and times."""
    share, candidates, flops, times = axes.flat
    _draw_shares(share, data)
    grown = data[data.label.str.startswith("growth")]
    _draw_limits(candidates, grown[grown.solver == "spannogram_exact"])
    for (solver, d, label), mine in grown.groupby(["solver", "d", "label"]):
        mine = mine.sort_values("n")
        style = _style(solver, d, label.partition(" ")[2])
        flops.plot(mine.n, mine.flops, **style)
        times.plot(mine.n, mine.solve_time + mine.setup_time, **style)
        if solver == "spannogram_exact":
            candidates.plot(mine.n, mine.candidates, **style)
    candidates.set(ylabel="candidate supports")
    flops.set(ylabel="flops, without the eigenvectors")
    times.set(ylabel="time, s")
    for axis in (candidates, flops, times):
        axis.set(xscale="log", yscale="log", xlabel="variables n")
        plain_log_ticks(axis)
        axis.legend(fontsize=7)


def _draw_limits(axis, exact):
    """How many candidates there can be: 2^d C(n+1, d)."""
    for d, dashes in ((2, "--"), (3, ":")):
        limit = exact[exact.d == d].sort_values("n").groupby("n").most.first()
        name = rf"$2^{d}\binom{{n+1}}{{{d}}}$"
        axis.plot(limit.index, limit, color="black", linewidth=1.0, linestyle=dashes, label=name)


def _style(solver, d, k):
    """The marker tells d, the line and its filling k."""
    colour = look(solver)["color"]
    rank = f", $d = {d}$" if solver == "spannogram_exact" else ""
    return dict(
        color=colour,
        marker=MARKERS[d],
        linestyle="-" if k == "10" else "--",
        label=f"{NAMES[solver]}{rank}, $k = {k}$",
        markerfacecolor=colour if k == "10" else "white",
    )


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
        mine = data[
            (data.solver == solver) & (data.label == label) & (True if d is None else data.d == d)
        ]
        across = place + np.linspace(-0.3, 0.3, len(mine))
        axis.plot(across, mine.ratio, ".", color=look(solver)["color"], alpha=0.6, markersize=4)
        promised = mine.rho * (1.0 - EPS if solver == "spannogram" else 1.0)
        axis.plot(
            across,
            promised,
            "_",
            color="black",
            markersize=4,
            alpha=0.7,
            label="guarantee (theorems 1 and 2)" if place == 0 else None,
        )
    axis.set(ylim=(0.0, 1.05), ylabel="share of the optimum $x^T A x / x_*^T A x_*$")
    axis.set_xticks(range(len(CASES)), list(CASES), fontsize=7.5)
    axis.grid(axis="x", visible=False)
    axis.legend(loc="lower right")


def claims(data):
    """A11, A12, A15, A16, A18."""
    exact = data[data.solver == "spannogram_exact"]
    share = exact.candidates / exact.most
    yield A11.judged(
        decided(bool((share <= 1.0).all())),
        f"at most {share.max():.3f} of it, median {share.median():.3f}, "
        f"over {len(exact)} instances, n = {exact.n.min():.0f} to {exact.n.max():.0f}",
    )
    full = exact[exact.label == "full rank"]
    slack = (full.ratio / full.rho).min()
    low = "; ".join(
        f"d = {d}: share at least {mine.ratio.min():.3f}, rho at most {mine.rho.max():.3f}"
        for d, mine in full.groupby("d")
    )
    yield A12.judged(
        decided(None if _missing(exact) else bool(slack >= 1.0 - 1e-6)),
        f"least share / rho {slack:.3g} over {len(full)} instances; {low}",
    )
    yield _exactness(exact)
    yield _sampling(data[data.solver == "spannogram"])
    yield _growth(exact)


def _missing(exact):
    """How many runs of Algorithm 1 gave no answer: they leave "in every instance" undecided."""
    return int(exact.missing.iloc[0])


def _exactness(exact):
    away = {
        label: (mine.ratio - 1.0).abs().max()
        for label, mine in exact.groupby("label")
        if mine.ratio.notna().any()
    }
    verdict = decided(
        None if _missing(exact) else max(away["rank d"], away["sigma I + rank d"]) <= 1e-6
    )
    on_A = exact[exact.label == "sigma I + rank d, on A"].ratio
    text = (
        f"largest distance from 1: rank d {away['rank d']:.1e}, sigma I + C "
        f"{away['sigma I + rank d']:.1e}"
    )
    return A15.judged(verdict, f"{text}; applied to sigma I + C itself: as low as {on_A.min():.4f}")


def _sampling(sampled):
    small = sampled[sampled.label == "full rank"]
    kept = (small.ratio >= (1.0 - EPS) * small.rho * (1.0 - 1e-9)).mean()
    grown = sampled[sampled.label.str.startswith("growth")]
    powers = {
        label: slope(mine.n, mine.flops / np.log(mine.n)) for label, mine in grown.groupby("label")
    }
    seconds = {
        label: slope(mine.n, mine.solve_time / np.log(mine.n))
        for label, mine in grown.groupby("label")
    }
    verdict = decided(bool(kept >= 1.0 - 1.0 / N) and max(powers.values()) <= 1.1)
    text = "; ".join(
        f"k = {label.partition(' ')[2]}: flops {powers[label]:.3f}, time {seconds[label]:.2f}"
        for label in powers
    )
    return A16.judged(
        verdict, f"kept in {100 * kept:.1f} % of {len(small)} runs; exponents: {text}"
    )


def _growth(exact):
    grown = exact[exact.label.str.startswith("growth")]
    cost = grown.n**grown.d * grown.k.astype(float) ** grown.d + grown.n ** (grown.d + 1.0)
    powers = {d: slope(cost[mine.index], mine.flops) for d, mine in grown.groupby("d")}
    on_n = {d: slope(mine.n, mine.flops) for d, mine in grown[grown.k == 10].groupby("d")}
    text = "; ".join(
        f"d = {d}: {p:.2f} (against n alone, at k = 10: {on_n[d]:.2f})" for d, p in powers.items()
    )
    return A18.judged(decided(max(powers.values()) <= 1.1), text)
