"""Comparisons on few problems, made as the command makes them, with each run timed once."""

import json
from dataclasses import replace

from spcabench.comparison import jobs, plans, suite
from spcabench.page import comparison_page


def few_problems(patch, items):
    """Let the quick suite have these problems alone, each run of which is made once."""
    patch.setattr(suite, "recovery", lambda fresh: [])
    patch.setitem(suite.SUITES, "quick", items)
    patch.setattr(plans, "PROTOCOL", replace(plans.PROTOCOL, rounds=1, retries=1))


def rows_of(solver, home, **settings):
    """The files of a solver's job and of its rows, which are made unless they are there."""
    job = jobs.Job.of(str(solver), "quick", limit=0.5, **settings)
    folder = home / "results" / "compare"
    file, rows = job.write(folder / "jobs"), folder / "rows" / job.folder / f"{job.key}.parquet"
    assert jobs.Job.read(file) == job
    if not rows.exists():
        plans.run_job(job, rows)
    return file, rows


def compared(patch, home, name, solvers, items=1, named=(), **settings):
    """Compare solvers on the first problems of the quick suite; returns the file of the plan."""
    patch.chdir(home)
    few_problems(patch, suite.SUITES["quick"][:items])
    files = [rows_of(solver, home, **settings)[0] for solver in solvers]
    plan = home / "results" / "compare" / name / "plan.json"
    plan.parent.mkdir()
    fields = {"name": name, "named": list(named)}
    plan.write_text(json.dumps(fields | {"jobs": [str(file.relative_to(home)) for file in files]}))
    comparison_page.write(plan)
    return plan
