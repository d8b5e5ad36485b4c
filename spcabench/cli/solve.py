"""The command `solve`: sparse components of a dataset, or of a user's own file."""

import sys
from contextlib import redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spcabench.cli import options, solvers
from spcabench.errors import InputError
from spcabench.streams import say

if TYPE_CHECKING:
    from spcabench.problem.problem import Problem
    from spcabench.readers.user_file import Reading
    from spcabench.selecting.chance import Chance
    from spcabench.selecting.selection import Selection

Source = Annotated[
    str,
    typer.Argument(
        help="Name of a dataset, or a file: .npy, .npz, .csv, .tsv, .mtx, .parquet or "
        "docword.NAME.txt (text also as .gz).",
        autocompletion=options.dataset_names,
    ),
]
Solver = Annotated[
    str | None,
    typer.Option(
        help="Name of a solver, or its file. By default it depends on the size.",
        autocompletion=options.solver_names,
    ),
]
Count = Annotated[int, typer.Option("--components", help="How many components to find.")]
Deflation = Annotated[
    str,
    typer.Option(
        help="How a component is removed before the next one is sought: projection, hotelling, "
        "schur, orthogonal_projection or drop_features. With joint, all are sought at once."
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of the solver's random numbers.")]
Nonnegative = Annotated[bool, typer.Option("--nonnegative", help="All loadings at least zero.")]
Refit = Annotated[
    bool, typer.Option("--refit", help="Replace each answer by the best on its variables.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A setting of the solver. Repeatable."),
]
Covariance = Annotated[
    bool, typer.Option("--covariance", help="The file holds a covariance matrix.")
]
Center = Annotated[bool, typer.Option(help="Subtract the mean of each column.")]
Scale = Annotated[
    bool, typer.Option("--scale", help="Divide each column by its standard deviation.")
]
Label = Annotated[str | None, typer.Option(help="Column that holds the classes of the samples.")]
Drop = Annotated[
    list[str] | None,
    typer.Option(help="Columns to leave out, separated by commas. Repeatable."),
]
DropText = Annotated[bool, typer.Option("--drop-text", help="Leave out all columns of text.")]
Transpose = Annotated[
    bool, typer.Option("--transpose", help="The variables are the rows, as genes often are.")
]
Missing = Annotated[
    str, typer.Option(help="What to do about missing values: error, rows, columns or mean.")
]
Names = Annotated[
    Path | None, typer.Option(help="File with the names of the variables, one on each line.")
]
Key = Annotated[str | None, typer.Option(help="Which array of an .npz file to read.")]
Out = Annotated[
    Path | None, typer.Option(help="Write the loadings to this file: .csv, .parquet or .npz.")
]
Plot = Annotated[
    Path | None,
    typer.Option(
        help="Draw the loadings, or the variance against k, to this file: .png, .svg or .pdf."
    ),
]
Criterion = Annotated[
    str,
    typer.Option(help="How `-k auto` chooses: heldout, stability or certified."),
]
Work = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="End an exact search after about as much work as one core does in SECONDS. Work is "
        "counted, so the answer is the same on a busy machine; --set time_limit=SECONDS "
        "goes by the clock.",
        min=1e-3,
        callback=options.finite,
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        min=1,
        help="How many processes of an exact search work side by side. They change no answer that "
        "is proven, or ended by --work.",
    ),
]
Bound = Annotated[
    bool, typer.Option("--bound/--no-bound", help="Compute certified bounds, or leave them out.")
]
Picture = Annotated[
    str,
    typer.Option(
        help="What --plot draws of components: loadings, substitutes, scores, biplot or scree."
    ),
]
Substitutes = Annotated[
    bool,
    typer.Option(
        "--substitutes", help="Show which variables could replace each at less than 1 % loss."
    ),
]
Thorough = Annotated[
    bool,
    typer.Option(
        "--thorough", help="Take the strongest default solver, though the data are large: minutes."
    ),
]
Null = Annotated[
    bool | None,
    typer.Option(
        "--null/--no-null",
        help="Say whether components explain more than those of permuted columns. Default: with "
        "`-k auto` and several components.",
    ),
]
Stability = Annotated[
    bool | None,
    typer.Option(
        "--stability/--no-stability",
        help="Say how often each variable is chosen in halves of the samples. Default: if that "
        "takes no longer than the answer.",
    ),
]
READING = {  # options about a file, by the names of their parameters
    "covariance": "--covariance",
    "center": "--no-center",
    "scale": "--scale",
    "label": "--label",
    "drop": "--drop",
    "drop_text": "--drop-text",
    "transpose": "--transpose",
    "missing": "--missing",
    "names": "--names",
    "key": "--key",
}


def solve(
    context: typer.Context,
    source: Source,
    solver: Solver = None,
    k: options.CardinalitiesOrAuto = None,
    criterion: Criterion = "heldout",
    components: Count = 1,
    deflation: Deflation = "projection",
    seed: Seed = 0,
    nonnegative: Nonnegative = False,
    refit: Refit = False,
    setting: Settings = None,
    covariance: Covariance = False,
    center: Center = True,
    scale: Scale = False,
    label: Label = None,
    drop: Drop = None,
    drop_text: DropText = False,
    transpose: Transpose = False,
    missing: Missing = "error",
    names: Names = None,
    key: Key = None,
    stand_in: options.StandIn = False,
    out: Out = None,
    plot: Plot = None,
    picture: Picture = "loadings",
    substitutes: Substitutes = False,
    bound: Bound = True,
    null: Null = None,
    stability: Stability = None,
    work: Work = None,
    thorough: Thorough = False,
    jobs: Jobs = 1,
    as_json: options.Json = False,
) -> None:
    """Find sparse components of a file or dataset, with bounds.

    The bounds are certified: no component of that many variables explains more.

    With several cardinalities, one component is found at each of them. With `--components` they are
    those of the components, in order. With `-k auto`, the number of variables is chosen from the
    data.
    """
    from spcabench.cli import files
    from spcabench.readers.user_file import Reading

    typed = SimpleNamespace(**context.params)
    _check(typed)
    how = Reading(**{name: context.params[name] for name in READING} | {"drop": drop or ()})
    how.check()
    problem = _problem(source, how, stand_in)
    results = _answer(problem, typed)
    if out is not None:
        files.write(out, problem, results, bound)
    if plot is not None:
        files.draw(plot, problem, results, picture, bound)


def _check(typed: SimpleNamespace) -> None:
    """Raise InputError, before the data are read, for options that contradict each other."""
    from spcabench.cli import files

    files.check("--out", typed.out, files.TABLES, inputs=(typed.source, typed.names))
    files.check("--plot", typed.plot, files.PICTURES, typed.picture)
    if typed.thorough and typed.solver is not None:
        raise InputError("--thorough: chooses a solver, and --solver names one; give one of them")
    listed = [] if typed.k == options.AUTO else options.listed(typed.k)
    count = len(set(listed)) if typed.components == 1 else 1
    if typed.components > 1 and len(listed) not in (0, 1, typed.components):
        raise InputError(
            f"-k: {len(listed)} cardinalities for {typed.components} components; give one, or one "
            "for each component"
        )
    if typed.plot is not None and count > 1 and typed.picture != "loadings":
        raise InputError(
            f"--picture: {typed.picture!r} is for components; a path over k has only one picture"
        )


def _answer(problem: "Problem", typed: SimpleNamespace) -> Any:
    """Find what was asked for, and print it."""
    from spcabench import api
    from spcabench.cli import files, settings, terminal

    if typed.plot is not None:
        files.check_samples(problem, typed.picture)

    ks = [] if typed.k == options.AUTO else options.listed(typed.k)
    _check_sizes(problem, ks, typed.components)
    name = typed.solver or api.default_solver(problem, typed.nonnegative, typed.thorough)
    # what a solver prints is no part of the answer, which a program may read
    with solvers.by_its_author(name), redirect_stdout(sys.stderr):
        with solvers.within(solvers.IMPORT, name, "its import"):
            settings_of_run = settings.read(typed.setting or [], name)
            settings_of_run |= settings.of_search(typed.work, typed.jobs, name, settings_of_run)
        solvers.watch(name, settings_of_run.get("time_limit"))
        terminal.tell_of_compilation()
        settings_of_run |= {
            option: getattr(typed, option) for option in ("seed", "nonnegative", "refit")
        }
        tried = None
        if typed.k == options.AUTO:
            selection = _recommended(problem, typed)
            ks, tried = [selection.k], selection.ks
        chosen = f"solver {name}: chosen for {_size(problem)}; --solver names another"
        with terminal.lines_when_slow() as tell:
            if typed.solver is None:
                tell(chosen)
            if len(set(ks)) > 1 and typed.components == 1:
                results: Any = api.path(problem, name, ks, **settings_of_run)
            else:
                ways = {
                    "k": ks if len(set(ks)) > 1 else ks[0] if ks else None,
                    "deflation": typed.deflation,
                }
                ways["tell"] = lambda result: tell(terminal.found(result))
                results = api.components(problem, name, typed.components, **ways, **settings_of_run)
        if typed.solver is None and not tell.shown:  # an error is a single line
            say(chosen, file=sys.stderr)
        chance = _chance(problem, results, tried, typed)
        shown = terminal.Shown(typed.bound, typed.substitutes, chance)
        write = terminal.as_json if typed.as_json else terminal.as_table
        with terminal.slow("certified bounds; --no-bound leaves them out", typed.bound):
            text = write(problem, results, shown)
    say(text)
    return results


def _size(problem: "Problem") -> str:
    """What the default solver depends on."""
    stored = f" and {problem.nnz} stored entries" if problem.form == "sparse" else ""
    return f"{problem.n} variables{stored}"


def _chance(
    problem: "Problem", results: Any, tried: list[int] | None, typed: SimpleNamespace
) -> "Chance":
    """What chance alone would give. tried : the cardinalities among which k was chosen."""
    from spcabench.cli import terminal
    from spcabench.selecting import chance

    null = tried is not None or typed.components > 1 if typed.null is None else typed.null
    work = "what chance alone would give; --no-null and --no-stability leave it out"
    with terminal.slow(work, null or typed.stability is not False):
        return chance.beside(
            problem,
            results,
            ks=tried,
            null=None if null and typed.null is None else null,
            stability=typed.stability,
            seed=typed.seed,
        )


def _recommended(problem: "Problem", typed: SimpleNamespace) -> "Selection":
    """The cardinality that `select` recommends; the user is told why."""
    from spcabench.cli import terminal
    from spcabench.selecting.selection import select

    with terminal.slow("the choice of k: a component at every cardinality, for parts of the data"):
        selection = select(
            problem, criterion=typed.criterion, nonnegative=typed.nonnegative, seed=typed.seed
        )
    say(f"-k auto: {selection.reason}", file=sys.stderr)
    return selection


def _problem(source: str, how: "Reading", stand_in: bool) -> "Problem":
    from spcabench.readers import user_file

    if user_file.is_file(source):
        return user_file.read(Path(source), how)
    return _dataset(source, how, stand_in)


def _dataset(source: str, how: "Reading", stand_in: bool) -> "Problem":
    """A dataset by its name; --scale and --no-center are for those that can be loaded so."""
    from spcabench import api, registry
    from spcabench.readers.user_file import Reading
    from spcabench.solving.driver import parameters

    if source and Path(source).is_dir() and source not in registry.names("dataset"):
        raise InputError(f"{source}: a folder; give a file or the name of a dataset")
    arguments = parameters(registry.module("dataset", source).load)
    settings = {}
    for name, option in READING.items():
        if getattr(how, name) == getattr(Reading(), name):
            continue
        if name not in ("center", "scale") or name not in arguments:
            raise InputError(f"{option}: is for files; dataset {source!r} is used as it is")
        settings[name] = getattr(how, name)
    return api.load(source, stand_in=stand_in, **settings)


def _check_sizes(problem: "Problem", ks: list[int], components: int) -> None:
    """Raise InputError for more than there are variables; it says what became of the others."""
    for option, number in (("-k", max(ks, default=1)), ("--components", components)):
        if not 1 <= number <= problem.n:
            notes = "; ".join(problem.provenance.get("notes", ()))
            explained = f" ({notes})" if notes else ""
            raise InputError(f"{option}: {number}; it must be from 1 to n = {problem.n}{explained}")
