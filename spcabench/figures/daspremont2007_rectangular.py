"""d'Aspremont et al. (2007): the rectangular relaxation on small random matrices, compared with
brute force.

The entries of A (m, n) are drawn from N(0, 1). The value and the bound of the relaxation are
certified: the value is that of a feasible X, and the bound is that of a feasible dual. The pair
consists of the leading singular vectors of X12, truncated to k1 and k2 entries; the next column
shows the pair after a refit on its supports. The optimum is the maximum over all pairs of supports.
All values are relative to the largest singular value of A.
"""

import pandas as pd

from spcabench import claims
from spcabench.claims import claim
from spcabench.figures._daspremont2007 import pair
from spcabench.figures.daspremont2007_artificial import LATE
from spcabench.run import Run
from spcabench.showing.style import MARKERS, PALETTE, mark_level, name_lines

PANELS, SIZE = (1, 1), (11.5, 3.8)
# shapes of square and non-square matrices, small enough to try all pairs of supports
SHAPES = ((6, 5), (6, 6), (7, 6), (8, 7), (8, 8))
CARDINALITIES = ((2, 2), (3, 2), (3, 4))
COLUMNS = ["optimum", "value", "bound", "pair", "refit"]
HEAD = ["A", "k1", "k2", "optimum", "relaxation", "bound", "pair", "refitted", "bound / optimum"]


# what runs


def runs(scale):
    """Run the same problems at both scales."""
    for m, n in SHAPES:
        for k_u, k in CARDINALITIES:
            yield Run(
                dataset="gaussian",
                parameters=dict(m=m, n=n, seed=1),
                function=pair,
                settings=dict(k_u=k_u, k=k),
                uses=("exact_sdp_rectangular",),
            )


def data(table):
    """Return a row for each instance, with the ratio of the bound and the optimum."""
    numbers = pd.DataFrame([*table.extra])
    numbers = numbers.assign(
        shape=["{} x {}".format(*shape) for shape in numbers["shape"]],
        ratio=numbers.bound / numbers.optimum,
    )
    return numbers.assign(problem=table.problem, stand_in=table.stand_in)


# what is drawn


def tables(data):
    """List every instance for the page, relative to the largest singular value."""
    shares = data[COLUMNS].div(data.top, axis=0).join(data.ratio)
    lines = [
        [shape, *map(str, ks), *(f"{value:.4f}" for value in values)]
        for shape, ks, values in zip(data["shape"], data.k, shares.to_numpy(), strict=True)
    ]
    return [{"title": "instances", "head": HEAD, "lines": lines}]


def draw(data, axes):
    """Plot the bound and the pair of each instance relative to the optimum."""
    axis = axes.flat[0]
    series = {"bound": "certified bound", "pair": "pair", "refit": "pair, refitted"}
    for (column, name), marker, colour in zip(series.items(), MARKERS, PALETTE, strict=False):
        style = dict(linestyle="none", marker=marker, color=colour, label=name)
        axis.plot(data[column] / data.optimum, **style)
    mark_level(axis, 1.0, "optimum")
    axis.set_xlim(-1.4, len(data) - 0.5)  # leave room for the name
    names = [f"{of['shape']}\n{of.k[0]}, {of.k[1]}" for _, of in data.iterrows()]
    axis.set_xticks(range(len(data)), names)
    axis.set_title(f"the smallest bound of each shape is {D13.told(data)} the optimum")
    axis.set(xlabel="size of A, and the cardinalities k1, k2", ylabel="value / the best pair's")
    name_lines(axis)


# what is claimed


@claim(
    "D13",
    "semidefinite relaxation",
    "The above formula can be extended to case of non-square matrices",
    kind="theorem",
    measures="smallest certified bound of the rectangular relaxation / the optimum over all pairs "
    "of supports",
    unit="times",
    rule=claims.at_least(1 - 1e-6),
    at=claims.every("shapes"),
    primary="certified bound",
    why="every pair is feasible for a relaxation, so its bound is never below the best pair",
    changed=LATE,
)
def D13(data):
    """Judge the smallest ratio of each shape, because one bound below the optimum refutes it."""
    return claims.each(data, "shape", "ratio", "{}", how="min", reading=D13.primary)
