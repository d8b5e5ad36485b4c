"""The public functions that load problems and run solvers by name."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any, overload

import numpy as np
import scipy.sparse as sp

from spcabench import registry, validate
from spcabench.errors import InputError, deprecated, renamed, shown
from spcabench.problem.problem import Problem
from spcabench.showing import text
from spcabench.solving import answers, deflate
from spcabench.solving.answers import answer, cardinalities
from spcabench.solving.call import (
    Call,
    Limits,
    arguments,
    check_settings,
    parameters,
)
from spcabench.solving.cardinality_path import CardinalityPath
from spcabench.solving.deflate import Components
from spcabench.solving.result import Result

UNSCALED = "divide each column by its standard deviation"  # if a column dominates


def load(name: str, /, *, stand_in: bool = False, **settings: Any) -> Problem:
    """Load a dataset by its name.

    Parameters
    ----------
    name : str
        Name of a dataset; see `spcabench.list_datasets`.
    stand_in : bool
        Whether to use substitute data (a stand-in) if the files of the real data are not available.
    **settings
        Parameters of the dataset; see ``load`` in its file in ``datasets/``.

    Returns
    -------
    Problem
        The dataset as a problem. ``problem.stand_in`` is True if substitute data were used.

    Raises
    ------
    InputError
        If the name or a parameter is unknown, a value is out of range, or the files of the real
        data are not available. InputError is a subclass of ValueError.
    """
    validate.switch("stand_in", stand_in)
    problem = load_or_stand_in(name, **settings)
    if problem.stand_in and not stand_in:
        raise InputError(
            f"dataset {name!r}: files are not available; `spcabench data` shows how to get them; "
            "or use substitute data with stand_in=True in Python"
        )
    return problem


def load_or_stand_in(name: str, /, **settings: Any) -> Problem:
    """Load a dataset, or its stand-in if its files are missing. Used for figures and suites."""
    if not isinstance(name, str):
        raise InputError(f"dataset: {shown(name)}; it must be the name of a dataset")
    dataset = registry.module("dataset", name)
    check_settings(f"dataset {name!r}", dataset.load, settings)
    try:
        return dataset.load(**settings)
    except (MemoryError, OverflowError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"dataset {name!r}: not enough memory ({reason:.100})") from None


def as_problem(X: Any, scale: bool = False, argument: str = "X", remedy: str = UNSCALED) -> Problem:
    """Return a problem unchanged, or convert data to a problem with the sample covariance as Sigma.

    Raises InputError if X is neither a problem nor data; the error names the argument. Warns if one
    variable dominates the variance of unscaled data; ``remedy`` says how to scale them.
    """
    validate.switch("scale", scale)
    if isinstance(X, Problem):
        if scale:
            raise InputError("scale: only data can be scaled, not a Problem")
        return X
    if not (sp.issparse(X) or isinstance(X, np.ndarray) or hasattr(X, "to_numpy")):
        raise InputError(
            f"{argument}: an object of type {type(X).__name__}; it must be a Problem "
            "(Problem.from_data, Problem.from_covariance), or an array, data frame or sparse "
            "matrix of shape (m, n)"
        )
    problem = Problem.from_data(X, "X", scale=scale)
    if sentence := text.dominance(problem, remedy):
        warnings.warn(f"{argument}: {sentence}", UserWarning, stacklevel=4)
    return problem


@overload
def solve(
    X: Any,
    solver: str | ModuleType | None = None,
    *,
    k: int | None = None,
    nonnegative: bool = False,
    refit: bool = False,
    random_state: int = 0,
    limits: Limits | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Result: ...


@overload
def solve(
    X: Any,
    solver: str | ModuleType | None = None,
    *,
    k: Any = None,
    n_components: int,
    deflation: str = "projection",
    alpha: float = 1.0,
    nonnegative: bool = False,
    refit: bool = False,
    random_state: int = 0,
    limits: Limits | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Components: ...


@renamed(arguments)
def solve(
    X: Any,
    solver: str | ModuleType | None = None,
    *,
    k: Any = None,
    n_components: int | None = None,
    deflation: str = "projection",
    alpha: float = 1.0,
    nonnegative: bool = False,
    refit: bool = False,
    random_state: int = 0,
    limits: Limits | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Result | Components:
    """Find one sparse component, or several.

    Parameters
    ----------
    X : Problem, array, data frame or sparse matrix of shape (m, n)
        The data or the problem. Data are centred, and Sigma is their sample covariance (divisor
        m - 1). `Result.sum_of_squares` has no divisor, as in most papers.
    solver : str or module, optional
        Name of a solver (see `spcabench.list_solvers`), the path of its file, or its module. The
        default depends on the size of the problem; for up to 30 variables, it is an exact solver.
    k : int, or sequence of int, optional
        Cardinality, from 1 to n. For a solver with a penalty, the suite searches for a
        penalty that gives an answer with at most k nonzeros. For several components, a sequence
        contains one cardinality per component. For a joint solver with a common support, k is the
        size of the support. A joint solver with a penalty requires the penalty instead.
    n_components : int, optional
        Number of components. If specified, `Components` are returned, which can be fewer if the
        solver does not find more.
    deflation : str
        How a component is removed before the next one is computed: "projection", "hotelling",
        "schur", "orthogonal_projection" or "drop_features". "joint" requires a solver that finds
        all components at once.
    alpha : float
        Fraction of the variance that Hotelling's deflation removes, from 0 to 1.
    nonnegative : bool
        Whether to require x >= 0.
    refit : bool
        Whether to replace x by the leading eigenvector on its support. A nonnegative x remains
        nonnegative.
    random_state : int
        Seed for solvers that use random numbers.
    limits : Limits, optional
        Stopping rule of the run, and its limits on iterations and time.
    settings : mapping, optional
        Settings of the solver; see ``solve`` in its file. ``start`` is a vector of shape (n,) for
        solvers that accept a starting point.

    Returns
    -------
    Result or Components
        The component with its variance, a certified bound, and the cost of the run. With
        ``n_components``, the results in the order in which the components were found, each graded
        on its deflated problem. Components found jointly have the status "infeasible" if they
        violate the formulation of their solver (`spcabench.Traits`).

    Raises
    ------
    InputError
        If the solver or a setting is unknown, a value is out of range, or a nonnegative answer is
        requested from a solver that only computes signed answers.

    References
    ----------
    Mackey, "Deflation methods for sparse PCA", NIPS 21 (2009). Partial deflation is Algorithm 2 of
    Kuleshov, ICML 2013.
    """
    words: dict[str, Any]
    words = {"nonnegative": nonnegative, "limits": limits, "random_state": random_state}
    how = {"refit": refit, "settings": settings, **words}
    if n_components is not None:
        return several(X, solver, n_components, k=k, deflation=deflation, alpha=alpha, **how)
    deflate.check(deflation, alpha)  # before they are compared, as they can be anything
    if deflation != "projection" or alpha != 1.0:
        raise InputError("deflation: has no effect without n_components")
    validate.switch("refit", refit)
    return answer(Call.of(as_problem(X), solver, k, settings, **words), refit)


def several(
    X: Any,
    solver: str | ModuleType | None,
    n_components: int,
    *,
    k: Any = None,
    deflation: str = "projection",
    alpha: float = 1.0,
    refit: bool = False,
    settings: Mapping[str, Any] | None = None,
    progress: Callable[[Result], None] | None = None,
    **words: Any,
) -> Components:
    """Find several components; see `solve`.

    progress : function that is called with each result as soon as it is available.
    """
    validate.switch("refit", refit)
    problem = as_problem(X)
    validate.whole("n_components", n_components, 1)
    deflate.check(deflation, alpha)
    if alpha == 1.0:
        validate.cardinality(n_components, problem.n, "n_components")
    else:  # partial deflation leaves variance, so there can be more than n components
        needed = 8.0 * n_components * problem.n
        validate.affordable("n_components", (n_components, problem.n), needed)
    ks = cardinalities(k, n_components, deflation)
    call = Call.of(problem, solver, ks[0], settings, **words)
    if deflation == "joint":
        return answers.jointly(call, n_components, refit)
    remaining = iter(ks)

    def run(deflated: Problem) -> Result:
        result = answer(call.on(deflated, next(remaining)), refit)
        if progress is not None:
            progress(result)
        return result

    return deflate.deflated_components(problem, n_components, run, deflation, alpha)


def components(problem: Any, name: str | ModuleType | None, count: int, **settings: Any) -> Any:
    """Deprecated; use ``solve(X, solver, n_components=...)``."""
    deprecated("components", "solve(X, solver, n_components=...)")
    return several(problem, name, count, **arguments({"deflation": "projection", **settings}))


@renamed(arguments)
def path(
    X: Any,
    solver: str | ModuleType | None,
    k: Sequence[int],
    *,
    nonnegative: bool = False,
    refit: bool = False,
    random_state: int = 0,
    limits: Limits | None = None,
    settings: Mapping[str, Any] | None = None,
) -> CardinalityPath:
    """Find one component for each of several cardinalities, in increasing order.

    For each cardinality, the solver runs from its own starting point and, if it accepts one, also
    from the preceding answer. The best of these answers and the preceding answer itself is
    returned, so the variance never decreases along the path.

    Parameters
    ----------
    X, solver : Any
        The data and the solver, as in `spcabench.solve`.
    k : sequence of int
        The cardinalities. Duplicates are ignored.
    nonnegative, refit, random_state, limits, settings : Any
        As in `spcabench.solve`.

    Returns
    -------
    CardinalityPath
        A sequence with one result per cardinality and the methods ``to_frame``, ``to_csv`` and
        ``plot``.

    Raises
    ------
    InputError
        As in `spcabench.solve`.
    """
    validate.switch("refit", refit)
    problem = as_problem(X)
    ks = sorted({validate.cardinality(each, problem.n) for each in validate.several("k", k)})
    words = {"nonnegative": nonnegative, "limits": limits, "random_state": random_state}
    call = Call.of(problem, solver, ks[0], settings, **words)
    warm = "start" in parameters(call.solver.solve)
    results: list[Result] = []
    for size in ks:
        tries = [answer(call.on(problem, size), refit)]
        if results and results[-1].good:
            last = results[-1]
            if warm:
                tries.append(answer(call.on(problem, size, start=last.x), refit))
            unproven = replace(last.claim, bound=None, bound_whp=None)
            tries.append(replace(last, k=size, claim=unproven))
        good = (t for t in tries if t.good)
        results.append(max(good, key=lambda t: t.variance, default=tries[0]))
    return CardinalityPath(problem, results)


def list_solvers() -> dict[str, str]:
    """Return the names and descriptions of all solvers.

    Returns
    -------
    dict of str to str
        Mapping from the name of each solver, including installed plug-ins, to the first paragraph
        of the docstring in its file.
    """
    return registry.descriptions("solver")


def list_datasets() -> dict[str, str]:
    """Return the names and descriptions of all datasets.

    Returns
    -------
    dict of str to str
        Mapping from the name of each dataset to the first paragraph of the docstring in its file.
    """
    return registry.descriptions("dataset")


def list_figures() -> dict[str, str]:
    """Return the names and descriptions of all figures and tables.

    Returns
    -------
    dict of str to str
        Mapping from the name of each figure to the first paragraph of the docstring in its file.
    """
    return registry.descriptions("figure")
