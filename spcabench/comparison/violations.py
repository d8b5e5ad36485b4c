"""Violations of the contract by the third-party files of a comparison.

The checks use random problems, so a file can violate the contract in one comparison and not in the
next one. Its violations are therefore stored until the file is changed.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from spcabench import opening
from spcabench.atomic_files import write_changed
from spcabench.checking import conformance
from spcabench.comparison import plans
from spcabench.comparison.jobs import Job
from spcabench.running import external_solver
from spcabench.streams import say


def found(job_of: Mapping[str, Job], folder: Path) -> dict[str, list[str]]:
    """Check the third-party files, and return the failed checks of each file that failed any.

    job_of : jobs by the labels of their solvers, which are also those of the result. folder : has a
        file for each solver, with all violations of its present version.

    Raises InputError if such a file is damaged.
    """
    files = {
        label: job
        for label, job in job_of.items()
        if not job.is_ours and not external_solver.is_command(Path(job.solver))
    }
    broken: dict[str, list[str]] = {}
    for number, (label, job) in enumerate(files.items(), 1):
        # the checks of a slow solver take minutes
        say(f"checking {label} ({number} of {len(files)})", flush=True)
        store = folder / f"{job.key}-{_version(job)}.json"
        kept = opening.read_json(store, dict[str, str], "violations") if store.exists() else {}
        now = [outcome for outcome in conformance.check(job.solver) if outcome.verdict == "fails"]
        # a process that was too slow or was killed can be the fault of a busy machine
        kept |= {outcome.name: outcome.sentence for outcome in now if not outcome.ends}
        if kept:
            write_changed(store, json.dumps(kept, indent=1) + "\n")
        if fails := kept | {outcome.name: outcome.sentence for outcome in now}:
            # one cause can make many checks fail
            of = {sentence: name for name, sentence in reversed(fails.items())}
            broken[label] = [f"{name}: {sentence}" for sentence, name in reversed(of.items())]
    return broken


def _version(job: Job) -> str:
    """Return a hash of all code that the runs of a job execute, and of the solver's data files."""
    key = plans.plan(replace(job, fresh=0)).key
    return hashlib.sha256(key.encode()).hexdigest()[:16]
