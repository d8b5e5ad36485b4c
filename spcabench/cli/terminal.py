"""Output of `solve`: components, or a path over the cardinality, as a table or as JSON."""

import io
import json
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Timer
from time import monotonic
from typing import TYPE_CHECKING, Any

from spcabench import flops
from spcabench.files import say
from spcabench.problem.problem import Problem
from spcabench.selecting.chance import Chance
from spcabench.showing import words
from spcabench.showing.text import cells, dominance, formatted, loadings, names, total_variance
from spcabench.solving.deflate import Components
from spcabench.solving.result import Result
from spcabench.vectors import Vector, oriented

if TYPE_CHECKING:
    from rich.table import Table

PATIENCE = 2.0  # seconds after which slow computations are reported
VARIABLES = 12  # maximum number of variables shown per component
MOST_NOTES = 3  # below a table
SCALED = "use --scale"  # what to do if a column dominates
BOUNDS = "computing certified bounds (skip them with --checks none)"


@contextmanager
def slow(work: str, may_be: bool = True) -> Iterator[Callable[[str], None]]:
    """Report a computation on the error stream if it takes longer than two seconds.

    Yields a function that prints a line about the progress if this time has passed.
    """
    begun = monotonic()

    def tell(line: str) -> None:
        if monotonic() - begun > PATIENCE:
            say(line, file=sys.stderr)

    timer = Timer(PATIENCE, say, [f"{work} ..."], {"file": sys.stderr})
    timer.daemon = True
    if may_be:
        timer.start()
    try:
        yield tell
    finally:
        timer.cancel()


def found(result: Result) -> str:
    """Return a progress line about a component."""
    took = f"{result.cost.seconds:.1f} s"
    return f"  {result.cardinality} variables, variance {result.variance:.5g}: {took}"


def tell_of_compilation() -> None:
    """Report slow compilations of kernels, which are not yet cached on disk."""
    flops.telling = partial(slow, "compiling kernels, once per machine")


def as_json(problem: Problem, results: Sequence[Result], bound: bool, chance: Chance) -> str:
    """Return the answers as JSON, without the zeros of the vectors.

    The entries are listed under "components", or under "path" for a path over the cardinality.
    """
    several = isinstance(results, Components)
    about: dict[str, Any] = {
        "samples": problem.m,
        "variables": problem.n,
        "total_variance": total_variance(problem),
        "notes": notes(problem, results, chance),
        "halves": chance.halves,
        "permutation_tests": [
            test and {"p_value": test.p_value, "permutations": test.permutations, "ks": test.ks}
            for test in chance.tests
        ],
        "components" if several else "path": [
            _entry(problem, result, bound, _frequencies(chance, i))
            for i, result in enumerate(results)
        ],
    }
    if isinstance(results, Components):
        about["projected_variance"] = results.projected_variance
    return json.dumps(about, indent=1, default=float)


def _entry(problem: Problem, result: Result, bound: bool, often: Vector | None) -> dict[str, Any]:
    """Return an answer as JSON."""
    cost, counted, variables = result.cost, result.cost.counted, names(problem)
    return {
        **dict.fromkeys(("variance", "share", "bound", "gap")),  # null if unknown
        "deflated_variance": result.variance,
        **cells(problem, result, bound),
        "solver": result.solver,
        "problem": problem.name,
        "stand_in": problem.stand_in,
        "k": result.k,
        "bound_whp": result.bound_whp if bound else None,
        "nonnegative": result.nonnegative,
        "iterations": result.iterations,
        "flops": cost.flops if counted else None,
        "setup_flops": cost.setup_flops if counted else None,
        "solve_time": cost.solve_time,
        "setup_time": cost.setup_time,
        "search": cost.search,
        "support": result.support.tolist(),
        "features": [variables[j] for j in result.support],
        "loadings": oriented(result.x)[result.support].tolist(),
        "chosen": None if often is None else often[result.support].tolist(),
    }


def notes(problem: Problem, results: Sequence[Result], chance: Chance) -> list[str]:
    """Return notes for the user about the answers and the file, starting with the most important.

    Labels are joined, so that there is one note for each thing that several components share.
    """
    labelled = list(zip(labels(results), results, strict=True))
    faults = dict.fromkeys(f"no answer: {result.fault}" for result in results if not result.good)
    several = isinstance(results, Components) and all(result.good for result in results)
    idle = [f"component {i + 1}" for i in results.idle] if several else []  # type: ignore[attr-defined]
    fewer = [
        label
        for label, result in labelled
        if result.good and result.k is not None and result.cardinality < result.k
    ]
    tests = zip(
        labels(results) if len(chance.tests) == len(results) else ["the path"],
        chance.tests,
        strict=False,
    )
    by_chance = [label for label, test in tests if test and not test.significant]
    about: dict[str, list[str]] = {
        "has scores that are combinations of those of earlier components, so it explains nothing "
        "more (--set deflation=schur avoids this)": idle,
        "has fewer variables than requested, because the solver found no better answer; try "
        "another --solver": fewer,
        "explains no more than chance (p > 0.05)": by_chance,
    }
    for label, result in labelled:
        if result.unproven:
            about.setdefault(result.unproven, []).append(label)
    sentences = [f"{words.listed(who)}: {what}" for what, who in about.items() if who]
    dominant = filter(None, [dominance(problem, SCALED)])
    # what the last steps of reading took away is more important than what the first ones guessed
    read = reversed(problem.provenance.get("notes", ()))
    return [*faults, *dominant, *sentences, *read, *chance.notes]


def as_table(problem: Problem, results: Sequence[Result], bound: bool, chance: Chance) -> str:
    """Return the answers as a table with one line per component or per cardinality.

    Each line shows the variance, its share of the total variance, the certified bound, and the
    variables in order of their loadings.
    """
    from rich.console import Console

    stream = io.StringIO()
    console = Console(file=stream, width=max(100, shutil.get_terminal_size((120, 24)).columns))
    console.print(_table(problem, results, bound, chance))
    told = notes(problem, results, chance)
    for note in told[:MOST_NOTES]:
        console.print(f"note: {note}", markup=False)
    if more := told[MOST_NOTES:]:
        console.print(f"{words.counted(len(more), 'more notes')}: add --json")
    if isinstance(results, Components) and len(results) > 1:
        explained = results.projected_variance
        share = explained / total_variance(problem)
        console.print(
            f"variance explained by their span: {explained:.5g}, {share:.1%} of the total"
        )
    return stream.getvalue().rstrip()


def _table(problem: Problem, results: Sequence[Result], bound: bool, chance: Chance) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    joint = isinstance(results, Components)
    rows = []
    for i, result in enumerate(results):
        row = {"label": str(i + 1 if joint else result.k)}
        row |= formatted(cells(problem, result, bound))
        if joint and chance.tests and (test := chance.tests[i]):
            row["p"] = f"{test.p_value:.2g}"
        if result.good:
            often = _frequencies(chance, i)
            row["variables"] = loadings(problem, oriented(result.x), VARIABLES, often)
        rows.append(row)
    size = f"n = {problem.n}" if problem.m is None else f"m = {problem.m}, n = {problem.n}"
    title = f"{problem.name}: {size}, solver {results[0].solver}"
    title += " (STAND-IN)" if problem.stand_in else ""
    table = Table(
        title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    halves = f", chosen in {chance.halves} halves of the samples" if chance.halves else ""
    heads = {
        "label": "component" if joint else "requested k",
        "cardinality": "cardinality",
        "variance": "variance",
        "share": "of the\ntotal",
        "deflated_variance": "after\ndeflation",
        "bound": "bound\non it" if joint and len(results) > 1 else "certified\nbound",
        "gap": "gap",
        "p": "p against\nchance",
        "status": "status",
    }
    shown = [name for name in heads if any(name in row for row in rows)]
    for name in shown:
        table.add_column(heads[name], justify="right")
    table.add_column(f"variables (loading{halves})", overflow="fold")
    for row in rows:
        # Text, because names must not be interpreted as markup
        table.add_row(*(Text(row.get(name, "")) for name in (*shown, "variables")))
    return table


def _frequencies(chance: Chance, i: int) -> Vector | None:
    """Return how often answer i on half the samples uses each variable; None if unknown."""
    return chance.frequencies[i] if chance.frequencies else None


def labels(results: Sequence[Result]) -> list[str]:
    """Return a label for each component, or for each cardinality of a path."""
    single = isinstance(results, Components)
    return [f"component {i}" if single else f"k = {r.k}" for i, r in enumerate(results, 1)]
