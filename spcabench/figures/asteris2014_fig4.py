"""Asteris, Papailiopoulos, Dimakis (2014), Figure 4: variance of nonnegative components of faces
against k.

The data are CBCL: 2429 faces of 361 pixels, contrast-normalised and centred. Algorithm 3 uses d =
3, eps = 0.1 and N = ceil(eps^-d ln n) samples. EM uses the best of 10 restarts, from starts w of
both signs or from |w|, as the package of EM's authors does; the paper does not say which. For
NSPCA, a search tries to find a beta that gives k nonzeros; only the k that the search reached are
plotted. The shaded band extends from Algorithm 3's variance to q / (1 - eps) + lambda_4, capped at
lambda_1, where q is the variance of its component in the rank-3 matrix. This upper edge bounds the
optimum with probability 1 - 1/n. Variances are those of the vectors that the solvers return; EM's
vectors are renormalised. We added the right panel, which also uses the smallest bound that the
suite can certify. The picture and the verdicts use the contrast-normalised faces, which of seven
preparations that we tried come closest to the paper's 58 % for k = 180 (this number is therefore
not judged); another reading uses the raw grey values.
"""

from typing import Any

import numpy as np

from spcabench import claims
from spcabench.claims import claim, meaning
from spcabench.figures import _asteris2014 as base
from spcabench.figures import _asteris2014_trade_off as shared
from spcabench.figures._asteris2014 import CONTRAST
from spcabench.figures._truth import truth
from spcabench.run import Run
from spcabench.showing.style import legend_below, look

PANELS, SIZE = (1, 2), (11.5, 5.2)
K = 180  # the values in the paper
PREPARED: dict[str, dict[str, Any]] = {base.MAIN: {}, CONTRAST: dict(contrast=True)}


# what runs


def runs(scale):
    """Run k from 1 to 361 at paper scale, with 31 k for NSPCA."""
    paper = scale == "paper"
    every = list(range(1, 362)) if paper else base.grid(361, 24, [K])
    some = base.grid(361, 120 if paper else 16, [K])
    for (label, parameters), ks in zip(PREPARED.items(), (every, some), strict=True):
        yield from base.both("cbcl", parameters, ks, label, "covariance")
        common: dict[str, Any] = dict(dataset="cbcl", parameters=parameters, form="covariance")
        for k in np.linspace(1, 361, 31 if paper else 3).astype(int):
            # a search runs NSPCA dozens of times, and NSPCA is slow, so it uses three restarts and
            # a loose tolerance
            settings = dict(k=int(k), restarts=3, tol_F=1e-6)
            yield Run(solver="nspca", settings=settings, label=label, **common)
    # only for the plain data, to which the distances to the optimum belong
    yield from truth(scale, "cbcl", {}, 20, form="covariance", nonnegative=True)


data = base.data


# what is drawn


def draw(data, axes):
    """Plot the trade-off, with NSPCA for the k that its search reached."""
    title = f"The variances of Algorithm 3 and EM differ by {A2.told(data)}"
    shared.draw_trade_off(data, axes, title)
    style = look("nspca") | dict(linestyle="none", label=shared.NSPCA)
    nspca = data.rows[(data.rows.solver == "nspca") & (data.rows.label == CONTRAST)]
    hit = nspca[nspca.k == nspca.cardinality]
    axes.flat[0].plot(hit.k, hit.value, **style)
    legend_below(axes.flat[0])


# what is claimed

A13, A17, A22 = shared.A13, shared.A17, shared.A22


@claim(
    "A2",
    "section 7, figure 4",
    "Alg. 3 for d = 3 and eps = 0.1, and the EM algorithm exhibit nearly identical performance",
    rule=meaning.IDENTICAL,
    at=claims.every("values of k"),
    because="Where Algorithm 3 is lower, the rank-3 matrix that it maximises over has less of its "
    "component's variance than at large k.",
    calibrated="58 % at k = 180",
    **shared.APART,
)
def A2(data):
    """Judge both preparations, and the difference in the unit of the paper's axis."""
    yield from shared.beside_em(data, {CONTRAST: CONTRAST, "raw": base.MAIN})
    yield from shared.beside_em(data, {f"{CONTRAST}, in units of lambda_1": CONTRAST}, "of_top")
