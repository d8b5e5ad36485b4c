"""Model files: components stored as plain arrays and JSON in an .npz file, without any code."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from spcabench import files
from spcabench.errors import InputError, using_file
from spcabench.files import replacing
from spcabench.vectors import Array, Indices, Vector

FORMAT = 1  # version of the file format; files of other versions are rejected
WRITTEN = "a model written by `spcabench solve --out model.npz` or SparsePCA.save"
NEEDED = ("loadings", "variables", "about")
OF_COMPONENTS = (  # arrays with one value per component, written by `solve --out` and SparsePCA
    "variances",
    "bounds",
    "explained_variance_",
    "explained_variance_ratio_",
    "deflated_variance_",
    "bound_",
)


@dataclass(frozen=True, eq=False)
class Model:
    """Components, with everything that is required to compute the scores of new samples.

    Attributes
    ----------
    loadings : array of shape (n, K)
        One component per column.
    variables : list of str
        Names of the n variables.
    mean, scale : array of shape (n,), or None
        Mean and divisor of each variable; None if the components were computed from a covariance.
    about : mapping
        Solver, settings, versions and source of the data, stored as JSON.
    arrays : mapping of str to array
        Other arrays, such as variances and bounds.
    """

    loadings: Array
    variables: list[str]
    mean: Vector | None
    scale: Vector | None
    about: Mapping[str, Any]
    arrays: Mapping[str, Any] = field(default_factory=dict)

    @property
    def used(self) -> Indices:
        """Indices of the variables that at least one component uses and the scores depend on."""
        return np.flatnonzero(self.loadings.any(axis=1))

    @property
    def columns(self) -> list[str]:
        """Names of the columns of the loadings, which are components or cardinalities."""
        K = self.loadings.shape[1]
        named = self.arrays.get("columns")  # missing in the models of SparsePCA
        if named is None:
            return [f"component {i}" for i in range(1, K + 1)]
        return [str(name) for name in named]

    def save(self, file: Path | str) -> None:
        """Write the model atomically to an .npz file."""
        if files.path_named(file).suffix != ".npz":
            raise InputError(f"file: {str(file)!r:.80}; the name must end in .npz")
        with replacing(file) as aside:
            self.write(aside)

    def write(self, file: Path) -> None:
        """Write the arrays and the description of the model to a file."""
        about = {"format": FORMAT, "versions": versions(), **self.about}
        optional = {"mean": self.mean, "scale": self.scale, **self.arrays}
        with file.open("wb") as stream:
            np.savez(
                stream,
                loadings=self.loadings,
                variables=np.array(self.variables, dtype=str),
                about=np.array(json.dumps(about, default=str)),
                **{name: values for name, values in optional.items() if values is not None},
            )

    def scores(self, X: Any) -> Array:
        """Return the scores (m, K) of samples X (m, len(used)), which contain only ``used``.

        The scores are the centred and scaled samples times the loadings. Missing values (NaN) are
        replaced by the mean.
        """
        if self.mean is None or self.scale is None:
            raise InputError(
                "the model was computed from a covariance, so it has no means to subtract"
            )
        W = self.used
        if sp.issparse(X):
            X = X.toarray()
        centred = np.where(np.isnan(X), 0.0, (X - self.mean[W]) / self.scale[W])
        return centred @ self.loadings[W]


def versions() -> dict[str, str]:
    """Return the versions of spcabench, NumPy and SciPy."""
    return {name: version(name) for name in ("spcabench", "numpy", "scipy")}


def load(file: Path | str) -> Model:
    """Read a model from a file; raise InputError if it is not a model in the supported format."""
    path = files.regular_file(file, "a model")
    with using_file(file):
        try:
            with np.load(path, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
        except Exception:  # NumPy raises many kinds of errors for another or a damaged file
            raise InputError(f"{file}: not a model; provide {WRITTEN}") from None
    lacking = [name for name in NEEDED if name not in arrays]
    if lacking:
        raise InputError(f"{file}: no {lacking[0]}; provide {WRITTEN}")
    about = files.from_json(str(arrays.pop("about")), dict[str, Any], f"{file}: about")
    if about.get("format") != FORMAT:
        raise InputError(f"{file}: the model has another format; only format {FORMAT} is supported")
    return _checked(file, arrays, about)


def _checked(file: Path | str, arrays: dict[str, Any], about: dict[str, Any]) -> Model:
    """Return the model of a file; raise InputError if an array has the wrong shape or type."""
    n, K = (*arrays["loadings"].shape, 0, 0)[:2]
    shapes = {"loadings": (n, K), "mean": (n,), "scale": (n,)} | dict.fromkeys(OF_COMPONENTS, (K,))
    for name, shape in shapes.items():
        values = arrays.get(name)
        if values is None:
            continue
        numbers = values.dtype.kind == "f" and values.shape == shape and np.isfinite(values).all()
        if not numbers or not values.size or (name == "scale" and (values <= 0.0).any()):
            sign = "positive " if name == "scale" else ""
            raise InputError(f"{file}: {name}: must be finite {sign}numbers of shape {shape}")
    variables, columns = arrays.pop("variables").tolist(), arrays.get("columns")
    if np.shape(variables) != (n,) or len({*variables}) < n:
        raise InputError(f"{file}: variables: must be {n} different names")
    if columns is not None and (columns.shape != (K,) or columns.dtype.kind != "U"):
        raise InputError(f"{file}: columns: must be {K} names, one for each loading")
    Z, mean, scale = (arrays.pop(name, None) for name in ("loadings", "mean", "scale"))
    if (mean is None) != (scale is None):
        raise InputError(f"{file}: no {'mean' if mean is None else 'scale'}; a model has both")
    return Model(Z, [str(name) for name in variables], mean, scale, about, arrays)


def chosen_columns(model: Model, names: Sequence[str]) -> list[int]:
    """Return the positions, in a list of column names, of the variables that the model needs.

    Raises InputError if variables are missing.
    """
    needed = [model.variables[j] for j in model.used]
    place = {name: i for i, name in reversed([*enumerate(names)])}
    lacking = [name for name in needed if name not in place]
    if lacking:
        shown = ", ".join(lacking[:5]) + (f" and {len(lacking) - 5} more" if lacking[5:] else "")
        raise InputError(f"no column {shown}; the model needs {len(needed)} columns by name")
    return [place[name] for name in needed]
