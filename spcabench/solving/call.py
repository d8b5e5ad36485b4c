"""A call of a solver with checked arguments: the only path from the words of a user to a run.

Functions, estimator, commands and plans create a `Call`. Its arguments are checked here and nowhere
else, so `drive` and `search` trust them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np

from spcabench import registry, validate
from spcabench.errors import InputError, nearest, shown
from spcabench.iterate import Traits
from spcabench.problem.data import Data
from spcabench.problem.problem import Problem

RULES = ("step", "objective", "gap", "end")  # quantities that a run can compare with its tolerance
# Default value of a tolerance, compared by identity. It is not None, because tol=None is a mistake
# by the caller and is rejected like any other value that is not a number.
UNSET = float("nan")
# arguments of `spcabench.solve` that plans and rows store beside the settings of the solver
OF_CALL = ("k", "n_components", "deflation", "nonnegative", "refit", "random_state")


@dataclass(frozen=True)
class Limits:
    """The stopping rule of a run, and its limits on iterations and time.

    Parameters
    ----------
    stop : {"step", "objective", "gap", "end"}, optional
        The quantity that is compared with ``tol``. The default is the solver's STOP if defined, and
        otherwise "step".
    tol : float, optional
        Tolerance of the rule. The default is the solver's TOL if defined, and otherwise 1e-6.
    max_iterations : int, optional
        Maximum number of iterates after the start. The default is the solver's MAX_ITERATIONS if
        defined, and otherwise 1000.
    time_limit : float
        Limit on the time spent in the solver, in seconds, including its set-up.
    history : bool
        Whether to record the variance, cost and other values of every iterate.

    Raises
    ------
    InputError
        If the rule is unknown or a value is out of range.
    """

    stop: str | None = None
    tol: float = UNSET
    max_iterations: int | None = None
    time_limit: float = np.inf
    history: bool = False

    def __post_init__(self) -> None:
        validate.switch("history", self.history)
        if self.stop is not None and str(self.stop) not in RULES:
            raise InputError(nearest("stopping rule (stop)", repr(self.stop).strip("'"), RULES))
        if self.tol is not UNSET:
            validate.number("tol", self.tol)
        validate.number("time_limit", self.time_limit, finite=False)
        if self.max_iterations is not None:
            validate.whole("max_iterations", self.max_iterations, 0)

    def filled(self, solver: ModuleType) -> Limits:
        """Replace unset limits with the limits that the solver defines, or else the defaults."""
        return replace(
            self,
            stop=self.stop or getattr(solver, "STOP", "step"),
            tol=getattr(solver, "TOL", 1e-6) if self.tol is UNSET else self.tol,
            max_iterations=getattr(solver, "MAX_ITERATIONS", 1000)
            if self.max_iterations is None
            else self.max_iterations,
        )


LIMITS = tuple(limit.name for limit in fields(Limits))


def arguments(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `spcabench.solve` for settings that a plan or a row stores together.

    These are the cardinality, the limits of the run and the settings of the solver. ``alpha`` is an
    argument beside a deflation, unless the components are found jointly.
    """
    own = {"random_state" if name == "seed" else name: v for name, v in settings.items()}
    words = (*OF_CALL, "alpha") if str(own.get("deflation", "joint")) != "joint" else OF_CALL
    given = {name: own.pop(name) for name in words if name in own}
    if limits := {name: own.pop(name) for name in LIMITS if name in own}:
        given["limits"] = Limits(**limits)
    return {**given, "settings": own}


@lru_cache
def parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """Return the keyword parameters of a solver's ``solve`` or a dataset's ``load`` function."""
    return {
        name: p for name, p in inspect.signature(function).parameters.items() if name != "problem"
    }


def check_settings(owner: str, function: Callable[..., Any], settings: Mapping[str, Any]) -> None:
    """Raise InputError if a setting is unknown, or if one without a default value is missing.

    The error suggests the most similar name.
    """
    known = {*parameters(function)}
    # limits are not settings, but the error for a misspelt limit should suggest its name
    suggested = known | {*LIMITS} if owner.startswith("solver") else known
    for name in settings:
        if name not in known:
            raise InputError(nearest("setting", name, suggested, owner))
    for name, parameter in parameters(function).items():
        variadic = parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        if parameter.default is parameter.empty and not variadic and name not in settings:
            raise InputError(f"{owner} requires the setting {name!r} (--set {name}=VALUE)")


def in_form(problem: Problem, traits: Traits) -> Problem:
    """Convert the problem to a form that the solver accepts, without charging the solver."""
    # The type is tested because a Gram matrix (data after a deflation) no longer has a data matrix.
    if traits.accepts == "covariance":
        return problem.given_as("covariance")
    if traits.accepts == "data" and not isinstance(problem.matrix, Data):
        return problem.given_as("data")
    return problem


@dataclass(frozen=True, eq=False)
class Call:
    """A call of a solver on a problem; create it with `Call.of`, which checks the arguments.

    Attributes
    ----------
    problem : Problem
        The problem in any form.
    solver : module
        The solver's module, which defines ``solve`` and ``TRAITS``.
    k : int or None
        Cardinality.
    settings : mapping
        Keyword arguments of ``solve``, except k and the seed.
    limits : Limits
        Stopping rule and limits of the run, and whether to record a history.
    seed : int
        Seed that is passed to ``solve`` if ``solve`` accepts one.
    """

    problem: Problem
    solver: ModuleType
    k: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    seed: int = 0

    @classmethod
    def of(
        cls,
        problem: Problem,
        solver: Any,
        k: Any = None,
        settings: Any = None,
        *,
        nonnegative: Any = False,
        limits: Any = None,
        random_state: Any = 0,
    ) -> Call:
        """Create a call from words; raise InputError if one of them is invalid.

        solver : a name, a file or a module; by default chosen for the problem.
        """
        validate.switch("nonnegative", nonnegative)
        module = module_of(solver, problem, nonnegative)
        own = own_settings(settings)
        if stray := [name for name in own if name in LIMITS]:
            raise InputError(
                f"settings: {stray[0]!r} is a limit; use limits=Limits({stray[0]}=...)"
            )
        if nonnegative and not module.TRAITS.nonnegative:
            raise InputError(
                f"nonnegative: solver {name_of(module)!r} cannot compute nonnegative loadings"
            )
        if nonnegative and module.TRAITS.nonnegative != "always":
            own["nonnegative"] = True
        if not isinstance(limits, Limits | None):
            raise InputError(f"limits: {shown(limits)}; it must be Limits(...)")
        seed = validate.whole("random_state", random_state, 0)
        return cls(problem, module, None, own, limits or Limits(), seed).on(problem, k)

    def on(self, problem: Problem, k: Any, **settings: Any) -> Call:
        """Return the same call for another problem and cardinality, and with further settings."""
        owner = f"solver {self.name!r}"
        own = {**self.settings, **settings}
        if own.get("start") is not None and "start" in parameters(self.solver.solve):
            own["start"] = validate.loading("start", own["start"], problem.n)
        k = None if k is None else validate.cardinality(k, problem.n)
        call = replace(self, problem=problem, k=k, settings=own)
        found = {str(self.traits.penalty): None} if call.searches else {}
        check_settings(owner, self.solver.solve, call.keywords | found)
        call._check_control()
        if (most := self.traits.largest) is not None and problem.n > most:
            raise InputError(f"n: {problem.n} variables; {owner} accepts at most {most}")
        return call

    def _check_control(self) -> None:
        """Raise InputError unless either k or a penalty controls a sparse solver."""
        traits, k = self.traits, self.k
        if traits.control is None and k not in (None, self.problem.n):
            raise InputError(f"k: solver {self.name!r} is not sparse and accepts no cardinality")
        if traits.control == "cardinality" and k is None:
            raise InputError(
                f"k: solver {self.name!r} needs a cardinality from 1 to n = {self.problem.n}"
            )
        if traits.control != "penalty":
            return
        if (self.penalty is None) == (k is None):
            raise InputError(
                f"{traits.penalty}: solver {self.name!r} needs either {traits.penalty} or k, not "
                "both"
            )
        if self.penalty is not None:
            validate.number(str(traits.penalty), self.penalty)

    @property
    def name(self) -> str:
        """Name of the solver."""
        return name_of(self.solver)

    @property
    def traits(self) -> Traits:
        """What the solver can do."""
        traits: Traits = self.solver.TRAITS
        return traits

    @property
    def penalty(self) -> Any:
        """Value of the solver's penalty, or None."""
        return self.settings.get(str(self.traits.penalty))

    @property
    def searches(self) -> bool:
        """Whether a penalty must be searched that gives the cardinality k."""
        return self.traits.control == "penalty" and self.penalty is None

    @property
    def keywords(self) -> dict[str, Any]:
        """All keyword arguments of the solver's ``solve``."""
        given = dict(self.settings)
        if self.traits.control == "cardinality":
            given = {"k": self.k, **given}
        if "seed" in parameters(self.solver.solve):
            given["seed"] = self.seed
        if self.traits.pace and np.isfinite(self.limits.time_limit):
            # a search that counts its operations has to plan for the time that it has
            allowed = given.get("budget", parameters(self.solver.solve)["budget"].default)
            given["budget"] = min(allowed, self.limits.time_limit * self.traits.pace)
        return given


def name_of(solver: ModuleType) -> str:
    """Return the name of a solver's module."""
    return solver.__name__.rpartition(".")[2]


def module_of(solver: Any, problem: Problem, nonnegative: bool = False) -> ModuleType:
    """Return the module of a solver; by default, of the solver for problems of this size."""
    if solver is None:
        solver = registry.solver_for(problem.n)
    if isinstance(solver, ModuleType) and hasattr(solver, "TRAITS"):
        return solver
    if not isinstance(solver, str):
        raise InputError(f"solver: {shown(solver)}; it must be a name, file or module")
    return registry.module("solver", solver)


def own_settings(settings: Any) -> dict[str, Any]:
    """Return the settings of a solver as a dict; raise InputError if one of them is an argument."""
    settings = {} if settings is None else settings
    if not isinstance(settings, Mapping) or not all(isinstance(name, str) for name in settings):
        raise InputError(f"settings: {shown(settings)}; it must be a dict with strings as keys")
    for name in settings:
        if name in (*OF_CALL, "seed"):
            own = "random_state" if name == "seed" else name
            raise InputError(f"settings: {name!r} is not allowed here; use the argument {own}")
    return dict(settings)
