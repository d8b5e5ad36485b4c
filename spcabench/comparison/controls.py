"""Control problems: new problems of the same families, on which third-party files also run.

The problems of the suites are public, so a file can contain their answers, or compute them when it
is imported. The runs on control problems show what it achieves without such answers.
"""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import special

from spcabench import registry
from spcabench.comparison import entering, ranking, suite
from spcabench.comparison.jobs import ANSWER, CONTROL, Job, rows_of
from spcabench.errors import InputError
from spcabench.vectors import Vector

LEVEL = 0.01  # level of the tests for a clear difference
# a larger ratio of values, or of times, is a clear difference at this level
WORSE, SLOWER = 1.001, 1.25
LEAST = 0.01  # fraction of the best value that a failure is assigned, because zero has no logarithm
PUBLIC = "The answers to the standard problems can be stored, because these problems are public."


@dataclass(frozen=True)
class Outcome:
    """What a third-party file achieves on its control problems.

    seed : the seed of the control problems. pairs, answered : number of pairs, and of answers.
    reached, share, time : as in the ranking, but a failure takes as long as the time limit.
    doubts : sentences about clear differences from the standard problems, and numbers of pairs.
    """

    seed: int
    pairs: int
    answered: int
    reached: float
    share: float
    time: float
    doubts: tuple[tuple[str, int], ...]


def with_control(job: Job, folder: Path) -> Job:
    """Return the job with the seed of its control problems, if it needs any.

    A solver of the repository needs none, and fresh problems are themselves unknown to the file.
    The seed is drawn, unless rows with an earlier seed can be reused or an interrupted job can be
    resumed. A changed file gets another seed, because its author may have seen the earlier one.

    folder : folder of the files with jobs.
    """
    if job.is_ours or job.fresh is not None:
        return job
    content = registry.path("solver", job.solver).read_bytes()
    job = replace(job, control_for=hashlib.sha256(content).hexdigest())
    file = job.file(folder)
    with suppress(InputError):  # the file is missing or damaged
        earlier = Job.read(file)
        if earlier.control_for == job.control_for and _has_runs(rows_of(file)):
            return replace(job, control=earlier.control)
    return replace(job, control=suite.new_seed())


def _has_runs(rows: Path) -> bool:
    """Whether there are rows, or a journal of an interrupted job."""
    return rows.is_file() or any(rows.parent.glob(f"{rows.stem}.*.journal"))


def outcomes(
    rows: pd.DataFrame, answers: pd.DataFrame, job_of: Mapping[str, Job], elsewhere: bool = False
) -> dict[str, Outcome]:
    """Return the outcomes of all third-party solvers that ran on control problems.

    rows : all rows of a comparison. answers : the rated answers to its own problems, as returned by
    `entering.rated`. job_of, elsewhere : as in `entering.of_jobs`.
    """
    found = {}
    for label, job in job_of.items():
        mine = rows[(rows.solver == label) & (rows.kind == CONTROL)]
        if job.is_ours or job.control is None or not len(mine):
            continue
        fresh = replace(job, fresh=job.control, control=None)
        mine, faults = entering.of_jobs(mine.assign(kind=ANSWER), {label: fresh}, elsewhere)
        control = entering.rated(mine, fresh, elsewhere)
        outcome = _outcome(job, answers[answers.solver == label], control)
        if faults:
            sentence = f"Its rows of control problems are not complete: {faults[0]}."
            outcome = replace(outcome, doubts=(*outcome.doubts, (sentence, len(faults))))
        found[label] = outcome
    return found


def times(found: Mapping[str, Outcome]) -> dict[str, float]:
    """Return the times of the solvers on their control problems."""
    return {solver: outcome.time for solver, outcome in found.items()}


def uncontrolled(
    answers: pd.DataFrame, job_of: Mapping[str, Job], found: Mapping[str, Outcome]
) -> list[str]:
    """Return the third-party solvers that answered standard problems alone."""
    answered = {*answers.solver[answers.answered]}
    return [
        label
        for label, job in job_of.items()
        if not job.is_ours and job.fresh is None and label in answered - {*found}
    ]


def _outcome(job: Job, standard: pd.DataFrame, control: pd.DataFrame) -> Outcome:
    """Compare the answers of a solver to its control problems and to the standard problems."""
    items = suite.items(job.suite, job.ks)
    generated, similar = suite.generated(items), suite.similar(items)
    # a file must not become faster by failing
    entry = ranking.ranking(control.assign(time=control.time.fillna(job.limit))).iloc[0]
    control = control.assign(item=control.item.str.removeprefix(suite.FRESH))
    both = standard.merge(control, on=ranking.PAIR, suffixes=("", "_control"))
    values, times = (both[both.item.isin(names)] for names in (generated, similar))
    doubts = (*worse(values), *slower(times))
    reached, share, time = (float(entry[name]) for name in (ranking.HIT, "share", "time"))
    return Outcome(
        int(job.control or 0), int(entry.pairs), int(entry.answered), reached, share, time, doubts
    )


def worse(both: pd.DataFrame) -> Iterator[tuple[str, int]]:
    """Yield a doubt if fractions of the best value are clearly smaller on the control problems."""
    standard, control = (both[f"share{s}"].fillna(0.0).clip(lower=LEAST) for s in ("", "_control"))
    if is_above(_by_problem(both, standard / control), WORSE, LEVEL) or _is_lost(both):
        yield (
            f"It reaches {100 * control.mean():.4g} % of the best value on the control problems, "
            f"but {100 * standard.mean():.4g} % on the standard problems of these families. "
            f"{PUBLIC}",
            len(both),
        )


def _is_lost(both: pd.DataFrame) -> bool:
    """Whether the target is clearly reached on fewer control problems, even if there are few.

    A problem is lost if the target is reached on half of its pairs more than on those of its
    control problem. If it is reached with probability p on both, independently, this happens with
    probability p (1 - p) <= 1/4 for a single pair.
    """
    target = ranking.TARGETS[-1]
    hits, controlled = (ranking.reached(both[f"shares{s}"], target) for s in ("", "_control"))
    more = (hits - controlled).groupby(both.item).mean()
    lost = int((more >= 0.5).sum())
    return bool(lost and special.bdtrc(lost - 1, len(more), 0.25) < LEVEL)


def slower(both: pd.DataFrame) -> Iterator[tuple[str, int]]:
    """Yield a doubt if runs on the control problems clearly take longer."""
    logs = _by_problem(both, both.time_control / both.time)
    if is_above(logs, SLOWER, LEVEL):
        yield of_ratios(logs), len(both)


def _by_problem(both: pd.DataFrame, ratios: pd.Series) -> Vector:
    """Return the mean logarithm of the ratios of each problem, whose pairs are not independent."""
    return np.log(ratios).groupby(both.item).mean().dropna().to_numpy(float)


def of_ratios(logs: Vector) -> str:
    """Return the doubt about a solver, for the logarithms of the ratios of its times."""
    return (
        f"On the control problems, it takes {np.exp(logs.mean()):.2g} times as long as on the "
        f"standard problems (geometric mean). {PUBLIC}"
    )


def is_above(logs: Vector, ratio: float, level: float) -> bool:
    """Whether ratios are clearly above a ratio, by either of two one-sided tests at half the level.

    The t-test for the mean of the logarithms ``logs`` notices few but large ratios. The sign test
    cannot be disturbed by a few outliers.
    """
    if len(logs) < 2:
        return False
    excess = logs - np.log(ratio)
    error = max(excess.std(ddof=1) / np.sqrt(len(logs)), 1e-12)
    by_mean = special.stdtr(len(logs) - 1, -excess.mean() / error)
    above = int((excess > 0.0).sum())
    by_sign = special.bdtrc(above - 1, len(logs), 0.5) if above else 1.0
    return bool(min(by_mean, by_sign) < level / 2.0)
