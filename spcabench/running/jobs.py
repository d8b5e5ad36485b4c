"""The jobs of a figure, each of which executes groups of runs, and how its runs are timed.

A scale is "quick" or "paper". If the seeds of a figure are replaced, the name of the scale, and of
the folder with the results, includes the new seeds, such as "quick-seeds-20-40". Such rows cannot
be mistaken for the rows of the figure.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from spcabench import registry
from spcabench.errors import InputError
from spcabench.run import Run, chains
from spcabench.running.fingerprint import digest, of_runs

if TYPE_CHECKING:
    from spcabench.running.runner import Job

SEEDS = "-seeds-"  # precedes the seeds in the name of a scale
TIMED = "timed-"  # prefix of the names of groups and jobs that need the whole machine
LONG = f"{TIMED}long-"  # prefix of the name of the group of a long run
ROUNDS = {"quick": 3, "paper": 15}  # maximum number of timed rounds
MIN_ROUNDS = {"quick": 1, "paper": 2}  # minimum number of timed rounds
TIME_BUDGET = {"quick": 2.0, "paper": 10.0}  # minimum budget in seconds for all rounds of a group
JOB_BUDGET = {"quick": 2.0, "paper": 90.0}  # budget in seconds for all groups of a job


def runs_of(figure: str, scale: str) -> list[Run]:
    """Return all runs of a figure at a scale in order."""
    runs = list(registry.module("figure", figure).runs(size(scale)))
    _, _, text = scale.partition(SEEDS)
    return list(reseeded(runs, _seeds(text))) if text else runs


def size(scale: str) -> str:
    """Return "quick" or "paper", without the seeds in the name of a scale."""
    return scale.partition(SEEDS)[0]


def _seeds(text: str) -> list[int]:
    """Parse the seeds in the name of a scale, such as 20-40 or 1,5,20-40-5."""
    seeds: set[int] = set()
    for part in text.split(","):
        match [int(word) for word in part.split("-")]:
            case [first, last, *step]:
                seeds.update(range(first, last + 1, *step))
            case [seed]:
                seeds.add(seed)
    return sorted(seeds)


def has_seeds(runs: Sequence[Run]) -> bool:
    """Whether any of the runs has a problem with a seed."""
    return any("seed" in run.parameters for run in runs)


def reseeded(runs: Sequence[Run], seeds: Sequence[int]) -> Iterator[Run]:
    """Yield the runs after replacing the seeds of their problems.

    The figure's own seeds are replaced in turn. For example, if there are three, the first one is
    replaced by the first, fourth, seventh and so on of the new seeds. A part of the figure with a
    single problem of each size thus gets a third of the new problems, and its cost grows in
    proportion to the other parts. Runs on problems without a seed are not changed.
    """
    own: dict[str, set[int]] = defaultdict(set)
    for run in runs:
        if "seed" in run.parameters:
            own[_family(run)].add(run.parameters["seed"])
    most = max(map(len, own.values()), default=1)
    for block in chains(runs):  # the runs of a block have the same problem
        if "seed" not in block[0].parameters:
            yield from block
            continue
        seed = block[0].parameters["seed"]
        place = sorted(own[_family(block[0])]).index(seed)
        for new in seeds[place::most]:
            for run in block:
                parameters = {**run.parameters, "seed": new}
                follows = run.seed == seed  # the solver uses the seed of the problem
                yield replace(run, parameters=parameters, seed=new if follows else run.seed)


def _family(run: Run) -> str:
    """Return a digest that is equal for problems that differ only by their seeds."""
    return digest([run.dataset, {**run.parameters, "seed": None}])


def groups(figure: str, scale: str) -> dict[str, list[Run]]:
    """Return a mapping from the names of groups to the runs of a figure.

    There is a group for each timed problem (on which solvers take turns), one for each long run,
    one for each function, and one for the other runs of each solver, including the runs that match
    their cardinality. If the file of a figure is broken, its only group is "broken". The job of
    this group fails with an error message, and other figures can still be drawn.
    """
    try:
        runs = runs_of(figure, scale)
    except Exception:
        return {"broken": []}
    runs_of_group: dict[str, list[Run]] = {}
    name = ""
    for run in runs:
        if not run.match:
            name = _group(run)
        runs_of_group.setdefault(name, []).append(run)
    return runs_of_group


def jobs(figure: str, scale: str, *, long: bool = False) -> dict[str, dict[str, list[Run]]]:
    """Return a mapping from the names of a figure's jobs to the groups that they execute.

    long : whether to return the jobs of long runs, one per run, or all other jobs.

    At paper scale, there is a job for each timed dataset and for each other group, so few runs must
    be repeated after a change. At the quick scale, most groups take less time than starting a
    process, so there is one job for all timed groups and one for all other groups.
    """
    groups_of_job: dict[str, dict[str, list[Run]]] = {}
    for name, runs in groups(figure, scale).items():
        if name.startswith(LONG) == long:
            groups_of_job.setdefault(_job(name, runs, scale), {})[name] = runs
    return groups_of_job


def _job(group: str, runs: list[Run], scale: str) -> str:
    """Return the name of a group's job; timed groups share jobs, which need the whole machine."""
    if group.startswith(LONG):
        return group
    timed = group.startswith(TIMED)
    if size(scale) == "quick" and runs:
        return "timed" if timed else "others"
    return f"{TIMED}{runs[0].dataset}" if timed and runs[0].solver else group


def _group(run: Run) -> str:
    if run.long:
        return f"{LONG}{run.solver}-{run.dataset}-{digest(run.asked)[:8]}"
    if run.timed and run.solver:
        return f"{TIMED}{run.dataset}-{digest(dict(run.parameters))[:8]}"
    return run.solver or f"{TIMED if run.timed else ''}measure-{run.measure}"


def job(figure: str, scale: str, name: str, folder: Path = Path()) -> "Job":
    """Return a job of a figure, whose rows are in ``results`` in a folder.

    Raises InputError if the figure does not have this job. If the figure cannot be imported, its
    own error is raised.
    """
    from spcabench.running.runner import Job, Timing  # imported here, because it is slow

    known = jobs(figure, scale, long=name.startswith(LONG))
    groups = known.get(name, {})
    if not any(groups.values()):
        runs_of(figure, scale)  # raises the figure's own error
        raise InputError(
            f"job: figure {figure!r} has no job {name!r}; its jobs are {', '.join(known)}"
        )
    timing = Timing(
        # a long run has a single round, because its processor time is measured there
        rounds=1 if name.startswith(LONG) else ROUNDS[size(scale)],
        least=MIN_ROUNDS[size(scale)],
        seconds=budget(size(scale), len(groups)),
    )
    out = folder / rows_file(figure, scale, name)
    labels = {"experiment": figure, "scale": scale}
    return Job(f"{figure} {name}", groups, timing, key(figure, scale, name), out, labels)


def key(figure: str, scale: str, job: str) -> str:
    """Return the hash of the runs of a job and of the code that they execute."""
    groups = jobs(figure, scale, long=job.startswith(LONG)).get(job, {})
    return of_runs([run for group in groups.values() for run in group])


def budget(scale: str, groups: int) -> float:
    """Return the budget in seconds for all timed rounds of a group, in a job with ``groups``."""
    return max(TIME_BUDGET[scale], JOB_BUDGET[scale] / groups)


def rows_file(figure: str, scale: str, job: str) -> str:
    """Return the path of the rows of a job, relative to the folder of all results."""
    return f"results/{scale}/rows/{figure}/{job}.parquet"


def unpublished(published: Path, figure: str, scale: str) -> list[str]:
    """Return the jobs of a figure's long runs without a published row, in order.

    Published rows of any commit are accepted, because computing them again takes hours.
    """
    import pandas as pd  # imported here, because few commands need it

    file = published / "rows" / figure / "rows.parquet"
    known = {*pd.read_parquet(file, columns=["group"]).group} if file.exists() else set()
    return [job for job in jobs(figure, scale, long=True) if job not in known]


def shared(figure: str) -> tuple[str, ...]:
    """Return the other figures whose rows a figure uses (SHARES), without importing the figure."""
    file = registry.path("figure", figure)
    statement = re.compile(r"^SHARES = (\(.*?\)) *(?:#.*)?$", re.MULTILINE | re.DOTALL)
    stated = statement.search(file.read_text("utf-8"))
    return tuple(ast.literal_eval(stated[1])) if stated else ()
