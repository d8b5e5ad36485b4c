"""The command line: ``spcabench`` and ``python -m spcabench``."""

import json
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from . import machine

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__)
ROOT = Path(__file__).parent.parent


class Kind(StrEnum):
    """What can be listed."""

    solvers = "solvers"
    datasets = "datasets"
    figures = "figures"


class Scale(StrEnum):
    """Sizes of the runs."""

    quick = "quick"
    paper = "paper"


Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_names(kind: Kind, as_json: Json = False) -> None:
    """List the solvers, datasets or figures, each with a line."""
    from . import registry

    found = registry.descriptions(registry.Kind.__args__[list(Kind).index(kind)])  # type: ignore[attr-defined]
    if as_json:
        print(json.dumps(found, indent=1))
        return
    width = max(map(len, found), default=0)
    for name, line in found.items():
        print(f"{name:{width}}  {line}")


@app.command()
def solve(
    dataset: str,
    solver: Annotated[str, typer.Option(help="Name of a solver, or the path of its file.")],
    k: Annotated[int | None, typer.Option("-k", help="Cardinality of each component.")] = None,
    components: Annotated[int, typer.Option(help="How many components.")] = 1,
    deflation: Annotated[str, typer.Option(help="Deflation between components.")] = "projection",
    seed: int = 0,
    nonnegative: Annotated[bool, typer.Option("--nonnegative", help="Loadings of one sign.")] = False,
    refit: Annotated[bool, typer.Option(help="Leading eigenvector on the support.")] = False,
    setting: Annotated[list[str] | None, typer.Option("--set", help="NAME=VALUE, a setting of the solver.")] = None,
    as_json: Json = False,
) -> None:
    """Solve a dataset by one solver: its components, their variance and certified bound."""
    from . import api, show

    problem = api.load(dataset)
    settings = dict(_setting(text) for text in setting or [])
    settings |= dict(seed=seed, nonnegative=nonnegative, refit=refit)
    found = api.components(problem, solver, components, k=k, deflation=deflation, **settings)
    print(show.as_json(found) if as_json else show.as_table(found))


def _setting(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--set: {text!r}; allowed is NAME=VALUE")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


Figure = Annotated[str, typer.Argument(help="Name of a figure or table.")]
Rows = Annotated[list[Path], typer.Option(help="Its rows (parquet); once for each file.")]


@app.command()
def run(figure: Figure, group: str, out: Path, scale: Scale = Scale.quick) -> None:
    """Make the rows of one job of a figure."""
    from .execute import run_job

    run_job(figure, scale, group, out)


@app.command()
def draw(figure: Figure, rows: Rows, folder: Path) -> None:
    """Draw a figure from its rows, as SVG, PDF and PNG."""
    from .draw import draw_figure

    draw_figure(figure, rows, folder)


@app.command()
def judge(figure: Figure, rows: Rows, out: Path, scale: Scale = Scale.quick) -> None:
    """Judge the claims of a figure from its rows."""
    from .draw import judge_figure

    judge_figure(figure, scale, rows, out)


@app.command()
def report(folder: Path) -> None:
    """Write the page of a scale from what is drawn and judged."""
    from .report import write_page

    print(write_page(folder))


@app.command()
def workflow(
    figures: Annotated[
        list[str] | None, typer.Argument(help="Figures to make; all of them, and the page, if none.")
    ] = None,
    scale: Scale = Scale.quick,
    jobs: int = os.cpu_count() or 1,
) -> None:
    """Run, draw and judge figures, and write the page: only what is missing or has changed."""
    from . import registry
    from .workflow import workflow as make

    for name in figures or []:
        registry.path("figure", name)
    targets = [
        f"results/{scale}/figures/{name}/{file}" for name in figures or [] for file in ("figure.svg", "claims.json")
    ]
    code = make(scale, jobs, targets or [f"results/{scale}/index.html"], ROOT)
    if code == 0:
        print(ROOT / "results" / scale / ("figures" if figures else "index.html"))
    raise typer.Exit(code)


@app.command()
def new(kind: Annotated[str, typer.Argument(help="solver")], name: str) -> None:
    """Write the commented template of a solver, NAME.py, into this folder."""
    file = Path(f"{name}.py")
    if kind != "solver" or not name.isidentifier():
        raise ValueError(f"new: {kind} {name!r}; allowed is `new solver NAME`, NAME of letters, digits and _")
    if file.exists():
        raise ValueError(f"name: {file} is there already")
    template = Path(__file__).with_name("templates") / "solver.py.txt"
    file.write_text(template.read_text(encoding="utf-8").replace("NAME", name, 1), encoding="utf-8")
    print(f"{file}; then: spcabench check {file}; spcabench compare {file}")


@app.command()
def check(
    solver: Annotated[str, typer.Argument(help="Path of a solver's file, or its name.")],
    patience: Annotated[float, typer.Option(help="Seconds that one check may take.")] = 60.0,
) -> None:
    """Check that a solver keeps what every solver must; each failure is a sentence. Exit code 1 if any."""
    from . import conformance

    outcomes = []
    for outcome in conformance.check(solver, patience):
        outcomes.append(outcome)
        print(f"{outcome.verdict:11}  {outcome.name}: {outcome.sentence}", flush=True)
    raise typer.Exit(int(any(outcome.verdict == "fails" for outcome in outcomes)))


def main() -> None:
    """Entry point: errors of input are one line and exit code 2."""
    if sys.argv[1:2] in (["run"], ["check"]):
        machine.pin_threads()
    try:
        app()
    except (ValueError, FileNotFoundError) as error:
        print(f"spcabench: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
