"""Commands that draw, judge, verify and publish figures from the papers."""

import re
import sys
import textwrap
from enum import StrEnum
from importlib.metadata import metadata
from pathlib import Path
from typing import Annotated, Any

import typer

from spcabench import machine
from spcabench.cli import options
from spcabench.errors import InputError, using_file
from spcabench.files import existing_folder, plain, read_json, say, width
from spcabench.running import exclusive_timing

COLOURS = {
    "holds": "bold green",
    "fails": "bold red",
    "depends": "bold magenta",
    "open": "bold yellow",
}
COMPARE = "compare"  # name of the folder of comparisons, next to the folders of the scales


class Scale(StrEnum):
    """The scale of a run; ``long`` are the runs of the paper scale that take hours."""

    quick = "quick"
    paper = "paper"
    long = "long"


Figure = Annotated[
    str,
    typer.Argument(help="Name of a figure or table.", autocompletion=options.figure_names),
]
Scaled = Annotated[
    Scale,
    typer.Option(
        help="Scale of the runs. long only executes the runs of the scale paper that take hours "
        "and have no published row, and draws nothing."
    ),
]
Home = Annotated[
    str, typer.Argument(help="Name of the folder of the run, which consists of scale and seeds.")
]
Seeds = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBERS",
        help="Seeds that replace those of the figure: 7, a list 1,5,7, or a range 20:40 (including "
        "40). Results are written to results/SCALE-seeds-20-40, and are never published.",
    ),
]
LONGEST_SEEDS = 60  # maximum length in characters, because the name of a folder includes them
HOMES = re.compile("(quick|paper)(-seeds-[0-9]+(-[0-9]+){0,2}(,[0-9]+(-[0-9]+){0,2})*)?")
Size = Annotated[
    str | None,
    typer.Option(
        metavar="WIDTHxHEIGHT[,POINTS]",
        help="Size of OUT in inches, and of its text in points: 7x3.2 or 7x3.2,8.",
    ),
]
NUMBER = r"([0-9]{1,2}(?:\.[0-9]+)?)"
SIZE = re.compile(f"{NUMBER}x{NUMBER}(?:,{NUMBER})?")
Published = Annotated[Path, typer.Argument(help="Folder of the run: results/SCALE.")]


def run_job(
    out: Annotated[
        Path,
        typer.Argument(help="File for the rows: results/SCALE/rows/FIGURE/JOB.parquet."),
    ],
) -> None:
    """Compute the rows of one job, which is identified by the path of the output file.

    The rows of a solver in a comparison are in results/compare/rows/FOLDER/SOLVER.parquet.
    """
    with exclusive_timing.shared():  # imports keep a core busy for a second
        from spcabench.comparison import plans
        from spcabench.running import jobs, runner

        if out.suffix != ".parquet" or out.parent.parent.name != "rows":
            raise InputError(
                f"{out}: not a path for rows; it must be results/SCALE/rows/FIGURE/JOB.parquet"
            )
        home = out.parents[2]
        if home.name == COMPARE:
            job = plans.job_of(out)
        else:
            job = jobs.job(out.parent.name, _scale(home.name), out.stem, home.parents[1])
    runner.run_job(job)


def _scale(home: str) -> str:
    """Return the name of a results folder after validating its scale and seeds."""
    if not HOMES.fullmatch(home):
        raise InputError(f"{home!r:.60}: not a folder of results; choose quick, paper or compare")
    return home


def draw_figure(figure: Figure, scale: Home) -> None:
    """Draw a figure as SVG, PDF and PNG, and judge its statements.

    Rows that are missing or out of date are computed first. At paper scale, other steps have
    computed them already.
    """
    _scale(scale)
    with exclusive_timing.shared():  # wait until no run is being timed
        from spcabench.page import draw
        from spcabench.running import jobs, runner

        todo = [jobs.job(figure, scale, name) for name in jobs.jobs(figure, scale)]
    for job in todo:
        if not runner.is_current(job):
            runner.run_job(job)
    folder = Path("results") / scale / "figures" / figure
    with exclusive_timing.shared():
        files = _rows(figure, scale, Path())  # a step of the workflow works in its folder
        draw.draw_figure(figure, files, folder)
        draw.judge_figure(figure, scale, files, folder / "claims.json")


def write_report(
    folder: Annotated[Path, typer.Argument(help="Folder of the run: results/SCALE.")],
) -> None:
    """Write the results page of a run after its figures were drawn and judged."""
    _check_run(folder)
    with exclusive_timing.shared():
        from spcabench.page import results_page

        say(results_page.write_page(folder))


def _check_run(folder: Path) -> None:
    """Raise InputError if a folder does not contain the figures of a run."""
    with using_file(folder):
        if not any(folder.glob("figures/*/claims.json")):
            raise InputError(
                f"{folder}: no figures found; specify the folder of a run, results/SCALE"
            )


def make_figures(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="Figures or tables to draw. The default is all of them, and their page.",
            autocompletion=options.figure_names,
        ),
    ] = None,
    scale: Scaled = Scale.quick,
    seeds: Seeds = None,
    out: Annotated[
        Path | None, typer.Option(help="Also draw the figure to this file: .pdf, .svg or .png.")
    ] = None,
    size: Size = None,
    jobs: options.Jobs = options.CORES,
    profile: options.Profile = "default",
) -> None:
    """Draw figures of the papers, and print their verdicts.

    Without a name, all figures are drawn, and their page is written. Only results that are missing
    or out of date are computed. For a publication, --out draws one figure in a size of your choice
    with embedded fonts. With --seeds, figures are drawn and judged on new random problems.

    A figure can have runs that take hours, which are only executed with --scale long. If the
    command is killed, finished runs remain. `spcabench publish --only NAME` publishes them, and
    they are then not executed again.
    """
    if out is not None and len(names or ()) != 1:
        raise InputError(f"--out: can only draw one figure, but {len(names or ())} were named")
    if out is None and size is not None:
        raise InputError("--size: requires --out")
    drawn = _size(size)
    if out is not None:  # imported here, because most calls draw nothing
        from spcabench.cli import files
        from spcabench.page import draw

        files.check("--out", out, files.PICTURES)
    if scale is Scale.long:
        _make_long(names or [], {"--out": out, "--seeds": seeds}, profile)
        return
    home_name = scale if seeds is None else _with_seeds(scale, seeds, names or [])
    _make(home_name, jobs, names or [], profile)
    if not names:
        home = options.ROOT / "results" / scale
        _print_counts(read_json(home / "claims.json")["statements"], scale)
        say(home / "index.html")
    for name in names or ():
        _print_verdicts(name, home_name)
        if out is not None:
            draw.draw_to(name, _rows(name, home_name), [out], *drawn)
            say(out)


def _size(text: str | None) -> tuple[float | None, float | None, float | None]:
    """Return the width, height and font size in the value of --size, or None for each."""
    if text is None:
        return None, None, None
    found = SIZE.fullmatch(text)
    width, height, points = map(float, found.groups("10")) if found else (0.0, 0.0, 0.0)
    if not (1.0 <= width <= 40.0 and 1.0 <= height <= 40.0 and 4.0 <= points <= 40.0):
        raise InputError(
            f"--size: {text!r:.40}; write WIDTHxHEIGHT in inches from 1 to 40, and optionally the "
            "size of the text in points from 4 to 40, such as 7x3.2,8"
        )
    return width, height, points if "," in text else None


def _make_long(names: list[str], others: dict[str, Any], profile: str) -> None:
    """Execute the long runs of figures that have no published row."""
    from spcabench import registry
    from spcabench.running import jobs as figure_jobs
    from spcabench.running import workflow

    for option, value in others.items():
        if value is not None:
            raise InputError(f"--scale long: draws nothing, so it cannot be combined with {option}")
    if not names:
        raise InputError("--scale long: name the figures whose long runs should be executed")
    workflow.profile_folder(profile)
    files = []
    for name in names:
        registry.path("figure", name)
        missing = figure_jobs.unpublished(options.ROOT / "results" / "published", name, Scale.paper)
        say(f"{name}: {len(missing)} long runs have no published row")
        files += [figure_jobs.rows_file(name, Scale.paper, job) for job in missing]
    log = options.ROOT / "results" / Scale.paper / "workflow.log"
    # one by one, because a workflow would not keep their order, and they are timed anyway
    for file in files:
        if code := workflow.workflow([file], log, 1, options.ROOT, profile):
            raise typer.Exit(code)


def _with_seeds(scale: str, seeds: str, names: list[str]) -> str:
    """Return the name of the results folder for figures with other seeds."""
    from spcabench.running import jobs as figure_jobs

    options.listed(seeds, "--seeds", 0)
    if len(seeds) > LONGEST_SEEDS or re.sub("[0-9,:]", "", seeds):
        raise InputError(
            f"--seeds: {seeds!r:.60}; use at most {LONGEST_SEEDS} characters: digits, commas "
            "and colons"
        )
    if not names:
        raise InputError("--seeds: specify the figures to draw with these seeds")
    for name in names:
        if not figure_jobs.has_seeds(figure_jobs.runs_of(name, scale)):
            raise InputError(f"--seeds: {name} does not use seeds, because its data are fixed")
    return f"{scale}{figure_jobs.SEEDS}{seeds.replace(':', '-')}"


def _print_verdicts(figure: str, scale: str) -> None:
    """Print the verdict on each statement of a figure, the counts of verdicts, and the files."""
    from spcabench import registry
    from spcabench.page import claims_file, in_short

    home = options.ROOT / "results" / scale
    folder = home / "figures" / figure
    report = claims_file.read(folder / claims_file.NAME, figure)
    for statement in in_short.ordered(report["statements"]):
        print_statement(statement)
    _print_counts(report["statements"], scale)
    say(f"tests: {registry.path('figure', figure)}")
    say(folder / "figure.svg")
    page = home / f"{report['paper']}.html"
    # an older page could show other verdicts
    if page.exists() and page.stat().st_mtime >= (folder / claims_file.NAME).stat().st_mtime:
        say(f"{page}#{figure}")


def print_statement(statement: dict[str, Any], whole: bool = False) -> None:
    """Print a statement, with a coloured verdict if the terminal supports colours.

    whole : print its quotation, rule and places too.
    """
    from rich.console import Console
    from rich.text import Text

    from spcabench.page import forest

    shown, verdict = (
        Text(plain((forest.text if whole else forest.brief)(statement))),
        statement["verdict"],
    )
    begin = len(statement["id"]) + 1
    shown.stylize(COLOURS[verdict], begin, begin + len(verdict))
    Console().print(shown, soft_wrap=True)  # the text is already wrapped


def _print_counts(statements: list[dict[str, Any]], scale: str) -> None:
    """Print the number of statements with each verdict."""
    from spcabench.page import in_short

    counts = in_short.told(in_short.counts(statements))
    say(textwrap.fill(f"{counts} ({scale} scale)", width()))


def _rows(figure: str, scale: str, root: Path = options.ROOT) -> list[Path]:
    """Return the files with the rows of a figure, including rows shared with other figures."""
    from spcabench.running import jobs as figure_jobs

    return [
        root / figure_jobs.rows_file(name, scale, job)
        for name in (figure, *figure_jobs.shared(figure))
        for job in figure_jobs.jobs(name, scale)
    ]


def _make(scale: str, jobs: int, figures: list[str], profile: str = "default") -> None:
    """Draw figures, or write the page if no figure is named; exit if the workflow fails."""
    from spcabench import registry
    from spcabench.running import workflow

    for name in figures:
        registry.path("figure", name)
    workflow.profile_folder(profile)
    home = f"results/{scale}"
    targets = [
        f"{home}/figures/{name}/{file}"
        for name in figures
        for file in ("figure.svg", "claims.json")
    ]
    log = options.ROOT / home / "workflow.log"
    page = [f"{home}/index.html"]
    if code := workflow.workflow(targets or page, log, jobs, options.ROOT, profile):
        raise typer.Exit(code)


def verify_run(
    folder: Published = options.ROOT / "results" / "quick",
    against: Annotated[
        Path | None,
        typer.Argument(
            help="Another run. The default is results/published, if it has the same scale."
        ),
    ] = None,
) -> None:
    """Judge a run again, and compare it with another run.

    Verdicts are recomputed from the rows. The two runs must have the same rows, with identical
    status, support, iterations and flops, and with variances that agree within 1e-9. Times are not
    compared. The exit code is 1 if there is a difference.
    """
    from spcabench.page import verify

    published, named = options.ROOT / "results" / "published", against is not None
    if (
        against is None
        and (published / "figures").is_dir()
        and folder.resolve() != published.resolve()
    ):
        against = published
    checks = [
        *verify.rejudge(folder),
        *(verify.against(folder, against, None, named) if against else ()),
    ]
    for check in checks:
        say("\n  ".join([check.line, *check.differences]))
    differences = sum(len(check.differences) for check in checks)
    say(f"{differences} differences" if differences else "no difference")
    raise typer.Exit(int(differences > 0))


def publish_run(
    folder: Published = options.ROOT / "results" / "paper",
    comparisons: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[COMPARISON]...", help="Folders of comparisons to publish as well."
        ),
    ] = None,
    fewer: Annotated[
        bool, typer.Option("--fewer", help="Remove published figures that this run does not have.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Replace this figure only, and keep all others. Repeatable.",
            autocompletion=options.figure_names,
        ),
    ] = None,
) -> None:
    """Copy a run to results/published, and update the README.

    The gallery and the table in the README are updated. Files that are too large for git are not
    copied. Comparisons that were published earlier are kept.

    With --only, groups of rows in this run replace published groups with the same name, and the
    figure is drawn and judged from all its rows. Each row retains the commit that computed it.
    """
    from spcabench.page import publish

    _check_run(options.ROOT / "results" / "published" if only else folder)
    if machine.checkout() is None:
        raise InputError("publish: only works in a clone of the repository")
    _check_seeds(folder)
    for source in comparisons or ():
        existing_folder(source, "the folder of a comparison")
        if not (source / "plan.json").is_file():
            raise InputError(f"{source} has no plan.json, so it is not a comparison")
    root = options.ROOT
    out = root / "results" / "published"
    about = publish.publish(folder, out, root / "README.md", comparisons or (), fewer, only or ())
    say(
        f"results/published: {about['figures']} figures, {about['bytes'] / 1e6:.1f} MB; commit it "
        "with README.md"
    )


def _check_seeds(folder: Path) -> None:
    """Raise InputError if the seeds of a run differ from those of the figures."""
    from spcabench.page import claims_file
    from spcabench.running import jobs as figure_jobs

    if not any(folder.glob("figures/*/claims.json")):
        return  # a folder of rows for --only
    scales = {report["scale"] for report in claims_file.read_all(folder).values()}
    for scale in sorted(scales):
        if figure_jobs.SEEDS in scale:
            raise InputError(
                f"{folder}: cannot be published, because it has other seeds than the figures "
                f"({scale})"
            )


def explore() -> None:
    """Open the published results in the browser: those of the clone, or else on the web."""
    page = options.ROOT / "results" / "published" / "index.html"
    address = page.resolve().as_uri() if page.is_file() else _on_the_web()
    if not address:
        raise InputError(
            "explore: the published results are in a clone of the repository only; this package "
            "names no web address of them"
        )
    say(address)
    if sys.stdout.isatty():
        typer.launch(address)


def _on_the_web() -> str:
    """Return the address named Results in the package's metadata ([project.urls]), or ""."""
    named = metadata("spcabench").get_all("Project-URL") or []
    return next((url.partition(", ")[2] for url in named if url.startswith("Results, ")), "")
