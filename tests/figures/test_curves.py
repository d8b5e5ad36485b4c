"""Curves show the numbers by which claims are judged."""

import numpy as np
import pytest

from spcabench.figures._curves import draw_curve
from tests.claims.made_up import judged, table

Figure = pytest.importorskip("matplotlib.figure").Figure


def drawn(of, unit):
    """Draw a table on new axes."""
    axis = Figure().subplots()
    draw_curve(axis, of, unit, color="black", marker="o")
    return axis


@pytest.mark.parametrize("unit", ["times", "%", "share"])
def test_a_curve_has_the_values_and_the_intervals_of_a_claim(unit):
    of = table([[0.1, 0.2, 0.4], [0.5, 0.7, 0.9], 0.3])
    places = judged(of, unit=unit)["readings"][0]["places"]
    axis = drawn(of, unit)
    assert axis.lines[0].get_ydata() == pytest.approx([place["value"] for place in places])
    assert axis.lines[0].get_xdata().tolist() == [0.0, 1.0, 2.0]
    ends = [segment[:, 1] for segment in axis.collections[0].get_segments()]
    assert np.array(ends) == pytest.approx(np.array([[p["low"], p["high"]] for p in places]))


def test_a_bound_has_an_arrow_in_place_of_its_marker():
    of = table([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    axis = drawn(of.assign(missed=(of.x == 1).astype(int)), "times")
    assert axis.lines[0].get_markevery() == [0]
    assert [line.get_xdata().tolist() for line in axis.lines[1:]] == [[1.0], []]
