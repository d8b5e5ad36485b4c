"""Which rows and columns remain if values are missing, and with which labels."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from spcabench.readers import table, user_file

FRAME = pd.DataFrame(np.arange(12.0).reshape(4, 3), columns=["a", "b", "c"])
GAPS = FRAME.mask(np.eye(4, 3, k=-1) * np.array([[0], [1], [1], [0]]) > 0)  # of a and of b


@pytest.mark.parametrize(
    ("missing", "rows", "columns"),
    [("rows", [0, 3], "abc"), ("columns", [0, 1, 2, 3], "c"), ("mean", [0, 1, 2, 3], "abc")],
)
def test_the_mask_is_of_the_rows_that_remain(missing, rows, columns):
    kept, mask = table.complete(Path("t.csv"), GAPS, missing, [])
    assert np.flatnonzero(mask).tolist() == [*kept.index] == rows
    expected = GAPS.loc[rows, [*columns]].fillna(GAPS.mean())
    assert kept.equals(expected) and np.isfinite(kept.to_numpy()).all()


def test_labels_stay_with_their_rows(tmp_path):
    GAPS.assign(kind=[*"wxyz"]).to_csv(tmp_path / "t.csv", index=False)
    problem = user_file.read(tmp_path / "t.csv", user_file.Reading(missing="rows", label="kind"))
    assert [*problem.labels] == ["w", "z"]
