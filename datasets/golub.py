"""Leukemia gene expression (Golub et al. 1999): 72 samples x 7129 genes.

Golub et al., "Molecular classification of cancer: class discovery and class prediction by gene
expression monitoring", Science 286 (1999): 47 ALL and 25 AML samples. The file comes from the R
package datamicroarray (MIT licence; it states no licence for the data), sha256 594f5507597f....

Stand-in if the file is not available: scikit-learn's breast-cancer table, 569 samples x 30
measurements.
"""

from spcabench.readers import gene_expression, sources

SOURCE = "Golub et al. (1999)"
FILE = "golub/golub.RData"
SHA256 = "594f5507597fb2352d210c803a88a218fbf6d1f2705372029e5738815216747b"
URL = (
    "https://raw.githubusercontent.com/ramhiser/datamicroarray/"
    "a95f6f68ed3debf48ee54f198435fa12aa655b16/data/golub.RData"
)
FILES = [sources.File(FILE, SHA256, URL, 1_191_760, "none stated; package MIT")]


def load(genes=None, center=True, scale=False, log2=False):
    """Return A = X / sqrt(m), with X centred by gene, so Sigma (n, n) is the covariance.

    genes : load only this number of genes with the largest variances; by default, all 7129 genes.
    center, scale, log2 : other possible preprocessing; the paper does not specify any. log2 takes
        the logarithm of the intensities after clipping them between 100 and 16,000.
    """
    file = sources.find(FILE, SHA256, URL)
    if file is None:
        return gene_expression.stand_in("golub", SOURCE)
    return gene_expression.problem(
        "golub",
        SOURCE,
        (FILE, SHA256),
        gene_expression.from_rdata(file, "golub"),
        genes,
        center,
        scale,
        log2,
    )
