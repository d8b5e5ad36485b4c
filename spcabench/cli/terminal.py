"""Output of `solve`: components, or a path over the cardinality, as a table or as JSON."""

import io
import json
import shutil
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from spcabench import flops
from spcabench.files import say
from spcabench.problem.problem import Problem
from spcabench.selecting.chance import Chance
from spcabench.showing import words
from spcabench.showing.text import dominance, loadings, names, total_variance
from spcabench.solving.bounds import large_data
from spcabench.solving.deflate import Components
from spcabench.solving.result import Result
from spcabench.vectors import Vector, oriented

if TYPE_CHECKING:
    from rich.table import Table

PATIENCE = 2.0  # seconds after which slow computations are reported
VARIABLES = 12  # maximum number of variables shown per component
MOST_NOTES = 3  # below a table
BOUNDS = "computing certified bounds (skip them with --checks none)"
CLEARLY = 0.99  # a probable bound is shown if it is below this fraction of the certified bound


class Lines:
    """Progress lines on the error stream, which are held back until `show` is called."""

    def __init__(self) -> None:
        self.held: list[str] = []
        self.shown, self.lock = False, threading.Lock()

    def __call__(self, line: str) -> None:
        """Print a line, or hold it back until `show` is called."""
        with self.lock:
            self.held.append(line)
            if self.shown:
                self._print()

    def show(self) -> None:
        """Print the lines held back so far, and print later lines immediately."""
        with self.lock:
            self.shown = True
            self._print()

    def _print(self) -> None:
        while self.held:
            say(self.held.pop(0), file=sys.stderr)


@contextmanager
def lines_when_slow() -> Iterator[Lines]:
    """Yield a printer of progress lines that prints nothing during the first two seconds."""
    lines = Lines()
    timer = threading.Timer(PATIENCE, lines.show)
    timer.daemon = True
    timer.start()
    try:
        yield lines
    finally:
        timer.cancel()


@contextmanager
def slow(work: str, may_be: bool = True) -> Iterator[None]:
    """Report a computation on the error stream if it takes longer than two seconds."""
    with lines_when_slow() as tell:
        if may_be:
            tell(f"{work} ...")
        yield


def found(result: Result) -> str:
    """Return a progress line about a component."""
    took = f"{result.cost.seconds:.1f} s"
    return f"  {result.cardinality} variables, variance {result.variance:.5g}: {took}"


def tell_of_compilation() -> None:
    """Report once that kernels are compiled, because they are not yet cached on disk."""
    flops.telling = _compiling


@contextmanager
def _compiling() -> Iterator[None]:
    with lines_when_slow() as tell:
        tell("compiling kernels, once per machine ...")
        yield
    if tell.shown:
        flops.telling = nullcontext


def as_json(problem: Problem, results: Sequence[Result], bound: bool, chance: Chance) -> str:
    """Return the answers as JSON, without the zeros of the vectors.

    The entries are listed under "components", or under "path" for a path over the cardinality.
    """
    entries, total, variables = [], total_variance(problem), names(problem)
    for i, result in enumerate(results):
        variance = problem.variance(result.x)
        entries.append(
            {
                "solver": result.solver,
                "problem": problem.name,
                "stand_in": problem.stand_in,
                "status": result.status,
                "k": result.k,
                "cardinality": result.cardinality,
                "variance": variance,
                "share": variance / total,
                "deflated_variance": result.variance,
                "bound": result.bound if bound else None,
                "bound_whp": result.bound_whp if bound else None,
                "gap": result.gap if bound else None,
                "nonnegative": result.nonnegative,
                "iterations": result.iterations,
                "flops": result.cost.flops if result.cost.counted else None,
                "setup_flops": result.cost.setup_flops if result.cost.counted else None,
                "solve_time": result.cost.solve_time,
                "setup_time": result.cost.setup_time,
                "search": result.cost.search,
                "support": result.support.tolist(),
                "features": [variables[j] for j in result.support],
                "loadings": oriented(result.x)[result.support].tolist(),
            }
        )
        often = _frequencies(chance, i)
        entries[-1]["chosen"] = None if often is None else often[result.support].tolist()
    about: dict[str, Any] = {"samples": problem.m, "variables": problem.n, "total_variance": total}
    about |= {
        "notes": notes(problem, results, chance),
        "halves": chance.halves,
        "permutation_tests": [
            test and {"p_value": test.p_value, "permutations": test.permutations, "ks": test.ks}
            for test in chance.tests
        ],
        "components" if isinstance(results, Components) else "path": entries,
    }
    if isinstance(results, Components):
        about["projected_variance"] = results.projected_variance
    return json.dumps(about, indent=1, default=float)


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
        "explains nothing beyond earlier components (--set deflation=schur avoids this)": idle,
        "has fewer variables than requested, because the solver found no better answer; try "
        "another --solver": fewer,
        "explains no more than chance (p > 0.05)": by_chance,
    }
    for label, result in labelled:
        if result.unproven:
            about.setdefault(result.unproven, []).append(label)
    sentences = [f"{words.listed(who)}: {what}" for what, who in about.items() if who]
    dominant = filter(None, [dominance(problem, "--scale")])
    return [*faults, *dominant, *sentences, *problem.provenance.get("notes", ()), *chance.notes]


def _probable(results: Sequence[Result]) -> list[str]:
    """Return a note on the bounds of the Lanczos method for large data that are clearly smaller."""
    smaller = [
        f"{result.bound_whp:.5g} ({label})"
        for label, result in zip(labels(results), results, strict=True)
        if result.good
        and large_data(result.problem) is not None
        and result.bound_whp is not None
        and result.bound_whp < CLEARLY * result.bound
    ]
    about = "smaller bounds, which are wrong with a probability of 1e-9 (Lanczos method): "
    return [about + words.listed(smaller)] if smaller else []


def as_table(problem: Problem, results: Sequence[Result], bound: bool, chance: Chance) -> str:
    """Return the answers as a table with one line per component or per cardinality.

    Each line shows the variance, its share of the total variance, the certified bound, and the
    variables in order of their loadings.
    """
    from rich.console import Console

    stream = io.StringIO()
    console = Console(file=stream, width=max(100, shutil.get_terminal_size((120, 24)).columns))
    console.print(_table(problem, results, bound, chance))
    probable = _probable(results) if bound else []
    for note in [*notes(problem, results, chance), *probable][:MOST_NOTES]:
        console.print(f"note: {note}", markup=False)
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
    several = joint and len(results) > 1
    size = f"n = {problem.n}" if problem.m is None else f"m = {problem.m}, n = {problem.n}"
    title = f"{problem.name}: {size}, solver {results[0].solver}"
    title += " (STAND-IN)" if problem.stand_in else ""
    table = Table(
        title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    after = ("after\ndeflation",) if several else ()
    bounds = ("bound\non it" if several else "certified\nbound", "gap") if bound else ()
    first = "component" if joint else "requested k"
    tested = ("p against\nchance",) if any(chance.tests) and joint else ()
    columns = (
        first,
        "cardinality",
        "variance",
        "of the\ntotal",
        *after,
        *bounds,
        *tested,
        "status",
    )
    for column in columns:
        table.add_column(column, justify="right")
    halves = chance.halves
    chosen = f", chosen in {halves} halves of the samples" if halves else ""
    table.add_column(f"variables (loading{chosen})", overflow="fold")
    for i, result in enumerate(results):
        label = str(i + 1 if joint else result.k)
        cells = _cells(problem, result, several, bound)
        if tested:
            test = chance.tests[i]
            cells.insert(-2, f"{test.p_value:.2g}" if test else "")
        if np.isfinite(result.x).all():
            cells[-1] = loadings(problem, oriented(result.x), VARIABLES, _frequencies(chance, i))
        # Text, because names must not be interpreted as markup
        table.add_row(*map(Text, (label, str(result.cardinality), *cells)))
    return table


def _cells(problem: Problem, result: Result, several: bool, bound: bool) -> list[str]:
    """Return the cells of a result after its cardinality; the last one, for variables, is empty."""
    if not np.isfinite(result.x).all():
        return [*[""] * (2 + several + 2 * bound), result.status, ""]
    variance = problem.variance(result.x)
    cells = [f"{variance:.5g}", f"{variance / total_variance(problem):.1%}"]
    cells += [f"{result.variance:.5g}"] if several else []
    if bound:
        cells += [f"{result.bound:.5g}", f"{100 * result.gap:.1f} %"] if result.good else ["", ""]
    return [*cells, result.status, ""]


def _frequencies(chance: Chance, i: int) -> Vector | None:
    """Return how often answer i on half the samples uses each variable; None if unknown."""
    return chance.frequencies[i] if chance.frequencies else None


def labels(results: Sequence[Result]) -> list[str]:
    """Return a label for each component, or for each cardinality of a path."""
    single = isinstance(results, Components)
    return [f"component {i}" if single else f"k = {r.k}" for i, r in enumerate(results, 1)]
