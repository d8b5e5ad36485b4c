"""The commands `claim`, `verify`, `publish` and `explore`, which show and publish results."""

import sys
from importlib.metadata import metadata
from pathlib import Path
from typing import Annotated, Any

import typer

from spcabench import machine
from spcabench.cli import options
from spcabench.cli.steps import check_run
from spcabench.errors import InputError
from spcabench.files import existing_folder, plain, say

COLOURS = {
    "holds": "bold green",
    "fails": "bold red",
    "depends": "bold magenta",
    "open": "bold yellow",
}
Published = Annotated[Path, typer.Argument(help="Folder of the run: results/SCALE.")]


def show_claim(
    ids: Annotated[
        list[str], typer.Argument(help="Ids of statements, such as K3.", metavar="ID...")
    ],
    run: Annotated[
        Path | None,
        typer.Option(
            help="Folder of a run. The default is results/published or, without it, results/quick."
        ),
    ] = None,
) -> None:
    """Show a statement of a paper with its rule, numbers and verdict."""
    from spcabench.page import claims_file

    published, quick = (options.ROOT / "results" / name for name in ("published", "quick"))
    folder = run or (published if published.exists() else quick)
    # a figure that was drawn separately is newer than the claims file of the run
    reports = claims_file.read_all(folder)
    for statement in _found(ids, claims_file.of_run(reports)):
        print_statement(statement, whole=True)
        report = reports[statement["figure"]]
        say(f"  run: {folder}, {report['scale']} scale, {report['written'][:10]}")
        say(f"  card: {folder / statement['paper_key']}.html#{statement['id']}\n")


def _found(ids: list[str], statements: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the statements with these ids; raise InputError if the run lacks an id."""
    from spcabench import validate

    names = {statement["id"].casefold(): statement["id"] for statement in statements}
    chosen = []
    for id in ids:
        if id.casefold() not in names:
            raise InputError(validate.nearest("statement", id, names.values()))
        chosen += [s for s in statements if s["id"] == names[id.casefold()]]
    return chosen


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


def verify_run(
    folder: Published = options.ROOT / "results" / "quick",
    against: Annotated[
        Path | None,
        typer.Argument(
            help="Another run. The default is results/published, if it has the same scale."
        ),
    ] = None,
    since: Annotated[
        str,
        typer.Option(
            "--against",
            metavar="RELEASE",
            help="Only say which published numbers and verdicts changed since a release, and why.",
        ),
    ] = "",
) -> None:
    """Judge a run again, and compare it with another run.

    Verdicts are recomputed from the rows. The two runs must have the same rows, with identical
    status, support, iterations and flops, and with variances that agree within 1e-9. Times are not
    compared. The exit code is 1 if there is a difference.
    """
    from spcabench.page import verify

    if since:
        for told in verify.since(options.ROOT, since):
            say(told)
        return
    published, named = options.ROOT / "results" / "published", against is not None
    if (
        against is None
        and (published / "figures").is_dir()
        and folder.resolve() != published.resolve()
    ):
        against = published
    if against is not None:
        check_run(against)  # before the first run is judged, which takes a minute
    checks = [
        *verify.rejudge(folder),
        *(verify.against(folder, against, named) if against else ()),
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
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Replace this figure only, and keep all others. Repeatable.",
            autocompletion=options.figure_names,
        ),
    ] = None,
) -> None:
    """Copy a run to results/published, and update the README.

    The gallery and the table in the README are updated. Figures and comparisons that were published
    earlier are kept, unless the repository no longer has the figure.

    With --only, groups of rows in this run replace published groups with the same name, and the
    figure is drawn and judged from all its rows. Each row retains the commit that computed it.
    """
    from spcabench.page import publish

    check_run(options.ROOT / "results" / "published" if only else folder)
    if machine.checkout() is None:
        raise InputError("publish: only works in a clone of the repository")
    _check_seeds(folder)
    for source in comparisons or ():
        existing_folder(source, "the folder of a comparison")
        if not (source / "plan.json").is_file():
            raise InputError(f"{source} has no plan.json, so it is not a comparison")
    root = options.ROOT
    out = root / "results" / "published"
    about = publish.publish(folder, out, root / "README.md", comparisons or (), only or ())
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
