"""Each paper is described in the file of one solver; the others from the same paper name it."""

from dataclasses import replace

from spcabench import registry
from spcabench.iterate import Facts
from spcabench.page.solver_table import facts_of

STATED = {
    n: getattr(registry.module("solver", n), "FACTS", Facts()) for n in registry.names("solver")
}


def test_no_paper_is_described_twice():
    titles = [facts.title for facts in STATED.values() if facts.title]
    assert len(set(titles)) == len(titles)


def test_a_solver_shares_the_paper_of_the_solver_that_it_names():
    sharing = [name for name, facts in STATED.items() if facts.paper_of]
    assert sharing
    for name in sharing:
        own, first = STATED[name], facts_of(STATED[name].paper_of)
        shared = replace(first, cost=own.cost, reproduced=own.reproduced, paper_of=own.paper_of)
        assert facts_of(name) == replace(shared, code=own.code or first.code)
