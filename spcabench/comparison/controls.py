"""Control problems: new problems of the same families, on which third-party files also run.

The problems of the suites are public, so a file can contain their answers, or compute them when it
is imported. The runs on control problems show what it achieves without such answers. Their seed
depends on the content of the file and on a secret that no solver can read, so it changes with each
change of the file, and a job that was killed can be resumed.
"""

import hashlib
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import special

from spcabench import opening, registry
from spcabench.atomic_files import make_folder, write_text
from spcabench.comparison import entering, ranking, suite
from spcabench.comparison.jobs import ANSWER, CONTROL, Job
from spcabench.vectors import Vector

SECRET = "controls.key"  # name of the file with the secret
LARGEST = 10**9  # seeds are below this number
LEVEL = 0.01  # level of the tests for a clear difference
SLOWER = 1.25  # a larger ratio of times, at this level, is a clear difference
PUBLIC = "The answers to the standard problems can be stored, because these problems are public."


@dataclass(frozen=True)
class Outcome:
    """What a third-party file achieves on its control problems.

    seed : the seed of the control problems. pairs, answered : number of pairs, and of answers.
    reached, share, time : as in the ranking. doubts : sentences about clear differences from the
    standard problems, and numbers of pairs.
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

    folder : folder of the file with the secret, which is created if it is missing.
    """
    if job.is_ours or job.fresh is not None:
        return job
    file = folder / SECRET
    if not file.exists():
        make_folder(folder)
        write_text(file, secrets.token_hex() + "\n")
    content = registry.path("solver", job.solver).read_bytes()
    digest = hashlib.sha256(opening.read_text(file).encode() + content).digest()
    return replace(job, control=int.from_bytes(digest) % LARGEST)


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
        mine, _ = entering.of_jobs(mine.assign(kind=ANSWER), {label: fresh}, elsewhere)
        control = entering.rated(mine, fresh, elsewhere)
        found[label] = _outcome(job.control, answers[answers.solver == label], control)
    return found


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


def _outcome(seed: int, standard: pd.DataFrame, control: pd.DataFrame) -> Outcome:
    """Compare the answers of a solver to its control problems and to the standard problems."""
    entry = ranking.ranking(control).iloc[0]
    control = control.assign(item=control.item.str.removeprefix(suite.FRESH))
    both = standard.merge(control, on=ranking.PAIR, suffixes=("", "_control"))
    doubts = (*_worse(both), *_slower(both))
    reached, share, time = (float(entry[name]) for name in (ranking.HIT, "share", "time"))
    return Outcome(seed, int(entry.pairs), int(entry.answered), reached, share, time, doubts)


def _worse(both: pd.DataFrame) -> Iterator[tuple[str, int]]:
    """Yield a doubt if the target is clearly reached on fewer of the control problems.

    A sign test compares the pairs on which it is reached on one of the two problems alone.
    """
    target = ranking.TARGETS[-1]
    standard, control = (ranking.reached(both[f"shares{s}"], target) for s in ("", "_control"))
    lost, won = int((standard > control).sum()), int((standard < control).sum())
    if lost and special.bdtrc(lost - 1, lost + won, 0.5) < LEVEL:
        yield (
            f"It reaches {100 * target:.1f} % of the best value on {100 * control.mean():.0f} % of "
            f"the control problems, but on {100 * standard.mean():.0f} % of the standard "
            f"problems. {PUBLIC}",
            lost,
        )


def _slower(both: pd.DataFrame) -> Iterator[tuple[str, int]]:
    """Yield a doubt if runs on the control problems clearly take longer."""
    logs = np.log((both.time_control / both.time).dropna().to_numpy(float))
    if is_above(logs, SLOWER, LEVEL):
        yield slower(logs), len(logs)


def slower(logs: Vector) -> str:
    """Return the doubt about a solver, for the logarithms of the ratios of its times."""
    return (
        f"On the control problems, it takes {np.exp(logs.mean()):.2g} times as long as on the "
        f"standard problems (geometric mean). {PUBLIC}"
    )


def is_above(logs: Vector, ratio: float, level: float) -> bool:
    """Whether ratios are above a ratio in the geometric mean, by a one-sided t-test at a level.

    logs : logarithms of the ratios.
    """
    if len(logs) < 2:
        return False
    error = max(logs.std(ddof=1) / np.sqrt(len(logs)), 1e-12)
    return bool(special.stdtr(len(logs) - 1, (np.log(ratio) - logs.mean()) / error) < level)
