"""Explain why claims of Kuleshov (2013) fail, using the rows on which they are judged."""

import pandas as pd

from spcabench import claims
from spcabench.claims.words import listed, number
from spcabench.figures._kuleshov2013 import EDGES, NAMES, apart, typical
from spcabench.figures._truth import truth_of

TIE = 1e-6


def grown(both: pd.DataFrame, penalty: str) -> str:
    """State how the flops of GRQI and GPower grow from the lowest to the highest sparsity band."""
    rows = both[both.penalty == penalty]
    of_grqi, of_gpower = (
        claims.banded(rows, "sparsity", EDGES, typical(f"flops_{s}")) for s in "gp"
    )
    # growth is measured between two bands, and at the quick scale a band can be empty
    if len(of_grqi) < 2:
        return ""
    ours, theirs = (of[-1].measured.value / of[0].measured.value for of in (of_grqi, of_gpower))
    return (
        f"From {of_grqi[0].label} to {of_grqi[-1].label} of nonzeros the flops of GRQI grow by a "
        f"factor of {number(ours)}, since a solve costs k^3, and those of {NAMES[penalty]} by "
        f"{number(theirs)}."
    )


def one_solve(both: pd.DataFrame, name: str) -> str:
    """Compare the flops of a single solve of GRQI with those of a whole run of GPower."""
    both = both[both.penalty.map(NAMES) == name]
    k = both.cardinality_p.astype(float)
    # this counts the flops of one solve by the paper's rule, so it is a lower bound for every J
    solve = typical("solve")(both.assign(solve=(k**3 + 2 * k**2) / both.flops_p))
    return f"One solve of GRQI takes {number(solve.value)} times the flops of a run of {name}."


def refitted(small: pd.DataFrame, name: str) -> str:
    """State how much more variance GPower explains than GRQI after a refit, for each small J."""
    lost = apart(small, "_refit").groupby(small.J).median()
    phrases = [f"{number(value, '%')} more at J = {J}" for J, value in lost.items()]
    return f"After a refit, {name} explains {listed(phrases)} (medians)."


def long_searches(runs: pd.DataFrame) -> str:
    """State how often a search found no penalty for k, and how many runs each search took."""
    met = runs.cardinality == runs.k
    # only the contrast between successful and failed searches explains the number of runs
    if met.all() or not met.any():
        return ""
    return (
        "The search is ours, while the author searched by hand. In "
        f"{100 * (~met).mean():.0f} % of the cases it gives up, after "
        f"{runs.search_runs[~met].median():.0f} runs (median); in the others it reaches k after "
        f"{runs.search_runs[met].median():.0f}."
    )


def slower(iterations: pd.Series, sparsity: pd.Series) -> str:
    """State how GRQI's number of iterations changes from the lowest to the highest sparsity."""
    # the median, because a single run can hit the limit of 150 iterations
    middle = iterations.groupby(sparsity).median()
    return (
        f"The median number of iterations grows from {middle.iloc[0]:.3g} at a sparsity of "
        f"{100 * middle.index[0]:.2g} % to {middle.iloc[-1]:.3g} at {100 * middle.index[-1]:.3g} %."
    )


def less_work(both: pd.DataFrame) -> str:
    """Compare the flops of a run of GPower0 with those of GPower1 in the highest sparsity band."""
    ends = {
        name: claims.banded(rows, "sparsity", EDGES, typical("flops_p"))
        for name, rows in both.groupby("penalty")
    }
    if len(ends) < 2 or not all(ends.values()):
        return ""
    gpower0, gpower1 = (ends[name][-1].measured.value for name in ("gpower0", "gpower1"))
    return (
        f"At {ends['gpower0'][-1].label} a run of GPower0 takes {number(gpower0 / gpower1)} times "
        "the flops of one of GPower1; GRQI takes the same for both."
    )


def turned(both: pd.DataFrame, held: pd.DataFrame | None = None) -> str:
    """Explain why GPower's variance is below GRQI's as returned, but above it after a refit.

    held : rows of the experiment with fixed k, which shows why the supports differ.
    """
    raw, refitted = (apart(both, suffix).median() for suffix in ("", "_refit"))
    # the sentence explains a change of sign; without one there is nothing to explain
    if not raw < 0.0 < refitted:
        return ""
    return (
        f"GPower's entries are not the best on its support: as returned, it explains "
        f"{number(-raw, '%')} less than GRQI (median), and after a refit {number(refitted, '%')} "
        f"more.{_at_rest(held)}"
    )


def _at_rest(held: pd.DataFrame | None) -> str:
    """Compare shrinking the entries with truncating them, with fixed k and from GRQI's start."""
    # only Figure 3 includes these runs
    if held is None or held.empty:
        return ""
    ends = pd.DataFrame(held.extra.tolist())
    shrunk, cut = (number(100 * (ends[name].median() - 1), "%") for name in ("shrunk", "cut"))
    return (
        f" Its support is better because it shrinks the entries: from GRQI's start with fixed k, "
        f"shrinking ends {shrunk} above GRQI, and cutting the entries {cut}."
    )


def sides(both: pd.DataFrame, suffix: str) -> str:
    """Count the pairs in which GPower explains less or more variance than GRQI."""
    percent = apart(both, suffix)
    less, above = (percent < -100 * TIE).sum(), (percent > 100 * TIE).sum()
    return f"GPower explains less than GRQI in {less} and more in {above} of {len(both)} pairs."


def distances(data: pd.DataFrame, rows: pd.DataFrame, column: str) -> list[str]:
    """State how far each solver's variance is below the optimum, if the optimum is known."""
    return [
        f"{truth_of(data).distance(of, column, NAMES[solver])}."
        for solver, of in rows.groupby("solver")
    ]


def same_answer(both: pd.DataFrame) -> str:
    """Count the sparsities at which GPower and GRQI have the same refitted variance."""
    change = apart(both, "_refit").abs()
    return (
        f"After a refit the variances agree to 1e-6 at {(change <= 100 * TIE).sum()} of "
        f"{len(both)} sparsities, and differ by {number(change.median(), '%')} in the median."
    )
