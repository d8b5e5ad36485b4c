"""The commands `compare` and `merge`, and a hidden command that writes the page of a comparison."""

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
    from spcabench.comparison.fresh import Problems
    from spcabench.comparison.jobs import Job

HOME = Path("results") / "compare"
COMPONENTS, SEEDS = "components", 5  # copied from `comparison.jobs`, which is slow to import
UNLESS_KEPT = "unless kept"  # draw a seed, unless the files and their problems are as before
# other entries of the folder HOME
TAKEN = ("checks", "commands", "jobs", "rows", "tuning", "workflow.log")

Named = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SOLVERS",
        help="Names of solvers, separated by spaces or commas, or files, separated by spaces. The "
        "default is all solvers.",
    ),
]
Against = Annotated[
    str,
    typer.Option(
        help="Other solvers in the comparison: names separated by commas, all, or none. Without "
        "SOLVERS, only these solvers are compared."
    ),
]
Suite = Annotated[
    str,
    typer.Option(
        help="Problems to solve: standard, quick, text, genes, nonnegative, adversarial, "
        "certified, large, or components (several components)."
    ),
]
Limit = Annotated[
    float,
    typer.Option(help="Maximum seconds per run.", min=0.01, callback=options.finite),
]
Settings = Annotated[str, typer.Option(help="Settings of the solvers: default, paper or tuned.")]
Fresh = Annotated[
    str | None,
    typer.Option(
        metavar="[SEED]",
        help="Use new problems of the same families, which no solver has seen. A new seed is drawn "
        "and printed. If you specify SEED instead, the page warns that it was not drawn. A "
        "comparison with a file of your own uses new problems by default.",
    ),
]
Public = Annotated[
    bool,
    typer.Option(
        "--public",
        help="Use the problems of the suite for files of your own, too. The page warns that such "
        "a file can contain the answers to these problems.",
    ),
]
Keep = Annotated[
    bool,
    typer.Option(
        "--keep-times",
        help="Reuse stored times that were measured at another speed of the machine. Times are "
        "then not ranked.",
    ),
]
Command = Annotated[
    str | None,
    typer.Option(
        metavar="WORDS",
        help="Command of a solver in any language, such as 'julia my.jl {data} {k} {out}'; "
        "requires --name. {data} or {covariance} is the problem as .npy file ({data:csv} or "
        "{data:mtx} for other formats). The command writes a vector to {out} as text ({out:npy} "
        "for .npy).",
    ),
]
Seeds = Annotated[
    int,
    typer.Option(
        help="Number of seeds for a randomised solver, which is ranked by its mean.", min=1, max=100
    ),
]
Paper = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Write material for a paper to this folder: a table with intervals, figures (PDF), a "
        "description of the set-up, references and main.tex.",
    ),
]
Title = Annotated[
    str | None,
    typer.Option(
        "--name",
        help="Name of the page (by default derived from the solvers), or of the solver in "
        "--command.",
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
    public: Public = False,
    seeds: Seeds = SEEDS,
    keep_times: Keep = False,
    command: Command = None,
    name: Title = None,
    paper: Paper = None,
    jobs: options.Jobs = options.CORES,
    profile: options.Profile = "default",
) -> None:
    """Compare solvers on standard problems.

    Writes a page and prints a table. Only runs that are missing or whose solver has changed are
    executed. If a file of your own was changed, new problems are drawn, and all solvers run on
    them. With -k, the cardinalities of the problems are replaced.
    """
    from spcabench.comparison import violations
    from spcabench.comparison.jobs import Job, labels
    from spcabench.running import workflow

    # reject invalid options before the descriptions of solvers are read, which starts processes
    workflow.profile_folder(profile)
    own = [  # the name of a file can contain commas
        _absolute(solver)
        for word in named or []
        for solver in ([word] if word.endswith(".py") else word.split(","))
    ]
    if command is None and not own:  # solvers named in --against alone are compared with each other
        if against == "none":
            raise InputError(
                "--against none: specify solvers to compare, or omit --against to compare all"
            )
        if against != "all":
            own, against = [_absolute(solver) for solver in against.split(",")], "none"
    _check_seed(fresh, public)
    if suite == COMPONENTS:
        _refuse_for_several(k, settings, command, paper)
    if paper is not None:
        atomic_files.make_folder(paper)  # fail before the runs if the folder cannot be written
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
    job_of = dict(zip(labels(requested), requested, strict=True))
    broken = violations.found(job_of, options.ROOT / HOME / "checks")
    if fresh is None and not public and not all(job.is_ours for job in requested):
        fresh = UNLESS_KEPT
    title = name or "-".join([*(Path(solver).stem for solver in own[:3]), _kind(requested, fresh)])
    _check_title(title)
    plan = options.ROOT / HOME / title / "plan.json"
    here = None if keep_times else profile == "default"
    # drawn after the files were imported and checked, so they can neither see nor influence it
    problems = _problems(fresh, plan, requested, here)
    requested = [replace(job, fresh=problems.seed) for job in requested]
    _write_plan(plan, own, requested, broken, problems)
    say(
        f"suite {suite!r}: one job per solver ({len(requested)}); stored results are reused",
        flush=True,
    )
    _make(title, jobs, profile)
    _say_seed(problems)
    if paper is not None:
        from spcabench.page import paper_kit

        say(paper_kit.write(options.ROOT / HOME / title, paper))


def _tuned(job: "Job") -> "Job":
    """Tune the settings of a job on its solver's GRID, if the job requests it, and report them."""
    if job.settings != "tuned":
        return job
    from spcabench.comparison import tuning

    chosen = tuning.tuned(job, options.ROOT / HOME / "tuning")
    if chosen.tuned_on:
        say(f"{job.label}: {chosen.tuned_on}", flush=True)
    return chosen


def _refuse_for_several(
    k: str | None, settings: str, command: str | None, paper: Path | None
) -> None:
    """Raise InputError if an option does not apply to a comparison of several components."""
    if k or settings != "default" or command is not None or paper is not None:
        raise InputError(
            f"--suite {COMPONENTS}: cannot be combined with -k, --settings, --command or --paper"
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
    """Raise InputError if the name of a page is reserved or is not a valid folder name."""
    plain = re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_. +-]{0,150}", title)
    if not plain or title in TAKEN or title.endswith((".", " ")):
        raise InputError(
            f"--name: {title!r:.60}; use at most 150 letters, digits, spaces and _.+-, and not the "
            f"names {', '.join(TAKEN)}"
        )


def _check_sizes(suite_name: str, ks: tuple[int, ...]) -> None:
    """Raise InputError if a cardinality exceeds the number of variables of every problem.

    If it exceeds the number of variables of some problems, tell the user.
    """
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
    small = [f"{item.name} ({item.variables})" for item in items if 0 < item.variables < max(ks)]
    if small:
        say(f"-k: larger values than the number of variables are left out: {', '.join(small)}")


def _of_command(command: str, name: str | None) -> str:
    """Write a solver file that runs an external command, and return its path."""
    from spcabench.running import external_solver

    if name is None or not (name.isidentifier() and name.isascii()):
        raise InputError(
            f"--name: {name!a}; a --command needs a name that consists of letters, digits and _"
        )
    file = (options.ROOT / HOME / "commands" / f"{name}.py").absolute()
    atomic_files.write_changed(file, external_solver.text_of(command, Path.cwd()))
    return str(file)


def _check_seed(fresh: str | None, public: bool) -> None:
    """Raise InputError if the seed of --fresh is invalid, or if --public is specified too."""
    if fresh not in (None, options.NEW) and not re.fullmatch(r"[0-9]{1,18}", str(fresh)):
        raise InputError(f"--fresh: {fresh!r}; the seed must be a whole number, at least 0")
    if public and fresh is not None:
        raise InputError("--public: cannot be combined with --fresh, which uses new problems")


def _kind(requested: list["Job"], fresh: str | None) -> str:
    """Return the name of the suite, the settings and the limits, with a seed if it was specified.

    A drawn seed is not part of the name, so that the page of a changed file replaces the old one.
    """
    if fresh is None:
        return requested[0].folder
    if fresh.isdecimal():
        return replace(requested[0], fresh=int(fresh)).folder
    return replace(requested[0], fresh=0).folder.replace("-fresh0", "-fresh", 1)


def _problems(
    fresh: str | None, plan: Path, requested: list["Job"], here: bool | None
) -> "Problems":
    """Choose the problems of a comparison, and tell the user.

    plan : the file of an earlier plan, whose problems can be kept. here : whether missing rows will
        be computed on this machine, or None to keep stored times at all events.
    """
    from spcabench.comparison import fresh as fresh_problems

    def without_stale_times(seed: int | None) -> None:
        if here is not None:
            _drop_stale_times([replace(job, fresh=seed) for job in requested], here)

    if fresh is None or fresh.isdecimal():
        seed = None if fresh is None else int(fresh)
        without_stale_times(seed)
        if seed is not None:
            say(f"new problems with seed {seed}, which was not drawn now, as the page will state")
        return fresh_problems.Problems(seed)
    earlier = fresh_problems.kept(plan, requested) if fresh == UNLESS_KEPT else None
    if earlier is not None:
        without_stale_times(earlier.seed)
        earlier = fresh_problems.kept(plan, requested)  # unless the rows of the files were deleted
    if earlier is not None:
        say("problems drawn earlier for the same files; to draw new ones, use --fresh", flush=True)
        return earlier
    why = (
        ", because a file of your own could contain the answers to the public problems. All "
        "solvers run on them. --public uses the public problems"
    )
    say(f"new problems, drawn now{why if fresh == UNLESS_KEPT else ''}", flush=True)
    return fresh_problems.drawn(requested)


def _say_seed(problems: "Problems") -> None:
    """Print a drawn seed, after all runs: a file could read it if the output goes to a file."""
    if problems.drawn:
        say(
            f"The problems were drawn with seed {problems.seed}. --fresh {problems.seed} keeps "
            "them while you change a file, so that only this file runs."
        )


def _rows(requested: list["Job"]) -> list[Path]:
    """Return the files with the rows of a comparison."""
    return [options.ROOT / HOME / "rows" / job.folder / f"{job.key}.parquet" for job in requested]


def _drop_stale_times(requested: list["Job"], here: bool) -> None:
    """Delete the rows of all jobs, and tell the user, if their stored times are not comparable.

    here : whether missing rows will be computed on this machine.
    """
    from spcabench.comparison import conditions

    files = _rows(requested)
    stale = conditions.stale(files, missing=here and not all(map(Path.is_file, files)))
    if stale is None:
        return
    why, seconds = stale
    where = "" if all(job.is_ours for job in requested) else ", and a drawn seed is drawn again"
    say(
        f"stored times were measured {why}, so all {len(requested)} solvers run again (last time "
        f"{seconds:.0f} s){where}. To keep the stored times without ranking them, use --keep-times",
        flush=True,
    )
    for file in files:
        file.unlink(missing_ok=True)


def _absolute(solver: str) -> str:
    """Return a name unchanged, or a path as absolute; raise InputError for an unknown solver."""
    from spcabench import registry

    registry.path("solver", solver)
    return str(Path(solver).resolve()) if solver.endswith(".py") else solver


def _others(own: list[str], against: str, suite_name: str, settings: str) -> list[str]:
    """Return the other solvers in a comparison."""
    from spcabench.comparison import jobs, suite

    if suite_name == COMPONENTS:
        return _others_of_components(own, against)
    suite.items(suite_name)  # raises for an unknown name
    suite.settings_of(settings)
    if against == "all":
        return jobs.entrants(suite_name)
    return [] if against == "none" else [_absolute(other) for other in against.split(",")]


def _others_of_components(own: list[str], against: str) -> list[str]:
    """Return the other solvers in a comparison of several components."""
    from spcabench.comparison.components import ways
    from spcabench.running.description import describe

    others = [] if against in ("none", "all") else [_absolute(s) for s in against.split(",")]
    for argument, named in {"solver": own, "--against": others}.items():
        for solver in named:
            if not ways.ways(solver, describe(solver).traits):
                raise InputError(f"{argument}: {solver!r} cannot compute several signed components")
    return ways.entrants() if against == "all" else others


def _write_plan(
    plan: Path,
    own: list[str],
    requested: list["Job"],
    broken: dict[str, list[str]],
    problems: "Problems",
) -> None:
    """Write the plan of a comparison, unless the file already contains the same plan.

    If rows are missing, the page is deleted. Otherwise Snakemake would not compute the missing
    inputs of the existing page unless another input is newer.
    """
    from spcabench.comparison.jobs import Comparison

    files = [job.write(options.ROOT / HOME / "jobs") for job in requested]
    named = _named(own, requested)
    jobs = [str(file.relative_to(options.ROOT)) for file in files]
    about = (problems.drawn, problems.files, problems.continued)
    text = Comparison(plan.parent.name, [*named], broken, jobs, *about).text()
    atomic_files.write_changed(plan, text)
    if not all(map(Path.is_file, _rows(requested))):
        plan.with_name("index.html").unlink(missing_ok=True)


def _named(own: list[str], requested: list["Job"]) -> dict[str, str]:
    """Return a mapping from the label of each solver in ``own`` to its name or file."""
    from spcabench.comparison import jobs

    labels = zip(jobs.labels(requested), requested, strict=True)
    return {label: job.solver for label, job in labels if job.solver in own}


def merge(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDERS", help="Two or more folders of comparisons.")
    ],
    name: Annotated[str, typer.Option(help="Name of the page.")] = "merged",
) -> None:
    """Merge comparisons from several machines.

    Quality and flops are ranked across machines. Times are ranked separately for each machine.
    """
    from spcabench.page import comparison_page

    for folder in folders:
        opening.folder(folder, "the folder of a comparison")
    if len(folders) < 2 or len({folder.resolve().name for folder in folders}) < len(folders):
        raise InputError("merge: specify at least two folders with different names")
    _check_title(name)
    folder = options.ROOT / HOME / name
    atomic_files.make_folder(folder)
    page = comparison_page.write_merged(folder, folders)
    say((folder / "ranking.txt").read_text(encoding="utf-8").rstrip())
    say(page)


def write_page(
    plan: Annotated[Path, typer.Argument(help="JSON file with the plan of the comparison.")],
) -> None:
    """Write the page of a comparison from its rows."""
    with exclusive_timing.shared():  # wait until no run is being timed
        from spcabench.page import comparison_page, components_page

        page = components_page if components_page.is_of_components(plan) else comparison_page
        say(page.write(plan))
