"""What every picture has: texts and legends that cover nothing, different looks, coordinates."""

import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from spcabench import registry
from spcabench.errors import InputError
from spcabench.page import draw, light_svg
from spcabench.showing import style
from tests.problems import WHOLE

plt = pytest.importorskip("matplotlib.pyplot")
Text = pytest.importorskip("matplotlib.text").Text
PUBLISHED = Path(__file__).parents[2] / "results" / "published"


@pytest.fixture
def published(monkeypatch):
    """Return a function that draws a figure from the published rows, without writing it."""
    pictures = []

    def of(name, **size):
        monkeypatch.setattr(draw, "write_picture", lambda out, figure, **_: None)
        monkeypatch.setattr(plt, "close", pictures.append)
        shared = getattr(registry.module("figure", name), "SHARES", ())
        folders = [PUBLISHED / "rows" / part for part in (name, *shared)]
        files = [file for folder in folders for file in folder.glob("*.parquet")]
        draw.draw_to(name, sorted(files), [PUBLISHED / "never-written.png"], **size)
        figure = pictures[-1]
        figure.draw_without_rendering()
        return figure

    yield of
    monkeypatch.undo()
    for figure in pictures:
        plt.close(figure)


# a title that was cut off, formulas and names beside the lines, and a table
PRINTED = ("kuleshov2013_fig2", "zhang2011_fig1", "zhang2011_table2")


@WHOLE
@pytest.mark.parametrize("name", registry.names("figure"))
def test_no_text_is_cut_off_or_covers_another_one_and_no_legend_covers_a_line(name, published):
    for axis in filter(lambda axis: axis.get_legend(), published(name).axes):
        box = axis.get_legend().get_window_extent()
        assert not [line.get_label() for line in axis.get_lines() if _covers(box, axis, line)]
    try:
        figure = published(name, width=7.0, height=3.2, fontsize=8.0)
    except InputError:  # a figure that does not fit is refused
        assert name not in PRINTED
        return
    boxes = [(text.get_text(), text.get_window_extent()) for text in _drawn(figure)]
    boxes = [(text, box) for text, box in boxes if min(box.width, box.height) > 1]
    page = figure.bbox.padded(1)
    assert all(page.contains(*box.min) and page.contains(*box.max) for _, box in boxes)
    assert not [
        (one, other)
        for (one, box), (other, rival) in combinations(boxes, 2)
        if min(box.x1, rival.x1) - max(box.x0, rival.x0) > 1
        # the boxes of lines of text are higher than their letters
        and min(box.y1, rival.y1) - max(box.y0, rival.y0) > 0.25 * min(box.height, rival.height)
    ]


def _drawn(figure):
    """Return the texts of a figure that are drawn, which tick labels outside the limits are not."""
    hidden = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not (axes.axison and low <= tick.get_loc() <= high):
                    hidden |= {tick.label1, tick.label2}
    texts = figure.findobj(Text)
    return [t for t in texts if t.get_visible() and t.get_text().strip() and t not in hidden]


def _covers(box, axis, line):
    """Whether a box covers a part of a line that is inside its panel."""
    if line.get_transform() != axis.transData or not len(line.get_xydata()):
        return False
    path = line.get_transform().transform_path(line.get_path())
    return box.overlaps(axis.bbox) and path.intersects_bbox(box.shrunk(0.98, 0.98), filled=False)


def test_no_two_solvers_of_a_picture_look_alike():
    rng, most = np.random.default_rng(0), len(style.DISTINCT)
    for _ in range(10):
        order = [*rng.permutation(registry.names("solver"))]
        looks = style.looks(order)
        for kind in ("color", "marker"):
            assert len({looks[name][kind] for name in order[:most]}) == most
        assert {looks[name]["color"] for name in order[most:]} == {style.GREY}


def test_a_lighter_picture_has_the_same_coordinates():
    text = (
        '<path d="M 1.234567 222.04 \nL 3.5 -4.98765 \nL 5 6 \n" transform="scale(0.015625)"/>\n'
        '<!-- a word -->\n<path d="M 1 2 \nQ 3 4 5 6 \nL 7 8.001 \n"/>\n<g id="x_">\n'
        + '<use xlink:href="#m" x="9" y="4" style="fill: red"/>\n' * 2
        + '</g>\n<use xlink:href="#DejaVuSans-a" transform="translate(9 4)"/>'
    )
    lighter = light_svg.light(text)
    numbers = [[float(x) for x in re.findall(r"-?\d+\.?\d*", part)] for part in (text, lighter)]
    off = np.abs(np.subtract(*numbers))
    assert (off <= np.where(np.abs(numbers[0]) < 10, 0.0051, 0.051)).all()
    assert "scale(0.015625)" in lighter and len(lighter) < len(text)
    # markers share the style of their group
    assert '<g style="fill: red">\n<use href="#m" x="9" y="4"/>\n' in lighter
    assert '"#ga" x="9" y="4"' in lighter
    assert "L 7 8" in lighter and "word" not in lighter  # after a curve an L is needed
    inner = '<g>\n<g clip-path="url(#p)"/>\n<path d="M 1 2"/>\n</g>\n<g style="fill: red">\n</g>\n'
    lighter = light_svg.light(f"<svg>\n{inner}</svg>\n")
    assert "<g>" not in lighter  # unneeded groups
    assert [part.tag for part in ElementTree.fromstring(lighter)] == ["g", "path", "g"]
