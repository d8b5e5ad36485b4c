"""Colon cancer gene expression (Alon et al. 1999): 62 samples x 2000 genes.

Alon et al., "Broad patterns of gene expression revealed by clustering analysis of tumor and normal
colon tissues probed by oligonucleotide arrays", PNAS 96 (1999): 40 tumour (t) and 22 normal (n)
samples. The file comes from the R package datamicroarray (MIT licence; it states no licence for the
data), sha256 76ea2ffa6226....

Stand-in if the file is not available: scikit-learn's breast-cancer table, 569 samples x 30
measurements.
"""

from spcabench.readers import gene_expression, sources

SOURCE = "Alon et al. (1999)"
FILE = "alon/alon.RData"
SHA256 = "76ea2ffa6226e29237bbe3f41a68ec42ca9ec3bbdbf3f19613cd254fd5fcc1c7"
URL = "https://raw.githubusercontent.com/ramhiser/datamicroarray/a95f6f68ed3debf48ee54f198435fa12aa655b16/data/alon.RData"
FILES = [sources.File(FILE, SHA256, URL, 296_180, "none stated; package MIT")]


def load(genes=None, center=True, scale=False, log2=False):
    """Return A = X / sqrt(m), with X centred by gene, so Sigma (n, n) is the covariance.

    genes : load only this number of genes with the largest variances; by default, all 2000 genes.
    center, scale, log2 : other possible preprocessing; the paper does not specify any. log2 takes
        the logarithm of the intensities after clipping them between 100 and 16,000.
    """
    file = sources.find(FILE, SHA256, URL)
    if file is None:
        return gene_expression.stand_in("alon", SOURCE)
    table = gene_expression.from_rdata(file, "alon")
    return gene_expression.problem(
        "alon", SOURCE, (FILE, SHA256), table, genes, center, scale, log2
    )
