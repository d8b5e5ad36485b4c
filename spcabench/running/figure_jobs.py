"""The jobs of a figure: its runs in groups, and the groups that run in one process."""

import ast

from spcabench import registry
from spcabench.run import Run
from spcabench.running.code_hash import digest, syntax_tree


def runs_of(figure: str, scale: str) -> list[Run]:
    """Return all runs of a figure at a scale ("quick" or "paper"), in order."""
    return list(registry.module("figure", figure).runs(scale))


def groups(figure: str, scale: str) -> dict[str, list[Run]]:
    """Return the runs of a figure in groups, by name.

    There is a group for each timed problem, on which solvers take turns, and a group for the other
    runs of each solver, including the runs that match them. A figure with a broken file has one
    group, "broken", whose job fails with an error message, so that the other figures can still be
    drawn.
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


def jobs(figure: str, scale: str) -> dict[str, dict[str, list[Run]]]:
    """Return the jobs of a figure by name, each with the groups that its process executes.

    At the papers' scale there is a job for each timed dataset and one for each other group, so that
    little has to be computed again after a change. At the quick scale, most groups take less time
    than the start of a process, so there is one job for all timed groups and one for all others.
    """
    groups_of_job: dict[str, dict[str, list[Run]]] = {}
    for name, runs in groups(figure, scale).items():
        groups_of_job.setdefault(_job(name, runs, scale), {})[name] = runs
    return groups_of_job


def _job(group: str, runs: list[Run], scale: str) -> str:
    """The name of a group's job. Timed jobs need the machine to themselves, so they are few."""
    timed = group.startswith("timed-")
    if scale == "quick" and runs:
        return "timed" if timed else "others"
    return f"timed-{runs[0].dataset}" if timed else group


def _group(run: Run) -> str:
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
