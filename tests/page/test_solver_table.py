"""The table of all methods is generated from the solver files and agrees with them."""

from spcabench import registry
from spcabench.page import solver_table

METHODS = {name: facts for name, _, facts in solver_table.methods()}


def test_every_solver_is_listed_by_year():
    assert set(METHODS) == set(registry.names("solver"))
    assert len(METHODS) >= 40
    years = [method.year for method in METHODS.values() if method.year]
    assert years == sorted(years)


def test_every_solver_states_its_cost_and_code_and_a_paper_has_all_its_parts():
    for name, method in METHODS.items():
        assert method.cost and method.code, name
        facts = registry.module("solver", name).FACTS
        assert bool(facts.title) == bool(facts.authors) == bool(method.paper), name
        assert not facts.title or facts.year, name
        assert facts.address.startswith("https://") or not facts.address, name
