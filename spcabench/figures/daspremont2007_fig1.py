"""d'Aspremont et al. (2007), Figure 1: gene expression in two of three factors, computed by PCA
(top) and DSPCA (bottom).

The 500 genes with the largest variances are centred but not scaled; colour and marker show the
class. The paper's data are not public, so the data sets of Alon (colon cancer), Golub (leukemia)
and MLL (leukemia) replace them. Before the genes are selected, intensities are clipped to the range
from 100 to 16,000 and replaced by their log2, as is common in the field. If these runs are missing,
the picture shows raw intensities, and the legend says so. DSPCA uses at most 5 genes per factor.
This is our choice: the paper does not state rho, and its three factors contain 14 genes in total.
The search for rho uses BCA, which solves the same relaxation faster; rho is then increased in steps
of 2 % until DSPCA uses at most 5 genes. The relaxation is solved to a gap of 1e-2, deflation is
Hotelling's, and x is truncated but not refitted. Accuracy is the leave-one-out accuracy of the
nearest-centroid classifier in all three factors. The genes of DSPCA's factors are listed below the
picture with their loadings. Further readings use raw intensities without and with scaling of the
selected genes to unit variance.
"""

from typing import Any

import numpy as np

from spcabench import api, claims
from spcabench.claims.words import number
from spcabench.run import Run
from spcabench.solving import deflate
from spcabench.style import MARKERS, PALETTE

PANELS, SIZE = (2, 3), (11.5, 7.6)
STAND_INS = ("alon", "golub", "mll")
GENES, K, FACTORS = 500, 5, 3
SETS = {"alon": "Alon, colon", "golub": "Golub, leukemia", "mll": "MLL, leukemia"}
METHODS = {"pca": "PCA", "dspca": "DSPCA"}
CLASSES = {
    "n": "normal tissue",
    "t": "tumour",
    "ALL": "acute lymphoblastic",
    "AML": "acute myeloid",
    "MLL": "mixed-lineage",
}

PRIMARY = "floor 100, ceiling 16,000, log2"  # as is common in the field
PREPARED = {"log2": PRIMARY, "main": "raw intensities", "scaled": "raw intensities, scaled"}
EXPERIMENT = "an experiment comparing SPCA to PCA"
WHY = "the summary names no preparation, so the one that is common in the field decides"
PENDING = "the three data sets with floor, ceiling and logarithm"
PAPER_GENES, PAPER_ALL = 14, 1500

D1 = claims.Statement(
    id="D1",
    where=EXPERIMENT,
    quote="there were only 14 nonzero gene coefficients ... in the case where DSPCA was used",
    kind="number",
    measures="nonzero coefficients of DSPCA's three factors together",
    unit="coefficients",
    rule=claims.at_most(1.25 * PAPER_GENES),
    over=claims.every("data sets"),
    also=[
        claims.Part(
            "accuracy",
            "nearest-centroid accuracy in these factors over that in PCA's",
            "share",
            claims.at_least(0.9),
        )
    ],
    paper=[claims.PaperNumber(PAPER_GENES)],
    primary=PRIMARY,
    why=WHY,
    changed="each of the three data sets had its own verdict; they remain stand-ins, because 14 is "
    "a number for the paper's own data, and our limit of five genes per factor allows at most 15, "
    "so a count decides nothing",
    pending=PENDING,
)


@D1.measured
def _few_genes(data):
    yield from _readings(data, nonzeros=("dspca", "nonzeros"), accuracy=True)


D2 = claims.Statement(
    id="D2",
    where=EXPERIMENT,
    quote="the nonzero gene coefficients ... of the principal components in the case where PCA was "
    "used were dense and they numbered about 1,500",
    kind="theorem",
    measures="nonzero coefficients of PCA's three factors",
    unit="coefficients",
    rule=claims.about(PAPER_ALL),
    over=claims.every("data sets"),
    paper=[claims.PaperNumber(PAPER_ALL)],
    primary=PREPARED["main"],
    why="three dense factors of 500 genes have 1500 coefficients, whatever the preparation",
    pending="data sets of 500 genes",
    any_data=True,
)


@D2.measured
def _all_genes(data):
    yield from _readings(_genes(data), nonzeros=("pca", "nonzeros"))


D3 = claims.Statement(
    id="D3",
    where=f"{EXPERIMENT}, figure 1",
    quote="they looked for distinct clusters in the resulting low-dimensionality data",
    kind="comparison",
    measures="nearest-centroid accuracy (leave one out) in DSPCA's factors over that in PCA's",
    unit="share",
    rule=claims.at_least(0.9),
    over=claims.every("data sets"),
    primary=PRIMARY,
    why=f"{WHY}; the sentence is about expression data, as these are, so they are no stand-in",
    changed="each of the three data sets had its own verdict, undecided as a stand-in, until their "
    "numbers had been seen; the plan to judge them as expression data is older than these numbers",
    pending=PENDING,
    any_data=True,
)


@D3.measured
def _clusters(data):
    yield from _readings(_genes(data), accuracy=True, part="")


@D1.because
@D3.because
def _what_varies_most(data, judged):
    """Compare DSPCA with PCA on the data set on which DSPCA's relative accuracy is lowest."""
    rows = data[data.label == "log2"]
    worst = min(rows.extra, key=lambda e: e["dspca"]["accuracy"] / e["pca"]["accuracy"])
    title = next(SETS[row.dataset] for row in rows.itertuples() if row.extra is worst)
    ours, theirs = (worst[method] for method in ("dspca", "pca"))
    if "explained" not in ours:
        return ""
    return (
        "The directions of largest variance need not separate the classes: on "
        f"{title} DSPCA's {ours['nonzeros']} coefficients explain "
        f"{number(ours['explained'], 'share')} of the variance and classify "
        f"{number(ours['accuracy'], 'share')} of the samples correctly, and PCA's factors "
        f"{number(theirs['explained'], 'share')} and {number(theirs['accuracy'], 'share')}."
    )


def _genes(data):
    """Return the rows on expression data; what replaces missing files has fewer variables."""
    return data[data.n == GENES]


def _readings(data, nonzeros=None, accuracy=False, part="accuracy"):
    """Yield a reading for each preparation, with the numbers for every data set.

    nonzeros : the method and the name of the number for the first part, if there is one. part :
    name of the part about accuracy.
    """
    for label, name in PREPARED.items():
        places = []
        for row in data[data.label == label].itertuples():
            title = SETS[row.dataset]
            if nonzeros:
                method, counted = nonzeros
                places.append(claims.Place(title, claims.exact(row.extra[method][counted])))
            if accuracy:
                share = row.extra["dspca"]["accuracy"] / row.extra["pca"]["accuracy"]
                places.append(claims.Place(title, claims.exact(share), part=part))
        if places:
            yield claims.Reading(name, places, data[data.label == label])


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


def factors(problem, *, seed):
    """Compute the scores (m, 3), nonzeros, accuracy and silhouette of PCA and DSPCA."""
    # imported here, because the workflow lists the runs without needing scikit-learn
    from sklearn.metrics import silhouette_score
    from sklearn.model_selection import LeaveOneOut, cross_val_score
    from sklearn.neighbors import NearestCentroid

    # PCA uses the data, but DSPCA uses only the covariance
    A = problem.data.dense()
    sparse = deflate.deflated_components(
        problem.given_as("covariance"), FACTORS, factor, "hotelling"
    )
    names = problem.features or range(1, problem.n + 1)
    genes = [
        [[str(names[j]), float(z[j])] for j in np.argsort(-np.abs(z), kind="stable") if z[j] != 0.0]
        for z in sparse.Z.T
    ]
    numbers: dict[str, Any] = {"labels": list(problem.labels), "genes": genes}
    for method, Z in (("pca", np.linalg.svd(A)[2][:FACTORS].T), ("dspca", sparse.Z)):
        # the data were divided by sqrt(m), so this restores the units of the measured intensities
        scores = np.sqrt(problem.m) * A @ Z
        numbers[method] = {
            "scores": scores.tolist(),
            "nonzeros": int(np.count_nonzero(Z)),
            "accuracy": float(
                # leave-one-out, because there are too few samples for a test set
                cross_val_score(NearestCentroid(), scores, problem.labels, cv=LeaveOneOut()).mean()
            ),
            "silhouette": float(silhouette_score(scores, problem.labels)),
            "explained": float(
                # adjusted by QR, because the variances of overlapping sparse factors do not add up
                np.linalg.norm(A @ np.linalg.qr(Z)[0]) ** 2 / np.linalg.norm(A) ** 2
            ),
        }
    return numbers


def factor(problem):
    """Compute DSPCA's component with at most `K` genes."""
    # a search with DSPCA itself would take hours
    rho = api.solve(problem, "bca_continuation", k=min(K, problem.n)).settings["lam"]
    while (results := api.solve(problem, "dspca", rho=rho, eps=1e-2, tol=1e-2)).cardinality > K:
        # BCA stops at a different gap, so DSPCA's answer for the same rho can contain more genes
        rho *= 1.02
    return results


def drawn(data):
    """Return the rows and the name of the judged preparation, or of raw intensities instead."""
    # older results do not contain the judged preparation
    label = next(label for label in PREPARED if label in set(data.label))
    return data[data.label == label], PREPARED[label]


def tables(data):
    """List the genes of DSPCA's factors with their loadings, in one table for each data set."""
    rows, prepared = drawn(data)
    return [
        {
            "title": f"{SETS[row.dataset]}, {prepared}: genes of DSPCA's factors",
            "head": ["gene", "factor", "loading"],
            "lines": [
                [name, str(i), f"{loading:+.2f}"]
                for i, factor in enumerate(row.extra["genes"], 1)
                for name, loading in factor
            ],
        }
        for row in rows.itertuples()
    ]


def draw(data, axes):
    """Plot a column of panels for each data set, with PCA at the top and DSPCA at the bottom."""
    rows, prepared = drawn(data)
    for column, name in zip(axes.T, SETS, strict=True):
        # a failed run has no panel
        for numbers in rows[rows.dataset == name].extra:
            for axis, method in zip(column, ("pca", "dspca"), strict=True):
                scatter(
                    axis, f"{SETS[name]}, {METHODS[method]}", numbers["labels"], numbers[method]
                )
            # below the column, where the legend does not cover any sample
            below = dict(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3)
            column[1].legend(title=prepared, columnspacing=1.0, handletextpad=0.2, **below)


def scatter(axis, title, labels, numbers):
    """Plot the samples in the first two factors, in units of a power of ten."""
    scores, classes = np.array(numbers["scores"])[:, :2], sorted(set(labels))
    # scores have the units of the measured intensities
    scores = scores / 10.0 ** np.floor(np.log10(np.abs(scores).max()))
    for label, colour, marker in zip(classes, PALETTE, MARKERS, strict=False):
        rows = np.array(labels) == label
        name = CLASSES.get(label, str(label))
        axis.scatter(*scores[rows].T, color=colour, marker=marker, label=name, s=20)
    axis.set(xlabel="factor 1", ylabel="factor 2")
    axis.set_title(
        f"{title}: {100 * numbers['accuracy']:.0f} % in the right class,\n"
        f"with {numbers['nonzeros']} coefficients (the paper: "
        f"{PAPER_ALL if 'PCA' in title and 'DSPCA' not in title else PAPER_GENES})"
    )
