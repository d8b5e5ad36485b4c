"""d'Aspremont et al. (2007): the three-factor example of Zou et al., two components of ten
variables.

Exact covariance. Cardinality 4 each; thresholded PCA keeps the four largest entries of each
eigenvector, DSPCA's rho is searched, x truncated and not refitted; Hotelling's deflation.
Cumulative variance is adjusted by QR. X1 to X4 measure the first factor, X5 to X8 the second, X9
and X10 a mixture of both.
"""

from spcabench.figures._daspremont2007 import METHODS, draw_table, measured
from spcabench.run import Run

PANELS, SIZE = (2, 2), (9.5, 7.6)


def runs(scale):
    """The same at both scales."""
    for method in METHODS:
        yield Run(
            dataset="artificial",
            function=table,
            settings=dict(method=method),
            uses=("dspca", "brute_force"),
            label=method,
        )


def table(problem, *, seed, method):
    """Two components by one method."""
    return measured(problem, method, (4, 4))


def draw(data, axes):
    """One table for each method."""
    for axis, method in zip(axes.flat, METHODS, strict=True):
        for results in data[data.label == method].extra:
            draw_table(axis, METHODS[method], results)
