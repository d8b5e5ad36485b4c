"""The command `figure`, which draws and judges figures and tables of the papers."""

import re
import textwrap
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from spcabench import registry
from spcabench.cli import options
from spcabench.cli.results import print_statement
from spcabench.cli.steps import rows
from spcabench.errors import InputError
from spcabench.files import read_json, say, width


class Scale(StrEnum):
    """The scale of a run; ``long`` are the runs of the paper scale that take hours."""

    quick = "quick"
    paper = "paper"
    long = "long"


Scaled = Annotated[
    Scale,
    typer.Option(
        help="Scale of the runs. long only executes the runs of the scale paper that take hours "
        "and have no published row, and draws nothing."
    ),
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
Size = Annotated[
    str | None,
    typer.Option(
        metavar="WIDTHxHEIGHT[,POINTS]",
        help="Size of OUT in inches, and of its text in points: 7x3.2 or 7x3.2,8.",
    ),
]
NUMBER = r"([0-9]{1,2}(?:\.[0-9]+)?)"
SIZE = re.compile(f"{NUMBER}x{NUMBER}(?:,{NUMBER})?")


def make_figures(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="Figures or tables to draw. The default is all of them, and their page.",
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

    For example:

    `spcabench figure`

    `spcabench figure kuleshov2013_fig2`

    `spcabench figure kuleshov2013_fig2 --out talk.pdf --size 5x3`

    `spcabench figure kuleshov2013_fig2 --seeds 20:40`
    """
    if out is not None and len(names or ()) != 1:
        raise InputError(f"--out: can only draw one figure, but {len(names or ())} were named")
    if out is None and size is not None:
        raise InputError("--size: requires --out")
    drawn = _size(size)
    if out is not None:  # imported here, because most calls draw nothing
        from spcabench.cli import output_files

        output_files.check("--out", out, output_files.PICTURES)
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
            from spcabench.page import draw

            draw.draw_to(name, rows(name, home_name), [out], *drawn)
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
    """Print the verdict on each statement of a figure, the counts of verdicts, and the files.

    If a statement is published, the published verdict stands below the new one.
    """
    from spcabench.page import claims_file, in_short

    home = options.ROOT / "results" / scale
    folder = home / "figures" / figure
    report = claims_file.read(folder / claims_file.NAME, figure)
    earlier = options.published() / "figures" / figure / claims_file.NAME
    published = claims_file.read(earlier, figure)["statements"] if earlier.exists() else []
    verdicts = {s["id"]: f"    published: {s['verdict']}: {s['short']}" for s in published}
    for statement in in_short.ordered(report["statements"]):
        print_statement(statement)
        say(verdicts.get(statement["id"], "    not published"))
    _print_counts(report["statements"], scale)
    say(f"tests: {registry.path('figure', figure)}")
    say(folder / "figure.svg")
    page = home / f"{report['paper']}.html"
    # an older page could show other verdicts
    if page.exists() and page.stat().st_mtime >= (folder / claims_file.NAME).stat().st_mtime:
        say(f"{page}#{figure}")


def _print_counts(statements: list[dict[str, Any]], scale: str) -> None:
    """Print the number of statements with each verdict."""
    from spcabench.page import in_short

    counts = in_short.told(in_short.counts(statements))
    say(textwrap.fill(f"{counts} ({scale} scale)", width()))


def _make(scale: str, jobs: int, figures: list[str], profile: str = "default") -> None:
    """Draw figures, or write the page if no figure is named; exit if the workflow fails."""
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
