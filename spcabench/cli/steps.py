"""The steps of the workflow, which are hidden from users: rows, figures and the results page."""

from pathlib import Path
from typing import Annotated

import typer

from spcabench.cli import options
from spcabench.errors import InputError, using_file
from spcabench.files import say
from spcabench.running import exclusive_timing

COMPARE = "compare"  # name of the folder of comparisons, next to the folders of the scales
Figure = Annotated[
    str,
    typer.Argument(help="Name of a figure or table."),
]
Home = Annotated[
    str, typer.Argument(help="Name of the folder of the run, which consists of scale and seeds.")
]


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

        home = out.parents[2]
        if home.name == COMPARE:
            job = plans.job_of(out)
        else:
            job = jobs.job(out.parent.name, home.name, out.stem, home.parents[1])
    runner.run_job(job)


def draw_figure(figure: Figure, scale: Home) -> None:
    """Draw a figure as SVG, PDF and PNG, and judge its statements.

    Rows that are missing or out of date are computed first. At paper scale, other steps have
    computed them already.
    """
    with exclusive_timing.shared():  # wait until no run is being timed
        from spcabench.page import draw
        from spcabench.running import jobs, runner

        todo = [jobs.job(figure, scale, name) for name in jobs.jobs(figure, scale)]
    for job in todo:
        if not runner.is_current(job):
            runner.run_job(job)
    folder = Path("results") / scale / "figures" / figure
    with exclusive_timing.shared():
        files = rows(figure, scale, Path())  # a step of the workflow works in its folder
        draw.draw_figure(figure, files, folder)
        draw.judge_figure(figure, scale, files, folder / "claims.json")


def write_report(
    folder: Annotated[Path, typer.Argument(help="Folder of the run: results/SCALE.")],
) -> None:
    """Write the results page of a run after its figures were drawn and judged."""
    check_run(folder)
    with exclusive_timing.shared():
        from spcabench.page import results_page

        say(results_page.write_page(folder))


def check_run(folder: Path) -> None:
    """Raise InputError if a folder does not contain the figures of a run."""
    with using_file(folder):
        if not any(folder.glob("figures/*/claims.json")):
            raise InputError(
                f"{folder}: no figures found; specify the folder of a run, results/SCALE"
            )


def rows(figure: str, scale: str, root: Path = options.ROOT) -> list[Path]:
    """Return the files with the rows of a figure, including rows shared with other figures."""
    from spcabench.running import jobs as figure_jobs

    return [
        root / figure_jobs.rows_file(name, scale, job)
        for name in (figure, *figure_jobs.shared(figure))
        for job in figure_jobs.jobs(name, scale)
    ]
