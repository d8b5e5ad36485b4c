"""The comparison of several components: `compare --suite components` and its steps."""

import json
from pathlib import Path

import typer

from spcabench.cli import options
from spcabench.errors import InputError

SUITE = "components"
HOME = Path("results") / SUITE


def compare(
    own: list[str], against: str, limit: float, name: str | None, jobs: int, profile: str
) -> None:
    """Compare solvers of several components, and write a page and a table.

    own : solvers that were named, by name or absolute path.
    """
    from spcabench.running import whole_files, workflow
    from spcabench.several.jobs import Job

    asked = [
        Job(solver, limit, every_deflation=solver in own)
        for solver in dict.fromkeys([*own, *_others(own, against)])
    ]
    title = name or "-".join([*(Path(solver).stem for solver in own[:3]), f"{SUITE}-{limit:g}s"])
    folder = options.ROOT / HOME / title
    files = [job.write(options.ROOT / HOME / "jobs") for job in asked]
    words = dict(
        name=title,
        named=[Path(solver).stem for solver in own],
        jobs=[str(file.relative_to(options.ROOT)) for file in files],
    )
    whole_files.write_changed(folder / "plan.json", json.dumps(words, indent=1) + "\n")
    page = str(HOME / title / "index.html")
    log = options.ROOT / HOME / "workflow.log"
    if code := workflow.workflow([page], log, jobs, options.ROOT, profile):
        raise typer.Exit(code)
    print((folder / "ranking.txt").read_text(encoding="utf-8").rstrip())
    print(folder / "index.html")


def _others(own: list[str], against: str) -> list[str]:
    """The solvers to compare with, those that can give several components."""
    from spcabench.several import ways

    for solver in own:
        if not ways.ways(solver):
            raise InputError(f"solver: {solver!r} gives no several sparse components of any sign")
    if against == "all" or not own:
        return ways.entrants()
    others = [] if against == "none" else against.split(",")
    for other in others:
        if not ways.ways(other):
            raise InputError(f"--against: {other!r} gives no several components of any sign")
    return others
