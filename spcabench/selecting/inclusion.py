"""How often each variable is selected when only a random half of the samples is used."""

from collections.abc import Iterator
from time import perf_counter

import numpy as np

from spcabench.errors import InputError, renamed
from spcabench.flops import uncharged
from spcabench.problem.problem import Problem
from spcabench.selecting.samples import Samples
from spcabench.selecting.truncated_power import answers, batches
from spcabench.solving.result import Result
from spcabench.vectors import Vector

FEWEST_HALVES, MOST_HALVES = 10, 50  # number of halves of the samples


@renamed()
def inclusion(
    result: Result, *, random_state: int = 0, most: int = MOST_HALVES, seconds: float | None = None
) -> tuple[Vector, int]:
    """Count how often the component of a random half of the samples contains each variable.

    A certificate only concerns these samples. The frequencies show how much of the answer other
    samples would confirm. A variable that is chosen in every half is a reliable finding, but one
    that is chosen in only a third of the halves is not.

    Each half is solved by truncated power iteration from three starts: the largest variance, the
    leading eigenvector, and the component itself. The best of the three answers is used.

    Parameters
    ----------
    result : Result
        A component of data; it includes the problem in which it was found.
    random_state : int
        Seed for drawing the halves.
    most : int
        Maximum number of halves.
    seconds : float, optional
        Time limit for all halves. If it is too short for ten halves, an InputError is raised.

    Returns
    -------
    frequencies : array of shape (n,)
        For each variable, the fraction of the halves whose component contains it.
    halves : int
        Number of halves.

    Raises
    ------
    InputError
        If the problem has no samples, or the time limit is too short.

    References
    ----------
    Meinshausen, Buehlmann, "Stability selection", Journal of the Royal Statistical Society B 72
    (2010), section 2.
    """
    samples = Samples(result.problem)
    counts, halves = np.zeros(samples.n), 0
    begin = perf_counter()

    def problems() -> Iterator[Problem]:
        for drawn, half in enumerate(samples.halves(most, random_state)):
            if seconds is not None and drawn:
                spent = perf_counter() - begin
                if spent * FEWEST_HALVES > seconds * drawn:
                    raise InputError(
                        f"seconds: {FEWEST_HALVES} halves of the samples take longer than the "
                        "answer did; --checks stability draws them"
                    )
                if spent * (drawn + 1) > seconds * drawn:
                    return
            yield samples.problem(half)

    with uncharged():
        for batch in batches(problems(), samples.n):
            _, X = answers(batch, [result.cardinality], result.nonnegative, [result.x])
            counts += (X != 0.0).sum(axis=(0, 1))
            halves += len(X)
    return counts / halves, halves
