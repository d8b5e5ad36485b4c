"""Asteris, Papailiopoulos, Dimakis (2014), Figure 3: faces and nonnegative sparse components.

The data are CBCL: 2429 faces of 19 x 19 pixels, contrast-normalised and centred; k = 40. Six
components are computed one after the other; the pixels of a component are removed before the next
component is computed. The methods are Algorithm 3 with d = 3, eps = 0.1 and N = ceil(eps^-d ln n)
samples, and EM with the best of 10 restarts. All components are shown on the same grey scale; the
number below a component is its variance as a percentage of lambda_1, and each sample has its own
scale and is shown with its raw grey values. The paper does not say how the faces were prepared:
contrast-normalised faces come closest to its numbers in Figure 4. Other readings use the raw grey
values.
"""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from spcabench import api, claims
from spcabench.claims import claim
from spcabench.figures._asteris2014 import ALG3, CALLED, CONTRAST, EM, MAIN
from spcabench.run import Run
from spcabench.showing.style import LETTERS
from spcabench.solving.call import arguments

PANELS, SIZE = (3, 6), (9.0, 5.2)
SIDE, COUNT, K = 19, 6, 40
METHODS = {"spannogram": ALG3, "em": EM}
ROWS = {"faces": "(a) samples", "spannogram": "(b) Alg. 3", "em": "(c) EM"}
PREPARED: dict[str, dict[str, Any]] = {MAIN: {}, CONTRAST: dict(contrast=True)}


# what runs


def runs(scale):
    """Run the same problems at both scales."""
    for label, parameters in PREPARED.items():
        yield Run(
            # the samples are shown without centring
            dataset="cbcl",
            parameters=dict(center=False, **parameters),
            function=faces,
            label=label,
        )
        for method in METHODS:
            yield Run(
                dataset="cbcl",
                parameters=parameters,
                function=parts,
                settings=dict(method=method),
                form="covariance",
                uses=(method,),
                label=label,
            )


def faces(problem, *, seed):
    """Return six of the samples, evenly spaced in the order of the file."""
    chosen = np.linspace(0, problem.m - 1, COUNT).astype(int)
    return {"images": (problem.data.X[chosen] * np.sqrt(problem.m)).tolist()}  # grey values


def parts(problem, *, seed, method):
    """Compute the components, the variances that they explain, and how compact each support is."""
    components = api.solve(
        problem,
        method,
        n_components=COUNT,
        k=K,
        deflation="drop_features",
        random_state=seed,
        **arguments(METHODS[method]),
    )
    # for later parts fewer pixels are left, so the random sets use the pixels left at each step
    free, rng, ranks = np.ones(problem.n, dtype=bool), np.random.default_rng(seed), []
    for result in components:
        W = result.support
        random = [neighbours(rng.permutation(np.flatnonzero(free))[: len(W)]) for _ in range(2000)]
        ranks.append(float(np.mean(neighbours(W) > np.array(random))))
        free[W] = False
    return {
        "images": components.Z.T.tolist(),
        "variances": components.variances.tolist(),
        "ranks": ranks,
    }


def neighbours(W):
    """Return the number of pairs of adjacent pixels in W."""
    image = np.zeros((SIDE, SIDE), dtype=bool)
    image.flat[W] = True
    return int((image[1:] & image[:-1]).sum() + (image[:, 1:] & image[:, :-1]).sum())


def compactness(W):
    """Return the mean squared distance of pixels from their centre, relative to a reference.

    The reference is the most compact set of as many consecutive pixels in reading order.
    """
    # pixels in reading order are what a method that ignores the image would return
    inertia = np.array([_inertia(np.arange(a, a + len(W))) for a in range(SIDE**2 - len(W) + 1)])
    return _inertia(W) / inertia.min()


def _inertia(W):
    places = np.column_stack(np.divmod(W, SIDE))
    return ((places - places.mean(axis=0)) ** 2).sum(axis=1).mean()


def data(table):
    """Return one row per image.

    name, place : row and column in the figure. share : variance as a fraction of lambda_1.
        compact : see `compactness`. random : fraction of random supports with at least as many
        pairs of adjacent pixels.
    """
    images = []
    for row in table.itertuples():
        name = row.settings.get("method", "faces")
        for place, image in enumerate(row.extra["images"]):
            item = dict(label=row.label, problem=row.problem, stand_in=row.stand_in, row=row.row)
            item |= dict(name=name, place=place, image=image)
            if name != "faces":
                item |= dict(
                    share=row.extra["variances"][place] / row.lambda_1,
                    compact=compactness(np.flatnonzero(image)),
                    random=1 - row.extra["ranks"][place],
                )
            images.append(item)
    return pd.DataFrame(images)


# what is drawn


def draw(data, axes):
    """Draw three rows of images, with the same scale for all components."""
    for axis in axes.flat:
        axis.set(xticks=[], yticks=[])
        axis.grid(False)
        axis.spines[:].set_visible(True)
    # the samples are shown as photographs, whatever the preparation of the components
    drawn = data[data.label == np.where(data.name == "faces", MAIN, CONTRAST)]
    parts = drawn[drawn.name != "faces"]
    # one scale for all parts makes their loadings comparable
    scale = dict(cmap="gray_r", vmin=0.0, vmax=max(map(np.max, parts.image), default=1.0))
    for row, (name, title) in enumerate(ROWS.items()):
        axes[row, 0].set_ylabel(title)
        for item in drawn[drawn.name == name].itertuples():
            axis, of_faces = axes[row, item.place], name == "faces"
            image = np.array(item.image).reshape(SIDE, SIDE)
            shown = axis.imshow(image, **(dict(cmap="gray") if of_faces else scale))
            if not of_faces:
                share = f"{100 * item.share:.1f} % of $\\lambda_1$"
                axis.set_xlabel(share, labelpad=2, fontsize=LETTERS)
    if len(parts):
        axes[0, 0].figure.colorbar(shown, ax=axes[1:, :], label="loading", shrink=0.8)


# what is claimed


@claim(
    "A1",
    "section 7, figure 3",
    "Fig. 3 reveals the ability of nonnegative sparse PCA to extract significant parts",
    measures="mean squared distance of the pixels of a part from their centre, over the smallest "
    "for as many pixels in reading order; mean of the six parts",
    unit="times",
    rule=claims.below(1),
    null=1.0,  # pixels in reading order
    also=[
        claims.Part(
            "neighbours",
            "share of 2000 random sets of pixels with as many pairs side by side as a part "
            "(largest of the six)",
            "share",
            claims.at_most(0.05),
        )
    ],
    deviates="A part of a face has no word in the table: closer together than pixels in reading "
    "order, with neighbours as only one in twenty random sets has. Which part it "
    "is, and whether it is significant, is not tested: any compact set of pixels passes.",
    changed="pixels in reading order passed as parts, because they have many neighbours",
    calibrated="58 % at k = 180",
)
def A1(data):
    """Judge the parts of EM too, because the quote is about nonnegative sparse PCA in general."""
    readings = {CONTRAST: CONTRAST, "raw": MAIN}
    for (name, label), (method, called) in product(readings.items(), CALLED.items()):
        parts = data[(data.name == method) & (data.label == label)]
        # the mean over fewer parts would be a different quantity
        if len(parts) == COUNT:
            for part, value in (("", parts.compact.mean()), ("neighbours", parts.random.max())):
                numbers = {"six parts": value}
                yield claims.numbers(parts, numbers, reading=f"{called}, {name}", part=part)
