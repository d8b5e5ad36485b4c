"""Printing and drawing answers, and converting them to tables."""

import numpy as np
import pandas as pd
import pytest

from spcabench import InputError, Problem, api
from spcabench.showing import pictures, style, substitutes, text, words

X = np.random.default_rng(2).standard_normal((40, 8)) @ np.diag(np.arange(8, 0, -1.0))
X[:, 7] = 7.0 * X[:, 0] + 0.1 * X[:, 1]  # nearly a copy of the first variable
PROBLEM = Problem.from_data(
    X, "a <b>", scale=True, features=[f"<b>{j}" for j in range(8)], labels=["a", "b"] * 20
)


@pytest.fixture
def found():
    return api.solve(PROBLEM, "grqi", n_components=2, k=3)


def test_an_answer_is_a_line_a_table_and_a_file_of_its_loadings_by_name(found, tmp_path):
    frame = found.to_frame()
    assert list(frame.index) == list(PROBLEM.features)
    np.testing.assert_array_equal(frame.to_numpy(), found.Z)
    found.to_csv(tmp_path / "z.csv")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "z.csv", index_col=0), frame)
    found[0].to_csv(tmp_path / "x.csv")
    np.testing.assert_allclose(pd.read_csv(tmp_path / "x.csv")["component 1"], found[0].x)
    with pytest.raises(InputError, match="none"):
        found.to_csv(tmp_path / "none" / "z.csv")
    assert "<b>" not in found._repr_html_() and "bound" not in repr(found)
    share = found.projected_variance / 8.0 * 39.0 / 40.0
    assert repr(found).splitlines()[3] == f"together {share:.1%} of the total"
    bound = found[1].bound
    assert text.cells(PROBLEM, found[1]) == {
        "cardinality": 3,
        "variance": found.variances[1],
        "share": pytest.approx(found.variances[1] / 8.0 * 39.0 / 40.0),
        "deflated_variance": found[1].variance,
        "bound": bound,
        "gap": found[1].gap,
        "status": str(found[1].status),
    }
    assert "bound after deflation" in repr(found) and "deflated_variance" in text.cells(
        PROBLEM, found[1], bound=False
    )
    x = np.array([0.0, -0.8, 0.6, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert text.loadings(PROBLEM, x) == "<b>1 (-0.80), <b>2 (+0.60)"
    assert text.loadings(PROBLEM, x, 1, np.ones(8)) == "<b>1 (-0.80, 100%), and 1 more"


def test_a_path_has_a_table_a_line_and_a_point_for_each_cardinality(tmp_path):
    path = api.path(PROBLEM, "grqi", [5, 2, 3])
    assert [r.k for r in path] == [2, 3, 5] and "bound" not in repr(path)
    assert repr(path).splitlines()[0] == "CardinalityPath(grqi on a <b>)"
    assert path._repr_html_().count("<tr>") == 4 and "<th>bound" not in path._repr_html_()
    frame = path.to_frame()
    assert (frame.bound >= frame.variance).all() and frame.variance.is_monotonic_increasing
    for k, result in zip(frame.index, path, strict=True):
        assert frame.cardinality[k] == k == len(frame.variables[k].split(", "))
        assert frame.gap[k] == result.gap
    assert frame.drop(columns=["bound", "gap"]).equals(path.to_frame(bound=False))
    path.to_csv(tmp_path / "path.csv")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "path.csv", index_col=0), frame)
    (line, bounds) = path.plot().axes[0].lines
    np.testing.assert_array_equal(line.get_xydata(), frame.reset_index()[["k", "variance"]])
    np.testing.assert_array_equal(bounds.get_ydata(), frame.bound)


def drawn(figure):
    """Render a figure, close it and return its axes."""
    figure.canvas.draw()
    pictures.require("matplotlib.pyplot").close(figure)
    return figure.axes


@pytest.mark.parametrize("kind", ["loadings", "substitutes"])
def test_bars_are_the_largest_loadings_with_their_signs(kind, found):
    for axis, result in zip(drawn(found.plot(kind)), found, strict=True):
        assert np.abs([bar.get_width() for bar in axis.patches]) == pytest.approx(
            np.sort(np.abs(result.x[result.support]))
        )
        assert axis.patches[-1].get_width() > 0.0  # the largest loading is positive
        colours = {bar.get_facecolor() for bar in axis.patches if bar.get_width() < 0.0}
        assert axis.patches[-1].get_facecolor() not in colours
        labels = [label.get_text() for label in axis.get_yticklabels()]
        names = [f"<b>{j}" for j in result.support[np.argsort(np.abs(result.x[result.support]))]]
        assert [label.split(" or ")[0] for label in labels] == names
        swaps = result.substitutes()
        for name, label in zip(names, labels, strict=True):
            others = swaps.substitute[swaps.variable == name][:2]
            assert label.split(" or ")[1:] == [*others] * (kind == "substitutes")


def test_all_substitutes_are_among_the_promising_variables(monkeypatch):
    Y = np.random.default_rng(0).standard_normal((30, 3))
    Y = Y @ np.random.default_rng(1).standard_normal((3, 15)) + 0.3 * X[:30, :1]
    result = api.solve(Problem.from_data(Y), "tpower", k=4)
    every = result.substitutes(0.02)
    most = int(every.groupby("variable").size().max())
    assert 0 < most < 5
    monkeypatch.setattr(substitutes, "TRIED", most)
    pd.testing.assert_frame_equal(result.substitutes(0.02), every)


def test_scores_are_points_and_arrows_are_loadings(found):
    (axis,) = drawn(found.plot("biplot"))
    points = np.vstack([part.get_offsets() for part in axis.collections[:2]])
    scores = PROBLEM.data.dense() @ np.column_stack([oriented(r.x) for r in found])
    scores /= scores[:, 0].std()
    assert np.allclose(points, np.vstack([scores[::2], scores[1::2]]))
    assert [part.get_label() for part in axis.collections[:2]] == ["a", "b"]
    used = np.flatnonzero(found.Z.any(axis=1))
    tips = {a.xy for a in axis.texts if a.arrow_patch is not None}
    assert len(tips) == len(used)
    lengths = np.linalg.norm(found.Z[used], axis=1)
    longest = max(np.linalg.norm(tip) for tip in tips)
    assert longest == pytest.approx(0.9 * np.abs(scores).max())
    assert sorted(np.linalg.norm([*tips], axis=1) / longest) == pytest.approx(
        sorted(lengths / lengths.max())
    )
    (one,) = drawn(found[0].plot("scores"))
    assert not np.vstack([part.get_offsets() for part in one.collections])[:, 1].any()


def oriented(x):
    """Return x with the sign for which its largest entry is positive."""
    return x * np.sign(x[np.abs(x).argmax()])


def test_a_scree_shows_what_each_component_adds(found):
    (axis,) = drawn(found.plot("scree"))
    shares = 100.0 * found.adjusted_variances / PROBLEM.covariance.diagonal().sum()
    assert [bar.get_height() for bar in axis.patches] == pytest.approx(shares)
    assert axis.lines[0].get_ydata() == pytest.approx(shares.cumsum())
    for wrong, how in (
        ("k", dict(kind="bars")),
        ("axis", dict(axis=3)),
        ("axis: a", dict(axis=axis)),
    ):
        with pytest.raises(InputError, match=wrong):
            found.plot(**how)
    with pytest.raises(InputError, match="is a covariance"):
        api.solve(api.load("pitprops"), "grqi", k=2).plot("scores")


def test_solvers_look_different_whatever_else_is_in_the_picture():
    names = ["tpower", "grqi", "gpower0", "gpower1", "scol", "pmd", "em", "dspca", "fps", "bca"]
    looks = style.looks(names, first=6)
    assert [*looks] == names
    colours = [looks[name]["color"] for name in names]
    assert len({*colours[:6]}) == 6 and {*colours[6:]} == {style.GREY}
    for i, one in enumerate(colours[:6]):
        assert style._apart(one, colours[:i]) > style.NEAR
    assert len({looks[name]["marker"] for name in names[:6]}) == 6
    assert style.looks(names[:1]) == {"tpower": style.look("tpower")}
    every = style.many([f"solver {i}" for i in range(99)])
    assert len({(v["color"], v["marker"], v["linestyle"]) for v in every.values()}) == 99
    assert style.own_colour("no_such_solver") is None
    assert not style._hue("#777777") and style._hue("#0000ff")


NUMBERS = [
    ((16.0, "times"), "16 times"),
    ((10_900.4,), "10,900"),
    ((0.01156,), "0.0116"),
    ((-0.000025,), "-0.000025"),
    ((1.234e-6,), "1.2e-6"),
    ((0.0,), "0"),
    ((4.07e-4, "s"), "407 µs"),
    ((0.9996, "s"), "1 s"),
    ((119.0, "s"), "119 s"),
    ((120.0, "s"), "2 min"),
    ((999_600.0, "B"), "1 MB"),
    ((8.96e9, "B"), "8.96 GB"),
    ((999.0, "B"), "999 B"),
    ((0.047, "share"), "4.7 %"),
    ((-1e-12, "share"), "0 %"),
    ((None,), "n/a"),
    ((np.nan,), "n/a"),
    ((np.inf,), "no limit"),
    ((9.9996, "times", [10.0]), "9.9996 times"),
    ((9.9996, "times", [11.0]), "10 times"),
]


@pytest.mark.parametrize(("number", "shown"), NUMBERS)
def test_numbers_have_few_digits_and_a_unit(number, shown):
    assert words.number(*number) == shown


def test_spans_counts_and_lists():
    assert words.span([3.0, None, 16.0, np.nan], "times") == "3 to 16 times"
    assert words.span([0.5, 90.0], "s") == "500 ms to 90 s"
    assert words.span([2.0, 2.0001], "times") == "2 times" and words.span([None]) == "n/a"
    assert [words.counted(n, "rows") for n in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
    assert words.counted(1, "data") == "1 data"
    lists = ["", "a", "a and b", "a, b and c"]
    assert [words.listed([*"abc"[:n]]) for n in range(4)] == lists
