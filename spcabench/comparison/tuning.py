"""Select settings from a solver's GRID, on problems that are not part of any comparison."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import pandas as pd

from spcabench.comparison import plans, suite
from spcabench.comparison.entrants import Entrant
from spcabench.comparison.ranking import PAIR
from spcabench.errors import InputError
from spcabench.files import say
from spcabench.run import Run
from spcabench.running import fingerprint, runner
from spcabench.running import rows as results
from spcabench.running.runner import Job, Timing
from spcabench.solving.status import GOOD

SEED = 725_041_989  # seed of the problems, which are generated like those of the quick suite
MOST = 100  # maximum number of settings in a grid


def tuned(entrant: Entrant, folder: Path) -> Entrant:
    """Return an entrant with tuned settings with the best settings in the GRID of its solver.

    Its field ``tuned_on`` describes the choice, which is printed. If the solver has no GRID, or if
    other settings are requested, the entrant is returned unchanged. The best settings have the
    largest mean fraction of the best value found with any settings, with zero for a failure. If
    several settings are equally good, the first ones are chosen.

    folder : folder for the rows of the tuning runs, which are reused if they already exist.

    Raises InputError if the GRID is invalid or if no run has an answer.
    """
    grid = entrant.about.settings.get("grid", {})
    if entrant.settings != "tuned" or not grid:
        return entrant
    _check(entrant, grid)
    candidates = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    runs = [
        replace(run, label=str(place))
        for place, candidate in enumerate(candidates)
        for run in _runs(_with(entrant, candidate))
    ]
    rows = _rows(entrant, runs, folder)
    shares = _shares(rows)
    if not shares.to_numpy().any():
        raise InputError(
            f"solver {entrant.label!r}: GRID: no run has an answer: {rows.reason.iloc[0]}"
        )
    best = candidates[int(shares.mean().to_numpy().argmax())]
    problems = ", ".join(dict.fromkeys(shares.index.get_level_values("item")))
    chosen = ", ".join(f"{name} = {value}" for name, value in best.items())
    sentence = (
        f"{chosen}: the best of {len(candidates)} settings of its GRID on {len(shares)} pairs "
        f"({problems}), generated with seed {SEED}, which no comparison reports."
    )
    say(f"{entrant.label}: {sentence}", flush=True)
    return replace(_with(entrant, best), tuned_on=sentence)


def _check(entrant: Entrant, grid: Mapping[str, Any]) -> None:
    entrant.check_settings("GRID", grid)
    where = f"solver {entrant.label!r}: GRID"
    for name, values in grid.items():
        if not isinstance(values, list) or not values:
            raise InputError(f"{where}: {name!r} is {values!r:.40}; it must be a list of values")
    if prod(map(len, grid.values())) > MOST:
        raise InputError(f"{where}: more than {MOST} combinations; remove some values")


def _with(entrant: Entrant, settings: Mapping[str, Any]) -> Entrant:
    """Return the entrant with settings added to the TUNED settings of its solver."""
    about = entrant.about
    every = about.settings | {"tuned": {**about.settings.get("tuned", {}), **settings}}
    return replace(entrant, about=replace(about, settings=every))


def _runs(entrant: Entrant) -> Iterator[Run]:
    """Yield a run for each problem and cardinality used for tuning."""
    name = "nonnegative" if entrant.suite == "nonnegative" else "quick"
    for item in suite.items(name, fresh=SEED):
        if item.dataset != "bootstrap":  # resampled rows of known data are not independent
            for k in item.ks:
                yield plans.run_of(entrant, item, k)


def _rows(entrant: Entrant, runs: list[Run], folder: Path) -> pd.DataFrame:
    """Return the rows of the runs; compute and store them if necessary."""
    key = fingerprint.of_runs(runs)
    job = Job(entrant.label, {"": runs}, Timing(), key, folder / f"{entrant.key}-{key}.parquet")
    if not runner.is_current(job):
        runner.run_job(job)
    return results.read_text([job.out])


def _shares(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a table (pairs, settings) of fractions of the best value found with any settings."""
    value = rows.variance_refit.where(rows.status.isin(GOOD)).fillna(0.0)
    table = rows.assign(value=value, label=rows.label.astype(int))
    table = table.pivot(index=PAIR, columns="label", values="value")
    return table.div(table.max(axis=1).clip(lower=1e-300), axis=0)
