"""The command line: ``spcabench`` and ``python -m spcabench``."""

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from spcabench import machine
from spcabench.cli import compare as comparing
from spcabench.cli import doctor
from spcabench.cli import figures as making
from spcabench.errors import InputError

app = typer.Typer(
    add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__
)
ROOT = making.ROOT


class Kind(StrEnum):
    """What can be listed."""

    solvers = "solvers"
    datasets = "datasets"
    figures = "figures"


Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_names(kind: Kind, as_json: Json = False) -> None:
    """List the solvers, datasets or figures, each with a line."""
    from spcabench import registry

    found = registry.descriptions(registry.Kind.__args__[list(Kind).index(kind)])  # type: ignore[attr-defined]
    if kind is Kind.solvers:
        from spcabench.comparison.jobs import unavailable

        found = {
            name: f"{line} ({why})" if (why := unavailable(name)) else line
            for name, line in found.items()
        }
    if as_json:
        print(json.dumps(found, indent=1))
        return
    width = max(map(len, found), default=0)
    for name, line in found.items():
        print(f"{name:{width}}  {line}")


@app.command()
def solve(
    source: Annotated[
        str,
        typer.Argument(help="A dataset's name, or a file: .npy .npz .csv .mtx .parquet docword."),
    ],
    solver: Annotated[
        str | None, typer.Option(help="A solver's name or file; else by size.")
    ] = None,
    k: Annotated[
        str | None, typer.Option("-k", help="Cardinality: 10; 5,10,20 or 5:50:5 for a path.")
    ] = None,
    components: Annotated[int, typer.Option(help="How many components.")] = 1,
    deflation: Annotated[str, typer.Option(help="Deflation between components.")] = "projection",
    seed: int = 0,
    nonnegative: Annotated[
        bool, typer.Option("--nonnegative", help="Loadings of one sign.")
    ] = False,
    refit: Annotated[bool, typer.Option(help="Leading eigenvector on the support.")] = False,
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=VALUE, a setting of the solver.")
    ] = None,
    covariance: Annotated[
        bool, typer.Option("--covariance", help="The file holds a covariance.")
    ] = False,
    center: Annotated[bool, typer.Option(help="Subtract the columns' means.")] = True,
    scale: Annotated[
        bool, typer.Option("--scale", help="Columns to variance one: correlations.")
    ] = False,
    label: Annotated[str | None, typer.Option(help="Column with the samples' classes.")] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Column to leave out.")] = None,
    missing: Annotated[
        str, typer.Option(help="Missing values: error, rows, columns, mean.")
    ] = "error",
    names: Annotated[
        Path | None, typer.Option(help="File with the variables' names, one a line.")
    ] = None,
    key: Annotated[str | None, typer.Option(help="Array of an .npz file.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the loadings: .csv, .parquet, .npz.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw loadings, or variance against k: .png, .svg, .pdf.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Solve a dataset or a file: sparse components, or one over many cardinalities, with certified
    bounds.
    """
    from spcabench import api, registry
    from spcabench.cli import files, terminal
    from spcabench.readers import user_file

    files.check("--out", out, files.TABLES)
    files.check("--plot", plot, files.PICTURES)
    how = user_file.Reading(
        covariance=covariance,
        center=center,
        scale=scale,
        label=label,
        drop=drop or (),
        missing=missing,
        names=names,
        key=key,
    )
    problem = user_file.read(Path(source), how) if user_file.is_file(source) else api.load(source)
    settings = dict(_setting(text) for text in setting or [])
    settings |= dict(seed=seed, nonnegative=nonnegative, refit=refit)
    if solver is None:
        solver = registry.solver_for(problem.n, nonnegative)
        print(
            f"solver {solver}: chosen for {problem.n} variables; --solver names another",
            file=sys.stderr,
        )
    wanted = _cardinalities(k)
    if len(wanted) > 1 and components > 1:
        raise InputError(
            "-k: several cardinalities are the path of one component: without --components, or "
            "one k"
        )
    first = wanted[0] if wanted else None
    found: Any = (
        api.path(problem, solver, wanted, **settings)
        if len(wanted) > 1
        else api.components(problem, solver, components, k=first, deflation=deflation, **settings)
    )
    print(terminal.as_json(problem, found) if as_json else terminal.as_table(problem, found))
    if out is not None:
        files.write(out, problem, found)
    if plot is not None:
        files.plot(plot, problem, found)


def _cardinalities(text: str | None) -> list[int]:
    """10, or a list 5,10,20, or a range 5:50 or 5:50:5, its end included."""
    if text is None:
        return []
    try:
        if ":" not in text:
            return [int(word) for word in text.split(",")]
        first, last, *step = (int(word) for word in text.split(":"))
        found = list(range(first, last + 1, *step))
    except ValueError:
        found = []
    if not found:
        raise InputError(f"-k: {text!r}; allowed are 10, a list 5,10,20, or a range 5:50 or 5:50:5")
    return found


def _setting(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"--set: {text!r}; allowed is NAME=VALUE")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


for command in (
    making.run,
    making.draw,
    making.report,
    making.workflow,
    making.figure,
    making.verify,
    making.publish,
):
    app.command()(command)


@app.command()
def new(kind: Annotated[str, typer.Argument(help="solver")], name: str) -> None:
    """Write the commented template of a solver, NAME.py, into this folder."""
    file = Path(f"{name}.py")
    if kind != "solver" or not name.isidentifier():
        raise InputError(
            f"new: {kind} {name!r}; allowed is `new solver NAME`, NAME of letters, digits and _"
        )
    if file.exists():
        raise InputError(f"name: {file} is there already")
    template = Path(__file__).parent / "page" / "templates" / "solver.py.txt"
    file.write_text(template.read_text(encoding="utf-8").replace("NAME", name, 1), encoding="utf-8")
    print(f"{file}; then: spcabench check {file}; spcabench compare {file}")


@app.command()
def check(
    solver: Annotated[str, typer.Argument(help="Path of a solver's file, or its name.")],
    patience: Annotated[float, typer.Option(help="Seconds that one check may take.")] = 60.0,
) -> None:
    """Check that a solver keeps what every solver must; each failure is a sentence. Exit code 1 if
    any.
    """
    from spcabench.checking import conformance

    outcomes = []
    for outcome in conformance.check(solver, patience):
        outcomes.append(outcome)
        print(f"{outcome.verdict:11}  {outcome.name}: {outcome.sentence}", flush=True)
    raise typer.Exit(int(any(outcome.verdict == "fails" for outcome in outcomes)))


for hidden in (comparing.compare_run, comparing.compare_page):
    app.command(hidden=True)(hidden)
app.command()(comparing.compare)
app.command()(comparing.best_known)
app.command()(doctor.data)
app.command()(doctor.doctor)


def main() -> None:
    """Entry point: errors of input are one line and exit code 2."""
    if sys.argv[1:2] in (["run"], ["check"], ["compare-run"]):
        machine.pin_threads()
    try:
        app()
    except (ValueError, FileNotFoundError) as error:
        print(f"spcabench: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
