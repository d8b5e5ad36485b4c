"""Every statement can hold and fail near its threshold, and fails for a trivial method."""

import pytest

from spcabench import registry
from tests import controls

FIGURES = registry.names("figure")
EDGES = [
    (figure, statement.id, part.name, pair)
    for figure in FIGURES
    for statement in controls.statements(figure).values()
    if not statement.calibration
    for part in statement.parts
    if (function := controls.of(figure).get(controls.control(statement, part)))
    for pair in controls.sides(part, function)
]
TRIVIAL = [
    (figure, id)
    for figure in FIGURES
    for id in controls.can_fail(figure)
    if f"{controls.TRIVIAL}{id}" in controls.of(figure)
]


def rows(figure, id, part, value):
    """Return the artificial rows of a control."""
    name = f"{id}_{part.replace(' ', '_')}" if part else id
    return list(controls.of(figure)[name](value))


@pytest.mark.parametrize("figure", FIGURES)
def test_rows_beside_a_threshold_decide(figure):
    wrong = {}
    for edge in (edge for edge in EDGES if edge[0] == figure):
        _, id, part, pair = edge
        sides = [controls.verdict(figure, rows(figure, id, part, value), id) for value in pair]
        if sides != ["holds", "fails"]:
            wrong[edge] = sides
    assert wrong == {}


def test_a_trivial_competitor_does_not_make_a_statement_hold():
    holding = [
        (figure, id)
        for figure, id in TRIVIAL
        if controls.verdict(figure, [*controls.of(figure)[f"{controls.TRIVIAL}{id}"]()], id)
        == "holds"
    ]
    assert holding == []


def test_no_statement_lacks_a_control():
    assert [figure for figure in FIGURES if controls.without(figure)] == []


def test_every_control_is_for_a_statement():
    for figure in FIGURES:
        assert set(controls.of(figure)) <= set(controls.wanted(figure)), figure
