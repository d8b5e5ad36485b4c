"""Kuleshov (2013), Figure 3: the trade-off between sparsity and variance.

The runs of Figure 2. Left as the solvers return their vectors; middle the difference to GRQI at equal cardinality, raw
and after the same refit (leading eigenvector on the support); right, ours: GRQI from random starts, its first shift set
to a share of lambda_1, against the recommended start (the paper: a random start works as long as the first Rayleigh
quotient is close to lambda_1; no k-sparse start has a quotient near lambda_1, so it is read as the first shift).
"""

import numpy as np

from spcabench.api import solve
from spcabench.bounds import leading_eigenvalue
from spcabench.claims import Statement, by_band, every, interval, show
from spcabench.figures._kuleshov2013 import GRQI, NAMES, PENALTIES, WIDE_EDGES, k_at, pairs
from spcabench.figures.kuleshov2013_fig2 import sizes
from spcabench.run import Measure
from spcabench.style import look

SHARES = ("kuleshov2013_fig2",)
PANELS, SIZE = (1, 3), (11.5, 3.6)
STARTS = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)

K7 = Statement(
    id="K7",
    quote="The two curves are essentially identical",
    where="section 4.3",
    test="median of |variance of GPower / variance of GRQI - 1| at equal cardinality, in every band of sparsity",
    threshold="at most 2 % in every band",
)
K16 = Statement(
    id="K16",
    quote="we could initialize Algorithm 1 randomly, as long as the first Rayleigh quotient mu(0) was close to the "
    "largest eigenvalue",
    where="section 2.2",
    test="for mu_0 >= 0.9 lambda_1: share of random starts that reach at least 98 % of the variance from the "
    "recommended start",
    threshold="at least 80 % of the starts",
)


def runs(scale):
    """Random starts; the rest are the runs of Figure 2."""
    n, seeds, *_ = sizes(scale)
    for seed in range(seeds):
        for s in (0.01, 0.044, 0.2):
            for mu0 in STARTS:
                yield Measure(
                    dataset="gaussian", parameters=dict(m=n, n=n, seed=seed), solver="random_starts", seed=seed,
                    settings=dict(k=k_at(s, n), mu0=mu0, count=10), form="covariance", label="starts",
                )  # fmt: skip


def random_starts(problem, *, k, mu0, count, seed):
    """Variances of GRQI from random starts, the first shift mu0 lambda_1, over that from the recommended start."""
    reference = solve(problem, "grqi", k=k, **GRQI).variance
    shift = mu0 * leading_eigenvalue(problem)
    rng = np.random.default_rng(seed)
    starts = [rng.standard_normal(problem.n) for _ in range(count)]
    found = [solve(problem, "grqi", k=k, start=x, mu_0=shift, **GRQI).variance / reference for x in starts]
    return {"mu0": mu0, "k": k, "within": float(np.mean(np.array(found) >= 0.98)), "median": float(np.median(found))}


def data(table):
    """The rows, as they are."""
    return table


def draw(data, axes):
    """The trade-off; the difference to GRQI; random starts."""
    left, middle, right = axes.flat
    main = pairs(data, "main")
    rows = data[data.label == "main"]
    for solver in (*PENALTIES, "grqi"):
        part = rows[(rows.solver == solver) & rows.settings.map(lambda s: "J" not in s)]
        style = {key: v for key, v in look(solver).items() if key != "linestyle"}
        left.plot(
            part.cardinality / part.n,
            part.variance / part.lambda_1,
            linestyle="none",
            alpha=0.7,
            label=NAMES[solver],
            **style,
        )
    for penalty in PENALTIES:
        one = main[main.penalty == penalty]
        for suffix, line, word in (("", "-", "raw"), ("_refit", ":", "refitted")):
            change = 100 * (one[f"variance{suffix}_p"] / one[f"variance{suffix}_g"] - 1)
            median = change.groupby(one.sparsity.round(3)).median()
            middle.plot(
                median.index, median, **(look(penalty) | dict(linestyle=line, label=f"{NAMES[penalty]}, {word}"))
            )
    middle.axhspan(-2, 2, color="#EEEEEE", zorder=0)
    _draw_starts(data[data.label == "starts"], right)
    left.set(xscale="log", xlabel="sparsity k/n", ylabel="variance / $\\lambda_1$")
    middle.set(xscale="log", xlabel="sparsity k/n", ylabel="variance against GRQI's, %")
    right.set(xlabel="first shift $\\mu_0 / \\lambda_1$", ylabel="starts within 2 %, share", ylim=(-0.03, 1.03))
    for axis in (left, middle, right):
        axis.legend()


def _draw_starts(starts, axis):
    if starts.empty:
        return
    table = starts.extra.apply(lambda e: (e["k"], e["mu0"], e["within"])).tolist()
    for k, style in zip(sorted({row[0] for row in table}), ("-", "--", ":"), strict=False):
        found = sorted({row[1] for row in table})
        share = [np.mean([row[2] for row in table if row[0] == k and row[1] == mu]) for mu in found]
        axis.plot(
            found,
            share,
            color=look("grqi")["color"],
            linestyle=style,
            marker=look("grqi")["marker"],
            label=f"k = {k:g}",
        )
    axis.axhline(0.8, color="black", linewidth=0.7, linestyle=":")


def claims(data):
    """K7 for each penalty, raw and refitted; K16."""
    main = pairs(data, "main")
    for penalty in PENALTIES:
        one = main[main.penalty == penalty]
        for suffix, word in (("", "raw"), ("_refit", "refitted")):
            distance = (one[f"variance{suffix}_p"] / one[f"variance{suffix}_g"] - 1).abs()
            near = by_band(one.sparsity, distance, WIDE_EDGES)
            verdict = every([v.at_most(0.02) for v in near.values()])
            yield K7.judged(verdict, show(near), f"{NAMES[penalty]}, {word}")
    starts = [e for e in data[data.label == "starts"].extra if e.get("mu0", 0) >= 0.9]
    share = interval([e["within"] for e in starts], np.mean)
    yield K16.judged(share.at_least(0.8), f"{share} of the starts, mean over {share.count} sets of ten")
