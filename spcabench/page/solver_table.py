"""The table of all methods in docs/solvers.md, from the facts in each solver's file.

FACTS contains the paper, the cost of an iteration, the authors' code and the reproduced results.
The table lists the figures that run the solver.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cache

from spcabench import registry
from spcabench.iterate import Facts
from spcabench.page import papers
from spcabench.page.generated_block import markdown_table
from spcabench.running import jobs as figure_jobs

HEAD = (
    *("solver", "year", "paper", "input"),
    *("flops of an iteration", "authors' code", "reproduced"),
)


@dataclass(frozen=True)
class Method:
    """The facts about a solver; a field is empty if its file does not state it.

    control : the input that controls sparsity. reproduced : reproduced numbers of its own paper,
    or, if there are none, the papers whose figures run the solver.
    """

    name: str
    what: str
    paper: str
    year: int | None
    address: str
    control: str
    cost: str
    code: str
    reproduced: str


def methods() -> list[Method]:
    """Return all solvers sorted by year and name; those without a year come last."""
    rows = [_method(name, what) for name, what in registry.descriptions("solver").items()]
    return sorted(rows, key=lambda method: (method.year or 9999, method.name))


def _method(name: str, what: str) -> Method:
    facts = getattr(registry.module("solver", name), "FACTS", Facts())
    return Method(
        name=name,
        what=what,
        paper=facts.paper,
        year=facts.year,
        address=facts.address,
        control=_control(name),
        cost=facts.cost,
        code=facts.code,
        reproduced=facts.reproduced or _in_figures(name),
    )


def _control(name: str) -> str:
    """Describe the input that controls a solver's sparsity: k, a penalty, or none."""
    traits = registry.module("solver", name).TRAITS
    words = {"cardinality": "k", "penalty": f"penalty {traits.penalty}"}.get(traits.control, "none")
    kinds = {"exact": traits.exact, "a relaxation": traits.relaxation}
    extras = [word for word, has in kinds.items() if has]
    extras += [f"x >= 0{'' if traits.nonnegative == 'always' else ' too'}"] * bool(
        traits.nonnegative
    )
    return "; ".join([words, *extras])


def _in_figures(name: str) -> str:
    """List the papers whose figures or tables run a solver, with the number of these figures."""
    # not derived from rows, because the table must not depend on what ran on this machine
    keys = [papers.key_of(figure) for figure, named in _figures().items() if name in named]
    counts = Counter(papers.paper(key).name for key in keys)
    return "; ".join(
        f"{count} figure{'s or tables' if count > 1 else ' or table'} of {paper}"
        for paper, count in counts.items()
    )


@cache
def _figures() -> dict[str, set[str]]:
    """Return the solvers that each figure runs, or that ran for the figures whose rows it uses."""
    run_by = {
        figure: {name for run in figure_jobs.runs_of(figure, "paper") for name in run.solvers}
        for figure in registry.names("figure")
    }
    return {
        figure: solvers.union(*(run_by[other] for other in figure_jobs.shared(figure)))
        for figure, solvers in run_by.items()
    }


def table() -> str:
    """Return the table of all methods as Markdown."""
    return f"\n{markdown_table(HEAD, map(_line, methods()))}\n"


def _line(method: Method) -> tuple[str, ...]:
    link = f", [address]({method.address})" if method.address else ""
    return (
        f"`{method.name}`",
        str(method.year or ""),
        f"{method.paper}{link}" if method.paper else method.what,
        method.control,
        method.cost,
        method.code,
        method.reproduced,
    )
