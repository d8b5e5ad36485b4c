"""The command `compare`, and the two that the workflow calls for it."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spcabench import atomic_files, opening
from spcabench.cli import options
from spcabench.errors import InputError
from spcabench.running import exclusive_timing
from spcabench.streams import say

if TYPE_CHECKING:
    from spcabench.comparison.jobs import Job

HOME = Path("results") / "compare"
COMPONENTS, SEEDS = "components", 5  # those of `comparison.jobs`, which is slow to import
TAKEN = ("commands", "jobs", "rows", "tuning", "workflow.log")  # other things in that folder

Named = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SOLVERS",
        help="Names or files of solvers, with spaces or commas between. By default all.",
    ),
]
Against = Annotated[
    str,
    typer.Option(
        help="What to compare them with: names separated by commas, all, or none. Without SOLVERS, "
        "those named here are compared alone."
    ),
]
Suite = Annotated[
    str,
    typer.Option(
        help="The problems: standard, quick, text, genes, nonnegative, adversarial, certified "
        "or large. With components, several "
        "components are asked for."
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
        help="New problems of the same families, which no solver has seen: from a seed made now, "
        "which is printed, or from the one given, which is a doubt on the page.",
    ),
]
Keep = Annotated[
    bool,
    typer.Option(
        "--keep-times",
        help="Time nothing again whose times were taken while the machine had another speed. "
        "Times are then not ranked.",
    ),
]
Command = Annotated[
    str | None,
    typer.Option(
        metavar="WORDS",
        help="A solver in any language, with --name for its own name: 'julia my.jl {data} {k} "
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
        "--name", help="Name of the page, by default that of the solvers; or of the --command."
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
    """Compare solvers on standard problems: a page and a table.

    Only runs that are missing, or whose solver has changed since, are made. With -k, the given
    cardinalities replace those of the problems.
    """
    from spcabench.running import workflow

    # what can be refused is refused before the solvers are described, which starts processes
    workflow.profile_folder(profile)
    own = [_absolute(solver) for word in named or [] for solver in _split(word)]
    if command is None and not own:  # whoever is named to compare with is compared alone
        if against == "none":
            raise InputError("--against: none; name solvers before it, or leave it out for all")
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
    requested = _jobs(list(solvers), own, suite, settings, ks, time_limit, seeds)
    requested = [_tuned(job) for job in requested]
    broken = _broken(_named(own, requested))
    # after the files have been read and tried: no import can see it, or choose it
    seed = _seed(fresh)
    requested = [replace(job, fresh=seed) for job in requested]
    title = name or "-".join([*(Path(solver).stem for solver in own[:3]), requested[0].folder])
    _check_title(title)
    if not keep_times:
        _drop_stale_times(requested, here=profile == "default")
    plan = options.ROOT / HOME / title / "plan.json"
    _write_plan(plan, own, requested, broken, drawn=fresh == options.NEW)
    _make(
        title,
        jobs,
        profile,
        f"suite {suite!r}, solvers: {len(requested)}, each in a job of its own",
    )
    if paper is not None:
        from spcabench.page import paper_kit

        say(paper_kit.write(options.ROOT / HOME / title, paper))


def _jobs(solvers: list[str], own: list[str], suite: str, *values: Any) -> list["Job"]:
    """The jobs of solvers; each is described, a file that was named by a worker."""
    from spcabench.comparison.jobs import Job

    names = ("settings", "ks", "limit", "seeds")
    requested = dict(zip(names, values, strict=True))
    return [
        Job.of(solver, suite, every_way=suite == COMPONENTS and solver in own, **requested)
        for solver in solvers
    ]


def _tuned(job: "Job") -> "Job":
    """The job with settings from its solver's GRID, if tuned ones are asked for; said where so."""
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
    """Raise InputError for what a comparison of several components does not have."""
    if k or settings != "default" or any(v is not None for v in (fresh, command, paper)):
        raise InputError(
            f"--suite {COMPONENTS} has settings of its own; leave out -k, --settings, --fresh, "
            "--command and --paper"
        )


def _make(title: str, jobs: int, profile: str, comparison: str) -> None:
    """Make the page of a plan, and print the ranking. what : is compared, in words."""
    from spcabench.running import workflow

    say(f"{comparison}; what is kept is not run again", flush=True)
    page = HOME / title / "index.html"
    log = options.ROOT / HOME / "workflow.log"
    if code := workflow.workflow([str(page)], log, jobs, options.ROOT, profile):
        raise typer.Exit(code)
    say((options.ROOT / HOME / title / "ranking.txt").read_text(encoding="utf-8").rstrip())
    say(options.ROOT / page)


def _check_title(title: str) -> None:
    """Raise InputError for a name of a page that is no folder's name, or that of another thing."""
    plain = re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_. +-]{0,150}", title)
    if not plain or title in TAKEN or title.endswith((".", " ")):
        raise InputError(
            f"--name: {title!r:.60}; use at most 150 letters, digits, spaces and _.+-, and none "
            f"of the names {', '.join(TAKEN)}"
        )


def _check_sizes(suite_name: str, ks: tuple[int, ...]) -> None:
    """Raise InputError for a cardinality that no problem of the suite has variables for."""
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
    """The file of a solver that is a command."""
    from spcabench.running import external_solver

    if name is None or not (name.isidentifier() and name.isascii()):
        raise InputError(f"--name: {name!a}; a command needs a name of letters, digits and _")
    file = (options.ROOT / HOME / "commands" / f"{name}.py").absolute()
    atomic_files.write_changed(file, external_solver.text_of(command, Path.cwd()))
    return str(file)


def _seed(fresh: str | None) -> int | None:
    """The seed of fresh problems, which is printed; None if the standard ones are asked for."""
    from spcabench.comparison import suite

    if fresh is None:
        return None
    if fresh != options.NEW and not re.fullmatch(r"[0-9]{1,18}", fresh):
        raise InputError(f"--fresh: {fresh!r}; the seed must be a whole number from 0")
    drawn = fresh == options.NEW
    seed = suite.new_seed() if drawn else int(fresh)
    origin = "drawn now" if drawn else "which was given and not drawn: the page says so"
    say(f"fresh problems from seed {seed}, {origin}; --fresh {seed} makes them again", flush=True)
    return seed


def _rows(requested: list["Job"]) -> list[Path]:
    """The files of rows that a comparison is made of."""
    return [options.ROOT / HOME / "rows" / job.folder / f"{job.key}.parquet" for job in requested]


def _drop_stale_times(requested: list["Job"], here: bool) -> None:
    """Drop the rows of all jobs where the times of kept ones cannot be compared; say so.

    here : whether missing rows will be made on this machine.
    """
    from spcabench.comparison import conditions

    files = _rows(requested)
    stale = conditions.stale(files, missing=here and not all(map(Path.is_file, files)))
    if stale is None:
        return
    why, seconds = stale
    say(
        f"the kept times were taken {why}: all {len(requested)} solvers are timed again. The kept "
        f"runs took {seconds:.0f} s. --keep-times keeps them, and ranks no times",
        flush=True,
    )
    for file in files:
        file.unlink(missing_ok=True)


def _split(word: str) -> list[str]:
    """The names in a word, as --against takes them; a file's name may hold commas."""
    return [word] if word.endswith(".py") else word.split(",")


def _absolute(solver: str) -> str:
    """Keep a name, make a path absolute. Raises InputError if there is no such solver."""
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
    """The solvers of several components to compare with; those that were named must be some."""
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
    """Write what a comparison's page is made of, unless just that is written already.

    A page whose rows are missing is dropped: Snakemake makes no missing input of a page that is
    there, unless another input is newer.
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
    """The solvers that were named: label in this comparison -> name or file."""
    from spcabench.comparison import jobs

    labels = zip(jobs.labels(requested), requested, strict=True)
    return {label: job.solver for label, job in labels if job.solver in own}


def _broken(named: dict[str, str]) -> dict[str, list[str]]:
    """Label -> the promises that a given file breaks, each in a sentence."""
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
    """Join comparisons that were made on several machines.

    Quality and flops are ranked together, times on each machine.
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
    with exclusive_timing.shared():  # nothing is being timed
        from spcabench.page import comparison_page, components_page

        page = components_page if components_page.is_of_components(plan) else comparison_page
        say(page.write(plan))
