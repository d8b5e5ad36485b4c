"""Asteris, Papailiopoulos, Dimakis (2014), Figure 2, our drawing: the feasible cone of (P_2).

The paper's page was not available. (P_2) maximises ||V_I c|| over
all c on the unit circle with V_I c >= 0, where V is the matrix of Figure 1. In each shaded
half-plane, one entry of V_I c is negative. The thick arc is feasible. The distance of the outer
curve from the centre is proportional to ||V_I c||. In the left panel, the leading eigenvector u of
V_I'V_I is feasible and therefore optimal. In the right panel, it is infeasible, and the optimum c
is an endpoint of the arc.
"""

from itertools import combinations

import numpy as np

from spcabench.run import Run
from spcabench.showing.style import PALETTE, legend_below

PANELS, SIZE = (1, 2), (9.6, 4.6)


# what runs


def runs(scale):
    """Use the matrix of Figure 1, which is the same at both scales."""
    yield Run(
        dataset="gaussian",
        parameters=dict(m=2, n=4, seed=3),
        function=cones,
        uses=("spannogram_exact",),
    )


def cones(problem, *, seed):
    """Solve (P_2) for the best supports with a feasible and an infeasible leading eigenvector."""
    # imported here, because the workflow lists the runs without needing numba
    from spcabench.methods import spannogram

    V = problem.data.dense().T
    cases = []
    # pairs and triples of rows, because the feasible set of a single row is just a half-plane
    for rows in (W for size in (2, 3) for W in combinations(range(len(V)), size)):
        R = np.ascontiguousarray(V[list(rows)])
        value, c, _ = spannogram.cone_maximum(R, R.T @ R, 0.0)
        # c is zero if the cone is empty
        if c.any():
            u = np.linalg.eigh(R.T @ R)[1][:, -1]
            # the sign of an eigenvector is arbitrary: use the one on the same side as the optimum
            u = u if u @ c >= 0 else -u
            # rounding must not exclude points on the edge
            inside = bool((R @ u).min() >= -1e-9)
            cases.append(dict(I=rows, value=value, c=c.tolist(), u=u.tolist(), inside=inside))
    best = [
        max((f for f in cases if f["inside"] == inside), key=lambda f: f["value"])
        for inside in (True, False)
    ]
    return {"V": V.tolist(), "cases": best}


def data(table):
    """Return V (4, 2) and the two cases."""
    return table.extra.iloc[0]


# what is drawn


def draw(data, axes):
    """Draw one circle for each case."""
    for axis, case in zip(axes.flat, data["cases"], strict=True):
        _draw_cone(axis, np.array(data["V"])[list(case["I"])], case)


def _draw_cone(axis, R, case):
    theta = np.linspace(0.0, 2.0 * np.pi, 1441)
    C = np.column_stack([np.cos(theta), np.sin(theta)])
    reached = np.linalg.norm(C @ R.T, axis=1)
    feasible = (C @ R.T >= 0.0).all(axis=1)
    for row, i in zip(R, case["I"], strict=True):
        _half_plane(axis, row, PALETTE[i], f"$V_{i + 1}c < 0$")  # colours as in Figure 1
    axis.plot(*C.T, color="#888888", linewidth=1.0)
    radius = reached / reached.max() * 1.6
    dotted = dict(color="black", linewidth=1.0, linestyle=":", label=r"$\|V_I c\|$")
    axis.plot(*(C * radius[:, None]).T, **dotted)
    # NaN interrupts the line where the arc ends
    arc = np.where(feasible[:, None], C, np.nan)
    axis.plot(*arc.T, color="black", linewidth=3.5, label="feasible arc")
    c, u = np.array(case["c"]), np.array(case["u"])
    for vector, style in ((u, "--"), (c, "-")):
        axis.plot([0, vector[0]], [0, vector[1]], color="black", linestyle=style, linewidth=1.2)
    hollow = dict(markerfacecolor="white", markersize=8, label="leading eigenvector $u$")
    axis.plot(*u, "D", color="black", **hollow)
    axis.plot(*c, "o", color="black", markersize=5, label=f"optimum $c$, value {case['value']:.2f}")
    rows = ", ".join(str(i + 1) for i in case["I"])
    state = "feasible: the optimum" if case["inside"] else "infeasible"
    axis.set(xlim=(-1.75, 1.75), ylim=(-1.75, 1.75), aspect="equal", xlabel="$c_1$", ylabel="$c_2$")
    axis.set_title(rf"$I = \{{{rows}\}}$: $u$ is {state}")
    axis.grid(False)
    legend_below(axis)


def _half_plane(axis, row, colour, label):
    """Shade the half-plane in which row'c < 0, and draw its edge."""
    out, along = -row / np.linalg.norm(row), np.array([-row[1], row[0]]) / np.linalg.norm(row)
    corners = np.array([4 * along, 4 * along + 8 * out, -4 * along + 8 * out, -4 * along])
    axis.fill(*corners.T, color=colour, alpha=0.13, linewidth=0, label=label)
    axis.plot(*np.array([4 * along, -4 * along]).T, color=colour, linewidth=1.0)
