"""Kuleshov (2013), Figure 3: the trade-off between sparsity and variance.

The runs are those of Figure 2. The left panel shows the variance of the vectors as returned by the
solvers, as medians over problems; each variance is divided by the lambda_1 of its problem. The line
and band of the optimum, and the distances to the optimum, are for the problem with seed 0. The
right panel, which we added, shows the difference between the variances of GPower and GRQI with
equal cardinality, as returned and after a refit (replacing the vector by the leading eigenvector on
its support), as means over problems in the bands of sparsity that are judged. Its crosses show why
the refitted GPower1 explains more than GRQI: from the same start and with the same k, an iteration
that shrinks the entries (like GPower1) reaches the refitted variance of GPower1, and an iteration
that cuts them (like GRQI) reaches that of GRQI.
"""

from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np

from spcabench import claims
from spcabench.api import solve
from spcabench.claims import claim, meaning
from spcabench.figures import _kuleshov2013 as base
from spcabench.figures import _kuleshov2013_starts as random_starts
from spcabench.figures._curves import draw_curve
from spcabench.figures._truth import split, truth
from spcabench.run import Run
from spcabench.showing.style import LETTERS, look, name_lines
from spcabench.solving.call import Limits, arguments
from spcabench.solving.result import refitted
from spcabench.vectors import normalize, project, soft_threshold

SHARES = ("kuleshov2013_fig2",)
PANELS, SIZE = (1, 2), (11.5, 4.4)
HELD = (0.01, 0.044, 0.1, 0.19)  # sparsities at which the experiment with fixed k runs
LIMIT, TOLERANCE = 1000, 1e-6


# what runs


def runs(scale):
    """Run the random starts, the fixed k and the truth; the other runs are those of Figure 2."""
    size = base.sizes(scale)
    # only for the sparsities in the paper's text, because dual bounds for all of them would take
    # too long
    ks = [base.k_at(s, size.n) for s in size.sparsities if s < meaning.SPARSE]
    # only for one problem, because its truth takes as long as the rest of the figure
    first = base.source(size.n, 0)["parameters"]
    yield from truth(scale, "gaussian", first, 5 if size.n > 500 else 7, ks, form="covariance")
    yield from random_starts.runs(size)
    for seed, s in product(range(size.seeds), HELD):
        about: dict[str, Any] = dict(label="held", uses=("grqi", "tpower"), form="covariance")
        settings, source = dict(k=base.k_at(s, size.n)), base.source(size.n, seed)
        yield Run(function=held, settings=settings, seed=seed, **about, **source)


def held(problem, *, k, seed):
    """Return refitted variances divided by GRQI's, with the same start and k nonzeros in each step.

    cut : the k largest entries are left unchanged (TPower). shrunk : all entries are reduced by the
    (k+1)-th largest, as in GPower1 with a penalty that leaves k nonzeros.
    """
    Sigma = problem.covariance
    # the start is GRQI's, so only the step differs
    start = Sigma.largest_column()
    # both vectors are refitted, because shrunk entries explain less variance on any support
    reference = problem.variance(
        refitted(problem, solve(problem, "grqi", k=k, **arguments(base.GRQI)).x)
    )
    ends = {
        "cut": solve(
            problem, "tpower", k=k, limits=Limits(max_iterations=LIMIT), settings={"start": start}
        ).x,
        "shrunk": shrinking(Sigma, project(start, k), k),
    }
    return {name: problem.variance(refitted(problem, x)) / reference for name, x in ends.items()}


def shrinking(Sigma, x, k):
    """Iterate x+ = soft threshold of Sigma x at its (k+1)-th largest entry; return the limit."""
    for _ in range(LIMIT):
        y = Sigma @ x
        # subtracting the (k+1)-th largest entry leaves exactly k entries
        threshold = np.sort(np.abs(y))[-k - 1] if k < len(y) else 0.0
        before, x = x, normalize(soft_threshold(y, threshold))
        if np.linalg.norm(x - before) < TOLERANCE:
            break
    return x


def data(table):
    """Return the rows and their pairs, the runs with fixed k, and the truth."""
    rows, known = split(table)
    both = base.of_all_problems(rows)
    # curves in units of lambda_1 can look identical although the ratio of the variances is not 1
    far_lambda = {
        f"far{of}_lambda": 100
        * (both[f"variance{of}_p"] - both[f"variance{of}_g"]).abs()
        / both.lambda_1
        for of in base.FORMS
    }
    both = both.assign(**far_lambda)
    main, same_k = both[both.label == "main"], base.unfolded(rows, "held")
    return SimpleNamespace(rows=rows, both=both, main=main, held=same_k, truth=known)


# what is drawn


def draw(data, axes):
    """Draw the trade-off, and the difference to GRQI's variance."""
    left, right = axes.flat
    _draw_curves(left, data)
    for (name, rows), (suffix, form) in product(base.by_penalty(data.both), base.FORMS.items()):
        # GPower0 returns the best entries on its support, so a refit changes nothing
        if name == "GPower1" or not suffix:
            style = look(name.lower()) | dict(
                label=f"{name}, {form}", linestyle=":" if suffix else "-"
            )
            table = claims.bands(rows, "sparsity", base.WIDE_EDGES, f"more{suffix}")
            draw_curve(right, table.assign(x=rows.sparsity), "%", **style)
    for column, solver, name in (("shrunk", "gpower1", "shrinking"), ("cut", "grqi", "cutting")):
        gain = data.held.assign(gain=100 * (data.held[column] - 1), share=data.held.k / data.held.n)
        cross = dict(linestyle="none", marker="X", markersize=8, label=f"{name}, from GRQI's start")
        draw_curve(right, claims.each(gain, "share", "gain"), "%", **look(solver) | cross)
    # the tolerance of K7, 2 %
    right.axhspan(-2, 2, color="#EEEEEE", zorder=0)
    identical = dict(transform=right.get_yaxis_transform(), va="bottom", ha="left")
    right.text(0.21, -2, "the paper:\nessentially identical", fontsize=LETTERS, **identical)
    right.set(xscale="log", xlabel="sparsity k/n", ylabel="variance against GRQI's, %")
    refitted_ = K7.told(data, "GPower1, refitted")
    right.set_title(f"GPower1 and GRQI differ by {K7.told(data)} (refitted: {refitted_})")
    left.set_title(
        f"GRQI has at least 98 % of GPower1's variance\nin {K18.told(data)} of the pairs"
    )
    for axis in axes.flat:
        name_lines(axis)


def _draw_curves(axis, data):
    """Draw the paper's figure: the variance of each method against the sparsity."""
    drawn = [(name.lower(), "variance_p", rows) for name, rows in base.by_penalty(data.main)]
    for solver, side, rows in [*drawn, ("grqi", "variance_g", drawn[0][2])]:
        table = claims.each(rows.assign(of_all=rows[side] / rows.lambda_1), "share", "of_all")
        draw_curve(axis, table, "", **look(solver) | dict(label=base.NAMES[solver]))
    first = data.main[data.main.seed == 0]
    if len(first):
        data.truth.draw(axis, first.lambda_1.iloc[0], first.n.iloc[0])
    axis.set(xscale="log", xlabel="sparsity k/n", ylabel="variance / $\\lambda_1$")


# what is claimed

# what a refit of GPower1's answers shows, and the experiment with fixed k
SHRINKS = (
    "GPower1's entries are not the best on its support, so a refit turns the comparison. Its "
    "support is better because it shrinks the entries: with equal start and k, an iteration that "
    "shrinks them ends above GRQI, and one that cuts them ends with GRQI."
)


def forms(main):
    """Yield a name, a column suffix and the pairs of each penalty, as returned and refitted."""
    for (name, rows), (suffix, form) in product(base.by_penalty(main), base.FORMS.items()):
        yield f"{name}, {form}", suffix, rows


@claim(
    "K7",
    "section 4.3",
    "The two curves are essentially identical",
    measures="difference between the variances of GPower and GRQI, at equal cardinality",
    unit="%",
    rule=meaning.IDENTICAL,
    at=claims.every("bands of sparsity", high=meaning.SPARSE, least=6),
    null=100.0,  # GPower beside half of its variance
    changed="sparsities up to half of the variables were judged; six problems left the small bands "
    "open, so there are 60; GPower1 as returned was the only reading in units of lambda_1, the "
    "figure's axis",
    because=SHRINKS,
)
def K7(data):
    """Judge the difference in each band, as a share of GRQI's variance and of lambda_1."""
    for name, suffix, rows in forms(data.both):
        table = claims.bands(rows, "sparsity", base.WIDE_EDGES, f"far{suffix}", reading=name)
        known = data.rows[(data.rows.label == "main") & data.rows.group.isin(rows.group)]
        yield claims.noted(
            table,
            *(
                f"{data.truth.distance(of, f'variance{suffix}', base.NAMES[solver])}."
                for solver, of in known.groupby("solver")
            ),
        )
    for name, suffix, rows in forms(data.both):
        name = f"{name}, in units of lambda_1"
        yield claims.bands(rows, "sparsity", base.WIDE_EDGES, f"far{suffix}_lambda", reading=name)
    others = base.pairs(data.rows, "dimension")
    others = others[others.penalty == "gpower1"]
    yield base.other_sizes(others, "far", reading="GPower1, as returned, other n")


@claim(
    "K18",
    "section 1",
    "the solutions it finds tend to be of as good or of better quality than those found by the GPM",
    measures="share of pairs below 20 % nonzeros in which GRQI's variance is at least 98 % of "
    "GPower's, bands of sparsity weighted alike",
    unit="share",
    rule=meaning.MOST,
    null=0.0,
    changed="as good was asked to the sixth digit; sparsities up to half of the variables were "
    "judged; six problems left it open for GPower0, so there are 60",
    because={"GPower1, refitted": SHRINKS},
)
def K18(data):
    """Count the pairs in which GRQI's variance is as good as GPower's, or better."""
    for name, suffix, rows in forms(base.sparse(data.both)):
        ratio = rows[f"variance{suffix}_g"] / rows[f"variance{suffix}_p"]
        good = base.weighted(rows, ratio >= meaning.AS_GOOD.low)
        yield claims.tidy(good, "hit", f"n = {rows.n.max()}", reading=name)


K16 = random_starts.K16
