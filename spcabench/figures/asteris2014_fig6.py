"""Asteris, Papailiopoulos, Dimakis (2014), Figure 6: variance of nonnegative components of infrared
spectra against k.

The data are LRS: 531 spectra in 93 bands, not centred. Algorithm 3 uses d = 3, eps = 0.1 and N =
ceil(eps^-d ln n) samples. EM uses the best of 10 restarts. The shaded band extends from Algorithm
3's variance to q / (1 - eps) + lambda_4, capped at lambda_1, where q is the variance of its
component in the rank-3 matrix. This upper edge bounds the optimum with probability 1 - 1/n. The
dotted line omits the factor 1 / (1 - eps), another reading of the paper, and is not a bound.
Variances are those of the vectors that the solvers return; EM's vectors are renormalised. We added
the right panel; its thinner line shows the centred spectra. The verdicts use the uncentred spectra,
because Algorithm 3's component of the centred spectra for k = 90 has only 11 nonzeros.
"""

from dataclasses import replace
from typing import Any

from spcabench import claims
from spcabench.figures import _asteris2014 as base
from spcabench.figures import _asteris2014_claims as shared
from spcabench.figures._asteris2014_claims import UNCENTRED
from spcabench.figures._truth import truth

PANELS, SIZE = (1, 2), (11.5, 5.2)
N, K, LARGE = 93, 20, 90
PREPROCESSINGS = {
    UNCENTRED: dict(center=False),
    "scaled": dict(scale=True),
    "physical fluxes": dict(factors=True),
}
# reading -> label; the first reading determines the verdict
PREPARED = {UNCENTRED: UNCENTRED, "centred": base.MAIN, **{of: of for of in PREPROCESSINGS}}
SPECTRA: dict[str, Any] = dict(
    why=shared.CALIBRATION.format("spectra", "its component that is not sparse at k = 90 (A10b)"),
    calibrated_by="A10b",
)
WHERE = "section 7, figure 6"
# the value must climb, and its ratio may exceed the paper's ratio by at most a quarter
CLIMB = claims.Part(
    "climb", "that over the same at k = 20", "times", claims.Rule(1, 1.25 * 93 / 86, ends=False)
)
A13, A17 = shared.A13, shared.A17

A8 = shared.like_em(
    "A8",
    5,
    PREPARED,
    where="figure 6, caption",
    quote="Alg. 3 (d = 3, eps = 0.1) and the EM algorithm exhibit similar performance",
    **SPECTRA,
)

A9 = shared.of_the_optimum(
    "A9",
    K,
    86,
    PREPARED,
    where=WHERE,
    quote="for k = 20, the extracted nonnegative component captures at least 86% of the maximum "
    "variance",
    **SPECTRA,
)

A10 = shared.of_the_optimum(
    "A10",
    LARGE,
    93,
    PREPARED,
    where=WHERE,
    quote="For values closer to k = 90, where the computed PC is nonnegative but no longer sparse, "
    "this value climbs to nearly 93%",
    also=[CLIMB],
    changed="any larger number held, even without a climb: any 90 of the 93 bands passed",
    **SPECTRA,
)


@A10.measured
def _climbs(data):
    # at the quick scale, one of the two k can be missing for a preparation
    low = {r.name: r.places[0].measured.value for r in shared.explained(data, K, PREPARED)}
    for reading in shared.explained(data, LARGE, PREPARED):
        if reading.name in low:
            climb = claims.exact(reading.places[0].measured.value / low[reading.name])
            climbs = claims.Place(f"k = {K} to {LARGE}", climb, part="climb")
            yield replace(reading, places=[*reading.places, climbs])


A10.because(shared.nearly_rank_one)

A10b = claims.Statement(
    "A10b",
    where=WHERE,
    quote="For values closer to k = 90, where the computed PC is nonnegative but no longer sparse",
    kind="number",
    measures="nonzeros of Algorithm 3's component at k = 90",
    unit="nonzeros",
    rule=claims.about(LARGE),
    paper=[claims.PaperNumber(LARGE)],
    primary="not centred",
    why="it gives a component that is not sparse, and it changes nothing in the data",
    calibration=True,
)


@A10b.measured
def _nonzeros(data):
    for name, label in PREPARED.items():
        rows = base.by_cardinality(data, "spannogram", label)
        if LARGE in rows.index:
            place = claims.Place(f"k = {LARGE}", claims.exact(rows.cardinality[LARGE]))
            yield claims.Reading(name, [place], shared.rows_of(data, label))


def runs(scale):
    """Run every k from 1 to 93 at paper scale, and about 12 values of k for other preparations."""
    paper = scale == "paper"
    # there are only 93 bands, so every k is affordable
    ks = list(range(1, N + 1)) if paper else base.grid(N, 24, [K, LARGE])
    yield from base.both("lrs", {}, ks, base.MAIN, "covariance")
    yield from truth(scale, "lrs", {}, 10, form="covariance", nonnegative=True)
    few = base.grid(N, 12, [K, LARGE]) if paper else [K, LARGE]
    for label, parameters in PREPROCESSINGS.items():
        yield from base.both("lrs", parameters, few, label, "covariance")


data = base.with_bounds


def draw(data, axes):
    """Plot the trade-off between variance and cardinality."""
    base.draw_trade_off(data, axes, {K: 86.0, LARGE: 93.0}, UNCENTRED, "centred", xscale="log")
    rows = base.by_cardinality(data, "spannogram", UNCENTRED)
    if LARGE in rows.index:
        # the title states why the uncentred spectra are judged
        nonzeros = base.by_cardinality(data, "spannogram").cardinality.get(LARGE, float("nan"))
        axes.flat[1].set_title(
            f"{rows.cardinality[LARGE]:.0f} nonzeros at $k$ = {LARGE}, where centred spectra have "
            f"{nonzeros:.0f}"
        )
