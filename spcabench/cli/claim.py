"""The command `claim`, which shows the verdict on a statement of a paper."""

from pathlib import Path
from typing import Annotated, Any

import typer

from spcabench.cli import options
from spcabench.cli.figures import print_statement
from spcabench.errors import InputError
from spcabench.files import say


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
