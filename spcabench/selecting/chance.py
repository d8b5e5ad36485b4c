"""Compare answers with results for random data and random subsets: permutation tests, stability."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from spcabench.errors import InputError
from spcabench.problem.problem import Problem
from spcabench.selecting.inclusion import inclusion
from spcabench.selecting.permutation_test import PermutationTest, permutation_test
from spcabench.solving.deflate import Components
from spcabench.solving.formulations import Formulation
from spcabench.solving.result import Result
from spcabench.vectors import Vector

FEWEST_SAMPLES = 8
LARGE = 1e7  # limit on `Problem.product_cost`: beyond it, a hundred permuted tables take minutes
SHORT = 0.5  # minimum time limit in seconds for solving the halves, even if the answer took less


@dataclass
class Chance:
    """Permutation tests and frequencies of a list of answers, in the order of the answers.

    Attributes
    ----------
    tests : list of PermutationTest or None
        One test for each component. A path over the cardinality has a single test.
    frequencies : list of array of shape (n,), or None
        For each variable, the fraction of random half-samples whose component contains it.
    halves : int
        Number of half-samples; the minimum over the answers if it differs between them.
    notes : list of str
        Descriptions of what could not be computed, with reasons.
    """

    tests: list[PermutationTest | None] = field(default_factory=list)
    frequencies: list[Vector | None] = field(default_factory=list)
    halves: int = 0
    notes: list[str] = field(default_factory=list)


def beside(
    problem: Problem,
    results: Sequence[Result],
    *,
    ks: Sequence[int] | None = None,
    null: bool | None = None,
    stability: bool | None = None,
    seed: int = 0,
) -> Chance:
    """Return permutation tests and stability, for comparison with answers.

    ks : the cardinalities from which the cardinality of the first component was chosen. null :
        whether to run the permutation tests; None runs them unless the data are large. stability :
        whether to compute how often each variable is chosen; None computes it if this takes no
        longer than the answers did.
    """
    chance, requested = Chance(), null or stability
    if problem.m is not None and problem.product_cost > LARGE and None in (null, stability):
        chance.notes.append(
            "the data are large, so there is no comparison with chance, and no stability; to "
            "compute them, use --checks all"
        )
        null, stability = bool(null), bool(stability)
    null = null is None or null
    if not null and stability is False:
        return chance
    if problem.m is None or problem.m < FEWEST_SAMPLES:
        lack = "is a covariance" if problem.m is None else f"has {problem.m} samples"
        if requested or problem.m is not None:
            chance.notes.append(
                f"no stability and no comparison with chance: {problem.name} {lack}, and they need "
                f"at least {FEWEST_SAMPLES}"
            )
        return chance
    if stability is not False:
        took = max(SHORT, sum(result.cost.wall_time for result in results)) / len(results)
        for result in results:
            seconds = took if stability is None else None
            chance.frequencies.append(_frequencies(result, chance, seed, seconds))
    if null:
        _test(problem, results, ks, chance, seed)
    return chance


def _frequencies(result: Result, chance: Chance, seed: int, seconds: float | None) -> Vector | None:
    if not result.good or result.cardinality == result.problem.n:  # every half uses all variables
        return None
    try:
        often, halves = inclusion(result, random_state=seed, seconds=seconds)
    except InputError as error:
        late = str(error).partition("seconds: ")[2]
        _note(chance, f"no stability: {late}" if late else _lacking(error))
        return None
    chance.halves = min(halves, chance.halves or halves)
    return often


def _test(
    problem: Problem,
    results: Sequence[Result],
    ks: Sequence[int] | None,
    chance: Chance,
    seed: int,
) -> None:
    """Test each component in the problem for which it was computed, or a whole path at once."""
    if not isinstance(results, Components):
        sizes = [result.k or result.cardinality for result in results]
        chance.tests.append(
            permutation_test(problem, sizes, nonnegative=results[0].nonnegative, random_state=seed)
        )
        return
    if results.formulation != Formulation.DEFLATION:
        _note(chance, "there is no permutation test of components that were found jointly")
        return
    for i, result in enumerate(results):
        tried = ks if ks is not None and i == 0 else [result.cardinality]
        chance.tests.append(_tested(result, tried, chance, seed) if result.good else None)


def _tested(result: Result, ks: Sequence[int], chance: Chance, seed: int) -> PermutationTest | None:
    try:
        return permutation_test(
            result.problem, ks, nonnegative=result.nonnegative, random_state=seed
        )
    except InputError as error:
        _note(chance, _lacking(error))
        return None


def _lacking(error: InputError) -> str:
    """Return the note about components whose samples cannot be drawn again."""
    reason = str(error).partition(": ")[2].partition(";")[0]  # without the argument and the advice
    return f"later components have no stability and no comparison with chance: {reason}"


def _note(chance: Chance, note: str) -> None:
    if note not in chance.notes:
        chance.notes.append(note)
