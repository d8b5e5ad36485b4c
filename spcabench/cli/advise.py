"""The command `advise`, which recommends a solver from the published comparisons."""

import math
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spcabench.cli import options
from spcabench.errors import InputError
from spcabench.files import say, width

if TYPE_CHECKING:
    from spcabench.comparison.advice import Answers, Question

PUBLISHED = options.ROOT / "results" / "published"


def advise(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            help="Samples x variables (or variables only) and the kind of data, for example 5,000 "
            "x 20,000 text. The default is all kinds."
        ),
    ] = None,
    k: Annotated[int | None, typer.Option("-k", help="Variables per component.", min=1)] = None,
    budget: Annotated[
        float | None,
        typer.Option(help="Maximum seconds per run.", min=1e-6, callback=options.finite),
    ] = None,
    density: Annotated[
        float | None,
        typer.Option(help="Fraction of nonzero entries in the data.", min=1e-9, max=1),
    ] = None,
    nonnegative: Annotated[
        bool, typer.Option("--nonnegative", help="Require loadings >= 0.")
    ] = False,
    components: Annotated[
        str | None,
        typer.Option(help="Compute several components: deflation, orthonormal or disjoint."),
    ] = None,
    run: Annotated[Path, typer.Option(help="Folder of the published run.")] = PUBLISHED,
) -> None:
    """Recommend a solver for your data.

    Prints the five best solvers in the published comparisons on problems similar to yours, with
    their fraction of the best known variance, and faster solvers. If no similar problem was
    measured, the most similar ones are used, and the output names them.
    """
    from spcabench import validate
    from spcabench.comparison import advice

    several = [str(mode) for mode in advice.MODES][2:]
    if components is not None and components not in several:
        raise InputError(validate.nearest("formulation", components, several))
    if components is not None and nonnegative:
        raise InputError("--nonnegative: cannot be combined with --components")
    answers = advice.read(run / "compare")
    mode = components or ("nonnegative" if nonnegative else "signed")
    asked = dict(k=k, density=density, mode=mode, budget=math.inf if budget is None else budget)
    question = advice.question(" ".join(data or []), answers, **asked)
    _show(question, advice.answer(answers, question), answers)


def _show(question: "Question", found: dict[str, Any], answers: "Answers") -> None:
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
