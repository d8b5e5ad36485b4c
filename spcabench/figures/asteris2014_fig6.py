"""Asteris, Papailiopoulos, Dimakis (2014), Figure 6: variance of nonnegative components of infrared
spectra, against k.

LRS, 531 spectra in 93 bands, centred. Algorithm 3 with d = 3, eps = 0.1 and N = ceil(eps^-d ln n)
samples; EM, best of 10 restarts. Shaded: from Algorithm 3's variance up to q / (1 - eps) + lambda_4
capped at lambda_1 (q its value on the rank-3 matrix), which bounds the optimum with probability 1 -
1/n; dotted: without 1 / (1 - eps), the other reading, which is no bound. Variances are as the
solvers give them, which for EM is after its renormalisation. The right panel is ours.
"""

from spcabench.claims import Statement
from spcabench.figures._asteris2014 import MAIN, both, draw_trade_off, grid, with_bounds
from spcabench.figures._asteris2014_claims import A13, A17, explained, lower, lowest, similar
from spcabench.figures._truth import truth

PANELS, SIZE = (1, 2), (10.0, 4.8)
N, K, LARGE = 93, 20, 90
PREPROCESSINGS = {
    "not centred": dict(center=False),
    "scaled": dict(scale=True),
    "physical fluxes": dict(factors=True),
}

A8 = Statement(
    id="A8",
    quote="Alg. 3 (d = 3, eps = 0.1) and the EM algorithm exhibit similar performance",
    where="figure 6, caption",
    test="variance of Algorithm 3 / variance of EM at equal k, as given and both refitted: median "
    "over all k of its distance from 1",
    threshold="interval at most 5 %",
    earlier=(
        dict(
            verdict="holds",
            measured="within 5 % in every band of k / n",
            reason="judged like A2 of figure 4 since; every band is a condition now",
        ),
    ),
)
A9 = Statement(
    id="A9",
    quote="for k = 20, the extracted nonnegative component captures at least 86% of the maximum "
    "variance",
    where="section 7, figure 6",
    test="variance of Algorithm 3 over the upper bound at k = 20, in both readings of the bound",
    threshold="at least 86 %, to the printed digits",
)
A10 = Statement(
    id="A10",
    quote="For values closer to k = 90, where the computed PC is nonnegative but no longer sparse, "
    "this value climbs to nearly 93%",
    where="section 7, figure 6",
    test="variance of Algorithm 3 over the upper bound at k = 90, in both readings of the bound",
    threshold="at least 93 %, to the printed digits",
)


def runs(scale):
    """Paper: every k from 1 to 93; other preprocessings at 12 of them."""
    paper = scale == "paper"
    yield from both(
        "lrs", {}, range(1, N + 1) if paper else grid(N, 24, [K, LARGE]), MAIN, "covariance"
    )
    yield from truth(scale, "lrs", {}, 10, form="covariance", nonnegative=True)
    for label, parameters in PREPROCESSINGS.items():
        yield from both(
            "lrs", parameters, grid(N, 12, [K, LARGE]) if paper else [K, LARGE], label, "covariance"
        )


data = with_bounds


def draw(data, axes):
    """The trade-off."""
    draw_trade_off(data, axes, {K: 86.0, LARGE: 93.0})


def claims(data):
    """A8 to A10, A13, A17."""
    for column, name in (("value", "as given"), ("refit", "refitted")):
        verdict, words, conditions = similar(data, column, 0.05)
        yield A8.judged(verdict, words, name, conditions=conditions)
    yield from explained(A9, data, K, 86.0, 0)
    cause = (
        "The bound is q / (1 - eps) + lambda_4, so that at eps = 0.1 no share exceeds 90 % of "
        "lambda_1 until the cap at lambda_1 is met; no preparation tried climbs from 86 to 93 %."
    )
    yield from explained(A10, data, LARGE, 93.0, 0, cause=cause)
    yield lowest(A13, data, 40.0)
    yield lower(A17, data, "uncapped", "apriori")
