"""What a solver says about itself (`Traits`) and what it may yield beside x (`Iterate`)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64] | Callable[[], NDArray[np.float64]]


def as_matrix(matrix: Matrix | None) -> NDArray[np.float64]:
    """The matrix, made where what makes it was given."""
    assert matrix is not None
    return matrix() if callable(matrix) else matrix


@dataclass(frozen=True)
class Traits:
    """What a solver is; the harness asks of each solver what its kind must satisfy.

    control : "cardinality" (takes ``k``), "penalty" (takes the setting named ``penalty``), or None
        (not sparse).
    accepts : the form of the problem it works on: "covariance", "data", or "either".
    penalty : name of the penalty setting; the module then has ``penalty_range(problem) -> (low,
        high)``.
    nonnegative : can be asked for x >= 0, by the setting ``nonnegative`` of its ``solve``; "always"
        for one that gives nothing else and has no such setting.
    components : "single" (the harness deflates) or "joint".
    rectangular : yields a left vector u (m,) too; k is then the cardinality of x = v.
    exact : its answer is the optimum, up to rounding.
    path : the search of its penalty goes from the largest down, each run started at the x of the
        last.
    relaxation : solves the semidefinite relaxation; yields a primal X and a dual U, which the
        harness grades.
    """

    control: Literal["cardinality", "penalty"] | None
    accepts: Literal["covariance", "data", "either"] = "either"
    penalty: str | None = None
    nonnegative: bool | Literal["always"] = False
    components: Literal["single", "joint"] = "single"
    rectangular: bool = False
    exact: bool = False
    relaxation: bool = False
    path: bool = False


@dataclass(slots=True)
class Iterate:
    """One iterate with more than x: shapes x (n,), u (m,), Z (n, r), X and U (n, n).

    X, U : a primal and a dual matrix of the relaxation (of order m + n for a rectangular solver),
        or a function that makes the matrix: it is called once, for the last iterate. The driver
        keeps them uncopied.
    bound, bound_whp : an upper bound on the optimum that the algorithm proves (one that the harness
        cannot redo without running it again), deterministic or with a stated probability.
    phase : name of the phase of the algorithm that made this iterate.
    extra : named numbers of the solver (an "objective" among them is what ``stop="objective"``
        watches).
    state : opaque; handed back as ``start`` by a warm start.
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
    state: Any = None
