"""What `solve` and `report` have in common: loading a problem, and computing an answer."""

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spcabench import registry
from spcabench.cli import options, settings, terminal
from spcabench.cli.groups import READ, Data, Run
from spcabench.errors import InputError
from spcabench.files import say

if TYPE_CHECKING:
    from spcabench.problem.problem import Problem
    from spcabench.readers.reading import Reading
    from spcabench.selecting.chance import Chance
    from spcabench.selecting.selection import Selection


@dataclass(frozen=True)
class Answer:
    """The answer to a problem.

    results : components, or a path over the cardinality. selection : the automatic choice of k, or
        None. chance : comparison with chance. solver : how the solver was chosen, in words. bound :
        whether certified bounds are shown.
    """

    results: Any
    selection: "Selection | None"
    chance: "Chance"
    solver: str
    bound: bool


def load(source: str, data: Data, run: Run | None = None) -> "Problem":
    """Load a problem from a file, or a dataset by its name.

    If a table is refused, the advised options include `-k` if ``run`` needs it.
    """
    how = data.reading()
    # the readers load pandas, which takes a quarter of the time of a first answer
    if source in registry.names("dataset") and not Path(source).is_file():
        return _dataset(source, how)
    from spcabench.readers import user_file
    from spcabench.readers.table import TableError

    if user_file.is_file(source):
        try:
            return user_file.read(Path(source), how)
        except TableError as error:
            if run is not None and run.k is run.solver is None:
                error.args = (f"{error}; -k is not specified",)
                error.advice += ["-k", options.AUTO]
            raise
    return _dataset(source, how)


def _dataset(source: str, how: "Reading") -> "Problem":
    """Load a dataset by its name; only some datasets accept --scale."""
    from spcabench import api
    from spcabench.readers.reading import Reading
    from spcabench.solving.call import parameters

    scalable = "scale" in parameters(registry.module("dataset", source).load)
    for field, default in vars(Reading()).items():
        if getattr(how, field) != default and not (field == "scale" and scalable):
            option = "read" if field in READ else field
            raise InputError(f"--{option}: only applies to files, not to dataset {source!r}")
    return api.load(source, **({"scale": True} if how.scale else {}))


def answer(problem: "Problem", run: Run) -> Answer:
    """Compute the answer to a problem."""
    if run.k is None and run.solver is None:
        raise InputError(f"-k: specify a number of variables from 1 to {problem.n}, or -k auto")
    name = registry.solver_for(problem.n) if run.solver is None else run.solver
    chosen = f"solver {name}: requested"
    if run.solver is None:
        stored = f" and {problem.nnz} stored entries" if problem.form == "sparse" else ""
        chosen = (
            f"solver {name}: chosen for {problem.n} variables{stored} (change it with --solver)"
        )
    # another program can read the answer, so output of a solver is sent to the error stream
    with redirect_stdout(sys.stderr):
        values = settings.of_run(run, name)
        seed = values.get("seed", 0)
        terminal.tell_of_compilation()
        selection = None if run.criterion is None else _selected(problem, run, seed)
        ks = [selection.k] if selection else run.cardinalities()
        with terminal.slow(f"computing components with {name}") as tell:
            results = _results(problem, run, name, ks, values, tell)
        if run.solver is None:  # not before, because errors are a single line
            say(chosen, file=sys.stderr)
        if run.components > len(results) and all(result.good for result in results):
            say(
                f"only {len(results)} of {run.components} components: the remaining variables "
                "have no variance",
                file=sys.stderr,
            )
        chance = _chance(problem, results, selection, run, seed)
    return Answer(results, selection, chance, chosen, bool(run.switches()["bound"]))


def _results(
    problem: "Problem",
    run: Run,
    name: str,
    ks: list[int],
    values: dict[str, Any],
    tell: Callable[[str], None],
) -> Any:
    """Return components, or a path if there are several cardinalities for one component."""
    from spcabench import api
    from spcabench.solving.call import arguments

    if len(set(ks)) > 1 and run.components == 1:
        return api.path(problem, name, ks, **arguments(values))
    k = ks if len(set(ks)) > 1 else ks[0] if ks else None
    how = arguments(values)
    if "alpha" in values and values.get("deflation") != "joint":
        # a joint solver can have a setting called alpha
        how = arguments({key: v for key, v in values.items() if key != "alpha"})
        how["alpha"] = values["alpha"]
    how["progress"] = lambda result: tell(terminal.found(result))
    return api.several(problem, name, run.components, k=k, **how)


def expect_feasible(results: Any) -> None:
    """Raise InputError if an answer is infeasible; later components may be missing (zero)."""
    from spcabench.solving.status import Status

    for result in results:
        if result.status == Status.INFEASIBLE or (result is results[0] and not result.good):
            raise InputError(f"solver {result.solver!r}: no feasible answer: {result.fault}")


def _chance(
    problem: "Problem", results: Any, selection: "Selection | None", run: Run, seed: int
) -> "Chance":
    """Compare the results with chance, for all cardinalities from which k was chosen."""
    from spcabench.selecting import chance

    wanted = run.switches()
    automatic = wanted["null"] is None and (selection is not None or run.components > 1)
    work = "comparing with chance (skip it with --checks bound)"
    with terminal.slow(work, automatic or bool(wanted["null"]) or wanted["stability"] is not False):
        return chance.beside(
            problem,
            results,
            ks=selection.ks if selection else None,
            null=None if automatic else bool(wanted["null"]),
            stability=wanted["stability"],
            seed=seed,
        )


def _selected(problem: "Problem", run: Run, seed: int) -> "Selection":
    """Return the cardinality chosen by `select`, and print the reason."""
    from spcabench.selecting.chance import LARGE
    from spcabench.selecting.selection import select

    large = problem.product_cost > LARGE
    criterion = run.criterion or ("certified" if large or problem.m is None else "heldout")
    with terminal.slow(
        "choosing k by computing components with many cardinalities on subsets of the data"
    ):
        selection = select(
            problem, criterion=criterion, nonnegative=run.nonnegative, random_state=seed
        )
    say(f"-k auto: {selection.reason}", file=sys.stderr)
    return selection
