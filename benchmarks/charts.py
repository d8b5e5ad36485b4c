"""Accumulated changes of each solver since its first commit, and pictures of them.

A change is the geometric mean of the ratios over all problems. The logarithms are added up.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

WIDTH, HEIGHT, EDGE = 640, 150, 10
EXACT = ("flops", "iterations")
COVERAGE = 0.95  # fraction of the changes that are within the noise
ENOUGH = 8  # number of changes with the same code needed to estimate the noise of one solver
LEAST = np.log(1.02)  # smaller changes of flops are ignored


@dataclass(frozen=True)
class Sum:
    """The accumulated changes of a solver since its first commit.

    flops, time : cumulative sums of the logarithms, by commit.
    noise : 95 of 100 changes of the time between commits with the same code are smaller, in
        absolute value, than this logarithm.
    """

    flops: pd.Series
    time: pd.Series
    noise: float

    @property
    def word(self):
        """Return "slower" or "faster" if the time changed by more than the noise, else "same"."""
        if self.time.empty or abs(self.time.iloc[-1]) <= self.noise:
            return "same"
        return "slower" if self.time.iloc[-1] > 0 else "faster"

    @property
    def ratio(self):
        """The last time divided by the first; NaN if no time was measured."""
        return np.exp(self.time.iloc[-1]) if len(self.time) else np.nan

    @property
    def ends(self):
        """The ratio of the times, divided and multiplied by the noise."""
        return self.ratio * np.exp(-self.noise), self.ratio * np.exp(self.noise)

    @property
    def flops_ratio(self):
        """The last flops divided by the first; NaN if flops are not counted."""
        return np.exp(self.flops.iloc[-1]) if len(self.flops) else np.nan

    @property
    def dearer(self):
        """Whether the flops increased."""
        return bool(len(self.flops)) and self.flops.iloc[-1] > LEAST


def sums(table, conventions):
    """Return the `Sum` of every solver by name.

    table : see `results.read`.
    conventions : flop convention by commit; flops of different conventions are not compared.
    """
    by_solver = dict(iter(table[table.solver != ""].groupby("solver")))
    times = {solver: steps(part, "seconds") for solver, part in by_solver.items()}
    alike = {solver: same_code(by_solver[solver], times[solver]) for solver in by_solver}
    pooled = noise_of(np.concatenate([*alike.values()]))
    added = {}
    for solver, part in by_solver.items():
        flops = steps(part, "flops")
        number = pd.Series([conventions[sha] for sha in flops.index], flops.index, dtype=float)
        flops = flops.where(number.diff().fillna(0.0) == 0.0, 0.0)
        noise = noise_of(alike[solver]) if len(alike[solver]) >= ENOUGH else pooled
        added[solver] = Sum(flops.cumsum(), times[solver].cumsum(), noise)
    return added


def steps(part, measure):
    """Return the mean logarithm of the ratios between consecutive commits with a number.

    The first value is zero. Only measured times are used; a missing time is not replaced by an
    earlier time.
    """
    own = part[(part.measure == measure) & (part.measured | (measure != "seconds"))]
    wide = own[own.value > 0].pivot(index="commit", columns="problem", values="value")
    wide = np.log(wide.reindex(own.commit.unique()).ffill())
    return wide.diff().mean(axis=1).fillna(0.0)


def same_code(part, times):
    """Return the changes of time between commits with the same exact numbers."""
    exact = part[part.measure.isin(EXACT)]
    wide = exact.pivot(index="commit", columns=["measure", "problem"], values="value")
    same = wide.reindex(times.index).diff().fillna(0.0).eq(0.0).all(axis=1)
    return times[same].to_numpy()[1:]


def noise_of(changes):
    """Return the size that 95 % of the changes do not exceed; 0 if there are no changes."""
    return float(np.quantile(np.abs(changes), COVERAGE)) if len(changes) else 0.0


def slower_first(added):
    """Return the solvers sorted by the increase of their time, the largest first."""
    return sorted(added, key=lambda name: -np.nan_to_num(added[name].ratio, nan=-1.0))


def picture(one, shas):
    """Return the drawing of a `Sum` for a page: paths in a box of WIDTH x HEIGHT, and the axis.

    Both measures share one logarithmic axis and start at 1.

    shas : all commits, the oldest first.
    """
    place = dict(zip(shas, np.linspace(EDGE, WIDTH - EDGE, max(len(shas), 2)), strict=False))
    noisy = np.concatenate([one.time - one.noise, one.time + one.noise, one.flops, [-0.1, 0.1]])
    low, high = noisy.min(), noisy.max()

    def height(value):
        return EDGE + (high - value) / (high - low) * (HEIGHT - 2 * EDGE)

    drawn = {
        name: path([place[sha] for sha in line.index], height(line.to_numpy()))
        for name, line in (("flops", one.flops), ("time", one.time))
    }
    ends = (height(one.time + end) for end in (-one.noise, one.noise))
    bars = zip([place[sha] for sha in one.time.index], *ends, strict=True)
    noise = "".join(f"M{x:.0f} {lower:.0f}V{upper:.0f}" for x, lower, upper in bars)
    axis = {"one": round(height(0.0)), "low": np.exp(low), "high": np.exp(high)}
    return {**drawn, "noise": noise, **axis}


def path(x, y):
    """Return a step path; each level extends to the next commit with a number."""
    pieces, last = [], None
    for across, height in zip(np.round(x).astype(int), np.round(y).astype(int), strict=True):
        if last is None:
            pieces.append(f"M{across} {height}")
        elif height != last:
            pieces.append(f"H{across}V{height}")
        else:
            if pieces[-1].startswith("H") and "V" not in pieces[-1]:  # extends a horizontal segment
                pieces.pop()
            pieces.append(f"H{across}")
        last = height
    return "".join(pieces)
