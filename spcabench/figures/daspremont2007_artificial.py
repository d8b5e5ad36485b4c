"""d'Aspremont et al. (2007): the three-factor example of Zou et al., two components of ten
variables.

The exact covariance matrix is used. Both components have cardinality 4. Thresholded PCA retains the
four largest entries of each eigenvector. DSPCA's rho is found by a search, and x is truncated but
not refitted. All methods use Hotelling's deflation. The cumulative variance is adjusted by a QR
decomposition. X1 to X4 measure the first factor, X5 to X8 the second factor, and X9 and X10 a
mixture of the two factors.
"""

import numpy as np

from spcabench import claims
from spcabench.claims.words import listed, span
from spcabench.figures._daspremont2007 import METHODS, measured, table_of
from spcabench.run import Run
from spcabench.style import MARKERS, PALETTE, look, mark_level

PANELS, SIZE = (1, 2), (11.5, 3.8)
FACTORS = (range(4, 8), range(4))  # variables of the second factor, then of the first
LATE = "the table was first published without a statement, and the test was written afterwards"

D12 = claims.Statement(
    id="D12",
    where="SIAM Review 49 (2007), artificial data (our paraphrase, not checked: the summary has no "
    "such table)",
    quote="the components are exactly recovered: one on the four variables of one factor, the "
    "other on those of the other, all loadings alike",
    kind="number",
    measures="variables of DSPCA's two components that belong to the two factors",
    unit="variables",
    rule=claims.at_least(8),
    also=[
        claims.Part(
            "loadings", "largest difference of a loading from 1/2", "", claims.at_most(1e-3)
        )
    ],
    paper=[claims.PaperNumber(8)],
    primary=METHODS["dspca"],
    why="the statement is about it",
    changed=LATE,
)


@D12.measured
def _recovered(data):
    numbers = {row.label: _of_factors(row.extra) for row in data.itertuples()}
    rows = data[data.label == "dspca"]
    if len(rows):
        common, wrong = numbers["dspca"]
        places = [
            claims.Place("both components", claims.exact(common)),
            claims.Place("both components", claims.exact(wrong), part="loadings"),
        ]
        counts = [f"{METHODS[m]} {numbers[m][0]}" for m in METHODS if m in numbers and m != "dspca"]
        note = f"Variables of the factors by the other methods: {', '.join(counts)}."
        yield claims.Reading(METHODS["dspca"], places, rows, [note])


def _of_factors(results):
    """Count the factors' variables, and find the largest difference between a loading and 1/2."""
    Z = np.array(results["Z"]).T
    # an eigenvector contains entries that are nothing but rounding errors
    supports = [set(np.flatnonzero(np.abs(z) > 1e-9)) for z in Z]
    # a dense component contains all variables of the factors, but recovers neither factor
    four = [(W, of) for W, of in zip(supports, FACTORS, strict=True) if len(W) == len(of)]
    wrong = max(np.abs(np.abs(z[[*of]]) - 0.5).max() for z, of in zip(Z, FACTORS, strict=True))
    return sum(len(W & {*of}) for W, of in four), wrong


@D12.because
def _a_mixture(data, judged):
    """State which variables thresholded PCA finds instead of the factors."""
    # thresholded PCA is the method that most people would use instead
    (cut,) = data.extra[data.label == "thresholded"]
    names = np.array(cut["features"])[np.flatnonzero(np.array(cut["Z"])[:, 0])]
    return (
        f"X9 and X10 are mixtures of both factors, with the largest loadings of PCA: thresholded "
        f"PCA takes {', '.join(names)}."
    )


def runs(scale):
    """Run the same methods at both scales."""
    for method in METHODS:
        yield Run(
            dataset="artificial",
            function=table,
            settings=dict(method=method),
            uses=("dspca", "brute_force"),
            label=method,
        )


def table(problem, *, seed, method):
    """Find two components with one method."""
    return measured(problem, method, (4, 4))


def tables(data):
    """List the loadings found by each method, for the page."""
    return [
        table_of(METHODS[method], numbers)
        for method in METHODS
        for numbers in data[data.label == method].extra
    ]


def draw(data, axes):
    """Draw the loadings of both components for each method; the page shows the tables."""
    solvers = {"thresholded": "thresholding", "dspca": "dspca"}
    colours = {method: look(solver)["color"] for method, solver in solvers.items()}
    colours |= {"pca": PALETTE[0], "exact": "black"}
    for place, axis in enumerate(axes.flat):
        mark_level(axis, 0.5, "four equal loadings: 0.5", "right" if place else "left")
        for offset, (method, name) in enumerate(METHODS.items()):
            for numbers in data[data.label == method].extra:
                loadings = np.array(numbers["Z"])[:, place]
                style = dict(linestyle="none", marker=MARKERS[offset], color=colours[method])
                # side by side, because equal loadings would cover each other
                x = np.arange(len(loadings)) + 0.12 * (offset - 1.5)
                axis.plot(x, loadings, markersize=5, label=name, **style)
                axis.set_xticks(range(len(loadings)), numbers["features"])
        for numbers in data[data.label == "dspca"].extra:
            loadings = np.array(numbers["Z"])[:, place]
            W = np.flatnonzero(np.abs(loadings) > 1e-9)
            names = [numbers["features"][j] for j in W]
            values = span(np.abs(loadings[W]))
            axis.set_title(f"component {place + 1}: DSPCA has {listed(names)}, with {values} each")
        axis.set_ylabel("loading")
    axes.flat[0].legend(loc="center left")
