"""d'Aspremont et al. (2007), Figure 1: gene expression in three factors, computed by PCA (top)
and DSPCA (bottom).

The 500 genes with the largest variances are centred but not scaled; colour and marker show the
class. The paper's data are not public, so the data sets of Alon (colon cancer), Golub (leukemia)
and MLL (leukemia) replace them. Before the genes are selected, intensities are clipped to the range
from 100 to 16,000 and replaced by their log2, as is common in the field. DSPCA uses at most 5 genes
per factor. This is our choice: the paper does not state rho, and its three factors contain 14 genes
in total. The search for rho uses BCA, which solves the same relaxation faster; rho is then
increased in steps of 2 % until DSPCA uses at most 5 genes. The relaxation is solved to a gap of
1e-2, deflation is Hotelling's, and x is truncated but not refitted. Accuracy is the leave-one-out
accuracy of the nearest-centroid classifier in all three factors. The genes of DSPCA's factors are
listed below the picture with their loadings. Further readings use raw intensities without and with
scaling of the selected genes to unit variance.
"""

from typing import Any

import numpy as np

from spcabench import claims
from spcabench.claims import claim
from spcabench.figures._daspremont2007 import factors
from spcabench.run import Run
from spcabench.showing.style import MARKERS, PALETTE
from spcabench.showing.words import number

PANELS, SIZE = (2, 3), (11.5, 7.6)
STAND_INS = ("alon", "golub", "mll")
GENES = 500
SETS = {"alon": "Alon, colon", "golub": "Golub, leukemia", "mll": "MLL, leukemia"}
CLASSES = {
    "n": "normal tissue",
    "t": "tumour",
    "ALL": "acute lymphoblastic",
    "AML": "acute myeloid",
    "MLL": "mixed-lineage",
}
LOG2 = "floor 100, ceiling 16,000, log2"  # as is common in the field
RAW = "raw intensities"
PREPARED = {"log2": LOG2, "main": RAW, "scaled": f"{RAW}, scaled"}


# what runs


def runs(scale):
    """Run every data set with each preparation, but scaled genes only at paper scale."""
    readings: dict[str, dict[str, Any]] = {"log2": dict(log2=True), "main": {}}
    # this reading only confirms the others, so the quick scale omits it
    if scale == "paper":
        readings["scaled"] = dict(scale=True)
    for name in SETS:
        for label, prepared in readings.items():
            yield Run(
                dataset=name,
                parameters=dict(genes=GENES, **prepared),
                function=factors,
                uses=("dspca", "bca_continuation"),
                label=label,
            )


def data(table):
    """Return the rows with the numbers of the claims.

    dense, sparse : coefficients of PCA and of DSPCA. accuracy : that of DSPCA over that of PCA.
    """
    return table.assign(
        title=table.dataset.map(SETS),
        dense=[numbers["pca"]["nonzeros"] for numbers in table.extra],
        sparse=[numbers["dspca"]["nonzeros"] for numbers in table.extra],
        accuracy=[e["dspca"]["accuracy"] / e["pca"]["accuracy"] for e in table.extra],
    )


# what is drawn


def tables(data):
    """List the genes of DSPCA's factors with their loadings, in one table for each data set."""
    return [
        {
            "title": f"{row.title}, {LOG2}: genes of DSPCA's factors",
            "head": ["gene", "factor", "loading"],
            "lines": [
                [name, str(i), f"{loading:+.2f}"]
                for i, factor in enumerate(row.extra["genes"], 1)
                for name, loading in factor
            ],
        }
        for row in data[data.label == "log2"].itertuples()
    ]


def draw(data, axes):
    """Plot a column of panels for each data set, with PCA at the top and DSPCA at the bottom."""
    rows = data[data.label == "log2"]
    few, dense, accuracy = (
        rows.set_index("title")[name] for name in ("sparse", "dense", "accuracy")
    )
    for column, (dataset, name) in zip(axes.T, SETS.items(), strict=True):
        # a failed run has no panel
        for numbers in rows[rows.dataset == dataset].extra:
            titles = {
                "pca": f"{name}, PCA\nwith {dense[name]:,} coefficients (the paper: about 1,500)",
                "dspca": f"{name}, DSPCA: {number(accuracy[name], 'share')} of PCA's accuracy,\n"
                f"with {few[name]} coefficients (the paper: 14)",
            }
            for axis, (method, title) in zip(column, titles.items(), strict=True):
                spatial = axis.figure.add_subplot(axis.get_subplotspec(), projection="3d")
                axis.remove()
                scatter(spatial, numbers["labels"], numbers[method]["scores"])
                spatial.set_title(title)
            # below the column, where the legend does not cover any sample
            below = dict(loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=3)
            spatial.legend(title=LOG2, columnspacing=1.0, handletextpad=0.2, **below)


def scatter(axis, labels, scores):
    """Plot the samples in three factors, in units of a power of ten."""
    # scores have the units of the measured intensities
    scores = np.array(scores) / 10.0 ** np.floor(np.log10(np.abs(scores).max()))
    for label, colour, marker in zip(sorted(set(labels)), PALETTE, MARKERS, strict=False):
        points = scores[np.array(labels) == label].T
        name = CLASSES.get(label, str(label))
        axis.scatter(*points, color=colour, marker=marker, label=name, s=20, depthshade=False)
    axis.set(xlabel="factor 1", ylabel="factor 2", zlabel="factor 3")


# what is claimed


@claim(
    "D3",
    "an experiment comparing SPCA to PCA, figure 1",
    "they looked for distinct clusters in the resulting low-dimensionality data",
    measures="nearest-centroid accuracy (leave one out) in DSPCA's factors over that in PCA's",
    unit="share",
    rule=claims.at_least(0.9),
    at=claims.every("data sets"),
    null=0.5 / 0.9,  # a coin over a PCA that is right in nine of ten samples
    deviates="Clusters have no word in the table: the factors may classify a tenth worse.",
    changed="each of the three data sets had its own verdict, open as a stand-in, until their "
    "numbers had been seen; the plan to judge them as expression data is older than these numbers",
    any_data=True,
    because="The directions of largest variance need not separate the classes: on MLL, DSPCA's few "
    "genes explain a small part of the variance that PCA's factors explain.",
)
def D3(data):
    """Judge expression data only, for each preparation, because the paper names none."""
    genes = data[data.n == GENES]
    for label, name in PREPARED.items():
        rows = genes[genes.label == label]
        yield claims.tidy(rows, "accuracy", rows.title, reading=name, seed=None)
