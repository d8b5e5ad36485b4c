"""Kuleshov (2013), Figure 3: the trade-off between sparsity and variance.

The runs are those of Figure 2. The left panel shows the variance of the vectors as returned by the
solvers. The middle panel shows the difference between the variances of GPower and GRQI with equal
cardinality, as returned and after a refit (replacing the vector by the leading eigenvector on its
support). We added the right panel: it shows the variance that GRQI reaches from random starts,
divided by that from the recommended start, against the first Rayleigh quotient mu_0. The paper does
not say which vector has this quotient, and no k-sparse vector has a quotient near lambda_1. We
therefore use two readings: mu_0 is the first *shift*, with a random start; or mu_0 is the quotient
of the *start* before its projection, obtained by power steps from a random vector. Each thin line
shows one cardinality. The line and band of the optimum, and the distances to the optimum, are for
the problem with seed 0. The points are for all seeds, and each variance is divided by the lambda_1
of its problem. Shrinking explains why GRQI explains less variance than the refitted GPower1: from
the same start and with the same k, an iteration that shrinks the entries (like GPower1) reaches the
variance of GPower1, and an iteration that truncates them (like GRQI) reaches that of GRQI.
"""

from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from spcabench import claims
from spcabench.api import solve
from spcabench.claims.words import listed, number
from spcabench.figures import _kuleshov2013 as base
from spcabench.figures import _kuleshov2013_causes as causes
from spcabench.figures._truth import truth, truth_of, with_truth
from spcabench.run import Run
from spcabench.solving.bounds import leading_eigenvalue
from spcabench.solving.result import refitted
from spcabench.style import LETTERS, look, mark_level, name_lines
from spcabench.vectors import normalize, project, soft_threshold

SHARES = ("kuleshov2013_fig2",)
PANELS, SIZE = (1, 3), (11.5, 4.0)
COUNT = 10  # number of random starts for each problem and k
STARTS = (0.1, 0.3, 0.5, 0.7, 0.9, 0.99)
READINGS = {"shift": "-", "start": ":"}
# `random_starts` stores, for each reading, the fraction of starts that come close to the
# recommended start's variance
NEAR = {"within": "", "within_5": ", within 5 %"}
CLOSE = 0.9  # "close to the largest eigenvalue"
HELD = (0.01, 0.044, 0.1, 0.19)  # sparsities at which the experiment with fixed k runs
LIMIT, TOLERANCE = 1000, 1e-6

K7 = claims.Statement(
    id="K7",
    where="section 4.3",
    quote="The two curves are essentially identical",
    measures="difference between the variances of GPower and GRQI, at equal cardinality",
    unit="%",
    rule=claims.at_most(2),
    over=claims.every("bands of sparsity", least=8),
    headline=dict(
        holds="The variances of GPower and GRQI differ by at most {high} in every band of "
        "sparsity.",
        fails="The variances of GPower and GRQI differ by {range}, where the paper calls the "
        "curves essentially identical.",
        undecided="The variances of GPower and GRQI differ by {range}; 2 % is not excluded.",
    ),
    **base.BY_RETURNED,
)


@K7.measured
def _identical(data):
    main = base.pairs(data, "main")
    for name, suffix, rows in forms(main):
        places = base.differences_in_bands(rows, suffix, base.WIDE_EDGES)
        runs_of = data[(data.label == "main") & data.group.isin(rows.group)]
        below = causes.distances(data, runs_of, f"variance{suffix}")
        yield claims.Reading(name, places, rows, [causes.sides(rows, suffix), *below])
    # curves in units of lambda_1 can look identical although the ratio of the variances is not 1
    drawn = main[main.penalty == "gpower1"]
    drawn = drawn.assign(far=100 * (drawn.variance_p - drawn.variance_g).abs() / drawn.lambda_1)
    places = claims.banded(drawn, "sparsity", base.WIDE_EDGES, base.average("far"))
    yield claims.Reading(f"{K7.primary}, in units of lambda_1", places, drawn)


def forms(main):
    """Yield a name, a column suffix and the pairs of each penalty, as returned and refitted."""
    for (name, rows), (suffix, form) in product(base.by_penalty(main), base.FORMS.items()):
        yield f"{name}, {form}", suffix, rows


@K7.because
def _not_refitted(data, judged):
    return _turned(data)


def _turned(data):
    main = base.pairs(data, "main")
    return causes.turned(main[main.penalty == "gpower1"], data[data.label == "held"])


K18 = claims.Statement(
    id="K18",
    where="section 1",
    quote="the solutions it finds tend to be of as good or of better quality than those found by "
    "the GPM",
    measures="share of pairs in which GRQI's variance is at least GPower's, sparsities weighted "
    "alike",
    unit="share",
    rule=claims.above(0.5),
    headline=dict(
        holds="GRQI explains at least as much as GPower, as returned, in {value} of the pairs.",
        fails="GRQI explains at least as much as GPower, as returned, in only {value} of the "
        "pairs.",
        undecided="GRQI explains at least as much as GPower, as returned, in {value} of the pairs.",
    ),
    **base.BY_RETURNED,
)


@K18.measured
def _as_good(data):
    for name, suffix, rows in forms(base.pairs(data, "main")):
        # "as good" can mean equal, or without a visible difference in the figure
        for slack, extra in ((100 * causes.TIE, ""), (2.0, ", within 2 %")):
            good = base.share_of(rows, base.apart(rows, suffix) <= slack)
            place = claims.Place(f"n = {rows.n.max()}", good)
            yield claims.Reading(f"{name}{extra}", [place], rows, [causes.sides(rows, suffix)])


K18.because(lambda data, judged: _turned(data))

K16 = claims.Statement(
    id="K16",
    where="section 2.2",
    quote="we could initialize Algorithm 1 randomly, as long as the first Rayleigh quotient mu(0) "
    "was close to the largest eigenvalue",
    kind="comparison",
    measures="share of random starts that reach 98 % of the variance from the recommended start",
    unit="share",
    rule=claims.at_least(0.8),
    over=claims.every("k", least=3),
    primary="mu_0 of the shift",
    why="the start stays random here, and the next sentence only needs an estimate of the "
    "eigenvalue",
    changed="all k were pooled, and both readings had to agree",
)


@K16.measured
def _random_starts(data):
    for reading, (near, words) in product(READINGS, NEAR.items()):
        starts = _starts(data, reading)
        starts = starts[starts[near].notna()] if near in starts else starts.iloc[:0]
        if starts.empty and near != "within":
            continue
        # all values of mu_0 use the same starts, so these values are averaged for each problem and
        # k
        by_problem = starts.groupby(["k", "seed"], as_index=False)[near].mean()
        # each run stored the fraction of its COUNT starts that succeeded; the interval is over
        # starts
        every_start = by_problem.loc[by_problem.index.repeat(COUNT)]
        measure = partial(claims.share, column=near, over="seed")
        places = claims.places(every_start, "k", measure, "k = {:g}")
        ends = [
            f"{number(of['median'].median(), 'share')} at k = {k}" for k, of in starts.groupby("k")
        ]
        note = f"The median start reaches {listed(ends)} of the variance."
        yield claims.Reading(f"mu_0 of the {reading}{words}", places, starts, [note])


@K16.because
def _no_effect(data, judged):
    # if a good shift does not help, the quoted condition does not explain the result
    near = _starts(data, "shift")
    far = _starts(data, "shift", 0.0, 0.3)
    # if a good shift helps, the cause of the failure is a different one, which is unknown
    if near.within.mean() > 1.25 * far.within.mean():
        return ""
    shares = [number(of.within.mean(), "share") for of in (near, far)]
    return (
        f"The first shift has little effect: {shares[0]} of the starts succeed for mu_0 >= 0.9 "
        f"lambda_1, and {shares[1]} for mu_0 <= 0.3 lambda_1."
    )


def _starts(data, reading, low=CLOSE, high=1.0):
    """Return the results of random starts with mu_0 / lambda_1 in a range, one row per run."""
    rows = data[data.label == "starts"]
    extra = pd.DataFrame(rows.extra.tolist(), index=rows.index)
    results = rows[["seed", "stand_in", "problem"]].join(extra)
    return results[(results.reading == reading) & results.mu0.between(low, high)]


def runs(scale):
    """Run the random starts, the fixed k and the truth; the other runs are those of Figure 2."""
    n, seeds, sparsities, *_ = base.sizes(scale)
    # only for the sparsities in the paper's text, because dual bounds for all of them would take
    # too long
    ks = [base.k_at(s, n) for s in sparsities if s < 0.2]
    # only for one problem, because its truth takes as long as the rest of the figure
    first = dict(m=n, n=n, seed=0)
    yield from truth(scale, "gaussian", first, 5 if n > 500 else 7, ks, form="covariance")
    for seed in range(seeds):
        # the sparsity of Figure 1, and the two extremes of the sparsities below 20 %
        for s in (0.01, 0.044, 0.2):
            for mu0, reading in product(STARTS, READINGS):
                yield Run(
                    dataset="gaussian",
                    parameters=dict(m=n, n=n, seed=seed),
                    function=random_starts,
                    seed=seed,
                    settings=dict(k=base.k_at(s, n), mu0=mu0, reading=reading, count=COUNT),
                    form="covariance",
                    label="starts",
                    uses=("grqi",),
                )
        for s in HELD:
            yield Run(
                dataset="gaussian",
                parameters=dict(m=n, n=n, seed=seed),
                function=held,
                seed=seed,
                settings=dict(k=base.k_at(s, n)),
                form="covariance",
                label="held",
                uses=("grqi", "tpower"),
            )


def held(problem, *, k, seed):
    """Return refitted variances divided by GRQI's, with the same start and k nonzeros in each step.

    cut : the k largest entries are left unchanged (TPower). shrunk : all entries are reduced by the
    (k+1)-th largest, as in GPower1 with a penalty that leaves k nonzeros.
    """
    Sigma = problem.covariance
    # the start is GRQI's, so only the step differs
    start = Sigma.largest_column()
    # both vectors are refitted, because shrunk entries explain less variance on any support
    reference = problem.variance(refitted(problem, solve(problem, "grqi", k=k, **base.GRQI).x))
    ends = {
        "cut": solve(problem, "tpower", k=k, start=start, max_iterations=LIMIT).x,
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


def random_starts(problem, *, k, mu0, reading, count, seed):
    """Run GRQI from random starts; return variances divided by the recommended start's."""
    # the reference is GRQI from its recommended start
    reference = solve(problem, "grqi", k=k, **base.GRQI).variance
    # mu_0 is divided by lambda_1, so that problems can share an axis
    shift = mu0 * leading_eigenvalue(problem)
    rng = np.random.default_rng(seed)
    shares = []
    for x in rng.standard_normal((count, problem.n)):
        if reading == "start":
            settings = dict(start=power_steps(problem.covariance, normalize(x), shift))
        else:
            settings = dict(start=x, mu_0=shift)
        shares.append(solve(problem, "grqi", k=k, **settings, **base.GRQI).variance / reference)
    return {
        "mu0": mu0,
        "k": k,
        "reading": reading,
        # K7 also treats variances within 2 % as identical
        "within": float(np.mean(np.array(shares) >= 0.98)),
        "within_5": float(np.mean(np.array(shares) >= 0.95)),
        "median": float(np.median(shares)),
    }


def power_steps(Sigma, x, quotient):
    """Apply power steps to a unit vector x until its Rayleigh quotient reaches the given value."""
    y = Sigma @ x
    # the quotient increases with every power step, so it exceeds any value below lambda_1
    # eventually
    while x @ y < quotient:
        x = normalize(y)
        y = Sigma @ x
    return x


@with_truth
def data(table):
    """Return the rows unchanged."""
    return table


def draw(data, axes):
    """Draw the trade-off, the difference to GRQI, and random starts."""
    left, middle, right = axes.flat
    main = base.pairs(data, "main")
    rows = data[data.label == "main"]
    for solver in (*base.PENALTIES, "grqi"):
        # leave out the runs with small J, which deliberately stop early
        part = rows[(rows.solver == solver) & rows.settings.map(lambda s: "J" not in s)]
        style = look(solver) | dict(linestyle="none", alpha=0.5, label=base.NAMES[solver])
        style |= dict(markersize=3.5)
        left.plot(part.cardinality / part.n, part.variance / part.lambda_1, **style)
    for penalty in base.PENALTIES:
        selected = main[main.penalty == penalty]
        # GPower0 returns the best entries on its support, so a refit changes nothing
        forms_of = list(base.FORMS.items())[penalty == "gpower0" :]
        for (suffix, form), line in zip(forms_of, "-:", strict=False):
            name = base.NAMES[penalty] + (f", {form}" if penalty == "gpower1" else "")
            named = dict(linestyle=line, label=name, markersize=3.5)
            middle.plot(
                *base.medians(selected, base.apart(selected, suffix)), **(look(penalty) | named)
            )
    # the tolerance of K7, 2 %
    middle.axhspan(-2, 2, color="#EEEEEE", zorder=0)
    identical = dict(transform=middle.get_yaxis_transform(), va="bottom", fontsize=LETTERS)
    middle.text(0.01, -2, "the paper: essentially identical", **identical)
    _mark_found(main, data[data.label == "starts"], axes)
    _draw_starts(data[data.label == "starts"], right)
    first = rows[rows.seed == 0]
    if len(first):
        truth_of(data).draw(left, first.lambda_1.iloc[0], first.n.iloc[0])
    left.set(xscale="log", xlabel="sparsity k/n", ylabel="variance / $\\lambda_1$")
    middle.set(xscale="log", xlabel="sparsity k/n", ylabel="variance against GRQI's, %")
    right.set(
        xlabel="first quotient $\\mu_0 / \\lambda_1$",
        ylabel="share of the starts within 2 %",
        ylim=(-0.03, 1.03),
    )
    for axis in axes.flat:
        name_lines(axis)


def _mark_found(main, starts, axes):
    """State the result of each panel in its title."""
    left, middle, right = axes.flat
    gpower1 = main[main.penalty == "gpower1"]
    if len(gpower1):
        raw, refitted_ = (base.medians(gpower1, base.apart(gpower1, s))[1] for s in base.FORMS)
        below = (base.apart(gpower1) < 0).sum()
        pairs = f"{below} of {len(gpower1)} pairs"
        left.set_title(f"GPower1 as returned is\nbelow GRQI in {pairs}")
        middle.set_title(
            f"GPower1 as returned: {number(raw.min(), '%')} to {number(raw.max(), '%')},\n"
            f"refitted: {number(refitted_.min(), '%')} to {number(refitted_.max(), '%')}"
        )
    shares = pd.DataFrame(starts.extra.tolist())
    if len(shares):
        ends = shares[shares.reading == "shift"].groupby("mu0").within.mean()
        right.set_title(
            f"near $\\lambda_1$ {number(ends.iloc[-1], 'share')} of the starts succeed,\n"
            f"far from it {number(ends.iloc[0], 'share')}"
        )


def _draw_starts(starts, axis):
    table = pd.DataFrame(starts.extra.tolist())
    if table.empty:
        return
    style = {key: v for key, v in look("grqi").items() if key != "linestyle"}
    for reading, line in READINGS.items():
        rows = table[table.reading == reading]
        thin = dict(color=style["color"], alpha=0.35, linewidth=0.8, linestyle=line)
        for k, rows_of_k in rows.groupby("k"):
            share = rows_of_k.groupby("mu0").within.mean()
            # the dotted lines have no labels, because they show the same cardinalities
            axis.plot(share.index, share, label=f"k = {k}" if line == "-" else None, **thin)
        share = rows.groupby("mu0").within.mean()
        axis.plot(share.index, share, linestyle=line, label=f"$\\mu_0$ of the {reading}", **style)
    mark_level(axis, 0.8, "needed: 80 % of the starts")
