"""Printing and drawing answers, and converting them to tables."""

import numpy as np
import pandas as pd
import pytest

from spcabench import InputError, Problem, api
from spcabench.showing import pictures, style, substitutes, text, words
from spcabench.vectors import oriented

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
    x = np.array([0.0, -0.8, 0.6, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert text.loadings(PROBLEM, x, 1, np.ones(8)) == "<b>1 (-0.80, 100%), and 1 more"


def test_a_path_has_a_table_a_line_and_a_point_for_each_cardinality(tmp_path):
    path = api.path(PROBLEM, "grqi", [5, 2, 3])
    assert [r.k for r in path] == [2, 3, 5] and "bound" not in repr(path)
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
        order = result.support[np.argsort(np.abs(result.x[result.support]))]
        x = oriented(result.x)[order]  # the largest loading is positive
        assert [bar.get_width() for bar in axis.patches] == pytest.approx(x)
        swaps = result.substitutes()
        for j, label in zip(order, axis.get_yticklabels(), strict=True):
            others = swaps.substitute[swaps.variable == f"<b>{j}"][:2]
            names = [f"<b>{j}", *others] if kind == "substitutes" else [f"<b>{j}"]
            assert label.get_text() == " or ".join(names)


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
    tips = np.linalg.norm([a.xy for a in axis.texts if a.arrow_patch is not None], axis=1)
    lengths = np.linalg.norm(found.Z[found.Z.any(axis=1)], axis=1)
    longest = 0.9 * np.abs(scores).max()
    assert np.allclose(np.sort(tips) / longest, np.sort(lengths) / lengths.max())
    (one,) = drawn(found[0].plot("scores"))
    assert not np.vstack([part.get_offsets() for part in one.collections])[:, 1].any()


def test_a_scree_shows_what_each_component_adds(found):
    (axis,) = drawn(found.plot("scree"))
    shares = 100.0 * found.adjusted_variances / PROBLEM.covariance.diagonal().sum()
    assert [bar.get_height() for bar in axis.patches] == pytest.approx(shares)
    assert axis.lines[0].get_ydata() == pytest.approx(shares.cumsum())
    with pytest.raises(InputError, match="a single Axes cannot show 2 components"):
        found.plot(axis=axis)
    with pytest.raises(InputError, match="is a covariance"):
        api.solve(api.load("pitprops"), "grqi", k=2).plot("scores")


def test_no_two_of_many_solvers_look_alike():
    every = style.many([f"solver {i}" for i in range(99)])
    assert len({(v["color"], v["marker"], v["linestyle"]) for v in every.values()}) == 99


NUMBERS = [
    ((10_900.4,), "10,900"),
    ((0.01156,), "0.0116"),
    ((1.234e-6,), "1.2e-6"),
    ((4.07e-4, "s"), "407 µs"),
    ((119.0, "s"), "119 s"),
    ((120.0, "s"), "2 min"),
    ((999_600.0, "B"), "1 MB"),
    ((999.0, "B"), "999 B"),
    ((0.047, "share"), "4.7 %"),
    ((-1e-12, "share"), "0 %"),
    ((np.nan,), "n/a"),
    ((9.9996, "times", [10.0]), "9.9996 times"),
]


@pytest.mark.parametrize(("number", "shown"), NUMBERS)
def test_numbers_have_few_digits_and_a_unit(number, shown):
    assert words.number(*number) == shown


def test_spans_counts_and_lists():
    assert words.span([3.0, None, 16.0, np.nan], "times") == "3 to 16 times"
    assert words.span([2.0, 2.0001], "times") == "2 times" and words.span([None]) == "n/a"
    assert [words.counted(n, "rows") for n in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
    lists = ["", "a", "a and b", "a, b and c"]
    assert [words.listed([*"abc"[:n]]) for n in range(4)] == lists
