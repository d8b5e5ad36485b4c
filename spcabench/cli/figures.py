"""The commands that make and judge figures: what the workflow calls, and what a reader of the
papers calls.
"""

import json
import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from spcabench.errors import InputError

ROOT = Path(__file__).parents[2]
CORES = os.cpu_count() or 1
Jobs = Annotated[int, typer.Option(help="Jobs at a time; timed ones run alone.")]
Profile = Annotated[
    str, typer.Option(help="Folder of profiles/: slurm submits the jobs to a cluster.")
]


class Scale(StrEnum):
    """Sizes of the runs."""

    quick = "quick"
    paper = "paper"


Figure = Annotated[str, typer.Argument(help="Name of a figure or table.")]
Rows = Annotated[list[Path], typer.Option(help="Its rows (parquet); once for each file.")]


def run(figure: Figure, group: str, out: Path, scale: Scale = Scale.quick) -> None:
    """Make the rows of one job of a figure."""
    from spcabench.running.job import run_job

    run_job(figure, scale, group, out)


def draw(figure: Figure, rows: Rows, folder: Path, scale: Scale = Scale.quick) -> None:
    """Draw a figure from its rows, as SVG, PDF and PNG, and judge its claims."""
    from spcabench.page.draw import draw_figure, judge_figure

    draw_figure(figure, rows, folder)
    judge_figure(figure, scale, rows, folder / "claims.json")


def report(folder: Path) -> None:
    """Write the page of a scale from what is drawn and judged."""
    from spcabench.page.results_page import write_page

    print(write_page(folder))


def workflow(
    figures: Annotated[
        list[str] | None,
        typer.Argument(help="Figures to make; all of them, and the page, if none."),
    ] = None,
    scale: Scale = Scale.quick,
    jobs: Jobs = CORES,
    profile: Profile = "default",
) -> None:
    """Run, draw and judge figures, and write the page: only what is missing or has changed."""
    page = ROOT / "results" / scale / ("figures" if figures else "index.html")
    _make(scale, jobs, figures or [], profile)
    print(page)


def figure(
    name: Figure,
    scale: Scale = Scale.quick,
    out: Annotated[
        Path | None, typer.Option(help="Draw it to this file too: .pdf, .svg or .png.")
    ] = None,
    width: Annotated[float | None, typer.Option(help="Of OUT, in inches.", min=1, max=40)] = None,
    height: Annotated[float | None, typer.Option(help="Of OUT, in inches.", min=1, max=40)] = None,
    fontsize: Annotated[
        float | None, typer.Option(help="Of OUT, in points.", min=4, max=40)
    ] = None,
    title: Annotated[bool, typer.Option(help="Write the title above OUT.")] = True,
    jobs: Jobs = CORES,
) -> None:
    """Make one figure alone, and tell its verdicts; for a publication, draw it in a size and with
    embedded fonts.
    """
    from spcabench.cli import files as export
    from spcabench.page import draw
    from spcabench.running import grid

    export.check("--out", out, export.PICTURES)
    _make(scale, jobs, [name])
    home = ROOT / "results" / scale
    for claim in json.loads((home / "figures" / name / "claims.json").read_text(encoding="utf-8"))[
        "claims"
    ]:
        print(f"{claim['verdict']:9}  {claim['id']:4} {claim['variant']:12}  {claim['measured']}")
    print(home / "figures" / name / "figure.svg")
    if out is not None:
        rows = [
            home / "rows" / f / f"{g}.parquet"
            for f in (name, *grid.shared(name))
            for g in grid.groups(f, scale)
        ]
        draw.draw_to(name, rows, [out], width, height, fontsize, title)
        print(out)


def _make(scale: str, jobs: int, figures: list[str], profile: str = "default") -> None:
    """Make figures, or the page for none; exit where the workflow fails. Raises ValueError for an
    unknown name.
    """
    from spcabench import registry
    from spcabench.running.workflow import workflow as make

    for name in figures:
        registry.path("figure", name)
    checked(profile)
    home = f"results/{scale}"
    files = [
        f"{home}/figures/{name}/{file}"
        for name in figures
        for file in ("figure.svg", "claims.json")
    ]
    code = make(scale, jobs, files or [f"{home}/index.html"], ROOT, profile)
    if code:
        raise typer.Exit(code)


def checked(profile: str) -> str:
    """The profile itself. Raises ValueError where there is none of this name, or no Snakefile."""
    if not (ROOT / "Snakefile").is_file():
        raise InputError(
            "the workflow runs in a clone of the repository; an installed package has no Snakefile"
        )
    known = sorted(folder.name for folder in (ROOT / "profiles").iterdir())
    if profile not in known:
        raise InputError(f"--profile: {profile!r}; allowed are {', '.join(known)}")
    return profile


def verify(
    folder: Annotated[Path, typer.Argument(help="The run: results/SCALE.")] = ROOT
    / "results"
    / "quick",
    against: Annotated[
        Path | None, typer.Option(help="Another run; results/published if that has the scale.")
    ] = None,
    names: Annotated[
        Path | None, typer.Option(help="JSON: column -> {old: new}, renamed since the other run.")
    ] = None,
) -> None:
    """Judge a run's claims again from its kept rows alone, and compare its rows with those of
    another run.

    Status, support, iterations and flops must be identical, variances within 1e-9, and no row may
    be in one run only; times are not compared. Exit code 1 where anything differs.
    """
    from spcabench.page import verify as checks

    published, asked = ROOT / "results" / "published", against is not None
    if against is None and (published / "figures").is_dir() and folder.resolve() != published:
        against = published
    renamed = checks.read_names(names) if names else None
    found = [
        *checks.rejudge(folder),
        *(checks.against(folder, against, renamed, asked) if against else ()),
    ]
    for check in found:
        print("\n  ".join([check.line, *check.differences]))
    differences = sum(len(check.differences) for check in found)
    print(f"{differences} differences" if differences else "no difference")
    raise typer.Exit(int(differences > 0))


def publish(
    folder: Annotated[Path, typer.Argument(help="The run: results/SCALE.")] = ROOT
    / "results"
    / "paper",
) -> None:
    """Copy a run to results/published, small enough for git, and renew the README's gallery and
    table.
    """
    from spcabench.page import publish as publishing

    about = publishing.publish(folder, ROOT / "results" / "published", ROOT / "README.md")
    print(
        f"results/published: {about['figures']} figures, {about['bytes'] / 1e6:.1f} MB; commit it "
        "with README.md"
    )
