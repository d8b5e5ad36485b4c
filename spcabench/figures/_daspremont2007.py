"""What the tables of d'Aspremont et al. (2007) share: components by several methods, their loadings drawn."""

from itertools import chain
from typing import Any

import numpy as np

from spcabench import api, deflate
from spcabench.problem import Problem
from spcabench.vectors import Vector, project

METHODS = {"pca": "PCA", "thresholded": "thresholded PCA", "dspca": "DSPCA", "exact": "exact optimum at each k"}


def loadings(problem: Problem, method: str, pattern: tuple[int, ...]) -> Vector:
    """Loadings Z (n, K) of K components with the cardinalities of ``pattern``, Hotelling's deflation between them.

    thresholded : each eigenvector cut to its largest entries, none deflated by what was cut.
    """
    solver = "dspca" if method == "dspca" else "brute_force"
    given = pattern if method in ("dspca", "exact") else len(pattern) * (problem.n,)
    ks = iter(given)
    found = deflate.components(problem, len(pattern), lambda p: api.solve(p, solver, k=next(ks)), "hotelling")
    if method != "thresholded":
        return found.Z
    return np.column_stack([project(z, k) for z, k in zip(found.Z.T, pattern, strict=True)])


def explained(Sigma: Vector, Z: Vector) -> Vector:
    """Cumulative adjusted variance (K,) of the loadings, by QR, as a share of the trace of Sigma (Zou et al. 2006)."""
    w, V = np.linalg.eigh(Sigma)
    R = np.linalg.qr(np.sqrt(np.maximum(w, 0.0))[:, None] * V.T @ Z)[1]
    return np.cumsum(np.diag(R) ** 2) / np.trace(Sigma)


def measured(problem: Problem, method: str, pattern: tuple[int, ...]) -> dict[str, Any]:
    """The numbers of one table, each loading turned so that its largest entry is positive."""
    Z = loadings(problem, method, pattern)
    Z = Z * np.sign(Z[np.abs(Z).argmax(axis=0), np.arange(Z.shape[1])])
    return {
        "Z": Z.tolist(),
        "cardinality": np.count_nonzero(np.abs(Z) > 1e-9, axis=0).tolist(),
        "explained": explained(problem.given_as("covariance").matrix.S, Z).tolist(),  # type: ignore[union-attr]
        "features": list(problem.features or range(1, problem.n + 1)),
    }


def draw_table(axis: Any, title: str, made: dict[str, Any]) -> None:
    """Loadings, zeros left out; below them cardinality and cumulative variance."""
    axis.set_axis_off()
    Z = np.array(made["Z"])
    cells = [[f"{v:.3f}" if abs(v) > 1e-9 else "" for v in row] for row in Z]
    cells += [[str(c) for c in made["cardinality"]], [f"{100 * e:.1f} %" for e in made["explained"]]]
    table = axis.table(
        cells,
        rowLabels=[*made["features"], "cardinality", "cumulative variance"],
        colLabels=[f"PC{i}" for i in range(1, Z.shape[1] + 1)],
        colWidths=[0.72 / Z.shape[1]] * Z.shape[1],
        cellLoc="center",
        bbox=[0.3, 0.0, 0.7, 1.0],
    )
    table.auto_set_font_size(False)
    table.set_fontsize(8)
    for column in chain([-1], range(Z.shape[1])):
        for row in (len(Z) + 1, len(Z) + 2):
            table[row, column].set_facecolor("#EEEEEE")
    axis.set_title(title)
