"""What a solver declares about itself (`Traits`, `Facts`), and what it may yield (`Iterate`)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64] | Callable[[], NDArray[np.float64]]

# how a search for the optimum can end; each is a status of a run
End = Literal["proven", "work_limit", "not_attempted"]
Formulation = Literal["penalised", "orthonormal", "disjoint", "common"]


def as_matrix(matrix: Matrix | None) -> NDArray[np.float64]:
    """Return the matrix; if a function was given, call it."""
    assert matrix is not None
    return matrix() if callable(matrix) else matrix


@dataclass(frozen=True)
class Traits:
    """What a solver can do; the conformance tests check each solver against its traits.

    Parameters
    ----------
    control : str or None
        What makes the answer sparse: "cardinality" (the setting ``k``), "penalty" (the setting
        named by ``penalty``), or None (a solver of ordinary PCA).
    accepts : str
        Form of the problem that it needs: "covariance", "data" or "either". The harness converts if
        necessary.
    penalty : str, optional
        Name of the penalty setting. The module must then define ``penalty_range(problem) -> (low,
        high)``.
    nonnegative : bool or "always"
        True if ``solve`` has the setting ``nonnegative``, which requires x >= 0; "always" if every
        answer is nonnegative and there is no such setting.
    components : str
        "single" if it finds one component (several are found by deflation); "joint" if it finds
        several at once. Its ``solve`` then has the setting ``components``.
    formulation : str
        Constraints on the components of a joint solver, in addition to unit columns of Z. It is
        read only if ``components="joint"``, and ``control`` must be "cardinality" for all but
        "penalised". "penalised": only the penalty makes them sparse. "orthonormal": each has at
        most k nonzeros, and sum |Z'Z - I| <= 1e-4. "disjoint": each has at most k nonzeros, and no
        variable is in two. "common": Z has at most k nonzero rows, and sum |Z'Z - I| <= 1e-4.
    rectangular : bool
        Whether it also yields a left vector u (m,). The cardinality k is then that of the right
        one.
    exact : bool
        Whether its answer is the optimum, up to rounding.
    relaxation : bool
        Whether it solves the semidefinite relaxation. It then yields a primal X and a dual U.
    largest : int, optional
        Largest number of variables with which it can run; the harness never gives it more.
    path : bool
        Whether the search for its penalty proceeds from the largest value downwards, and starts
        each run at the x of the preceding one.
    stable : bool
        Whether the order of the rows, signs, storage and the number of threads change the variance
        of the answer by at most 1e-9, relative. False if ties are decided by a library, or by an
        iteration that magnifies rounding errors; the solver's docstring says which.
    pace : float, optional
        For a solver that counts its work and ends when its setting ``budget`` is used up: the
        amount of work that takes about one second of processor time. ``solve --work`` sets the
        limit in such seconds.
    """

    control: Literal["cardinality", "penalty"] | None
    accepts: Literal["covariance", "data", "either"] = "either"
    penalty: str | None = None
    nonnegative: bool | Literal["always"] = False
    components: Literal["single", "joint"] = "single"
    formulation: Formulation = "penalised"
    rectangular: bool = False
    exact: bool = False
    relaxation: bool = False
    largest: int | None = None
    path: bool = False
    stable: bool = True
    pace: float | None = None


@dataclass(frozen=True)
class Facts:
    """Facts about a method, all optional, for the table of methods.

    A solver declares them as texts and numbers, ``FACTS = Facts(...)``. They do not affect any row.

    Parameters
    ----------
    authors, title, venue : str
        The paper: "Yuan and Zhang", its title, and the journal or conference without the year.
    year : int, optional
        Year of the paper.
    address : str
        Address of the paper: https://doi.org/... if it has a DOI.
    cost : str
        Flops per iteration.
    code : str
        The authors' code and its address.
    reproduced : str
        Which results of the paper were reproduced; by default, the figures here that run the
        solver.
    """

    authors: str = ""
    title: str = ""
    venue: str = ""
    year: int | None = None
    address: str = ""
    cost: str = ""
    code: str = ""
    reproduced: str = ""

    @property
    def paper(self) -> str:
        """The citation of the paper; empty if there is none."""
        parts = [self.authors, f'"{self.title}"', self.venue]
        return f"{', '.join(filter(None, parts))} ({self.year})" if self.title else ""


@dataclass(slots=True)
class Iterate:
    """One iterate, for solvers that yield more than x.

    Parameters
    ----------
    x : array of shape (n,)
        The sparse vector.
    u : array of shape (m,), optional
        The left vector of a rectangular solver.
    Z : array of shape (n, r), optional
        All components, from a solver that finds several at once.
    X, U : array of shape (n, n), or function, optional
        A primal and a dual matrix of the relaxation, of order m + n for a rectangular solver. A
        function that returns the matrix is called once, for the last iterate. The matrices are not
        copied.
    bound : float, optional
        Upper bound on the optimum that the algorithm proves, if the harness cannot check the proof
        without running the algorithm again.
    bound_whp : float, optional
        Upper bound that holds only with a probability stated by the solver.
    phase : str, optional
        Name of the phase of the algorithm that produced this iterate.
    extra : mapping of str to float
        Named numbers from the solver. ``stop="objective"`` watches the entry "objective", and
        ``stop="gap"`` the entry "gap".
    end : str, optional
        On the last iterate, how a search for the optimum ended. "proven" is accepted only if
        ``bound`` equals the variance of x.
    why : str
        Why there is no proof, in a few words for the user.
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
