"""The three groups of options that `solve`, `report`, `apply` and `grade` share.

A command takes them as the dataclasses `Data` (or `Table`), `Run` and `Output`. `expanded` gives it
an option for each field.
"""

import dataclasses
import functools
import inspect
from collections.abc import Callable, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from spcabench.cli import options

if TYPE_CHECKING:
    from spcabench.readers.reading import Reading

CHECKS = ("bound", "null", "stability")
READ = ("sep", "decimal", "header", "encoding", "na", "index", "key", "names")  # in --read

Source = Annotated[
    str,
    typer.Argument(
        help="Name of a dataset, or a file: .csv, .tsv, .txt, .xlsx, .parquet, .dta, .npy, .npz, "
        ".mat, .mtx or docword.NAME.txt (text also as .gz).",
    ),
]
Cardinality = Annotated[
    str | None,
    typer.Option(
        "-k",
        "--k",
        metavar="NUMBERS",
        help=f"Cardinality: {options.FORMS}. With auto, it is chosen from the data; "
        "auto:heldout, auto:stability or auto:certified specify the criterion.",
    ),
]
Components = Annotated[int, typer.Option(help="Number of components.")]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Table:
    """How a file is read."""

    transpose: Annotated[
        bool,
        typer.Option("--transpose", help="The rows are the variables, as is common for genes."),
    ] = False
    missing: Annotated[
        str,
        typer.Option(
            help="Treatment of missing values: error, rows or columns (drop those with missing "
            "values), or mean (fill in column means)."
        ),
    ] = "error"
    thousands: Annotated[
        bool,
        typer.Option("--thousands", help="Read numbers such as 40.500,06 or 40,500.06."),
    ] = False
    read: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Override a guess about the file: sep=; (or tab, space), decimal=, header=no or "
            "encoding=cp1252 for a text table, na=? for a word that means a missing value, "
            "index=no (or yes) for names of rows in the first column, key=X for an array in an "
            ".npz or .mat file or a sheet of an .xlsx file, or names=FILE for the names of the "
            "variables, one per line. Repeatable.",
        ),
    ] = None

    def reading(self) -> "Reading":
        """Return the settings for the reader; raise InputError if one of them is invalid."""
        from spcabench.files import as_type
        from spcabench.readers.reading import Reading

        given: dict[str, Any] = {**options.named_values("--read", self.read or (), READ)}
        typed = {name: value for name, value in vars(self).items() if value is not None}
        typed.pop("read", None)
        # only the words of --read must be converted, for which pydantic is imported
        how: Reading = as_type(typed | given, Reading, "--read") if given else Reading(**typed)
        how.check()
        return how

    def files(self) -> list[str]:
        """Return the files that `--read` names, which no command may overwrite."""
        return [text.partition("=")[2] for text in self.read or () if text.startswith("names=")]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Data(Table):
    """How a file is read, and what its columns are."""

    covariance: Annotated[
        bool, typer.Option("--covariance", help="The file contains a covariance matrix.")
    ] = False
    scale: Annotated[
        bool, typer.Option("--scale", help="Divide each column by its standard deviation.")
    ] = False
    label: Annotated[
        str | None, typer.Option(help="Column with the class labels of the samples.")
    ] = None
    drop: Annotated[
        list[str] | None,
        typer.Option(
            help="Columns to drop, separated by commas. The word text drops all text columns. "
            "Repeatable."
        ),
    ] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Run:
    """What is computed."""

    solver: Annotated[
        str | None,
        typer.Option(
            help="Name or file of a solver. The default depends on the size of the problem.",
        ),
    ] = None
    k: Cardinality = None
    components: Components = 1
    nonnegative: options.Nonnegative = False
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Setting of the solver or of the run, such as tol=1e-8, seed=1 or refit=true. "
            "deflation is projection, hotelling, schur, orthogonal_projection, drop_features or "
            "joint. Repeatable.",
        ),
    ] = None
    time: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Stop the solver after SECONDS. An exact search stops after the operations that "
            "one core executes in this time, so its answer does not depend on the load of the "
            "machine.",
            min=1e-3,
            callback=options.finite,
        ),
    ] = None
    jobs: Annotated[
        int,
        typer.Option(
            min=1,
            help="Number of parallel processes of an exact search. It does not affect answers that "
            "are proven or stopped by --time.",
        ),
    ] = 1
    checks: Annotated[
        str | None,
        typer.Option(
            help="What is computed beside the answer: a list of bound (certified bounds), null (a "
            "comparison with permuted columns) and stability (how often halves of the samples "
            "choose each variable), or all, or none. The default depends on how long they take."
        ),
    ] = None

    def __post_init__(self) -> None:
        """Raise InputError, before the data are read, if options are invalid."""
        self.switches()
        self.cardinalities()

    @property
    def criterion(self) -> str | None:
        """Criterion of ``-k auto:CRITERION``, "" if it is not specified, or None without auto."""
        word, _, criterion = (self.k or "").partition(":")
        return criterion if word == options.AUTO else None

    def cardinalities(self) -> list[int]:
        """The typed cardinalities in the typed order."""
        return options.listed(self.k) if self.criterion is None else []

    def switches(self) -> dict[str, bool | None]:
        """Return whether to compute each check; None if it depends on the problem."""
        if self.checks is None:
            return {"bound": True, "null": None, "stability": None}
        every: dict[str, Sequence[str]] = {"all": CHECKS, "none": ()}
        words = self.checks.split(",")
        chosen = every.get(self.checks, words)
        for word in chosen:
            allowed = CHECKS if len(words) > 1 else (*CHECKS, *every)
            options.check_word("--checks", "check", word, allowed)
        return {name: name in chosen for name in CHECKS}


@dataclasses.dataclass(frozen=True, kw_only=True)
class RunOfReport(Run):
    """What is computed for a report: by default, two components with a chosen k."""

    k: Cardinality = options.AUTO
    components: Components = 2


@dataclasses.dataclass(frozen=True, kw_only=True)
class Output:
    """Where an answer is written."""

    out: Annotated[
        Path | None, typer.Option(help="Write the loadings to this file: .csv, .parquet or .npz.")
    ] = None
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="[KIND:]FILE",
            help="Draw the loadings, or the variance against k, to this file: .png, .svg or .pdf. "
            "Other kinds are substitutes, scores, biplot and scree, as in biplot:FILE.",
        ),
    ] = None
    as_json: options.Json = False


def _of_group(group: Any) -> list[inspect.Parameter]:
    """Return a parameter for each field of a dataclass, with the panel of the group in the help."""
    parameters = []
    for parameter in inspect.signature(group).parameters.values():
        kind, option = get_args(parameter.annotation)
        option = copy(option)
        option.rich_help_panel = group.__doc__.partition("\n")[0].rstrip(".")
        parameters.append(parameter.replace(annotation=Annotated[kind, option]))
    return parameters


def expanded(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with an option for each field of the dataclasses that it takes."""
    parameters: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        if dataclasses.is_dataclass(parameter.annotation):
            groups[name] = parameter.annotation
            parameters += _of_group(groups[name])
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    @functools.wraps(command)
    def run(**typed: Any) -> None:
        for name, group in groups.items():
            typed[name] = group(**{f.name: typed.pop(f.name) for f in dataclasses.fields(group)})
        command(**typed)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
