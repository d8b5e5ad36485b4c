"""Why claims of Kuleshov (2013) fail, measured on the rows that judge them."""

import pandas as pd

from spcabench.claims import by_band
from spcabench.figures._kuleshov2013 import NAMES

TIE = 1e-6


def grown(pairs: pd.DataFrame, penalty: str, bands: tuple[float, ...]) -> str:
    """How far the flops of both grow between the lowest and the highest band of sparsities."""
    by_solver = [by_band(pairs.sparsity, pairs[f"flops_{s}"], bands) for s in "gp"]
    if any(len(found) < 2 for found in by_solver):
        return ""
    first, *_, last = by_solver[0]
    ours, theirs = (found[last].median / found[first].median for found in by_solver)
    return (
        f"From sparsities of {first} to {last} the median flops of GRQI grow {ours:,.0f} times, "
        f"since a solve costs k^3, and those of {NAMES[penalty]} {theirs:.1f} times."
    )


def long_searches(runs: pd.DataFrame) -> str:
    """How many searches found no penalty that gives k, and how many runs each kind took."""
    found = runs.cardinality == runs.k
    if found.all() or not found.any():
        return ""
    return (
        f"In {100 * (~found).mean():.0f} % of the searches the cardinality jumps over k: to see "
        f"that no penalty gives it takes {runs.search_runs[~found].median():.0f} runs (median); "
        f"where one does, it is met after {runs.search_runs[found].median():.0f}."
    )


def slower(iterations: pd.Series, sparsity: pd.Series) -> str:
    """How the number of GRQI's iterations changes from the lowest to the highest sparsity."""
    middle = iterations.groupby(sparsity).median()
    return (
        f"The median number of iterations grows from {middle.iloc[0]:.3g} at a sparsity of "
        f"{100 * middle.index[0]:.2g} % to {middle.iloc[-1]:.3g} at {100 * middle.index[-1]:.2g} %."
    )


def early_rest(pairs: pd.DataFrame, penalty: str, starts: pd.Series) -> str:
    """After how many iterations both come to rest, and what GRQI reaches from random starts."""
    texts = [
        f"GRQI comes to rest after {pairs.iterations_g.median():.3g} iterations (median) and "
        f"{NAMES[penalty]} after {pairs.iterations_p.median():.3g}"
    ]
    ends = [100 * extra["median"] for extra in starts]
    if ends:
        texts.append(
            f"from random starts GRQI ends at {pd.Series(ends).median():.1f} % of the variance "
            "that it reaches from the paper's start (median)"
        )
    return "; ".join(texts) + "."


def same_answer(both: pd.DataFrame) -> str:
    """At how many sparsities both methods have the same refitted variance."""
    change = (both.variance_refit_g / both.variance_refit_p - 1.0).abs()
    return (
        f"After a refit the variances agree to 1e-6 at {(change <= TIE).sum()} of {len(both)} "
        f"sparsities, and differ by {100 * change.median():.2g} % in the median."
    )
