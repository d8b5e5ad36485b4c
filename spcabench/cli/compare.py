"""The command `compare`, `merge`, and the hidden command that writes a comparison's page."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spcabench import atomic_files, opening
from spcabench.cli import options
from spcabench.errors import InputError
from spcabench.running import exclusive_timing
from spcabench.streams import say

if TYPE_CHECKING:
    from spcabench.comparison.jobs import Job

HOME = Path("results") / "compare"
COMPONENTS, SEEDS = "components", 5  # as in `comparison.jobs`, which is slow to import
TAKEN = ("commands", "jobs", "rows", "tuning", "workflow.log")  # other entries of that folder

Named = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SOLVERS",
        help="Names or files of solvers, separated by spaces or commas. By default all.",
    ),
]
Against = Annotated[
    str,
    typer.Option(
        help="What to compare them with: names separated by commas, all, or none. Without SOLVERS, "
        "only the solvers named here are compared."
    ),
]
Suite = Annotated[
    str,
    typer.Option(
        help="The problems: standard, quick, text, genes, nonnegative, adversarial, certified "
        "or large. With components, solvers "
        "compute several components."
    ),
]
Limit = Annotated[
    float,
    typer.Option(help="Seconds that each run may take.", min=0.01, callback=options.finite),
]
Settings = Annotated[
    str, typer.Option(help="The settings of the solvers: default, paper or tuned.")
]
Fresh = Annotated[
    str | None,
    typer.Option(
        metavar="[SEED]",
        help="New problems of the same families, which no solver has seen. Their seed is drawn now "
        "and printed; a seed given here is noted on the page as a doubt.",
    ),
]
Keep = Annotated[
    bool,
    typer.Option(
        "--keep-times",
        help="Reuse times that were measured while the machine had another speed. "
        "Times are then not ranked.",
    ),
]
Command = Annotated[
    str | None,
    typer.Option(
        metavar="WORDS",
        help="A solver in any language; --name gives it a name: 'julia my.jl {data} {k} "
        "{out}'. {data} or {covariance} is the file of the problem, .npy unless {data:csv} or "
        "{data:mtx}; the vector is written to {out}, as text unless {out:npy}.",
    ),
]
Seeds = Annotated[
    int,
    typer.Option(
        help="Seeds that a randomised solver is run with; it is ranked by its mean.", min=1, max=100
    ),
]
Paper = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Write what a paper needs into this folder: table with intervals, figures (PDF), the "
        "set-up in words, references, and a main.tex.",
    ),
]
Title = Annotated[
    str | None,
    typer.Option(
        "--name", help="Name of the page (by default from the solvers), or of the --command."
    ),
]


def compare(
    named: Named = None,
    against: Against = "all",
    suite: Suite = "standard",
    k: options.Cardinalities = None,
    time_limit: Limit = 2.0,
    settings: Settings = "default",
    fresh: Fresh = None,
    seeds: Seeds = SEEDS,
    keep_times: Keep = False,
    command: Command = None,
    name: Title = None,
    paper: Paper = None,
    jobs: options.Jobs = options.CORES,
    profile: options.Profile = "default",
) -> None:
    """Compare solvers on standard problems.

    The result is a page and a table. Only runs that are missing, or whose solver has changed, are
    executed. With -k, the given cardinalities replace those of the problems.
    """
    from spcabench.comparison.jobs import Job
    from spcabench.running import workflow

    # refuse invalid options before solvers are described, because that starts processes
    workflow.profile_folder(profile)
    own = [  # the name of a file may contain commas
        _absolute(solver)
        for word in named or []
        for solver in ([word] if word.endswith(".py") else word.split(","))
    ]
    if command is None and not own:  # solvers named in --against alone are compared with each other
        if against == "none":
            raise InputError("--against none: name solvers to compare, or leave it out for all")
        if against != "all":
            own, against = [_absolute(solver) for solver in against.split(",")], "none"
    if suite == COMPONENTS:
        _refuse_for_several(k, settings, fresh, command, paper)
    if paper is not None:
        atomic_files.make_folder(paper)  # what cannot be written is refused before the runs
    if command is not None:
        own, name = [*own, _of_command(command, name)], None
    ks = tuple(options.cardinalities(k))
    _check_sizes(suite, ks)
    if name is not None:
        _check_title(name)
    solvers = dict.fromkeys([*own, *_others(own, against, suite, settings)])
    asked = dict(settings=settings, ks=ks, limit=time_limit, seeds=seeds)
    requested = [
        _tuned(Job.of(solver, suite, every_way=suite == COMPONENTS and solver in own, **asked))
        for solver in solvers
    ]
    broken = _broken(_named(own, requested))
    # after the files have been read and tested, so that no import can see or choose it
    seed = _seed(fresh)
    requested = [replace(job, fresh=seed) for job in requested]
    title = name or "-".join([*(Path(solver).stem for solver in own[:3]), requested[0].folder])
    _check_title(title)
    if not keep_times:
        _drop_stale_times(requested, here=profile == "default")
    plan = options.ROOT / HOME / title / "plan.json"
    _write_plan(plan, own, requested, broken, drawn=fresh == options.NEW)
    one_each = f"suite {suite!r}, solvers: {len(requested)}, one job each"
    say(f"{one_each}; stored results are reused", flush=True)
    _make(title, jobs, profile)
    if paper is not None:
        from spcabench.page import paper_kit

        say(paper_kit.write(options.ROOT / HOME / title, paper))


def _tuned(job: "Job") -> "Job":
    """Return the job with settings chosen from its solver's GRID, if it uses tuned ones; say so."""
    if job.settings != "tuned":
        return job
    from spcabench.comparison import tuning

    chosen = tuning.tuned(job, options.ROOT / HOME / "tuning")
    if chosen.tuned_on:
        say(f"{job.label}: {chosen.tuned_on}", flush=True)
    return chosen


def _refuse_for_several(
    k: str | None, settings: str, fresh: str | None, command: str | None, paper: Path | None
) -> None:
    """Raise InputError for options that do not apply to a comparison of several components."""
    if k or settings != "default" or any(v is not None for v in (fresh, command, paper)):
        raise InputError(
            f"--suite {COMPONENTS} has its own settings; leave out -k, --settings, --fresh, "
            "--command and --paper"
        )


def _make(title: str, jobs: int, profile: str) -> None:
    """Write the page of a plan, and print the ranking."""
    from spcabench.running import workflow

    page = HOME / title / "index.html"
    log = options.ROOT / HOME / "workflow.log"
    if code := workflow.workflow([str(page)], log, jobs, options.ROOT, profile):
        raise typer.Exit(code)
    say((options.ROOT / HOME / title / "ranking.txt").read_text(encoding="utf-8").rstrip())
    say(options.ROOT / page)


def _check_title(title: str) -> None:
    """Raise InputError for a page name that is not a valid folder name, or that is taken."""
    plain = re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_. +-]{0,150}", title)
    if not plain or title in TAKEN or title.endswith((".", " ")):
        raise InputError(
            f"--name: {title!r:.60}; use at most 150 letters, digits, spaces and _.+-, but not "
            f"{', '.join(TAKEN)}"
        )


def _check_sizes(suite_name: str, ks: tuple[int, ...]) -> None:
    """Raise InputError for a cardinality above the number of variables of every problem."""
    from spcabench import api
    from spcabench.comparison import suite

    if not ks or suite_name == COMPONENTS:
        return
    items = suite.items(suite_name)
    largest = max(api.load_or_stand_in(i.dataset, **i.parameters).n for i in items)
    if max(ks) > largest:
        raise InputError(
            f"-k: {max(ks)}; the largest problem of suite {suite_name!r} has {largest} variables"
        )


def _of_command(command: str, name: str | None) -> str:
    """Write a solver file that runs an external command, and return its path."""
    from spcabench.running import external_solver

    if name is None or not (name.isidentifier() and name.isascii()):
        raise InputError(f"--name: {name!a}; a command needs a name of letters, digits and _")
    file = (options.ROOT / HOME / "commands" / f"{name}.py").absolute()
    atomic_files.write_changed(file, external_solver.text_of(command, Path.cwd()))
    return str(file)


def _seed(fresh: str | None) -> int | None:
    """Return the seed of fresh problems and print it; None for the standard problems."""
    from spcabench.comparison import suite

    if fresh is None:
        return None
    if fresh != options.NEW and not re.fullmatch(r"[0-9]{1,18}", fresh):
        raise InputError(f"--fresh: {fresh!r}; the seed must be a whole number, at least 0")
    drawn = fresh == options.NEW
    seed = suite.new_seed() if drawn else int(fresh)
    origin = "drawn now" if drawn else "which was given, not drawn, as the page will say"
    say(f"fresh problems from seed {seed}, {origin}; --fresh {seed} repeats them", flush=True)
    return seed


def _rows(requested: list["Job"]) -> list[Path]:
    """The files with the rows of a comparison."""
    return [options.ROOT / HOME / "rows" / job.folder / f"{job.key}.parquet" for job in requested]


def _drop_stale_times(requested: list["Job"], here: bool) -> None:
    """Delete the rows of all jobs if their stored times are not comparable, and say so.

    here : whether missing rows will be computed on this machine.
    """
    from spcabench.comparison import conditions

    files = _rows(requested)
    stale = conditions.stale(files, missing=here and not all(map(Path.is_file, files)))
    if stale is None:
        return
    why, seconds = stale
    say(
        f"stored times were measured {why}, so all {len(requested)} solvers run again; they took "
        f"{seconds:.0f} s. --keep-times keeps the stored times, but does not rank them",
        flush=True,
    )
    for file in files:
        file.unlink(missing_ok=True)


def _absolute(solver: str) -> str:
    """Return a name unchanged and a path as absolute. Raises InputError for an unknown solver."""
    from spcabench import registry

    registry.path("solver", solver)
    return str(Path(solver).resolve()) if solver.endswith(".py") else solver


def _others(own: list[str], against: str, suite_name: str, settings: str) -> list[str]:
    """The solvers to compare with."""
    from spcabench import registry
    from spcabench.comparison import jobs, suite

    if suite_name == COMPONENTS:
        return _others_of_components(own, against)
    suite.items(suite_name)  # raises for an unknown name
    suite.settings_of(settings)
    if against == "all":
        return jobs.entrants(suite_name)
    others = [] if against == "none" else against.split(",")
    for other in others:
        registry.path("solver", other)
    return others


def _others_of_components(own: list[str], against: str) -> list[str]:
    """The solvers to compare with, all of which must compute several components."""
    from spcabench.comparison.components import ways
    from spcabench.running.description import describe

    others = [] if against in ("none", "all") else against.split(",")
    for argument, named in {"solver": own, "--against": others}.items():
        for solver in named:
            if not ways.ways(solver, describe(solver).traits):
                raise InputError(
                    f"{argument}: {solver!r} cannot compute several components with signs"
                )
    return ways.entrants() if against == "all" else others


def _write_plan(
    plan: Path,
    own: list[str],
    requested: list["Job"],
    broken: dict[str, list[str]],
    drawn: bool,
) -> None:
    """Write the plan of a comparison, unless the same plan is there already.

    The page is deleted if rows are missing, because Snakemake does not compute missing inputs of an
    existing page unless another input is newer.
    """
    from spcabench.comparison.jobs import Comparison

    files = [job.write(options.ROOT / HOME / "jobs") for job in requested]
    named = _named(own, requested)
    jobs = [str(file.relative_to(options.ROOT)) for file in files]
    text = Comparison(plan.parent.name, [*named], broken, jobs, drawn).text()
    atomic_files.write_changed(plan, text)
    if not all(map(Path.is_file, _rows(requested))):
        plan.with_name("index.html").unlink(missing_ok=True)


def _named(own: list[str], requested: list["Job"]) -> dict[str, str]:
    """Map the label of each named solver in this comparison to its name or file."""
    from spcabench.comparison import jobs

    labels = zip(jobs.labels(requested), requested, strict=True)
    return {label: job.solver for label, job in labels if job.solver in own}


def _broken(named: dict[str, str]) -> dict[str, list[str]]:
    """Map the label of each given file to its broken promises, one sentence each."""
    from spcabench.checking import conformance
    from spcabench.running import external_solver

    promises: dict[str, list[str]] = {}
    for label, solver in named.items():
        if solver.endswith(".py") and not external_solver.is_command(Path(solver)):
            outcomes = conformance.check(solver)
            fails = [f"{o.name}: {o.sentence}" for o in outcomes if o.verdict == "fails"]
            promises |= {label: fails} if fails else {}
    return promises


def merge(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDERS", help="Folders of comparisons, two or more.")
    ],
    name: Annotated[str, typer.Option(help="Name of the page.")] = "merged",
) -> None:
    """Merge comparisons from several machines.

    Quality and flops are ranked together, times separately for each machine.
    """
    from spcabench.page import comparison_page

    for folder in folders:
        opening.folder(folder, "the folder of a comparison")
    if len(folders) < 2 or len({folder.resolve().name for folder in folders}) < len(folders):
        raise InputError("merge: give at least two folders, with different names")
    _check_title(name)
    folder = options.ROOT / HOME / name
    atomic_files.make_folder(folder)
    page = comparison_page.write_merged(folder, folders)
    say((folder / "ranking.txt").read_text(encoding="utf-8").rstrip())
    say(page)


def write_page(
    plan: Annotated[Path, typer.Argument(help="Plan of the comparison (JSON).")],
) -> None:
    """Write the page of a comparison from its rows."""
    with exclusive_timing.shared():  # no timing is running
        from spcabench.page import comparison_page, components_page

        page = components_page if components_page.is_of_components(plan) else comparison_page
        say(page.write(plan))
