"""d'Aspremont et al. (2007): pit props, six components computed by PCA, thresholded PCA, DSPCA and
exact search.

The data are the correlation matrix of 13 variables. All sparse methods use the cardinalities 6, 2,
2, 1, 1, 1 (our choice, because the summary states no cardinalities). For each cardinality, DSPCA's
rho is found by a search, and x is truncated but not refitted. All methods use Hotelling's
deflation. The cumulative variance is adjusted by a QR decomposition. The left panel shows the
variance of the first component for each cardinality, with DSPCA and thresholded PCA refitted on
their support, and the bound certified by DSPCA. The right panel shows the loadings of DSPCA; the
tables below the picture contain those of all methods. The paper's decomposition also runs with a
fixed rho, until the largest remaining entry is below rho.
"""

from types import SimpleNamespace

from spcabench import claims
from spcabench.claims import claim
from spcabench.figures import _daspremont2007 as base
from spcabench.figures._daspremont2007 import decomposition
from spcabench.run import Run
from spcabench.showing.style import draw_table, look

PANELS, SIZE = (1, 2), (11.5, 4.4)
PATTERN = (6, 2, 2, 1, 1, 1)
RHOS = (0.2, 0.4, 0.6)
FIRST = {1, 2, 7, 8, 9, 10}  # the paper numbers the variables from 1
NAMES = {"thresholding": "thresholded PCA", "dspca": "DSPCA", "brute_force": "exact optimum"}
DEFLATED = {
    "hotelling": "Hotelling's deflation",
    "projection": "deflation by projection",
    "schur": "deflation by Schur complement",
}


# what runs


def runs(scale):
    """Run every method and rho, with fewer cardinalities at the quick scale."""
    for method in base.METHODS:
        settings = dict(method=method)
        yield Run(
            dataset="pitprops",
            function=table,
            settings=settings,
            uses=("dspca", "brute_force"),
            label=method,
        )
    for rho in RHOS:
        # each deflation runs with every rho, because Hotelling's fails only for some of them
        for deflation in base.DEFLATIONS:
            yield Run(
                dataset="pitprops",
                function=decomposition,
                settings=dict(rho=rho, deflation=deflation),
                uses=("dspca",),
                label="decomposition",
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
    """Return the components, the decompositions, and the first components of each solver.

    left : the largest entry left by a decomposition, over rho. common : the number of published
    variables in a first component.
    """
    steps = table[table.label == "decomposition"]
    names = ("rho", "deflation", "error")
    steps = steps.assign(
        **{name: [numbers[name] for numbers in steps.extra] for name in names},
        left=[numbers["left"][-1] / numbers["rho"] for numbers in steps.extra],
    )
    first = table[table.solver.notna()]
    common = [len(FIRST & {int(i) + 1 for i in support}) for support in first.support]
    return SimpleNamespace(
        tables=table[table.label.isin([*base.METHODS])],
        steps=steps,
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
    """Plot the variance at the cardinality reached, with a hollow marker if k was not reached."""
    for solver, name in NAMES.items():
        part = by_k[by_k.solver == solver].sort_values(["cardinality", "k"])
        style = look(solver)
        if solver == "brute_force":
            # open circles, which the markers of the other methods fill if they are optimal
            style |= dict(marker="o", markersize=9, markerfacecolor="none", linestyle="none")
            style |= dict(color="black")
        axis.plot(part.cardinality, part.variance_refit / part.lambda_1, label=name, **style)
        missed = part[part.cardinality != part.k]
        hollow = style | dict(markerfacecolor="white", linestyle="none")
        axis.plot(missed.cardinality, missed.variance_refit / missed.lambda_1, **hollow)
    # a bound is about the requested k, even if the answer has fewer nonzeros
    bound = by_k[by_k.solver == "dspca"].sort_values("k")
    style = dict(color="black", linestyle=":", label="bound certified by DSPCA")
    axis.plot(bound.k, bound.bound / bound.lambda_1, **style)
    axis.set(xlabel="cardinality k", ylabel="variance / $\\lambda_1$")
    axis.set_title("variance of the first component, refitted")
    axis.legend(loc="lower right")


# what is claimed


@claim(
    "D8",
    "section 2.4, sparse decomposition",
    "A_2 = A_1 - (x_1^T A_1 x_1) x_1 x_1^T ... When the values in A_i are all less than a constant "
    "rho, we must stop",
    measures="largest |entry| left after 100 components, over rho",
    unit="times",
    rule=claims.below(1),
    at=claims.every("rho", least=len(RHOS)),
    null=1 / max(RHOS),  # nothing is taken out of a correlation matrix
    also=[
        claims.Part(
            "identities",
            "error of x'A_2 x = 0 and of the trace's loss, over the largest entry of A_1",
            "",
            claims.at_most(1e-6),
            claims.every("rho"),
        )
    ],
    primary=DEFLATED["hotelling"],
    why="it is the step as written in the summary",
    because="The quotation is a stopping rule; the paper does not claim that it is ever met. x is "
    "not an eigenvector, so the subtraction leaves an indefinite matrix: an off-diagonal entry "
    "stays above rho although no diagonal entry is positive.",
)
def D8(data):
    """Judge each rho; other deflations show whether the rule or the subtraction fails."""
    for deflation, name in DEFLATED.items():
        rows = data.steps[data.steps.deflation == deflation]
        yield claims.each(rows, "rho", "left", "rho = {}", reading=name, seed=None)
    # the identities hold for the step as written in the summary
    rows = data.steps[data.steps.deflation == "hotelling"]
    yield claims.each(
        rows, "rho", "error", "rho = {}", reading=D8.primary, part="identities", seed=None
    )


@claim(
    "D10",
    "SIAM Review 49 (2007), table of the pit props (a paraphrase; the summary has no table)",
    "the first component is on variables 1, 2, 7, 8, 9, 10",
    kind="number",
    measures="variables that DSPCA's first component of six has in common with these",
    unit="variables",
    rule=claims.at_least(len(FIRST)),
    null=2,  # the first six variables, as all variances are equal
    paper=[claims.PaperNumber(len(FIRST))],
    primary="k = 6",
    why="the published component has six variables",
)
def D10(data):
    """Judge the component of six variables, and the one of a fixed rho, as in the paper."""
    rows = data.first[data.first.solver == "dspca"]
    by_k = rows[(rows.label == "by k") & (rows.k == len(FIRST))]
    for name, part in {"k = 6": by_k, "rho = 0.4": rows[rows.label == "rho = 0.4"]}.items():
        label = part.support.map(lambda support: f"{len(support)} variables")
        yield claims.tidy(part, "common", label, reading=name, seed=None)
