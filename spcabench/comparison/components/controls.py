"""Control problems in a comparison of several components, for third-party files.

They serve the same purpose as those of one component (`spcabench.comparison.controls`). No other
solver runs on them, so values are compared with those of a quick solver of the repository. Doubts
only use generated problems: samples of real data are harder, so honest files would be doubted.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from spcabench import api, registry
from spcabench.comparison.components import suite
from spcabench.comparison.components.ranking import PAIR, line_of, problem_of
from spcabench.comparison.components.runs import TRUE
from spcabench.comparison.controls import LEAST, LEVEL, PUBLIC, SLOWER, WORSE, is_above, of_ratios
from spcabench.comparison.jobs import CONTROL, Job
from spcabench.comparison.suite import FRESH, generated
from spcabench.solving.formulations import Formulation
from spcabench.solving.measures import measures
from spcabench.vectors import Vector


@dataclass(frozen=True)
class Outcome:
    """What a third-party file achieves in one way on the control problems and on the others.

    seed : the seed of the control problems. pairs, answered : numbers of control problems (with r
    and k), and of those with an answer. value, value_control : mean ratio of the variance to that
    of a quick solver of the repository. seconds, seconds_control : mean times. doubts : sentences
    about clear differences, and numbers of pairs.
    """

    solver: str
    how: str
    seed: int
    pairs: int
    answered: int
    value: float
    value_control: float
    seconds: float
    seconds_control: float
    doubts: tuple[tuple[str, int], ...]


def outcomes(rows: pd.DataFrame, job_of: Mapping[str, Job]) -> list[Outcome]:
    """Return the outcomes of all third-party solvers that ran on control problems, in every way.

    rows : all rows of a comparison. job_of : mapping from labels of solvers to their jobs.
    """
    found = []
    for label, job in job_of.items():
        mine = rows[(rows.solver == label) & rows.kind.isin((TRUE, CONTROL))]
        if job.is_ours or job.control is None or not (mine.kind == CONTROL).any():
            continue
        table = pd.DataFrame([line_of(row) for row in mine.itertuples()])
        table["item"] = table.item.str.removeprefix(FRESH)
        table["ratio"] = [_ratio(line) for line in table.itertuples()]
        ways = table.groupby(["formulation", "how"], sort=False)
        for (_, how), part in ways:
            found.append(_outcome(label, str(how), job.control, part, LEVEL / len(ways)))
    return found


def _ratio(line: pd.Series) -> float:
    """Return the value of a line divided by that of the quick solver, or zero without an answer.

    It is NaN if other data are available here.
    """
    orthonormal = Formulation(line.formulation).orthonormal
    if np.isnan(line.value):
        return 0.0
    quick = _quick(line.dataset, line.parameters, line.problem, int(line.r), int(line.k))
    return float(line.value) / quick[not orthonormal]


@cache
def _quick(dataset: str, parameters: str, name: str, r: int, k: int) -> tuple[float, float]:
    """Return the total and the projected variance of the loadings that a quick solver finds."""
    problem, (solver, settings) = problem_of(dataset, parameters, name), registry.quick_solver()
    if problem is None:
        return float("nan"), float("nan")
    components = api.components(problem, solver, r, k=k, refit=True, **settings)
    found = measures(problem, np.column_stack([result.x for result in components]))
    return found.total, found.projected


def _outcome(label: str, how: str, seed: int, part: pd.DataFrame, level: float) -> Outcome:
    """Compare the lines of one way; ``level`` is divided by the number of ways."""
    standard, control = (part[part.kind == kind].set_index(PAIR) for kind in (TRUE, CONTROL))
    drawn = standard.index.isin(generated(suite.ITEMS), level="item")
    value, value_control = (float(t.ratio.mean()) for t in (standard, control))
    return Outcome(
        solver=label,
        how=how,
        seed=seed,
        pairs=len(control),
        answered=int(control.value.notna().sum()),
        value=value,
        value_control=value_control,
        seconds=float(standard.seconds.mean()),
        seconds_control=float(control.seconds.mean()),
        doubts=tuple(_doubts(standard[drawn], control, level)),
    )


def _doubts(
    standard: pd.DataFrame, control: pd.DataFrame, level: float
) -> Iterator[tuple[str, int]]:
    """Yield doubts if answers to the control problems are clearly worse or slower."""
    values = _logs(*(table.ratio.clip(lower=LEAST) for table in (standard, control)))
    if is_above(values, WORSE, level):
        yield (
            "Relative to a quick solver of the repository, its variances on the standard problems "
            f"are {100 * (np.exp(values.mean()) - 1):.2g} % larger than on the control problems. "
            f"{PUBLIC}",
            len(values),
        )
    times = _logs(control.seconds, standard.seconds)
    if is_above(times, SLOWER, level):
        yield of_ratios(times), len(times)


def _logs(first: pd.Series, second: pd.Series) -> Vector:
    """Return the mean logarithm of the ratios of two columns for each problem that has both."""
    logs = np.log(first / second.reindex(first.index))
    return logs.groupby(level="item").mean().dropna().to_numpy(float)
