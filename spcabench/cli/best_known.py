"""The command `best-known`, which shows or improves the best known answers."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spcabench.cli import compare, options
from spcabench.errors import InputError
from spcabench.files import say

if TYPE_CHECKING:
    from spcabench.comparison.best_known import Entry

SEARCHED = ("standard", "nonnegative", "adversarial", "certified")


def best_known(
    name: Annotated[
        str | None, typer.Argument(help="A problem of a suite. The default is all problems.")
    ] = None,
    k: options.Cardinalities = None,
    update: Annotated[
        str | None,
        typer.Option(
            metavar="FACTOR|FILE",
            help="Add better answers from past comparisons, and from a search with FACTOR times "
            "the usual budget (0: no search), or the answer in a FILE of `grade --submit`, .json.",
        ),
    ] = None,
) -> None:
    """Show the best known answers, or improve them.

    For a single problem, the support, the names of the variables and the source of the bound are
    also shown.
    """
    from spcabench.comparison import best_known as known

    ks = options.cardinalities(k)
    if update is not None:
        _update(update, name, ks)
    elif name is not None:
        _show_one(name, ks)
    else:
        for entry in known.read().values():
            if not ks or entry.k in ks:
                say(_line(entry))


def _line(entry: "Entry") -> str:
    state = "optimal" if entry.proven else f"gap {entry.gap:.2%}"
    sign = "x >= 0" if entry.nonnegative else ""
    return (
        f"{entry.item:15} {sign:6} k = {entry.k:3}  {entry.value:14.8g}  {state:12}  {entry.who}, "
        f"{entry.when}"
    )


def _show_one(name: str, ks: list[int]) -> None:
    """Show the best known answers for a problem, for the specified cardinalities or for all."""
    from spcabench import api
    from spcabench.comparison import best_known as known
    from spcabench.comparison.suite import SUITES

    items = {(i.name, i.nonnegative): i for i, _ in known.pairs(SUITES, name, ks)}
    entries = [e for e in known.read().values() if (e.item, e.nonnegative) in items]
    chosen = [entry for entry in entries if not ks or entry.k in ks]
    if not chosen:
        known_at = ", ".join(map(str, sorted({entry.k for entry in entries}))) or "none"
        raise InputError(
            f"best-known: no answers are known for {name!r} and these cardinalities; answers exist "
            f"for k = {known_at}"
        )
    for key, item in items.items():
        problem = api.load_or_stand_in(item.dataset, **item.parameters)
        for entry in chosen:
            if (entry.item, entry.nonnegative) == key and entry.problem == problem.name:
                _show_entry(entry.checked(problem), problem.features)
            elif (entry.item, entry.nonnegative) == key:
                _show_entry(entry, None)
                say(f"  not verified, because the data {entry.problem!r} are not available here")


def _show_entry(entry: "Entry", features: Sequence[str] | None) -> None:
    took = f", {entry.seconds:g} s of CPU time" if entry.seconds else ""
    by = f"proven by {entry.bound_by}" if entry.bound_by else "by a method that was not recorded"
    say(_line(entry))
    say(f"  value    {entry.value:.12g}, found by {entry.who}, {entry.when}")
    say(f"  bound    {entry.bound:.12g}, {by}, {entry.bound_when}{took}")
    say("  support  (variable: loading)")
    for place, loading in zip(entry.support, entry.loadings, strict=True):
        label = f"  {features[place]}" if features else ""
        say(f"    {place:6}: {loading:+.6f}{label}")


def _update(update: str, name: str | None, ks: list[int]) -> None:
    """Improve the table by a proposal, or by a search and past comparisons."""
    from pydantic import Field  # imported here, because all commands load this file

    from spcabench import files
    from spcabench.comparison import best_known as known
    from spcabench.comparison import grading, update_best_known

    if update.endswith(".json"):
        update_best_known.adopt(grading.take(Path(update)))
        return
    factor = files.as_type(update, Annotated[float, Field(ge=0.0, allow_inf_nan=False)], "--update")
    files.check_room(known.TABLE.parent)
    pairs = known.pairs(SEARCHED, name, ks) if factor else []
    searches = (update_best_known.searched(item, k, factor) for item, k in pairs)
    rows = update_best_known.of_rows(options.ROOT / compare.HOME / "rows")
    changes = sum(map(update_best_known.adopt, chain(*searches, rows)))
    say(f"{changes} new or better entries: version {known.version()}")
