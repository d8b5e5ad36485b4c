"""The commands `claim`, `verify`, `publish` and `explore`, which show and publish results."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from spcabench import machine
from spcabench.cli import options
from spcabench.cli.steps import check_run
from spcabench.errors import InputError
from spcabench.files import existing_folder, plain, read_json, say

Published = Annotated[Path, typer.Argument(help="Folder of the run: results/SCALE.")]


def show_claim(
    ids: Annotated[
        list[str], typer.Argument(help="Ids of statements, such as K3.", metavar="ID...")
    ],
) -> None:
    """Show a statement of a paper with its rule, numbers and verdict.

    The statements are those of results/published and, if it lacks one, of results/quick.

    For example:

    `spcabench claim K3`

    `spcabench claim K3 H4`
    """
    known = {s["id"].casefold(): (s, origin) for s, origin in _statements()}
    for id in ids:
        if id.casefold() not in known:
            from spcabench.errors import nearest

            raise InputError(nearest("statement", id, (s["id"] for s, _ in known.values())))
    for id in ids:
        statement, (folder, about) = known[id.casefold()]
        print_statement(statement, whole=True)
        say(f"  run: {folder}, {about['scale']} scale, {about['written'][:10]}")
        say(f"  card: {folder / statement['paper_key']}.html#{statement['id']}\n")


def _statements() -> Iterator[tuple[dict[str, Any], tuple[Path, dict[str, Any]]]]:
    """Yield each statement with the folder and the description of its run, published ones last."""
    quick, published = options.ROOT / "results" / "quick", options.published()
    if any(quick.glob("figures/*/claims.json")):
        from spcabench.page import claims_file

        reports = claims_file.read_all(quick)
        for statement in claims_file.of_run(reports):
            yield statement, (quick, reports[statement["figure"]])
    if published.is_dir():
        report = read_json(published / "claims.json", expected="a claims file")
        for statement in report["statements"]:
            yield statement, (published, report)


def print_statement(statement: dict[str, Any], whole: bool = False) -> None:
    """Print a statement and its verdict; with ``whole``, its quotation, rule and places too."""
    from spcabench.page import forest_text

    say(plain((forest_text.text if whole else forest_text.brief)(statement)))


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
            help="Only list the published statements that changed since a release, by cause, or "
            "one of them by its id instead of the folder: verify K3 --against RELEASE.",
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
        ids = [str(word) for word in (folder, against) if word and not word.is_dir()]
        ids = [] if folder == options.ROOT / "results" / "quick" else ids
        for told in verify.since(options.ROOT, since, ids):
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
        ),
    ] = None,
) -> None:
    """Copy a run to results/published, and update the README.

    The gallery and the table in the README are updated. Figures and comparisons that were published
    earlier are kept, unless the repository no longer has the figure.

    With --only, groups of rows in this run replace published groups with the same name, and the
    figure uses all its rows. Each row retains the commit that computed it.

    For example:

    `spcabench publish results/paper results/compare/standard`

    `spcabench publish results/paper --only kuleshov2013_fig3`
    """
    from spcabench.page import claims_file, publish
    from spcabench.running.jobs import SEEDS

    check_run(options.ROOT / "results" / "published" if only else folder)
    if machine.checkout() is None:
        raise InputError("publish: only works in a clone of the repository")
    has_figures = any(folder.glob("figures/*/claims.json"))  # not a folder of rows for --only
    reports = claims_file.read_all(folder) if has_figures else {}
    if any(SEEDS in report["scale"] for report in reports.values()):
        raise InputError(
            f"{folder}: cannot be published, because it has other seeds than the figures"
        )
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


def explore() -> None:
    """Open the published results, which are in the clone or in the package, in the browser."""
    page = options.published() / "index.html"
    if not page.is_file():
        raise InputError(f"{page}: no such file; install the package again")
    say(page.resolve().as_uri())
    if sys.stdout.isatty():
        typer.launch(page.resolve().as_uri())
