"""Grading of loadings from any source: feasibility, variance, gap and the best known answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.sparse as sp

from spcabench import api, files, validate
from spcabench.comparison import best_known as known
from spcabench.comparison.entrants import ANSWER, SEED
from spcabench.comparison.suite import Item, by_name, called
from spcabench.errors import InputError, nearest
from spcabench.problem.problem import Problem
from spcabench.readers import user_file
from spcabench.readers.delimited import is_number
from spcabench.readers.opening import calling_library
from spcabench.readers.table import row_names
from spcabench.running.rows import replaced
from spcabench.solving import bounds, model
from spcabench.solving.result import refitted, violation
from spcabench.solving.status import GOOD, Status
from spcabench.vectors import Vector, embed

KINDS = (ANSWER, SEED)  # kinds of rows with ranked answers


@dataclass(frozen=True)
class Grade:
    """The grade of a vector for a problem and cardinality k.

    fault : the reason why the vector is infeasible, or "" if it is feasible; fields with defaults
        are set only for feasible vectors. refit : variance of the leading eigenvector on the
        support. bound : certified upper bound. best : the best known answer to this problem, or
        None.
    """

    k: int
    cardinality: int
    fault: str
    variance: float = np.nan
    refit: float = np.nan
    bound: float = np.nan
    best: known.Entry | None = None


def items_of(name: str, nonnegative: bool) -> list[Item]:
    """Return the items of all suites to which a name refers; all of them are the same problem."""
    return called(name, (i for (_, sign), i in by_name().items() if sign == nonnegative))


def read(
    file: Path, n: int, features: Sequence[str] | None = None, column: str | None = None
) -> Vector:
    """Read loadings (n,) from a file: n numbers, or a table with the names of variables.

    The rows of a table are matched to the variables by name, and missing variables are zero. If the
    variables have no names, they are numbered from 0.

    n : number of variables. features : names of the variables. column : name of the column to read,
        if there are several.

    Raises InputError if the file contains no such column or table, or if names are unknown or
    repeated.
    """
    table, rows = _table(file)
    names = [str(name) for name in table.columns]
    if column is None and len(names) != 1:
        raise InputError(
            f"{file}: {len(names)} columns ({', '.join(names):.50}); choose one with --column"
        )
    if column is not None and column not in names:
        raise InputError(f"{file}: {nearest('column (--column)', column, names)}")
    values = table.iloc[:, 0 if column is None else names.index(column)]
    try:
        x = values.to_numpy(dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{file}: column {values.name!r:.60} does not contain numbers") from None
    return x if rows is None else _placed(file, x, rows, [str(f) for f in features or range(n)])


def _table(file: Path) -> tuple[pd.DataFrame, list[str] | None]:
    """Return a table with loadings in its columns, and the names of the variables or None."""
    if file.suffix == ".npz" and _is_model(file):
        saved = model.load(file)
        return pd.DataFrame(saved.loadings, columns=saved.columns), [*saved.variables]
    found = user_file.contents(file, user_file.Reading(), [])
    if not isinstance(found, pd.DataFrame):
        numbers = np.atleast_1d(np.squeeze(found.toarray() if sp.issparse(found) else found))
        return pd.DataFrame(numbers if numbers.ndim < 3 else numbers.ravel()), None
    if file.suffix in (".csv", ".tsv", ".txt") and is_number(str(found.columns[-1])):
        # the first line was used as a header, but it has a name and a number
        found = user_file.contents(file, user_file.Reading(header=False), [])
    if found.shape[1] > 1 and found.columns[0] == "variable":  # can be numbers
        return found.iloc[:, 1:], [*found.iloc[:, 0].astype(str)]
    columns, rows = row_names(found, (), [])
    return (columns.T if columns.shape[0] == 1 and rows is None else columns), rows


def _is_model(file: Path) -> bool:
    """Whether a file is a model that `solve` wrote."""
    with calling_library(file), ZipFile(file) as archive:
        return "loadings.npy" in archive.namelist()


def _placed(file: Path, x: Vector, rows: list[str], features: list[str]) -> Vector:
    """Arrange the loadings in the order of the variables, and set missing variables to zero."""
    if strange := sorted({*rows} - {*features}):
        raise InputError(f"{file}: {strange[0]!r:.60} is not a variable of the problem")
    if len({*rows}) < len(rows):
        repeated = next(name for name in rows if rows.count(name) > 1)
        raise InputError(f"{file}: {repeated!r:.60} has two rows; names must be unique")
    if len({*features}) < len(features):
        raise InputError(
            f"{file}: two variables of the problem have the same name; provide numbers only"
        )
    return np.asarray(pd.Series(x, rows).reindex(features, fill_value=0.0), dtype=np.float64)


def graded(
    problem: Problem, x: Vector, k: int | None, nonnegative: bool, items: Sequence[Item] = ()
) -> Grade:
    """Grade a vector x (n,), and compare it with the best known answer to the problem.

    items : items of the suites for this problem.
    """
    k = max(int(np.count_nonzero(x)), 1) if k is None else validate.cardinality(k, problem.n)
    cardinality = int(np.count_nonzero(x))
    if wrong := violation(x, k, problem.n, nonnegative):
        return Grade(k, cardinality, wrong)
    refit = problem.variance(refitted(problem, x, nonnegative))
    bound = bounds.upper_bound(problem, k, nonnegative)
    names = [] if problem.stand_in else [item.name for item in items]
    if best := known.best(names, k, nonnegative):
        bound = min(bound, best.bound)
    bound = bounds.not_below(bound, refit, problem, f"{problem.name}, k = {k}", "the bound")
    return Grade(k, cardinality, "", problem.variance(x), refit, bound, best)


def vector_of(row: Mapping[str, Any], problem: Problem) -> Vector | str:
    """Return the vector x (n,) of a row, or the reason why the row has no feasible vector."""
    if row["problem"] != problem.name:
        return f"it is for {row['problem']!r}, but {problem.name!r} is available here"
    if row["support"] is None or row["values"] is None:
        return "its vector was not stored"
    W = np.asarray(row["support"], dtype=np.intp)
    if len(W) != len(row["values"]) or not ((W >= 0) & (problem.n > W)).all():
        return f"its support must consist of {len(row['values'])} indices below {problem.n}"
    x = embed(np.asarray(row["values"], dtype=float), W, problem.n)
    return violation(x, int(row["asked"]), problem.n, bool(row["sign"])) or x


def regraded(table: pa.Table, items: Sequence[Item]) -> pa.Table:
    """Return rows with variances recomputed from their vectors.

    An answer without a feasible vector gets the status ``disagrees``.
    """
    columns = ["status", "reason", "variance", "variance_refit"]
    about = ["item", "kind", "problem", "support", "values", "asked", "sign"]
    rows = table.select([*about, *columns]).to_pylist()
    for item in items:
        problem = api.load_or_stand_in(item.dataset, **item.parameters)
        for row in rows:
            of_item = row["item"] == item.name and row["sign"] == item.nonnegative
            if not of_item or row["kind"] not in KINDS or row["status"] not in GOOD:
                continue
            x = vector_of(row, problem)
            if isinstance(x, str):
                row |= dict(status=str(Status.DISAGREES), reason=x)
                row |= dict(variance=None, variance_refit=None)
            else:
                refit = problem.variance(refitted(problem, x, item.nonnegative))
                row |= dict(variance=problem.variance(x), variance_refit=refit)
    return replaced(table, **{name: [row[name] for row in rows] for name in columns})


def proposal(items: Sequence[Item], problem: Problem, x: Vector, k: int, who: str) -> known.Entry:
    """Refit a vector, and return it as an entry for the table of best known answers.

    items : items of the suites for this problem.

    Raises InputError if the vector is not better than the best known answer.
    """
    item = next((item for item in items if k in item.ks), items[0])
    bound = known.smallest_bound(problem, k, item.nonnegative)
    x = refitted(problem, x, item.nonnegative)
    new = known.of_vector(item, problem, k, x, who, bound)
    best = known.best([item.name for item in items], k, item.nonnegative)
    if best is not None and new.value <= best.value * (1.0 + known.CLOSE):
        raise InputError(
            f"the value {new.value:.9g} does not exceed the best known value {best.value:.9g} by "
            f"{best.who}"
        )
    return new


def take(file: Path) -> known.Entry:
    """Read the entry in a proposal, and recompute all its values from the vector.

    Raises InputError if the file is not a proposal or if the vector is infeasible.
    """
    entry = files.read_json(file, known.Entry, "a proposal")
    item = by_name().get((entry.item, entry.nonnegative))
    if item is None:
        raise InputError(f"{file}: item: {entry.item!r:.60} is not a problem of the suites")
    problem = api.load_or_stand_in(item.dataset, **item.parameters)
    validate.cardinality(entry.k, problem.n, f"{file}: k")
    row = dict(problem=entry.problem, support=entry.support, values=entry.loadings)
    x = vector_of(row | dict(asked=entry.k, sign=entry.nonnegative), problem)
    if isinstance(x, str):
        raise InputError(f"{file}: {x}")
    same = items_of(item.full_name, item.nonnegative)
    return proposal(same, problem, x, entry.k, entry.who)
