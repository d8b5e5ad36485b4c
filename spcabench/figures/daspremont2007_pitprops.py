"""d'Aspremont et al. (2007): pit props, six components computed by PCA, thresholded PCA, DSPCA and
exact search.

The data are the correlation matrix of 13 variables. All sparse methods use the cardinalities 6, 2,
2, 1, 1, 1 (our choice, because the summary states no cardinalities). For each cardinality, DSPCA's
rho is found by a search, and x is truncated but not refitted. All methods use Hotelling's
deflation. The cumulative variance is adjusted by a QR decomposition. The left panel shows the
variance of the first component for each cardinality, with DSPCA and thresholded PCA refitted on
their support, and the bound certified by DSPCA. The right panel shows the loadings of DSPCA; the
tables below the picture contain those of all methods.
"""

from types import SimpleNamespace

import numpy as np

from spcabench import api, claims
from spcabench.claims import claim, meaning
from spcabench.figures import _daspremont2007 as base
from spcabench.run import Run
from spcabench.showing.style import draw_table, look

PANELS, SIZE = (1, 2), (11.5, 4.4)
PATTERN = (6, 2, 2, 1, 1, 1)
FIRST = {1, 2, 7, 8, 9, 10}  # the paper numbers the variables from 1
NAMES = {"thresholding": "thresholded PCA", "dspca": "DSPCA", "brute_force": "exact optimum"}


# what runs


def runs(scale):
    """Run every method, with fewer cardinalities at the quick scale."""
    for method in base.METHODS:
        settings = dict(method=method)
        yield Run(
            dataset="pitprops",
            function=table,
            settings=settings,
            uses=("dspca", "brute_force"),
            label=method,
        )
    for solver in NAMES:
        for k in range(1, 14) if scale == "paper" else (1, 2, 3, 4, 6, 9, 13):
            yield Run(
                dataset="pitprops", solver=solver, settings=dict(k=k), vectors=True, label="by k"
            )
    yield Run(
        dataset="pitprops", solver="dspca", settings=dict(rho=0.4), vectors=True, label="rho = 0.4"
    )


def table(problem, *, seed, method):
    """Compute six components with one method."""
    return base.measured(problem, method, PATTERN)


def data(table):
    """Return the components of all methods, and the first components of each solver.

    common : the number of published variables in a first component.
    """
    first = table[table.solver.notna()]
    common = [len(FIRST & {int(i) + 1 for i in support}) for support in first.support]
    return SimpleNamespace(
        tables=table[table.label.isin([*base.METHODS])],
        first=first.assign(common=common),
    )


# what is drawn


def tables(data):
    """List the loadings found by each method, for the page."""
    return base.tables(data.tables)


def draw(data, axes):
    """Plot variance against cardinality, and write the loadings of DSPCA."""
    curve, loadings = axes.flat
    draw_variances(curve, data.first[data.first.label == "by k"])
    for numbers in data.tables[data.tables.label == "dspca"].extra:
        table = base.table_of("", numbers)
        draw_table(loadings, table["head"], table["lines"])
    loadings.set_title(
        f"DSPCA: PC1 with k = 6 has {D10.told(data)} in common with the paper's {len(FIRST)}"
    )


def draw_variances(axis, by_k):
    """Plot the variance at the cardinality reached."""
    for solver, name in NAMES.items():
        part = by_k[by_k.solver == solver].sort_values(["cardinality", "k"])
        style = look(solver)
        if solver == "brute_force":
            # open circles, which the markers of the other methods fill if they are optimal
            style |= dict(marker="o", markersize=9, markerfacecolor="none", linestyle="none")
            style |= dict(color="black")
        axis.plot(part.cardinality, part.variance_refit / part.lambda_1, label=name, **style)
    # a bound is about the requested k, even if the answer has fewer nonzeros
    bound = by_k[by_k.solver == "dspca"].sort_values("k")
    style = dict(color="black", linestyle=":", label="bound certified by DSPCA")
    axis.plot(bound.k, bound.bound / bound.lambda_1, **style)
    axis.set(xlabel="cardinality k", ylabel="variance / $\\lambda_1$")
    axis.set_title("variance of the first component, refitted")
    axis.legend(loc="lower right")


# what is claimed


@claim(
    "D10",
    "SIAM Review 49 (2007), table of the pit props (the summary has no table)",
    "[a paraphrase] the first component is on variables 1, 2, 7, 8, 9, 10",
    kind="number",
    measures="variables that DSPCA's first component of six has in common with these",
    unit="variables",
    rule=meaning.printed("6"),
    null=2,  # the first six variables, as all variances are equal
    paper=[claims.PaperNumber(len(FIRST))],
)
def D10(data):
    """Judge the component of six variables, and the one of a fixed rho, as in the paper."""
    rows = data.first[data.first.solver == "dspca"]
    by_k = rows[(rows.label == "by k") & (rows.k == len(FIRST))]
    for name, part in {"k = 6": by_k, "rho = 0.4": rows[rows.label == "rho = 0.4"]}.items():
        label = part.support.map(lambda support: f"{len(support)} variables")
        yield claims.noted(
            claims.tidy(part, "common", label, reading=name, seed=None), _tightness(data.first)
        )


def _tightness(first):
    """State at how many cardinalities DSPCA's support is optimal."""
    by_k = first[first.label == "by k"]
    exact = by_k[by_k.solver == "brute_force"].set_index("cardinality").variance_refit
    dspca = by_k[(by_k.solver == "dspca") & (by_k.cardinality == by_k.k)]
    optimal = (dspca.variance_refit >= (1 - 1e-6) * dspca.cardinality.map(exact)).sum()
    return f"DSPCA's support is optimal at {optimal} of {len(dspca)} k that its search reached."


def six(data, value, **options):
    """Return a number of the six components."""
    return claims.numbers(data.tables, {"six components": value}, **options)


def extras(data):
    """Return the numbers of DSPCA's components, and of PCA's."""
    of = {row.label: row.extra for row in data.tables.itertuples()}
    return of["dspca"], of["pca"]


@claim(
    "D14",
    "introduction of the summary",
    "There is a reduction in the explained variance in the original data captured by the sparse "
    "principal components as compared to PCA",
    measures="adjusted variance that six components of DSPCA explain / that of PCA's",
    unit="times",
    kind="theorem",  # as many orthogonal components explain no more than PCA's
    rule=meaning.LESS,
    null=1.0,
)
def D14(data):
    """Compare as many components of both methods."""
    dspca, pca = extras(data)
    return six(data, dspca["explained"][-1] / pca["explained"][-1])


@claim(
    "D15",
    "introduction of the summary",
    "There is a reduction in the orthogonality (independence or uncorrelation) between the "
    "resulting variables (sparse principal components) as compared to PCA",
    measures="largest |cosine| between the loadings of two of DSPCA's components, or |correlation| "
    "between two of the components, less that of PCA's",
    unit="",
    rule=claims.above(1e-6),
    null=0.0,
    deviates="PCA's is zero but for rounding, so any larger one is a reduction.",
    changed="the correlation was no reading",
)
def D15(data):
    """Compare the loadings, and the components that they give for the correlation matrix."""
    Zs = [np.array(extra["Z"]) for extra in extras(data)]
    Sigma = api.load("pitprops").covariance
    products = {"cosine of the loadings": Zs, "correlation": [Sigma.products(Z) for Z in Zs]}
    for reading, of in products.items():
        dspca, pca = (largest_cosine(Z.T @ Y) for Z, Y in zip(Zs, of, strict=True))
        yield six(data, dspca - pca, reading=reading)


def largest_cosine(inner):
    """Return the largest |cosine| between two different vectors, from their inner products."""
    norms = np.sqrt(inner.diagonal())
    return np.abs(inner / np.outer(norms, norms) - np.eye(len(norms))).max()
