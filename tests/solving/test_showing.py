"""Printing answers and converting them to tables."""

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

from spcabench import api
from spcabench.errors import InputError
from spcabench.estimators import SparsePCA
from spcabench.problem.problem import Problem

X = np.random.default_rng(2).standard_normal((40, 8)) @ np.diag(np.arange(8, 0, -1.0))


@pytest.fixture
def pitprops():
    return api.load("pitprops")


def test_names_are_escaped_in_html():
    problem = Problem.from_data(X, features=[f"<b>{j}" for j in range(8)])
    assert "<b>" not in api.solve(problem, "grqi", k=2)._repr_html_()


def test_tables_hold_the_loadings_by_name(pitprops, tmp_path):
    components = api.solve(pitprops, "grqi", n_components=2, k=4)
    frame = components.to_frame()
    assert list(frame.index) == list(pitprops.features)
    np.testing.assert_array_equal(frame.to_numpy(), components.Z)
    components.to_csv(tmp_path / "z.csv")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "z.csv", index_col=0), frame)
    components[0].to_csv(tmp_path / "x.csv")
    np.testing.assert_allclose(pd.read_csv(tmp_path / "x.csv")["component 1"], components[0].x)
    with pytest.raises(InputError, match="none"):
        components.to_csv(tmp_path / "none" / "z.csv")


def test_a_path_has_a_table_a_line_and_a_point_for_each_cardinality(pitprops, tmp_path):
    path = api.path(pitprops, "grqi", [5, 2, 3])
    assert [r.k for r in path] == [2, 3, 5] and "bound" not in repr(path)
    assert repr(path).splitlines()[0] == "CardinalityPath(grqi on pitprops)"
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


@pytest.mark.parametrize("scale", [False, True])
def test_the_inverse_has_the_scores_and_all_of_it_where_nothing_is_lost(scale):
    model = SparsePCA(3, cardinality=4, scale=scale).fit(X)
    scores = model.transform(X)
    np.testing.assert_allclose(model.transform(model.inverse_transform(scores)), scores)
    full = SparsePCA(8, cardinality=8, scale=scale).fit(X)
    np.testing.assert_allclose(full.inverse_transform(full.transform(X)), X, atol=1e-8)
    with pytest.raises(InputError, match=r"scores must have shape \(m, 3\)"):
        model.inverse_transform(np.ones((2, 4)))


CLINIC = X / X.std(axis=0) * [40.0, 3.0, 1.0, 2.0, 1.0, 1.0, 3.0, 2.0]


@pytest.mark.parametrize(
    ("table", "dominates"),
    [
        (CLINIC, True),
        (CLINIC[:, :2], True),
        (CLINIC[:, 1:], False),
        (CLINIC[:, [1, 2]], False),  # 9 of 10, but only 9 times the other one
        (CLINIC[:, :1], False),
        (np.column_stack([CLINIC[:, 0], CLINIC[:, 0]]), False),
    ],
)
def test_a_variable_that_dominates_unscaled_data_is_named(table, dominates):
    """Scaled data and problems, which the user prepared, give no warning."""
    for compute in (lambda: api.solve(table, k=1), lambda: SparsePCA(1, cardinality=1).fit(table)):
        with (
            pytest.warns(UserWarning, match="0 has .*% of the variance; use .*scale=True")
            if (dominates)
            else nullcontext()
        ):
            compute()
    SparsePCA(1, cardinality=1, scale=True).fit(table)
    api.solve(Problem.from_data(table), k=1)
