"""Negative controls: made-up rows on which each claim holds, and on which it fails."""

import pytest

from spcabench import registry
from tests import controls

FIGURES = registry.names("figure")
CONTROLS = [(figure, name) for figure in FIGURES for name in controls.of(figure)]
STATEMENTS = [(figure, name) for figure in FIGURES for name in controls.statements(figure)]


@pytest.mark.parametrize("holds", [True, False], ids=["holds", "fails"])
@pytest.mark.parametrize(("figure", "name"), CONTROLS)
def test_made_up_rows_decide_as_they_were_made(figure, name, holds):
    found = controls.verdicts(figure, controls.of(figure)[name](holds), name)
    assert found and set(found.values()) == {"holds" if holds else "fails"}


@pytest.mark.parametrize(("figure", "name"), STATEMENTS)
def test_every_statement_that_can_fail_has_made_up_rows(figure, name):
    assert name not in controls.without(figure)


def test_every_control_is_for_a_statement_that_can_fail():
    for figure, name in CONTROLS:
        assert name.partition("_")[0] in controls.statements(figure), (figure, name)


def test_a_claim_that_says_holds_whatever_it_is_shown_is_found(add_file):
    from tests.trial import FIGURE, NAME

    add_file("figure", NAME, FIGURE)
    assert controls.without(NAME) == ["T1", "T2"]
    rows = {k: [dict(cardinality=k)] for k in (3, 4)}
    assert controls.verdicts(NAME, rows[3], "T1") == {"": "holds"}
    assert controls.verdicts(NAME, rows[4], "T1") == {"": "fails"}
    assert controls.verdicts(NAME, rows[4], "T2") == {"": "holds"}  # so no control could be written


def test_a_statement_by_construction_needs_no_rows_and_says_why(add_file):
    from tests.trial import FIGURE, NAME

    add_file("figure", NAME, FIGURE.replace("any_data=True", 'by_construction="it is drawn so"'))
    assert controls.without(NAME) == ["T1"]


def test_a_control_is_found_by_its_name_alone():
    assert set(controls.of("he2010_fig2")) == {"H4", "H5"}
    assert controls.of("no_such_figure") == {}
