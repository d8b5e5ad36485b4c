"""The runs of a solver in a comparison, as a job for the runner."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from spcabench.comparison import resampling, suite
from spcabench.comparison.components import runs as components
from spcabench.comparison.entrants import ANSWER, COMPONENTS, SEED, Entrant
from spcabench.comparison.suite import Item
from spcabench.run import Run
from spcabench.running import fingerprint
from spcabench.running.runner import Job, Timing

# multiple of the time limit after which a run or a whole penalty search is killed
PATIENCE_FACTOR = 5.0
# runs shorter than SHORT seconds are repeated for ROUNDS rounds, and the fastest round is used
SHORT, ROUNDS = 0.3, 3
# warm-up runs on a covariance and on data, which compile the kernels
WARM: dict[str, dict[str, int]] = {"pitprops": {}, "gaussian": dict(m=12, n=10)}

TIMING = Timing(rounds=ROUNDS, longest=SHORT, fastest=True)


def job(entrant: Entrant, home: Path) -> Job:
    """Return the job that computes the rows of an entrant in the folder of comparisons.

    There is a group for each problem, which is loaded once.
    """
    several = entrant.suite == COMPONENTS
    every = [*(components.runs(entrant) if several else runs(entrant))]
    warm = [*(components.warm(entrant) if several else _warm(entrant))]
    groups: dict[str, list[Run]] = {}
    for run in every:
        groups.setdefault(run.columns["item"], []).append(run)
    key = fingerprint.of_runs(every, [asdict(TIMING), PATIENCE_FACTOR])
    return Job(entrant.label, groups, TIMING, key, entrant.rows(home), warm=warm)


def job_of(out: Path) -> Job:
    """Return the job that computes a file of rows, results/compare/rows/FOLDER/KEY.parquet."""
    home = out.parents[2]
    file = home / "jobs" / out.parent.name / f"{out.stem}.json"
    return job(Entrant.read(file), home)


def _warm(entrant: Entrant) -> Iterator[Run]:
    easy = run_of(entrant, suite.ITEMS[0], 5)
    for name, parameters in WARM.items():
        yield replace(easy, dataset=name, parameters=parameters)


def runs(entrant: Entrant) -> Iterator[Run]:
    """Yield all runs in order: each pair of the suite with all seeds, recovery, and resampling.

    Only problems without a sign constraint are resampled. If the problems are fresh, the standard
    data are resampled, with samples from the same seed.
    """
    for item in suite.items(entrant.suite, entrant.ks, entrant.fresh):
        for k in item.ks:
            yield run_of(entrant, item, k, timed=True, history=True)
            # other seeds show how much answers vary; the costs are those of the first seed
            for seed in entrant.further_seeds:
                run = run_of(entrant, item, k)
                yield replace(run, seed=seed, memory=False, columns={**run.columns, "kind": SEED})
    if entrant.suite in ("standard", "quick"):
        for item in suite.recovery(entrant.fresh):
            yield _measure(entrant, item, item.ks[0], resampling.recovery)
    if entrant.suite != "standard":
        return
    for item in suite.items(entrant.suite):
        if item.name in suite.RESAMPLED and not item.nonnegative:
            for function in (resampling.held_out, resampling.stability):
                yield _measure(entrant, item, suite.RESAMPLED[item.name], function)


def run_of(entrant: Entrant, item: Item, k: int, timed: bool = False, **run_settings: Any) -> Run:
    """Return the run of a job's solver on a problem for cardinality k."""
    sign = {"nonnegative": True} if item.nonnegative else {}
    settings = dict(k=k, time_limit=entrant.limit, **entrant.own_settings, **sign)
    return Run(
        solver=entrant.solver,
        settings={**settings, **run_settings},
        timed=timed,
        memory=True,
        vectors=True,
        timeout=PATIENCE_FACTOR * entrant.limit,
        **entrant.asked(item, ANSWER, settings),
    )


def _measure(entrant: Entrant, item: Item, k: int, function: Callable[..., Any]) -> Run:
    settings = dict(k=k, time_limit=entrant.limit, **entrant.own_settings)
    return Run(
        function=function,
        seed=entrant.fresh or 0,
        uses=(entrant.solver,),
        settings=dict(name=entrant.solver, **settings),
        timeout=3 * PATIENCE_FACTOR * entrant.limit,
        **entrant.asked(item, function.__name__, settings),
    )
