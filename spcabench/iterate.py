"""The declarations of a solver (`Traits`, `Facts`), and the objects that it yields (`Iterate`)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64] | Callable[[], NDArray[np.float64]]

# possible outcomes of an exact search, each of which is also a status of a run
End = Literal["proven", "work_limit", "not_attempted"]
Joint = Literal["penalised", "orthonormal", "disjoint", "common"]


def as_matrix(matrix: Matrix | None) -> NDArray[np.float64]:
    """Return a matrix; if the argument is a function, call it to obtain the matrix."""
    assert matrix is not None
    return matrix() if callable(matrix) else matrix


@dataclass(frozen=True)
class Traits:
    """The capabilities of a solver, which conformance tests verify.

    Parameters
    ----------
    control : str or None
        How the sparsity of the answer is controlled: "cardinality" (by the setting ``k``),
        "penalty" (by the setting named in ``penalty``), or None (for ordinary PCA).
    accepts : str
        Accepted form of the problem: "covariance", "data" or "either". The harness converts
        problems if necessary.
    penalty : str, optional
        Name of the penalty setting. The module must then define ``penalty_range(problem) -> (low,
        high)``.
    nonnegative : bool or "always"
        True if ``solve`` has the setting ``nonnegative``, which requires x >= 0; "always" if every
        answer is nonnegative and the setting does not exist.
    components : str
        "single" if the solver finds one component at a time, so several components require
        deflation; "joint" if it finds several components at once. A joint solver has the setting
        ``components``.
    formulation : str
        Constraints on the components of a joint solver, in addition to unit columns of Z. Ignored
        unless ``components="joint"``. All formulations except "penalised" require
        ``control="cardinality"``. "penalised": a penalty makes the components sparse.
        "orthonormal": each component has at most k nonzeros, and sum |Z'Z - I| <= 1e-4. "disjoint":
        each component has at most k nonzeros, and no two components share a variable. "common": Z
        has at most k nonzero rows, and sum |Z'Z - I| <= 1e-4.
    same_for_one : str, optional
        For a joint solver that gives the same answer for one component as a solver of single
        components: the name of that solver. Comparisons of one component leave the joint solver
        out.
    rectangular : bool
        Whether the solver also yields a left vector u (m,). The cardinality k then refers to the
        right vector x.
    exact : bool
        Whether the answer is optimal up to rounding errors.
    relaxation : bool
        Whether the solver solves the semidefinite relaxation and yields a primal solution X and a
        dual solution U.
    largest : int, optional
        Maximum number of variables. The harness never runs the solver on larger problems.
    path : bool
        Whether a penalty search starts at the largest penalty and uses the x of each run as the
        start of the next one.
    stable : bool
        Whether the variance of the answer changes by a relative amount of at most 1e-9 if the order
        of the rows, the signs, the storage or the number of threads change. False if a library
        breaks ties, or if an iteration magnifies rounding errors; the docstring of the solver
        states the reason.
    pace : float, optional
        For a solver that counts operations and stops when its setting ``budget`` is exhausted: the
        approximate number of operations per second of processor time. ``solve --time`` uses it to
        convert seconds to a budget, and a time limit limits the budget.
    """

    control: Literal["cardinality", "penalty"] | None
    accepts: Literal["covariance", "data", "either"] = "either"
    penalty: str | None = None
    nonnegative: bool | Literal["always"] = False
    components: Literal["single", "joint"] = "single"
    formulation: Joint = "penalised"
    same_for_one: str | None = None
    rectangular: bool = False
    exact: bool = False
    relaxation: bool = False
    largest: int | None = None
    path: bool = False
    stable: bool = True
    pace: float | None = None


@dataclass(frozen=True)
class Facts:
    """Facts about a method that are shown in the table of methods; all of them are optional.

    A solver declares them with literal values, ``FACTS = Facts(...)``. They do not affect results.

    Parameters
    ----------
    authors, title, venue : str
        Authors of the paper ("Yuan and Zhang"), its title, and the journal or conference without
        the year.
    year : int, optional
        Year of the paper.
    address : str
        URL of the paper, which is https://doi.org/... if the paper has a DOI.
    cost : str
        Flops per iteration.
    code : str
        The authors' code and its URL.
    reproduced : str
        The results of the paper that are reproduced. The default is the list of figures that run
        the solver.
    paper_of : str
        Name of another solver from the same paper. Its file describes the paper and the authors'
        code, unless this one does.
    """

    authors: str = ""
    title: str = ""
    venue: str = ""
    year: int | None = None
    address: str = ""
    cost: str = ""
    code: str = ""
    reproduced: str = ""
    paper_of: str = ""

    @property
    def paper(self) -> str:
        """Citation of the paper; empty if there is no paper."""
        parts = [self.authors, f'"{self.title}"', self.venue]
        return f"{', '.join(filter(None, parts))} ({self.year})" if self.title else ""


@dataclass(slots=True)
class Iterate:
    """One iterate, for solvers that yield more than x.

    Parameters
    ----------
    x : array of shape (n,)
        Sparse vector.
    u : array of shape (m,), optional
        Left vector of a rectangular solver.
    Z : array of shape (n, r), optional
        All components of a solver that finds several at once.
    X, U : array of shape (n, n), or function, optional
        Primal and dual matrix of the relaxation. For a rectangular solver, their order is m + n. A
        function that returns the matrix is called only once, for the last iterate. The matrices are
        not copied.
    bound : float, optional
        Upper bound on the optimum that the algorithm proves, if the harness cannot verify it
        without repeating the run.
    bound_whp : float, optional
        Upper bound that holds with a probability stated by the solver.
    phase : str, optional
        Name of the phase of the algorithm that computed this iterate.
    extra : mapping of str to float
        Additional named values. The stopping rules "objective" and "gap" use the entries with these
        names.
    end : str, optional
        Outcome of an exact search, set on the last iterate. "proven" is accepted only if ``bound``
        equals the variance of x.
    why : str
        Reason why there is no proof, in a few words for the user.
    """

    x: NDArray[np.float64]
    u: NDArray[np.float64] | None = None
    Z: NDArray[np.float64] | None = None
    X: Matrix | None = None
    U: Matrix | None = None
    bound: float | None = None
    bound_whp: float | None = None
    phase: str | None = None
    extra: Mapping[str, float] = field(default_factory=dict)
    end: End | None = None
    why: str = ""
