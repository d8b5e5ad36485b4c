"""The result of a run, graded by the harness and never by the solver itself."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg.blas import dnrm2

from spcabench import files
from spcabench.errors import earlier_attribute
from spcabench.flops import uncharged
from spcabench.iterate import Matrix, Traits, as_matrix
from spcabench.methods.relaxation import relative_gap
from spcabench.problem.problem import Problem
from spcabench.showing import substitutes, text
from spcabench.solving import bounds, certify
from spcabench.solving.formulations import UNIT, fault_of_joint
from spcabench.solving.run_warnings import Flag
from spcabench.solving.status import Status
from spcabench.steps import nonnegative_ascent
from spcabench.vectors import Array, Indices, Vector, embed, normalize, one_sided, support

if TYPE_CHECKING:
    import pandas as pd

PROVEN = 1e-8  # largest relative gap to the bound at which a value is accepted as optimal


@dataclass(frozen=True)
class Cost:
    """What a run cost: flops and clocks, and warnings about these measurements.

    Attributes
    ----------
    flops, setup_flops : int
        Flops of the iterations, and of the set-up before the first iterate.
    counted : bool
        Whether the flops are counted. Flops in an opaque library cannot be counted.
    solve_time, setup_time, compile_time : float
        Time in seconds spent on the iterations, on the set-up, and on compilation. The first two
        times exclude compilation.
    cpu_time, wall_time : float
        Processor time and wall time of the run in seconds. Both include operations of the driver,
        such as storing a history.
    waited : float
        Part of ``wall_time``, in seconds, in which other processes used the processor; nan if the
        system does not report it.
    phases : dict
        Iterates, seconds and flops of each phase named by the solver. The set-up belongs to the
        first phase.
    search : dict
        Summary of a penalty search: number of runs, number of runs until the cardinality was within
        10 % of k, flops and time. Empty if there was no search.
    flags : tuple of Flag
        Warnings about the measurements; see `spcabench.solving.run_warnings`.
    """

    flops: int = 0
    setup_flops: int = 0
    counted: bool = True
    solve_time: float = 0.0
    setup_time: float = 0.0
    compile_time: float = 0.0
    cpu_time: float = 0.0
    wall_time: float = 0.0
    waited: float = np.nan
    phases: dict[str, dict[str, float]] = field(default_factory=dict, repr=False)
    search: dict[str, float] = field(default_factory=dict)
    flags: tuple[Flag, ...] = ()

    @property
    def total_flops(self) -> int:
        """Flops with the set-up, and with all runs of a penalty search."""
        return int(self.search.get("flops", self.flops + self.setup_flops))

    @property
    def seconds(self) -> float:
        """Time of the set-up and the iterations in seconds, without other runs of a search."""
        return self.setup_time + self.solve_time


@dataclass(frozen=True)
class Claim:
    """What a solver states about its answer, which only another search could verify.

    Attributes
    ----------
    bound, bound_whp : float or None
        Bounds that the solver states; see `Result.bound` and `Result.bound_whp`.
    own : bool
        Whether the solver is a file of this repository, so that its bounds are trusted.
    why : str
        Reason why an exact search found no proof. Empty if there is a proof, and for other solvers.
    """

    bound: float | None = None
    bound_whp: float | None = None
    own: bool = False
    why: str = ""


class Shown:
    """The tables and plots of one component or several."""

    problem: Problem

    @property
    def _each(self) -> "Sequence[Result]":
        """The results that are shown."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return text.html(self.problem, self._each)

    def to_frame(self) -> "pd.DataFrame":
        """Return a table of the loadings with one row per variable and one column per component."""
        return text.frame(self.problem, self._each)

    def to_csv(self, file: Path | str) -> None:
        """Write the table returned by `to_frame` to a CSV file."""
        text.write_loadings(self.problem, self._each, file)

    def plot(self, kind: str = "loadings", axis: Any = None) -> Any:
        """Plot the components with matplotlib.

        Parameters
        ----------
        kind : str
            "loadings", "substitutes" (loadings, with possible replacements for each variable),
            "scores" (of the samples on the first two components), "biplot" (scores, with an arrow
            for each variable) or "scree" (the variance that each component adds).
        axis : matplotlib Axes, optional
            The axes to plot on; by default, the axes of a new figure. The loadings of several
            components always require a new figure.

        Returns
        -------
        matplotlib Figure
            The figure that contains the plot.
        """
        from spcabench.showing import pictures

        return pictures.components(self.problem, [*self._each], kind, axis)


@dataclass(frozen=True, repr=False)
class Result(Shown):
    """The result of a run, with values that the harness computes from the problem.

    Attributes
    ----------
    solver : str
        Name of the solver.
    problem : Problem
        The problem that was solved.
    settings : dict
        The solver's settings.
    k : int or None
        The requested cardinality.
    x : array of shape (n,)
        The component: a unit vector if the status of the run is good.
    status : Status
        Why the run stopped: converged, finished (the solver stopped by itself), max_iterations,
        time_limit, zero (nothing found) or infeasible (not a unit vector, too many nonzeros, or a
        wrong sign). For an exact search also: proven (optimal), work_limit (stopped before a proof)
        or not_attempted (problem too large). A status is a str.
    traits : Traits
        What the solver can do.
    iterations : int
        Number of iterates after the start.
    cost : Cost
        Flops and clocks of the run.
    claim : Claim
        Bounds that the solver states.
    u : array of shape (m,), or None
        Left unit vector of a rectangular solver.
    Z : array of shape (n, r), or None
        All components, if several were requested at once.
    X, U : array of shape (n, n), function or None
        Primal and dual matrix of a relaxation, or functions that return these matrices.
    history : list of dict
        Variance, cost and other values of each iterate, if a history was requested.
    extra : dict of str to float
        Additional named values reported by the solver.
    """

    solver: str
    problem: Problem = field(repr=False)
    settings: dict[str, Any]
    k: int | None
    x: Vector = field(repr=False)
    status: Status
    traits: Traits = field(repr=False)
    iterations: int = 0
    cost: Cost = field(default_factory=Cost)
    claim: Claim = field(default_factory=Claim)
    u: Vector | None = field(default=None, repr=False)
    Z: Array | None = field(default=None, repr=False)
    X: Matrix | None = field(default=None, repr=False)
    U: Matrix | None = field(default=None, repr=False)
    history: list[dict[str, Any]] = field(default_factory=list, repr=False)
    extra: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Keep the status "proven" only if the bound of an exact search equals the variance of x.

        This is the only place that decides about this status, also for results that combine others
        or replace x. Raises CertificateError if the variance refutes the bound.
        """
        if self.claim.own and self.good and self.claim.bound is not None:
            self._not_below(self.claim.bound, "the bound that it proved")
        if self.status == Status.PROVEN and not self._is_optimal:
            object.__setattr__(self, "status", Status.FINISHED)
            if self.claim.own and self.claim.bound is not None and not self.claim.why:
                why = "the variance of the answer is below the bound that the search proved"
                object.__setattr__(self, "claim", replace(self.claim, why=why))

    @property
    def _is_optimal(self) -> bool:
        """Whether the bound proven by an exact search of this repository equals the variance."""
        if not self.claim.own or self.claimed_bound is None:
            return False
        return self.variance >= self.claimed_bound * (1.0 - PROVEN)

    def _not_below(self, bound: float, name: str) -> float:
        """Return a certified bound; raise CertificateError if the variance of x refutes it."""
        where = f"{self.solver} on {self.problem.name}, k = {self.k}"
        return bounds.not_below(bound, self.variance, self.problem, where, name)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return earlier_attribute(self, name)

    @property
    def _each(self) -> "Sequence[Result]":
        return [self]

    def __repr__(self) -> str:
        words = text.line(self.problem, self)
        return files.plain(f"Result({self.solver} on {self.problem.name}: {words})")

    def substitutes(self, loss: float = substitutes.LOSS) -> "pd.DataFrame":
        """Return the variables that could replace each variable of the component.

        Parameters
        ----------
        loss : float
            Largest fraction of the variance that a replacement can lose, above 0 and below 1.

        Returns
        -------
        DataFrame
            Up to five rows per variable, with the columns "variable", "substitute", "loss" (a
            fraction of the variance of the best component on the original variables, negative if
            the substitute is better), and "correlation" (between the variable and its substitute).

        Raises
        ------
        InputError
            If the answer is infeasible or the loss is out of range.
        """
        return text.substitutes(self.problem, substitutes.substitutes(self, loss))

    @cached_property
    def variance(self) -> float:
        """Variance x'Sigma x, computed from the problem and never taken from the solver."""
        return self.problem.variance(self.x)

    @property
    def sum_of_squares(self) -> float:
        """Sum of squares x'A'A x of the centred data A, without a divisor, as in most papers."""
        return self.variance * self.problem.divisor

    @cached_property
    def singular_value(self) -> float | None:
        """Singular value u'Ax of a rectangular solver; None for other solvers."""
        if self.u is None:
            return None
        with uncharged():
            return float(self.u @ (self.problem.data @ self.x))

    @property
    def support(self) -> Indices:
        """Indices of the nonzeros of x, in increasing order."""
        return support(self.x)

    @property
    def cardinality(self) -> int:
        """Number of nonzeros of x."""
        return len(self.support)

    @cached_property
    def bound(self) -> float:
        """Certified upper bound on the optimum for the requested cardinality k.

        If no k was requested, the cardinality of x is used. The bound is the smallest of the
        harness's own bounds, the bound of a relaxation recomputed from its dual matrix, and the
        bound proven by an exact search of this repository. This last bound could only be verified
        by repeating the search. Bounds claimed by third-party solvers are ignored.
        """
        k = self.k or max(self.cardinality, 1)
        bound = bounds.upper_bound(self.problem, k, self.nonnegative)
        if self.claim.own and self.claimed_bound is not None:
            bound = min(bound, self.claimed_bound)
        if self._primal_and_dual is not None and not self.traits.rectangular:
            bound = min(bound, certify.sparse_bound(self.problem, self._primal_and_dual[1], k))
        if not self.good:
            return bound
        return self._not_below(bound, "its certified bound")

    @property
    def claimed_bound(self) -> float | None:
        """Bound claimed by the solver, with a margin for rounding errors, or None."""
        if self.claim.bound is None:
            return None
        return self.claim.bound * (1.0 + bounds.ROUNDING) + self.problem.noise

    @cached_property
    def bound_whp(self) -> float | None:
        """Upper bound that only holds with a high probability, or None if there is no such bound.

        It is the smallest of the bound stated by a solver of the suite and, for large data, the
        bound from the Lanczos method (`spcabench.solving.bounds.bound_whp`), which is computed on
        the first access.
        """
        k = self.k or max(self.cardinality, 1)
        probable = bounds.bound_whp(self.problem, k, self.nonnegative)
        stated = self.claim.bound_whp if self.claim.own else None
        if probable is None and stated is None:
            return None
        known = [self.bound] if probable is None else [self.bound, probable]
        if stated is not None:
            known.append(stated * (1.0 + bounds.ROUNDING) + self.problem.noise)
        return min(known)

    @property
    def gap(self) -> float:
        """(bound - variance) / bound, the largest possible shortfall relative to the optimum."""
        return (self.bound - self.variance) / self.bound

    @property
    def unproven(self) -> str:
        """A sentence stating that an exact search found no proof, with the reason and the gap.

        Empty if there is a proof, and for other solvers. The gap is included if the bound was
        already computed.
        """
        why = self.claim.why
        timed_out = self.status == Status.TIME_LIMIT
        if timed_out and self.claim.own and self.claim.bound is not None:
            why = "the time limit was reached first"
        if not why or not self.good or ("bound" in vars(self) and self.gap <= bounds.ROUNDING):
            return ""
        gap = f"; gap {self.gap:.2%}" if "bound" in vars(self) else ""
        return f"not proven optimal: {why}{gap}"

    @cached_property
    def _primal_and_dual(self) -> tuple[Vector, Vector] | None:
        """X and U of the relaxation, each (n, n), or None if the solver did not provide them."""
        if self.X is None or self.U is None:
            return None
        with uncharged():
            return np.asarray(as_matrix(self.X)), np.asarray(as_matrix(self.U))

    @cached_property
    def _certified(self) -> tuple[float, float] | None:
        """Value and bound of the relaxation, recomputed from X and U, or None."""
        if self._primal_and_dual is None:
            return None
        X, U = self._primal_and_dual
        if not self.traits.rectangular:
            penalty = self.settings.get(str(self.traits.penalty))
            return certify.certified(self.problem, X, U, penalty, self.k)
        A = self.problem.given_as("data").data.dense()
        assert self.k is not None
        return certify.rectangular(A, X, U, int(self.settings.get("k_u") or len(A)), self.k)

    @property
    def relaxation_value(self) -> float | None:
        """Value of the relaxation at the feasible matrix nearest to X; None without X."""
        return None if self._certified is None else self._certified[0]

    @property
    def relaxation_bound(self) -> float | None:
        """Upper bound on the optimum of the relaxation, recomputed from U; None without U."""
        return None if self._certified is None else self._certified[1]

    @property
    def relaxation_gap(self) -> float | None:
        """Certified (bound - value) / |bound| of the relaxation; None without X and U."""
        return None if self._certified is None else relative_gap(*self._certified)

    @property
    def nonnegative(self) -> bool:
        """Whether x >= 0 was required, in which case ``bound`` holds for nonnegative x only."""
        return self.traits.nonnegative == "always" or bool(self.settings.get("nonnegative"))

    @property
    def good(self) -> bool:
        """Whether x is a feasible answer, regardless of why the run stopped."""
        return self.status.good

    @property
    def fault(self) -> str:
        """A sentence that describes the first error in x or Z; empty if x is feasible."""
        if self.good:
            return ""
        if self.status == Status.ZERO:
            return "x is zero; it must be a unit vector"
        n, k = self.problem.n, self.k
        wrong = violation(self.x, k, n, self.nonnegative)
        if wrong and self.cost.search and k is not None and self.cardinality > k:
            return f"no penalty gave at most k = {k} nonzeros; the fewest are {self.cardinality}"
        joint = self.Z is not None and fault_of_joint(self.Z, n, k, self.traits.formulation)
        return wrong or joint or "the number used by the stopping rule is NaN"


def violation(x: Vector, k: int | None, n: int, nonnegative: bool = False) -> str:
    """Return a sentence that describes the first constraint that x violates, or "".

    A feasible x has shape (n,), finite entries, norm one up to 1e-6, and at most k nonzeros.
    """
    if x.shape != (n,):
        return f"x has shape {x.shape}; it must be ({n},)"
    if not np.isfinite(x).all():
        return "x has NaN or infinite entries"
    norm = dnrm2(x)  # unlike x'x, it does not overflow for any finite x
    if norm > 2.0 or abs(x @ x - 1.0) > UNIT:
        return f"x has norm {norm:.10g}; it must be 1"
    if k is not None and np.count_nonzero(x) > k:
        return f"x has {np.count_nonzero(x)} nonzeros; at most k = {k} are allowed"
    if nonnegative and (x < 0.0).any():
        return "x has entries below zero, but x >= 0 was required"
    return ""


def graded(
    x: Vector, status: Status, k: int | None, n: int, nonnegative: bool = False
) -> tuple[Vector, Status]:
    """Return x scaled to unit norm, and the status, which is infeasible if x violates a constraint.

    If x >= 0 is required and no entry of x is positive, x is replaced by -x.
    """
    # Solvers must yield unit vectors. A norm that deviates from one by more than rounding errors
    # indicates a bug in the solver, which rescaling would hide.
    x = np.array(x, dtype=np.float64)
    if status == Status.ZERO:
        return x, status
    if nonnegative and (x <= 0.0).all():
        x = np.abs(x)
    if violation(x, k, n, nonnegative):
        return x, Status.INFEASIBLE
    return normalize(x), status


def without_constants(problem: Problem, x: Vector, status: Status) -> tuple[Vector, Status]:
    """Set the loadings of variables without variance to zero; the status can become "zero".

    Such a variable is constant, or a deflation removed it. It contributes nothing, so a solver can
    assign any loading to it, such as a rounding error. If Sigma is indefinite, its covariances can
    contribute without a variance, so nothing is changed.
    """
    if not status.good or problem.indefinite:
        return x, status
    with uncharged():
        y = np.where(problem.covariance.diagonal() > 0.0, x, 0.0)
    if np.array_equal(x, y):
        return x, status
    return (normalize(y), status) if y.any() else (y, Status.ZERO)


def refitted(problem: Problem, x: Vector, nonnegative: bool = False) -> Vector:
    """Return the leading eigenvector of Sigma on the support of x (Moghaddam et al. 2006).

    Its sign is chosen to agree with x. With ``nonnegative``, the result is nonnegative: if the
    eigenvector has entries of both signs, the best nonnegative vector is hard to find, so the
    better result of two ascents is returned, one from x and one from the positive part of the
    eigenvector. The result is never worse than x.
    """
    W = support(x)
    with uncharged():
        Sigma_W = problem.covariance[W]
        _, v = Sigma_W.leading()
        v = v if v @ x[W] >= 0 else -v
        if nonnegative and v.min() < 0.0:
            ends = [nonnegative_ascent(Sigma_W.product, y) for y in (x[W], one_sided(v))]
            v = max(ends, key=lambda end: end[0])[1]
    return embed(v, W, len(x))
