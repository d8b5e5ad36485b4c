"""The jobs of a figure: its runs in groups, each of which one process makes."""

import ast
from collections.abc import Iterator
from itertools import groupby

from spcabench import registry
from spcabench.run import Measure, Run
from spcabench.running.source import digest, syntax_tree


def runs_of(figure: str, scale: str) -> list[Run | Measure]:
    """Return all runs of a figure at a scale ("quick" or "paper"), in order."""
    return list(registry.module("figure", figure).runs(scale))


def groups(figure: str, scale: str) -> dict[str, list[Run | Measure]]:
    """Return the jobs of a figure, by name.

    There is a job for each problem that is timed, because solvers take turns on it. All other runs
    are in a job for each solver, with the runs that match it. A figure whose file is broken has one
    job, "broken", which fails and says why, so that the other figures are made.
    """
    try:
        runs = runs_of(figure, scale)
    except Exception:
        return {"broken": []}
    jobs: dict[str, list[Run | Measure]] = {}
    name = ""
    for run in runs:
        if not (isinstance(run, Run) and run.match):
            name = _group(run)
        jobs.setdefault(name, []).append(run)
    return jobs


def _group(run: Run | Measure) -> str:
    if isinstance(run, Run) and run.timed:
        return f"timed-{run.dataset}-{digest(dict(run.parameters))[:8]}"
    return f"measure-{run.name}" if isinstance(run, Measure) else run.solver


def shared(figure: str) -> tuple[str, ...]:
    """Figures whose rows this one draws too (its constant SHARES), found without importing it."""
    tree = syntax_tree(registry.path("figure", figure))
    for node in tree.body if tree else []:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "SHARES":
            return tuple(ast.literal_eval(node.value))
    return ()


def interleaved(runs: list[Run | Measure]) -> Iterator[list[Run | Measure]]:
    """Runs that follow each other as one: each run with those that match it."""
    for _, chain in groupby(enumerate(runs), key=lambda pair: _leader(runs, pair[0])):
        yield [run for _, run in chain]


def _leader(runs: list[Run | Measure], index: int) -> int:
    run = runs[index]
    while isinstance(run, Run) and run.match and index:
        index -= 1
        run = runs[index]
    return index
