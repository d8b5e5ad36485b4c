"""The public functions: problems and solvers by name."""

from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

from spcabench import registry, validate
from spcabench.errors import InputError
from spcabench.problem.problem import Problem
from spcabench.solving import deflate, tune
from spcabench.solving.driver import Limits, check_settings, drive, parameters
from spcabench.solving.result import Result, graded, refitted
from spcabench.solving.status import Status

LIMITS = ("stop", "tol", "max_iterations", "time_limit", "history")


def load(name: str, **settings: Any) -> Problem:
    """A dataset by name, with its parameters. Raises ValueError for an unknown name or
    parameter.
    """
    dataset = registry.module("dataset", name)
    check_settings(f"dataset {name!r}", dataset.load, settings)
    return dataset.load(**settings)


def solve(
    problem: Problem,
    name: str | ModuleType,
    *,
    k: int | None = None,
    seed: int = 0,
    nonnegative: bool = False,
    refit: bool = False,
    **settings: Any,
) -> Result:
    """One sparse component by one solver.

    name : a solver's name, the path of a solver's file, or its module.
    k : cardinality, 1 to n. For a solver with a penalty instead, the penalty is searched for at
        most k nonzeros.
    nonnegative : x >= 0; an error for a solver that gives signed answers only.
    refit : replace x by the leading eigenvector on its support (kept nonnegative where it is).
    settings : the solver's own (see its ``solve``), and those of the run: stop, tol,
        max_iterations, time_limit, history; start, an (n,) loading.

    Raises ValueError for an unknown solver or setting, or a value out of range.
    """
    solver = name if isinstance(name, ModuleType) else registry.module("solver", name)
    label = solver.__name__.rpartition(".")[2]
    traits = solver.TRAITS
    if nonnegative and not traits.nonnegative:
        raise InputError(f"nonnegative: solver {label!r} gives signed answers only")
    if nonnegative and traits.nonnegative != "always":
        settings["nonnegative"] = True
    limits = Limits(**{key: settings.pop(key) for key in LIMITS if key in settings})
    if settings.get("start") is not None and "start" in parameters(solver.solve):
        settings["start"] = validate.loading("start", settings["start"], problem.n)
    validate.whole("seed", seed, 0)
    if k is not None:
        k = validate.cardinality(k, problem.n)
    check_settings(f"solver {label!r}", solver.solve, settings)
    result = _run(problem, solver, label, k, settings, limits, seed)
    if refit and result.good:
        result = replace(result, x=refitted(result.problem, result.x, result.nonnegative))
    return result


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
            raise InputError(f"k: solver {label!r} is not sparse and takes no cardinality")
        return drive(problem, solver, settings, limits, seed)
    if traits.control == "cardinality":
        if k is None:
            raise InputError(
                f"k: solver {label!r} needs a cardinality; allowed are 1 to n = {problem.n}"
            )
        return drive(problem, solver, {"k": k, **settings}, limits, seed)
    penalty = settings.get(traits.penalty)
    if (penalty is None) == (k is None):
        raise InputError(f"{traits.penalty}: solver {label!r} needs either {traits.penalty} or k")
    if penalty is None:
        assert k is not None
        return tune.search(problem, solver, k, settings, limits, seed)
    validate.number(str(traits.penalty), penalty)
    return drive(problem, solver, settings, limits, seed)


def components(
    problem: Problem,
    name: str | ModuleType,
    count: int,
    *,
    k: int | None = None,
    deflation: str = "projection",
    alpha: float = 1.0,
    **settings: Any,
) -> deflate.Components:
    """``count`` sparse components by one solver, with a deflation between them.

    deflation : projection, hotelling, schur, orthogonal_projection or drop_features; alpha in [0,
        1] makes Hotelling's partial (Kuleshov 2013, Algorithm 2). "joint" : none, the solver finds
        all of them at once.
    """
    validate.whole("count", count, 1)
    if deflation == "joint":
        return _jointly(problem, name, count, k, settings)
    return deflate.deflated_components(
        problem, count, lambda p: solve(p, name, k=k, **settings), deflation, alpha
    )


def _jointly(
    problem: Problem, name: str | ModuleType, count: int, k: int | None, settings: dict[str, Any]
) -> deflate.Components:
    solver = name if isinstance(name, ModuleType) else registry.module("solver", name)
    if solver.TRAITS.components != "joint":
        raise InputError(
            f"deflation: solver {name!r} finds one component at a time; allowed are "
            f"{[*deflate.DEFLATIONS]}"
        )
    if k is not None:
        raise InputError(f"k: joint components are controlled by {solver.TRAITS.penalty} alone")
    result = solve(problem, solver, components=count, **settings)
    assert result.Z is not None
    made = [
        graded(z, result.status if z.any() else Status.ZERO, None, problem.n, result.nonnegative)
        for z in result.Z.T
    ]
    return deflate.Components(problem, [replace(result, x=x, status=status) for x, status in made])


def path(
    problem: Problem, name: str | ModuleType, cardinalities: Sequence[int], **settings: Any
) -> list[Result]:
    """One component at each cardinality, increasing: the better of a cold start and of one from the
    answer before.

    An answer with fewer variables is one for more, too: the variance never falls.
    """
    solver = name if isinstance(name, ModuleType) else registry.module("solver", name)
    found: list[Result] = []
    for k in sorted(set(cardinalities)):
        tries = [solve(problem, solver, k=k, **settings)]
        if found and found[-1].good:
            if "start" in parameters(solver.solve):
                tries.append(solve(problem, solver, k=k, start=found[-1].x, **settings))
            tries.append(replace(found[-1], k=k, proven=None, proven_whp=None))
        found.append(max((t for t in tries if t.good), key=lambda t: t.variance, default=tries[0]))
    return found


def list_solvers() -> dict[str, str]:
    """Solver name -> one-line description."""
    return registry.descriptions("solver")


def list_datasets() -> dict[str, str]:
    """Dataset name -> one-line description."""
    return registry.descriptions("dataset")


def list_figures() -> dict[str, str]:
    """Figure or table name -> one-line description."""
    return registry.descriptions("figure")
