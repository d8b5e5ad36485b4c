"""Compute the missing rows of a comparison, and write the comparison to its folder."""

import fcntl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from spcabench import api
from spcabench.comparison import plans, stored
from spcabench.comparison.entrants import Entrant
from spcabench.comparison.stored import Plan
from spcabench.files import make_folder, read_json, write_changed
from spcabench.running import rows as results
from spcabench.running import runner, workflow
from spcabench.running.runner import Job
from spcabench.running.workflow import Progress

PACKAGE = Path(__file__).parents[1]


def missing(entrants: Mapping[str, Entrant], home: Path) -> dict[str, Job]:
    """Return the jobs of the entrants whose rows are missing or out of date, by label.

    home : the folder of comparisons, results/compare.
    """
    jobs = {label: plans.job(entrant, home) for label, entrant in entrants.items()}
    return {label: job for label, job in jobs.items() if not runner.is_current(job)}


def compute(jobs: Mapping[str, Job]) -> None:
    """Compute the rows of jobs, one after the other, because a timed run needs the machine."""
    if jobs:  # loads numba and some kernels once, and not in each of the workers, which are forked
        api.solve(api.load("pitprops"), "thresholding", k=5, refit=True)
    for place, (label, job) in enumerate(jobs.items(), 1):
        which = f" (solver {place} of {len(jobs)})" if len(jobs) > 1 else ""
        with _alone(job.out):
            if not runner.is_current(job):  # another process may have computed them meanwhile
                runner.run_job(job, progress(f"{label}{which}"))


def compute_elsewhere(
    entrants: Mapping[str, Entrant], jobs: Mapping[str, Job], home: Path, profile: str, most: int
) -> int:
    """Compute the rows of jobs through Snakemake, such as on a cluster; return the exit code."""
    for label, job in jobs.items():
        write_changed(entrants[label].file(home), entrants[label].text())
        job.out.unlink(missing_ok=True)  # out of date
    root = home.parents[1]
    targets = [str(job.out.relative_to(root)) for job in jobs.values()]
    return workflow.workflow(targets, home / "workflow.log", most, root, profile)


def write(folder: Path, entrants: Mapping[str, Entrant], named: list[str]) -> None:
    """Write a comparison to its folder from the rows of its entrants."""
    tables = []
    for label, entrant in entrants.items():
        rows = results.read_table([entrant.rows(folder.parent)])
        tables.append(results.replaced(rows, solver=[label] * len(rows)))
    stored.write(folder, entrants, pa.concat_tables(tables), Plan(named))


def is_current(page: Path, entrants: Mapping[str, Entrant], named: list[str]) -> bool:
    """Whether a page is newer than its rows and the code of pages, and for the same solvers."""
    plan = page.with_name(stored.PLAN)
    if not page.exists() or not plan.exists():
        return False
    if plan.read_text(encoding="utf-8") != stored.text(Plan(named)):
        return False
    listed = read_json(page.with_name(stored.ENTRANTS), dict[str, Any], "a comparison")
    files = [entrant.rows(page.parents[1]) for entrant in entrants.values()]
    for pattern in ("comparison/**/*.py", "comparison/*.json", "page/*.py", "page/templates/*"):
        files += PACKAGE.glob(pattern)
    newest = max(file.stat().st_mtime for file in files)
    return [*listed] == [*entrants] and newest <= page.stat().st_mtime


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Wait until no other process computes the same rows."""
    make_folder(out.parent)
    with out.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def progress(label: str) -> Callable[[int, int], None]:
    """Return a function that shows the number of finished runs."""
    line = Progress()

    def show(done: int, total: int) -> None:
        line.show(f"{label}: {done} of {total} runs")
        if done == total:
            line.close()

    return show
