"""Three criteria for choosing the cardinality: held-out variance, stability, certified path.

Each criterion returns columns for the table of cardinalities, the index of the recommended
cardinality, and the reason in a sentence.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from spcabench.errors import InputError
from spcabench.problem.problem import Problem
from spcabench.selecting.samples import Samples
from spcabench.solving import bounds
from spcabench.solving.result import Result
from spcabench.vectors import Array, Vector

# maps the problem of a subset of the samples to its loadings (n, len(ks)), one for each cardinality
Loadings = Callable[[Problem], Array]
FOLDS = 10  # as a fraction of the samples, if there are enough
NEARLY_ALL = 0.8  # as a fraction of the variables


@dataclass(frozen=True)
class Verdict:
    """The recommendation of a criterion.

    columns : values for each cardinality, by column name. chosen : index of the recommended
        cardinality. reason : why it was chosen, in words.
    """

    columns: dict[str, Vector]
    chosen: int
    reason: str


def held_out(
    samples: Samples, ks: Sequence[int], loadings: Loadings, folds: int | None, seed: int
) -> Verdict:
    """Choose the smallest cardinality within one standard error of the largest held-out variance.

    folds : number of folds; by default `FOLDS`, or the largest number with two samples per fold.

    The standard error is computed over the folds from the difference between the two cardinalities,
    because the variance differs far more between folds than between cardinalities in one fold.
    """
    if samples.m < 4:
        raise InputError(
            f"X: {samples.m} samples; the criterion 'heldout' needs 4, and 'certified' needs none"
        )
    folds = min(FOLDS, samples.m // 2) if folds is None else folds
    if not 2 <= folds <= samples.m // 2:
        raise InputError(f"folds: {folds}; it must be from 2 to m / 2 = {samples.m // 2}")
    shares = np.array(
        [
            samples.shares(fitted, rest, loadings(samples.problem(fitted)))
            for fitted, rest in samples.folds(folds, seed)
        ]
    )  # (folds, len(ks))
    mean = shares.mean(axis=0)
    best = int(np.argmax(mean))
    less = shares[:, [best]] - shares
    error = less.std(axis=0, ddof=1) / np.sqrt(folds)
    chosen = int(np.argmax(less.mean(axis=0) <= error))
    reason = _held_out_reason(ks, mean, chosen, best) + f", over {folds} folds"
    if ks[chosen] > NEARLY_ALL * samples.n:
        reason += (
            f"; these are nearly all of {samples.n} variables, so no sparse component holds as "
            "well for new samples (the criterion 'certified' says what fewer variables cost)"
        )
    return Verdict({"held_out": mean, "held_out_error": error}, chosen, reason)


def _held_out_reason(ks: Sequence[int], mean: Vector, chosen: int, best: int) -> str:
    """Explain why a cardinality was chosen."""
    if chosen == best:
        largest = f"k = {ks[best]} has the largest held-out variance ({100.0 * mean[best]:.3g}% of "
        smaller = ", and no smaller cardinality is within one standard error of it" if best else ""
        return f"{largest}the total){smaller}"
    return (
        f"k = {ks[chosen]} is the smallest cardinality whose held-out variance "
        f"({100.0 * mean[chosen]:.3g}% of the total) is within one standard error of the largest "
        f"({100.0 * mean[best]:.3g}%, at k = {ks[best]})"
    )


def stability(
    samples: Samples, ks: Sequence[int], loadings: Loadings, resamples: int, seed: int
) -> Verdict:
    """Choose the largest cardinality whose supports are as stable as the most stable ones.

    Stability is measured as in Nogueira, Sechidis and Brown (2018): it is 1 if all supports are
    equal, and 0 on average if they are drawn at random. "As stable" means within one standard
    error, as defined in the same paper.
    """
    if samples.m < 4 or resamples < 2:
        raise InputError(
            f"resamples: {resamples} of {samples.m} samples; at least 2 resamples and 4 samples "
            "are needed"
        )
    supports = np.array(
        [loadings(samples.problem(half)) != 0.0 for half in samples.halves(resamples, seed)]
    )  # (resamples, n, len(ks))
    measured = [_stability(supports[:, :, i]) for i in range(len(ks))]
    value, error = np.array(measured).T
    if np.isnan(value).all():
        raise InputError("ks: every cardinality is n; stability needs one below it")
    best = int(np.nanargmax(value))
    near = np.flatnonzero(value >= value[best] - error[best])
    chosen = int(near[-1])
    reason = (
        f"k = {ks[chosen]} is the largest cardinality whose supports, over {resamples} halves of "
        f"the samples, are as stable ({value[chosen]:.2f} of 1) as the most stable "
        f"({value[best]:.2f}, at k = {ks[best]}), up to one standard error"
    )
    return Verdict({"stability": value, "stability_error": error}, chosen, reason)


def certified(
    results: Sequence[Result], ks: Sequence[int], shares: Vector, total: float
) -> Verdict:
    """Choose the elbow of the variance as a function of the cardinality, and add certified bounds.

    The elbow is the point farthest above the line from the first point to the last (Satopaa et al.
    2011).
    """
    ceiling = [
        bounds.upper_bound(r.problem, k, r.nonnegative) for r, k in zip(results, ks, strict=True)
    ]
    bound = np.minimum(np.array(ceiling) / total, 1.0)
    rise, width = shares[-1] - shares[0], ks[-1] - ks[0]
    along = (np.array(ks) - ks[0]) / max(width, 1)
    above = (shares - shares[0]) / rise - along if rise > 0.0 else 0.0 * along
    chosen = int(np.argmax(above))
    reason = (
        f"at k = {ks[chosen]} the curve of the variance bends most: {shares[chosen]:.1%} of "
        f"the total is reached and at most {bound[chosen]:.1%} is possible; "
        f"{_slope(ks, shares, 0, chosen)}{_slope(ks, shares, chosen, len(ks) - 1)}"
    ).rstrip("; ")
    return Verdict({"bound": bound}, chosen, reason)


def _slope(ks: Sequence[int], shares: Vector, i: int, j: int) -> str:
    """State how much variance each variable adds from one cardinality to another, or ""."""
    if i == j:
        return ""
    each = (shares[j] - shares[i]) / (ks[j] - ks[i])
    return f"from k = {ks[i]} to {ks[j]} a variable adds {each:.2%} on average; "


def _stability(supports: Array) -> tuple[float, float]:
    """Stability of M supports, given as masks (M, n), with its standard error; NaN if all are full.

    Nogueira, Sechidis, Brown, "On the stability of feature selection algorithms", JMLR 18 (2018),
    definition 4 and theorem 7.
    """
    M, n = supports.shape
    often, sizes = supports.mean(axis=0), supports.sum(axis=1)  # (n,), (M,)
    share = sizes.mean() / n
    if share in (0.0, 1.0):
        return np.nan, np.nan
    value = 1.0 - (M / (M - 1) * often * (1.0 - often)).mean() / (share * (1.0 - share))
    each = (
        (supports * often).mean(axis=1)
        - sizes / n * share
        + value / 2.0 * (2.0 * share * sizes / n - sizes / n - share + 1.0)
    ) / (share * (1.0 - share))
    return float(value), float(2.0 / M * np.sqrt(((each - each.mean()) ** 2).sum()))
