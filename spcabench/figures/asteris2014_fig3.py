"""Asteris, Papailiopoulos, Dimakis (2014), Figure 3: faces, and six nonnegative sparse components
by each method.

CBCL, 2429 faces of 19 x 19 pixels, raw grey values, centred; k = 40. Six components one after the
other, the pixels of each removed before the next: Algorithm 3 with d = 3, eps = 0.1 and N =
ceil(eps^-d ln n) samples, and EM, best of 10 restarts. All components have one scale; under each
its variance as a share of lambda_1. The claim is judged on the raw values; the contrast-normalised
faces are listed.
"""

import numpy as np
import pandas as pd

from spcabench import api
from spcabench.claims import Statement, decided
from spcabench.figures._asteris2014 import ALG3, EM, MAIN
from spcabench.run import Measure

PANELS, SIZE = (3, 6), (9.0, 5.2)
SIDE, COUNT, K = 19, 6, 40
METHODS = {"spannogram": ALG3, "em": EM}
ROWS = {"faces": "(a) samples", "spannogram": "(b) Alg. 3", "em": "(c) EM"}

A1 = Statement(
    id="A1",
    quote="Fig. 3 reveals the ability of nonnegative sparse PCA to extract significant parts",
    where="section 7, figure 3",
    test="supports are disjoint, and each is a part: more of its pixels are neighbours (pairs side "
    "by side) than in 95 % of 2000 random sets of as many of the pixels that are free at its turn",
    threshold="all six components",
)


def runs(scale):
    """The same at both scales."""
    for label, parameters in ((MAIN, {}), ("contrast-normalised", dict(contrast=True))):
        yield Measure(
            dataset="cbcl", parameters=dict(center=False, **parameters), function=faces, label=label
        )
        for method in METHODS:
            yield Measure(
                dataset="cbcl",
                parameters=parameters,
                function=parts,
                settings=dict(method=method),
                form="covariance",
                uses=(method,),
                label=label,
            )


def faces(problem, *, seed):
    """Six of the samples, evenly spaced in the file's order."""
    chosen = np.linspace(0, problem.m - 1, COUNT).astype(int)
    return {"images": (problem.data.X[chosen] * np.sqrt(problem.m)).tolist()}  # grey values


def parts(problem, *, seed, method):
    """The components, what they explain, and how much of a part each support is."""
    components = api.components(
        problem, method, COUNT, k=K, deflation="drop_features", seed=seed, **METHODS[method]
    )
    free, rng, ranks = np.ones(problem.n, dtype=bool), np.random.default_rng(seed), []
    for result in components:
        W = result.support
        random = [neighbours(rng.permutation(np.flatnonzero(free))[: len(W)]) for _ in range(2000)]
        ranks.append(float(np.mean(neighbours(W) > np.array(random))))
        free[W] = False
    overlap = sum(r.cardinality for r in components) - np.count_nonzero(components.Z.any(axis=1))
    return {
        "images": components.Z.T.tolist(),
        "variances": components.variances.tolist(),
        "ranks": ranks,
        "overlap": int(overlap),
    }


def neighbours(W):
    """Pairs of pixels of W that are side by side."""
    image = np.zeros((SIDE, SIDE), dtype=bool)
    image.flat[W] = True
    return int((image[1:] & image[:-1]).sum() + (image[:, 1:] & image[:, :-1]).sum())


def data(table):
    """One row per image.

    name, place : row and column of the figure. share : of the variance. rank : among random
    supports. overlap : pixels in more than one component.
    """
    images = []
    for row in table.itertuples():
        name = row.settings.get("method", "faces")
        for place, image in enumerate(row.extra["images"]):
            more = (
                {}
                if name == "faces"
                else dict(
                    share=row.extra["variances"][place] / row.lambda_1,
                    rank=row.extra["ranks"][place],
                    overlap=row.extra["overlap"],
                )
            )
            images.append(dict(label=row.label, name=name, place=place, image=image, **more))
    return pd.DataFrame(images)


def draw(data, axes):
    """Three rows of images; components on a common scale."""
    for axis in axes.flat:
        axis.set(xticks=[], yticks=[])
        axis.grid(False)
        axis.spines[:].set_visible(True)
    main = data[data.label == MAIN]
    top = max((np.max(image) for image in main.image[main.name != "faces"]), default=1.0)
    for row, (name, title) in enumerate(ROWS.items()):
        axes[row, 0].set_ylabel(title)
        for item in main[main.name == name].itertuples():
            axis = axes[row, item.place]
            image = np.array(item.image).reshape(SIDE, SIDE)
            if name == "faces":
                axis.imshow(image, cmap="gray", vmin=0.0, vmax=255.0)
                continue
            shown = axis.imshow(image, cmap="gray_r", vmin=0.0, vmax=top)
            axis.set_xlabel(f"{100 * item.share:.1f} % of $\\lambda_1$", labelpad=2, fontsize=8)
    if top and (main.name != "faces").any():
        axes[0, 0].figure.colorbar(shown, ax=axes[1:, :], label="loading", shrink=0.8)


def claims(data):
    """A1 for each method."""
    for method in METHODS:
        mine = data[(data.name == method) & (data.label == MAIN)]
        parts_of_it = len(mine) == COUNT and bool(
            (mine["rank"] >= 0.95).all() and (mine.overlap == 0).all()
        )
        words = "; ".join(
            f"{label}: {_words(rows)}"
            for label, rows in data[data.name == method].groupby("label", sort=False)
        )
        yield A1.judged(
            decided(parts_of_it if len(mine) else None), words or "no runs", ROWS[method]
        )


def _words(rows):
    count = int((rows["rank"] >= 0.95).sum())
    low = 100 * rows.share.min()
    high = 100 * rows.share.max()
    shared = rows.overlap.max()
    return (
        f"{count} of {len(rows)} are parts, {shared:.0f} pixels shared, each {low:.1f} to "
        f"{high:.1f} % of lambda_1"
    )
