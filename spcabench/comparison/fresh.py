"""The problems of a comparison: those of its suite, or fresh ones, which no third-party file knows.

The problems of the suites are public, so a third-party file can contain their answers. Therefore,
all solvers of a comparison with such a file solve fresh problems of the same families, whose seed
is drawn after the file was read and checked. A changed file gets new problems, because its author
may have seen the earlier ones.
"""

import hashlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from spcabench.comparison import plans, suite
from spcabench.comparison.jobs import Comparison, Job, rows_of
from spcabench.errors import InputError


@dataclass(frozen=True)
class Problems:
    """The problems of a comparison.

    seed : seed of fresh problems, or None for the problems of the suite. drawn, files, continued :
        as in `jobs.Comparison`.
    """

    seed: int | None = None
    drawn: bool = False
    files: dict[str, tuple[str, str]] = field(default_factory=dict)
    continued: bool = False


def drawn(requested: Iterable[Job]) -> Problems:
    """Draw a seed for the third-party files among the solvers of these jobs."""
    seed = suite.new_seed()
    files = {file: (key, _checksum(file)) for file, key in _hashes(requested, seed).items()}
    return Problems(seed, True, files)


def kept(plan_file: Path, requested: Iterable[Job]) -> Problems | None:
    """Return the problems of an earlier plan if they can be used again, or else None.

    They can be used again if their seed was drawn for the same files, and if there are rows or a
    journal of these files. Otherwise, nothing is lost by drawing another seed.
    """
    root = plan_file.resolve().parents[3]
    with suppress(InputError):  # there is no plan, or it is damaged
        plan = Comparison.read(plan_file)
        seed = Job.read(root / plan.jobs[0]).fresh if plan.jobs and plan.drawn else None
        before = {file: key for file, (key, _) in plan.files.items()}
        if seed is None or not _hashes(requested, seed).items() <= before.items():
            return None
        homes = [replace(job, fresh=seed).file(plan_file.parents[1] / "jobs") for job in requested]
        files = [rows_of(h) for h, job in zip(homes, requested, strict=True) if not job.is_ours]
        missing = [file for file in files if not file.is_file()]
        begun = any(any(file.parent.glob(f"{file.stem}.*.journal")) for file in missing)
        if begun or len(missing) < len(files):
            return Problems(seed, True, plan.files, plan.continued or bool(missing))
    return None


def changed(plan: Comparison, job_of: Mapping[str, Job], rows: pd.DataFrame) -> list[str]:
    """Return the labels of third-party files that were changed after their seed had been drawn.

    A file is changed if the hash of its runs is not that in the plan, or if its rows are of another
    file, which can have been replaced later. Comments can be changed, because they affect no run.

    job_of, rows : jobs and rows of a comparison by label.
    """
    labels = []
    for label, job in job_of.items():
        if job.fresh is not None and job.solver in plan.files:
            key, checksum = plan.files[job.solver]
            there = Path(job.solver).is_file()
            now = _hashes([job], job.fresh)[job.solver] if there else ""
            others = {*rows.solver_sha256[rows.solver == label].dropna()} - {checksum}
            labels += [label] if others or now != key else []
    return labels


def _checksum(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _hashes(requested: Iterable[Job], seed: int) -> dict[str, str]:
    """Return a mapping from paths of third-party files to the hash of all code of their runs."""
    return {
        job.solver: plans.plan(replace(job, fresh=seed)).key for job in requested if not job.is_ours
    }
