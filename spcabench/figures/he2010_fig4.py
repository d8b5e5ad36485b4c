"""He, Monteiro, Park (2010), Figure 4: variance and time against the cardinality for a square
sparse matrix.

W is square and sparse, with 20 % nonzeros drawn from N(0, 1), and is centred implicitly. The paper
states no density for this figure; we use 20 %, as in its Figure 1. GPower0 runs on the dense
centred matrix and stops when the relative change in its objective is below 1e-4; a search finds its
penalty. All three solvers are compared at the cardinality that GPower0 reached, and its variance is
computed after a refit, because the second phase of the other two solvers is a refit.

Times are processor times of single runs without the search, with the solvers taking turns, the
second phase to 1e-4, and data that were converted before timing; the time of a problem is the
median over the rounds. Variances are those of converged second phases. Lines are means over the
problems (geometric for times) with their 95 % intervals, at the median of the cardinalities that
the searches reached. Another reading gives GPower0 the sparse data.
"""

import numpy as np

from spcabench import claims
from spcabench.claims import claim, meaning
from spcabench.figures import _he2010 as he
from spcabench.figures._truth import truth

PANELS, SIZE = (1, 2), (11.5, 4.0)
# the cardinalities from which H8 counts growth: the first one was suggested by the run of seed 0,
# and the others are the smaller ones after k = 1, which needs no product
REFERENCES = (73, 23, 5)
AT = "k = {:g}"


# what runs


def runs(scale):
    """Run cardinalities from 1 to 900 on 5000 x 5000 matrices at paper scale."""
    size, ks = (
        (5000, (1, 5, 25, 75, 150, 300, 600, 900))
        if scale == "paper"
        else (800, (1, 5, 20, 75, 150))
    )
    # without seed 0, whose run suggested the condition of H8
    seeds = [seed + 1 for seed in he.problems(scale)]
    for seed in seeds:
        yield from he.trials(scale, **he.matrix(size, size, seed), ks=ks)
    parameters = he.matrix(size, size, seeds[0])["parameters"]
    yield from truth(scale, "random_sparse", parameters, 4, ks, form="covariance")


data = he.by_cardinality


# what is drawn


def draw(data, axes):
    """Plot the variances, then the times."""
    left, right = axes.flat
    he.draw(left, he.VARIANCE, data.rows, "cardinality")
    he.draw(right, he.TIME, data.rows, "cardinality")
    left.set_title(f"Mcol-PCA loses {H3.told(data)} of Scol-PCA's variance")
    right.set_title(f"Scol-PCA is {H7.told(data)} as fast as GPower0")


# what is claimed

H3 = he.H3
ABOVE_ONE = claims.every("values of k", low=2, least=3)  # k = 1 needs no matrix-vector product


@claim(
    "H7",
    "section 3.1, figure 4",
    "Scol-PCA method outperforms GPower method in terms of solution quality and speed",
    measures="time of GPower0 / time of Scol-PCA",
    rule=meaning.MORE,
    at=ABOVE_ONE,
    also=[he.better("Scol-PCA", ABOVE_ONE)],
    changed="four of five k were enough; k = 1 is shown, not judged" + he.ALIKE + he.MORE,
    because="The ratio of flops falls with k, because Scol-PCA takes a loop for each column; each "
    "flop of GPower0 on the dense matrix takes less time than one of Scol-PCA on the sparse "
    "matrix.",
    **he.SPEED,
)
def H7(data):
    """Compare times for each form of GPower0's data, and variances."""
    # a tie does not show how good the two answers are, but the distance to the optimum does
    notes = he.below_optimum(data, "scol", "gpower0")
    for table in he.speeds(data.rows, "scol", AT):
        yield claims.noted(table, *notes)
        yield he.quality(data.rows, "scol", reading=table.reading.iloc[0])


@claim(
    "H8",
    "section 3.1, figure 4",
    "The running time of our speed-up algorithm Mcol-PCA barely increases as the "
    "cardinality increasing",
    measures="growth exponent of Mcol-PCA's time from a first k on: log of the ratio of times / "
    "log of the ratio of k",
    rule=claims.at_most(0.2),
    at=claims.every("values of k", least=2),
    deviates="A barely increasing time has no word in the table: an exponent of 0.2 is 15 % more "
    "time for twice the k. The paper's curve begins at k = 1, which needs no product; 73 is the "
    "first k of the run at which Mcol-PCA takes ten loops.",
    changed="k = 23 was no reading; before that, growth from k = 5 on, which the figure shows too, "
    "was none; before that, the slope over all k depended on k = 1, which needs no product; times "
    "are those of all statements, with the second phase to 1e-4",
    because="Mcol-PCA takes ten loops at each of these k.",
    **he.SPEED | dict(unit=""),
)
def H8(data):
    """Compare the time at each k with that at the cardinality nearest to a first one."""
    # the minimum over the rounds excludes the effect of other load
    rows = data.rows.dropna(subset=["mcol"])
    rows = rows.loc[rows.groupby(["x", "seed"]).mcol.idxmin()]
    for first in REFERENCES:
        # the search can miss the first one itself, at which the exponent is 0 / 0
        distance = (rows.x - first).abs()
        reference = rows.x[distance == distance.min()].min()
        there = rows[rows.x == reference].set_index("seed").mcol
        later = rows[rows.x > reference]
        growth = np.log(later.mcol / later.seed.map(there)) / np.log(later.x / reference)
        yield claims.each(
            later.assign(growth=growth), "x", "growth", AT, reading=f"from k = {first}"
        )
