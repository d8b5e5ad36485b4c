"""What the table of all methods shows is stated in the solver files."""

from spcabench import registry
from spcabench.page import solver_table


def test_every_solver_states_its_cost_and_code_and_a_paper_has_all_its_parts():
    methods = {name: facts for name, _, facts in solver_table.methods()}
    assert {*methods} == {*registry.names("solver")}
    for name, method in methods.items():
        assert method.cost and method.code, name
        facts = registry.module("solver", name).FACTS
        assert bool(facts.title) == bool(facts.authors) == bool(method.paper), name
        assert not facts.title or facts.year, name
        assert facts.address.startswith("https://") or not facts.address, name
