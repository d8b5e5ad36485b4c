"""A solver has the paper of the solver that it names, with its own cost and results."""

from dataclasses import replace

from spcabench import registry
from spcabench.iterate import Facts
from spcabench.page.solver_table import facts_of


def test_a_solver_shares_the_paper_of_the_solver_that_it_names():
    names = registry.names("solver")
    stated = {n: getattr(registry.module("solver", n), "FACTS", Facts()) for n in names}
    sharing = [name for name in names if stated[name].paper_of]
    assert sharing
    for name in sharing:
        own, first = stated[name], facts_of(stated[name].paper_of)
        shared = replace(first, cost=own.cost, reproduced=own.reproduced, paper_of=own.paper_of)
        assert facts_of(name) == replace(shared, code=own.code or first.code)
