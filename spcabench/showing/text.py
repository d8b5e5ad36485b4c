"""Answers as text and tables, for interactive sessions and notebooks.

Nothing expensive is computed here: a bound is shown only if it already exists.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spcabench import files
from spcabench.errors import InputError
from spcabench.files import replacing
from spcabench.flops import uncharged
from spcabench.vectors import Vector, dominant

if TYPE_CHECKING:
    import pandas as pd

    from spcabench.problem.problem import Problem
    from spcabench.showing.substitutes import Substitute
    from spcabench.solving.result import Result

HOW_TO_BOUND = "<code>result.bound</code> computes a certified bound, and the table then shows it"
SHOWN = 6  # number of variables listed on a line
# formats and labels of the values of an answer
FORMATS = {"variance": "{:.5g}", "share": "{:.1%}", "deflated_variance": "{:.5g}"}
FORMATS |= {"bound": "{:.5g}", "gap": "{:.1%}"}
LABELS = {"share": "of the total"}


def names(problem: "Problem") -> list[str]:
    """Return the names of the variables or, if they have no names, their indices as text."""
    return [str(f) for f in problem.features or range(problem.n)]


def total_variance(problem: "Problem") -> float:
    """Return the trace of Sigma without charging its flops."""
    with uncharged():
        return float(problem.covariance.diagonal().sum())


def dominance(problem: "Problem", remedy: str) -> str:
    """Return a sentence if one variable of unscaled data dominates their variance, or "".

    Every component then consists of this variable, and is proven and stable only because of its
    unit. ``remedy`` says how the user can scale the data.
    """
    if problem.scale is None or (problem.scale != 1.0).any():
        return ""
    with uncharged():
        variances = problem.covariance.diagonal()
    largest = dominant(variances)
    if largest is None:
        return ""
    share = variances[largest] / variances.sum()
    return f"{names(problem)[largest]} has {share:.0%} of the variance; {remedy}"


def cells(problem: "Problem", result: "Result", bound: bool | None = None) -> dict[str, Any]:
    """Return the values that describe an answer, by name, for every format in which it is shown.

    bound : whether the certified bound is included; None includes it if it already exists. The
    variance is that in the original problem, which can exceed the bound after a deflation.
    """
    values: dict[str, Any] = {"cardinality": result.cardinality}
    if not result.good:
        return values | {"status": str(result.status), "fault": result.fault}
    variance = problem.variance(result.x)
    values |= {"variance": variance, "share": variance / total_variance(problem)}
    if result.problem is not problem:
        values["deflated_variance"] = result.variance
    if "bound" in vars(result) if bound is None else bound:
        values |= {"bound": result.bound, "gap": result.gap}
    return values | {"status": str(result.status)}


def formatted(values: dict[str, Any]) -> dict[str, str]:
    """Return the values of an answer as text."""
    return {name: FORMATS.get(name, "{}").format(value) for name, value in values.items()}


def _labelled(problem: "Problem", result: "Result") -> dict[str, str]:
    """Return the values of an answer as text, under labels for a reader, and its loadings."""
    texts = formatted(cells(problem, result))
    after = {"bound": "bound after deflation"} if "deflated_variance" in texts else {}
    texts.pop("deflated_variance", None)
    shown = {(LABELS | after).get(name, name): text for name, text in texts.items()}
    return shown | ({"variables": loadings(problem, result.x)} if result.good else {})


def loadings(problem: "Problem", x: Vector, most: int = SHOWN, often: Vector | None = None) -> str:
    """Return the largest loadings with their variables, and how often each variable is chosen."""
    order = [j for j in np.argsort(-np.abs(x), kind="stable") if x[j] != 0]
    variables = names(problem)
    text = ", ".join(
        f"{variables[j]} ({x[j]:+.2f}{'' if often is None else f', {often[j]:.0%}'})"
        for j in order[:most]
    )
    return text + (f", and {len(order) - most} more" if len(order) > most else "")


def substitutes(problem: "Problem", swaps: Sequence["Substitute"]) -> "pd.DataFrame":
    """Return a table of substitutes with the names of the variables."""
    import pandas as pd

    variables = names(problem)
    rows = [(variables[s.variable], variables[s.substitute], s.loss, s.correlation) for s in swaps]
    return pd.DataFrame(rows, columns=["variable", "substitute", "loss", "correlation"])


def line(problem: "Problem", result: "Result") -> str:
    """Return an answer on one line."""
    texts = _labelled(problem, result)
    return files.plain("; ".join(f"{label} {text}" for label, text in texts.items()))


def html(problem: "Problem", results: Sequence["Result"]) -> str:
    """Return an HTML table with one row per answer."""
    import pandas as pd

    rows = pd.DataFrame([_labelled(problem, result) for result in results])
    rows.index = pd.RangeIndex(1, len(rows) + 1)
    table = rows.fillna("").to_html(escape=True)
    known = all("bound" in vars(result) for result in results if result.good)
    return files.plain(table if known else f"{table}<p>{HOW_TO_BOUND}</p>")


def write_csv(table: "pd.DataFrame", file: Path | str) -> None:
    """Write a table with its index."""
    with replacing(file) as aside:
        table.to_csv(aside)


def write_loadings(problem: "Problem", results: Sequence["Result"], file: Path | str) -> None:
    """Write the table of `frame`; raise InputError if an answer is infeasible."""
    for result in results:
        if result.status == "infeasible":
            raise InputError(f"solver {result.solver!r}: no feasible answer: {result.fault}")
    write_csv(frame(problem, results), file)


def frame(problem: "Problem", results: Sequence["Result"]) -> "pd.DataFrame":
    """Return the loadings (n, K), with the names of the variables as index."""
    import pandas as pd

    columns = [f"component {i}" for i in range(1, len(results) + 1)]
    loadings = np.column_stack([result.x for result in results])
    return pd.DataFrame(loadings, index=pd.Index(names(problem), name="variable"), columns=columns)
