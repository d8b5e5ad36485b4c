"""Write results to files: loadings as a table or as arrays, or as a picture."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from spcabench.atomic_files import check_room, replacing, write_picture
from spcabench.cli.terminal import labels
from spcabench.errors import InputError, using_file
from spcabench.optional_dependencies import require
from spcabench.problem.problem import Problem
from spcabench.showing import pictures
from spcabench.showing.text import names
from spcabench.solving.cardinality_path import CardinalityPath
from spcabench.solving.deflate import Components
from spcabench.solving.model import Model
from spcabench.solving.result import Result
from spcabench.vectors import Array, oriented

TABLES, PICTURES = (".csv", ".parquet", ".npz"), (".png", ".svg", ".pdf")


NEEDED: dict[str, tuple[str, ...]] = {suffix: ("matplotlib",) for suffix in PICTURES}
NEEDED |= {".parquet": ("pyarrow",), ".html": ("jinja2", "matplotlib")}


def check(
    option: str,
    file: Path | None,
    allowed: Sequence[str],
    kind: str = "loadings",
    inputs: Iterable[str | Path | None] = (),
) -> None:
    """Raise InputError, before any work, if a file cannot be written or a picture not drawn."""
    if kind not in pictures.KINDS:
        raise InputError(f"--picture: {kind!r}; choose from {', '.join(pictures.KINDS)}")
    if file is None:
        return
    for library in NEEDED.get(file.suffix, ()):
        require(library)
    if file.suffix not in allowed or not file.absolute().parent.is_dir():
        raise InputError(
            f"{option}: {str(file)!r} must end in {', '.join(allowed)}, in a folder that exists"
        )
    check_writable(option, file, inputs)


def check_samples(problem: Problem, kind: str) -> None:
    """Raise InputError, before any work, if a picture needs samples that the problem lacks."""
    if kind in pictures.OF_SAMPLES and problem.m is None:
        raise InputError(
            f"--picture: {kind!r} needs samples, but {problem.name} is a covariance; choose "
            "from loadings, substitutes and scree"
        )


def check_writable(option: str, file: Path, inputs: Iterable[str | Path | None] = ()) -> None:
    """Raise InputError, before any work, if a file of this name cannot be written.

    inputs : files read by the command, which are never overwritten.
    """
    with using_file(file):
        if file.is_dir():
            raise InputError(f"{option}: {str(file)!r} is a folder; give a file name")
        if not file.absolute().parent.is_dir():
            raise InputError(f"{option}: {str(file)!r}: the folder does not exist")
        for path in inputs:
            if path and file.exists() and Path(path).exists() and file.samefile(path):
                raise InputError(
                    f"{option}: {str(file)!r} is read by this command; name another file"
                )
    check_room(file.absolute().parent)


def write(file: Path, problem: Problem, results: Sequence[Result], bound: bool = True) -> None:
    """Write the loadings to a file.

    A .csv or .parquet file has one row per variable. An .npz file is a model, with everything that
    `spcabench apply` needs, and the variances and bounds.
    """
    with replacing(file) as aside:
        if file.suffix == ".npz":
            _model(problem, results, bound).write(aside)
            return
        import pandas as pd

        from spcabench.readers.delimited import guarded

        frame = pd.DataFrame(_loadings(results), columns=labels(results))
        frame.insert(0, "variable", names(problem))
        if file.suffix == ".csv":
            frame.assign(variable=frame.variable.map(guarded)).to_csv(aside, index=False)
        else:
            frame.to_parquet(aside, index=False)


def _loadings(results: Sequence[Result]) -> Array:
    return np.column_stack([oriented(r.x) for r in results])


def _model(problem: Problem, results: Sequence[Result], bound: bool) -> Model:
    arrays = {
        "columns": np.array(labels(results)),
        "variances": np.array([problem.variance(r.x) for r in results]),
    }
    if bound:
        arrays["bounds"] = np.array([r.bound for r in results])
    about = {
        "solver": results[0].solver,
        "settings": results[0].settings,
        "k": [r.k for r in results],
        "source": problem.provenance.get("source", problem.name),
        "notes": list(problem.provenance.get("notes", ())),
    }
    mean, scale = (problem.provenance.get(name) for name in ("mean", "scale"))
    return Model(_loadings(results), names(problem), mean, scale, about, arrays)


def draw(
    file: Path,
    problem: Problem,
    results: Sequence[Result],
    kind: str = "loadings",
    bound: bool = True,
) -> None:
    """Draw components as the given kind of picture, or a path's variance and bound against k."""
    require("matplotlib").use("Agg")
    if isinstance(results, Components):
        figure = results.plot(kind)
    elif kind != "loadings":
        raise InputError(f"--picture: {kind!r} works with components only; a path has one picture")
    else:
        assert isinstance(results, CardinalityPath)
        figure = results.plot(bound=bound)
    save_figure(file, figure)


def save_figure(file: Path, figure: Any) -> None:
    """Write a figure to a file, and close it."""
    write_picture(file, figure)
    require("matplotlib.pyplot").close(figure)
