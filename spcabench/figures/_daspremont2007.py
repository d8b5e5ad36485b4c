"""What the figures of d'Aspremont et al. (2007) share: tables, and the panels of convergence."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from spcabench import api
from spcabench.problem.problem import Problem
from spcabench.solving import deflate
from spcabench.solving.status import Status
from spcabench.style import PALETTE, look, plain_log_ticks
from spcabench.vectors import project

SHOWN = {"dspca": "DSPCA", "dspca_subgradient": "subgradient", "SCS": "SCS", "CLARABEL": "Clarabel"}
SDP = ("SCS", "CLARABEL")
METHODS = {
    "pca": "PCA",
    "thresholded": "thresholded PCA",
    "dspca": "DSPCA",
    "exact": "exact optimum at each k",
}


def components_of_pattern(
    problem: Problem, method: str, pattern: tuple[int, ...]
) -> deflate.Components:
    """k components with the cardinalities of ``pattern``, Hotelling's deflation between them.

    thresholded : each eigenvector cut to its largest entries, none deflated by what was cut.
    """
    solver = "dspca" if method == "dspca" else "brute_force"
    # PCA and thresholded PCA deflate by whole eigenvectors; only the loadings are cut
    ks = iter(pattern if method in ("dspca", "exact") else len(pattern) * (problem.n,))
    components = deflate.deflated_components(
        problem, len(pattern), lambda p: api.solve(p, solver, k=next(ks)), "hotelling"
    )
    if method != "thresholded":
        return components
    return deflate.Components(
        problem, [replace(r, x=project(r.x, k)) for r, k in zip(components, pattern, strict=True)]
    )


def measured(problem: Problem, method: str, pattern: tuple[int, ...]) -> dict[str, Any]:
    """The numbers of one table, each loading turned so that its largest entry is positive.

    explained : cumulative adjusted variance, by QR, as a share of the trace of Sigma (Zou et al.
        2006).
    """
    components = components_of_pattern(problem, method, pattern)
    # the sign of a loading is arbitrary: tables of two methods can be compared only with one rule
    Z = components.Z * np.sign(
        components.Z[np.abs(components.Z).argmax(axis=0), np.arange(len(components))]
    )
    total = problem.covariance.diagonal().sum()
    return {
        "Z": Z.tolist(),
        # an eigenvector of a block matrix has entries that rounding left beside zero
        "cardinality": np.count_nonzero(np.abs(Z) > 1e-9, axis=0).tolist(),
        "explained": (np.cumsum(components.adjusted_variances) / total).tolist(),
        "features": list(problem.features or range(1, problem.n + 1)),
    }


def table_of(title: str, numbers: dict[str, Any]) -> dict[str, Any]:
    """The table of a method for the page.

    It has the loadings, zeros left out, then cardinality and cumulative variance.
    """
    Z = np.array(numbers["Z"])
    lines = [
        [str(name), *(f"{v:.3f}" if abs(v) > 1e-9 else "" for v in row)]
        for name, row in zip(numbers["features"], Z, strict=True)
    ]
    lines.append(["cardinality", *(str(c) for c in numbers["cardinality"])])
    lines.append(["cumulative variance", *(f"{100 * e:.1f} %" for e in numbers["explained"])])
    head = ["variable", *(f"PC{i}" for i in range(1, Z.shape[1] + 1))]
    return {"title": title, "head": head, "lines": lines}


def iterations_to(rows: pd.DataFrame) -> dict[float, int]:
    """Level eps -> iterations to a gap of eps.

    They are those of the run that aimed at it, else they are taken from the history of one long
    run.
    """
    # one run for each eps, each smoothed for it; the subgradient method has one run that passes all
    # levels
    if len(rows) > 1:
        finished = rows[rows.status == Status.CONVERGED].sort_values("eps", ascending=False)
        return dict(zip(finished.eps, finished.iterations, strict=True))
    past = rows.past.iloc[0]
    if past is None:  # histories that were too large to publish
        return {}
    levels = np.geomspace(1e-1, 1e-3, 9)
    return {
        float(e): int(past.iteration[(past.gap <= e).idxmax()])
        for e in levels
        if (past.gap <= e).any()
    }


def sdp_style(method: str) -> dict[str, Any]:
    """Colour, marker and name of a general SDP solver."""
    colour, marker = (PALETTE[2], "s") if method == "SCS" else (PALETTE[3], "^")
    return {"color": colour, "marker": marker, "linestyle": "-", "label": SHOWN[method]}


def draw_convergence(data: pd.DataFrame, size: pd.DataFrame, axes: Any) -> None:
    """Gap against iteration and time on the first problem, and iterations against 1/eps.

    The times of the SDP solvers on the same problem are vertical lines. The iterations are medians
    over the seeds.
    """
    first = data[data.seed == 0]
    for row in first.sort_values("eps", ascending=False).itertuples():
        style = look(row.method) | dict(marker="", linestyle="-" if row.method == "dspca" else "--")
        # the run that aims at the smallest eps is the one to look at
        style["alpha"] = (
            1.0 if row.method != "dspca" else 0.35 + 0.65 * (row.eps == first.eps.min())
        )
        past = row.past[row.past.iteration > 0]
        for axis, x in ((axes[0], past.iteration), (axes[1], past.seconds)):
            axis.plot(x, past.gap, **style)
            axis.plot(x.iloc[-1], past.gap.iloc[-1], "o", color=style["color"], markersize=3)
    for row in size[
        size.method.isin(SDP) & (size.n == first.n.max()) & (size.seed == 0)
    ].itertuples():
        style = sdp_style(row.method) | dict(
            linestyle=":", marker="", label=f"{SHOWN[row.method]}, to 1e-6"
        )
        axes[1].axvline(row.total, **style)
    for method in ("dspca", "dspca_subgradient"):
        reached = [iterations_to(part) for _, part in data[data.method == method].groupby("seed")]
        # a median over fewer seeds at the hard end would fall where it should rise
        common = sorted(set.intersection(*map(set, reached))) if reached else []
        if common:
            style = look(method) | dict(label=SHOWN[method], linestyle="-")
            axes[2].plot(
                [1 / e for e in common],
                [np.median([f[e] for f in reached]) for e in common],
                **style,
            )
    for axis, name in ((axes[0], "iteration"), (axes[1], "time, s")):
        axis.set(xscale="log", yscale="log", xlabel=name, ylabel="certified gap, relative")
    axes[0].set_title("light: DSPCA aiming at a larger eps; dashed: subgradient")
    axes[1].legend()
    axes[1].set_title(f"the same runs, n = {first.n.iloc[0]:.0f}" if len(first) else "")
    axes[2].set(xscale="log", yscale="log", xlabel="1 / eps", ylabel="iterations to a gap of eps")
    axes[2].legend()


def draw_growth(data: pd.DataFrame, axes: Any) -> None:
    """Time (medians over problems), memory, and DSPCA's iterations against their bound, by n."""
    for method in ("dspca", *SDP):
        of_method = data[data.method == method]
        # memory and iterations are those of one problem: they hardly depend on it
        rows = of_method[of_method.seed == 0].sort_values("n")
        times = of_method.groupby("n").total.median()
        style = (
            sdp_style(method)
            if method in SDP
            else look(method) | {"linestyle": "-", "label": SHOWN[method]}
        )
        axes[0].plot(times.index, times, **style)
        above = rows[rows.above.notna()]
        axes[1].plot(above.n, above.above / 1e9, **style)
        if method == "dspca":
            bound = (
                4 * rows.n * rows.rho * np.sqrt(np.log(rows.n)) / (rows.eps * rows.relaxation_bound)
            )
            axes[2].plot(
                rows.n, rows.iterations, **(style | {"label": "iterations to a gap of 1e-3"})
            )
            axes[2].plot(rows.n, bound, "k:", label="$4 n \\rho \\sqrt{\\log n}$ / eps")
    # D9's limits of what is practical
    axes[0].axhline(60, color="black", linestyle=":", linewidth=0.8)
    axes[1].axhline(4, color="black", linestyle=":", linewidth=0.8)
    for axis, name in zip(
        axes, ("time, s", "memory above the problem, GB", "iterations"), strict=True
    ):
        axis.set(xscale="log", yscale="log", xlabel="n", ylabel=name)
        plain_log_ticks(axis)
        axis.legend()
