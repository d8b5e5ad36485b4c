"""Output files of commands: loadings as tables, models or pictures."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from spcabench.cli.options import check_word
from spcabench.cli.terminal import labels
from spcabench.errors import InputError, using_file
from spcabench.files import check_room, replacing, write_picture
from spcabench.machine import require
from spcabench.problem.problem import Problem
from spcabench.showing import pictures
from spcabench.showing.text import names, write_csv
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
    allowed: Sequence[str] = (),
    inputs: Iterable[str | Path] = (),
) -> None:
    """Raise InputError early if an output file cannot be written.

    allowed : endings of its name, or nothing for any name. inputs : files that the command reads,
    which are never overwritten.
    """
    if file is None:
        return
    for library in NEEDED.get(file.suffix, ()) if allowed else ():
        require(library)
    with using_file(file):
        fault = ""
        if allowed and file.suffix not in allowed:
            fault = f"must end in {', '.join(allowed)}"
        elif not file.absolute().parent.is_dir():
            fault = "is in a folder that does not exist"
        elif file.is_dir():
            fault = "is a folder; specify a file"
        elif any(file.exists() and Path(p).exists() and file.samefile(p) for p in inputs):
            fault = "is an input of this command; specify another file"
    if fault:
        raise InputError(f"{option}: {str(file)!r} {fault}")
    check_room(file.absolute().parent)


def picture(text: str | None, path: bool) -> tuple[str, Path | None]:
    """Return the kind and the file of a picture from [KIND:]FILE.

    path : whether the answer is a path over the cardinality, which has a single kind of picture.
    """
    kind, colon, file = (text or "").partition(":")
    if not colon or Path(kind).suffix or "/" in kind:
        return "loadings", None if text is None else Path(text)
    check_word("--plot", "kind", kind, pictures.KINDS)
    if path and kind != "loadings":
        raise InputError(f"--plot: {kind!r} requires components; a path has only one picture")
    return kind, Path(file)


def check_samples(problem: Problem, kind: str) -> None:
    """Raise InputError early if a picture needs samples that the problem does not have."""
    if kind in pictures.OF_SAMPLES and problem.m is None:
        raise InputError(
            f"--plot: {kind!r} needs samples, but {problem.name} is a covariance; choose "
            "loadings, substitutes or scree"
        )


def write(file: Path, problem: Problem, results: Sequence[Result], bound: bool = True) -> None:
    """Write the loadings to a file.

    A .csv or .parquet file has one row per variable. An .npz file is a model for `spcabench apply`,
    with variances and bounds.
    """
    import pandas as pd

    frame = pd.DataFrame(
        _loadings(results), pd.Index(names(problem), name="variable"), labels(results)
    )
    if file.suffix == ".csv":
        write_csv(frame, file)
        return
    with replacing(file) as aside:
        if file.suffix == ".npz":
            _model(problem, results, bound).write(aside)
        else:
            frame.reset_index().to_parquet(aside, index=False)


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
    loadings, variables = _loadings(results), names(problem)
    return Model(loadings, variables, problem.mean, problem.scale, about, arrays)


def draw(
    file: Path,
    problem: Problem,
    results: Sequence[Result],
    kind: str = "loadings",
    bound: bool = True,
) -> None:
    """Draw a picture of components, or the variance and the bound of a path against k."""
    require("matplotlib").use("Agg")
    assert isinstance(results, Components | CardinalityPath)
    figure = results.plot(kind) if isinstance(results, Components) else results.plot(bound=bound)
    write_picture(file, figure)
    require("matplotlib.pyplot").close(figure)
