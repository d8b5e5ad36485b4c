"""The commands `spcabench compare` and `spcabench best-known`, and the two that the workflow calls
for them.
"""

import json
from pathlib import Path
from typing import Annotated

import typer

from spcabench.cli import figures as making
from spcabench.errors import InputError

HOME = Path("results") / "compare"


def compare(
    solvers: Annotated[
        list[str] | None, typer.Argument(help="Names or files of solvers; all, if none.")
    ] = None,
    against: Annotated[
        str, typer.Option(help="Names of others, comma-separated, or all, or none.")
    ] = "all",
    suite: Annotated[
        str, typer.Option(help="standard, quick, text, genes or nonnegative.")
    ] = "standard",
    k: Annotated[
        str | None,
        typer.Option("-k", "--k", help="Cardinalities in place of the suite's: 5,10,20."),
    ] = None,
    time_limit: Annotated[float, typer.Option(help="Seconds of a run.", min=0.01)] = 2.0,
    settings: Annotated[str, typer.Option(help="default, paper or tuned.")] = "default",
    name: Annotated[str | None, typer.Option(help="Name of the page.")] = None,
    jobs: making.Jobs = making.CORES,
    profile: making.Profile = "default",
) -> None:
    """Compare solvers on a standard set of problems: a page and a table, only what is missing is
    run.
    """
    from spcabench import registry
    from spcabench.comparison import jobs as work
    from spcabench.comparison import suite as problems
    from spcabench.running import whole_files, workflow

    ks = _numbers(k)
    problems.items(suite, ks), problems.settings_of(settings)
    named = [_known(solver) for solver in solvers or []]
    others = (
        work.entrants(suite)
        if against == "all" or not named
        else []
        if against == "none"
        else against.split(",")
    )
    for other in others:
        registry.path("solver", other)
    chosen = [
        work.Job(s, suite, settings, ks, time_limit) for s in dict.fromkeys([*named, *others])
    ]
    title = name or "-".join([*(Path(s).stem for s in named[:3]), chosen[0].folder])
    folder = making.ROOT / HOME
    files = [job.write(folder / "jobs") for job in chosen]
    plan = folder / title / "plan.json"
    told = dict(
        name=title,
        named=[Path(s).stem for s in named],
        jobs=[str(f.relative_to(making.ROOT)) for f in files],
    )
    whole_files.write_changed(plan, json.dumps(told, indent=1) + "\n")
    code = workflow.workflow(
        "compare", jobs, [str(HOME / title / "index.html")], making.ROOT, making.checked(profile)
    )
    if code:
        raise typer.Exit(code)
    print((folder / title / "ranking.txt").read_text(encoding="utf-8").rstrip())
    print(folder / title / "index.html")


def _known(solver: str) -> str:
    """A name as it is, a file by its absolute path."""
    from spcabench import registry

    file = registry.path("solver", solver)
    return str(file.resolve()) if solver.endswith(".py") else solver


def _numbers(text: str | None) -> tuple[int, ...]:
    try:
        found = tuple(int(word) for word in text.split(",")) if text else ()
    except ValueError:
        found = (0,)
    if any(number < 1 for number in found):
        raise InputError(f"--k: {text!r}; allowed are whole numbers from 1, comma-separated")
    return found


def compare_run(job: Path, out: Path) -> None:
    """Make the rows of one solver on a suite (called by the workflow)."""
    from spcabench.comparison import jobs as work

    work.run_job(work.Job.read(job), out)


def compare_page(plan: Path) -> None:
    """Write the page of a comparison from its rows (called by the workflow)."""
    from spcabench.page import comparison_page as page

    print(page.write(plan))


def best_known(
    update: Annotated[
        bool, typer.Option("--update", help="Propose and write entries of the comparisons run.")
    ] = False,
    search: Annotated[
        float, typer.Option(help="With --update: search too, at this multiple of 2e9 entries.")
    ] = 0.0,
) -> None:
    """Show the best answers known on the standard problems; or improve them."""
    from spcabench import api
    from spcabench.comparison import best_known as known
    from spcabench.comparison import harvest

    table = known.read()
    if update:
        new = known.improve(["standard", "nonnegative"], search) if search else dict(table)
        new = harvest.proposed(new, making.ROOT / HOME / "rows", api.load)
        changed = [entry for key, entry in new.items() if entry != table.get(key)]
        for entry in changed:
            old = table.get(entry.key)
            print(
                f"{entry.item}, k = {entry.k}: {old.value if old else 0:.9g} -> "
                f"{entry.value:.9g}, {entry.who}"
            )
        if changed:
            known.write(new.values())
        print(f"{len(changed)} entries new or better: version {known.version()}")
        return
    for entry in table.values():
        print(
            f"{entry.item:15} {'x >= 0' if entry.nonnegative else '':6} k = {entry.k:3}  "
            f"{entry.value:14.8g}  "
            f"{'optimal' if entry.proven else f'gap {1 - entry.value / entry.bound:.2%}':12}  "
            f"{entry.who}, {entry.when}"
        )
