"""The public functions that load problems and run solvers by name."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from types import ModuleType
from typing import Any

import numpy as np
import scipy.sparse as sp

from spcabench import registry, validate
from spcabench.errors import InputError, SolverError
from spcabench.problem.problem import Problem
from spcabench.solving import deflate, tune
from spcabench.solving.blocks import by_blocks
from spcabench.solving.cardinality_path import CardinalityPath
from spcabench.solving.driver import Limits, check_required, check_settings, drive, parameters
from spcabench.solving.formulations import Formulation
from spcabench.solving.result import Result, graded, refitted, without_constants
from spcabench.solving.status import Status

HUGE = 10**9  # a matrix with this number of rows or columns exceeds the memory of any machine
LIMITS = ("stop", "tol", "max_iterations", "time_limit", "history")


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
        raise InputError(f"dataset: {validate.shown(name)}; it must be the name of a dataset")
    dataset = registry.module("dataset", name)
    check_settings(f"dataset {name!r}", dataset.load, settings)
    check_required(f"dataset {name!r}", dataset.load, settings)
    try:
        return dataset.load(**settings)
    except InputError:
        raise
    except (MemoryError, OverflowError, ValueError) as error:
        # NumPy raises a ValueError for arrays that exceed its limits
        huge = any(isinstance(v, Integral) and int(v) >= HUGE for v in settings.values())
        if not huge and not isinstance(error, MemoryError):
            raise
        reason = " ".join(str(error).split())
        raise InputError(f"dataset {name!r}: not enough memory ({reason:.100})") from None


def as_problem(X: Any, scale: bool = False, argument: str = "problem") -> Problem:
    """Return a problem unchanged, or convert data to a problem with the sample covariance as Sigma.

    Raises InputError if X is neither a problem nor data; the error names the argument.
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
    return Problem.from_data(X, "X", scale=scale)


def default_solver(problem: Problem, nonnegative: bool = False, thorough: bool = False) -> str:
    """Return the name of the default solver for a problem.

    thorough : whether to choose a solver that can take minutes for large data.
    """
    cost = 0 if thorough else problem.product_cost
    return registry.solver_for(problem.n, cost, bool(nonnegative))


def solve(
    problem: Any,
    name: str | ModuleType | None = None,
    *,
    k: int | None = None,
    seed: int = 0,
    nonnegative: bool = False,
    refit: bool = False,
    blocks: float | None = None,
    **settings: Any,
) -> Result:
    """Find one sparse component.

    Parameters
    ----------
    problem : Problem, array, data frame or sparse matrix of shape (m, n)
        The problem to solve. Data are centred, and Sigma is their sample covariance (divisor
        m - 1). `Result.sum_of_squares` has no divisor, as in most papers.
    name : str or module, optional
        Name of a solver (see `spcabench.list_solvers`), the path of its file, or its module. The
        default depends on the size of the problem; for up to 30 variables, it is an exact solver.
    k : int, optional
        Cardinality, from 1 to n. For a solver with a penalty, the suite searches for a
        penalty that gives an answer with at most k nonzeros.
    seed : int
        Seed for solvers that use random numbers.
    nonnegative : bool
        Whether to require x >= 0.
    refit : bool
        Whether to replace x by the leading eigenvector on its support. A nonnegative x remains
        nonnegative.
    blocks : float, optional
        If specified, the variables are split into blocks, which are solved separately, and the best
        answer is returned. Covariances between blocks are at most this fraction of the largest
        variance; see `spcabench.solving.blocks`. The limits of the run apply to each block.
    **settings
        Settings of the solver (see its ``solve``) and of the run: ``stop``, ``tol``,
        ``max_iterations``, ``time_limit``, ``history`` and ``start``. ``start`` is a vector of
        shape (n,) for solvers that accept a starting point.

    Returns
    -------
    Result
        The component with its variance, a certified bound, and the cost of the run.

    Raises
    ------
    InputError
        If the solver or a setting is unknown, a value is out of range, or a nonnegative answer is
        requested from a solver that only computes signed answers.
    """
    problem, solver = _asked(problem, name, nonnegative=nonnegative, refit=refit)
    label = solver.__name__.rpartition(".")[2]
    traits = solver.TRAITS
    if nonnegative and not traits.nonnegative:
        raise InputError(f"nonnegative: solver {label!r} cannot compute nonnegative loadings")
    if nonnegative and traits.nonnegative != "always":
        settings["nonnegative"] = True
    limits = Limits(**{key: settings.pop(key) for key in LIMITS if key in settings})
    if settings.get("start") is not None and "start" in parameters(solver.solve):
        settings["start"] = validate.loading("start", settings["start"], problem.n)
    validate.whole("seed", seed, 0)
    if k is not None:
        k = validate.cardinality(k, problem.n)
    check_settings(f"solver {label!r}", solver.solve, settings)
    if blocks is None:
        result = _run(problem, solver, label, k, settings, limits, seed)
    else:
        if settings.get("start") is not None:
            raise InputError("start: cannot be combined with blocks")
        result = by_blocks(
            problem,
            blocks,
            k,
            lambda part, size: _run(part, solver, label, size, settings, limits, seed),
        )
    if refit and result.good:
        result = replace(result, x=refitted(result.problem, result.x, result.nonnegative))
    return result


def _asked(
    problem: Any, solver: Any, nonnegative: Any = False, **switches: Any
) -> tuple[Problem, ModuleType]:
    """Return the problem and the module of the solver; raise InputError if one is invalid."""
    for argument, value in {"nonnegative": nonnegative, **switches}.items():
        validate.switch(argument, value)
    problem = as_problem(problem)
    if solver is None:
        solver = default_solver(problem, nonnegative)
    if isinstance(solver, ModuleType) and hasattr(solver, "TRAITS"):
        return problem, solver
    if not isinstance(solver, str):
        raise InputError(f"solver: {validate.shown(solver)}; it must be a name, file or module")
    return problem, registry.module("solver", solver)


def _run(
    problem: Problem,
    solver: ModuleType,
    label: str,
    k: int | None,
    settings: dict[str, Any],
    limits: Limits,
    seed: int,
) -> Result:
    traits = solver.TRAITS
    if traits.control is None:
        if k not in (None, problem.n):
            raise InputError(f"k: solver {label!r} is not sparse and accepts no cardinality")
        return drive(problem, solver, settings, limits, seed)
    if traits.control == "cardinality":
        if k is None:
            raise InputError(f"k: solver {label!r} needs a cardinality from 1 to n = {problem.n}")
        return drive(problem, solver, {"k": k, **settings}, limits, seed)
    penalty = settings.get(traits.penalty)
    if (penalty is None) == (k is None):
        raise InputError(
            f"{traits.penalty}: solver {label!r} needs either {traits.penalty} or k, not both"
        )
    if penalty is None:
        assert k is not None
        return tune.search(problem, solver, k, settings, limits, seed)
    validate.number(str(traits.penalty), penalty)
    return drive(problem, solver, settings, limits, seed)


def components(
    problem: Any,
    name: str | ModuleType | None,
    count: int,
    *,
    k: int | Sequence[int] | np.ndarray | None = None,
    deflation: str = "projection",
    alpha: float = 1.0,
    tell: Callable[[Result], None] | None = None,
    **settings: Any,
) -> deflate.Components:
    """Find several sparse components, either one at a time with deflation or all at once.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    name : str or module
        The solver, as in `spcabench.solve`.
    count : int
        Number of components. The result has fewer components if the solver does not find more.
    k : int or sequence of int, optional
        Cardinality, either one number for all components or a sequence with one number per
        component. For a joint solver with a common support, k is the size of the support. A joint
        solver with a penalty requires the penalty instead.
    deflation : str
        "projection", "hotelling", "schur", "orthogonal_projection" or "drop_features". "joint"
        requires a solver that finds all components at once.
    alpha : float
        Fraction of the variance that Hotelling's deflation removes, from 0 to 1. With "joint",
        alpha is passed to the solver.
    tell : callable, optional
        Function that is called with each result as soon as it is available, to report progress.
    **settings
        Other settings, as in `spcabench.solve`.

    Returns
    -------
    Components
        The results in the order in which the components were found. Each result is graded on its
        deflated problem. ``joint_bound`` is an upper bound on the total variance of all
        components, ``formulation`` is the multi-component problem that they solve, and ``measures``
        describes the variance that they explain jointly. Components found jointly have the status
        "infeasible" if they violate the formulation of their solver (`spcabench.iterate.Traits`).

    Raises
    ------
    InputError
        If the deflation is unknown, a value is out of range, or "joint" is used with a solver that
        finds one component at a time.

    References
    ----------
    Mackey, "Deflation methods for sparse PCA", NIPS 21 (2009). Partial deflation is Algorithm 2 of
    Kuleshov, ICML 2013.
    """
    validate.whole("count", count, 1)
    problem, solver = _asked(problem, name, settings.get("nonnegative", False))
    if alpha == 1.0 or (isinstance(deflation, str) and deflation == "joint"):
        validate.cardinality(count, problem.n, "count")
    else:  # partial deflation leaves variance, so there can be more than n components
        validate.affordable("count", (count, problem.n), 8.0 * count * problem.n)
    if isinstance(deflation, str) and deflation == "joint":
        if _several(k):
            raise InputError("k: must be a single number for joint components")
        if alpha != 1.0:  # without deflation, alpha is one of the solver's settings
            settings["alpha"] = alpha
        return _jointly(problem, solver, count, k, settings)
    cardinalities = iter(_cardinalities(k, count))

    def run(deflated: Problem) -> Result:
        result = solve(deflated, solver, k=next(cardinalities), **settings)
        if tell is not None:
            tell(result)
        return result

    return deflate.deflated_components(problem, count, run, deflation, alpha)


def _cardinalities(k: Any, count: int) -> list[int | None]:
    """Return a list with a cardinality for each component."""
    if not _several(k):
        return [k] * count  # `solve` rejects anything but numbers
    listed = validate.several("k", k)
    if len(listed) != count:
        raise InputError(
            f"k: {len(listed)} cardinalities for {count} components; specify one cardinality, or "
            "one per component"
        )
    return listed


def _several(k: Any) -> bool:
    """Whether k is a list, an array or a series of cardinalities."""
    if isinstance(k, np.ndarray):
        return k.ndim == 1
    return isinstance(k, Iterable) and not isinstance(k, str | bytes | Mapping)


def _jointly(
    problem: Problem, solver: ModuleType, count: int, k: Any, settings: dict[str, Any]
) -> deflate.Components:
    label = solver.__name__.rpartition(".")[2]
    if solver.TRAITS.components != "joint":
        raise InputError(
            f"deflation: solver {label!r} finds one component at a time; choose from "
            f"{', '.join(deflate.DEFLATIONS)}"
        )
    if solver.TRAITS.control == "penalty" and k is not None:
        raise InputError(
            f"k: specify {solver.TRAITS.penalty} instead, which controls joint components"
        )
    if settings.get("blocks") is not None:
        raise InputError("blocks: cannot be combined with joint components")
    result = solve(problem, solver, k=k, components=count, **settings)
    if result.Z is None or result.Z.ndim != 2:
        raise SolverError(f"solver {result.solver!r} is joint, but yielded no Z (n, r)")
    if (found := result.Z.shape[1]) > count:
        raise SolverError(
            f"solver {result.solver!r} yielded {found} components; at most {count} were requested"
        )
    answers = [
        without_constants(problem, *graded(z, status, None, problem.n, result.nonnegative))
        for z in result.Z.T
        for status in [result.status if z.any() else Status.ZERO]
    ]
    return deflate.Components(
        problem,
        [
            # a bound that the solver proved holds for its first component only
            replace(result, x=x, status=status, claimed=result.claimed if i == 0 else None)
            for i, (x, status) in enumerate(answers)
        ],
        Formulation(solver.TRAITS.formulation),
    )


def path(
    problem: Any, name: str | ModuleType | None, cardinalities: Sequence[int], **settings: Any
) -> CardinalityPath:
    """Find one component for each of several cardinalities, in increasing order.

    For each cardinality, the solver runs from its own starting point and, if it accepts one, also
    from the preceding answer. The best of these answers and the preceding answer itself is
    returned, so the variance never decreases along the path.

    Parameters
    ----------
    problem : Problem, array, data frame or sparse matrix of shape (m, n)
        The problem to solve, as in `spcabench.solve`.
    name : str, module or None
        The solver, as in `spcabench.solve`.
    cardinalities : sequence of int
        The cardinalities. Duplicates are ignored.
    **settings
        Other settings, as in `spcabench.solve`.

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
    problem, solver = _asked(problem, name, settings.get("nonnegative", False))
    if "k" in settings:
        raise InputError("k: not accepted by `path`; use the argument cardinalities")
    warm = "start" in parameters(solver.solve) and settings.get("blocks") is None
    results: list[Result] = []
    listed = validate.several("cardinalities", cardinalities)
    for k in sorted({validate.cardinality(k, problem.n, "cardinalities") for k in listed}):
        tries = [solve(problem, solver, k=k, **settings)]
        if results and results[-1].good:
            if warm:
                tries.append(solve(problem, solver, k=k, **settings | {"start": results[-1].x}))
            tries.append(replace(results[-1], k=k, claimed=None, claimed_whp=None))
        results.append(
            max((t for t in tries if t.good), key=lambda t: t.variance, default=tries[0])
        )
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
