"""The pictures of a comparison of several components."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from spcabench import api
from spcabench.comparison.components.runs import HELD_OUT
from spcabench.page.comparison_pictures import Picture
from spcabench.running import schema
from spcabench.showing import style
from spcabench.solving.formulations import Formulation

MOST = 8  # number of coloured solvers in a picture; the others are grey
# an example of loadings for readers: a problem whose variables have well-known names
SHOWN, COUNT = "pit props", 6
FREE = (Formulation.DEFLATION, Formulation.PENALISED)  # loadings need not be orthogonal


def pictures(table: pd.DataFrame, ranking: pd.DataFrame) -> Iterator[Picture]:
    """Yield all pictures for which there are rows."""
    answered = table[table.value.notna() & (table.kind != HELD_OUT)]
    free = [f.value for f in FREE if (answered.formulation == f).any()]
    if free:
        yield Picture(
            "Variance against orthogonality",
            "Each arrow is one solver, averaged over all problems, r and k. It starts at what the "
            "loadings seem to explain, tr(Z'ΣZ), and ends at what they explain after they are made "
            "orthogonal within the union of their supports. Its length is variance that was "
            "counted twice. Both ends are shares of the certified bound.",
            trade_off,
            (1, len(free)),
            (9.5, 4.6),
            (answered, ranking, free),
        )
    if (answered.formulation == Formulation.DEFLATION).any():
        yield Picture(
            "Deflations",
            "Projected variance over the best of the four deflations of the same solver. A dot is "
            "a problem with one r and k; a bar is the median.",
            deflations,
            (1, 1),
            (9.5, 3.6),
            (answered,),
        )
    shown = _shown(answered, ranking)
    if len(shown):
        yield Picture(
            f"Loadings: {SHOWN}, {COUNT} components",
            "The answers of the solvers ranked first in each formulation. Blue is positive, "
            "red negative and white zero; the largest entry of each loading is positive.",
            heat_maps,
            (1, len(shown)),
            (9.5, 4.4),
            (shown,),
        )


def trade_off(table: pd.DataFrame, ranking: pd.DataFrame, free: list[str], axes: Any) -> None:
    """Draw an arrow per solver, from its total to its projected variance, against the violation."""
    for axis, formulation in zip(axes.flat, free, strict=True):
        part = table[table.formulation == formulation]
        # one way per solver, because four arrows of one colour would be indistinguishable
        part = part[part.how.isin(["projection", "calibrated"])]
        part = part.assign(seems=part.total / part.bound, is_=part.projected / part.bound)
        means = part.groupby("solver")[["seems", "is_", "violation"]].mean()
        best = [s for s in ranking[ranking.formulation == formulation].solver if s in means.index]
        best = list(dict.fromkeys(best))[:MOST]
        for solver, line in means.iterrows():
            look = style.look(str(solver)) if solver in best else {"color": "#BBBBBB"}
            axis.annotate(
                "",
                (line.violation, line.is_),
                (line.violation, line.seems),
                arrowprops=dict(arrowstyle="->", color=look["color"], lw=1.3),
            )
            label = str(solver) if solver in best else None
            marker = look.get("marker", "o")
            axis.plot(
                line.violation, line.is_, ls="", marker=marker, color=look["color"], label=label
            )
            axis.plot(line.violation, line.seems, ls="", marker="_", color=look["color"])
        axis.set(title=formulation, xlabel="violation, sum of |Z'Z - I|")
        axis.legend(loc="best", ncols=2)
    axes.flat[0].set(ylabel="share of the certified bound")


def deflations(table: pd.DataFrame, axes: Any) -> None:
    """Draw a dot for every problem, by solver and deflation."""
    axis = axes.flat[0]
    part = relative(table)
    kinds = sorted(part.how.unique())
    solvers = list(dict.fromkeys(part.solver))
    for i, kind in enumerate(kinds):
        for j, solver in enumerate(solvers):
            y = part[(part.how == kind) & (part.solver == solver)].relative.to_numpy()
            # solvers side by side within a deflation, so that their dots do not overlap
            x = i + (j - (len(solvers) - 1) / 2.0) / (len(solvers) + 1.0)
            look = style.look(solver)
            label = solver if i == 0 else None
            axis.plot(
                np.full(len(y), x),
                y,
                ls="",
                marker=look["marker"],
                color=look["color"],
                alpha=0.6,
                label=label,
            )
            if len(y):
                axis.plot([x - 0.08, x + 0.08], [np.median(y)] * 2, color="black", lw=2)
    axis.set_xticks(range(len(kinds)), [kind.replace("_", " ") for kind in kinds])
    axis.set(ylabel="projected variance over the best")
    axis.legend()


def relative(table: pd.DataFrame) -> pd.DataFrame:
    """Return the answers of solvers with all four deflations, relative to the best of them."""
    part = table[table.formulation == Formulation.DEFLATION]
    several = part.groupby("solver").how.transform("nunique")
    # the best of fewer deflations would be an easier comparison
    part = part[several == 4]
    best = part.groupby(["solver", "item", "r", "k"]).projected.transform("max")
    return part.assign(relative=part.projected / best)


def heat_maps(shown: pd.DataFrame, axes: Any) -> None:
    """Draw the loadings of each formulation's best solver, with the names of the variables."""
    for place, (axis, line) in enumerate(zip(axes.flat, shown.itertuples(), strict=True)):
        Z = line.Z
        # signs of loadings are arbitrary, so equal answers could look like opposites
        Z = Z * np.where(Z[np.abs(Z).argmax(axis=0), np.arange(Z.shape[1])] < 0.0, -1.0, 1.0)
        axis.imshow(Z, cmap="RdBu", vmin=-1.0, vmax=1.0, aspect="auto")
        axis.set_xticks(range(Z.shape[1]), [str(j + 1) for j in range(Z.shape[1])])
        # all panels show the same variables, so the first one names them
        names = _names(line) if place == 0 else [""] * len(Z)
        axis.set_yticks(range(len(Z)), names)
        axis.set(title=f"{line.formulation}\n{line.solver}")
        axis.grid(False)


def _names(line: Any) -> list[str]:
    """Return the names of the variables in a line's problem."""
    return list(
        api.load_or_stand_in(line.dataset, **schema.decoded(line.parameters)).features or ()
    )


def _shown(table: pd.DataFrame, ranking: pd.DataFrame) -> pd.DataFrame:
    part = table[(table.item == SHOWN) & (table.r == COUNT)]
    # the ranking covers all problems, so an answer to this one may be missing
    order = {(r.formulation, r.solver, r.how): i for i, r in enumerate(ranking.itertuples())}
    keys = list(zip(part.formulation, part.solver, part.how, strict=True))
    part = part.assign(order=[order.get(key, len(order)) for key in keys])
    return part.sort_values("order").drop_duplicates("formulation")
