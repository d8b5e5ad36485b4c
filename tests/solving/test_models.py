"""Components saved to files are applied unchanged, without pickle; missing optional libraries."""

import json
import subprocess
import sys
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from spcabench import SparsePCA
from spcabench.errors import InputError
from spcabench.solving import model as models
from tests.problems import WHOLE

WINE = load_wine(as_frame=True).data
WINE *= np.linspace(1.0, 2.0, 13) / WINE.std()  # no variable has most of the variance
# what the core must do without; the files of the package are there, these are not
HIDDEN = ("abess", "asv", "clarabel", "cvxpy", "h5py", "isal", "jinja2", "matplotlib")
HIDDEN += ("pyarrow", "rdata", "scs", "snakemake")
WITHOUT = f"""
import sys
from importlib.machinery import PathFinder
found = PathFinder.find_spec
PathFinder.find_spec = lambda name, *rest: None if name in {HIDDEN} else found(name, *rest)
sys.argv = ["spcabench", *sys.argv[1:]]
from spcabench.cli.application import main
main()
"""


@pytest.fixture
def table(tmp_path):
    frame = WINE.copy()
    frame.insert(0, "bottle", [f"b{i}" for i in range(len(frame))])
    frame.iloc[3, 2] = np.nan
    frame.to_csv(tmp_path / "wine.csv", index=False)
    return tmp_path / "wine.csv"


@pytest.mark.parametrize("scale", [False, True])
def test_an_estimator_is_the_same_after_its_file(scale, tmp_path):
    model = SparsePCA(2, cardinality=[5, 0.3], scale=scale).fit(WINE)
    model.save(tmp_path / "m.npz")
    again = SparsePCA.load(tmp_path / "m.npz")
    pd.testing.assert_frame_equal(
        again.set_output(transform="pandas").transform(WINE),
        model.set_output(transform="pandas").transform(WINE),
    )
    assert again.get_params() == model.get_params() and again.cardinality_ == [5, 4]
    fitted = {name: value for name, value in vars(model).items() if name.endswith("_")}
    for name, value in fitted.items():
        np.testing.assert_array_equal(getattr(again, name), value)
    assert {*fitted} == {name for name in vars(again) if name.endswith("_")}
    saved = models.load(tmp_path / "m.npz")
    assert saved.columns == ["component 1", "component 2"] and "numpy" in saved.about["versions"]
    few = saved.scores(WINE.to_numpy()[:, saved.used])
    np.testing.assert_allclose(few, model.transform(WINE))


def test_auto_is_what_select_recommends():
    model = SparsePCA(1, cardinality="auto", random_state=0).fit(WINE)
    assert model.cardinality_ == model.selection_.k


@pytest.mark.parametrize("scale", [(), ("--scale",)])
def test_scores_of_a_file_are_those_of_the_estimator(scale, table, tmp_path, spcabench):
    model, scores = tmp_path / "m.npz", tmp_path / "s.csv"
    words = ("--missing", "mean", "-k", "4", "--components", "2", *scale, "--out", model)
    assert spcabench("solve", table, *words).returncode == 0
    spcabench("apply", model, table, "--missing", "mean", "--out", scores)
    written = pd.read_csv(scores, index_col="sample")
    filled = pd.read_csv(table).drop(columns="bottle")
    filled = filled.fillna(filled.mean())
    same = SparsePCA(2, cardinality=4, scale=bool(scale)).fit(filled)
    np.testing.assert_allclose(abs(written), abs(same.transform(filled)), rtol=1e-6, atol=1e-8)
    assert list(written.index[:2]) == ["b0", "b1"]
    # only the variables of the components are needed, in any order
    saved = models.load(model)
    used = [saved.variables[j] for j in saved.used]
    filled[used[::-1]].to_csv(table, index=False)
    again = pd.read_csv(StringIO(spcabench("apply", model, table).stdout), index_col="sample")
    np.testing.assert_allclose(again, written)
    filled[used[1:]].to_csv(table, index=False)
    assert f"no column {used[0]}" in spcabench("apply", model, table).stderr


DAMAGES = {
    "no loadings": {"loadings": None},
    "loadings: must be finite": {"loadings": np.ones(3)},
    "mean: must be finite": {"mean": np.array(["x", "y", "z"])},
    "mean: must be .* shape": {"mean": np.array([np.nan, 0.0, 0.0])},
    "scale: must be finite positive": {"scale": np.array([1.0, 0.0, 1.0])},
    "3 different names": {"variables": np.array(["a", "b", "b"])},
    "no scale; a model has both": {"scale": None},
    r"bounds: .* of shape \(1,\)": {"bounds": np.ones(2)},
    "columns: must be 1 names": {"columns": np.ones(1)},
    "another format": {"about": np.array('{"format": 9}')},
}


@pytest.mark.parametrize("message", DAMAGES)
def test_a_damaged_model_is_refused_in_one_line(message, tmp_path):
    good = dict(loadings=np.eye(3)[:, :1], variables=np.array(["a", "b", "c"]), bounds=np.ones(1))
    good |= dict(about=np.array('{"format": 1}'), mean=np.zeros(3), scale=np.ones(3))
    good |= dict(columns=np.array(["k = 1"]))
    np.savez(tmp_path / "m.npz", **good)
    model = models.load(tmp_path / "m.npz")
    assert model.used == [0] and model.columns == ["k = 1"]
    assert models.chosen_columns(model, ["b", "a", "a"]) == [1]
    arrays = {n: values for n, values in (good | DAMAGES[message]).items() if values is not None}
    np.savez(tmp_path / "m.npz", **arrays)
    with pytest.raises(InputError, match=message) as error:
        models.load(tmp_path / "m.npz")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("part", ["mean", "deflated_variance_", "cardinality", "parameters"])
def test_an_estimator_needs_every_part_of_its_file(part, tmp_path):
    file = tmp_path / "m.npz"
    SparsePCA(2, cardinality=3).fit(WINE).save(file)
    with np.load(file) as stored:
        arrays = {name: stored[name] for name in stored.files if name != part}
    about = json.loads(str(arrays["about"]))
    about.pop(part, None)
    np.savez(file, **arrays | {"about": np.array(json.dumps(about))})
    with pytest.raises(InputError, match=part):
        SparsePCA.load(file)


@WHOLE
def test_the_core_alone_solves_applies_and_lists(table, tmp_path):
    for line in (
        f"solve {table} --missing mean -k 3 --solver tpower --out m.npz",
        f"apply m.npz {table} --missing mean",
        "list solvers",
    ):
        command = [sys.executable, "-c", WITHOUT, *line.split()]
        completed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert completed.returncode == 0, completed.stderr
