"""Each paper is described in the file of one solver; the others from the same paper name it."""

from dataclasses import replace

import pytest

from spcabench import registry
from spcabench.iterate import Facts, stated_facts

STATED = {name: stated_facts(registry.path("solver", name)) for name in registry.names("solver")}
TITLES = [facts["title"] for facts in STATED.values() if "title" in facts]
SHARING = [name for name, facts in STATED.items() if "paper_of" in facts]


def test_no_paper_is_described_twice():
    assert len(set(TITLES)) == len(TITLES)


@pytest.mark.parametrize("name", SHARING)
def test_a_solver_shares_the_paper_of_the_solver_that_it_names(name):
    own, first = (registry.module("solver", s).FACTS for s in (name, STATED[name]["paper_of"]))
    assert first.title and own.paper == first.paper and own.address == first.address
    assert own.code == STATED[name].get("code", first.code)


def test_stated_fields_take_precedence():
    grqi = Facts(paper_of="grqi")
    assert Facts(paper_of="grqi", venue="arXiv") == replace(grqi, venue="arXiv")
    assert grqi.cost == grqi.reproduced == ""
