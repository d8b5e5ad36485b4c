"""A solver's description of itself (`Traits`, `Facts`), and what it may yield (`Iterate`)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64] | Callable[[], NDArray[np.float64]]

# how a search for the optimum ends; each is a status of a run
End = Literal["proven", "work_limit", "not_attempted"]
Formulation = Literal["penalised", "orthonormal", "disjoint", "common"]


def as_matrix(matrix: Matrix | None) -> NDArray[np.float64]:
    """Return the matrix; if a function was given, call it."""
    assert matrix is not None
    return matrix() if callable(matrix) else matrix


@dataclass(frozen=True)
class Traits:
    """What a solver can do; the conformance tests hold each solver to what it says here.

    Parameters
    ----------
    control : str or None
        What makes the answer sparse: "cardinality" (the setting ``k``), "penalty" (the setting that
        ``penalty`` names), or None (a solver of ordinary PCA).
    accepts : str
        Form of the problem that it works on: "covariance", "data" or "either". The harness converts
        where necessary.
    penalty : str, optional
        Name of the penalty setting. The module then has ``penalty_range(problem) -> (low, high)``.
    nonnegative : bool or "always"
        True where ``solve`` has the setting ``nonnegative``, which asks for x >= 0. "always" where
        every answer is nonnegative and there is no such setting.
    components : str
        "single" where it finds one component (several are found by deflation), "joint" where it
        finds several at once. Its ``solve`` then has the setting ``components``.
    formulation : str
        What the components of a joint solver obey, all columns of Z being unit vectors. It is read
        only where ``components="joint"``, and for all but "penalised" ``control`` is "cardinality".
        "penalised": they are sparse by the penalty alone. "orthonormal": each has at most k
        nonzeros, and sum |Z'Z - I| <= 1e-4. "disjoint": each has at most k nonzeros, and no
        variable is in two. "common": Z has at most k nonzero rows, and sum |Z'Z - I| <= 1e-4.
    rectangular : bool
        Whether it yields a left vector u (m,) too. The cardinality k is then that of the right one.
    exact : bool
        Whether its answer is the optimum, up to rounding.
    relaxation : bool
        Whether it solves the semidefinite relaxation. It then yields a primal X and a dual U.
    largest : int, optional
        Number of variables up to which it can run; the harness asks it nothing larger.
    path : bool
        Whether the search of its penalty goes from the largest value down and starts each run at
        the x of the last one.
    stable : bool
        Whether the order of the rows, signs, storage and the number of threads change the variance
        of the answer by no more than 1e-9, relative. False where a library, or an iteration that
        magnifies rounding, decides ties: the docstring of the solver says which.
    pace : float, optional
        Of a solver that counts its work, and ends when its setting ``budget`` is spent: how much of
        it takes about a second of processor time. ``solve --work`` gives the limit in such seconds.
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
    """Facts about a method, all optional, for the table of all methods.

    A solver states them as texts and numbers, ``FACTS = Facts(...)``; they decide no row.

    Parameters
    ----------
    authors, title, venue : str
        The paper: "Yuan and Zhang", its title, and the journal or conference without the year.
    year : int, optional
        Year of the paper.
    address : str
        Where the paper is, https://doi.org/... if it has a DOI.
    cost : str
        Flops of an iteration.
    code : str
        The authors' code and its address.
    reproduced : str
        What was reproduced of the paper. Unless given, the figures here that run the solver.
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
        """The paper as it is cited; empty if there is none."""
        parts = [self.authors, f'"{self.title}"', self.venue]
        return f"{', '.join(filter(None, parts))} ({self.year})" if self.title else ""


@dataclass(slots=True)
class Iterate:
    """One iterate, for a solver that yields more than x.

    Parameters
    ----------
    x : array of shape (n,)
        The sparse vector.
    u : array of shape (m,), optional
        The left vector of a rectangular solver.
    Z : array of shape (n, r), optional
        All components, of a solver that finds several at once.
    X, U : array of shape (n, n), or function, optional
        A primal and a dual matrix of the relaxation, of order m + n for a rectangular solver. A
        function that makes the matrix is called once, for the last iterate. These are not copied.
    bound : float, optional
        Upper bound on the optimum that the algorithm proves, for a proof that the harness cannot
        check without running the algorithm again.
    bound_whp : float, optional
        Such a bound that holds with a probability which the solver states.
    phase : str, optional
        Name of the phase of the algorithm that made this iterate.
    extra : mapping of str to float
        Named numbers of the solver. ``stop="objective"`` watches its entry "objective", and
        ``stop="gap"`` its entry "gap".
    end : str, optional
        How a search for the optimum ended, on its last iterate. "proven" counts where ``bound``
        meets the variance of x.
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
