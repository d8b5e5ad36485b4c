"""Results as files: loadings as a table or arrays, and as a picture."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from spcabench.cli.terminal import labels, name, oriented, total_variance
from spcabench.errors import InputError
from spcabench.problem.problem import Problem
from spcabench.running.whole_files import replacing
from spcabench.solving.deflate import Components
from spcabench.solving.result import Result
from spcabench.vectors import largest_indices

TABLES, PICTURES = (".csv", ".parquet", ".npz"), (".png", ".svg", ".pdf")
BARS = 20  # variables drawn of each component


def check(option: str, file: Path | None, allowed: Sequence[str]) -> None:
    """Raise, before the work is done, where a file cannot be written."""
    if file is None:
        return
    if file.suffix not in allowed or not file.absolute().parent.is_dir():
        raise InputError(
            f"{option}: {str(file)!r}; allowed are {', '.join(allowed)} in a folder that exists"
        )
    if file.is_dir():
        raise InputError(f"{option}: {str(file)!r} is a folder; allowed is a file")
    if not os.access(file.absolute().parent, os.W_OK):
        raise InputError(f"{option}: {str(file)!r}: nothing can be written to its folder")


def save(problem: Problem, found: Sequence[Result], out: Path | None, plot: Path | None) -> None:
    """Write the loadings to one file and draw them to another, where they are asked for."""
    if out is not None:
        write(out, problem, found)
    if plot is not None:
        draw(plot, problem, found)


def write(file: Path, problem: Problem, found: Sequence[Result]) -> None:
    """Write the loadings.

    A .csv or .parquet file has a row for each variable. A .npz file has arrays, with the variances
    and bounds.
    """
    with replacing(file) as aside:
        _write(aside, problem, found)


def _write(file: Path, problem: Problem, found: Sequence[Result]) -> None:
    import pandas as pd

    Z = np.column_stack([oriented(r.x) for r in found])
    names = [name(problem, j) for j in range(problem.n)]
    if file.suffix == ".npz":
        variances, bounds = zip(*((problem.variance(r.x), r.bound) for r in found), strict=True)
        np.savez(
            file,
            loadings=Z,
            variables=names,
            columns=labels(found),
            variances=variances,
            bounds=bounds,
        )
        return
    frame = pd.DataFrame(Z, columns=labels(found))
    frame.insert(0, "variable", names)
    frame.to_csv(file, index=False) if file.suffix == ".csv" else frame.to_parquet(
        file, index=False
    )


def draw(file: Path, problem: Problem, found: Sequence[Result]) -> None:
    """Draw the largest loadings of each component as bars.

    Of a path, draw the variance and its certified bound against k.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from spcabench.style import RC

    panels = len(found) if isinstance(found, Components) else 1
    with matplotlib.rc_context(RC):
        figure, axes = plt.subplots(1, panels, squeeze=False, figsize=(max(5.5, 3.6 * panels), 4.2))
        if isinstance(found, Components):
            for axis, result, label in zip(axes.flat, found, labels(found), strict=True):
                _bars(axis, problem, result, label)
        else:
            _curve(axes.flat[0], found)
        figure.suptitle(problem.name)
        with replacing(file) as aside:
            figure.savefig(aside)
        plt.close(figure)


def _bars(axis: Any, problem: Problem, result: Result, label: str) -> None:
    x, variance = oriented(result.x), problem.variance(result.x)
    W = largest_indices(np.abs(x), min(BARS, max(result.cardinality, 1)))
    W = W[np.argsort(np.abs(x[W]), kind="stable")]
    colours = ["#0072B2" if x[j] > 0 else "#D55E00" for j in W]
    axis.barh(range(len(W)), x[W], color=colours, tick_label=[name(problem, j)[:30] for j in W])
    axis.axvline(0.0, color="black", linewidth=0.8)
    axis.locator_params(axis="x", nbins=5)
    more = f", {len(W)} of {result.cardinality} variables" if len(W) < result.cardinality else ""
    share = f"variance {variance:.4g}, {variance / total_variance(problem):.1%}"
    axis.set(xlabel="loading", title=f"{label}{more}\n{share}")


def _curve(axis: Any, found: Sequence[Result]) -> None:
    k = [r.k for r in found]
    axis.plot(
        k, [r.variance for r in found], "o-", color="#0072B2", label=f"variance, {found[0].solver}"
    )
    axis.plot(k, [r.bound for r in found], color="black", linestyle="--", label="certified bound")
    axis.set(xlabel="cardinality k", ylabel="variance", ylim=(0, None))
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.legend()
