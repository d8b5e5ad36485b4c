"""d'Aspremont et al. (2007): the rectangular relaxation on small random matrices, compared with
brute force.

The entries of A (m, n) are drawn from N(0, 1). The value and the bound of the relaxation are
certified: the value is that of a feasible X, and the bound is that of a feasible dual. The pair
consists of the leading singular vectors of X12, truncated to k1 and k2 entries; the next column
shows the pair after a refit on its supports. The optimum is the maximum over all pairs of supports.
All values are relative to the largest singular value of A.
"""

from itertools import combinations

import numpy as np

from spcabench import api, claims
from spcabench.claims.words import counted, span
from spcabench.figures.daspremont2007_artificial import LATE
from spcabench.run import Run
from spcabench.style import MARKERS, PALETTE, mark_level, name_lines

PANELS, SIZE = (1, 1), (11.5, 3.8)
# shapes of square and non-square matrices, small enough to try all pairs of supports
SHAPES = ((6, 5), (6, 6), (7, 6), (8, 7), (8, 8))
CARDINALITIES = ((2, 2), (3, 2), (3, 4))
COLUMNS = ("optimum", "value", "bound", "pair", "refit")
HEAD = ["A", "k1", "k2", "optimum", "relaxation", "bound", "pair", "refitted", "bound / optimum"]

D13 = claims.Statement(
    id="D13",
    where="semidefinite relaxation",
    quote="The above formula can be extended to case of non-square matrices",
    kind="theorem",
    measures="smallest certified bound of the rectangular relaxation / the optimum over all pairs "
    "of supports",
    unit="times",
    rule=claims.at_least(1 - 1e-6),
    over=claims.every("shapes"),
    primary="certified bound",
    why="every pair is feasible for a relaxation, so its bound is never below the best pair",
    changed=LATE,
)


@D13.measured
def _relaxes(data):
    bounds = np.array([e["bound"] / e["optimum"] for e in data.extra])
    shapes = [f"{m} x {n}" for m, n in (e["shape"] for e in data.extra)]
    rows = data.assign(ratio=bounds, shape=shapes)
    # the smallest ratio of each shape, because one bound below the optimum refutes the theorem
    places = claims.places(rows, "shape", lambda of: claims.exact(of.ratio.min()), "{}")
    best = sum(e["refit"] >= (1 - 1e-6) * e["optimum"] for e in data.extra)
    note = (
        f"The bound is at most {100 * (bounds.max() - 1):.1f} % above the optimum; after a refit, "
        f"the resulting pair is the best in {best} of {counted(len(rows), 'instances')}."
    )
    yield claims.Reading("certified bound", places, rows, [note])


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


def pair(problem, *, seed, k_u, k):
    """Solve the relaxation on A (m, n), and find the best of all pairs of supports."""
    A = problem.data.dense()
    result = api.solve(problem, "exact_sdp_rectangular", k=k, k_u=k_u)
    assert result.u is not None and result.singular_value is not None
    return {
        "shape": list(A.shape),
        "k": [k_u, k],
        "optimum": max(
            norm(A, R, C)
            for R in combinations(range(len(A)), k_u)
            for C in combinations(range(A.shape[1]), k)
        ),
        "value": result.relaxation_value,
        "bound": result.relaxation_bound,
        # the sign of a pair of singular vectors is arbitrary
        "pair": abs(result.singular_value),
        # the relaxation shrinks its loadings and serves to find the supports
        "refit": norm(A, np.flatnonzero(result.u), result.support),
        # matrices differ in scale, so all values are divided by this one
        "top": float(np.linalg.norm(A, 2)),
    }


def norm(A, R, C):
    """Return the largest singular value of the rows R and columns C of A."""
    return float(np.linalg.norm(A[np.ix_(R, C)], 2))


def tables(data):
    """List every instance for the page, relative to the largest singular value."""
    lines = []
    for numbers in data.extra:
        shares = [f"{numbers[name] / numbers['top']:.4f}" for name in COLUMNS]
        m, n = numbers["shape"]
        ratio = f"{numbers['bound'] / numbers['optimum']:.4f}"
        lines.append([f"{m} x {n}", *(str(k) for k in numbers["k"]), *shares, ratio])
    return [{"title": "instances", "head": HEAD, "lines": lines}]


def draw(data, axes):
    """Plot the bound and the pair of each instance relative to the optimum.

    The page also shows the table.
    """
    axis = axes.flat[0]
    names = [
        f"{m} x {n}\n{k_u}, {k}" for (m, n), (k_u, k) in ((e["shape"], e["k"]) for e in data.extra)
    ]
    series = {"bound": "certified bound", "pair": "pair", "refit": "pair, refitted"}
    for (column, name), marker, colour in zip(series.items(), MARKERS, PALETTE, strict=False):
        ratio = [numbers[column] / numbers["optimum"] for numbers in data.extra]
        style = dict(linestyle="none", marker=marker, color=colour, label=name)
        axis.plot(range(len(ratio)), ratio, **style)
    mark_level(axis, 1.0, "optimum")
    axis.set_xlim(-1.4, len(names) - 0.5)  # leave room for the name
    axis.set_xticks(range(len(names)), names)
    bounds = [100 * (e["bound"] / e["optimum"] - 1) for e in data.extra]
    best = sum(e["refit"] >= (1 - 1e-6) * e["optimum"] for e in data.extra)
    axis.set_title(
        f"the bound is {span(bounds, '%')} above the optimum; the pair, refitted, is the best in "
        f"{best} of {len(bounds)}"
    )
    axis.set(xlabel="size of A, and the cardinalities k1, k2", ylabel="value / the best pair's")
    name_lines(axis)
