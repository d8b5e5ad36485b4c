"""d'Aspremont et al. (2007): the three-factor example of Zou et al., two components of ten
variables.

The exact covariance matrix is used. Both components have cardinality 4. Thresholded PCA retains the
four largest entries of each eigenvector. DSPCA's rho is found by a search, and x is truncated but
not refitted. All methods use Hotelling's deflation. The cumulative variance is adjusted by a QR
decomposition. X1 to X4 measure the first factor, X5 to X8 the second factor, and X9 and X10 a
mixture of the two factors.
"""

from textwrap import fill

from spcabench.figures import _daspremont2007 as base
from spcabench.run import Run
from spcabench.showing.style import draw_table

PANELS, SIZE = (1, 1), (11.5, 4.2)


# what runs


def runs(scale):
    """Run the same methods at both scales."""
    for method in base.METHODS:
        yield Run(
            dataset="artificial",
            function=table,
            settings=dict(method=method),
            uses=("dspca", "brute_force"),
            label=method,
        )


def table(problem, *, seed, method):
    """Find two components with one method."""
    return base.measured(problem, method, (4, 4))


# what is drawn

tables = base.tables


def draw(data, axes):
    """Draw one table with the loadings of all methods."""
    parts = tables(data)
    names = [f"{fill(part['title'], 14)}\n{name}" for part in parts for name in part["head"][1:]]
    lines = [
        [line[0][0], *(cell for part in line for cell in part[1:])]
        for line in zip(*(part["lines"] for part in parts), strict=True)
    ]
    draw_table(axes.flat[0], ["variable", *names], lines)
    axes.flat[0].set_title("loadings of both components; a blank is zero")
