"""Kuleshov (2013), Figure 4: variance and flops against sparsity for the first component of
prostate gene expression.

The data are those of Singh et al. (2002): 102 samples x 12600 genes, with centred but unscaled
genes. GRQI's sparse SVD (Algorithm 5) runs with k_u = 102 (all samples) and with k genes, where k
is the cardinality that GPower reached when its penalty was searched. Runs stop at ||x - x_prev|| <
1e-6, where x is the gene loading (both vectors for the SVD). The methods are compared by sigma^2 =
(u'Rv)^2, which for GPower is the variance; a second reading uses sigma. Flops follow the paper's
rule, without those of the start. We added GPower0 and GRQI (Algorithm 1 with the columns of Sigma
computed from the data), whose curves are lighter. GRQI is shown at the cardinalities of GPower1;
the runs at those of GPower0 are another reading.

The paper does not state which algorithm produced the curve (section 5.1 names both Algorithm 5 and
Algorithm 1), what k_u was, or where the SVD starts. The picture and the verdicts use Algorithm 5
from the largest column of Sigma, the start that section 2.2 recommends. Sparsities are below 5 % of
the genes, because the paper's statements are about small ones. Another reading uses Algorithm 1
with Sigma as input.
"""

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np

from spcabench import claims
from spcabench.claims import claim, meaning
from spcabench.figures import _kuleshov2013 as base
from spcabench.figures._truth import split, truth
from spcabench.run import Run
from spcabench.showing.style import look, name_lines, plain_log_ticks

SHARES = ("kuleshov2013_fig2",)
PANELS, SIZE = (1, 2), (11.5, 4.2)
SMALL = 0.05  # "small sparsities" are below this one
# the first bands of Figure 2, with which K9 compares
EDGES = (0.0, 0.01, 0.02, SMALL)
COLUMN = "SVD started from the largest column of the covariance"
START = dict(first="covariance")  # the setting of the sparse SVD with this start


# what runs


def runs(scale):
    """Run the solvers on all genes, with sparsities from 0.08 % to below 5 %."""
    sparsities = np.geomspace(0.0008, 0.5, 18 if scale == "paper" else 9)
    sparsities = sparsities[sparsities < SMALL]
    # fractions of n, because a stand-in can have a different number of genes
    yield from truth(scale, "singh", {}, 20, [float(s) for s in sparsities if s < 0.008])
    for penalty in base.PENALTIES:
        for label in ("main", COLUMN):
            for s in sparsities:
                common: dict[str, Any] = dict(dataset="singh", parameters={}, label=label)
                yield Run(solver=penalty, settings=dict(k=float(s), **base.GPM), **common)
                solver, start = ("grqi", {}) if label == "main" else ("ssvd_grqi", START)
                yield Run(solver=solver, settings=base.GRQI | start, match=penalty, **common)


def data(table):
    """Return the runs on genes, the pairs of each reading, and those of Figure 2.

    In the runs, ``penalty`` is the variant of GPower that set the cardinality, and ``value`` is
    sigma^2 without a refit.
    """
    rows, known = split(table)
    # sigma^2 is what the sparse SVD maximises; for all other methods it is the variance
    value = rows.singular_value.pow(2).fillna(rows.variance)
    penalty = rows.match.fillna(rows.solver)
    rows = rows.assign(penalty=penalty, sparsity=rows.cardinality / rows.n, value=value)
    square = rows.dataset == "gaussian"
    # the statements are about small sparsities
    genes, square = rows[~square & (rows.sparsity < SMALL)], rows[square]
    return SimpleNamespace(
        genes=genes,
        pairs=dict(base.by_penalty(pairs(genes, COLUMN))),
        algorithm_1=pairs(genes, "main").query("penalty == 'gpower1'"),
        figure_2=base.pairs(square, "main"),
        truth=known,
    )


def pairs(genes, label):
    """Return the pairs of `_kuleshov2013.pairs`, with what the sparse SVD maximises as variance.

    more : by how many percent GRQI's variance exceeds that of GPower, also after a refit.
    """
    both = base.pairs(genes.assign(variance=genes.value), label)
    gain = {
        # differences in the last digits are ties
        f"more{of}": (100 * (both[f"variance{of}_g"] / both[f"variance{of}_p"] - 1)).round(4)
        for of in ("", "_refit")
    }
    return both.assign(k=both.cardinality_p, **gain)


# what is drawn


def draw(data, axes):
    """Draw variance and flops against sparsity."""
    left, right = axes.flat
    genes = data.genes.sort_values("sparsity")
    data.truth.draw(left, genes.lambda_1.iloc[0], genes.n.iloc[0])
    for solver in ("grqi", "gpower0", "gpower1", "ssvd_grqi"):
        # the sparse SVD is drawn from the start that is judged
        label = COLUMN if solver == "ssvd_grqi" else "main"
        # a line through the cardinalities of both penalties would jump between two searches
        penalty = "gpower0" if solver == "gpower0" else "gpower1"
        line = genes[(genes.solver == solver) & (genes.label == label)]
        line = line[line.penalty == penalty]
        # the paper's two curves
        strong = solver in ("gpower1", "ssvd_grqi")
        name = "GRQI, Algorithm 1" if solver == "grqi" else base.NAMES[solver]
        style = look(solver) | dict(label=name, alpha=1.0 if strong else 0.35)
        style |= dict(linewidth=2.2 if strong else 1.4)
        left.plot(line.sparsity, line.value / line.lambda_1, **style)
        right.plot(line.sparsity, line.flops, **style)
    left.set_ylim(bottom=0.9 * (genes.value / genes.lambda_1).min())
    left.set(ylabel="variance $\\sigma^2 / \\lambda_1$")
    right.set(yscale="log", ylabel="flops")
    left.set_title(f"GRQI explains {K8.told(data, part='more')} more than GPower1 (paper: 2.35 %)")
    right.set_title(f"GPower1 takes {K9.told(data)} GRQI's flops (paper: about 10)")
    low = genes.sparsity.min()
    for axis in (left, right):
        # the truth line extends to one nonzero, far to the left of all runs
        axis.set(xscale="log", xlabel="sparsity k/n", xlim=(0.9 * low, SMALL))
        plain_log_ticks(axis)
        name_lines(axis)


# what is claimed

EVERY_K = claims.every("values of k", least=3)


def each_k(both, column, name):
    """Return an exact number at each k, because there is only one such data set."""
    return claims.each(both, "k", column, "k = {:g}", how="mean", reading=name)


@claim(
    "K8",
    "section 5.1",
    "Both algorithms explain roughly the same variance (in fact, GRQI explains 2.35% more for "
    "small sparsities)",
    measures="difference between the variances of GRQI and GPower below 5 % of the genes",
    unit="%",
    rule=meaning.SIMILAR,
    at=EVERY_K,
    null=100.0,
    also=[
        claims.Part(
            "more", "how much more GRQI explains, median over k", "%", meaning.printed("2.35")
        )
    ],
    paper=[claims.PaperNumber(2.35, part="more")],
    changed="it had to explain more than GPower at every k, which is not roughly the same; the SVD "
    "had another start, and 1.2 to 4.7 % were 2.35 %",
    because="After a refit, the variances of GPower1 and GRQI are nearly the same.",
)
def K8(data):
    """Judge each k, and the number; section 5 is about sigma, whose square is the variance."""
    rows = data.genes[(data.genes.label == COLUMN) & (data.genes.penalty == "gpower1")]
    known = rows[rows.solver != "grqi"].groupby("solver")
    below = [f"{data.truth.distance(of, 'value', base.NAMES[s])}." for s, of in known]
    for name, both in data.pairs.items():
        for suffix, form in base.FORMS.items():
            yield from _compared(both, both[f"more{suffix}"], f"{name}, {form}", below)
    sigma = data.pairs["GPower1"]
    root = 100 * ((1 + sigma.more / 100) ** 0.5 - 1)
    yield from _compared(sigma, root, "GPower1, as returned, sigma without the square", ())


def _compared(both, more, name, notes):
    """Yield the differences at each k with notes, and their median with its sign."""
    yield claims.noted(each_k(both.assign(apart=more.abs()), "apart", name), *notes)
    yield claims.numbers(both, {"gene expression": more.median()}, reading=name, part="more")


@claim(
    "K9",
    "section 5.1",
    "Although the relative advantage is not as large as in Figure 2, GRQI still uses about an "
    "order of magnitude fewer flops at small sparsity levels",
    rule=meaning.ORDER_OF_MAGNITUDE,
    at=EVERY_K,
    also=[
        claims.Part(
            "here over Figure 2",
            "flops of GPower / flops of GRQI on genes, over the same ratio on the random matrices "
            "of Figure 2, at equal sparsity",
            "times",
            meaning.LESS,
            claims.every("bands of sparsity", least=3),
        )
    ],
    paper=[claims.PaperNumber(10)],
    deviates="The paper gives no number for small; it is below 5 %, the first bands of Figure 2.",
    changed="starts were not counted; before that, four readings had to agree",
    because="GPower1 ends after few iterations on these data, and an iteration of the sparse SVD "
    "with all samples takes more flops than one of GPower1.",
    **base.RATIO | dict(measures="flops of GPower / flops of GRQI"),
)
def K9(data):
    """Judge each k; Sigma given is computed by the paper's formula, as it is 12600 x 12600."""
    grqi = data.algorithm_1
    supplied = flops_of_grqi(grqi.n, grqi.cardinality_g, grqi.iterations_g)
    given = grqi.assign(ratio=grqi.flops_p / supplied)
    there = dict(base.by_penalty(data.figure_2))
    readings = [(name, both, name) for name, both in data.pairs.items()]
    for name, both, penalty in [*readings, ("Algorithm 1, Sigma given", given, "GPower1")]:
        yield each_k(both, "ratio", name)
        yield from _beside(both, there[penalty], name)
    genes, square = data.pairs["GPower1"], there["GPower1"]
    name = "GPower1, starts counted"
    yield each_k(genes, "whole", name)
    yield from _beside(genes.assign(ratio=genes.whole), square.assign(ratio=square.whole), name)


def flops_of_grqi(n, k, iterations):
    """Return the flops of Algorithm 1 on Sigma: k^3 + 2 k^2 + n k per iteration (J = inf)."""
    return iterations * (k**3 + 2 * k**2 + n * k)


def _beside(both, there, name):
    """Yield the advantage in each band divided by the advantages in Figure 2."""
    for low, high in pairwise(EDGES):
        here, those = (of[(of.sparsity >= low) & (of.sparsity < high)] for of in (both, there))
        if len(here) and len(those):
            # there is only one problem here, so the interval is over the problems of Figure 2
            advantage = float(np.exp(np.log(here.ratio).mean()))
            smaller = those.assign(share=advantage / those.ratio)
            options = dict(reading=name, part="here over Figure 2")
            yield claims.bands(smaller, "sparsity", (low, high), "share", **options)
