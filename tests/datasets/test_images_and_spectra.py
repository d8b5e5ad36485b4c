"""Faces and spectra: published facts, stand-ins, and files that are refused."""

import gzip

import numpy as np
import pytest

from spcabench import api, registry
from spcabench.errors import InputError
from spcabench.readers import sources

SHAPES = {"cbcl": (2429, 361), "lrs": (531, 93)}


@pytest.mark.parametrize("name", SHAPES)
def test_the_real_file_where_it_is_at_hand(real_data, name):
    real_data(name)
    problem = api.load_or_stand_in(name)
    assert (problem.m, problem.n) == SHAPES[name]
    assert not problem.stand_in
    assert np.abs(problem.data.X.mean(axis=0)).max() < 1e-8


@pytest.mark.parametrize("name", SHAPES)
def test_the_stand_in_has_the_shape_and_says_so(name, monkeypatch):
    monkeypatch.setattr(sources, "find", lambda *args: None)
    problem = api.load_or_stand_in(name)
    assert (problem.m, problem.n) == SHAPES[name]
    assert problem.stand_in
    assert "stand-in" in problem.name
    assert (
        np.linalg.matrix_rank(problem.data.dense()[:90]) > 3
    )  # the figures use three eigenvectors


def test_faces_are_grey_values_and_stand_upright(real_data):
    module = real_data("cbcl")
    X = api.load_or_stand_in("cbcl", center=False).data.X * np.sqrt(module.FACES)
    assert np.allclose(X, np.round(X), atol=1e-6)
    assert (X.min(), X.max()) == pytest.approx((0.0, 255.0), abs=1e-6)
    face = X.mean(axis=0).reshape(module.SIDE, module.SIDE)
    across, down = (
        np.corrcoef(face.ravel(), flipped.ravel())[0, 1] for flipped in (face[:, ::-1], face[::-1])
    )
    assert across > max(down, 0.8)  # symmetric left to right
    assert face[4:7].mean() < face[9:12].mean()  # eyes are darker than cheeks


def test_contrast_normalised_faces_are_those_of_lee_and_seung(real_data):
    module = real_data("cbcl")
    real_data("cbcl", "CONTRAST_FILE", "CONTRAST_SHA256")
    raw, stretched = (
        api.load_or_stand_in("cbcl", contrast=c, center=False).data.X * np.sqrt(module.FACES)
        for c in (False, True)
    )
    g = (raw - raw.mean(axis=1, keepdims=True)) / raw.std(axis=1, keepdims=True)
    expected = 255 * np.clip(0.25 + 0.25 * g, 0, 1)
    assert np.abs(stretched - expected).max() < 1.5  # grey levels


def test_every_spectrum_has_mean_5000_until_its_factor_is_applied(real_data):
    real_data("lrs")
    X = api.load_or_stand_in("lrs", center=False).data.X * np.sqrt(531)
    assert X.mean(axis=1) == pytest.approx(np.full(531, 5000.0), rel=1e-4)
    physical = api.load_or_stand_in("lrs", center=False, factors=True).data.X
    assert np.std(physical.mean(axis=1)) > np.std(X.mean(axis=1))


def test_malformed_spectra_are_refused(tmp_path):
    read = registry.module("dataset", "lrs")._read
    file = tmp_path / "spectrometer.arff"
    file.write_text("@relation spectrometer\n@data\n1,2,3\n")
    with pytest.raises(InputError, match="1 spectra, 1 not of 103 columns"):
        read(file)
    line = ",".join(["a", "18"] + ["1"] * 100 + ["x"])
    packed = tmp_path / "spectrometer.arff.gz"
    with gzip.open(packed, "wt") as stream:
        stream.write("@data\n" + "\n".join([line] * 531))
    with pytest.raises(InputError, match="not a number"):
        read(packed)
