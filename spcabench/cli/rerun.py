"""The command `rerun`, which repeats the run of a published row and compares the results."""

from typing import Annotated, Any

import typer

from spcabench.cli import options
from spcabench.files import say

Name = Annotated[
    str,
    typer.Argument(
        metavar="ROW",
        help="Name of the row: COMPARISON/ROW or FIGURE/ROW, with the last column of the page's "
        "table, such as standard/gaussian-40/10/tpower.",
    ),
]


def rerun(name: Name) -> None:
    """Repeat the run of a published row, and compare the results.

    The form of the problem and the settings of the solver are the same. The exit code is 1 if the
    value or the flops differ.

    For example:

    `spcabench rerun standard/gaussian-40/10/tpower`
    """
    from spcabench.page import rerun as page

    folders = [options.ROOT / "results" / "published", options.ROOT / "results"]
    published = page.find(name, folders)
    old = published.rounds.iloc[0]
    run = published.run
    settings = [f"{key} = {value}" for key, value in {**run.settings, "seed": run.seed}.items()]
    called = f"{run.solver or run.measure} on {run.dataset}, {', '.join(settings)}"
    say(f"{called}, given as {old.form or 'data'}")
    row = page.again(published)
    lines = page.compared(published, row)
    shown = [line for line in lines if (line.old, line.new) != (None, None)]
    width = max(len(line.name) for line in shown)
    say(f"{'':{width}}  {'published':>24}  {'now':>24}")
    for line in shown:
        say(f"{line.name:{width}}  {_word(line.old):>24}  {_word(line.new):>24}  {_verdict(line)}")
    say(f"published: commit {old.commit:.10}, {old.cpu}; now: commit {row.commit:.10}, {row.cpu}")
    if any(line.differs for line in lines):
        raise typer.Exit(1)


def _word(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:.10g}"
    return f"{value:,}" if isinstance(value, int) else f"{value!s:.24}"


def _verdict(line: Any) -> str:
    """Return "equal", "DIFFERS", the ratio of two times, or why the values are not compared."""
    if line.name == "seconds" and line.old and line.new:
        return f"{line.new / line.old:.2f} times"
    if not line.judged:
        return "not compared: stopped by the clock" if line.name != "seconds" else ""
    return "DIFFERS" if line.differs else "equal"
