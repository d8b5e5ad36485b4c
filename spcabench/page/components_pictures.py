"""The pictures of a comparison of several components."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from spcabench.comparison.components.runs import HELD_OUT
from spcabench.page.comparison_pictures import Picture
from spcabench.showing import style
from spcabench.solving.formulations import Formulation

MOST = 8  # number of coloured solvers in a picture; the others are grey
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
