"""The plan of a job in a comparison: the runs of a solver on a suite, and their timing."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import Any

from spcabench import registry
from spcabench.comparison import audits, resampling, suite
from spcabench.comparison.components import runs as components
from spcabench.comparison.jobs import ANSWER, COMPONENTS, SEED, Job
from spcabench.comparison.suite import Item
from spcabench.iterate import Traits
from spcabench.run import Run
from spcabench.running import row_hash
from spcabench.running.runner import Plan, Protocol

# multiple of the time limit after which a run or a whole penalty search is killed
PATIENCE_FACTOR = 5.0
# runs shorter than SHORT seconds are repeated for ROUNDS rounds, and the fastest round is used
SHORT, ROUNDS = 0.3, 3
# a run that waited for the processor is repeated up to this number of rounds and total seconds
MOST_ROUNDS, MOST_SECONDS = 8, 3.0
# warm-up runs on a covariance and on data, which compile the kernels
WARM: dict[str, dict[str, int]] = {"pitprops": {}, "gaussian": dict(m=12, n=10)}
FORMED = 5000  # maximum number of variables for a solver that needs the covariance as an array
SMALL = 50  # maximum number of variables for relaxations and exact searches


PROTOCOL = Protocol(
    rounds=ROUNDS,
    seconds=SHORT,
    fastest=True,
    retries=MOST_ROUNDS,
    retry_seconds=MOST_SECONDS,
    audit=audits.flops,
    grace=0.0,
)


def plan(job: Job) -> Plan:
    """Return the plan of a job: its runs in order, and how they are timed."""
    if job.suite == COMPONENTS:
        warm, runs = [*components.warm(job)], [*components.runs(job)]
    else:
        easy = run_of(job, suite.ITEMS[0], 5)
        warm = [replace(easy, dataset=name, parameters=of) for name, of in WARM.items()]
        runs = [*_runs(job)]
    rules = [asdict(replace(PROTOCOL, audit=None)), PATIENCE_FACTOR, SMALL, FORMED]
    key = row_hash.of_runs(runs, rules)
    return Plan({"": runs}, {}, key, replace(PROTOCOL, warm=warm))


def _runs(job: Job) -> Iterator[Run]:
    """Yield all runs in order: each pair of the suite with all seeds, recovery, and resampling.

    Only problems without a sign constraint are resampled. If the problems are fresh, the standard
    data are resampled, with samples from the same seed.
    """
    for item in suite.items(job.suite, job.ks, job.fresh):
        for k in item.ks:
            yield run_of(job, item, k, timed=True, history=True)
            # other seeds show how much answers vary; the costs of our own solvers are those of the
            # first seed, but a third-party file could compute more for seeds that are not timed
            for seed in job.further_seeds:
                run = run_of(job, item, k, timed=not registry.is_own_file(job.solver))
                yield replace(run, seed=seed, memory=False, columns={**run.columns, "kind": SEED})
    if job.suite in ("standard", "quick"):
        for item in suite.recovery(job.fresh):
            yield run_of(job, item, item.ks[0])
    if job.suite != "standard":
        return
    for item in suite.items(job.suite):
        if item.name in suite.RESAMPLED and not item.nonnegative:
            for function, judge in resampling.MEASURES:
                yield _measure(job, item, function, judge)


def run_of(job: Job, item: Item, k: int, timed: bool = False, **run_settings: Any) -> Run:
    """Return the run of a job's solver on a problem for cardinality k."""
    sign = {"nonnegative": True} if item.nonnegative else {}
    settings = dict(k=k, time_limit=job.limit, **job.own_settings, **sign)
    return Run(
        solver=job.solver,
        settings={**settings, **run_settings},
        timed=timed,
        memory=True,
        vectors=True,
        timeout=PATIENCE_FACTOR * job.limit,
        **_of_item(job, item, "recovery" if item.family == "recovery" else ANSWER, settings),
    )


def _measure(job: Job, item: Item, function: Callable[..., Any], judge: Callable[..., Any]) -> Run:
    settings = dict(k=suite.RESAMPLED[item.name], time_limit=job.limit, **job.own_settings)
    return Run(
        function=function,
        judge=judge,
        seed=job.fresh or 0,
        uses=(job.solver,),
        settings=dict(name=job.solver, **settings),
        timeout=3 * PATIENCE_FACTOR * job.limit,
        **_of_item(job, item, function.__name__, settings),
    )


def _of_item(job: Job, item: Item, kind: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a `Run` that depend on its problem."""
    columns = dict(
        solver=job.label,
        settings=settings,
        item=item.name,
        family=item.family,
        kind=kind,
        asked=settings["k"],
        sign=item.nonnegative,
    )
    return dict(
        dataset=item.dataset,
        parameters=item.parameters,
        series=item.name,
        skip=job.described.missing or refused(job.described.traits, item),
        columns=columns,
    )


def refused(traits: Traits, item: Item) -> str:
    """Return the reason why a solver is not run on a problem, or "" if it is run."""
    if item.nonnegative and not traits.nonnegative:
        return "computes signed answers only"
    if not item.nonnegative and traits.nonnegative == "always":
        return "computes nonnegative answers only"
    size = item.variables or SMALL + 1
    if traits.largest is not None and size > traits.largest:
        return f"is for at most {traits.largest} variables"
    if (traits.relaxation or traits.exact) and size > SMALL:
        return f"relaxations and exact searches are only run on up to {SMALL} variables"
    if traits.accepts == "covariance" and size > FORMED:
        return (
            f"needs the covariance, which is only formed for up to {FORMED:,} variables; for "
            f"{size:,} it would need {8e-9 * size**2:,.1f} GB"
        )
    return ""
