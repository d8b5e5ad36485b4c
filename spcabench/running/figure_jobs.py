"""The jobs of a figure: its runs in groups, and the groups that run in one process.

A scale is "quick" or "paper". With other seeds than the figure's own it is "quick-seeds-20-40", and
so is the folder of its results: such rows cannot be taken for those of the figure.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from spcabench import registry
from spcabench.run import Run, chains
from spcabench.running.code_hash import digest, syntax_tree

SEEDS = "-seeds-"  # in the name of a scale, before the seeds
LONG = "timed-long-"  # begins the name of the group of a long run


def runs_of(figure: str, scale: str) -> list[Run]:
    """Return all runs of a figure at a scale, in order."""
    runs = list(registry.module("figure", figure).runs(size(scale)))
    _, _, text = scale.partition(SEEDS)
    return list(reseeded(runs, _seeds(text))) if text else runs


def size(scale: str) -> str:
    """Return "quick" or "paper"."""
    return scale.partition(SEEDS)[0]


def _seeds(text: str) -> list[int]:
    """The seeds in the name of a scale, such as 20-40, or 1,5,20-40-5."""
    seeds: set[int] = set()
    for part in text.split(","):
        match [int(word) for word in part.split("-")]:
            case [first, last, *step]:
                seeds.update(range(first, last + 1, *step))
            case [seed]:
                seeds.add(seed)
    return sorted(seeds)


def has_seeds(runs: Sequence[Run]) -> bool:
    """Whether problems of these runs are drawn from seeds."""
    return any("seed" in run.parameters for run in runs)


def reseeded(runs: Sequence[Run], seeds: Sequence[int]) -> Iterator[Run]:
    """Yield the runs on problems from other seeds.

    The figure's own seeds are replaced in turn: with three of them, the first one becomes the
    first, fourth, seventh and so on of the new ones. So a part of the figure that has a single
    problem of each size gets a third of the new problems, and its cost grows like that of the rest.
    Runs on problems without a seed stay as they are.
    """
    own: dict[str, set[int]] = defaultdict(set)
    for run in runs:
        if "seed" in run.parameters:
            own[_family(run)].add(run.parameters["seed"])
    most = max(map(len, own.values()), default=1)
    for block in chains(runs):  # on one problem
        if "seed" not in block[0].parameters:
            yield from block
            continue
        seed = block[0].parameters["seed"]
        place = sorted(own[_family(block[0])]).index(seed)
        for new in seeds[place::most]:
            for run in block:
                parameters = {**run.parameters, "seed": new}
                follows = run.seed == seed  # the solver's seed is that of the problem
                yield replace(run, parameters=parameters, seed=new if follows else run.seed)


def _family(run: Run) -> str:
    """Name what problems that differ by their seed alone share."""
    return digest([run.dataset, {**run.parameters, "seed": None}])


def groups(figure: str, scale: str) -> dict[str, list[Run]]:
    """Return the runs of a figure in groups, by name.

    There is a group for each timed problem, on which solvers take turns, for each long run, and for
    the other runs of each solver, including the runs that match them. A figure with a broken file
    has one group, "broken", whose job fails with an error message, so that the other figures can
    still be drawn.
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
    """Return the jobs of a figure by name, each with the groups that its process executes.

    long : whether to return the jobs of its long runs, one for each, instead of all others.

    At the papers' scale there is a job for each timed dataset and one for each other group, so that
    little has to be computed again after a change. At the quick scale, most groups take less time
    than the start of a process, so there is one job for all timed groups and one for all others.
    """
    groups_of_job: dict[str, dict[str, list[Run]]] = {}
    for name, runs in groups(figure, scale).items():
        if name.startswith(LONG) == long:
            groups_of_job.setdefault(_job(name, runs, scale), {})[name] = runs
    return groups_of_job


def _job(group: str, runs: list[Run], scale: str) -> str:
    """The name of a group's job. Timed jobs need the machine to themselves, so they are few."""
    if group.startswith(LONG):
        return group
    timed = group.startswith("timed-")
    if size(scale) == "quick" and runs:
        return "timed" if timed else "others"
    return f"timed-{runs[0].dataset}" if timed else group


def _group(run: Run) -> str:
    if run.long:
        return f"{LONG}{run.solver}-{run.dataset}-{digest(run.asked)[:8]}"
    if run.timed:
        return f"timed-{run.dataset}-{digest(dict(run.parameters))[:8]}"
    return run.solver or f"measure-{run.measure}"


def shared(figure: str) -> tuple[str, ...]:
    """Return the figures whose rows this one also draws (its SHARES), without importing it."""
    file = registry.path("figure", figure)
    # few figures have SHARES, and parsing all of them would take a tenth of a second
    tree = syntax_tree(file) if b"SHARES" in file.read_bytes() else None
    for node in tree.body if tree else []:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "SHARES":
            return tuple(ast.literal_eval(node.value))
    return ()
