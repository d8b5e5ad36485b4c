"""Asteris, Papailiopoulos, Dimakis (2014), Figure 4: variance of nonnegative components of faces
against k.

The data are CBCL: 2429 faces of 361 pixels, contrast-normalised and centred. Algorithm 3 uses d =
3, eps = 0.1 and N = ceil(eps^-d ln n) samples. EM uses the best of 10 restarts. For NSPCA, a search
tries to find a beta that gives k nonzeros; only the k that the search reached are plotted. The
shaded band extends from Algorithm 3's variance to q / (1 - eps) + lambda_4, capped at lambda_1,
where q is the variance of its component in the rank-3 matrix. This upper edge bounds the optimum
with probability 1 - 1/n. The dotted line omits the factor 1 / (1 - eps), another reading of the
paper, and is not a bound. Variances are those of the vectors that the solvers return; EM's vectors
are renormalised. We added the right panel. The verdicts use the contrast-normalised faces, which
come closest to the paper's 58 % for k = 180; the thinner line shows the raw grey values.
"""

from typing import Any

import numpy as np
import pandas as pd

from spcabench import claims
from spcabench.claims.words import listed, number, span
from spcabench.figures import _asteris2014 as base
from spcabench.figures import _asteris2014_claims as shared
from spcabench.figures._asteris2014_claims import CONTRAST
from spcabench.figures._truth import truth
from spcabench.run import Run
from spcabench.style import legend_below, look

PANELS, SIZE = (1, 2), (11.5, 5.2)
K = 180  # the values in the paper
COARSE = 0.5
ACCURACIES = (
    *((d, base.EPS) for d in (1, 2, base.D)),
    *((base.D, eps) for eps in (COARSE, 0.2)),
    (4, 0.2),
)
PREPROCESSINGS: dict[str, dict[str, Any]] = {
    CONTRAST: dict(contrast=True),
    "not centred": dict(center=False),
    "scaled": dict(scale=True),
    "standardised faces": dict(each="standardised"),
    "faces of norm one": dict(each="norm one"),
    "contrast-normalised, scaled pixels": dict(contrast=True, scale=True),
}
# reading -> label; the first reading determines the verdict
PREPARED = {CONTRAST: CONTRAST, "raw": base.MAIN, **{of: of for of in PREPROCESSINGS}}
WHY: dict[str, Any] = dict(
    why=shared.CALIBRATION.format("faces", "its 58 % at k = 180 (A3)"), calibrated_by="A3"
)
WHERE = "section 7, figure 4"
A13, A17 = shared.A13, shared.A17

A2 = shared.like_em(
    "A2",
    2,
    PREPARED,
    where=WHERE,
    quote="Alg. 3 for d = 3 and eps = 0.1, and the EM algorithm exhibit nearly identical "
    "performance",
    headline=dict(
        holds="On faces the variances of Algorithm 3 and EM differ by at most {high} at every k.",
        fails="On faces the variances of Algorithm 3 and EM differ by more than 2 % at "
        "{fails_count} of {count} k, and by at most {high}.",
        undecided="On faces the variances of Algorithm 3 and EM differ by {range}.",
    ),
    **WHY,
)


@A2.because
def _rank_three(data, judged):
    rows = base.by_cardinality(data, "spannogram", CONTRAST)
    quotient = shared.ratio(data, "value", CONTRAST)
    apart = quotient[(quotient - 1).abs() > 0.02]
    # what Algorithm 3 maximises, as a fraction of the bound
    seen = rows.q / rows.variance
    return (
        f"Algorithm 3 is lower at {(apart < 1).sum()} of the {len(apart)} k, which lie between "
        f"{apart.index.min():.0f} and {apart.index.max():.0f}: the rank-3 matrix that it maximises "
        f"over has {span(seen[apart.index], 'share')} of its component's variance there, and "
        f"{number(seen.iloc[-1], 'share')} at k = {seen.index[-1]:.0f}."
    )


A3 = shared.of_the_optimum(
    "A3",
    K,
    58,
    PREPARED,
    where=WHERE,
    quote="for k = 180, the extracted component explains at least 58% of the variance explained by "
    "the true nonnegative, k-sparse PC",
    why="it comes closer to the paper's number than the other available preparations",
    changed="it now chooses the preparation of the faces, and is no longer judged",
    calibration=True,
)

A19 = claims.Statement(
    "A19",
    where=WHERE,
    quote="NSPCA does not allow for a precise control of the sparsity of its output",
    kind="comparison",
    measures="share of the k for which the search of beta gave a component with exactly k nonzeros",
    unit="share",
    rule=claims.below(0.9),
    primary="contrast-normalised",
    **WHY,
)


@A19.measured
def _hits(data):
    for name, label in PREPARED.items():
        # rows in which the search missed k are included, because the statement is about them
        requested = shared.rows_of(data, label, "nspca")
        hit = requested.k[requested.k == requested.cardinality].sort_values()
        if len(requested):
            place = claims.Place("all k", claims.exact(len(hit) / len(requested)))
            note = f"{len(hit)} of {len(requested)} k hit: {', '.join(f'{k:.0f}' for k in hit)}."
            yield claims.Reading(name, [place], requested, [note])


A20 = claims.Statement(
    "A20",
    where=WHERE,
    quote="The quality of the bound depends on the accuracy parameters d and eps",
    kind="comparison",
    measures=f"variance / bound at k = {K}, with d = {base.D} over that with d = 1, eps = "
    f"{base.EPS}",
    unit="times",
    rule=claims.at_least(1.1),
    also=[
        claims.Part(
            "eps",
            f"the same with eps = {base.EPS} over that with eps = {COARSE}, d = {base.D}",
            "times",
            claims.at_least(1.1),
        )
    ],
    primary=CONTRAST,
    changed="the rule has not changed, but a trial with eps = 0.5 had been seen before its commit",
    pending="It needs runs of Algorithm 3 with other d and eps.",
    **WHY,
)


@A20.measured
def _accuracy(data):
    rows = data[data.label == base.ACCURACY]
    for name, label in PREPARED.items():
        prepared = dict(PREPROCESSINGS).get(label, {})
        mine = rows[rows.parameters.map(lambda p, of=prepared: p == of).astype(bool)]
        shares = {(e["d"], e["eps"]): np.array(e["shares"]) for e in mine.extra}
        if len(shares) < 2:
            continue
        fine = shares[base.D, base.EPS]
        places = [
            claims.Place(f"k = {K}", _over_draws(fine / shares[1, base.EPS])),
            claims.Place(f"k = {K}", _over_draws(fine / shares[base.D, COARSE]), part="eps"),
        ]
        told = [
            f"{number(100 * of.mean(), '%')} with d = {d}, eps = {eps:g}"
            for (d, eps), of in shares.items()
        ]
        yield claims.Reading(name, places, mine, [f"Algorithm 3 has {', '.join(told)}."])


def _over_draws(ratios):
    """Return the geometric mean over the random draws of Algorithm 3's samples."""
    table = pd.DataFrame(dict(ratio=ratios, draw=range(len(ratios))))
    return claims.geometric_mean(table, "ratio", "draw", "draws")


@A20.because
def _capped(data, judged):
    """State Algorithm 3's percentage of its bound for coarse d or eps."""
    rows = data[(data.label == base.ACCURACY) & data.parameters.map(lambda p: "contrast" in p)]
    shares = {(e["d"], e["eps"]): 100 * np.mean(e["shares"]) for e in rows.extra}
    told = [
        f"{number(shares[d, eps], '%')} with d = {d}, eps = {eps:g}"
        for d, eps in ((base.D, base.EPS), (1, base.EPS), (base.D, COARSE))
        if (d, eps) in shares
    ]
    return f"Algorithm 3 has {listed(told)}, as lambda_1 caps the bound." if told else ""


def runs(scale):
    """Run k from 1 to 361 at paper scale, with 31 k for NSPCA and 12 for other preparations."""
    paper = scale == "paper"
    ks = range(1, 362) if paper else base.grid(361, 24, [K])
    yield from base.both("cbcl", {}, ks, base.MAIN, "covariance")
    # only for the plain data, which the picture shows
    yield from truth(scale, "cbcl", {}, 20, form="covariance", nonnegative=True)
    for label, parameters in PREPROCESSINGS.items():
        if label == CONTRAST:
            # a fine grid for the preparation that is judged, and enough k to state a range for the
            # other preparations
            some = base.grid(361, 120 if paper else 16, [K])
        else:
            some = base.grid(361, 12, [K]) if paper else [20, K]
        yield from base.both("cbcl", parameters, some, label, "covariance")
    for label, parameters in ((base.MAIN, {}), (CONTRAST, PREPROCESSINGS[CONTRAST])):
        for d, eps in ACCURACIES:
            yield Run(
                dataset="cbcl",
                parameters=parameters,
                function=base.guarantee,
                settings=dict(k=K, d=d, eps=eps, draws=5),
                form="covariance",
                label=base.ACCURACY,
                uses=("spannogram",),
            )
        for k in np.linspace(1, 361, 31 if paper else 3).astype(int):
            yield Run(
                dataset="cbcl",
                parameters=parameters,
                solver="nspca",
                # a search runs NSPCA dozens of times, and NSPCA is slow, so it uses three restarts
                # and a loose tolerance
                settings=dict(k=int(k), restarts=3, tol_F=1e-6),
                form="covariance",
                label=label,
            )


data = base.with_bounds


def draw(data, axes):
    """Plot the trade-off, with NSPCA for the k that its search reached."""
    base.draw_trade_off(data, axes, {K: 58.0}, CONTRAST, "raw grey values", xscale="log")
    requested = base.by_cardinality(data, "nspca", CONTRAST)
    hit = requested[requested.index == requested.cardinality]
    style = look("nspca") | dict(linestyle="none", label=base.NAMES["nspca"])
    axes.flat[0].plot(hit.index, hit.value, **style)
    legend_below(axes.flat[0])
