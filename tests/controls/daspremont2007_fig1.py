"""Made-up rows for D1, D2 and D3."""

from spcabench.figures.daspremont2007_fig1 import GENES


def sets(nonzeros=14, accuracy=0.88, dense=1500):
    """Yield each gene set with the nonzeros and accuracy of DSPCA; PCA is dense and has 0.9."""
    for label in ("log2", "main"):
        for name in ("alon", "golub", "mll"):
            numbers = dict(
                pca=dict(nonzeros=dense, accuracy=0.9),
                dspca=dict(nonzeros=nonzeros, accuracy=accuracy),
            )
            yield dict(dataset=name, label=label, n=GENES, extra=numbers)


def D1(value):
    """DSPCA has ``value`` nonzeros."""
    return sets(nonzeros=value)


def D1_accuracy(value):
    """DSPCA has a share of PCA's accuracy."""
    return sets(accuracy=0.9 * value)


def trivial_D1():
    """Fourteen random genes, whose factors classify no better than a coin."""
    return sets(accuracy=0.5)


def D2(value):
    """PCA has ``value`` coefficients."""
    return sets(dense=value)


def D3(value):
    """DSPCA has a share of PCA's accuracy."""
    return sets(accuracy=0.9 * value)


def trivial_D3():
    """Random genes."""
    return sets(accuracy=0.5)
