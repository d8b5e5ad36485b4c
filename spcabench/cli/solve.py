"""The command `solve`, which computes sparse components of a dataset or of a user's file."""

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spcabench.cli import options, solvers
from spcabench.errors import InputError
from spcabench.files import say

if TYPE_CHECKING:
    from spcabench.problem.problem import Problem
    from spcabench.readers.delimited import Style
    from spcabench.readers.user_file import Reading
    from spcabench.selecting.chance import Chance
    from spcabench.selecting.selection import Selection

Source = Annotated[
    str,
    typer.Argument(
        help="Name of a dataset, or a file: .csv, .tsv, .txt, .xlsx, .parquet, .dta, .npy, .npz, "
        ".mat, .mtx or docword.NAME.txt (text also as .gz).",
        autocompletion=options.dataset_names,
    ),
]
Solver = Annotated[
    str | None,
    typer.Option(
        help="Name or file of a solver. The default depends on the size of the problem.",
        autocompletion=options.solver_names,
    ),
]
Count = Annotated[int, typer.Option("--components", help="Number of components.")]
Deflation = Annotated[
    str,
    typer.Option(
        help="How a component is removed before the next one is computed: projection, hotelling, "
        "schur, orthogonal_projection or drop_features. joint computes all components at once."
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of the solver's random numbers.")]
Nonnegative = Annotated[bool, typer.Option("--nonnegative", help="Require loadings >= 0.")]
Refit = Annotated[
    bool,
    typer.Option(
        "--refit",
        help="Replace each answer by the vector of largest variance on the same variables.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Setting of the solver. Repeatable."),
]
Covariance = Annotated[
    bool, typer.Option("--covariance", help="The file contains a covariance matrix.")
]
Center = Annotated[bool, typer.Option(help="Subtract the mean of each column.")]
Scale = Annotated[
    bool, typer.Option("--scale", help="Divide each column by its standard deviation.")
]
Label = Annotated[str | None, typer.Option(help="Column with the class labels of the samples.")]
Drop = Annotated[
    list[str] | None,
    typer.Option(help="Columns to drop, separated by commas. Repeatable."),
]
DropText = Annotated[bool, typer.Option("--drop-text", help="Drop all text columns.")]
Transpose = Annotated[
    bool, typer.Option("--transpose", help="The rows are the variables, as is common for genes.")
]
Missing = Annotated[
    str,
    typer.Option(
        help="Treatment of missing values: error, rows or columns (drop those with missing "
        "values), or mean (fill in column means)."
    ),
]
Names = Annotated[
    Path | None, typer.Option(help="File with the names of the variables, one per line.")
]
Key = Annotated[
    str | None, typer.Option(help="Name of the array to read from an .npz or .mat file.")
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--sep", help="Separator of a text table: one character, tab or space. Default: detected."
    ),
]
Decimal = Annotated[
    str | None, typer.Option(help="Decimal point of a text table: . or ,. Default: detected.")
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line of a text table contains names. Default: detected.",
    ),
]
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
    str | None,
    typer.Option(
        help="Criterion of `-k auto`: heldout, stability or certified. The default is certified "
        "for a covariance and for large data, and otherwise heldout."
    ),
]
Work = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="Stop an exact search after the number of operations that one core executes in about "
        "SECONDS. The answer does not depend on how busy the machine is, unlike with "
        "--set time_limit=SECONDS.",
        min=1e-3,
        callback=options.finite,
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        min=1,
        help="Number of parallel processes of an exact search. It does not affect answers that are "
        "proven or stopped by --work.",
    ),
]
Bound = Annotated[
    bool, typer.Option("--bound/--no-bound", help="Whether to compute certified bounds.")
]
Picture = Annotated[
    str,
    typer.Option(
        help="Kind of --plot for components: loadings, substitutes, scores, biplot or scree."
    ),
]
Substitutes = Annotated[
    bool,
    typer.Option(
        "--substitutes",
        help="For each variable, show others that could replace it with a loss below 1 %.",
    ),
]
Thorough = Annotated[
    bool,
    typer.Option(
        "--thorough",
        help="Use the strongest default solver even for large data, which can take minutes.",
    ),
]
Null = Annotated[
    bool | None,
    typer.Option(
        "--null/--no-null",
        help="Test whether components explain more than components of permuted columns. The "
        "default is to test with `-k auto` and for several components.",
    ),
]
Stability = Annotated[
    bool | None,
    typer.Option(
        "--stability/--no-stability",
        help="Report how often each variable is chosen in halves of the samples. The default is to "
        "do so if it takes no longer than computing the answer.",
    ),
]
READING = {  # options for reading a file, by parameter name
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
    "style": "--sep, --decimal, --header",
}


@dataclass(frozen=True)
class Answer:
    """The answer to a problem.

    results : components, or a path over the cardinality. selection : the automatic choice of k, or
        None. chance : comparison with chance. solver : how the solver was chosen, in words.
    """

    results: Any
    selection: "Selection | None"
    chance: "Chance"
    solver: str


def solve(
    context: typer.Context,
    source: Source,
    solver: Solver = None,
    k: options.CardinalitiesOrAuto = None,
    criterion: Criterion = None,
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
    sep: Separator = None,
    decimal: Decimal = None,
    header: Header = None,
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
    """Find sparse components of data, with certified bounds.

    No component with the same number of variables explains more variance than its bound.

    If `-k` lists several cardinalities, one component is computed for each. With `--components`, it
    lists the cardinalities of the components in order. With `-k auto`, the number of variables is
    chosen from the data.
    """
    from spcabench.cli import files, terminal

    typed = SimpleNamespace(**context.params)
    files.check("--out", out, files.TABLES, inputs=(source, names))
    files.check("--plot", plot, files.PICTURES, picture)
    problem = read(typed)
    if plot is not None:
        files.check_samples(problem, picture)
    write = terminal.as_json if as_json else terminal.as_table

    def shown(answer: Answer) -> str:
        with terminal.slow("computing certified bounds (skip them with --no-bound)", bound):
            parts = terminal.Shown(bound, substitutes, answer.chance)
            return write(problem, answer.results, parts)

    results, text = answer(problem, typed, shown)
    say(text)
    expect_feasible(results)
    if out is not None:
        files.write(out, problem, results, bound)
    if plot is not None:
        files.draw(plot, problem, results, picture, bound)


def expect_feasible(results: Any) -> None:
    """Raise InputError if an answer is infeasible; later components may be missing (zero)."""
    from spcabench.solving.status import Status

    for result in results:
        if result.status == Status.INFEASIBLE or (result is results[0] and not result.good):
            raise InputError(f"solver {result.solver!r}: no feasible answer: {result.fault}")


def _check(typed: SimpleNamespace) -> None:
    """Raise InputError, before the data are read, if options contradict each other."""
    from spcabench.solving.deflate import DEFLATIONS

    if typed.thorough and typed.solver is not None:
        raise InputError("--thorough: cannot be combined with --solver")
    listed = [] if typed.k == options.AUTO else options.listed(typed.k)
    count = len(set(listed)) if typed.components == 1 else 1
    if typed.components > 1 and len(listed) not in (0, 1, typed.components):
        raise InputError(
            f"-k: {len(listed)} cardinalities for {typed.components} components; specify one "
            "cardinality, or one per component"
        )
    useless = {
        "--criterion": ("-k auto", typed.criterion is not None and typed.k != options.AUTO),
        "--picture": ("--plot", typed.picture != "loadings" and typed.plot is None),
        "--deflation": (
            "--components",
            typed.deflation in (*DEFLATIONS, "joint")
            and typed.deflation != "projection"
            and typed.components == 1,
        ),
    }
    for option, (required, alone) in useless.items():
        if alone:
            raise InputError(f"{option}: has no effect without {required}")
    if typed.plot is not None and count > 1 and typed.picture != "loadings":
        raise InputError(
            f"--picture: {typed.picture!r} requires components; a path over k has only one picture"
        )


def read(typed: SimpleNamespace) -> "Problem":
    """Load the problem of a command; raise InputError if options contradict each other."""
    from spcabench.readers.user_file import Reading

    _check(typed)
    words = vars(typed) | {"drop": typed.drop or ()}
    words["style"] = style(typed.sep, typed.decimal, typed.header)
    how = Reading(**{name: words[name] for name in READING})
    how.check()
    return load(typed.source, how, typed.stand_in)


def style(sep: str | None, decimal: str | None, header: bool | None) -> "Style":
    """Return the style of a text table, as far as it is typed."""
    from spcabench.readers.delimited import SPACES, Style

    separators = {"tab": "\t", r"\t": "\t", "space": SPACES, " ": SPACES}
    return Style(separators.get(str(sep), sep), decimal, header)


def load(source: str, how: "Reading", stand_in: bool) -> "Problem":
    """Load a problem from a file, or a dataset by its name."""
    from spcabench.readers import user_file

    if user_file.is_file(source):
        return user_file.read(Path(source), how)
    return _dataset(source, how, stand_in)


def answer(
    problem: "Problem", typed: SimpleNamespace, show: Callable[[Answer], str]
) -> tuple[Any, str]:
    """Compute the answer of a command; return the results and the text returned by ``show``."""
    from spcabench import api
    from spcabench.cli import settings, terminal

    ks = [] if typed.k == options.AUTO else options.listed(typed.k)
    _check_sizes(problem, ks, typed.components)
    if typed.k is None and typed.solver is None:
        raise InputError(f"-k: specify a number of variables from 1 to {problem.n}, or -k auto")
    name = typed.solver or api.default_solver(problem, typed.nonnegative, typed.thorough)
    # another program can read the answer, so output of a solver is sent to the error stream
    with solvers.by_its_author(name), redirect_stdout(sys.stderr):
        settings_of_run = settings.read(typed.setting or [], name)
        settings_of_run |= settings.of_search(typed.work, typed.jobs, name, settings_of_run)
        terminal.tell_of_compilation()
        settings_of_run |= {
            option: getattr(typed, option) for option in ("seed", "nonnegative", "refit")
        }
        selection = None
        if typed.k == options.AUTO:
            selection = _recommended(problem, typed)
            ks = [selection.k]
        stored = f" and {problem.nnz} stored entries" if problem.form == "sparse" else ""
        size = f"{problem.n} variables{stored}"
        why = "requested" if typed.solver else f"chosen for {size} (change it with --solver)"
        chosen = f"solver {name}: {why}"
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
        if typed.solver is None and not tell.shown:  # not before, because errors are a single line
            say(chosen, file=sys.stderr)
        if typed.components > len(results) and all(result.good for result in results):
            say(
                f"only {len(results)} of {typed.components} components: the remaining variables "
                "have no variance",
                file=sys.stderr,
            )
        chance = _chance(problem, results, selection, typed)
        return results, show(Answer(results, selection, chance, chosen))


def _chance(
    problem: "Problem", results: Any, selection: "Selection | None", typed: SimpleNamespace
) -> "Chance":
    """Compare the results with chance, for all cardinalities from which k was chosen."""
    from spcabench.cli import terminal
    from spcabench.selecting import chance

    null = selection is not None or typed.components > 1 if typed.null is None else typed.null
    work = "comparing with chance (skip it with --no-null and --no-stability)"
    with terminal.slow(work, null or typed.stability is not False):
        return chance.beside(
            problem,
            results,
            ks=selection.ks if selection else None,
            null=None if null and typed.null is None else null,
            stability=typed.stability,
            seed=typed.seed,
        )


def _recommended(problem: "Problem", typed: SimpleNamespace) -> "Selection":
    """Return the cardinality recommended by `select`, and print the reason."""
    from spcabench.cli import terminal
    from spcabench.selecting.chance import LARGE
    from spcabench.selecting.selection import select

    large = problem.product_cost > LARGE
    criterion = typed.criterion or ("certified" if large or problem.m is None else "heldout")
    with terminal.slow(
        "choosing k by computing components with many cardinalities on subsets of the data"
    ):
        selection = select(
            problem, criterion=criterion, nonnegative=typed.nonnegative, seed=typed.seed
        )
    say(f"-k auto: {selection.reason}", file=sys.stderr)
    return selection


def _dataset(source: str, how: "Reading", stand_in: bool) -> "Problem":
    """Load a dataset by its name; only some datasets accept --scale and --no-center."""
    from spcabench import api, registry
    from spcabench.comparison import suite
    from spcabench.readers.user_file import Reading
    from spcabench.solving.driver import parameters

    if source and Path(source).is_dir() and source not in registry.names("dataset"):
        raise InputError(f"{source}: is a folder; specify a file or the name of a dataset")
    if source not in registry.names("dataset"):
        items = (item for (name, _), item in suite.by_name().items() if name == source)
        if item := next(items, None):
            words = "".join(f", {key}={value}" for key, value in item.parameters.items())
            raise InputError(
                f"{source}: is a problem of the suites, not a dataset or a file; its data are "
                f"dataset {item.dataset!r}{words}"
            )
    arguments = parameters(registry.module("dataset", source).load)
    settings = {}
    for name, option in READING.items():
        if getattr(how, name) == getattr(Reading(), name):
            continue
        if name not in ("center", "scale") or name not in arguments:
            raise InputError(f"{option}: only applies to files, not to dataset {source!r}")
        settings[name] = getattr(how, name)
    return api.load(source, stand_in=stand_in, **settings)


def _check_sizes(problem: "Problem", ks: list[int], components: int) -> None:
    """Raise InputError if a size exceeds n; the message includes notes on dropped variables."""
    for option, number in (("-k", max(ks, default=1)), ("--components", components)):
        if not 1 <= number <= problem.n:
            notes = "; ".join(problem.provenance.get("notes", ()))
            explained = f" ({notes})" if notes else ""
            raise InputError(f"{option}: {number}; it must be from 1 to n = {problem.n}{explained}")
