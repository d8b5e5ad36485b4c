"""What every picture has: names that do not cover each other, legends that cover no curve."""

from itertools import combinations
from pathlib import Path

import pytest

from spcabench import registry
from spcabench.errors import InputError
from spcabench.page import draw
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
        (figure,) = pictures
        figure.draw_without_rendering()
        return figure

    yield of
    monkeypatch.undo()
    for figure in pictures:
        plt.close(figure)


@WHOLE
@pytest.mark.parametrize("name", registry.names("figure"))
def test_a_published_picture_has_clear_legends(name, published):
    """No legend covers a line, and two entries of a legend never look alike."""
    for axis in filter(lambda axis: axis.get_legend(), published(name).axes):
        box = axis.get_legend().get_window_extent()
        assert not [line.get_label() for line in axis.get_lines() if _covers(box, axis, line)]
        entries = [_look(handle) for handle in axis.get_legend().legend_handles]
        assert len({*entries}) == len(entries)


# a title that was cut off, formulas and names beside the lines, and a table
PRINTED = ("kuleshov2013_fig2", "zhang2011_fig1", "zhang2011_table2")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in PRINTED else WHOLE)
        for name in registry.names("figure")
    ],
)
def test_in_print_no_text_is_cut_off_or_covers_another_one(name, published):
    try:
        figure = published(name, width=7.0, height=3.2, fontsize=8.0)
    except InputError:  # a figure that does not fit is refused
        assert name not in PRINTED
        return
    texts = [(text.get_text(), text.get_window_extent()) for text in _drawn(figure)]
    boxes = [(text, box) for text, box in texts if min(box.width, box.height) > 1]
    page = figure.bbox.padded(1)
    assert not [
        text for text, box in boxes if not (page.contains(*box.min) and page.contains(*box.max))
    ]
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


def _look(handle):
    """Return all that distinguishes an entry of a legend."""
    read = ("color", "facecolor", "linestyle", "marker", "alpha", "linewidth", "hatch")
    values = [getattr(handle, f"get_{name}", lambda: None)() for name in read]
    dashes = getattr(handle, "_dash_pattern", None)
    hollow = getattr(handle, "get_markerfacecolor", lambda: None)()
    return repr((*values, dashes, hollow, getattr(handle, "get_paths", lambda: None)()))
