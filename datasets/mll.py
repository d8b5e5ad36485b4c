"""Leukemia gene expression, three classes (MLL, Armstrong et al. 2002): 72 x 12582.

Armstrong et al., "MLL translocations specify a distinct gene expression profile that distinguishes
a unique leukemia", Nature Genetics 30 (2002): 24 ALL, 20 MLL and 28 AML samples, raw intensities.
The file contains the Kent Ridge repository's table as a single CSV (no licence stated), sha256
4fcfbc5756f0.... No public address of the file is known.

Stand-in if the file is not available: scikit-learn's breast-cancer table, 569 samples x 30
measurements.
"""

import gzip

import numpy as np

from spcabench.errors import InputError, using_file
from spcabench.readers import gene_expression, sources

SOURCE = "Armstrong et al. (2002)"
FILE = "mll/MLL.csv.gz"
SHA256 = "4fcfbc5756f03dd966d7f5c4306adfc60dc271a44c996075dc147ee5d9dea3a6"
FILES = [sources.File(FILE, SHA256, None, 1_750_297)]


def load(genes=None, center=True, scale=False, log2=False):
    """Return A = X / sqrt(m), with X centred by gene, so Sigma (n, n) is the covariance.

    genes : load only this number of genes with the largest variances; by default, all 12582 genes.
    center, scale, log2 : other possible preprocessing; the paper does not specify any. log2 takes
        the logarithm of the intensities after clipping them between 100 and 16,000.
    """
    file = sources.find(FILE, SHA256)
    if file is None:
        return gene_expression.stand_in("mll", SOURCE)
    table = _read(file)
    return gene_expression.problem("mll", SOURCE, (FILE, SHA256), table, genes, center, scale, log2)


def _read(file):
    """Return X (72, 12582), the names of the genes and the class labels of the samples."""
    with using_file(file), gzip.open(file, "rt", encoding="ascii") as stream:
        names = stream.readline().strip().split(",")[:-1]
        rows = [line.strip().split(",") for line in stream if line.strip()]
    try:
        X = np.array([row[:-1] for row in rows], dtype=float)
    except ValueError as error:
        raise InputError(
            f"{file}: not a table of numbers with a last column of classes ({error})"
        ) from None
    return X, names, [row[-1] for row in rows]
