"""`spcabench.select`: choose the number of variables of a component, and explain the choice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spcabench import api, registry, validate
from spcabench.errors import InputError, nearest, renamed
from spcabench.flops import uncharged
from spcabench.problem.problem import Problem
from spcabench.selecting import criteria
from spcabench.selecting.samples import Samples
from spcabench.selecting.truncated_power import answers
from spcabench.showing import pictures, text
from spcabench.solving.call import Limits, arguments
from spcabench.solving.cardinality_path import CardinalityPath
from spcabench.solving.result import Result
from spcabench.vectors import Array, Vector

if TYPE_CHECKING:
    import pandas as pd

CRITERIA = ("heldout", "stability", "certified")
ALL_UP_TO = 10  # by default, all cardinalities up to this one are tried
# the largest cardinality tried by default, and approximately how many are tried
LARGEST_TRIED, COUNT_TRIED = 100, 20


@dataclass(frozen=True, repr=False)
class Selection:
    """The recommended number of variables, and the values on which the recommendation is based.

    Attributes
    ----------
    k : int
        The recommended cardinality.
    reason : str
        Why this cardinality is recommended, in a sentence.
    criterion : str
        "heldout", "stability" or "certified".
    ks : list of int
        The cardinalities that were tried.
    columns : dict of str to array of shape (len(ks),)
        Values for each cardinality: "share", the fraction of the total variance explained on all
        samples, and the columns of the criterion.
    results : list of Result
        The component computed from all samples for each cardinality.
    """

    k: int
    reason: str
    criterion: str
    ks: list[int]
    columns: dict[str, Vector]
    results: list[Result] = field(repr=False)

    def __repr__(self) -> str:
        return f"Selection(k = {self.k} by {self.criterion}: {self.reason})"

    def _repr_html_(self) -> str:
        import html

        return f"<p>{html.escape(self.reason)}</p>{self.to_frame().to_html()}"

    @property
    def result(self) -> Result:
        """The component computed from all samples with the recommended cardinality."""
        return self.results[self.ks.index(self.k)]

    def to_frame(self) -> "pd.DataFrame":
        """Return the values as a table with one row per cardinality."""
        import pandas as pd

        return pd.DataFrame(self.columns, index=pd.Index(self.ks, name="k"))

    def to_csv(self, file: Path | str) -> None:
        """Write the values to a file, with one row per cardinality."""
        text.write_csv(self.to_frame(), file)

    def plot(self, axis: Any = None) -> Any:
        """Plot the values of the criterion, with the recommended cardinality marked.

        Parameters
        ----------
        axis : matplotlib Axes, optional
            The axes to draw in; by default, a new figure is created.

        Returns
        -------
        matplotlib Figure
            The figure of these axes.
        """
        return pictures.selection(self.ks, self.columns, self.k, axis)


@renamed(arguments)
def select(
    X: Any,
    k: Sequence[int] | None = None,
    criterion: str = "heldout",
    *,
    solver: str | None = None,
    scale: bool = False,
    nonnegative: bool = False,
    folds: int | None = None,
    resamples: int = 20,
    random_state: int = 0,
    limits: Limits | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Selection:
    """Recommend how many variables the first component of the data should have.

    Parameters
    ----------
    X : Problem, array, data frame or sparse matrix of shape (m, n)
        The data. For a covariance only the criterion "certified" is possible, because it has no
        samples.
    k : sequence of int, optional
        The cardinalities to compare; by default about 20 values from 1 to n, or from 1 to 100
        if n is larger.
    criterion : str
        "heldout": the smallest cardinality whose variance on held-out samples is within one
        standard error of the largest. "stability": the largest cardinality whose supports agree
        between halves of the samples as well as the best ones do, up to one standard error.
        "certified": the elbow of the variance on all samples, shown with certified bounds.
    solver : str, optional
        Name of the solver, as for `spcabench.solve`. By default, it is a local search with few
        starts for all samples, and truncated power iteration for subsets of them.
    scale : bool
        Whether to divide each variable by its standard deviation.
    nonnegative : bool
        Whether to require nonnegative loadings.
    folds : int, optional
        Number of folds into which "heldout" divides the samples, from 2 to m / 2; by default 10, or
        fewer if a fold would contain fewer than two samples.
    resamples : int
        Number of halves of the samples that "stability" draws, at least 2.
    random_state : int
        Seed for the folds, the halves, and solvers that draw random numbers.
    limits : Limits, optional
        Limits of each run, as in `spcabench.solve`.
    settings : dict, optional
        Settings of the solver.

    Returns
    -------
    Selection
        The recommended cardinality, the reason in a sentence, and the values as a table.

    Raises
    ------
    InputError
        If the criterion is unknown, a value is out of range, or the criterion needs samples and the
        problem has none.

    References
    ----------
    Hastie, Tibshirani, Friedman, "The elements of statistical learning" (2009), section 7.10: the
    rule of one standard error. Nogueira, Sechidis, Brown, "On the stability of feature selection
    algorithms", JMLR 18 (2018). Satopaa et al., "Finding a kneedle in a haystack", ICDCS workshops
    (2011).
    """
    if criterion not in CRITERIA:
        raise InputError(nearest("criterion", str(criterion), CRITERIA))
    if folds is not None:
        validate.whole("folds", folds, 2)
    validate.whole("resamples", resamples, 2)
    validate.switch("nonnegative", nonnegative)
    problem = api.as_problem(X, scale=scale, remedy="use scale=True")
    tried = _cardinalities(k, problem.n)
    seed = validate.whole("random_state", random_state, 0)
    if by_default := solver is None:
        solver, quick = registry.quick_solver(nonnegative)
        settings = quick | dict(settings or {})

    def path(part: Problem) -> CardinalityPath:
        return api.path(
            part,
            solver,
            tried,
            nonnegative=nonnegative,
            random_state=seed,
            limits=limits,
            settings=settings,
        )

    def loadings(part: Problem) -> Array:
        if by_default:  # there are many subsets, and their answers need not be optimal
            return answers([part], tried, nonnegative)[1][0].T
        return np.transpose([r.x if r.good else np.zeros(part.n) for r in path(part)])

    with uncharged():
        results = path(problem)
        total = text.total_variance(problem)
        shares = np.array([r.variance if r.good else 0.0 for r in results]) / total
        if criterion == "certified":
            verdict = criteria.certified(results, tried, shares, total)
        elif criterion == "heldout":
            verdict = criteria.held_out(Samples(problem), tried, loadings, folds, seed)
        else:
            verdict = criteria.stability(Samples(problem), tried, loadings, resamples, seed)
    chosen = tried[verdict.chosen]
    reason = verdict.reason + _warning(chosen, tried, problem.n)
    columns = {"share": shares, **verdict.columns}
    return Selection(chosen, reason, criterion, tried, columns, results.results)


def _cardinalities(ks: Sequence[int] | None, n: int) -> list[int]:
    """Return the cardinalities to compare, in increasing order: all small and some large ones."""
    if ks is None:
        most = min(n, LARGEST_TRIED)
        spread = {int(k) for k in np.ceil(np.geomspace(1, most, COUNT_TRIED))}
        return sorted(spread | {*range(1, min(most, ALL_UP_TO) + 1)})
    tried = sorted({validate.cardinality(k, n) for k in validate.several("k", ks)})
    if len(tried) < 2:
        raise InputError(f"k: {tried} only; at least two cardinalities are needed to choose from")
    return tried


def _warning(k: int, tried: Sequence[int], n: int) -> str:
    if k == tried[-1] < n:
        return "; it is the largest one tried: compare larger ones too"
    if k == tried[0] > 1:
        return "; it is the smallest one tried: compare smaller ones too"
    return ""
