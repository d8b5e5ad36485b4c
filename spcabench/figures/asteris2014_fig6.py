"""Asteris, Papailiopoulos, Dimakis (2014), Figure 6: variance of nonnegative components of infrared
spectra against k.

The data are LRS: 531 spectra in 93 bands, not centred. Algorithm 3 uses d = 3, eps = 0.1 and N =
ceil(eps^-d ln n) samples. EM uses the best of 10 restarts, from starts w of both signs or from |w|,
as the package of EM's authors does; the paper does not say which. The shaded band extends from
Algorithm 3's variance to q / (1 - eps) + lambda_4, capped at lambda_1, where q is the variance of
its component in the rank-3 matrix. This upper edge bounds the optimum with probability 1 - 1/n.
Variances are those of the vectors that the solvers return; EM's vectors are renormalised. We added
the right panel, which also uses the smallest bound that the suite can certify. The picture and the
first reading use the uncentred spectra, because the paper's component for k = 90 is not sparse, and
Algorithm 3's component of the centred spectra is sparse for every k (its number of nonzeros is
therefore not judged).
"""

from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd

from spcabench import claims
from spcabench.claims import claim, meaning
from spcabench.figures import _asteris2014 as base
from spcabench.figures import _asteris2014_trade_off as shared
from spcabench.figures._asteris2014 import UNCENTRED
from spcabench.figures._truth import truth

# for A21, which compares the data sets
SHARES = ("asteris2014_fig4", "asteris2014_fig5")
PANELS, SIZE = (1, 2), (11.5, 5.2)
N, K, LARGE = 93, 20, 90
# k/n at the k for which the paper prints a number: genes, spectra, faces, spectra
PAPER_SHARES = (50 / 12582, K / N, 180 / 361, LARGE / N)
PREPROCESSINGS = {
    UNCENTRED: dict(center=False),
    "scaled": dict(scale=True),
    "physical fluxes": dict(factors=True),
}


# what runs


def runs(scale):
    """Run every k from 1 to 93 at paper scale, and about 12 values of k for other preparations."""
    paper = scale == "paper"
    # there are only 93 bands, so every k is affordable
    ks = list(range(1, N + 1)) if paper else base.grid(N, 24, [K, LARGE])
    yield from base.both("lrs", {}, ks, base.MAIN, "covariance")
    yield from truth(scale, "lrs", {}, 10, form="covariance", nonnegative=True)
    few = base.grid(N, 12, [K, LARGE])
    for label, parameters in PREPROCESSINGS.items():
        yield from base.both("lrs", parameters, few, label, "covariance")


def data(table):
    """Return the data of the trade-off, and those of the three data sets for A21."""
    prepared = base.data(table[table.dataset == "lrs"])
    prepared.others = [base.data(rows) for _, rows in table.groupby("dataset", sort=False)]
    return prepared


# what is drawn


def draw(data, axes):
    """Plot the trade-off between variance and cardinality."""
    title = f"The variances of Algorithm 3 and EM differ by {A8.told(data)}"
    shared.draw_trade_off(data, axes, title)


# what is claimed

# reading -> label
PREPARED = {UNCENTRED: UNCENTRED, "centred": base.MAIN, **{of: of for of in PREPROCESSINGS}}
CHOSEN = "a component that is not sparse at k = 90"
A13, A17, A22 = shared.A13, shared.A17, shared.A22

A8 = claim(
    "A8",
    "figure 6, caption",
    "Alg. 3 (d = 3, eps = 0.1) and the EM algorithm exhibit similar performance",
    rule=meaning.SIMILAR,
    at=claims.every("values of k"),
    rows=partial(shared.beside_em, prepared=PREPARED),
    calibrated=CHOSEN,
    **shared.APART,
)


@claim(
    "A9",
    "section 7, figure 6",
    "for k = 20, the extracted nonnegative component captures at least 86% of the maximum "
    "variance. For values closer to k = 90, where the computed PC is nonnegative but no longer "
    "sparse, this value climbs to nearly 93%",
    kind="number",
    measures=f"{shared.EXPLAINED} at k = {K}",
    unit="%",
    rule=meaning.printed_or_more("86"),
    null=100 * K / N,  # random variables
    also=[
        claims.Part("k = 90", f"the same at k = {LARGE}", "%", meaning.printed("93")),
        claims.Part("climb", "the second number over the first one", "times", meaning.MORE),
    ],
    paper=[claims.PaperNumber(86), claims.PaperNumber(93, part="k = 90")],
    changed="86 % had to have the printed digits, but the words are 'at least'; before that, "
    "a quarter less or more was the number, and the two were two statements; before that, "
    "any larger number held, even without a climb",
    deviates="The paper does not say how the spectra were prepared, and 93 % is a number, not a "
    "limit. Spectra that are not centred, or are physical fluxes, miss it from above: more is "
    "closer to the optimum than stated (see A13), but does not reproduce the number. Centred and "
    "scaled spectra miss it from below.",
    because=shared.RANK_ONE,
    calibrated=CHOSEN,
)
def A9(data):
    """Judge both numbers and the climb for each preparation."""
    for part, k in (("", K), ("k = 90", LARGE)):
        yield from shared.by_preparation(data, PREPARED, "explained", [k], part=part)
    for reading, label in PREPARED.items():
        rows = data.mine[data.mine.label == label]
        share = rows.set_index("k").explained
        # at the quick scale, one of the two k can be missing for a preparation
        if {K, LARGE} <= {*share.index}:
            climb = {f"k = {K} to {LARGE}": share[LARGE] / share[K]}
            yield claims.numbers(rows, climb, reading=reading, part="climb")


@claim(
    "A21",
    "abstract",
    "approximation guarantees contingent on the spectral profile of the input matrix A: the "
    "sharper the eigenvalue decay, the better the quality of the approximation",
    measures="share of its bound that Algorithm 3 explains on the data set with the smaller "
    "lambda_4 / lambda_1 / that on the other one, at equal k/n (those of the paper's k that all "
    "data sets have), interpolated between our k",
    unit="times",
    rule=meaning.MORE,
    at=claims.every("pairs of data sets and k/n", least=6),
    null=1.0,
    changed="the data sets were compared at the paper's k, which are .4 to 50 % of the variables, "
    "but the guarantee depends on k/n; only the calibrated data were judged",
    because={
        "raw faces, centred spectra": "It fails at one place, at k/n = 0.97, where the paper calls "
        "the component no longer sparse and the two lambda_4 / lambda_1 are nearly equal."
    },
    calibrated=shared.CHOSEN,
)
def A21(data):
    """Compare each pair of the paper's data sets, under each preparation."""
    for name, labels in shared.PREPARATIONS.items():
        chosen = [(of, of.mine[of.mine.label == labels[of.name]]) for of in data.others]
        if all(len(rows) for _, rows in chosen):
            yield from _compared({of.name: rows for of, rows in chosen}, name)


def _compared(rows_of, name):
    """Yield the ratio of the explained shares for each pair of data sets and each k/n."""
    shares = {of: (rows.k / rows.n).astype(float) for of, rows in rows_of.items()}
    lowest = max(share.min() for share in shares.values())
    asked = [share for share in PAPER_SHARES if share >= lowest]
    decay = {of: (rows.lambda_next / rows.lambda_1).iloc[0] for of, rows in rows_of.items()}
    note = (
        f"lambda_4 / lambda_1: {', '.join(f'{of} {number:.3f}' for of, number in decay.items())}."
    )
    for sharper, other in combinations(sorted(rows_of, key=decay.__getitem__), 2):
        of_both = [
            np.interp(asked, *_ascending(shares[of], rows_of[of].explained))
            for of in (sharper, other)
        ]
        ratios = {
            f"{sharper} over {other}, k/n = {share:.2f}": ratio
            for share, ratio in zip(asked, of_both[0] / of_both[1], strict=True)
        }
        used = pd.concat([rows_of[sharper], rows_of[other]])
        yield claims.noted(claims.numbers(used, ratios, reading=name), note)
        note = ""  # once for each reading


def _ascending(x, y):
    """Return x in ascending order, and the values of y with it."""
    order = np.argsort(x, kind="stable")
    return x.iloc[order], y.astype(float).iloc[order]
