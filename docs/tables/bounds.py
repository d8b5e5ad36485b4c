"""Compute numbers and pictures for docs/bounds.md.

    python -m docs.tables.bounds sdp        # comparison with the constrained relaxation
    python -m docs.tables.bounds dominance  # comparison with two stronger relaxations
    python -m docs.tables.bounds seconds    # docs/bounds_seconds.svg: gap against seconds
    python -m docs.tables.bounds size       # docs/bounds_size.svg: gap against n

The first two write their tables to the document. Seconds are processor time on one thread. A gap is
(bound - value) / bound for the best known value, or for the value of a local search.
"""

import sys
from pathlib import Path
from time import process_time

import cvxpy as cp
import numpy as np
from threadpoolctl import threadpool_limits

from spcabench import load, solve
from spcabench.comparison import best_known
from spcabench.comparison.suite import SUITES
from spcabench.methods import bound_formulas
from spcabench.methods.exact_search import dual_bound
from spcabench.methods.exact_search.dual_certificate import Shape
from spcabench.methods.exact_search.splitting import Splitting
from spcabench.page.generated_block import markdown_table, renew
from spcabench.solving import bounds

DOCS = Path(__file__).parents[1]
BESIDE = [
    ("gaussian", dict(m=100, n=100, seed=0), 10),
    ("gaussian", dict(m=100, n=100, seed=1), 25),
    ("gaussian", dict(m=50, n=100, seed=2), 10),
    ("spiked", dict(n=100, strength=1.5, seed=0), 10),
    ("spiked", dict(n=100, strength=6.0, seed=0), 20),
    ("decaying", dict(n=100, power=1.0, seed=0), 10),
    ("low_rank", dict(n=100, rank=3, seed=0), 10),
    ("random_sparse", dict(m=100, n=100, seed=0), 10),
    ("alon", dict(genes=100), 10),
    ("golub", dict(genes=100), 20),
]
SHOWN = [
    ("gaussian 100", 25),
    ("spiked weak", 20),
    ("random sparse", 30),
    ("colon", 50),
    ("faces", 60),
    ("decaying", 40),
]
SIZES, SIZE_K, SEEDS = (25, 50, 100, 200, 300), 10, (0,)
STEPS, EVALUATIONS = 100, 300
# gaps of pit props in per cent: the best of four relaxations in the tables of Li and Xie (2024)
LI_XIE = {4: "0.41", 5: "0.18", 6: "0.15", 8: "0.26", 10: "0.089"}


def of_one_matrix(S, k, best):
    """Return the single-matrix bound after `EVALUATIONS` evaluations."""
    low = dual_bound.start(S / best, Shape.single(k), False)
    calls = 0
    while calls < EVALUATIONS and low.value > 1.0 + 1e-9:
        low.descend(1.0)
        calls = low.descent.calls
    return low.value * best


def put(name, heads, lines):
    """Print a table, and write it to a block of docs/bounds.md."""
    text = markdown_table(heads, lines)
    print(text)
    renew(DOCS / "bounds.md", {name: f"\n{text}\n"}, by="docs.tables.bounds")


def beside_the_sdp():
    """Compare both dual bounds with `exact_sdp_constrained`, in one run."""
    small = load("gaussian", m=10, n=10, seed=0)
    bounds.dual_bound(small, 3)  # compiles its kernels
    of_one_matrix(small.given_as("covariance").matrix.S, 3, 1.0)
    lines = []
    for dataset, parameters, k in BESIDE:
        problem = load(dataset, **parameters)
        start = process_time()
        dual = bounds.dual_bound(problem, k)
        dual_seconds = process_time() - start
        S, best = problem.given_as("covariance").matrix.S, dual.reached
        start = process_time()
        single = of_one_matrix(S, k, best)
        single_seconds = process_time() - start
        start = process_time()
        result = solve(problem, "exact_sdp_constrained", k=k)
        seconds = process_time() - start
        # the bound of the relaxation is not always the smallest known bound
        relaxed = result.relaxation_bound if result.relaxation_bound else result.bound
        line = [problem.name, k]
        for bound, spent in ((dual.value, dual_seconds), (single, single_seconds)):
            line += [f"{100.0 * (1.0 - best / bound):.2f} %", f"{spent:.2f}"]
        lines.append([*line, f"{100.0 * (1.0 - best / relaxed):.2f} %", f"{seconds:.1f}"])
    names = ("scaled Gershgorin dual", "single-matrix bound", "constrained relaxation")
    put("sdp", ["problem", "k", *(head for n in names for head in (f"{n}, gap", "s"))], lines)


def relaxations(S, k):
    """Return the values of three relaxations of the problem, solved by Clarabel.

    They are the pair relaxation, whose dual is the scaled Gershgorin dual; the one of Cifuentes and
    Li; and the one of Bertsimas, Cory-Wright and Pauphilet.
    """
    n = len(S)
    X, P = cp.Variable((n, n), PSD=True), cp.Variable((n, n), nonneg=True)
    z, sums, x = cp.Variable(n), cp.Variable(n), cp.diag(X)

    def cone(v, a, b):
        """Require ||v||^2 <= a b."""
        return cp.SOC(a + b, cp.hstack([2.0 * v, a - b]))

    pairs = [cone(X[i, j], P[i, j], P[j, i]) for i in range(n) for j in range(i)]
    columns = [cp.sum(P, axis=0) <= 1.0, cp.sum(P, axis=1) == k * x, cp.diag(P) == x]
    columns += [P[:, j] <= x for j in range(n)]
    shares = [z >= 0.0, z <= 1.0, cp.sum(z) <= k, sums >= cp.sum(cp.abs(X), axis=1)]
    for i in range(n):
        shares += [cone(X[i], x[i], z[i]), cone(sums[i] / np.sqrt(k), x[i], z[i]), x[i] <= z[i]]
        shares += [cp.abs(X[i, j]) <= z[i] / 2.0 for j in range(n) if j != i]
    goal, trace_one = cp.Maximize(cp.trace(S @ X)), cp.trace(X) == 1.0
    conditions = pairs + columns, [k * cp.diag(x) - X >> 0], shares
    return [cp.Problem(goal, [trace_one, *more]).solve(solver="CLARABEL") for more in conditions]


def dominance():
    """Tell the gaps of three relaxations, and of our certificate, on small problems."""
    lines = []
    cases = [("pitprops", {}, k, printed) for k, printed in LI_XIE.items()]
    cases += [("gaussian", dict(m=12, n=12, seed=seed), 4, "") for seed in range(3)]
    for dataset, parameters, k, printed in cases:
        problem = load(dataset, **parameters)
        best = solve(problem, "branch_and_bound", k=k).variance
        S = problem.given_as("covariance").matrix.S / best
        search = Splitting(S, k, False)
        while search.steps < 10 * STEPS:
            search.descend()
        gaps = [max(1.0 - 1.0 / value, 0.0) for value in (search.bound, *relaxations(S, k))]
        name = problem.name + (f", seed {parameters['seed']}" if parameters else "")
        lines.append([name, k, *(f"{100.0 * gap:.4f}" for gap in gaps), printed])
    heads = ["our certificate", "pair relaxation", "Cifuentes and Li", "Bertsimas et al."]
    put("dominance", ["problem", "k", *heads, "Li and Xie"], lines)


def trace(S, k, best):
    """Return (seconds, gap) of the dual bound of S after every ten steps, each time certified."""
    clock = process_time()
    search = Splitting(S / best, k, False)
    points = []
    while search.steps < STEPS and search.bound > 1.0 + 1e-9:
        search.descend()
        spent = process_time() - clock
        points.append((spent, 1.0 - best / search.certificate.times(best).bound(S, k)))
        clock = process_time() - spent  # computing the certificate is not timed
    return points


def cheap(S, k, best):
    """Return (seconds, gap) of the smallest of the cheap bounds."""
    start = process_time()
    value = bound_formulas.cheap(S)[k - 1]
    return process_time() - start, 1.0 - best / value


def _plot(name, title, draw, place):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib import ticker

    from spcabench.showing import style

    with matplotlib.rc_context(style.RC):
        figure, axes = plt.subplots(figsize=(6.4, 3.8))
        draw(axes, style)
        axes.set(yscale="log", ylabel="gap, per cent", title=title)
        for axis in (axes.xaxis, axes.yaxis):  # 20, and not 2 x 10^1
            axis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
            axis.set_major_formatter(ticker.StrMethodFormatter("{x:g}"))
            axis.set_minor_formatter(ticker.NullFormatter())
        axes.legend(loc=place)
        figure.savefig(DOCS / name, metadata={"Date": None})
        plt.close(figure)


def against_seconds():
    """Plot the gap of the cheap bounds and of the dual bound against processor seconds."""
    table = best_known.read()
    items = {item.name: item for item in SUITES["standard"]}

    def draw(axes, style):
        for place, (name, k) in enumerate(SHOWN):
            problem = load(items[name].dataset, **items[name].parameters)
            S = problem.given_as("covariance").matrix.S
            best = table[name, problem.name, k, False].value
            points = [cheap(S, k, best), *trace(S, k, best)]
            x, y = zip(*points, strict=True)
            colour = style.PALETTE[place % len(style.PALETTE)]
            marker = style.MARKERS[place % len(style.MARKERS)]
            y = [100.0 * max(gap, 1e-7) for gap in y]
            axes.plot(x, y, color=colour, marker=marker, label=f"{name}, k = {k}")
            print(f"{name}, k = {k}: {x[0]:.2f} s {y[0]:.3g} %, {x[-1]:.2f} s {y[-1]:.3g} %")
        axes.set(xscale="log", xlabel="processor seconds; the first point is the cheap bounds")

    _plot("bounds_seconds.svg", "Gap of the bounds against time", draw, "lower left")


def against_size():
    """Plot the gap of both bounds against n for Gaussian data and k = 10."""

    def draw(axes, style):
        gaps = {"cheap bounds": [], "dual bound": []}
        for n in SIZES:
            by_seed = {name: [] for name in gaps}
            for seed in SEEDS:
                problem = load("gaussian", m=n, n=n, seed=seed)
                S = problem.given_as("covariance").matrix.S
                best = solve(problem, "local_search", k=SIZE_K, settings={"budget": 100}).variance
                by_seed["cheap bounds"].append(cheap(S, SIZE_K, best)[1])
                by_seed["dual bound"].append(trace(S, SIZE_K, best)[-1][1])
            for name, values in by_seed.items():
                gaps[name].append(100.0 * sum(values) / len(values))
                print(f"n = {n}, {name}: {gaps[name][-1]:.3g} %", flush=True)
        for place, (name, values) in enumerate(gaps.items()):
            axes.plot(
                SIZES, values, color=style.PALETTE[place], marker=style.MARKERS[place], label=name
            )
        axes.set(xscale="log", xlabel=f"n; Gaussian data (n, n), k = {SIZE_K}")

    title = "Gap of the bounds against the number of variables"
    _plot("bounds_size.svg", title, draw, "upper left")


if __name__ == "__main__":
    tables = {"sdp": beside_the_sdp, "dominance": dominance}
    with threadpool_limits(1):
        (tables | {"seconds": against_seconds, "size": against_size})[sys.argv[1]]()
