"""The table of all methods in docs/solvers.md, from the facts in each solver's file.

FACTS contains the paper, the cost of an iteration, the authors' code and the reproduced results.
The table lists the figures that run the solver.
"""

from collections import Counter
from dataclasses import replace
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
SHARED = ("authors", "title", "venue", "year", "address", "code")  # by solvers from one paper


def methods() -> list[tuple[str, str, Facts]]:
    """Return name, description and facts of all solvers, sorted by year and name.

    Solvers without a year come last. If a solver reproduces no number of its own paper, its facts
    name the papers whose figures run it.
    """
    rows = [(name, what, facts_of(name)) for name, what in registry.descriptions("solver").items()]
    rows = [(n, w, replace(f, reproduced=f.reproduced or _in_figures(n))) for n, w, f in rows]
    return sorted(rows, key=lambda row: (row[2].year or 9999, row[0]))


def facts_of(solver: str) -> Facts:
    """Return the facts that the file of a solver states, and those of the solver that it names."""
    facts: Facts = getattr(registry.module("solver", solver), "FACTS", Facts())
    if not facts.paper_of:
        return facts
    first = facts_of(facts.paper_of)
    return replace(facts, **{name: getattr(facts, name) or getattr(first, name) for name in SHARED})


def control(name: str) -> str:
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


def _line(method: tuple[str, str, Facts]) -> tuple[str, ...]:
    name, what, facts = method
    link = f", [address]({facts.address})" if facts.address else ""
    paper = f"{facts.paper}{link}" if facts.paper else what
    year = str(facts.year or "")
    return (f"`{name}`", year, paper, control(name), facts.cost, facts.code, facts.reproduced)
