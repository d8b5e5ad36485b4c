"""d'Aspremont et al. (2007), Figure 1: gene expression in three factors, computed by PCA (left)
and DSPCA (right).

The 500 genes with the largest variances are centred but not scaled; colour and marker show the
class. The paper's data are not public, so the data of Alon (colon cancer) are drawn in their place;
the data sets of Golub (leukemia) and MLL (leukemia) are judged, too. PCA's factors have a
coefficient for each gene. Before the genes are selected, intensities are clipped to the range
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

PANELS, SIZE = (1, 2), (9.6, 5.0)
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
    """Return the rows with the name of the data, and DSPCA's accuracy over that of PCA."""
    return table.assign(
        title=table.dataset.map(SETS),
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
    """Plot the samples of Alon's data in the factors of PCA and of DSPCA."""
    drawn = data[(data.label == "log2") & (data.dataset == "alon")]
    titles = {
        "pca": "PCA",
        "dspca": f"DSPCA: its factors classify with\n{D3.told(drawn)} of the accuracy of PCA's",
    }
    for axis, (method, title) in zip(axes.flat, titles.items(), strict=True):
        spatial = axis.figure.add_subplot(axis.get_subplotspec(), projection="3d")
        axis.remove()
        spatial.set_title(title)
        for numbers in drawn.extra:  # a failed run has no samples
            scatter(spatial, numbers["labels"], numbers[method]["scores"])
            # below the panel, where the legend does not cover any sample
            spatial.legend(loc="upper center", bbox_to_anchor=(0.5, -0.05), ncols=3)


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
    deviates="The sentence says what the authors looked for, not what they found. Clusters have no "
    "word in the table: the factors may classify a tenth worse. At most five genes in a factor are "
    "our choice.",
    changed="stand-ins for the paper's data decided, against the rule for all other statements; "
    "before that, each of the three data sets had its own verdict, open as a stand-in",
    because="The directions of largest variance need not separate the classes: on MLL, DSPCA's few "
    "genes explain a small part of the variance that PCA's factors explain.",
)
def D3(data):
    """Judge each preparation, because the paper names none."""
    for label, name in PREPARED.items():
        rows = data[data.label == label]
        yield claims.tidy(rows, "accuracy", rows.title, reading=name, seed=None)
