"""Run comparisons on a few problems in the same way as the command, but time each run once."""

import json
from dataclasses import replace

from spcabench.comparison import jobs, plans, suite
from spcabench.page import comparison_page
from spcabench.running import runner


def few_problems(patch, items):
    """Restrict the quick suite to these problems, and execute each run once."""
    patch.setattr(suite, "recovery", lambda fresh: [])
    patch.setitem(suite.SUITES, "quick", items)
    patch.setattr(plans, "PROTOCOL", replace(plans.PROTOCOL, rounds=1, retries=1))


def rows_of(solver, home, **settings):
    """Return the files of a solver's job and its rows; compute the rows if they are missing."""
    job = jobs.Job.of(str(solver), "quick", limit=0.5, **settings)
    folder = home / "results" / "compare"
    file, rows = job.write(folder / "jobs"), folder / "rows" / job.folder / f"{job.key}.parquet"
    assert jobs.Job.read(file) == job
    if not rows.exists():
        runner.make_rows(plans.plan(job), rows)
    return file, rows


def compared(patch, home, name, solvers, items=1, named=(), **settings):
    """Compare solvers on the first problems of the quick suite and return the plan's file."""
    patch.chdir(home)
    few_problems(patch, suite.SUITES["quick"][:items])
    files = [rows_of(solver, home, **settings)[0] for solver in solvers]
    plan = home / "results" / "compare" / name / "plan.json"
    plan.parent.mkdir()
    fields = {"name": name, "named": list(named)}
    plan.write_text(json.dumps(fields | {"jobs": [str(file.relative_to(home)) for file in files]}))
    comparison_page.write(plan)
    return plan
