"""Every statement can hold and fail near its threshold, and fails for a trivial method."""

import pytest

from spcabench import registry
from spcabench.claims import judging
from spcabench.page import claims_file
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


def _verdicts_at_the_edge(figure, id, part, pair):
    """Return the verdicts on both sides of a threshold, and with the threshold moved away by 10
    %.
    """
    holding, failing = (rows(figure, id, part, value) for value in pair)
    sides = controls.verdict(figure, holding, id), controls.verdict(figure, failing, id)
    moved = (
        controls.verdict(figure, holding, id, +0.10),
        controls.verdict(figure, failing, id, -0.10),
    )
    return sides, moved


@pytest.mark.parametrize("figure", FIGURES)
def test_rows_beside_a_threshold_decide_and_turn_when_it_moves_by_a_tenth(figure):
    wrong = {}
    for edge in (edge for edge in EDGES if edge[0] == figure):
        sides, moved = _verdicts_at_the_edge(*edge)
        if sides != ("holds", "fails") or moved == ("holds", "fails"):
            wrong[edge] = sides, moved
    assert wrong == {}


def test_a_trivial_competitor_does_not_make_a_statement_hold():
    holding = [
        (figure, id)
        for figure, id in TRIVIAL
        if controls.verdict(figure, [*controls.of(figure)[f"{controls.TRIVIAL}{id}"]()], id)
        == "holds"
    ]
    assert TRIVIAL and holding == []


def test_no_statement_lacks_a_control():
    assert [figure for figure in FIGURES if controls.without(figure)] == []


def test_every_control_is_for_a_statement():
    for figure in FIGURES:
        assert set(controls.of(figure)) <= set(controls.wanted(figure)), figure


@pytest.mark.parametrize("share", [-0.10, 0.10])
def test_a_threshold_that_moved_is_named_by_verify(share):
    for figure in FIGURES:
        for statement in controls.statements(figure).values():
            stored = statement.judge(None)
            for place, part in enumerate(stored["parts"]):
                parts = [dict(p) for p in stored["parts"]]
                parts[place]["rule"] = judging.moved(part, share)
                (line,) = claims_file.changed(stored | {"parts": parts}, stored)
                assert "rule" in line


def test_a_statement_without_rows_is_found(add_file):
    from tests.trial import FIGURE, NAME

    add_file("figure", NAME, FIGURE)
    assert controls.without(NAME) == ["T1", "T2", "trivial_T1", "trivial_T2"]


def test_a_control_is_found_by_its_name_alone():
    assert {"H4", "H5"} <= set(controls.of("he2010_fig2"))
    assert controls.of("no_such_figure") == {}
