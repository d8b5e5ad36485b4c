"""Components as a person reads them, or as JSON."""

import io
import json
import shutil

import numpy as np

from .deflate import Components

MOST = 12  # variables shown for each component


def as_json(found: Components) -> str:
    """Everything but the vectors' zeros."""
    entries = []
    for result, variance in zip(found, found.variances, strict=True):
        entries.append(
            {
                "solver": result.solver,
                "problem": found.problem.name,
                "stand_in": found.problem.stand_in,
                "status": result.status,
                "cardinality": result.cardinality,
                "variance": float(variance),
                "deflated_variance": result.variance,
                "bound": result.bound,
                "bound_whp": result.bound_whp,
                "gap": result.gap,
                "nonnegative": result.nonnegative,
                "iterations": result.iterations,
                "flops": result.flops if result.counted else None,
                "setup_flops": result.setup_flops if result.counted else None,
                "solve_time": result.solve_time,
                "setup_time": result.setup_time,
                "search": result.search,
                "support": result.support.tolist(),
                "features": [_name(found, j) for j in result.support],
                "loadings": result.x[result.support].tolist(),
            }
        )
    return json.dumps({"components": entries, "projected_variance": found.projected_variance}, indent=1, default=float)


def as_table(found: Components) -> str:
    """One line for each component: cardinality, variance, certified bound, variables by weight."""
    from rich.console import Console
    from rich.table import Table

    p, several = found.problem, len(found) > 1
    name = f"{p.name}: n = {p.n}, solver {found[0].solver}"
    table = Table(title=f"{name} (STAND-IN)" if p.stand_in else name, title_justify="left")
    deflated = ("after deflation", "bound on it") if several else ("certified bound",)
    for column in ("component", "cardinality", "variance", *deflated, "gap", "status"):
        table.add_column(column, justify="right")
    table.add_column("variables (loading)")
    for i, (result, variance) in enumerate(zip(found, found.variances, strict=True), 1):
        numbers = [f"{variance:.5g}", *([f"{result.variance:.5g}"] if several else [])]
        certified = [f"{result.bound:.5g}", f"{100 * result.gap:.1f} %"] if result.good else ["", ""]
        table.add_row(str(i), str(result.cardinality), *numbers, *certified, result.status, _loadings(found, result.x))
    stream = io.StringIO()
    console = Console(file=stream, width=max(100, shutil.get_terminal_size((120, 24)).columns))
    console.print(table)
    if several:
        console.print(f"variance explained by their span: {found.projected_variance:.5g}")
        console.print("certified bounds are those of the deflated problems, in which each component was sought")
    return stream.getvalue().rstrip()


def _loadings(found: Components, x: np.ndarray) -> str:
    order = [j for j in np.argsort(-np.abs(x), kind="stable") if x[j] != 0]
    text = ", ".join(f"{_name(found, j)} ({x[j]:+.2f})" for j in order[:MOST])
    return text + (f", and {len(order) - MOST} more" if len(order) > MOST else "")


def _name(found: Components, j: int) -> str:
    return found.problem.features[j] if found.problem.features else str(j)
