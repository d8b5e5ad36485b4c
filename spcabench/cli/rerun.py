"""The command `rerun`: compute one published row again, and compare the two."""

from typing import Annotated, Any

import typer

from spcabench.cli import options
from spcabench.streams import say

Name = Annotated[
    str,
    typer.Argument(
        metavar="ROW",
        help="The row, by its name or its address on the page that shows it: "
        "standard/gaussian-40/10/tpower, or FIGURE/NAME with the name in the last column.",
    ),
]


def rerun(name: Name) -> None:
    """Compute one published row again, and compare the two.

    The problem has the same form, and the solver the same settings. The exit code is 1 if the value
    or the flops differ.
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
    """Return "equal", "DIFFERS", or the ratio of the seconds."""
    if line.name == "seconds" and line.old and line.new:
        return f"{line.new / line.old:.2f} times"
    if line.listed:
        return "not judged: a list, which may hold times"
    if not line.judged:
        return "not compared: ended by a clock" if line.name != "seconds" else ""
    return "DIFFERS" if line.differs else "equal"
