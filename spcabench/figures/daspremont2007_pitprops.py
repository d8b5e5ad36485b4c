"""d'Aspremont et al. (2007): pit props, six components by PCA, thresholded PCA, DSPCA and exact
search.

Correlation matrix of 13 variables. Cardinalities 6, 2, 2, 1, 1, 1 (ours: the summary states none),
the same for all sparse methods; DSPCA's rho is searched for each, x is truncated and not refitted;
Hotelling's deflation. Cumulative variance is adjusted by QR. Middle below: the first component at
every cardinality, DSPCA and thresholded PCA after the refit on their support, with the bound that
DSPCA certifies. Right below: the paper's decomposition at a fixed rho, largest entry of what is
left, until it is below rho (dotted).
"""

from dataclasses import replace

import numpy as np

from spcabench import api
from spcabench.claims import Statement, decided
from spcabench.figures._daspremont2007 import METHODS, draw_table, measured
from spcabench.run import Measure, Run
from spcabench.solving import deflate
from spcabench.style import PALETTE, look

PANELS, SIZE = (2, 3), (15.5, 9.0)
PATTERN = (6, 2, 2, 1, 1, 1)
RHOS = (0.2, 0.4, 0.6)
FIRST = (1, 2, 7, 8, 9, 10)
NAMES = {"thresholding": "thresholded PCA", "dspca": "DSPCA", "brute_force": "exact optimum"}

D8 = Statement(
    id="D8",
    quote="A_2 = A_1 - (x_1^T A_1 x_1) x_1 x_1^T ... When the values in A_i are all less than a "
    "constant rho, we must stop",
    where="section 2.4, sparse decomposition",
    test="the decomposition at rho = 0.2, 0.4, 0.6: at every step x'A_2 x = 0, and x'A_1 x is what "
    "the trace loses, relative to the largest entry of A_1; all |entries| are below rho after at "
    "most 100 components",
    threshold="true at every step to 1e-6; the stop is reached at every rho",
)
D10 = Statement(
    id="D10",
    quote="the first component is on variables 1, 2, 7, 8, 9, 10 (as published in the SIAM Review "
    "paper)",
    where="SIAM Review 49 (2007), table of the pit props",
    test="support of DSPCA's first component, rho searched for six variables; second reading rho "
    "= 0.4",
    threshold="exactly these variables",
)


def runs(scale):
    """Fewer cardinalities at quick scale."""
    for method in METHODS:
        settings = dict(method=method)
        yield Measure(
            dataset="pitprops",
            function=table,
            settings=settings,
            uses=("dspca", "brute_force"),
            label=method,
        )
    for rho in RHOS:
        yield Measure(
            dataset="pitprops",
            function=decomposition,
            settings=dict(rho=rho),
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
    """Six components by one method."""
    return measured(problem, method, PATTERN)


def decomposition(problem, *, seed, rho):
    """Largest |entry| left after each component of DSPCA at rho, and the largest error.

    error : of the two identities of the claim.
    """
    left, error, variance = [float(np.abs(problem.matrix.S).max())], 0.0, np.inf
    # below a variance of 1e-2, no variable has variance left to take
    while left[-1] >= rho and len(left) <= 100 and variance > 1e-2:
        result = api.solve(problem, "dspca", rho=rho)
        A, x = problem.matrix.S, result.x
        problem = replace(
            problem, matrix=deflate.hotelling(problem, [result], 1.0), indefinite=True, _cache={}
        )
        B = problem.matrix.S
        wrong = abs(x @ B @ x), abs(np.trace(A) - np.trace(B) - x @ A @ x)
        error, variance = max(error, float(max(wrong)) / left[-1]), x @ A @ x
        left.append(float(np.abs(B).max()))
    return {
        "rho": rho,
        "left": left,
        "error": error,
        "diagonal": float(problem.matrix.S.diagonal().max()),
    }


def draw(data, axes):
    """Four tables, variance by cardinality, and the decomposition."""
    tables, curve, residue = axes.flat[:4], axes.flat[4], axes.flat[5]
    for axis, method in zip(tables, METHODS, strict=True):
        for numbers in data[data.label == method].extra:
            draw_table(axis, METHODS[method], numbers)
    by_k = data[data.label == "by k"]
    for solver, name in NAMES.items():
        mine = by_k[by_k.solver == solver].sort_values("k")
        exact = (
            dict(color="black", marker="o", markersize=9, fillstyle="none", linestyle="none")
            if solver == "brute_force"
            else {}
        )
        curve.plot(
            mine.k, mine.variance_refit / mine.lambda_1, label=name, **(look(solver) | exact)
        )
    bound = by_k[by_k.solver == "dspca"].sort_values("k")
    curve.plot(
        bound.k,
        bound.bound / bound.lambda_1,
        color="black",
        linestyle=":",
        label="bound certified by DSPCA",
    )
    curve.set(
        xlabel="cardinality k", ylabel="variance / $\\lambda_1$", title="first component, refitted"
    )
    curve.legend(loc="lower right")
    for numbers, colour in zip(data[data.label == "decomposition"].extra, PALETTE, strict=False):
        residue.plot(numbers["left"], "o-", color=colour, label=f"$\\rho$ = {numbers['rho']}")
        residue.axhline(numbers["rho"], color=colour, linestyle=":")
    residue.set(
        xlabel="components taken out",
        ylabel="largest $|A_{ij}|$ left",
        title="DSPCA's decomposition",
    )
    residue.legend()


def claims(data):
    """D8, D10."""
    residues = list(data[data.label == "decomposition"].extra)
    holds = (
        all(m["error"] <= 1e-6 and m["left"][-1] < m["rho"] for m in residues) if residues else None
    )
    words = [
        f"rho = {m['rho']}: {len(m['left']) - 1} components, {m['left'][-1]:.2g} left (on the "
        f"diagonal {m['diagonal']:.2g}), error {m['error']:.0e}"
        for m in residues
    ]
    yield D8.judged(decided(holds), "; ".join(words))
    for label, wanted in (("by k", 6), ("rho = 0.4", None)):
        for row in data[(data.label == label) & (data.solver == "dspca")].itertuples():
            if wanted in (None, row.k):
                found = tuple(int(i) + 1 for i in row.support)
                name = f"k = {wanted}" if wanted else label
                yield D10.judged(
                    decided(found == FIRST), f"variables {', '.join(map(str, found))}", name
                )
