"""The command `advise`, which recommends a solver from the published comparisons."""

import math
import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spcabench.cli import options
from spcabench.files import say, width

if TYPE_CHECKING:
    from spcabench.comparison.advice import Question


def advise(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            help="Samples x variables (or variables only), the kind of data, and nonnegative, "
            "deflation, orthonormal or disjoint, for example 5,000 x 20,000 text nonnegative. The "
            "default is one component of all kinds of data."
        ),
    ] = None,
    k: Annotated[int | None, typer.Option("-k", help="Variables per component.", min=1)] = None,
    time: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="Maximum time of a run.", min=1e-6, callback=options.finite
        ),
    ] = None,
) -> None:
    """Recommend a solver for your data.

    Prints the five best solvers in the published comparisons on problems similar to yours, with
    their fraction of the best known variance, and faster solvers. If no similar problem was
    measured, the most similar ones are used, and the output names them.

    For example:

    `spcabench advise 5,000 x 20,000 text -k 20`

    `spcabench advise genes --time 0.01`
    """
    from spcabench.comparison import advice

    answers = advice.read(options.published() / advice.NAME)
    budget = math.inf if time is None else time
    question = advice.question(" ".join(data or []), answers.kinds, k=k, budget=budget)
    _show(question, advice.answer(answers, question))


def _show(question: "Question", found: dict[str, Any]) -> None:
    from spcabench.showing.words import duration

    longest = max(len(e["solver"]) for e in found["best"] + found["frontier"])
    within = f" within {duration(question.budget)}" if question.budget < math.inf else ""
    lines = [
        f"{found['from']} {'; '.join(found['problems'][:5])}"
        + ("; ..." if len(found["problems"]) > 5 else ""),
        *found["notes"],
    ]
    for line in lines:
        say(textwrap.fill(line, width()))
    if not found["best"]:
        say(f"\nno solver{within}")
        return
    head = f"best{within}, by the mean fraction of the best known variance:"
    say(f"\n{textwrap.fill(head, width())}")
    say(f"{'solver':{longest}}{'mean':>10}{'worst':>10}{'time':>9}  proves")
    for e in found["best"]:
        proves = f"{e['proves']} of {e['pairs']}" if e["proves"] else "no"
        say(
            f"{e['solver']:{longest}}{100 * e['share']:>8.2f} %{100 * e['worst']:>8.2f} %"
            f"{duration(e['time']):>9}  {proves}"
        )
    faster = [f"{e['solver']} {duration(e['time'])} {e['share']:.2%}" for e in found["frontier"]]
    say(textwrap.fill(f"from fast to accurate, without a budget: {', '.join(faster)}", width()))
