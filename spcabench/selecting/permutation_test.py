"""Test whether a sparse component explains more than the same method finds in permuted data."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spcabench import api, validate
from spcabench.errors import renamed
from spcabench.flops import uncharged
from spcabench.problem.problem import Problem
from spcabench.selecting.samples import Samples
from spcabench.selecting.truncated_power import answers, batches
from spcabench.vectors import Array, Vector

PERMUTATIONS = 99  # the smallest number of tables for which p = 0.01 is possible
CARDINALITIES = 8  # maximum number of cardinalities tested; each requires a hundred runs
SAME = 1e-9  # smaller relative differences between variances are attributed to rounding


@dataclass(frozen=True)
class PermutationTest:
    """Variances explained in the data and in permuted tables, with the p-value.

    Attributes
    ----------
    p_value : float
        Fraction of the tables, including the data, that are at least as extreme as the data;
        between 1 / (permutations + 1) and 1.
    permutations : int
        Number of permuted tables.
    ks : list of int
        The cardinalities that were tried on each table.
    variances : array of shape (len(ks),)
        Variance that the method explains in the data.
    permuted : array of shape (permutations, len(ks))
        Variance that the method explains in each permuted table.
    """

    p_value: float
    permutations: int
    ks: list[int]
    variances: Vector
    permuted: Array = field(repr=False)

    @property
    def significant(self) -> bool:
        """Whether the data explain more than chance, at a level of 5 %."""
        return self.p_value <= 0.05

    def sentence(self) -> str:
        """Return the result of the test in a sentence."""
        verdict = (
            "explains more than chance" if self.significant else "explains no more than chance"
        )
        return (
            f"{verdict} (p = {self.p_value:.2g}, {self.permutations} tables with permuted columns)"
        )


@renamed()
def permutation_test(
    X: Any,
    k: int | Sequence[int],
    *,
    permutations: int = PERMUTATIONS,
    scale: bool = False,
    nonnegative: bool = False,
    random_state: int = 0,
) -> PermutationTest:
    """Test whether a sparse component explains more variance than chance would.

    Permuting the entries of each column preserves the distribution of every variable, but destroys
    the dependence between variables. Truncated power iteration, from the largest variance and from
    the leading eigenvector, is run on the data and on the permuted tables.

    If there are several cardinalities, the test accounts for the choice among them. For each k the
    variance is standardised by its mean and standard deviation over all tables, and the statistic
    is the largest value over k. It is computed in the same way for every table, so the p-value is
    exact whatever k was chosen.

    Parameters
    ----------
    X : Problem, array, data frame or sparse matrix of shape (m, n)
        The data. A covariance has no samples, so it cannot be tested.
    k : int or sequence of int
        The cardinality of the component, or the cardinalities among which it was chosen.
    permutations : int
        Number of permuted tables, at least 19.
    scale : bool
        Whether to divide each variable by its standard deviation.
    nonnegative : bool
        Whether to require nonnegative loadings.
    random_state : int
        Seed of the permutations.

    Returns
    -------
    PermutationTest
        The p-value, and the variances from which it was computed.

    Raises
    ------
    InputError
        If a value is out of range, or the problem has no samples.

    References
    ----------
    Westfall, Young, "Resampling-based multiple testing" (1993), section 2.3: the largest statistic.
    Phipson, Smyth, "Permutation p-values should never be zero", Statistical Applications in
    Genetics and Molecular Biology 9 (2010): the data count as one of the tables.
    """
    validate.whole("permutations", permutations, 19)
    validate.whole("random_state", random_state, 0)
    problem = api.as_problem(X, scale=scale, remedy="use scale=True")
    listed = validate.several("k", k) if isinstance(k, Sequence | np.ndarray) else [k]
    ks = sorted({validate.cardinality(each, problem.n) for each in listed})
    # at most CARDINALITIES of them, evenly spaced on a log scale, including the extremes
    places = np.searchsorted(ks, np.geomspace(ks[0], ks[-1], CARDINALITIES) * (1.0 - SAME))
    ks = [ks[i] for i in np.unique(places)]
    validate.switch("nonnegative", nonnegative)
    samples, rng = Samples(problem), np.random.default_rng(random_state)

    def tables() -> Iterator[Problem]:
        yield samples.problem(np.arange(samples.m))
        for _ in range(permutations):
            yield samples.permuted(rng)

    with uncharged():
        variances = np.concatenate(
            [answers(batch, ks, nonnegative)[0] for batch in batches(tables(), samples.n)]
        )
    return PermutationTest(_p_value(variances), permutations, ks, variances[0], variances[1:])


def _p_value(variances: Array) -> float:
    """The fraction of tables (rows) whose largest standardised variance is at least the first's.

    The mean and standard deviation are computed over all tables, including the first, which treats
    all tables alike.
    """
    deviation = variances.std(axis=0)
    varies = deviation > SAME * variances.mean(axis=0)
    # for k = 1 the answer is the largest variance of a column, which permuting does not change
    if not varies.any():
        return 1.0
    standardised = (variances - variances.mean(axis=0))[:, varies] / deviation[varies]
    extreme = standardised.max(axis=1)
    return float((extreme >= extreme[0] - SAME).mean())
