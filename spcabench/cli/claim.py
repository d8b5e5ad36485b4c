"""The command `claim`, which shows the verdict on a statement of a paper."""

from pathlib import Path
from typing import Annotated, Any

import typer

from spcabench.cli import options
from spcabench.cli.figures import print_card
from spcabench.errors import InputError
from spcabench.streams import say


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
    out: Annotated[
        Path | None,
        typer.Option(help="Save a picture of the statement to this file: .pdf, .svg or .png."),
    ] = None,
) -> None:
    """Show the verdict on a statement, with its numbers."""
    from spcabench.cli import files
    from spcabench.page import card

    files.check("--out", out, files.PICTURES)
    if out is not None and len(ids) > 1:
        raise InputError(f"--out: can only draw one statement, but {len(ids)} ids were specified")
    published, quick = (options.ROOT / "results" / name for name in ("published", "quick"))
    statements = _found(ids, run or (published if published.exists() else quick))
    for statement in statements:
        print_card(statement)
        say(card.bars(statement))
    if out is not None:
        import matplotlib

        matplotlib.use("Agg")
        files.save_figure(out, card.figure(statements[0]))
        say(out)


def _found(ids: list[str], folder: Path) -> list[dict[str, Any]]:
    """Return the statements with these ids; raise InputError if the run lacks an id."""
    from spcabench import validate
    from spcabench.page import claims_file

    # a figure that was drawn separately is newer than the claims file of the run
    statements = claims_file.of_run(claims_file.read_all(folder))
    names = {statement["id"].casefold(): statement["id"] for statement in statements}
    chosen = []
    for id in ids:
        if id.casefold() not in names:
            raise InputError(validate.nearest("statement", id, names.values()))
        chosen += [s for s in statements if s["id"] == names[id.casefold()]]
    return chosen
