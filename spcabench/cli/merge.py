"""The command `merge`."""

from pathlib import Path
from typing import Annotated

import typer

from spcabench.cli import compare, options
from spcabench.errors import InputError
from spcabench.files import existing_folder, say


def merge(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDERS", help="Two or more folders of comparisons.")
    ],
) -> None:
    """Merge comparisons from several machines; the page has the names of their folders.

    Values are recomputed from the vectors. Times are not ranked if the machines differ.

    For example:

    `spcabench merge results/compare/all from_cluster`
    """
    from spcabench.comparison import merge as merging
    from spcabench.page import comparison_page

    for folder in folders:
        existing_folder(folder, "the folder of a comparison")
    if len(folders) < 2 or len({folder.resolve().name for folder in folders}) < len(folders):
        raise InputError("merge: specify at least two folders with different names")
    title = "-".join(folder.resolve().name for folder in folders)
    compare.check_title(title)
    out = options.ROOT / compare.HOME / title
    merging.merge(folders, out)
    page = comparison_page.write(out)
    say((out / "ranking.txt").read_text(encoding="utf-8").rstrip())
    say(page)
